/**
 * The port of a tool that the engine answers itself: what it changes is committed together with its result, so that nobody
 * ever has to wonder whether it was done. None takes a session id: each acts on the session whose run called it.
 */
import { z } from 'zod';
import type { MissionOrder, Outcome, PolicyInput, ReportText } from '../../shared/mission.js';
import type { ItemId } from '../../shared/plan.js';
import type { EffectId } from '../../shared/run.js';
import type { InboxDraft, RunRef } from '../domain/run-state.js';
import type { TaskEntry } from '../domain/plan-snapshot.js';
import type { ToolSchema } from '../providers/provider.js';
import type { CallEnd, SessionRecord } from '../store/store.js';

export const missionToolNames = [
  'mission_plan',
  'mission_report',
  'mission_ask_attention',
  'mission_expand',
  'mission_finish',
  'mission_fire',
] as const;
export type MissionToolName = (typeof missionToolNames)[number];

/** Whose call it is. */
export interface MissionCall {
  readonly session: SessionRecord;
  readonly ref: RunRef;
  readonly itemId: ItemId | null;
  readonly effectId: EffectId;
  readonly toolCallId: string;
  /** The run plans and works itself: it may say that it has done an item. */
  readonly isSolo: boolean;
  /** A person reads along: a revision need not be told to them once more. */
  readonly isAttended: boolean;
  readonly model: string | null;
  readonly signal: AbortSignal;
  /** Writes the intent, once; false when the run is no longer the current one. Before anything is changed. */
  readonly begin: () => Promise<boolean>;
}

/** The result of a call, for the transaction of what it changes. */
export function callEnd(call: MissionCall, content: string, more: Pick<CallEnd, 'planVersion' | 'seenVersion'> = {}): CallEnd {
  return {
    id: call.effectId,
    sessionId: call.session.id,
    runId: call.ref.runId,
    state: 'done',
    toolCallId: call.toolCallId,
    content,
    ...more,
  };
}

export type MissionAnswer =
  /** Stored with its result now. `report` is filed in the same transaction. */
  | { readonly type: 'answered'; readonly content: string; readonly report?: ReportText }
  /** The change and the result are committed already. `ends`: the run has nothing more to do. */
  | { readonly type: 'committed'; readonly content: string; readonly ends: boolean }
  /** A person is asked; the call is answered when they have. */
  | { readonly type: 'ask'; readonly entry: InboxDraft }
  | { readonly type: 'refused'; readonly content: string; readonly planVersion?: number }
  /** The run is no longer the current one. */
  | { readonly type: 'stopped' };

export interface AskedRevision {
  readonly entries: readonly TaskEntry[];
  readonly explanation: string | null;
  readonly within: ItemId | undefined;
}

export interface AskedMission extends MissionOrder {
  readonly goal: string;
  readonly policy: PolicyInput | undefined;
}

export interface AskedQuestion {
  readonly question: string;
  readonly options: readonly string[];
  /** Seconds; null: the usual time. */
  readonly deadline: number | null;
  readonly default: string | null;
}

/** What the tools can have done. */
export interface MissionDesk {
  revise(call: MissionCall, asked: AskedRevision): Promise<MissionAnswer>;
  finish(call: MissionCall, asked: { readonly outcome: Outcome; readonly reason: string }): Promise<MissionAnswer>;
  fire(call: MissionCall, asked: AskedMission): Promise<MissionAnswer>;
  expand(call: MissionCall, itemId: ItemId): Promise<MissionAnswer>;
  ask(call: MissionCall, asked: AskedQuestion): Promise<MissionAnswer>;
}

export interface MissionTool {
  readonly name: MissionToolName;
  readonly schema: ToolSchema;
  /** `args`: JSON text, redacted. */
  answer(args: string, call: MissionCall, desk: MissionDesk): Promise<MissionAnswer>;
}

/** A tool from its schema: arguments that do not fit are refused with the place of each fault, unknown fields included. */
export function missionTool<A>(
  name: MissionToolName,
  description: string,
  schema: z.ZodType<A>,
  answer: (asked: A, call: MissionCall, desk: MissionDesk) => Promise<MissionAnswer>,
): MissionTool {
  let shown: ToolSchema | undefined;
  return {
    name,
    // Made when a run first needs it: it is no part of a start.
    get schema() {
      if (shown === undefined) {
        const parameters = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
        delete parameters.$schema;
        shown = { name, description, parameters };
      }
      return shown;
    },
    async answer(args, call, desk) {
      const asked = readArguments(name, schema, args);
      return asked.ok ? answer(asked.value, call, desk) : { type: 'refused', content: asked.error };
    },
  };
}

/** The arguments of a call, or what is wrong with them in words for the model. */
export function readArguments<A>(
  name: MissionToolName,
  schema: z.ZodType<A>,
  text: string,
): { readonly ok: true; readonly value: A } | { readonly ok: false; readonly error: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, error: `${name}: the arguments are not valid JSON: ${String(error)}` };
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, value: parsed.data };
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
  return { ok: false, error: `${name}: ${issues.join('; ')}` };
}
