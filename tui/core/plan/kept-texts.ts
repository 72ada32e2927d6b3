/** What a person wrote and that cannot go where it was meant for is kept in a file: nothing written is lost. */
import type { Intent } from './edits.js';
import type { Cmd } from '../message.js';
import type { Next, SessionView, State } from '../state.js';

export const keepText = (text: string, reason: string): Cmd => ({ type: 'keepText', text, reason });

/** What a person wrote for an edit; null for one that carries no words. */
export function textOf(intent: Intent): string | null {
  if (intent.kind === 'add') return intent.title;
  return intent.kind === 'title' || intent.kind === 'detail' || intent.kind === 'goal' ? intent.text : null;
}

/** Texts that are still on their way to the daemon. */
function textsUnderWay(session: SessionView | null): readonly string[] {
  if (session === null) return [];
  const { current, queue } = session.edits;
  const edits = [...(current === null ? [] : [current]), ...queue];
  return edits.filter(({ isUndo }) => !isUndo).flatMap(({ intent }) => textOf(intent) ?? []);
}

/** What is being written for a session, and would go away with it. */
function writtenIn({ prompt }: State): readonly string[] {
  if (prompt === null || prompt.about.kind === 'search') return [];
  const { about, editor } = prompt;
  const before = about.kind === 'title' || about.kind === 'goal' ? about.base : '';
  return editor.text.trim() === '' || editor.text === before ? [] : [editor.text];
}

/** Keeps the texts that would go away in a step: with the session that they are for, or with the screen. */
export function keepTexts(before: State, step: Next): Next {
  const after = step.state.session;
  const isLeft = step.cmds.some(({ type }) => type === 'leave');
  const isGone = before.session !== null && after?.session.id !== before.session.session.id;
  const unsent = isGone && after === null && before.prompt?.isSent === false ? writtenIn(before) : [];
  const lost = isLeft ? textsUnderWay(after) : isGone ? [...textsUnderWay(before.session), ...unsent] : [];
  if (lost.length === 0) return step;
  const reason = 'What you wrote did not reach the daemon.';
  return { ...step, cmds: [...lost.map((text) => keepText(text, reason)), ...step.cmds] };
}
