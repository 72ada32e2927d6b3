/** The invariants of the domain over random sequences of commands, edits, outcomes, late results and crashes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addItem } from '../../daemon/domain/plan-edit.js';
import type { RunState } from '../../daemon/domain/run-state.js';
import { isOpen, isTerminal, leavesOf, listTree, nextLeaf } from '../../shared/plan-tree.js';
import type { ItemId } from '../../shared/plan.js';
import { freshState, ownerships, Scenario } from './scenario-runner.js';

const ids = ['t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8'];
const id = fc.constantFrom(...ids);

const outcomes = [
  'claim',
  'exits',
  'checks-pass',
  'check-fails "no"',
  'blocks "why"',
  'fails "net"',
  'fails-for-good "401"',
  'command-fails "7"',
  'command-unknown',
  'asks',
  'budget-ends "tokens"',
  'sees-the-change',
];

const line = fc.oneof(
  { weight: 6, arbitrary: fc.constant('begin') },
  { weight: 8, arbitrary: fc.constantFrom(...outcomes) },
  {
    weight: 5,
    arbitrary: fc.constantFrom('start', 'start', 'pause', 'pause now', 'cancel', 'retry "again"', 'answer', 'start reset'),
  },
  { weight: 3, arbitrary: fc.constantFrom('new-owner', 'daemon-dies', 'words', 'words-reach-it') },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom('claim', 'fails', 'asks'), fc.constantFrom('late-r1', 'late-r2')).map((w) => w.join(' ')),
  },
  {
    weight: 5,
    arbitrary: fc.oneof(
      fc.tuple(fc.constantFrom('done', 'skip', 'reopen', 'remove'), id).map((w) => w.join(' ')),
      id.map((under) => `add-under ${under} "New"`),
      fc.constant('add "Task"'),
      fc.tuple(id, fc.string()).map(([at, text]) => `retitle ${at} "x${text.replace(/[^a-z]/g, '')}"`),
    ),
  },
);

function start(ownership: RunState['ownership'] = ownerships.person): RunState {
  return freshState((draft) => {
    const add = (title: string, parentId?: ItemId, more: object = {}): ItemId => {
      const item = addItem(draft, { title, ...(parentId ? { parentId } : {}), ...more }, 'person');
      if (!item.ok) throw new Error(item.error.message);
      return item.value.id;
    };
    const section = add('Section');
    add('One', section, { verify: ['check'] });
    add('Two', section);
    add('Command', undefined, { command: 'make', repeatable: true });
    add('Other', undefined, { command: 'publish' });
  }, ownership);
}

/** What must hold after every step, whatever came before. */
function checkState(state: RunState, before: RunState): void {
  const { plan, checkpoint, run } = state;
  const leaves = [...leavesOf(plan.tree)];
  const active = listTree(plan.tree).filter((item) => item.status === 'active');

  // 1: at most one active leaf, and it is the current one; only leaves are active.
  expect(active.length).toBeLessThanOrEqual(1);
  for (const item of active) {
    expect(leaves.map((leaf) => leaf.id)).toContain(item.id);
    expect(checkpoint.currentItemId).toBe(item.id);
  }
  if (checkpoint.currentItemId !== null) expect(active.map((item) => item.id)).toEqual([checkpoint.currentItemId]);
  if (active.length === 1) expect(nextLeaf(plan.tree)?.id).toBe(active[0]?.id);

  // 3: a section is closed exactly when all its children are.
  for (const task of plan.tree.filter((candidate) => candidate.children.length > 0)) {
    const closed = task.children.every((child) => isTerminal(child.status));
    expect(isTerminal(task.item.status)).toBe(closed);
    if (closed) expect(task.item.status).toBe(task.children.some((child) => child.status === 'done') ? 'done' : 'skipped');
  }

  // 7: versions go up by one, and only when something changed.
  expect(plan.version - before.plan.version).toBe(plan === before.plan ? 0 : 1);

  // 11: completed means at least one item, and all leaves terminal.
  if (checkpoint.status === 'completed') {
    expect(leaves.length).toBeGreaterThan(0);
    expect(leaves.filter((leaf) => isOpen(leaf.status))).toEqual([]);
  }

  // A row says that it runs only while there is a leaf to run; at rest no run is under way.
  if (['running', 'waiting', 'blocked', 'failed'].includes(checkpoint.status)) expect(checkpoint.currentItemId).not.toBeNull();
  const underWay = run !== null && (run.status === 'running' || run.status === 'waiting');
  if (underWay) expect(['running', 'waiting']).toContain(checkpoint.status);
  if (checkpoint.status === 'waiting') expect(run?.status).toBe('waiting');
  if (checkpoint.status === 'blocked' || checkpoint.status === 'failed') expect(checkpoint.lastError).not.toBeNull();
}

/** Edits are refused after an outcome by whoever takes them; the machine itself does not see them. */
const isEdit = (words: string): boolean => /^(planner )?(done|skip|reopen|release|remove|add|add-under|retitle)\b/.test(words);

describe('whatever is done to a plan, in whatever order', () => {
  it('keeps the invariants', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 60 }), (lines) => {
        const scenario = new Scenario(start());
        for (const words of lines) {
          const before = scenario.state;
          const told = scenario.play(words);
          checkState(scenario.state, before);
          // A refusal changes nothing.
          if (told[0]?.startsWith('  refused')) expect(scenario.state).toBe(before);
          // 4: a late result is recorded and changes nothing.
          if (words.includes('late-') && told.includes('  stale')) {
            expect({ ...scenario.state, steering: 0 }).toEqual({ ...before, steering: 0 });
          }
          // 8: blocked never closes an item.
          if (words.startsWith('blocks')) expect(scenario.state.plan).toBe(before.plan);
          // 9: nothing but start undoes a cancel.
          if (before.checkpoint.status === 'cancelled' && !words.startsWith('start')) {
            expect(scenario.state.checkpoint.status).toBe('cancelled');
          }
          // Step and try change neither by a death nor by what follows from it.
          if (words === 'daemon-dies') {
            expect(scenario.state.checkpoint.stepNo).toBe(before.checkpoint.stepNo);
            expect(scenario.state.checkpoint.attempt).toBe(before.checkpoint.attempt);
          }
        }
      }),
      { numRuns: 1_500 },
    );
  });

  it('keeps them in missions, whoever plans, and an outcome is the end of everything', () => {
    const ofMissions = fc.oneof(
      { weight: 5, arbitrary: line },
      { weight: 1, arbitrary: fc.constantFrom('due', 'finish landed "all"', 'finish derailed "no"', 'finish stuck "wall"') },
      {
        weight: 3,
        arbitrary: fc.oneof(
          fc.tuple(fc.constantFrom('skip', 'remove', 'release'), id).map(([word, at]) => `planner ${word} ${at}`),
          fc.constant('planner add "Planned"'),
          id.map((at) => `self-claims ${at}`),
        ),
      },
    );
    const owner = fc.constantFrom(ownerships.planned, ownerships.alone, ownerships.solo);
    fc.assert(
      fc.property(owner, fc.array(ofMissions, { minLength: 1, maxLength: 60 }), (ownership, lines) => {
        const scenario = new Scenario(start(ownership));
        for (const words of ['due', ...lines]) {
          const before = scenario.state;
          const told = scenario.play(words);
          const { state } = scenario;
          checkState(state, before);
          if (told[0]?.startsWith('  refused')) expect(state).toBe(before);
          // The first open leaf that appears starts the run, unless its model works by itself.
          const open = [...leavesOf(state.plan.tree)].some((leaf) => isOpen(leaf.status));
          if (state.checkpoint.status === 'idle' && state.outcome === null && !ownership.isSolo) expect(open).toBe(false);
          if (before.outcome !== null) expect(state.outcome).toBe(before.outcome);
          if (before.outcome === null && state.outcome === 'landed') expect(open).toBe(false);
          // Behind an outcome nothing is under way.
          if (state.outcome !== null) expect(['idle', 'completed', 'cancelled']).toContain(state.checkpoint.status);
          if (before.outcome !== null && !isEdit(words)) expect(state.plan).toBe(before.plan);
        }
      }),
      { numRuns: 1_500 },
    );
  });

  it('always comes to its end when every leaf is claimed and every question answered', () => {
    fc.assert(
      fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
        const scenario = new Scenario(start());
        for (const words of lines) scenario.play(words);
        scenario.play('words-reach-it');
        for (let steps = 0; steps < 200 && nextLeaf(scenario.state.plan.tree) !== null; steps++) {
          const { status } = scenario.state.checkpoint;
          const { run } = scenario.state;
          if (status === 'waiting') scenario.play('answer');
          else if (status !== 'running') scenario.play('start');
          else if (run === null || run.status !== 'running') scenario.play('begin');
          else if (run.epoch !== scenario.state.checkpoint.epoch) scenario.play('daemon-dies');
          else {
            scenario.play('sees-the-change');
            scenario.play(run.claim === null ? 'claim' : 'checks-pass');
          }
        }
        expect(nextLeaf(scenario.state.plan.tree)).toBeNull();
      }),
      { numRuns: 500 },
    );
  });
});
