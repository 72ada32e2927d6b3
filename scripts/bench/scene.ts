/** What the benchmark shows: a plan of 5,000 items that runs, and a conversation at its limits. */
import { buildTree, countLeaves, listTree } from '../../shared/plan-tree.js';
import { noPlanner } from '../../shared/mission.js';
import type { Item, ItemId, ListedItem, SessionId } from '../../shared/plan.js';
import type { Run, RunId, Usage } from '../../shared/run.js';
import type { DaemonStatus, RunOutput, Session, SessionChanged, Snapshot } from '../../shared/session.js';
import type { Key, Mouse } from '../../tui/core/input/input.js';
import { glyphsFor } from '../../tui/core/glyphs.js';
import type { Msg } from '../../tui/core/message.js';
import type { Start } from '../../tui/core/state.js';

export const size = { columns: 200, rows: 60 };
const taskCount = 500;
const subtasksEach = 9;
const runCount = 200;
/** More than the client keeps of a conversation. */
const toolCalls = 2_200;
const linesEach = 19;

const sessionId = 's1' as SessionId;
const runId = 'r1' as RunId;
const now = Date.now();
const at = (ms: number): string => new Date(ms).toISOString();

const words =
  'read write the exporter of stream rows quote fields header with tests handle a byte order mark check each column type in parser'.split(
    ' ',
  );
/** Some words, always the same for a seed. */
export const sentence = (seed: number, count: number): string =>
  Array.from({ length: count }, (_, i) => words[(seed * 31 + i * 7 + ((seed >> 3) ^ i)) % words.length]).join(' ');

function itemOf(id: string, parentId: ItemId | null, position: number, seed: number): Item {
  return {
    id: id as ItemId,
    parentId,
    position,
    title: sentence(seed, 4 + (seed % 9)),
    detail: sentence(seed, 30),
    status: seed < 400 ? 'done' : 'pending',
    priority: seed % 10 === 0 ? 'high' : 'medium',
    acceptance: [],
    executor: 'model',
    ...(seed < 400 ? { claimed: true, accepted: seed % 3 > 0 } : {}),
  };
}

function allItems(): Item[] {
  return Array.from({ length: taskCount }, (_, t) => {
    const task = itemOf(`t${t}`, null, t * 1024, t * (subtasksEach + 1));
    const subtasks = Array.from({ length: subtasksEach }, (__, s) =>
      itemOf(`t${t}s${s}`, task.id, s * 1024, t * (subtasksEach + 1) + s + 1),
    );
    return [task, ...subtasks];
  }).flat();
}

export const items: readonly ListedItem[] = listTree(buildTree(allItems()));
const current = items[405] as ListedItem;

const usage: Usage = { turns: 12, inputTokens: 81_000, outputTokens: 9_400, costUsd: 0.42, durationMs: 93_000 };

const session: Session = {
  id: sessionId,
  title: 'Export',
  goal: 'Ship the export feature',
  workspace: '/home/user/export',
  profile: 'solo',
  status: 'running',
  outcome: null,
  outcomeReason: null,
  isMission: false,
  planner: noPlanner,
  parentId: null,
  model: null,
  budget: null,
  planVersion: 1,
  counts: countLeaves(buildTree(items)),
  usage,
  createdAt: at(now - 7_200_000),
  updatedAt: at(now),
};

const runOf = (id: RunId, itemId: ItemId, startedAt: number, finishedAt: number | null): Run => ({
  id,
  sessionId,
  itemId,
  kind: 'leaf',
  status: finishedAt === null ? 'running' : 'completed',
  attempt: 1,
  epoch: 1,
  resumes: null,
  planVersion: 1,
  model: 'a-model',
  error: null,
  summary: null,
  usage,
  startedAt: at(startedAt),
  finishedAt: finishedAt === null ? null : at(finishedAt),
});

const run = runOf(runId, current.id, now - 42_000, null);
const earlier = items
  .filter(({ depth }) => depth === 1)
  .slice(0, runCount - 1)
  .map(({ id }, i) => runOf(`e${i}` as RunId, id, now - 7_000_000 + i * 30_000, now - 7_000_000 + i * 30_000 + 20_000));

const snapshot: Snapshot = {
  seq: 1,
  session,
  planRun: {
    sessionId,
    status: 'running',
    currentItemId: current.id,
    lastRunId: runId,
    lastError: null,
    stepNo: 366,
    attempt: 1,
    epoch: 1,
    updatedAt: at(now),
  },
  liveness: { state: 'working', cause: 'shell npm test (12 s)', lastProgressAt: at(now) },
  items: [...items],
  run,
  inbox: [],
};

const daemon: DaemonStatus = {
  version: '0.1.0',
  protocol: 1,
  pid: 1,
  uptimeMs: 1,
  home: '/home/user/.cairn',
  store: { kind: 'sqlite', path: '/home/user/.cairn/cairn.db', schemaVersion: 1, bytes: 1 },
  provider: { model: 'a-model', baseUrl: 'http://127.0.0.1:1', replay: false },
  counts: { sessions: 1, running: 1, inbox: 0, clients: 1 },
  warnings: [],
  sandbox: null,
};

export const start: Start = {
  size,
  glyphs: glyphsFor('en_US.UTF-8'),
  now,
  folder: '/home/user/export',
  home: '/home/user',
  clientId: 'bench',
  sessionId,
};

export const connected: Msg = { type: 'connected', daemon };
export const opened: Msg = {
  type: 'answered',
  method: 'session.watch',
  params: { sessionId },
  purpose: { for: 'view' },
  result: snapshot,
};
const runsListed: Msg = {
  type: 'answered',
  method: 'run.list',
  params: { sessionId, limit: runCount },
  purpose: { for: 'view' },
  result: { runs: [run, ...earlier.toReversed()], nextCursor: null },
};

const output = (stream: RunOutput['stream'], text: string, tool?: string): Msg => ({
  type: 'output',
  output: { sessionId, runId, itemId: current.id, stream, text, ...(tool === undefined ? {} : { tool }) },
});

/** A call with its output, and a text after it. */
export function toolCall(index: number): readonly Msg[] {
  const lines = Array.from({ length: linesEach }, (_, line) => `  ok ${line} ${sentence(index + line, 8)}\n`);
  return [
    output('tool', `npm test -- ${sentence(index, 3)}`, 'shell'),
    output('tool_output', lines.join(''), 'shell'),
    output('text', `${sentence(index, 40)}\n`),
  ];
}

/** All that makes the state: connected, the session open, its runs known, the conversation full. */
export function* story(): Generator<Msg> {
  yield connected;
  yield opened;
  yield runsListed;
  for (let i = 0; i < toolCalls; i++) yield* toolCall(i);
}

const wordText = (index: number): string => ` ${words[index % words.length]}`;
/** A streamed token that ends no line. */
export const word = (index: number): Msg => output('text', wordText(index));

const tokensInLine = 60;
/** A streamed token; now and then one that ends a line. */
export const tokenText = (index: number): string => (index % tokensInLine === tokensInLine - 1 ? '\n' : wordText(index));
export const token = (index: number): Msg => output('text', tokenText(index));

/** The `index`th change of one item that is in sight: claimed, and open again. Versions go on from `fromVersion`. */
export function change(index: number, fromVersion: number): Msg {
  const { depth: _depth, number: _number, ...item } = items[406 + (index % 20)] as ListedItem;
  const told: SessionChanged = {
    sessionId,
    seq: fromVersion + 1,
    fromVersion,
    items: [Math.floor(index / 20) % 2 === 0 ? { ...item, status: 'done', claimed: true } : item],
  };
  return { type: 'changed', change: told };
}

export const key = (name: string): Key => ({ type: 'key', name, ctrl: false, alt: false, shift: false, text: null });
/** Over the conversation. */
export const wheel = (direction: 'up' | 'down'): Mouse => ({
  type: 'mouse',
  action: `wheel-${direction}`,
  button: 'none',
  x: 20,
  y: 20,
});
