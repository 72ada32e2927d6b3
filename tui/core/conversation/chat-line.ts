/** The line in which one writes to the model: what was said before, and sending. */
import type { Key } from '../input/input.js';
import { type Editor, editorOf, emptyEditor } from '../text/line-editor.js';
import { whyNot } from '../link/link-words.js';
import { call } from '../message.js';
import { type ChatLine, type Next, next, type Saying, type State, tell } from '../state.js';

const historyLimit = 500;

/** What was said or cleared can be called back. */
export const remember = (history: readonly string[], text: string): readonly string[] =>
  history.at(-1) === text ? history : [...history, text].slice(-historyLimit);

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
    return text === undefined ? leaveHistory(chat) : { ...chat, at: at + 1, editor: editorOf(text) };
  }
  return chat;
}

/** Back to what was being written. */
export const leaveHistory = (chat: ChatLine): ChatLine => ({ ...chat, at: null, editor: chat.draft, draft: emptyEditor });

/** What was said before and is now changed is new; what was being written before can then be called back. */
export function rewritten(chat: ChatLine, editor: Editor): ChatLine {
  if (chat.at === null || editor.text === chat.editor.text) return { ...chat, editor };
  const draft = chat.draft.text;
  const history = draft.trim() === '' ? chat.history : remember(chat.history, draft);
  return { ...chat, editor, at: null, history, draft: emptyEditor };
}

/** Sends the line. It can be sent again after a lost connection: its key makes it one message. */
export function sendWords(state: State): Next {
  const { chat, session, link } = state;
  const { text } = chat.editor;
  if (text.trim() === '' || session === null) return next(state);
  if (link.state !== 'open') return next(tell(state, `${whyNot(link)}: the words stay here.`, 'warn'));
  const saying: Saying = { key: `${state.clientId}-${state.nextKey}`, sessionId: session.session.id, text };
  const history = remember(chat.history, text);
  return next(
    {
      ...state,
      nextKey: state.nextKey + 1,
      // What was being written before older words were called back is there again.
      chat: { editor: chat.draft, history, at: null, draft: emptyEditor, saying: [...chat.saying, saying] },
      session: { ...session, conversationView: { ...session.conversationView, top: null, cursor: null } },
    },
    say(saying, false),
  );
}

const say = ({ key, sessionId, text }: Saying, isAgain: boolean): ReturnType<typeof call> =>
  call('chat.send', { sessionId, text, idempotencyKey: key }, { for: 'say', key, isAgain });

/** After a lost connection: what may not have arrived goes out again, under the same key. */
export const sayAgain = ({ chat }: State): ReturnType<typeof call>[] => chat.saying.map((saying) => say(saying, true));
