/** The plan that a session is made with: from items or a text in Markdown, and a goal. */
import type { Params } from '../../shared/contract.js';
import { ok, type Result, RpcError } from '../../shared/errors.js';
import type { Author } from '../../shared/plan.js';
import type { PlanDraft } from '../domain/plan-draft.js';
import { setGoal } from '../domain/plan-edit.js';
import { importEntries, type PlanText } from '../domain/plan-import.js';
import { revise } from '../domain/plan-revise.js';
import { readPlanText } from './read-plan-text.js';

type PlanParams = Pick<Params<'session.create'>, 'title' | 'goal' | 'items' | 'markdown'>;

export interface FirstPlan {
  /** The one given, or that of the text. */
  readonly title: string | undefined;
  /** Commands of a text are not a person's until one says yes to them. */
  readonly author: Author;
  /** Whether there is anything to do from the start. */
  readonly hasItems: boolean;
  fill(draft: PlanDraft): Result<void>;
}

/** Throws an `RpcError` for a text that cannot be read, and for two plans at once. */
export async function firstPlan(params: PlanParams): Promise<FirstPlan> {
  const { items, markdown } = params;
  if (items !== undefined && markdown !== undefined) {
    throw new RpcError('invalid_params', 'Give items or markdown, not both.', {
      issues: [{ path: 'markdown', message: 'not with items' }],
    });
  }
  const text = markdown === undefined ? null : await readPlanText('markdown', markdown);
  return {
    title: params.title ?? text?.title,
    author: text === null ? 'person' : 'import',
    hasItems: (items ?? text?.entries ?? []).length > 0,
    fill: (draft) => fill(draft, params, text),
  };
}

function fill(draft: PlanDraft, { goal, items }: PlanParams, text: PlanText | null): Result<void> {
  if (text !== null) {
    const imported = importEntries(draft, text, 'import');
    if (!imported.ok) return imported;
  }
  if (items !== undefined) {
    const revised = revise(draft, { entries: items, author: 'person', root: 'items' });
    if (!revised.ok) return revised;
  }
  if (goal === undefined) return ok(undefined);
  const set = setGoal(draft, { goal });
  return set.ok ? ok(undefined) : set;
}
