/** What the tools of missions have done: each operation commits its change together with the result of the call. */
import { ok, type Refusal, refuse, type Result } from '../../shared/errors.js';
import { builtinProfiles } from '../../shared/mission.js';
import type { Item } from '../../shared/plan.js';
import { listTree } from '../../shared/plan-tree.js';
import type { RunId } from '../../shared/run.js';
import { diffPlans } from '../domain/plan-diff.js';
import { setGoal } from '../domain/plan-edit.js';
import { PlanDraft } from '../domain/plan-draft.js';
import { revise } from '../domain/plan-revise.js';
import { cleanText } from '../domain/plan-text.js';
import { placesOf } from '../domain/plan.js';
import { decide } from '../domain/run-transition.js';
import type { Decision, RunEvent, RunLimits, RunState } from '../domain/run-state.js';
import { noClaims, takeClaims } from '../domain/self-claims.js';
import type { Clock } from '../clock.js';
import {
  type AskedMission,
  type AskedQuestion,
  type AskedRevision,
  callEnd,
  type MissionAnswer,
  type MissionCall,
  type MissionDesk,
} from '../missions/mission-tool.js';
import type { Store } from '../store/store.js';
import { mayEdit } from './commands.js';
import type { Expander } from './expander.js';
import { askPerson } from './questions.js';
import type { SessionMaker } from './session-maker.js';
import type { SessionStates } from './session-states.js';

export interface DeskParts {
  readonly store: Store;
  readonly states: SessionStates;
  readonly maker: SessionMaker;
  readonly expander: Expander;
  readonly clock: Clock;
  readonly limits: RunLimits;
  readonly newId: (prefix: string) => string;
  /** Looks after a mission that was just fired. */
  readonly tend: (sessionId: MissionCall['session']['id']) => void;
}

/** Items of a plan that is given back whole; of a larger one only what changed. */
const wholePlan = 100;

export function createMissionDesk(parts: DeskParts): MissionDesk {
  const { store, states, clock, limits } = parts;

  async function reviseBy(call: MissionCall, asked: AskedRevision): Promise<MissionAnswer> {
    if (!(await call.begin())) return { type: 'stopped' };
    const { id } = call.session;
    const why = asked.explanation === null ? ok(null) : cleanText('explanation', asked.explanation);
    if (!why.ok) return refused(why.error);
    // The run that checks a claim belongs to this daemon from its first moment.
    if (call.isSolo) await states.claim(id);
    const seenVersion = (await store.run(call.ref.runId))?.planVersion ?? 0;
    if ((await store.shapeVersion(id)) > seenVersion) return conflict(call, seenVersion);
    const input = {
      now: clock.now(),
      limits,
      author: 'planner',
      explanation: why.value === '' ? null : why.value,
      ...(call.isAttended ? {} : { revisedBy: { runId: call.ref.runId, effectId: call.effectId } }),
    } as const;
    let content = '';
    const changed = await states.change(
      id,
      (state) => {
        const applied = apply(state, call, asked, input.explanation);
        return applied.ok ? decide(state, applied.value.events, input, applied.value.draft) : applied;
      },
      null,
      (decision) => {
        content = describePlan(decision, asked.within !== undefined);
        return callEnd(call, content, { seenVersion, planVersion: decision.state.plan.version });
      },
    );
    if (changed.ok) return { type: 'committed', content, ends: false };
    return changed.error.data?.['reason'] === 'unseen' ? conflict(call, seenVersion) : refused(changed.error);
  }

  /** The snapshot on a draft, with what `solo` says that it has done. */
  function apply(
    state: RunState,
    call: MissionCall,
    asked: AskedRevision,
    explanation: string | null,
  ): Result<{ draft: PlanDraft; events: RunEvent[] }> {
    const allowed = mayEdit(state, undefined);
    if (!allowed.ok) return allowed;
    const draft = new PlanDraft(state.plan);
    const claims = call.isSolo ? takeClaims(state, asked.entries) : noClaims(asked.entries);
    const { status } = state.checkpoint;
    const revised = revise(draft, {
      entries: claims.entries,
      within: asked.within,
      author: 'planner',
      mayRelease: status === 'blocked' || status === 'failed',
    });
    if (!revised.ok) return revised;
    const change = draft.finish('planner', null)?.change;
    if (change !== undefined && !change.statusOnly && explanation === null) {
      return refuse('invalid_params', 'explanation: say in one line what changed and why, as the shape of the plan changes.');
    }
    const closed = claims.close(draft, state);
    if (!closed.ok) return closed;
    const summary = explanation ?? 'done';
    const events: RunEvent[] = [
      { type: 'plan_edited' },
      ...claims.checked.map((itemId): RunEvent => ({
        type: 'self_claimed',
        itemId,
        runId: parts.newId('r') as RunId,
        summary,
      })),
    ];
    return ok({ draft, events });
  }

  /** Nothing was changed; from here on the planner has seen the plan as it is now. */
  async function conflict(call: MissionCall, seen: number): Promise<MissionAnswer> {
    const plan = (await states.read(call.session.id))?.plan;
    if (plan === undefined) return { type: 'stopped' };
    const { version, tree } = plan;
    const isWhole = placesOf(tree).size <= wholePlan;
    const { added, changed, removed } = isWhole
      ? noDifference
      : diffPlans(await store.revisionChanges(call.session.id, seen, version));
    const now = isWhole
      ? { version, plan: listTree(tree).map(brief) }
      : {
          version,
          changed: [...added, ...changed.flatMap(({ after }) => after ?? [])].slice(0, wholePlan).map(brief),
          removed: removed.slice(0, wholePlan).map(({ id }) => id),
        };
    const content = [
      `The plan has changed since you last saw it: you saw version ${seen}, it is at ${version}. Nothing was changed by this call.`,
      isWhole ? 'It is now:' : 'What has changed since:',
      JSON.stringify(now),
      'Decide again on this.',
    ].join('\n');
    return { type: 'refused', content, planVersion: version };
  }

  return {
    revise: reviseBy,

    async finish(call, { outcome, reason }) {
      if (!(await call.begin())) return { type: 'stopped' };
      const input = { now: clock.now(), limits, author: 'planner', explanation: null } as const;
      if (outcome === 'landed') {
        const children = (await store.openChildren(call.session.id)).filter((child) => child.isMission && !child.isCancelled);
        if (children.length > 0) {
          return {
            type: 'refused',
            content: `It cannot land: missions that you have fired still work: ${children.map(({ id }) => id).join(', ')}.`,
          };
        }
      }
      const content = `The mission has ended: ${outcome}.`;
      const changed = await states.change(
        call.session.id,
        (state) => decide(state, [{ type: 'finish', outcome, reason }], input),
        null,
        () => callEnd(call, content),
      );
      // The planner's own run has ended in the same transaction; a chat goes on to tell the person.
      return changed.ok ? { type: 'committed', content, ends: !call.isAttended && call.itemId === null } : refused(changed.error);
    },

    async fire(call, { goal, policy, ...order }: AskedMission) {
      if (!(await call.begin())) return { type: 'stopped' };
      let content = '';
      const { session } = call;
      const made = await parts.maker.make(
        {
          policy,
          // A declared profile is a limit: what it fires has no more tools than it has itself.
          ...(isBuiltin(session.profile) ? {} : { profile: session.profile }),
          parentId: session.id,
          planner: session.planner === 'never' ? 'always' : session.planner,
          planning: session.planning,
          mission: order,
        },
        (draft) => {
          const set = setGoal(draft, { goal });
          return set.ok ? ok(undefined) : set;
        },
        'planner',
        null,
        (id, title) => {
          content = JSON.stringify({ fired: id, title });
          return callEnd(call, content);
        },
      );
      if (!made.ok) return refused(made.error);
      parts.tend(made.value);
      return { type: 'committed', content, ends: false };
    },

    async expand(call, itemId) {
      const state = await states.read(call.session.id);
      const item = state && [...listTree(state.plan.tree)].find(({ id }) => id === itemId);
      if (state === null || item === undefined || item === null) {
        return { type: 'refused', content: `There is no item ${itemId} in the plan.` };
      }
      if (item.parentId !== null) {
        return {
          type: 'refused',
          content: `${itemId} is a subtask, and a plan has two levels only: split its task ${item.parentId}.`,
        };
      }
      if (item.status === 'done' || item.status === 'skipped' || item.status === 'active') {
        return { type: 'refused', content: `${itemId} is ${item.status}: only an item that is still to be done can be split.` };
      }
      if (!(await call.begin())) return { type: 'stopped' };
      return parts.expander.expand(call, state.plan, item);
    },

    ask: (call, asked: AskedQuestion) => askPerson(store, clock, call, asked),
  };
}

const isBuiltin = (profile: string): boolean => (builtinProfiles as readonly string[]).includes(profile);

const noDifference = { added: [], changed: [], removed: [] } as const;

const refused = ({ message, data }: Refusal): MissionAnswer =>
  data?.['reason'] === 'not_current'
    ? { type: 'stopped' }
    : { type: 'refused', content: data?.hint === undefined ? message : `${message} ${data.hint}` };

const brief = ({ id, title, status, parentId }: Item) => ({ id, title, status, ...(parentId === null ? {} : { parentId }) });

/** The stored plan with its ids, or what changed of a large one or of a section. */
function describePlan({ state, plan }: Decision, isSection: boolean): string {
  const { version, tree } = state.plan;
  if (plan === null) return JSON.stringify({ version, unchanged: true });
  if (!isSection && placesOf(tree).size <= wholePlan) return JSON.stringify({ version, plan: listTree(tree).map(brief) });
  const changed = plan.items.flatMap(({ after }) => (after === null ? [] : [brief(after)]));
  const removed = plan.items.flatMap(({ id, after }) => (after === null ? [id] : []));
  return JSON.stringify({ version, changed, removed });
}
