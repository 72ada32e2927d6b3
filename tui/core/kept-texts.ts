/** What was written in an editor and cannot go where it was meant for is kept in a file: nothing written is lost. */
import type { Cmd } from './message.js';
import type { Next, SessionView } from './state.js';

export const keepText = (text: string, reason: string): Cmd => ({ type: 'keepText', text, reason });

/** Details that are still on their way to the daemon. */
function detailsUnderWay(session: SessionView | null): readonly string[] {
  if (session === null) return [];
  const { current, queue } = session.edits;
  return [...(current === null ? [] : [current]), ...queue].flatMap(({ intent }) =>
    intent.kind === 'detail' ? [intent.text] : [],
  );
}

/** Keeps the details that would go away in a step: with the session that they are for, or with the screen. */
export function keepDetails(before: SessionView | null, step: Next): Next {
  const after = step.state.session;
  const isLeft = step.cmds.some(({ type }) => type === 'leave');
  const lost = isLeft ? detailsUnderWay(after) : after?.session.id === before?.session.id ? [] : detailsUnderWay(before);
  if (lost.length === 0) return step;
  const reason = 'A detail did not reach the daemon.';
  return { ...step, cmds: [...lost.map((text) => keepText(text, reason)), ...step.cmds] };
}
