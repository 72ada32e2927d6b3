/** The `plan` tool as a model is told of it. The texts are those of odek's document. */
import { stepStatuses } from './steps.js';

export const planToolName = 'plan';

export function planToolSchema(maxSteps: number) {
  const text = { type: 'string' };
  return {
    name: planToolName,
    description:
      'Maintain your task plan. Create steps before starting multi-step work; update statuses as you go (in_progress when you start a step, done only after verifying it); mark blocked with a note explaining why. The plan is shown to you on every iteration and survives context trimming — trust it over your memory of earlier turns. Replan freely with create when the approach changes; plans are steering aids, not contracts.',
    parameters: {
      type: 'object',
      properties: {
        verb: {
          enum: ['create', 'update', 'complete', 'get'],
          description:
            'create: replace the whole plan. update: batch status/note changes. complete: shorthand to mark one step done. get: return current plan.',
        },
        steps: {
          type: 'array',
          items: { type: 'object', properties: { id: text, title: text, note: text }, required: ['id', 'title'] },
          description: `create only: full ordered step list (1..${maxSteps}). All steps start pending; mark the first one in_progress with a follow-up update (can ride the same parallel batch).`,
        },
        updates: {
          type: 'array',
          items: { type: 'object', properties: { id: text, status: { enum: [...stepStatuses] }, note: text }, required: ['id'] },
          description: 'update only: applied in array order; unknown id or invalid transition fails the whole call (atomic).',
        },
        step_id: { type: 'string', description: 'complete only' },
      },
      required: ['verb'],
    },
  };
}
