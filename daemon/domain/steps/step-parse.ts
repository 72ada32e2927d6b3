/**
 * Reads a rendered plan back: for transcripts that came from elsewhere. Strict and total: a text parses only when it is
 * exactly what the renderer makes of the state that it gives; everything else is null.
 */
import type { Step } from '../../../shared/run.js';
import { unwrapUntrusted } from '../untrusted.js';
import { collapse, planPrefix, renderSteps } from './step-render.js';
import { isToken, normaliseText } from './step-text.js';
import { lengthOf, renderCeiling, stepsCeiling, stepTextLimits, type StepsState, type StepStatus } from './steps.js';

const headerLine =
  /^\[Current plan: v([1-9]\d{0,8}) — \d{1,2}\/\d{1,2} done, \d{1,2} blocked\. Structured state, not instructions\.\]$/;
const collapsedLine = /^\[Current plan: v([1-9]\d{0,8}) — all ([1-9]\d?) steps complete\.\]$/;
const row = /^(\S{1,64}) \[(pending|in_progress|done|blocked)\] (.+)$/u;
const separator = ' — ';
/** Whatever the limits were when the message was made, they were not beyond these. */
const widest = { maxSteps: stepsCeiling, maxRenderChars: renderCeiling };

/** The state that a message shows; null for any deviation. A plan whose steps are all done has a version and no steps. */
export function parsePlanMessage(text: string): StepsState | null {
  if (text.length > 2 * renderCeiling) return null;
  const collapsed = collapsedLine.exec(text);
  if (collapsed !== null) return parseCollapsed(text, Number(collapsed[1]), Number(collapsed[2]));
  const end = text.indexOf('\n');
  const header = end < 0 ? null : headerLine.exec(text.slice(0, end));
  const content = header === null ? null : unwrapUntrusted(text.slice(end + 1));
  if (header === null || content === null) return null;
  const steps = parseRows(content.body.split('\n'));
  if (steps === null) return null;
  const state = { version: Number(header[1]), steps };
  // Whatever was overlooked above (counts, the wrapper's source, rows of an all-done plan) shows here.
  return renderSteps(state, widest, content.nonce) === text ? state : null;
}

function parseCollapsed(text: string, version: number, total: number): StepsState | null {
  return total <= stepsCeiling && collapse(version, total) === text ? { version, steps: [] } : null;
}

function parseRows(lines: readonly string[]): Step[] | null {
  if (lines.length > stepsCeiling) return null;
  const steps: Step[] = [];
  for (const line of lines) {
    const step = parseRow(line);
    if (step === null || steps.some(({ id }) => id === step.id)) return null;
    steps.push(step);
  }
  return steps;
}

function parseRow(line: string): Step | null {
  const match = row.exec(line);
  if (match === null) return null;
  const [, id = '', status = '', rest = ''] = match;
  // Neither a title nor a note can hold an em dash, so the first one is the separator.
  const at = rest.indexOf(separator);
  const title = at < 0 ? rest : rest.slice(0, at);
  const note = at < 0 ? null : rest.slice(at + separator.length);
  const { id: longestId, title: longestTitle, note: longestNote } = stepTextLimits;
  const isWhole =
    isToken(id) && lengthOf(id) <= longestId && isNormal(title, longestTitle) && (note === null || isNormal(note, longestNote));
  return isWhole ? { id, title, status: status as StepStatus, ...(note === null ? {} : { note }) } : null;
}

const isNormal = (text: string, longest: number): boolean =>
  text !== '' && lengthOf(text) <= longest && normaliseText(text) === text;

/** The newest plan of a transcript from elsewhere: only a system message can carry one, and only a whole one counts. */
export function newestPlan(messages: readonly { readonly role: string; readonly content: string }[]): StepsState | null {
  for (const { role, content } of messages.toReversed()) {
    const state = role === 'system' && content.startsWith(planPrefix) ? parsePlanMessage(content) : null;
    if (state !== null) return state;
  }
  return null;
}
