/** `mission_fire`: a mission below this one, in the same workspace, with a planner and a plan of its own. */
import { z } from 'zod';
import { missionOrderSchema, policyInputSchema } from '../../shared/mission.js';
import { planLimits } from '../../shared/plan.js';
import { missionTool } from './mission-tool.js';

export const fireTool = missionTool(
  'mission_fire',
  'Fire a mission of its own for a part of the goal that needs a plan of its own. It works by itself in this workspace; its ' +
    'reports and its outcome come back to you, and what it spends is charged to this mission. Its policy can only be stricter.',
  z.strictObject({
    goal: z.string().trim().min(1).max(planLimits.goal),
    ...missionOrderSchema.shape,
    policy: policyInputSchema.optional(),
  }),
  ({ policy, ...asked }, call, desk) => desk.fire(call, { ...asked, policy }),
);
