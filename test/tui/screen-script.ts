/** A screen brought to where a golden one is taken: by messages only, as the program would send them. */
import type { InboxEntry } from '../../shared/mission.js';
import type { Item } from '../../shared/plan.js';
import type { Liveness, PlanRun, Run } from '../../shared/run.js';
import type { RunOutput, Session, SessionChanged, Snapshot } from '../../shared/session.js';
import type { Call, Msg } from '../../tui/core/message.js';
import { answerTo, daemonOf, newPerson, type Begin, type Person } from './core-support.js';
import * as samples from './screen-samples.js';
import { listedOf, planRunOf } from './tui-support.js';

export interface Scene {
  readonly items?: readonly Item[];
  readonly planRun?: PlanRun;
  readonly liveness?: Liveness;
  readonly run?: Run | null;
  readonly inbox?: readonly InboxEntry[];
  readonly session?: Partial<Session>;
  readonly hasModel?: boolean;
  /** What it answers otherwise than every scene does; null for the rest. */
  readonly answers?: (call: Call) => Msg | null;
}

const busy: Liveness = { state: 'working', cause: 'shell npm test -- csv (12 s)', lastProgressAt: '2026-03-01T10:00:40.000Z' };
export const idle = (cause: string): Liveness => ({ state: 'idle', cause, lastProgressAt: null });

export function snapshotOfScene(scene: Scene): Snapshot {
  const { items = samples.plan, planRun = planRunOf({ attempt: 2, stepNo: 4 }), liveness = busy, run = samples.working } = scene;
  return {
    seq: 7,
    session: samples.session({ status: planRun.status, ...scene.session }),
    planRun,
    liveness,
    items: listedOf(items),
    run,
    inbox: [...(scene.inbox ?? [])],
  };
}

/** Answers what the screen asks while it opens, and later what a popup reads. Null for what the scene tells itself. */
function answerOf(call: Call, scene: Scene): Msg | null {
  const answer = scene.answers?.(call) ?? null;
  if (answer !== null) return answer;
  const snapshot = snapshotOfScene(scene);
  const runs = scene.run === null ? [] : samples.runs;
  switch (call.method) {
    case 'session.list':
      return answerTo(call, 'session.list', {
        sessions: call.purpose.for === 'popup' ? [...samples.sessions] : [snapshot.session],
        nextCursor: null,
      });
    case 'session.watch':
      return answerTo(call, 'session.watch', snapshot);
    case 'run.list':
      return answerTo(call, 'run.list', {
        runs: 'itemId' in call.params ? runs.filter(({ itemId }) => itemId === 't4') : [...runs],
        nextCursor: null,
      });
    case 'run.transcript':
      return answerTo(call, 'run.transcript', { messages: [...(samples.transcripts[call.params.runId] ?? [])] });
    case 'run.steps':
      return answerTo(call, 'run.steps', { found: true, version: 1, steps: [...samples.steps] });
    case 'run.receipts':
      return answerTo(call, 'run.receipts', { receipts: [...samples.receipts] });
    case 'run.effects':
      return answerTo(call, 'run.effects', { effects: [...samples.effects] });
    case 'run.explain':
      return answerTo(call, 'run.explain', samples.explanation);
    case 'plan.history':
      return answerTo(call, 'plan.history', { revisions: [...samples.revisions], nextCursor: null });
    case 'plan.diff':
      return answerTo(call, 'plan.diff', diffTo(call.params.to));
    default:
      return null;
  }
}

function diffTo(version: number): Extract<Parameters<typeof answerTo<'plan.diff'>>[2], object> {
  const item = samples.plan.find(({ id }) => id === 't4');
  if (item === undefined) throw new Error('the plan has lost its item');
  if (version === 2) return { added: [item], removed: [], changed: [] };
  const before = { ...item, title: 'Write rows', detail: 'All rows at once.' };
  return { added: [], removed: [], changed: [{ id: item.id, before, after: item }] };
}

export interface Staged {
  readonly person: Person;
  /** What the daemon tells. */
  tell(change: Omit<SessionChanged, 'sessionId' | 'seq'>): void;
  stream(stream: RunOutput['stream'], text: string, tool?: string): void;
  /** Answers all that is asked, and what is asked because of it. */
  settle(): void;
}

/** A screen with a session: found, watched, its runs read. */
export function stage(begin: Begin, scene: Scene = {}): Staged {
  const person = newPerson(begin);
  const { id } = snapshotOfScene(scene).session;
  const settle = (): void => {
    for (let calls = person.calls(); calls.length > 0; calls = person.calls()) {
      for (const call of calls) {
        const answer = answerOf(call, scene);
        if (answer !== null) person.take(answer);
      }
    }
  };
  person.take({ type: 'connected', daemon: daemonOf(scene.hasModel === false ? { provider: null } : {}) });
  settle();
  return {
    person,
    settle,
    tell: (change) => person.take({ type: 'changed', change: { sessionId: id, seq: 8, ...change } }),
    stream(stream, text, tool) {
      const output = { sessionId: id, runId: samples.working.id, itemId: samples.working.itemId, stream, text };
      person.take({ type: 'output', output: { ...output, ...(tool === undefined ? {} : { tool }) } });
    },
  };
}

/** The running item as it streams: thoughts, words, a tool, its checks. */
export function streamWork(staged: Staged): void {
  staged.stream('reasoning', 'The rows are collected in an array.\nA generator would keep one at a time.\n');
  staged.stream('text', 'The rows are collected before they are written, which is why memory grows. ');
  staged.stream('text', 'I turn the array into a generator.\n');
  staged.stream('tool', 'sed -n 1,80p src/rows.ts', 'shell');
  staged.stream('tool_output', Array.from({ length: 9 }, (_, i) => `line ${i + 1} of src/rows.ts\n`).join(''), 'shell');
  staged.stream('tool', 'src/rows.ts', 'write_file');
  staged.stream('check', '$ npm test -- csv\n');
  staged.stream('check', '✓ 41 passed\n$ npm run lint\n');
  staged.stream('check', 'src/rows.ts:12 unexpected any\n');
  staged.stream('notice', 'blocker: the linter does not know generators');
}
