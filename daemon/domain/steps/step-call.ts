/** One call of the `plan` tool: parsed, validated and applied as a whole, or refused as a whole with the text of the table. */
import { z } from 'zod';
import { ok, type Result } from '../../../shared/errors.js';
import type { Step } from '../../../shared/run.js';
import { echo, quote } from './step-echo.js';
import { isToken, normaliseId, normaliseText } from './step-text.js';
import { lengthOf, stepStatuses, stepTextLimits, type StepLimits, type StepsState, type StepStatus } from './steps.js';

export interface PlanCallResult {
  /** Null while there is no plan. */
  readonly state: StepsState | null;
  /** Null for a call that changed nothing. */
  readonly changed: 'created' | 'updated' | null;
  /** Steps that became done by it. */
  readonly doneNow: number;
  /** Steps that became blocked by it, in the order of its updates after the last one that became done. */
  readonly blockedNow: number;
}

type Refused = Result<never, string>;
const refuse = (error: string): Refused => ({ ok: false, error: `plan: ${error}` });

/** Kinds only: what is missing or too long has words of its own in the table. */
const text = z.string().nullish();
const callSchema = z.strictObject({
  verb: text,
  steps: z.array(z.strictObject({ id: text, title: text, note: text })).nullish(),
  updates: z.array(z.strictObject({ id: text, status: text, note: text })).nullish(),
  step_id: text,
});
type Call = z.infer<typeof callSchema>;

/** Applies the arguments of a call, as JSON text. Never throws; a refused call leaves no trace. */
export function applyPlanCall(state: StepsState | null, args: string, limits: StepLimits): Result<PlanCallResult, string> {
  const call = parseCall(args);
  if (!call.ok) return call;
  const { verb } = call.value;
  switch (verb) {
    case 'create':
      return create(state, call.value.steps ?? [], limits);
    case 'update':
      return update(state, call.value.updates ?? []);
    case 'complete':
      return complete(state, call.value.step_id ?? '');
    case 'get':
      return ok({ state, changed: null, doneNow: 0, blockedNow: 0 });
    default:
      return refuse(`unknown verb ${quote(verb ?? '')} (want create/update/complete/get)`);
  }
}

function parseCall(args: string): Result<Call, string> {
  let value: unknown;
  try {
    value = JSON.parse(args);
  } catch (error) {
    return refuse(`parse args: ${echo(error instanceof Error ? error.message : String(error))}`);
  }
  const parsed = callSchema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  return refuse(`parse args: ${echo(`${where}${issue?.message ?? 'not a call'}`)}`);
}

function create(state: StepsState | null, given: NonNullable<Call['steps']>, limits: StepLimits): Result<PlanCallResult, string> {
  if (given.length === 0 || given.length > limits.maxSteps) {
    return refuse(`create wants 1..${limits.maxSteps} steps, got ${given.length}`);
  }
  const steps: Step[] = [];
  for (const [index, each] of given.entries()) {
    const id = normaliseId(each.id ?? '');
    const title = normaliseText(each.title ?? '');
    const note = normaliseText(each.note ?? '');
    const fault = faultOf(id, title, note, steps);
    if (fault !== null) return refuse(`step[${index}]: ${fault}`);
    steps.push({ id, title, status: 'pending', ...(note === '' ? {} : { note }) });
  }
  return ok({ state: { version: (state?.version ?? 0) + 1, steps }, changed: 'created', doneNow: 0, blockedNow: 0 });
}

function faultOf(id: string, title: string, note: string, before: readonly Step[]): string | null {
  const { id: longestId, title: longestTitle } = stepTextLimits;
  if (id === '') return 'id is required';
  if (title === '') return 'title is required';
  if (lengthOf(id) > longestId) return `id is too long (${lengthOf(id)} > ${longestId} chars)`;
  if (!isToken(id)) return 'must be a short token without whitespace or brackets';
  if (before.some((step) => step.id === id)) return `duplicate step id ${quote(id)}`;
  if (lengthOf(title) > longestTitle) return `title is too long (${lengthOf(title)} > ${longestTitle} chars)`;
  return noteFault(note);
}

const noteFault = (note: string): string | null =>
  lengthOf(note) > stepTextLimits.note ? `note is too long (${lengthOf(note)} > ${stepTextLimits.note} chars)` : null;

const isStatus = (status: string): status is StepStatus => (stepStatuses as readonly string[]).includes(status);

function update(state: StepsState | null, updates: NonNullable<Call['updates']>): Result<PlanCallResult, string> {
  if (updates.length === 0) return refuse('update: no updates given');
  let steps = state?.steps ?? [];
  const movedIds: string[] = [];
  for (const [index, { id, status, note }] of updates.entries()) {
    const step = findStep(steps, id);
    if (step === undefined) return refuse(`update: unknown step id ${quote(id ?? '')}`);
    if (status != null && !isStatus(status)) return refuse(`update: step[${index}]: unknown status ${quote(status)}`);
    const text = note == null ? null : normaliseText(note);
    const fault = text === null ? null : noteFault(text);
    if (fault !== null) return refuse(`step[${index}]: ${fault}`);
    const changed = changeStep(step, status ?? null, text);
    if (changed.status !== step.status) movedIds.push(step.id);
    steps = steps.map((each) => (each === step ? changed : each));
  }
  return ok(resultOf(state, steps, movedIds));
}

const findStep = (steps: readonly Step[], id: string | null | undefined): Step | undefined => {
  const wanted = normaliseId(id ?? '');
  return steps.find((step) => step.id === wanted);
};

/** A note of null stays; an empty one is cleared. */
function changeStep(step: Step, status: StepStatus | null, note: string | null): Step {
  const { note: old, ...rest } = step;
  const kept = note ?? old ?? '';
  return { ...rest, status: status ?? step.status, ...(kept === '' ? {} : { note: kept }) };
}

function complete(state: StepsState | null, id: string): Result<PlanCallResult, string> {
  const step = findStep(state?.steps ?? [], id);
  if (state === null || step === undefined) return refuse(`complete: unknown step id ${quote(id)}`);
  const steps = state.steps.map((each) => (each === step ? changeStep(step, 'done', null) : each));
  return ok(resultOf(state, steps, [step.id]));
}

/** The version goes up only when something is different. `movedIds`: in the order in which statuses changed. */
function resultOf(state: StepsState | null, steps: readonly Step[], movedIds: readonly string[]): PlanCallResult {
  const before = new Map((state?.steps ?? []).map((step) => [step.id, step]));
  const isSame = steps.every((step) => {
    const was = before.get(step.id);
    return was?.status === step.status && was.note === step.note;
  });
  if (state === null || isSame) return { state, changed: null, doneNow: 0, blockedNow: 0 };
  // Each step once, where it was moved last, and only when it is not where it was.
  const moves = steps
    .filter((step) => before.get(step.id)?.status !== step.status)
    .map(({ id, status }) => ({ status, at: movedIds.lastIndexOf(id) }));
  const done = moves.filter(({ status }) => status === 'done').map(({ at }) => at);
  const blocked = moves.filter(({ status, at }) => status === 'blocked' && at > Math.max(-1, ...done));
  return {
    state: { version: state.version + 1, steps },
    changed: 'updated',
    doneNow: done.length,
    blockedNow: blocked.length,
  };
}
