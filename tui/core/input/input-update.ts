/** Keys, pastes and the mouse: to the popup, the prompt, the line, or the keymap. */
import { unreachable } from '../../../shared/errors.js';
import { act, detach } from '../actions/act.js';
import { enqueue } from '../plan/edit-queue.js';
import type { Intent } from '../plan/edits.js';
import { searchAsTyped } from '../actions/act-look.js';
import { focusPane, pointAt, scrollBy } from '../actions/act-move.js';
import type { Key } from './input.js';
import { actionOf, lineActionOf } from '../keymap.js';
import { applyKey, type Editor, emptyEditor, insert } from '../text/line-editor.js';
import { layoutOf } from '../layout.js';
import { call } from '../message.js';
import { popupKey } from '../popups/popup-update.js';
import { type Next, next, type Prompt, type SessionView, type State, tell, withSession } from '../state.js';
import { historyKey, leaveHistory, remember, rewritten, sendWords } from '../conversation/chat-line.js';
import { typeAhead } from './typed-ahead.js';

export function keyPressed(before: State, key: Key): Next {
  const isInterrupt = lineActionOf(key) === 'interrupt';
  const action = actionOf(key, before.focus);
  if (action === 'suspend') return act(before, action);
  // What cannot be seen cannot be decided.
  if (layoutOf(before).isTooSmall) return isInterrupt || actionOf(key, 'plan') === 'detach' ? detach(before) : next(before);
  const notice = before.notice;
  const state = notice === null ? before : { ...before, notice: null };
  if (state.popup !== null) return popupKey(state, isInterrupt ? escape : key);
  if (state.prompt !== null) return promptKey(state, state.prompt, isInterrupt ? escape : key);
  if (isInterrupt) return interrupt(state, before);
  if (state.session === null) return state.ahead.length > 0 ? next(typeAhead(state, key)) : startKey(state, key, before);
  if (action === 'detach') return detach(before);
  if (action !== null) return act(state, action);
  return state.focus === 'line' ? lineKey(state, key) : next(state);
}

const escape: Key = { type: 'key', name: 'escape', ctrl: false, alt: false, shift: false, text: null };

/** Clears the line first; the daemon goes on whatever happens here. */
function interrupt(state: State, before: State): Next {
  const { chat } = state;
  if (chat.at !== null) return next({ ...state, chat: leaveHistory(chat) });
  if (chat.editor.text === '') return detach(before);
  const cleared = { ...chat, editor: emptyEditor, at: null, history: remember(chat.history, chat.editor.text) };
  return next(tell({ ...state, chat: cleared }, 'Cleared. Up brings it back; Ctrl-c once more leaves.'));
}

/** Without a session there are only a few things to do. */
function startKey(state: State, key: Key, before: State): Next {
  const action = actionOf(key, 'start');
  if (action === null) return next(state);
  if (action === 'detach') return detach(before);
  // There may be a session that is not known yet.
  if (action === 'newSession' && !(state.isLookedUp && state.link.state === 'open')) return next(state);
  return act(state, action);
}

/** From the line, the conversation moves by this. */
const scrolledRows = 10;

function lineKey(state: State, key: Key): Next {
  const { chat } = state;
  const action = lineActionOf(key);
  switch (action) {
    case 'leaveLine':
      return next(focusPane(state, layoutOf(state).plan === null ? 'conversation' : 'plan'));
    case 'send':
      return sendWords(state);
    case 'scrollUp':
    case 'scrollDown':
      return scrollBy(state, action === 'scrollUp' ? -scrolledRows : scrolledRows);
    case 'interrupt':
      return interrupt(state, state);
    case 'newLine':
    case 'earlier':
    case 'erase':
    case 'bringBack':
    case 'undoTyping':
    case null: {
      const editor = applyKey(chat.editor, key);
      return next({ ...state, chat: editor === null ? historyKey(chat, key) : rewritten(chat, editor) });
    }
    default:
      return unreachable(action);
  }
}

function promptKey(state: State, prompt: Prompt, key: Key): Next {
  const { about } = prompt;
  // While it waits, Escape counts as everything else does: behind what was sent. Once more leaves at once.
  const isForLater = prompt.isSent && !endsInEscape(state.ahead);
  if (key.name === 'escape' && !isForLater) return next(leavePrompt(state, prompt));
  if (prompt.isSent) return next(typeAhead(state, key));
  const hasLines = about.kind === 'goal' || about.kind === 'draft';
  if (key.name === 'enter' && !(hasLines && (key.alt || key.shift))) return submit(state, prompt);
  const editor = applyKey(prompt.editor, key, { multiline: isLong(about) });
  return editor === null ? next(state) : next(typed(state, prompt, editor));
}

/** What may have several lines. */
const isLong = ({ kind }: Prompt['about']): boolean => kind === 'goal' || kind === 'guidance' || kind === 'draft';

const endsInEscape = (ahead: State['ahead']): boolean => {
  const last = ahead.at(-1);
  return last?.type === 'key' && last.name === 'escape';
};

function typed(state: State, prompt: Prompt, editor: Editor): State {
  const { key: _key, ...other } = prompt;
  const isSame = editor.text === prompt.editor.text;
  const changed: State = { ...state, prompt: isSame ? { ...prompt, editor } : { ...other, editor, error: null } };
  return prompt.about.kind === 'search' && editor.text !== prompt.editor.text
    ? searchAsTyped(changed, editor.text, prompt.about.from)
    : changed;
}

/** Nothing of it is kept, and the cursor is where it was. */
function leavePrompt(state: State, { about }: Prompt): State {
  const left = { ...state, prompt: null, ahead: [] };
  if (about.kind !== 'search') return left;
  const back = about.from === null ? left : pointAt(left, about.from);
  return withSession(back, ({ planView }) => ({ planView: { ...planView, search: '' } }));
}

function submit(state: State, prompt: Prompt): Next {
  const { about, editor } = prompt;
  const { text } = editor;
  const key = prompt.key ?? `${state.clientId}-${state.nextKey}`;
  const sent: State = { ...state, prompt: { ...prompt, isSent: true, error: null } };
  const edit = (intent: Intent): Next => enqueue(sent, [intent]);
  const keyed: State = { ...state, nextKey: state.nextKey + 1, prompt: { ...prompt, key, isSent: true, error: null } };
  switch (about.kind) {
    case 'add':
      if (text.trim() === '') return next({ ...state, prompt: null });
      return enqueue(keyed, [{ kind: 'add', parentId: about.parentId, afterId: about.afterId, title: text, key }]);
    case 'title':
      if (text.trim() === '')
        return next({ ...state, prompt: { ...prompt, error: 'A title cannot be empty. x removes the item.' } });
      return edit({ kind: 'title', itemId: about.itemId, base: about.base, text });
    case 'goal':
      return edit({ kind: 'goal', base: about.base, text });
    case 'search':
      return next({ ...state, prompt: null });
    case 'guidance':
      if (state.session === null) return next(state);
      return next(
        sent,
        call(
          'run.retry',
          { sessionId: state.session.session.id, ...(text.trim() === '' ? {} : { guidance: text }) },
          { for: 'prompt' },
        ),
      );
    case 'draft': {
      const { session } = state;
      if (session === null) return next(state);
      const hint = text.trim() !== '' ? null : hintForDraft(session);
      if (hint !== null) return next({ ...state, prompt: { ...prompt, error: hint } });
      const { id: sessionId } = session.session;
      return next(
        keyed,
        call('plan.draft', { sessionId, ...(text.trim() === '' ? {} : { text }), idempotencyKey: key }, { for: 'prompt' }),
      );
    }
    case 'newSession':
      // The new plan is what one wants to see then.
      return next(
        { ...keyed, focus: 'plan', tab: 'plan' },
        call(
          'session.create',
          { ...(text.trim() === '' ? {} : { goal: text }), workspace: state.folder, idempotencyKey: key },
          { for: 'prompt' },
        ),
      );
    default:
      return unreachable(about);
  }
}

/** Why nothing can be drafted without a word; null where the goal says what for. */
function hintForDraft({ session, plan }: SessionView): string | null {
  if (plan.items.size > 0) return 'Say what is to change in the plan.';
  return session.goal.trim() === '' ? 'Say what the plan is to be for: there is no goal yet.' : null;
}

/** A paste is one edit, wherever one writes; elsewhere it goes to the line, so that none is taken for keys. */
export function pasted(state: State, text: string): Next {
  const { popup, prompt, chat } = state;
  if (popup?.kind === 'sessions')
    return next({ ...state, popup: { ...popup, filter: insert(popup.filter, oneLine(text)), chosen: null } });
  if (popup?.kind === 'inbox') return next({ ...state, popup: { ...popup, editor: insert(popup.editor, oneLine(text)) } });
  if (popup !== null) return next(state);
  if (prompt !== null) {
    if (prompt.isSent) return next(typeAhead(state, { type: 'paste', text }));
    return next(typed(state, prompt, insert(prompt.editor, isLong(prompt.about) ? text : oneLine(text))));
  }
  if (state.session === null) return next(state);
  return next({ ...state, focus: 'line', chat: rewritten(chat, insert(chat.editor, text)) });
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s*\n\s*/g, ' ');
