import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type MissionNode, missionNodeSchema, type Summary, summarySchema } from '../../shared/mission.js';
import { diffLines } from '../../tui/core/missions/diff-lines.js';
import { reportLines } from '../../tui/core/missions/report-lines.js';
import { readSince } from '../../tui/core/missions/report-since.js';
import { revisionWords } from '../../tui/core/missions/revision-words.js';
import { missionTreeLines } from '../../tui/core/missions/tree-lines.js';
import { widthOf } from '../../tui/core/text/text.js';
import { ascii, itemOf, narrow, wide } from './tui-support.js';

/** By the clock here, as a person means it. */
const here = (text: string): Date => new Date(text);
const now = here('2026-03-04T10:30:00');
const iso = (text: string): string => here(text).toISOString();

describe('a time from which a report tells', () => {
  it.each([
    ['8h', '2026-03-04T02:30:00'],
    ['30m', '2026-03-04T10:00:00'],
    ['2d', '2026-03-02T10:30:00'],
    ['1w', '2026-02-25T10:30:00'],
    ['today', '2026-03-04T00:00:00'],
    ['Yesterday', '2026-03-03T00:00:00'],
    ['09:15', '2026-03-04T09:15:00'],
    ['18:00', '2026-03-03T18:00:00'],
    ['2026-03-01', '2026-03-01T00:00:00'],
    ['2026-03-01 18:00', '2026-03-01T18:00:00'],
    ['2026-03-01T18:00:30', '2026-03-01T18:00:30'],
    ['2026-03-01T18:00:00Z', '2026-03-01T18:00:00Z'],
    ['2026-03-01T18:00+02:00', '2026-03-01T16:00:00Z'],
  ])('%s is %s', (text, time) => {
    expect(readSince(text, now)).toEqual(here(time));
  });

  it.each(['', 'tomorrow', '8', '8 hours', '25:00', '2026-02-30', '2026-13-01', '2027-01-01', 'March', '-2h'])(
    '%j is none',
    (text) => {
      expect(readSince(text, now)).toBeNull();
    },
  );

  it('is never in the future, whatever is written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^\d{1,6}[mhdw]$/), fc.stringMatching(/^[0-2]\d:[0-5]\d$/)), (text) => {
        const since = readSince(text, now);
        expect(since === null || since <= now).toBe(true);
      }),
    );
  });
});

const usage = { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: null, durationMs: 0 };
const nothing: Summary = summarySchema.parse({
  since: iso('2026-03-03T10:30:00'),
  until: now.toISOString(),
  accepted: [],
  claimed: [],
  blocked: [],
  outcomes: [],
  revisions: [],
  spent: usage,
  needsPerson: [],
  underWay: [],
  isCut: false,
});
const item = { sessionId: 's_1', session: 'Export', itemId: 't1', number: '1.2', title: 'Write the writer' };
const night: Summary = summarySchema.parse({
  ...nothing,
  accepted: [{ ...item, at: iso('2026-03-03T23:10:00') }],
  claimed: [{ ...item, number: '2', title: 'Read', at: iso('2026-03-04T02:00:00'), summary: 'looked\nat it' }],
  outcomes: [
    {
      sessionId: 's_1',
      session: 'Export',
      outcome: 'landed',
      reason: 'all is there',
      at: iso('2026-03-04T03:00:00'),
      landed: { planned: 3, added: 1, dropped: 1, done: 2, skipped: 1, addedTitles: ['Get a key'], droppedTitles: ['Ask'] },
    },
  ],
  blocked: [
    {
      sessionId: 's_2',
      session: 'Import',
      status: 'blocked',
      itemId: 't1',
      number: '1',
      title: 'Log in',
      why: 'no key\nat all',
      since: iso('2026-03-04T04:00:00'),
    },
  ],
  revisions: [
    {
      sessionId: 's_1',
      session: 'Export',
      version: 4,
      author: 'planner',
      explanation: 'a key is needed',
      added: 1,
      removed: 1,
      changed: 0,
      at: iso('2026-03-04T01:00:00'),
    },
  ],
  spent: { turns: 12, inputTokens: 12_300, outputTokens: 900, costUsd: 0.5, durationMs: 720_000 },
  needsPerson: [
    {
      id: 'i_1',
      sessionId: 's_2',
      runId: null,
      itemId: null,
      kind: 'approval',
      state: 'open',
      title: 'Run a command',
      detail: 'make',
      effectId: null,
      tool: 'shell',
      options: ['allow', 'deny'],
      answer: null,
      default: 'deny',
      deadline: iso('2026-03-04T11:00:00'),
      openedAt: iso('2026-03-04T10:00:00'),
      closedAt: null,
    },
  ],
  underWay: [{ sessionId: 's_3', session: 'Docs', status: 'running' }],
});

describe('the morning report', () => {
  it('has a section for each kind of thing that happened', () => {
    expect(reportLines(night, wide)).toEqual([
      '2026-03-03 10:30 to 2026-03-04 10:30',
      '',
      'Accepted (1)',
      '  ✔ 2026-03-03 23:10  Export: 1.2 Write the writer',
      '',
      'Only claimed (1)',
      '  ✓ 02:00  Export: 2 Read — looked at it',
      '',
      'Outcomes (1)',
      '  ✔ 03:00  landed: Export — all is there',
      '      3 planned, 1 added, 1 dropped: 2 done, 1 skipped',
      '      added: Get a key',
      '      dropped: Ask',
      '',
      'Standing still (1)',
      '  ✗ 04:00  blocked: Import: 1 Log in',
      '      no key',
      '      at all',
      '',
      'Plans revised (1)',
      '  01:00  Export v4 by planner  +1 −1 — a key is needed',
      '',
      'Spent',
      '  12 turns, 12.3k tokens in, 900 out, $0.50, 12 min of work',
      '',
      'Under way (1)',
      '  ▶ running: Docs  (s_3)',
      '',
      'Needs a person (1)',
      '  ? 10:00  Run a command',
      '      cairn inbox answer i_1 allow|deny  (at 11:00: deny)',
    ]);
  });

  it('leaves out what there is nothing of', () => {
    expect(reportLines(nothing, wide).slice(1)).toEqual(['Nothing happened, and nothing waits for you.']);
    expect(reportLines({ ...nothing, underWay: night.underWay }, wide).join('\n')).not.toMatch(/Accepted|Spent|Outcomes|Needs/);
  });

  it('shows so many entries and says how many more there are', () => {
    const lines = reportLines({ ...nothing, accepted: Array(60).fill(night.accepted[0]), isCut: true }, wide);
    expect(lines.filter((line) => line.includes('✔'))).toHaveLength(50);
    expect(lines.slice(-2)).toEqual([
      '  and 10 more (--json has all of them)',
      'There is more: a list is cut at a thousand entries.',
    ]);
  });

  it('fits its width and harms no terminal, whatever is in it', () => {
    const hostile = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 120 }), fc.constant('\u001b[2J\u202eevil\nline'));
    fc.assert(
      fc.property(hostile, hostile, fc.constantFrom(wide, narrow, ascii), (title, why, view) => {
        const summary: Summary = {
          ...night,
          accepted: night.accepted.map((each) => ({ ...each, title, session: why })),
          claimed: night.claimed.map((each) => ({ ...each, title, summary: why })),
          outcomes: night.outcomes.map((each) => ({ ...each, session: title, reason: why })),
          blocked: night.blocked.map((each) => ({ ...each, title, why })),
          revisions: night.revisions.map((each) => ({ ...each, explanation: why })),
          underWay: night.underWay.map((each) => ({ ...each, session: title })),
          needsPerson: night.needsPerson.map((each) => ({ ...each, title, options: [why] })),
        };
        for (const line of reportLines(summary, view)) {
          expect(widthOf(line)).toBeLessThanOrEqual(view.width);
          expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
        }
      }),
      { numRuns: 60 },
    );
  });
});

const nodeOf = (part: Record<string, unknown>): MissionNode =>
  missionNodeSchema.parse({
    sessionId: 's_1',
    parentId: null,
    depth: 0,
    title: 'Export',
    goal: '',
    isMission: true,
    status: 'running',
    lastError: null,
    outcome: null,
    outcomeReason: null,
    planner: { mode: 'always', state: 'idle', reason: null },
    counts: { pending: 1, active: 1, done: 1, skipped: 1, leaves: 4 },
    ownUsage: usage,
    usage,
    openInbox: 0,
    createdAt: nothing.since,
    updatedAt: nothing.since,
    ...part,
  });

describe('missions as a tree', () => {
  const nodes = [
    nodeOf({ usage: { ...usage, inputTokens: 12_000, outputTokens: 300, costUsd: 0.5 }, openInbox: 2 }),
    nodeOf({ sessionId: 's_2', depth: 1, title: 'Writer', outcome: 'landed', status: 'completed' }),
    nodeOf({
      sessionId: 's_3',
      depth: 2,
      title: 'Quotes',
      status: 'blocked',
      planner: { mode: 'always', state: 'due', reason: null },
    }),
  ];

  it('have a line each: mark and word of the state, progress, planner, questions, spending', () => {
    expect(missionTreeLines(nodes, { ...wide, width: 100 })).toEqual([
      '▶ Export      running   · 1/3 · 2 open in the inbox · 12.3k tokens · $0.50 · s_1',
      '  ✔ Writer    landed    · 1/3 · s_2',
      '    ✗ Quotes  blocked   · 1/3 · planner due · s_3',
    ]);
  });

  it('fit their width', () => {
    for (const line of missionTreeLines([nodeOf({ title: 'A very long title '.repeat(9) }), ...nodes], narrow))
      expect(widthOf(line)).toBeLessThanOrEqual(narrow.width);
  });
});

describe('a revision in words', () => {
  it.each([
    [
      { added: 2, removed: 1, changed: 1, explanation: 'a key is needed' },
      '+2 −1 ~1 — a key is needed',
      '+2 -1 ~1 - a key is needed',
    ],
    [{ added: 0, removed: 0, changed: 0, explanation: null }, '+0 −0', '+0 -0'],
    [{ added: 1, removed: 0, changed: 0, explanation: 'two\nlines\u001b[2J' }, '+1 −0 — two lines', '+1 -0 - two lines'],
  ])('%j', (revision, words, plainWords) => {
    expect(revisionWords(revision, wide.glyphs)).toBe(words);
    expect(revisionWords(revision, ascii.glyphs)).toBe(plainWords);
  });
});

describe('what differs between two versions', () => {
  it('is an item a line, with what changed in it', () => {
    const before = itemOf({ id: 't1', title: 'Read', position: 1, detail: 'slowly' });
    const after = itemOf({ id: 't1', title: 'Read all', position: 2, status: 'done', claimed: true });
    const diff = {
      added: [itemOf({ id: 't3', title: 'Ask' })],
      removed: [itemOf({ id: 't2', title: 'Guess' })],
      changed: [{ id: before.id, before, after }],
    };
    expect(diffLines(diff, { ...wide, width: 200 })).toEqual([
      '+ Ask  (t3)',
      '− Guess  (t2)',
      '~ Read all  (t1)  title: Read → Read all, pending → done (claimed), moved, detail changed',
    ]);
    expect(diffLines({ added: [], removed: [], changed: [] }, wide)).toEqual(['Nothing differs but, perhaps, the goal.']);
  });
});
