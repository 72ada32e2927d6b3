/** `mission_plan`: the planner's whole plan, or one section of it, as it is to be from now on. */
import { z } from 'zod';
import { itemIdSchema, itemStatuses, planEntrySchema } from '../../shared/plan.js';
import { missionTool } from './mission-tool.js';

const { title, detail, priority, acceptance, verify, command, repeatable, relevantFiles, scope, id, parentId } =
  planEntrySchema.shape;
const entryShape = {
  id: id.describe('echo it to keep an item; leave it out for a new one'),
  title: title.describe('one line of a few words'),
  status: z
    .enum(itemStatuses)
    .describe('write pending or skipped; echo what stands. Done is set by a run, its checks or a person')
    .optional(),
  priority,
  detail: detail.describe('what a worker needs to know that is not in the title'),
  acceptance: acceptance.describe('when it is done, in words'),
  verify: verify.describe('shell commands that must exit 0 before it counts as done'),
  command: command.describe('a shell command that does the item without a model'),
  repeatable,
  relevantFiles,
  scope,
};

const argumentsSchema = z.strictObject({
  entries: z
    .array(z.strictObject({ ...entryShape, parentId, children: z.array(z.strictObject(entryShape)).optional() }))
    .describe('the full snapshot, in order: what is left out is deleted'),
  explanation: z.string().optional().describe('one line: what changed and why. Required when the shape changes'),
  within: itemIdSchema.optional().describe('limits the snapshot to the subtasks of this task'),
});

export const planTool = missionTool(
  'mission_plan',
  'Set the plan. `entries` is a FULL snapshot: an item that you leave out is deleted, one whose `id` you echo is kept or updated, ' +
    'one without an id is new. Done items cannot change, vanish or reopen: append a new item for a correction. Items run in ' +
    'order, depth first, two levels at most. Gives the plan back with its ids.',
  argumentsSchema,
  ({ entries, explanation, within }, call, desk) => desk.revise(call, { entries, explanation: explanation ?? null, within }),
);
