/** A scripted model that plays both parts of a mission: the planner, told apart by its system prompt, and the worker. */
import type { Handler, Script, ScriptedRequest } from './scripted-provider.js';

export const systemOf = (body: ScriptedRequest): string => body.messages.find(({ role }) => role === 'system')?.content ?? '';

export const isPlanner = (body: ScriptedRequest): boolean => systemOf(body).includes('You are the PLANNER');

/** What the planner was last told: its newest waking. */
export const briefOf = (body: ScriptedRequest): string =>
  body.messages.findLast(({ role, content }) => role === 'user' && (content ?? '').includes('You are woken'))?.content ?? '';

/** Messages since the last waking. */
export function sinceWaking(body: ScriptedRequest): ScriptedRequest['messages'] {
  const at = body.messages.findLastIndex(({ role, content }) => role === 'user' && (content ?? '').includes('You are woken'));
  return body.messages.slice(at + 1);
}

/** True for the first request of a waking. */
export const isWoken = (body: ScriptedRequest): boolean => sinceWaking(body).every(({ role }) => role !== 'assistant');

type Part<N> = (body: ScriptedRequest, number: N) => Script | Promise<Script>;

/** `planner` gets its requests, numbered among themselves; so does `worker`. */
export function playing(parts: { readonly planner: Part<number>; readonly worker: Part<number> }): Handler {
  let planners = 0;
  let workers = 0;
  return (body) => (isPlanner(body) ? parts.planner(body, ++planners) : parts.worker(body, ++workers));
}
