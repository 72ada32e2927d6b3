/** The real core on the real screen, over a terminal that only counts. */
import type { Msg } from '../../tui/core/message.js';
import { initialState, type State } from '../../tui/core/state.js';
import { update } from '../../tui/core/update.js';
import { view } from '../../tui/core/view.js';
import { openScreen } from '../../tui/screen.js';
import { openCountingTerminal } from './counting-terminal.js';
import { size, start, story } from './scene.js';

export interface Stage {
  readonly state: State;
  /** What happens, without a frame. */
  send(...msgs: readonly Msg[]): void;
  /** What happens, and the frame that shows it. */
  frame(...msgs: readonly Msg[]): void;
  /** Bytes written so far. */
  bytes(): number;
  close(): void;
}

/** Empty: before anything has happened. */
export function openStage(): Stage {
  const { input, output } = openCountingTerminal(size);
  const screen = openScreen({ input, output, colours: true });
  let state = initialState(start);
  const send = (...msgs: readonly Msg[]): void => {
    for (const msg of msgs) state = update(state, msg).state;
  };
  return {
    get state() {
      return state;
    },
    send,
    frame(...msgs) {
      send(...msgs);
      screen.paint(view(state));
    },
    bytes: () => output.bytes,
    close: () => screen.close(),
  };
}

/** With the plan and the conversation of the scene, the first frame painted. */
export function openFullStage(): Stage {
  const stage = openStage();
  for (const msg of story()) stage.send(msg);
  stage.frame();
  return stage;
}
