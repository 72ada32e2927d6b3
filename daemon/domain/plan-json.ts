/** A plan as JSON, `cairn.plan/v1`, both ways and without loss. */
import { z } from 'zod';
import { ok, refuse, type Result } from '../../shared/errors.js';
import { authors, itemIdSchema, itemStatuses, itemTextSchema } from '../../shared/plan.js';
import { entriesOf, type PlanText } from './plan-import.js';
import type { EarlierPlan } from './plan-diff.js';

const schema = 'cairn.plan/v1';

const jsonItemShape = {
  ...itemTextSchema.shape,
  id: itemIdSchema.optional(),
  status: z.enum(itemStatuses).optional(),
  claimed: z.boolean().optional(),
  accepted: z.boolean().optional(),
  origin: z.enum(authors).optional(),
};
const jsonPlanSchema = z.strictObject({
  schema: z.literal(schema),
  goal: z.string().optional(),
  items: z.array(z.strictObject({ ...jsonItemShape, children: z.array(z.strictObject(jsonItemShape)).optional() })),
});

/** `{schema, goal, items}`, items nested and with their defaults left out; two spaces of indentation, newline at the end. */
export function renderJson(plan: EarlierPlan): string {
  return `${JSON.stringify({ schema, goal: plan.goal, items: entriesOf(plan.tree) }, null, 2)}\n`;
}

/** What `renderJson` wrote, or a person in its form. Errors (`invalid_params`) carry the path of each issue. */
export function parseJson(text: string): Result<PlanText> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = `The text is no JSON: ${(error as SyntaxError).message}`;
    return refuse('invalid_params', message, { issues: [{ path: 'text', message }] });
  }
  const parsed = jsonPlanSchema.safeParse(value);
  if (!parsed.success) {
    const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
    const [first] = issues;
    const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
    return refuse('invalid_params', `${first?.path || 'text'}: ${first?.message}${more}`, {
      issues: issues.slice(0, 20),
      hint: `The form is {"schema": "${schema}", "goal", "items": [{"title", …, "children"}]}.`,
    });
  }
  const { goal, items } = parsed.data;
  return ok({ ...(goal === undefined ? {} : { goal }), entries: items, root: 'items' });
}
