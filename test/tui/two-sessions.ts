/** A second session beside the one of a talk. Its items have the same ids: they are the same in every plan. */
import type { MethodName } from '../../shared/contract.js';
import type { SessionId } from '../../shared/plan.js';
import type { Session, Snapshot } from '../../shared/session.js';
import type { Call, Cmd, Refused } from '../../tui/core/message.js';
import { answerTo, changesSomething, type Person } from './core-support.js';
import type { Talk } from './core-talk.js';
import { itemOf, planRunOf, snapshotOf } from './tui-support.js';

const otherId = 's_2' as SessionId;

/** 1 Reproduce, 2 Mend. */
export const other: Snapshot = snapshotOther();

function snapshotOther(): Snapshot {
  const items = [itemOf({ id: 't1', position: 1, title: 'Reproduce' }), itemOf({ id: 't2', position: 2, title: 'Mend' })];
  const base = snapshotOf(items, { planRun: planRunOf({ status: 'idle', currentItemId: null, stepNo: 0, attempt: 0 }) });
  const session: Session = { ...base.session, id: otherId, title: 'Login', goal: 'Let people log in again' };
  return { ...base, session, planRun: { ...base.planRun, sessionId: otherId }, liveness: { ...base.liveness, state: 'idle' } };
}

/** Opens the list of sessions, and has it read. Gives what else was asked until then: it is not answered. */
export function listSessions({ person, daemon }: Talk): readonly Call[] {
  const waiting = person.calls();
  person.press('S');
  const sessions = [daemon.snapshot().session, other.session];
  for (const call of person.calls()) person.take(answerTo(call, 'session.list', { sessions, nextCursor: null }));
  return waiting;
}

/** Goes to the other session, which is then shown. Gives what was asked for the first one and is not answered yet. */
export function goToOther(talk: Talk): readonly Call[] {
  const waiting = listSessions(talk);
  talk.person.press('Down Enter');
  const watch = callIn(talk.person.calls(), 'session.watch');
  talk.person.take(answerTo(watch, 'session.watch', other));
  const runs = callIn(talk.person.calls(), 'run.list');
  talk.person.take(answerTo(runs, 'run.list', { runs: [], nextCursor: null }));
  if (talk.person.session.session.id !== otherId) throw new Error('the other session is not shown');
  return waiting;
}

export const callIn = (calls: readonly Cmd[], method: MethodName): Call => {
  const found = calls.find((cmd): cmd is Call => cmd.type === 'call' && cmd.method === method);
  if (found === undefined) throw new Error(`${method} was not asked`);
  return found;
};

/** The methods that change something, of what was asked since the last time. */
export const changesOf = (person: Person): MethodName[] =>
  person
    .wanted()
    .filter(changesSomething)
    .map(({ method }) => method);

/** What the daemon answers to one call, and tells because of it. */
export const answerOne = ({ person, daemon }: Talk, call: Call): void => person.take(...daemon.answer(call));

export const refuseOne = ({ person }: Talk, call: Call, error: Partial<Refused> = {}): void =>
  person.take({
    type: 'refused',
    call,
    error: { kind: 'invalid_state', message: 'No.', hint: null, currentVersion: null, ...error },
  });

/** Texts that are put into a file. */
export const keptTexts = (cmds: readonly Cmd[]): string[] => cmds.flatMap((cmd) => (cmd.type === 'keepText' ? [cmd.text] : []));
