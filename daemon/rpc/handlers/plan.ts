/** `plan.*`: reading it, and the edits of a person. */
import { refuse, type Result, unwrap } from '../../../shared/errors.js';
import type { Item, ListedItem, SessionId } from '../../../shared/plan.js';
import type { RunId } from '../../../shared/run.js';
import { countLeaves, itemAt, listItem, listTree } from '../../../shared/plan-tree.js';
import type { PlanDraft } from '../../domain/plan-draft.js';
import { addItem, clear, moveItem, removeItem, setGoal, setStatus, updateItem } from '../../domain/plan-edit.js';
import { placesOf, type Plan } from '../../domain/plan.js';
import { cleanText } from '../../domain/plan-text.js';
import { revise } from '../../domain/plan-revise.js';
import { checkAtRest } from '../../domain/run-control.js';
import type { RunState } from '../../domain/run-state.js';
import { notFound, type EditAnswer, type SessionCommands } from '../../runner/commands.js';
import type { Queries } from '../../store/queries.js';
import type { Once } from '../../store/store.js';
import type { Handlers } from '../handlers.js';
import { carryOutOnce } from '../once.js';
import { toMutation } from '../wire.js';

type Methods = Exclude<
  Extract<keyof Handlers, `plan.${string}`>,
  'plan.history' | 'plan.diff' | 'plan.revert' | 'plan.import' | 'plan.export'
>;

interface EditParams {
  readonly sessionId: SessionId;
  readonly expectedVersion?: number | undefined;
}

export function planHandlers(store: Queries, commands: SessionCommands): Pick<Handlers, Methods> {
  async function edit<T>(
    { sessionId, expectedVersion }: EditParams,
    apply: (draft: PlanDraft, state: RunState) => Result<T>,
    more: { once?: Once | null; explanation?: string | null } = {},
  ): Promise<EditAnswer<T>> {
    const { once = null, explanation = null } = more;
    return unwrap(await commands.edit({ sessionId, expectedVersion, author: 'person', explanation, once, apply }));
  }
  const mutation = ({ plan, changes }: EditAnswer<unknown>) => toMutation(plan, changes);
  const withItem = (answer: EditAnswer<Item>) => {
    const item = listed(answer.plan, answer.value.id);
    if (item === null) throw new Error(`the edited item ${answer.value.id} is not in the plan`);
    return { ...mutation(answer), item };
  };

  return {
    'plan.get': async ({ sessionId }) => {
      const plan = (await store.loadState(sessionId))?.plan ?? unwrap(notFound(sessionId));
      return { version: plan.version, goal: plan.goal, items: listTree(plan.tree), counts: countLeaves(plan.tree) };
    },
    'plan.setGoal': async ({ goal, ...params }) => mutation(await edit(params, (draft) => setGoal(draft, { goal }))),
    'plan.addItem': (params) => {
      const { sessionId, expectedVersion, idempotencyKey: _key, ...input } = params;
      return carryOutOnce(store, 'plan.addItem', params, {
        first: async (once) =>
          withItem(await edit({ sessionId, expectedVersion }, (draft) => addItem(draft, input, 'person'), { once })),
        again: (ref) => addedBefore(store, sessionId, ref as Item['id']),
      });
    },
    'plan.updateItem': async ({ sessionId, expectedVersion, ...input }) =>
      withItem(await edit({ sessionId, expectedVersion }, (draft) => updateItem(draft, input, 'person'))),
    'plan.moveItem': async ({ sessionId, expectedVersion, ...input }) =>
      mutation(await edit({ sessionId, expectedVersion }, (draft) => moveItem(draft, input))),
    'plan.setStatus': async ({ sessionId, expectedVersion, ...input }) =>
      mutation(await edit({ sessionId, expectedVersion }, (draft) => setStatus(draft, input))),
    'plan.removeItem': async ({ itemId, ...params }) =>
      mutation(await edit(params, (draft) => removeItem(draft, { itemId }, 'person'))),
    'plan.clear': async (params) =>
      mutation(
        await edit(params, (draft, state) => {
          const resting = checkAtRest(state, 'Clearing the plan');
          return resting.ok ? clear(draft) : resting;
        }),
      ),
    'plan.draft': (params) =>
      carryOutOnce(store, 'plan.draft', params, {
        first: async (once) => ({ runId: unwrap(await commands.draft(params.sessionId, params.text, once)) }),
        again: (ref) => Promise.resolve({ runId: ref as RunId }),
      }),
    'plan.revise': async ({ sessionId, expectedVersion, explanation, entries, within }) => {
      const why = explanation === undefined ? null : unwrap(cleanText('explanation', explanation));
      const apply = (draft: PlanDraft) => revise(draft, { entries, within, author: 'person' });
      return mutation(await edit({ sessionId, expectedVersion }, apply, { explanation: why }));
    },
  };
}

function listed(plan: Plan, id: Item['id']): ListedItem | null {
  const place = placesOf(plan.tree).get(id);
  const item = place && itemAt(plan.tree, place);
  return place && item ? listItem(item, place) : null;
}

/** The item that an earlier call with the same key added, as it is now. */
async function addedBefore(store: Queries, sessionId: SessionId, id: Item['id']) {
  const plan = (await store.loadState(sessionId))?.plan ?? unwrap(notFound(sessionId));
  const item =
    listed(plan, id) ??
    unwrap<ListedItem>(refuse('not_found', `The item ${id} that the first call with this key added is gone.`));
  return { version: plan.version, changed: [item], removed: [], item };
}
