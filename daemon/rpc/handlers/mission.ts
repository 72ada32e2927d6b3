/** `mission.*`. */
import { RpcError, unwrap } from '../../../shared/errors.js';
import type { MissionNode } from '../../../shared/mission.js';
import type { SessionId } from '../../../shared/plan.js';
import type { Session } from '../../../shared/session.js';
import type { Usage } from '../../../shared/run.js';
import { notFound, type SessionCommands } from '../../runner/commands.js';
import type { Queries, TreeRow } from '../../store/queries.js';
import { firstPlan } from '../first-plan.js';
import type { Handlers } from '../handlers.js';
import { carryOutOnce } from '../once.js';
import { toSession } from '../wire.js';

type Methods = Extract<keyof Handlers, `mission.${string}`>;

export function missionHandlers(store: Queries, commands: SessionCommands): Pick<Handlers, Methods> {
  const get = async (id: SessionId): Promise<Session> => {
    const row = await store.sessionRow(id);
    return row ? toSession(row) : unwrap(notFound(id));
  };
  return {
    'mission.fire': async (params) => {
      const { title, author, fill, hasItems } = await firstPlan(params);
      if (params.planner === 'never' && !hasItems) {
        throw new RpcError('invalid_params', 'Nobody would make its plan: it has no planner, and came with none.', {
          issues: [{ path: 'items', message: 'a plan (items or markdown), as planner is never' }],
          hint: 'Give a plan, or leave planner out.',
        });
      }
      const { acceptance, relevantFiles, scope, ...order } = params;
      const mission = {
        ...(acceptance === undefined ? {} : { acceptance }),
        ...(relevantFiles === undefined ? {} : { relevantFiles }),
        ...(scope === undefined ? {} : { scope }),
      };
      return carryOutOnce(store, 'mission.fire', params, {
        first: async (once) => get(unwrap(await commands.create({ ...order, title, mission }, fill, author, once))),
        again: (ref) => get(ref as SessionId),
      });
    },
    'mission.finish': async ({ sessionId, outcome, reason }) => {
      unwrap(await commands.finish(sessionId, outcome, reason));
      return get(sessionId);
    },
    'mission.tree': async ({ sessionId }) => {
      const rows = await store.missionTree(sessionId);
      return rows.length === 0 ? unwrap(notFound(sessionId)) : { nodes: rollUp(rows) };
    },
  };
}

/** Each node with the sums of all below it. Rows come parents first, so that they are added up from the last one back. */
function rollUp(rows: readonly TreeRow[]): MissionNode[] {
  const nodes = rows.map(toNode);
  const byId = new Map(nodes.map((node) => [node.sessionId, node]));
  for (const node of nodes.toReversed()) {
    const parent = node.depth === 0 || node.parentId === null ? undefined : byId.get(node.parentId);
    if (parent === undefined) continue;
    parent.usage = add(parent.usage, node.usage);
    parent.openInbox += node.openInbox;
  }
  return nodes;
}

function toNode({ record, goal, counts, planRun, planner, usage, depth, openInbox }: TreeRow): MissionNode {
  const { id, parentId, title, isMission, outcome, outcomeReason, createdAt, updatedAt } = record;
  const { status, lastError } = planRun;
  return {
    sessionId: id,
    parentId,
    depth,
    title,
    goal,
    isMission,
    status,
    lastError,
    outcome,
    outcomeReason,
    planner,
    counts,
    ownUsage: usage,
    usage,
    openInbox,
    createdAt,
    updatedAt,
  };
}

const add = (a: Usage, b: Usage): Usage => ({
  turns: a.turns + b.turns,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  costUsd: a.costUsd === null && b.costUsd === null ? null : (a.costUsd ?? 0) + (b.costUsd ?? 0),
  durationMs: a.durationMs + b.durationMs,
});
