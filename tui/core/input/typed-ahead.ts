/** What is typed while a prompt waits for its answer. It counts as if it were typed afterwards: fast fingers lose nothing. */
import type { Key, Paste } from './input.js';
import { andThen, type Next, type State } from '../state.js';

export type Typed = Key | Paste;

export const typeAhead = (state: State, input: Typed): State => ({ ...state, ahead: [...state.ahead, input] });

/** Takes it up once the prompt is settled and there is something to type into. What follows a refusal was not meant for it. */
export function takeTyped(step: Next, take: (state: State, input: Typed) => Next): Next {
  const { ahead, prompt, session, wanted } = step.state;
  const isWaiting = prompt?.isSent === true || (session === null && wanted !== null);
  if (ahead.length === 0 || isWaiting) return step;
  const settled: Next = { ...step, state: { ...step.state, ahead: [] } };
  if (session === null || (prompt !== null && prompt.error !== null)) return settled;
  return ahead.reduce((before, input) => andThen(before, (state) => take(state, input)), settled);
}
