/** `plan.history`, `.diff`, `.revert`, `.import`, `.export`. */
import { refuse, unwrap } from '../../../shared/errors.js';
import type { SessionId } from '../../../shared/plan.js';
import { diffPlans, planAt } from '../../domain/plan-diff.js';
import { importEntries } from '../../domain/plan-import.js';
import { renderJson } from '../../domain/plan-json.js';
import { renderMarkdown } from '../../domain/plan-markdown-render.js';
import { revertTo } from '../../domain/plan-revert.js';
import type { Plan } from '../../domain/plan.js';
import { notFound, type SessionCommands } from '../../runner/commands.js';
import type { Queries } from '../../store/queries.js';
import type { Handlers } from '../handlers.js';
import { pageFrom } from '../page.js';
import { readPlanText } from '../read-plan-text.js';
import { toMutation } from '../wire.js';

type Methods = 'plan.history' | 'plan.diff' | 'plan.revert' | 'plan.import' | 'plan.export';

export function planHistoryHandlers(store: Queries, commands: SessionCommands): Pick<Handlers, Methods> {
  const planOf = async (id: SessionId): Promise<Plan> => (await store.loadState(id))?.plan ?? unwrap(notFound(id));
  const checkVersion = (plan: Plan, version: number): void => {
    if (version <= plan.version) return;
    unwrap(
      refuse('not_found', `There is no version ${version}: the plan is at ${plan.version}.`, { currentVersion: plan.version }),
    );
  };

  return {
    'plan.history': async ({ sessionId, limit, cursor, statusOnly }) => {
      await planOf(sessionId);
      const { rows, nextCursor } = await store.revisions(sessionId, pageFrom({ limit, cursor }), statusOnly !== false);
      return { revisions: [...rows], nextCursor };
    },
    'plan.diff': async ({ sessionId, from, to }) => {
      const plan = await planOf(sessionId);
      checkVersion(plan, Math.max(from, to));
      return diffPlans(await store.revisionChanges(sessionId, Math.min(from, to), Math.max(from, to)), from > to);
    },
    'plan.revert': async ({ sessionId, version, expectedVersion }) => {
      const plan = await planOf(sessionId);
      checkVersion(plan, version);
      const earlier = planAt(plan, await store.revisionChanges(sessionId, version, plan.version));
      // The way back was computed from this version, so it must still be the current one.
      const { plan: next, changes } = unwrap(
        await commands.edit({
          sessionId,
          expectedVersion: expectedVersion ?? plan.version,
          author: 'person',
          explanation: `back to version ${version}`,
          once: null,
          apply: (draft) => revertTo(draft, earlier),
        }),
      );
      return toMutation(next, changes);
    },
    'plan.import': async ({ sessionId, format, text, expectedVersion }) => {
      const parsed = await readPlanText(format, text);
      const { plan, changes } = unwrap(
        await commands.edit({
          sessionId,
          expectedVersion,
          author: 'import',
          explanation: `imported from ${format}`,
          once: null,
          apply: (draft) => importEntries(draft, parsed, 'import'),
        }),
      );
      return toMutation(plan, changes);
    },
    'plan.export': async ({ sessionId, format }) => {
      const [plan, row] = await Promise.all([planOf(sessionId), store.sessionRow(sessionId)]);
      if (row === null) return unwrap(notFound(sessionId));
      const { title } = row.record;
      return { text: format === 'json' ? renderJson(plan) : renderMarkdown({ ...plan, title, status: row.planRun.status }) };
    },
  };
}
