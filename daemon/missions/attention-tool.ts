/** `mission_ask_attention`: a question to a person, whose answer is the result of the call, also after a restart. */
import { z } from 'zod';
import { planLimits } from '../../shared/plan.js';
import { missionTool } from './mission-tool.js';

export const attentionToolName = 'mission_ask_attention';

const longestDeadline = 7 * 24 * 3_600;

const argumentsSchema = z.strictObject({
  question: z
    .string()
    .min(1)
    .max(planLimits.note)
    .describe('all that the person needs to answer it: they have not read this conversation'),
  options: z
    .array(z.string().min(1).max(planLimits.title))
    .max(10)
    .optional()
    .describe('answers to choose from; other words are taken as well'),
  deadline: z.number().int().min(1).max(longestDeadline).optional().describe('seconds to wait; an hour unless given'),
  default: z.string().min(1).max(planLimits.note).optional().describe('the answer if nobody gives one in time'),
});

export const attentionTool = missionTool(
  attentionToolName,
  'Ask a person, and wait. Ask while there is still work that could go on, and only what you must not decide alone. The answer ' +
    'is the result of this call; without one in time it is your default, or that nobody answered.',
  argumentsSchema,
  (asked, call, desk) =>
    desk.ask(call, {
      question: asked.question,
      options: asked.options ?? [],
      deadline: asked.deadline ?? null,
      default: asked.default ?? null,
    }),
);
