import { describe, expect, it } from 'vitest';
import type { PlannerState } from '../../shared/mission.js';
import type { RunId } from '../../shared/run.js';
import type { Call } from '../../tui/core/message.js';
import { answerTo, newPerson, sizeOf, daemonOf, type Person } from './core-support.js';
import { openTalk, threeTasks } from './core-talk.js';
import * as missions from './screen-missions.js';
import * as samples from './screen-samples.js';
import { type Scene, stage, type Staged, snapshotOfScene } from './screen-script.js';

const wide = sizeOf(132, 43);
const head = ({ screen }: Person): string => screen()[2]?.split('│').at(-1)?.trim() ?? '';

describe('the head of the plan', () => {
  it.each<[PlannerState, string]>([
    [{ mode: 'always', state: 'idle', reason: null }, '· planner: idle'],
    [{ mode: 'always', state: 'due', reason: null }, '○ planner: due'],
    [{ mode: 'always', state: 'running', reason: null }, '▶ planner: working'],
    [{ mode: 'always', state: 'waiting', reason: null }, '? planner: waits for you'],
    [{ mode: 'on_blocked', state: 'held', reason: 'the plan is\npaused' }, '= planner: held: the plan is paused'],
  ])('says what the planner does: %o', (planner, words) => {
    expect(head(stage({ size: wide }, missions.mission({ planner })).person)).toBe(words);
  });

  it.each([
    ['landed', 'All done.', '✔ landed: All done.'],
    ['derailed', 'The disk is gone.', '✗ derailed: The disk is gone.'],
    ['stuck', 'Nobody \u001b[31mknows.', '⊘ stuck: Nobody knows.'],
  ] as const)('says how the mission has ended: %s', (outcome, reason, words) => {
    expect(head(stage({ size: wide }, missions.finished(outcome, reason)).person)).toBe(words);
  });

  it('is not there where nobody plans, and takes no row then', () => {
    const { person } = stage({ size: wide }, {});
    expect(head(person)).toContain('Read the current exporter');
  });

  it('says what was last known while no daemon answers', () => {
    const { person } = stage({ size: wide }, missions.mission({ planner: { mode: 'always', state: 'due', reason: null } }));
    person.take({ type: 'lost', reason: 'gone' });
    expect(head(person)).toBe('○ planner, last known: due');
  });

  it('leaves the plan its rows, and what stands in it can be clicked', () => {
    for (const size of [sizeOf(40, 12), sizeOf(80, 24), sizeOf(16, 6)]) {
      const reason = 'Raise the budget. '.repeat(40);
      const { person } = stage({ size }, missions.mission({ planner: { mode: 'always', state: 'held', reason } }));
      expect(person.text(), `${size.columns}`).toContain('2.2');
    }
    const { person } = stage({ size: sizeOf(80, 24) }, missions.mission());
    person.click('4.2 Write the help');
    expect(person.cursor).toBe('t9');
    person.click('planner: idle');
    expect(person.state.popup?.kind).toBe('missions');
  });
});

describe('what the planner says', () => {
  const working = (): Staged => {
    const staged = stage({ size: wide }, missions.mission());
    missions.streamPlanner(staged);
    return staged;
  };
  /** The heads of runs, each with what stands below it. */
  const told = ({ person }: Staged): string[] => {
    const all: string[] = [];
    for (const block of person.session.conversation.blocks) {
      if (block.kind === 'run') all.push(block.head);
      else all.push(`${all.pop() ?? ''} | ${[block.head, ...block.lines].filter((text) => text !== '').join(' ')}`);
    }
    return all.slice(-4);
  };

  it('stands under its own head, and what the item says under that of the item', () => {
    expect(told(working())).toEqual([
      expect.stringMatching(/^2\.2 Stream rows, try 2 .*The rows are collected before they are written\.$/),
      'Planner | The memory is the wall. I put a measurement before the rest. | mission_plan',
      '2.2 Stream rows, try 2 | shell sed -n 1,80p src/rows.ts export function rows() {',
      'Planner | The plan says now what is to be measured.',
    ]);
  });

  it('is never taken for what runs', () => {
    const { person } = working();
    expect(person.session.run?.id).toBe(samples.working.id);
    expect(person.text()).toContain('running · step 4 · try 2');
    // A snapshot may tell of the planner's run as the newest one.
    const fresh = stage({ size: wide }, { ...missions.mission(), run: missions.planning });
    expect(fresh.person.session.run).toBeNull();
  });

  it('is known to be its own even when its run was not told of before', () => {
    const staged = stage({ size: wide }, missions.mission({ planner: { mode: 'always', state: 'running', reason: null } }));
    const output = { sessionId: 's_1' as never, runId: 'r_77' as RunId, itemId: null, stream: 'text', text: 'Hm.\n' } as const;
    staged.person.take({ type: 'output', output });
    expect(told(staged).at(-1)).toBe('Planner | Hm.');
  });

  it('is read where nothing of it was heard: this turn of it, not those before', () => {
    const say = (content: string, at: string, kind: 'notice' | 'assistant' = 'assistant') =>
      ({ kind, role: kind === 'notice' ? 'user' : 'assistant', content, at }) as const;
    const { startedAt } = missions.planning;
    const finishedAt = '2026-03-01T10:00:40.000Z';
    const messages = [
      say('The first turn.', '2026-03-01T09:00:00.000Z'),
      say('The one before, in the same breath.', startedAt),
      say('Blocked: 2.2', startedAt, 'notice'),
      {
        ...say('I measure first.', finishedAt),
        toolCalls: [{ id: 'c', name: 'mission_plan', arguments: '{"entries":[],"explanation":"It is slow."}' }],
      },
      say('A later turn.', '2026-03-01T10:00:41.000Z'),
    ];
    const answers: NonNullable<Scene['answers']> = (call: Call) =>
      call.method === 'run.transcript' && call.params.runId === missions.planning.id
        ? answerTo(call, 'run.transcript', { messages: [...messages] })
        : null;
    const staged = stage({ size: wide }, { ...missions.mission(), answers });
    staged.tell({ run: { ...missions.planning, status: 'completed', finishedAt } });
    staged.settle();
    expect(told(staged).at(-1)).toBe(
      'Planner | what the model was told Blocked: 2.2 | I measure first. | mission_plan It is slow.',
    );
  });
});

describe('the missions', () => {
  const open = (size = wide): Staged => {
    const staged = stage({ size }, missions.mission({ parentId: 's_0' as never }));
    staged.person.press('M');
    return staged;
  };

  it('are told from the topmost one that is known', () => {
    const { person } = open();
    const [first] = person.calls();
    expect(first).toMatchObject({ method: 'mission.tree', params: { sessionId: 's_1' } });
    if (first?.type !== 'call') throw new Error('nothing was asked');
    person.take(answerTo(first, 'mission.tree', { nodes: missions.nodes.slice(1, 4) }));
    expect(person.text()).not.toContain('Release 2.0');
    const [above] = person.calls();
    expect(above).toMatchObject({ method: 'mission.tree', params: { sessionId: 's_0' } });
    if (above?.type !== 'call') throw new Error('nothing was asked');
    person.take(answerTo(above, 'mission.tree', { nodes: [...missions.nodes] }));
    expect(person.calls()).toEqual([]);
    for (const words of [
      'running   Release 2.0',
      '2 in the inbox  $3.27  3/8',
      'planning  Measure it',
      'landed    Fix the login',
    ])
      expect(person.text()).toContain(words);
  });

  it('stay as they were read when the one above cannot be', () => {
    const { person } = open();
    const [first] = person.calls();
    if (first?.type !== 'call') throw new Error('nothing was asked');
    person.take(answerTo(first, 'mission.tree', { nodes: missions.nodes.slice(1, 4) }));
    const [above] = person.calls();
    if (above?.type !== 'call') throw new Error('nothing was asked');
    const error = { kind: 'not_found', message: 'There is no session s_0.', hint: null, currentVersion: null } as const;
    person.take({ type: 'refused', call: above, error });
    expect(person.text()).toContain('Measure it');
    expect(person.text()).toContain('There is no session s_0.');
  });

  it('begin at the one that is shown; Enter goes to another, a second click as well', () => {
    const staged = open();
    staged.settle();
    staged.person.press('j');
    expect(staged.person.text()).toContain('planner held: budget used up: 5 turns.');
    expect(staged.person.text()).toContain('check failed: `npm test -- docs` gave 1');
    staged.person.press('Enter');
    expect(staged.person.calls()).toMatchObject([
      { method: 'session.unwatch', params: { sessionId: 's_1' } },
      { method: 'session.watch', params: { sessionId: 's_5' } },
    ]);
    const other = open();
    other.settle();
    other.person.click('Fix the login');
    expect(other.person.calls()).toEqual([]);
    other.person.click('landed    Fix the login');
    expect(other.person.calls()).toMatchObject([{ method: 'session.unwatch' }, { params: { sessionId: 's_7' } }]);
  });

  it('are read anew while one looks, and the cursor stays on its own', () => {
    const staged = open();
    staged.settle();
    staged.person.press('j');
    const later = (seconds: number): void => {
      staged.person.take({ type: 'ticked', now: staged.person.state.now + seconds * 1_000 });
    };
    later(1);
    expect(staged.person.calls().filter(({ method }) => method === 'mission.tree')).toEqual([]);
    later(3);
    expect(staged.person.calls().filter(({ method }) => method === 'mission.tree')).toMatchObject([
      { params: { sessionId: 's_0' } },
    ]);
    expect(staged.person.text()).toContain('planner held');
  });

  it('say all of it at 40 by 12', () => {
    const staged = open(sizeOf(40, 12));
    staged.settle();
    staged.person.press('End');
    expect(staged.person.text()).toContain('derailed Move the');
    expect(staged.person.text()).toMatch(/the disk .*of the archive is gone\./s);
  });
});

describe('the report', () => {
  it('is of this session and what stands below it, or of all', () => {
    const staged = stage({ size: wide }, missions.mission());
    staged.person.press('w');
    const [asked] = staged.person.calls();
    expect(asked).toMatchObject({ method: 'report.summary', params: { sessionId: 's_1' } });
    expect(staged.person.text()).toContain('Reading.');
    staged.person.press('Tab');
    const [all] = staged.person.calls();
    expect(all).toMatchObject({ method: 'report.summary', params: {} });
    // What was asked first is answered late.
    if (asked?.type === 'call') staged.person.take(answerTo(asked, 'report.summary', { ...missions.summary, needsPerson: [] }));
    expect(staged.person.text()).toContain('Reading.');
    if (all?.type === 'call') staged.person.take(answerTo(all, 'report.summary', missions.summary));
    for (const words of ['Needs you (2)', 'Standing still (1)', 'Accepted: every check passed (2)', 'Only claimed', '$3.27'])
      expect(staged.person.text()).toContain(words);
  });

  it('leads to the inbox', () => {
    for (const how of [(person: Person) => person.press('i'), (person: Person) => person.click('i inbox')]) {
      const staged = stage({ size: wide }, { ...missions.mission(), inbox: [samples.question] });
      staged.person.press('w');
      staged.settle();
      how(staged.person);
      expect(staged.person.text()).toContain('Which separator does the customer want?');
      expect(staged.person.state.popup?.kind).toBe('inbox');
    }
  });

  it('of a day on which nothing happened says so', () => {
    const talk = openTalk(threeTasks);
    talk.person.press('w');
    talk.settle();
    expect(talk.person.text()).toContain('0 accepted, 0 only claimed. Nothing was spent.');
    const other = openTalk(threeTasks);
    other.person.press('w');
    other.refuse({ message: 'The store is busy.' });
    expect(other.person.text()).toContain('The store is busy.');
  });

  it('can be read to its end at 40 by 12', () => {
    const staged = stage({ size: sizeOf(40, 12) }, missions.mission());
    staged.person.press('w');
    staged.settle();
    let seen = '';
    for (let page = 0; page < 12; page += 1) {
      seen += staged.person.text();
      staged.person.press('PgDn');
    }
    for (const words of ['Needs you', 'Ended', 'Renew the certificate', 'Under way']) expect(seen).toContain(words);
  });
});

describe('drafting the plan', () => {
  const empty = (begin: Parameters<typeof openTalk>[1] = {}) => openTalk([], { size: sizeOf(80, 24), ...begin });

  it('is offered where the plan is empty, and takes the goal when nothing is said', () => {
    const talk = empty();
    expect(talk.person.text()).toContain('m        have the planner draft it');
    expect(talk.person.text()).toContain('m draft the plan');
    talk.person.press('m');
    expect(talk.person.text()).toContain('Enter takes the goal');
    talk.person.press('Enter');
    expect(talk.open()).toMatchObject([{ method: 'plan.draft', params: { sessionId: 's_1', idempotencyKey: 'c-1' } }]);
    expect(talk.open()[0]?.params).not.toHaveProperty('text');
    talk.settle();
    expect(talk.person.state.prompt).toBeNull();
    expect(talk.person.state.notice?.text).toContain('The planner has it');
  });

  it('takes the words that stand in the line, and empties it once they have arrived', () => {
    const talk = empty();
    talk.person.press('Tab Tab');
    talk.person.write('Only the CSV part');
    talk.person.press('Esc m Enter');
    expect(talk.open()).toMatchObject([{ method: 'plan.draft', params: { text: 'Only the CSV part' } }]);
    expect(talk.person.state.chat.editor.text).toBe('Only the CSV part');
    talk.settle();
    expect(talk.person.state.chat.editor.text).toBe('');
    expect(talk.person.state.chat.history).toEqual(['Only the CSV part']);
  });

  it('asks what it is for when there is no goal, and what is to change when there is a plan', () => {
    const talk = empty({ session: { goal: '' } });
    talk.person.press('m Enter');
    expect(talk.open()).toEqual([]);
    expect(talk.person.text()).toContain('there is no goal yet');
    const planned = openTalk(threeTasks);
    planned.person.press('m Enter');
    expect(planned.open()).toEqual([]);
    expect(planned.person.text()).toContain('Say what is to change in the plan.');
    planned.person.write('Split the second task');
    planned.person.press('Enter');
    expect(planned.settle()).toEqual(['plan.draft']);
  });

  it('keeps the words that were refused, and sends those again as the same that may have arrived', () => {
    const talk = empty();
    talk.person.press('m');
    talk.person.write('CSV');
    talk.person.press('Enter');
    const [first] = talk.open();
    talk.refuse({ kind: 'connection_lost', message: 'gone' });
    talk.person.press('Enter');
    expect(talk.open()).toEqual([first]);
    talk.refuse({ kind: 'no_model', message: 'No model is configured.' });
    expect(talk.person.text()).toContain('No model is configured.');
    expect(talk.person.text()).toContain('› CSV');
  });

  it('is not offered where there is no model, or where the mission has ended', () => {
    const person = newPerson({ size: sizeOf(80, 24) });
    person.take({ type: 'connected', daemon: daemonOf({ provider: null }) });
    const [list] = person.calls();
    const scene = { items: [], run: null } satisfies Scene;
    if (list?.type !== 'call') throw new Error('nothing was asked');
    person.take(answerTo(list, 'session.list', { sessions: [snapshotOfScene(scene).session], nextCursor: null }));
    const [watch] = person.calls();
    if (watch?.type !== 'call') throw new Error('nothing was asked');
    person.take(answerTo(watch, 'session.watch', snapshotOfScene(scene)));
    expect(person.text()).not.toContain('have the planner draft it');
    person.press('m');
    expect(person.state.notice?.text).toContain('There is no model');
    const ended = stage({ size: wide }, missions.finished('landed', 'Done.')).person;
    ended.press('m');
    expect(ended.state.notice?.text).toContain('The mission has ended: landed');
  });
});
