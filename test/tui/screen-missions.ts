/** The golden screens of missions: what a planner does, the revisions that it makes, the tree and the report. */
import type { ResultOf } from '../../shared/contract.js';
import { inboxEntrySchema, type InboxEntry, type MissionNode, type Summary } from '../../shared/mission.js';
import type { Item, ItemId, Revision } from '../../shared/plan.js';
import type { Run, RunId } from '../../shared/run.js';
import type { Session } from '../../shared/session.js';
import { answerTo } from './core-support.js';
import * as samples from './screen-samples.js';
import { idle, type Scene, type Staged } from './screen-script.js';
import { runOf } from './simulated-daemon.js';
import { nodeOf } from './simulated-missions.js';
import { itemOf } from './tui-support.js';

const at = (time: string): string => `2026-03-01T${time}.000Z`;
const ids = (...all: readonly string[]): ItemId[] => all.map((id) => id as ItemId);

const revision = (version: number, part: Partial<Revision>): Revision => ({
  ...{ version, at: at('09:40:00'), author: 'planner', statusOnly: false, added: [], removed: [], changed: [] },
  ...part,
});

const revisions: readonly Revision[] = [
  revision(9, {
    at: at('09:58:12'),
    explanation: 'The rows do not fit into memory:\nthey are streamed, and the old writer goes.',
    added: ids('t11', 't12'),
    removed: ids('t13'),
    changed: ids('t4'),
  }),
  revision(7, { author: 'person', at: at('09:41:30'), changed: ids('t7') }),
  revision(4, { explanation: 'Clear \u001b[2J the \u202escreen 导出', added: ids('t10') }),
  revision(2, { author: 'import', at: '2026-02-27T18:05:00.000Z', explanation: 'plan.md', added: ids('t1', 't2', 't3', 't7') }),
];

const changed = (): Item => {
  const item = samples.plan.find(({ id }) => id === 't4');
  if (item === undefined) throw new Error('the plan has lost its item');
  return item;
};

const diff: ResultOf<'plan.diff'> = {
  added: [
    itemOf({
      id: 't11',
      position: 6,
      title: 'Measure the memory',
      command: 'npm run bench \u202e&& rm -rf /',
      verify: ['test -s bench.json'],
    }),
    itemOf({ id: 't12', parentId: 't7', position: 3, title: 'Say in the help what a row is', detail: 'In one line.' }),
  ],
  removed: [itemOf({ id: 't13', position: 7, title: 'Write to a temporary file' })],
  changed: [{ id: changed().id, before: { ...changed(), title: 'Write rows', detail: 'All rows at once.' }, after: changed() }],
};

const session = (part: Partial<Session>): Session => samples.session({ isMission: true, ...part });

const blocker = 'check failed: `npm test -- docs` gave 1\n\nFAIL test/docs.test.ts\n  expected the example to run';
const usage = { turns: 3, inputTokens: 41_000, outputTokens: 2_300, costUsd: 0.11, durationMs: 60_000 };

/** Four generations: the one that is shown stands below another. */
export const nodes: readonly MissionNode[] = [
  nodeOf(session({ id: 's_0' as never, title: 'Release 2.0', goal: 'Ship the release', status: 'running' }), {
    openInbox: 2,
    counts: { pending: 4, active: 1, done: 3, skipped: 1, leaves: 9 },
    usage: { ...usage, inputTokens: 610_000, costUsd: 3.27 },
    planner: { mode: 'always', state: 'waiting', reason: null },
  }),
  nodeOf(session({ id: 's_1' as never, parentId: 's_0' as never, status: 'running' }), { depth: 1 }),
  nodeOf(session({ id: 's_5' as never, parentId: 's_1' as never, title: 'Document the\nexport 导出', status: 'blocked' }), {
    depth: 2,
    usage,
    lastError: blocker,
    openInbox: 1,
    planner: { mode: 'on_blocked', state: 'held', reason: 'budget used up: 5 turns. Raise it and start again.' },
  }),
  nodeOf(session({ id: 's_6' as never, parentId: 's_1' as never, title: 'Measure it', status: 'idle' }), {
    depth: 2,
    counts: { pending: 0, active: 0, done: 0, skipped: 0, leaves: 0 },
    usage: { ...usage, costUsd: null },
    planner: { mode: 'always', state: 'running', reason: null },
  }),
  nodeOf(session({ id: 's_7' as never, parentId: 's_0' as never, title: 'Fix the login', status: 'completed' }), {
    depth: 1,
    outcome: 'landed',
    outcomeReason: 'Every item of the plan is done.',
    usage,
  }),
  nodeOf(session({ id: 's_8' as never, parentId: 's_0' as never, title: 'Move the archive', status: 'failed' }), {
    depth: 1,
    outcome: 'derailed',
    outcomeReason: 'The work failed for good: the disk of the archive is gone.',
    usage,
  }),
];

const named = (itemId: string, number: string, title: string) => ({
  ...{ sessionId: 's_1' as never, session: 'Export', itemId: itemId as ItemId, number, title, at: at('09:55:30') },
});

export const summary: Summary = {
  since: '2026-02-28T10:00:42.000Z',
  until: at('10:00:42'),
  accepted: [named('t1', '1', 'Read the current exporter'), named('t8', '4.1', 'Parse the options')],
  claimed: [{ ...named('t3', '2.1', 'Quote fields'), summary: 'Fields with quotes, commas and line ends are quoted.' }],
  blocked: [
    {
      ...{ sessionId: 's_5' as never, session: 'Document the export', status: 'blocked', itemId: ids('t2')[0] ?? null },
      ...{ number: '2', title: 'Run the example', why: blocker, since: at('08:12:00') },
    },
  ],
  outcomes: [
    {
      ...{ sessionId: 's_7' as never, session: 'Fix the login', outcome: 'landed', at: at('07:30:00') },
      reason: 'Every item of the plan is done.',
      landed: {
        ...{ planned: 4, added: 1, dropped: 1, done: 4, skipped: 0 },
        addedTitles: ['Renew the certificate'],
        droppedTitles: ['Ask the customer'],
      },
    },
  ],
  revisions: [
    {
      ...{ sessionId: 's_1' as never, session: 'Export', version: 9, author: 'planner', at: at('09:58:12') },
      ...{ explanation: 'The rows do not fit into memory.', added: 2, removed: 1, changed: 1 },
    },
  ],
  spent: { turns: 31, inputTokens: 612_400, outputTokens: 22_100, costUsd: 3.27, durationMs: 5_400_000 },
  needsPerson: [samples.approval, samples.question],
  underWay: [{ sessionId: 's_1' as never, session: 'Export', status: 'running' }],
  isCut: false,
};

/** Answers what the popups of missions read. */
const missionAnswers: NonNullable<Scene['answers']> = (call) => {
  switch (call.method) {
    case 'plan.history':
      return answerTo(call, 'plan.history', { revisions: [...revisions], nextCursor: null });
    case 'plan.diff':
      return answerTo(call, 'plan.diff', diff);
    case 'mission.tree':
      return answerTo(call, 'mission.tree', { nodes: [...nodes].slice(call.params.sessionId === 's_0' ? 0 : 1) });
    case 'report.summary':
      return answerTo(call, 'report.summary', summary);
    default:
      return null;
  }
};

export const mission = (part: Partial<Session> = {}): Scene => ({
  session: { isMission: true, planner: { mode: 'always', state: 'idle', reason: null }, ...part },
  answers: missionAnswers,
});

export const planning: Run = runOf({ id: 'r_9' as RunId, kind: 'planner', startedAt: at('10:00:30') });

/** The item runs, and the planner, woken by what it reported, talks beside it. */
export function streamPlanner({ person, tell, stream }: Staged): void {
  stream('text', 'The rows are collected before they are written.\n');
  const planner = { mode: 'always', state: 'running', reason: null } as const;
  tell({ run: planning, session: session({ planner }) });
  const say = (kind: 'text' | 'tool', text: string, tool?: string): void =>
    person.take({
      type: 'output',
      output: {
        ...{ sessionId: 's_1' as never, runId: planning.id, itemId: null, stream: kind, text },
        ...(tool === undefined ? {} : { tool }),
      },
    });
  say('text', 'The memory is the wall. I put a measurement before the rest.\n');
  say('tool', '', 'mission_plan');
  stream('tool', 'sed -n 1,80p src/rows.ts', 'shell');
  stream('tool_output', 'export function rows() {\n', 'shell');
  say('text', 'The plan says now what is to be measured.\n');
}

export const finished = (outcome: 'landed' | 'derailed' | 'stuck', outcomeReason: string): Scene => ({
  ...mission({ outcome, outcomeReason, planner: { mode: 'always', state: 'none', reason: null } }),
  ...{ run: null, liveness: idle('idle') },
  planRun: samples.stopped(outcome === 'landed' ? 'completed' : 'failed', null),
});

const entry = (part: Partial<InboxEntry>): InboxEntry =>
  inboxEntrySchema.parse({ ...samples.blocker, itemId: null, runId: null, ...part });
export const revised = entry({
  id: 'i_4',
  kind: 'plan_revised',
  title: 'Plan revised: +2 −1 — The rows do not fit into memory.',
  detail: '+ Measure the memory\n+ Say in the help what a row is\n− Write to a temporary file\n~ Stream rows',
});
export const landed = entry({
  id: 'i_5',
  kind: 'outcome',
  title: 'Landed: Fix the login',
  detail: 'Every item of the plan is done.',
});
