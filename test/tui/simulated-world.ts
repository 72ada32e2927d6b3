/** A client and a daemon between which anything happens: keys, edits of others, streams, refusals, lost connections. */
import fc from 'fast-check';
import { addItem, moveItem, removeItem, setStatus, updateItem } from '../../daemon/domain/plan-edit.js';
import type { RunOutput } from '../../shared/session.js';
import type { Size } from '../../tui/core/frame.js';
import type { Input, Mouse } from '../../tui/core/input/input.js';
import { keymap } from '../../tui/core/keymap.js';
import type { Call, Msg } from '../../tui/core/message.js';
import type { State } from '../../tui/core/state.js';
import { update } from '../../tui/core/update.js';
import { daemonOf, keyOf, keysOf, newPerson } from './core-support.js';
import { connectionLost } from './core-talk.js';
import * as samples from './screen-samples.js';
import { simulateDaemon, type SimulatedDaemon } from './simulated-daemon.js';

/** What may happen: at the terminal, at the daemon, on the way. */
export type Step =
  | { readonly does: 'input'; readonly inputs: readonly Input[] }
  | { readonly does: 'resize'; readonly size: Size }
  | { readonly does: 'answer' | 'refuse' | 'lose' | 'connect' | 'tick' | 'other' }
  | { readonly does: 'stream'; readonly stream: RunOutput['stream']; readonly text: string }
  | { readonly does: 'edit'; readonly kind: 'insert' | 'remove' | 'move' | 'title' | 'done'; readonly at: number }
  | { readonly does: 'run'; readonly status: 'running' | 'blocked' | 'waiting' | 'completed' | 'paused'; readonly at: number };

const allKeys = [
  ...new Set(keymap.flatMap(({ keys }) => keys)),
  ...['Esc', 'Ctrl-c', 'Backspace', 'Ctrl-w', 'Alt-Enter', 'y', 'm', '1', 'Delete', 'Ctrl-u', 'Ctrl-_'],
].map(keyOf);
const foreign = samples.foreignTitles.map(({ title }) => title);

export const size = fc.record({ columns: fc.integer({ min: 1, max: 250 }), rows: fc.integer({ min: 1, max: 80 }) });
const mouse: fc.Arbitrary<Mouse> = fc.record({
  type: fc.constant('mouse' as const),
  action: fc.constantFrom('press', 'release', 'drag', 'wheel-up', 'wheel-down'),
  button: fc.constantFrom('left', 'right', 'none'),
  x: fc.nat(250),
  y: fc.nat(80),
});
const input: fc.Arbitrary<readonly Input[]> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...allKeys).map((key) => [key]) },
  { weight: 1, arbitrary: fc.constantFrom('write it', 'd', 'x y', ...foreign).map((text) => keysOf(text)) },
  { weight: 1, arbitrary: fc.constantFrom('one\ntwo', ...foreign).map((text) => [{ type: 'paste' as const, text }]) },
  { weight: 2, arbitrary: mouse.map((one) => [one]) },
);
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('input' as const), inputs: input }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('resize' as const), size }) },
  { weight: 5, arbitrary: fc.record({ does: fc.constant('answer' as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('refuse', 'lose', 'connect', 'tick', 'other' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('stream' as const),
      stream: fc.constantFrom('text', 'reasoning', 'tool', 'tool_output', 'check', 'notice'),
      text: fc.constantFrom('word ', 'line\n', '你好，世界\n', '\u001b[31mred\n', 'x'.repeat(300), ...foreign),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('edit' as const),
      kind: fc.constantFrom('insert', 'remove', 'move', 'title', 'done'),
      at: fc.nat(20),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('run' as const),
      status: fc.constantFrom('running', 'blocked', 'waiting', 'completed', 'paused'),
      at: fc.nat(20),
    }),
  },
);
export const steps = fc.array(step, { maxLength: 40 });

/** A client and a daemon, one step at a time. */
export class World {
  state: State;
  readonly daemon: SimulatedDaemon = simulateDaemon([...samples.plan, ...samples.foreignTitles], {
    inbox: [samples.approval, samples.question, samples.blocker],
  });
  waiting: Call[] = [];
  /** What was told before and after, for each message that no person sent. */
  onMessage: (msg: Msg, before: State, after: State) => void = () => undefined;

  constructor(begin: Size) {
    this.state = newPerson({ size: begin }).state;
    this.take({ type: 'connected', daemon: daemonOf() });
    for (let i = 0; i < 12; i += 1) this.play({ does: 'answer' });
  }

  take(...msgs: readonly Msg[]): void {
    for (const msg of msgs) {
      const before = this.state;
      const after = update(before, msg);
      this.state = after.state;
      this.waiting.push(...after.cmds.filter((cmd) => cmd.type === 'call'));
      this.onMessage(msg, before, after.state);
    }
  }

  play(step: Step): void {
    switch (step.does) {
      case 'input':
        return this.take(...step.inputs);
      case 'resize':
        return this.take({ type: 'resized', size: step.size });
      case 'answer': {
        const call = this.waiting.shift();
        return call === undefined ? undefined : this.take(...this.daemon.answer(call));
      }
      case 'refuse': {
        const call = this.waiting.shift();
        if (call === undefined) return;
        return this.take({
          type: 'refused',
          call,
          error: { kind: 'invalid_state', message: 'Not now.', hint: 'Later.', currentVersion: null },
        });
      }
      case 'lose': {
        const lost = this.waiting.splice(0);
        this.take({ type: 'lost', reason: 'gone' });
        return this.take(...lost.map((call): Msg => ({ type: 'refused', call, error: connectionLost })));
      }
      case 'connect':
        return this.take({ type: 'connected', daemon: daemonOf() });
      case 'other':
        return this.take({ type: 'notConnected', reason: 'The daemon speaks protocol 2.\nStart anew.', otherProtocol: true });
      case 'tick':
        return this.take({ type: 'ticked', now: this.state.now + 1_000 });
      case 'stream':
        return this.take(...this.daemon.stream(step.stream, step.text, 'shell'));
      case 'edit':
        return this.edit(step);
      case 'run': {
        const item = this.item(step.at);
        const planRun = { ...this.daemon.planRun, status: step.status, currentItemId: item?.id ?? null, lastError: 'why\nnot' };
        const liveness = { state: 'working' as const, cause: `shell ${item?.title ?? ''} (3 s)`, lastProgressAt: null };
        return this.take(...this.daemon.change({ planRun, liveness }));
      }
    }
  }

  private item(at: number) {
    const all = this.daemon.snapshot().items;
    return all[at % Math.max(1, all.length)];
  }

  private edit({ kind, at }: Extract<Step, { does: 'edit' }>): void {
    const item = this.item(at);
    if (kind === 'insert') {
      this.take(...this.daemon.edit((draft) => addItem(draft, { title: `New ${at}`, index: at % 5 }, 'planner')));
      return;
    }
    if (item === undefined) return;
    const itemId = item.id;
    this.take(
      ...this.daemon.edit((draft) => {
        if (kind === 'remove') return removeItem(draft, { itemId }, 'person');
        if (kind === 'move') return moveItem(draft, { itemId, parentId: item.parentId, index: at % 3 });
        if (kind === 'title') return updateItem(draft, { itemId, title: `Another ${at}` }, 'planner');
        return setStatus(draft, { itemId, status: 'done' });
      }),
    );
  }
}
