/** The loop of the screen: messages in, state on, frames and commands out. */
import { type Cmd, type Msg } from './core/message.js';
import { initialState, type Start } from './core/state.js';
import { update } from './core/update.js';
import { view } from './core/view.js';
import type { Screen } from './screen.js';

/** What comes by itself (streams, times) is drawn at most this often; what a person does is drawn at once. */
const frameMs = 1000 / 30;
const tickMs = 1000;

export interface Program {
  dispatch(msg: Msg): void;
  /** Ends the loop; the screen stays as it is. */
  stop(): void;
}

/** `perform` carries out what a step wants done, and dispatches what comes of it. */
export function runProgram(screen: Screen, start: Start, perform: (cmd: Cmd, dispatch: (msg: Msg) => void) => void): Program {
  let state = initialState(start);
  let drawnAt = 0;
  let timer: NodeJS.Timeout | null = null;
  let soon: NodeJS.Immediate | null = null;
  let isStopped = false;

  const draw = (): void => {
    if (timer !== null) clearTimeout(timer);
    if (soon !== null) clearImmediate(soon);
    timer = null;
    soon = null;
    // The next frame comes when the terminal has taken this one.
    if (isStopped || screen.isBackedUp) return;
    drawnAt = performance.now();
    screen.paint(view(state));
  };

  const wantFrame = (isUrgent: boolean): void => {
    if (isStopped || soon !== null) return;
    if (isUrgent) soon = setImmediate(draw);
    else timer ??= setTimeout(draw, Math.max(0, drawnAt + frameMs - performance.now()));
  };

  const step = (msg: Msg, isUrgent: boolean): void => {
    if (isStopped) return;
    const before = state;
    const after = update(state, msg);
    state = after.state;
    if (state !== before) wantFrame(isUrgent);
    for (const cmd of after.cmds) perform(cmd, dispatch);
  };
  const dispatch = (msg: Msg): void => step(msg, false);

  screen.onInput((input) => {
    step({ type: 'ticked', now: Date.now() }, true);
    step(input, true);
  });
  screen.onResize((size) => step({ type: 'resized', size }, true));
  screen.onDrain(draw);
  const clock = setInterval(() => dispatch({ type: 'ticked', now: Date.now() }), tickMs);
  draw();

  return {
    dispatch,
    stop() {
      isStopped = true;
      clearInterval(clock);
      draw();
    },
  };
}
