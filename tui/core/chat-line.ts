/** The line in which one writes to the model: what was said before, and sending. */
import type { Key } from './input.js';
import { editorOf, emptyEditor } from './line-editor.js';
import { whyNot } from './link-words.js';
import { call } from './message.js';
import { type ChatLine, type Next, next, type Saying, type State, tell } from './state.js';

const historyLimit = 500;

/** Up and down at the edges of the text go through what was said before. */
export function historyKey(chat: ChatLine, key: Key): ChatLine {
  const { history, at, editor, draft } = chat;
  if (key.name === 'up') {
    const to = (at ?? history.length) - 1;
    const text = history[to];
    return text === undefined ? chat : { ...chat, at: to, editor: editorOf(text), draft: at === null ? editor : draft };
  }
  if (key.name === 'down' && at !== null) {
    const text = history[at + 1];
    return text === undefined
      ? { ...chat, at: null, editor: draft, draft: emptyEditor }
      : { ...chat, at: at + 1, editor: editorOf(text) };
  }
  return chat;
}

/** Sends the line. It can be sent again after a lost connection: its key makes it one message. */
export function sendWords(state: State): Next {
  const { chat, session, link } = state;
  const { text } = chat.editor;
  if (text.trim() === '' || session === null) return next(state);
  if (link.state !== 'open') return next(tell(state, `${whyNot(link)}: the words stay here.`, 'warn'));
  const saying: Saying = { key: `${state.clientId}-${state.nextKey}`, text };
  const history = chat.history.at(-1) === text ? chat.history : [...chat.history, text].slice(-historyLimit);
  return next(
    {
      ...state,
      nextKey: state.nextKey + 1,
      chat: { editor: emptyEditor, history, at: null, draft: emptyEditor, saying: [...chat.saying, saying] },
      session: { ...session, conversationView: { ...session.conversationView, top: null, cursor: null } },
    },
    say(session.session.id, saying),
  );
}

const say = (sessionId: NonNullable<State['wanted']>, { key, text }: Saying): ReturnType<typeof call> =>
  call('chat.send', { sessionId, text, idempotencyKey: key }, { for: 'say', key });

/** After a lost connection: what may not have arrived goes out again, under the same key. */
export const sayAgain = ({ chat, session }: State): ReturnType<typeof call>[] =>
  session === null ? [] : chat.saying.map((saying) => say(session.session.id, saying));
