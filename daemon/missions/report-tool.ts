/** `mission_report`: how a run says what it did, what it found, and that it has ended. */
import { filedAs, type ReportText, reportTextSchema } from '../../shared/mission.js';
import { missionTool, readArguments } from './mission-tool.js';

export const reportToolName = 'mission_report';

export const reportTool = missionTool(
  reportToolName,
  'File a report. `result`: the work is done and checked; say what you did, and fill `handover` when later work builds on it. ' +
    '`blocker`: you cannot go on, or must not decide alone; say what is missing. `progress` and `finding`: worth knowing, the ' +
    'work goes on. Of a worker, a result or a blocker ends the run.',
  reportTextSchema,
  (report) => Promise.resolve({ type: 'answered', content: filedAs(report.kind), report }),
);

/** The report in a call's arguments, or what is wrong with them. */
export function parseReport(args: string): { ok: true; report: ReportText } | { ok: false; error: string } {
  const parsed = readArguments(reportToolName, reportTextSchema, args);
  return parsed.ok ? { ok: true, report: parsed.value } : parsed;
}

export const endsRun = (report: ReportText): boolean => report.kind === 'result' || report.kind === 'blocker';
