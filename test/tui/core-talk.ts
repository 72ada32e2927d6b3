/** A person at the pure core, and the simulated daemon that answers: what goes out waits until it is settled. */
import type { PlanDraft } from '../../daemon/domain/plan-draft.js';
import type { MethodName } from '../../shared/contract.js';
import type { Result } from '../../shared/errors.js';
import type { Item, ItemId } from '../../shared/plan.js';
import type { Call, Msg, Refused } from '../../tui/core/message.js';
import { type Begin, changesSomething, daemonOf, newPerson, type Person } from './core-support.js';
import { simulateDaemon, type SimulatedDaemon, type SimulatedParts } from './simulated-daemon.js';
import { itemOf } from './tui-support.js';

export interface Talk {
  readonly person: Person;
  readonly daemon: SimulatedDaemon;
  /** The daemon answers all that was asked, and what is asked because of it; gives the methods that change something. */
  settle(telling?: 'after' | 'before'): MethodName[];
  /** Calls that were made and not answered yet. */
  open(): readonly Call[];
  /** What waits is refused. */
  refuse(error: Partial<Refused>): void;
  /** Another client changes the plan. */
  meanwhile(edit: (draft: PlanDraft) => Result<unknown>): void;
  /** The person comes back from their editor, which was given `base`. */
  writeDetail(itemId: ItemId, base: string, text: string): void;
  /** The connection goes, and what was asked goes with it. */
  lose(): void;
  /** It is back; what is asked for then is not answered yet. */
  comeBack(): void;
}

export const connectionLost: Refused = { kind: 'connection_lost', message: 'gone', hint: null, currentVersion: null };

export function openTalk(items: readonly Item[] = threeTasks, begin: Begin & SimulatedParts = {}): Talk {
  const person = newPerson(begin);
  const daemon = simulateDaemon(items, begin);
  let waiting: Call[] = [];
  const collect = (): readonly Call[] => {
    waiting = [...waiting, ...person.calls()];
    return waiting;
  };
  const next = (): Call | undefined => {
    collect();
    return waiting.shift();
  };
  const talk: Talk = {
    person,
    daemon,
    open: collect,
    settle(telling = 'after') {
      const methods: MethodName[] = [];
      for (let call = next(); call !== undefined; call = next()) {
        if (changesSomething(call)) methods.push(call.method);
        person.take(...daemon.answer(call, telling));
      }
      return methods;
    },
    refuse(error) {
      const refused = collect();
      waiting = [];
      const told: Refused = { kind: 'invalid_state', message: 'No.', hint: null, currentVersion: null, ...error };
      person.take(...refused.map((call): Msg => ({ type: 'refused', call, error: told })));
    },
    meanwhile: (edit) => person.take(...daemon.edit(edit)),
    writeDetail: (itemId, base, text) =>
      person.take({ type: 'textEdited', sessionId: person.session.session.id, itemId, base, text }),
    lose() {
      person.take({ type: 'lost', reason: 'the socket closed' });
      talk.refuse(connectionLost);
      person.wanted();
    },
    comeBack: () => person.take({ type: 'connected', daemon: daemonOf() }),
  };
  person.take({ type: 'connected', daemon: daemonOf() });
  talk.settle();
  return talk;
}

/** 1 Read, 2 Write with 2.1 Quote and 2.2 Stream, 3 Test. */
export const threeTasks: readonly Item[] = [
  itemOf({ id: 't1', position: 1, title: 'Read' }),
  itemOf({ id: 't2', position: 2, title: 'Write' }),
  itemOf({ id: 't3', parentId: 't2', position: 1, title: 'Quote' }),
  itemOf({ id: 't4', parentId: 't2', position: 2, title: 'Stream' }),
  itemOf({ id: 't5', position: 3, title: 'Test' }),
];
