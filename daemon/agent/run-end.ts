/** Whether a transcript's last turn ends its run, and how. */
import type { ReportText } from '../../shared/mission.js';
import type { StoredMessage } from '../store/store.js';
import { endsRun, parseReport, reportToolName } from '../missions/report-tool.js';

export type RunEnd =
  | { readonly type: 'reported'; readonly report: ReportText }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'blocked_text'; readonly reason: string }
  | { readonly type: 'silent' };

/** A line `BLOCKED: reason`, with or without emphasis, for models that do not call tools. */
const blockedLine = /^[\s>*_`#-]*BLOCKED[*_`]*\s*:\s*[*_`]*\s*(.+)$/im;

/** The last assistant message and what came after it. */
export function lastTurn(transcript: readonly StoredMessage[]): { turn: StoredMessage; after: readonly StoredMessage[] } | null {
  const at = transcript.findLastIndex((message) => message.kind === 'assistant');
  const turn = transcript[at];
  return turn ? { turn, after: transcript.slice(at + 1) } : null;
}

/**
 * Null while the run goes on: calls without results, or words (of a person, of the engine) after the turn that the
 * model has not answered yet. `reportEnds`: a result or a blocker ends the run, as it does a leaf's.
 */
export function endOf(transcript: readonly StoredMessage[], reportEnds: boolean): RunEnd | null {
  const last = lastTurn(transcript);
  if (last === null || last.after.some((message) => message.kind !== 'tool')) return null;
  const calls = last.turn.toolCalls ?? [];
  if (calls.length > last.after.length) return null;
  for (const call of calls) {
    if (!reportEnds || call.name !== reportToolName) continue;
    const parsed = parseReport(call.arguments);
    if (parsed.ok && endsRun(parsed.report)) return { type: 'reported', report: parsed.report };
  }
  if (calls.length > 0) return null;
  const text = last.turn.content.trim();
  if (text === '') return { type: 'silent' };
  const reason = blockedLine.exec(text)?.[1]?.trim();
  return reason ? { type: 'blocked_text', reason } : { type: 'text', text };
}
