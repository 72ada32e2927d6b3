/** `mission_report`: how a run says what it did, what it found, and that it has ended. */
import { z } from 'zod';
import { type ReportText, reportTextSchema } from '../../shared/mission.js';
import type { ToolSchema } from '../providers/provider.js';

export const reportToolName = 'mission_report';

export const reportTool: ToolSchema = {
  name: reportToolName,
  description:
    'File a report. `result`: the work is done and checked; say what you did, and fill `handover` when later work builds on it. ' +
    '`blocker`: you cannot go on; say what is missing. `progress` and `finding`: worth knowing, the work goes on. ' +
    'A result or a blocker ends your run.',
  parameters: z.toJSONSchema(reportTextSchema, { io: 'input' }),
};

/** The report in a call's arguments, or what is wrong with them. */
export function parseReport(args: string): { ok: true; report: ReportText } | { ok: false; error: string } {
  let value: unknown;
  try {
    value = JSON.parse(args);
  } catch (error) {
    return { ok: false, error: `${reportToolName}: the arguments are not valid JSON: ${String(error)}` };
  }
  const parsed = reportTextSchema.safeParse(value);
  if (parsed.success) return { ok: true, report: parsed.data };
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
  return { ok: false, error: `${reportToolName}: ${issues.join('; ')}` };
}

export const endsRun = (report: ReportText): boolean => report.kind === 'result' || report.kind === 'blocker';
