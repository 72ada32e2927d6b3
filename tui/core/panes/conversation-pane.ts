/** The conversation: what was said, called and answered, and what is on its way. */
import { rowsInSight } from '../conversation/conversation-view.js';
import type { Rect } from '../frame.js';
import type { Glyphs } from '../glyphs.js';
import { keysToLine } from './hints.js';
import type { Row } from '../press.js';
import { textRow } from './rows.js';
import type { SessionView, State } from '../state.js';
import type { Tone } from '../style.js';
import { sanitise, wrap } from '../text/text.js';

export function conversationPane(state: State, view: SessionView, { width, height }: Rect): readonly Row[] {
  const { chat, glyphs, focus } = state;
  const saying = chat.saying
    .filter(({ sessionId }) => sessionId === view.session.id)
    .flatMap(({ text }) => sayingRows(text, width, glyphs));
  const room = { width, height: Math.max(1, height - saying.length), glyphs, hasFocus: focus === 'conversation' };
  if (view.conversation.blocks.length === 0 && saying.length === 0) return nothingYet(state, width, height);
  return [...rowsInSight(view, room), ...saying].slice(0, height);
}

/** Rows of words that are on their way: the rest of them shows when they have arrived. */
const sayingLimit = 3;

const sayingRows = (text: string, width: number, glyphs: Glyphs): Row[] =>
  wrap(sanitise(text.slice(0, sayingLimit * width).replaceAll('\n', ' ')), Math.max(1, width - 4))
    .slice(0, sayingLimit)
    .map((line, i) => textRow(` ${i === 0 ? glyphs.prompt : ' '} ${line}`, 'dim'));

function nothingYet({ daemon, session, focus }: State, width: number, height: number): Row[] {
  const say = (text: string, tone?: Tone): Row[] => wrap(text, Math.max(1, width - 3)).map((line) => textRow(`  ${line}`, tone));
  const hasModel = daemon?.provider !== null;
  const isIdle = session?.planRun.status === 'idle';
  return [
    ...(height < 10 ? [] : [textRow('')]),
    ...say('Nothing has been said yet.', 'strong'),
    ...(height < 10 ? [] : [textRow('')]),
    ...(hasModel
      ? []
      : [
          ...say('No model is configured: only items with a command run.', 'warn'),
          ...say('Set CAIRN_MODEL and OPENAI_API_KEY (or OPENAI_BASE_URL), then: cairn daemon stop', 'dim'),
        ]),
    ...(isIdle && session.plan.items.size > 0 ? say('r runs the plan; what comes is shown here.') : []),
    ...(hasModel ? say(`${keysToLine(focus)} leads to the line in which you write.`) : []),
  ];
}
