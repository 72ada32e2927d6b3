/** `mission_finish`: the end of the mission, once. */
import { z } from 'zod';
import { outcomes } from '../../shared/mission.js';
import { planLimits } from '../../shared/plan.js';
import { missionTool } from './mission-tool.js';

export const finishTool = missionTool(
  'mission_finish',
  'End the mission, exactly once, when the work is truly over. `landed`: the goal is reached and no item is open. `derailed`: it ' +
    'failed. `stuck`: a wall that you cannot get past unattended; ask for attention first while work could still go on.',
  z.strictObject({ outcome: z.enum(outcomes), reason: z.string().trim().min(1).max(planLimits.note) }),
  (asked, call, desk) => desk.finish(call, asked),
);
