/** All tools of missions, in the order in which a model is shown them. */
import { attentionTool } from './attention-tool.js';
import { expandTool } from './expand-tool.js';
import { finishTool } from './finish-tool.js';
import { fireTool } from './fire-tool.js';
import type { MissionTool } from './mission-tool.js';
import { planTool } from './plan-tool.js';
import { reportTool } from './report-tool.js';

export const missionTools: readonly MissionTool[] = [planTool, reportTool, attentionTool, expandTool, finishTool, fireTool];
