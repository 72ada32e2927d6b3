/** `mission_expand`: a cheap look at one item that proposes how to split it. The planner takes the proposal or leaves it. */
import { z } from 'zod';
import { itemIdSchema } from '../../shared/plan.js';
import { missionTool } from './mission-tool.js';

export const expandTool = missionTool(
  'mission_expand',
  'Have one open item looked at: whether it is to be split, how far, and into what. Nothing changes; take the proposal with ' +
    'mission_plan (`within` that item), in whole, in part or not at all.',
  z.strictObject({ itemId: itemIdSchema }),
  ({ itemId }, call, desk) => desk.expand(call, itemId),
);
