/** The states of the golden screens, by name. Each is reached as a person would reach it. */
import type { Item } from '../../shared/plan.js';
import { type Begin, daemonOf, newPerson, now, type Person } from './core-support.js';
import * as missions from './screen-missions.js';
import * as samples from './screen-samples.js';
import { idle, type Scene, stage, type Staged, streamWork } from './screen-script.js';
import { itemOf } from './tui-support.js';

export type Reach = (begin: Begin) => Person;

/** A session, and what happens in it. */
const inSession =
  (scene: Scene, happens: (staged: Staged) => void = () => undefined): Reach =>
  (begin) => {
    const staged = stage(begin, scene);
    happens(staged);
    return staged.person;
  };

/** Keys, and between two groups of them what is asked for comes. */
const press =
  (...groups: readonly string[]) =>
  ({ person, settle }: Staged): void => {
    for (const names of groups) {
      person.press(names);
      settle();
    }
  };

const atStart =
  (happens: (person: Person) => void): Reach =>
  (begin) => {
    const person = newPerson(begin);
    happens(person);
    return person;
  };

const noSession = (person: Person, hasModel: boolean): void => {
  person.take({ type: 'connected', daemon: daemonOf(hasModel ? {} : { provider: null }) });
  for (const call of person.calls())
    person.take({
      type: 'answered',
      method: 'session.list',
      params: {},
      purpose: call.purpose,
      result: { sessions: [], nextCursor: null },
    });
};

const withoutWork = { run: null, liveness: idle('idle'), planRun: samples.idlePlan } satisfies Scene;
const blocked = { planRun: samples.stopped('blocked', samples.why), liveness: idle(`blocked: ${samples.why}`) } satisfies Scene;
const changedDetail = (item: Item): Item => ({ ...item, detail: 'Row by row.\nWith a temporary file after all.' });
const running = samples.plan.find(({ id }) => id === 't4') ?? itemOf({ id: 't4' });

export const states: Readonly<Record<string, Reach>> = {
  'conversation-at-its-end': inSession({}, (at) => {
    streamWork(at);
    at.person.press('Tab');
  }),
  'conversation-scrolled-up': inSession({}, (at) => {
    streamWork(at);
    at.person.press('Tab k k k k k k k k k k k k k k k Enter');
  }),
  'conversation-ended': inSession({}, (at) => {
    streamWork(at);
    at.tell({ run: { ...samples.working, status: 'blocked', error: samples.why, finishedAt: '2026-03-01T10:00:41.000Z' } });
    at.tell({ planRun: samples.stopped('blocked', samples.why), liveness: idle('blocked') });
    at.settle();
    at.person.press('Tab');
  }),
  'conversation-empty': inSession({ ...withoutWork, hasModel: false }, press('Tab')),

  'plan-running': inSession({}, (at) => {
    at.tell({ run: { ...samples.working, usage: { ...samples.working.usage, turns: 3 } } });
    at.settle();
    at.person.press('j j j h .');
  }),
  'plan-pausing': inSession({ planRun: { ...samples.stopped('pausing', null), currentItemId: running.id } }),
  'plan-blocked': inSession(blocked),
  'plan-failed': inSession({
    planRun: samples.stopped('failed', 'the provider gave no answer: 503 overloaded'),
    liveness: idle('failed'),
  }),
  'plan-paused': inSession({
    planRun: { ...samples.stopped('paused', null), currentItemId: running.id },
    liveness: { state: 'interrupted', cause: 'paused', lastProgressAt: null },
  }),
  'plan-waiting': inSession(
    {
      planRun: { ...samples.stopped('waiting', null), currentItemId: running.id },
      liveness: { state: 'waiting', cause: samples.approval.title, lastProgressAt: null },
    },
    (at) => at.tell({ inbox: [samples.approval] }),
  ),
  'plan-completed': inSession({
    ...withoutWork,
    items: samples.plan.map((item) =>
      item.status === 'skipped' ? item : { ...item, status: 'done', claimed: true, accepted: item.id !== 't5' },
    ),
    planRun: samples.stopped('completed', null),
    liveness: idle('completed'),
  }),
  'plan-foreign-titles': inSession({ ...withoutWork, items: samples.foreignTitles }),
  'plan-search': inSession({}, ({ person }) => {
    person.press('/');
    person.write('write');
  }),
  'plan-empty': inSession({ ...withoutWork, items: [], session: { goal: '', title: 'export' } }),

  'mission-planning': inSession(missions.mission(), missions.streamPlanner),
  'mission-planning-heard': inSession(missions.mission(), (at) => {
    missions.streamPlanner(at);
    at.person.press('Tab');
  }),
  'mission-revised': inSession(missions.mission(), (at) => {
    missions.streamPlanner(at);
    at.tell({ fromVersion: 7, items: [itemOf({ id: 't11', position: 6, title: 'Measure the memory' })] });
    at.tell({ fromVersion: 8, items: [], removed: [running.id] });
    at.settle();
    at.person.press('Tab');
  }),
  'mission-held': inSession(
    missions.mission({
      planner: { mode: 'always', state: 'held', reason: `budget used up: 5 turns. ${'Raise it. '.repeat(30)}` },
    }),
  ),
  'mission-landed': inSession(missions.finished('landed', 'Every item of the plan is done or skipped.')),
  'mission-stuck': inSession(
    missions.finished('stuck', 'The planner changed nothing 3 times in a row.\nblocked at 2.2: Stream rows'),
  ),
  'draft-plan': inSession({ ...withoutWork, items: [] }, press('m')),
  'draft-a-change': inSession({}, ({ person }) => {
    person.press('m');
    person.write('Measure before you stream.');
  }),

  'line-of-several-rows': inSession({}, ({ person }) => {
    person.press('Tab Tab');
    person.write('Please keep the order of the columns as it is in the table, and');
    person.press('Alt-Enter');
    person.write('1. quote 引用 all of it');
    person.press('Alt-Enter');
    person.write('2. end lines with CRLF');
  }),
  'line-history': inSession({}, (at) => {
    at.person.press('Tab Tab');
    at.person.write('Use commas.');
    at.person.press('Enter');
    at.person.write('And no quotes.');
    at.person.press('Enter Up Up');
  }),

  'status-budget-near-its-end': inSession({ session: { budget: { tokens: 200_000, costUsd: 0.5, turns: 10 } } }),
  'status-connection-lost': inSession({}, ({ person }) => {
    person.take({ type: 'lost', reason: 'the socket closed' });
    person.take({ type: 'notConnected', reason: 'No daemon answers.', otherProtocol: false });
    person.take({ type: 'notConnected', reason: 'No daemon answers.', otherProtocol: false });
    person.take({ type: 'notConnected', reason: 'No daemon answers.', otherProtocol: false });
  }),
  'status-other-protocol': inSession({}, ({ person }) => {
    person.take({ type: 'lost', reason: 'the socket closed' });
    person.take({
      type: 'notConnected',
      reason: 'The daemon speaks protocol 2, this client 1.\nStart cairn anew to use it.',
      otherProtocol: true,
    });
  }),

  'edit-title': inSession({}, ({ person }) => {
    person.press('e');
    person.write(', one by one');
  }),
  'edit-title-met-another': inSession({}, (at) => {
    at.person.press('e');
    at.person.write(', one by one');
    at.tell({ fromVersion: 7, items: [{ ...running, title: 'Stream rows with a cursor' }] });
    at.person.press('Enter');
  }),
  'edit-goal': inSession({}, (at) => {
    at.person.press('g');
    at.person.write(' of the year');
    at.tell({ session: samples.session({ goal: 'Ship the export and the import' }) });
    at.person.press('Enter');
  }),
  'adding-a-subtask': inSession({}, ({ person }) => {
    person.press('A');
    person.write('Write the header row');
  }),
  guidance: inSession(blocked, ({ person }) => {
    person.press('R');
    person.write('Raise the limit to 250 MB.');
  }),

  'popup-cancel-run': inSession({}, press('c')),
  'popup-cancel-plan': inSession({}, press('C')),
  'popup-remove': inSession({}, press('h x')),
  'popup-conflict': inSession({}, (at) => {
    at.person.press('E');
    at.tell({ fromVersion: 7, items: [changedDetail(running)] });
    const base = running.detail ?? '';
    const sessionId = at.person.session.session.id;
    at.person.take({ type: 'textEdited', sessionId, itemId: running.id, base, text: 'One row at a time.\nNo file at all.' });
  }),
  'popup-explain': inSession({ ...blocked }, press('r')),
  'popup-menu': inSession({}, press('Enter j')),
  'popup-detail': inSession(blocked, press('Space')),
  'popup-receipts': inSession({}, press('v')),
  'popup-effects': inSession({}, press('Space Right Right')),
  'popup-runs': inSession({}, press('Space Right Right Right')),
  'popup-changes': inSession({}, press('D')),
  'popup-inbox-approval': inSession({ inbox: [samples.blocker, samples.approval] }, press('i')),
  'popup-inbox-question': inSession({ inbox: [samples.question] }, (at) => {
    at.person.press('i');
    at.person.write('semicolon, as before');
  }),
  'popup-inbox-blocker': inSession({ ...blocked, inbox: [samples.blocker] }, press('i')),
  'popup-inbox-news': inSession({ ...missions.mission(), inbox: [missions.landed, missions.revised] }, press('i')),
  'popup-inbox-empty': inSession({}, press('i')),
  'popup-sessions': inSession({}, (at) => {
    press('S')(at);
    at.person.press('Down');
  }),
  'popup-sessions-search': inSession({}, (at) => {
    press('S')(at);
    at.person.write('login');
  }),
  'popup-revisions': inSession(missions.mission(), press('H', 'j')),
  'popup-revision': inSession(missions.mission(), press('H', 'Enter')),
  'popup-go-back': inSession(missions.mission(), press('H', 'j r')),
  'popup-missions': inSession(missions.mission({ parentId: 's_0' as never }), press('M', 'j')),
  'popup-report': inSession(missions.mission(), press('w')),
  'popup-report-at-its-end': inSession(missions.mission(), press('w', 'End')),
  'popup-help': inSession({}, press('?')),
  'popup-help-at-its-end': inSession({}, press('? End')),

  'start-with-a-model': atStart((person) => noSession(person, true)),
  'start-with-a-local-server': atStart((person) => {
    noSession(person, false);
    const servers = [{ name: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b'] }];
    person.take({ type: 'serversFound', servers });
  }),
  'start-without-a-model': atStart((person) => {
    noSession(person, false);
    person.take({ type: 'serversFound', servers: [] });
  }),
  'start-new-plan': atStart((person) => {
    noSession(person, true);
    person.press('n');
    person.write('Ship the import as well');
  }),
  'start-no-daemon': atStart((person) => {
    const reason = 'The daemon did not start: port 7420 is in use by another program.\nSee ~/.cairn/daemon.log.';
    person.take({ type: 'notConnected', reason, otherProtocol: false }, { type: 'ticked', now });
  }),
  'start-other-protocol': atStart((person) => {
    const reason = 'The daemon speaks protocol 2, this client 1.\nStart cairn anew to use it.';
    person.take({ type: 'notConnected', reason, otherProtocol: true });
  }),
};

/** Those that are told in ASCII as well. */
export const inAscii = [
  'conversation-at-its-end',
  'plan-running',
  'plan-blocked',
  'edit-title',
  'popup-remove',
  'popup-menu',
  'popup-detail',
  'mission-planning',
  'popup-revisions',
  'popup-missions',
  'popup-report',
];
