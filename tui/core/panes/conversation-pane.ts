/** The conversation: what was said, called and answered, and what is on its way. */
import { rowsInSight } from '../conversation-view.js';
import type { Rect } from '../frame.js';
import type { Row } from '../press.js';
import { textRow } from '../rows.js';
import type { SessionView, State } from '../state.js';
import { sanitise, wrap } from '../text.js';

export function conversationPane(state: State, view: SessionView, { width, height }: Rect): readonly Row[] {
  const { chat, glyphs, focus } = state;
  const saying = chat.saying.flatMap(({ text }) =>
    wrap(sanitise(text.replaceAll('\n', ' ')), Math.max(1, width - 4)).map((line, i) =>
      textRow(` ${i === 0 ? glyphs.prompt : ' '} ${line}`, 'dim'),
    ),
  );
  const room = { width, height: Math.max(1, height - saying.length), glyphs, hasFocus: focus === 'conversation' };
  if (view.conversation.blocks.length === 0 && saying.length === 0) return nothingYet(state);
  return [...rowsInSight(view, room), ...saying].slice(0, height);
}

function nothingYet({ daemon, session }: State): Row[] {
  const hasModel = daemon?.provider !== null;
  const isIdle = session?.planRun.status === 'idle';
  return [
    textRow(''),
    textRow('  Nothing has been said yet.', 'strong'),
    textRow(''),
    ...(isIdle && session.plan.items.size > 0 ? [textRow('  r runs the plan; what comes is shown here.')] : []),
    textRow(
      hasModel ? '  Tab leads to the line in which you write.' : '  No model is configured: only items with a command run.',
      hasModel ? 'plain' : 'warn',
    ),
    ...(hasModel
      ? []
      : [
          textRow('  Set CAIRN_MODEL and OPENAI_API_KEY (or OPENAI_BASE_URL),', 'dim'),
          textRow('  then: cairn daemon stop', 'dim'),
        ]),
  ];
}
