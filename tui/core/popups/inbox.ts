/** What waits for the person: one entry after the other, with all that it asks, and the answers. */
import type { InboxEntry } from '../../../shared/mission.js';
import { unreachable } from '../../../shared/errors.js';
import type { Key } from '../input/input.js';
import { layoutEditor } from '../text/editor-layout.js';
import { applyKey, emptyEditor } from '../text/line-editor.js';
import { call, type Call } from '../message.js';
import { listedItem } from '../plan/plan-model.js';
import type { Row } from '../press.js';
import { blankRow, row, span, textRow } from '../panes/rows.js';
import type { State } from '../state.js';
import { duration, reveal, sanitise, wrap } from '../text/text.js';
import { buttons, insideOf, lastScroll, type PopupView } from './box.js';
import type { InboxPopup } from './popup.js';

/** The entry that the popup is about. Never another one in its place: a yes is only for what was read. */
export function entryOf({ entry }: InboxPopup, { session }: State): InboxEntry | null {
  return session?.inbox.find(({ id }) => id === entry) ?? null;
}

interface Answer {
  readonly key: string;
  readonly label: string;
  readonly call: Call;
}

const labels: Readonly<Record<string, readonly [key: string, label: string]>> = {
  allow: ['a', 'Allow once'],
  always: ['A', 'Always this command'],
  deny: ['d', 'Deny'],
};

const seen = (id: string): Answer => ({ key: 's', label: 'Seen', call: call('inbox.ack', { id }, { for: 'popup' }) });

/** What can be answered. A `key` takes it at once; the options of a question have none, as its answer may begin with any. */
export function answersTo(entry: InboxEntry): readonly Answer[] {
  const { id } = entry;
  switch (entry.kind) {
    case 'approval':
    case 'budget':
      // A budget that blocked asks nothing: it is only seen.
      if (entry.options.length === 0) return [seen(id)];
      return entry.options.map((option): Answer => {
        const [key, label] = labels[option] ?? [option.slice(0, 1), option];
        return { key, label, call: call('inbox.answer', { id, answer: option }, { for: 'popup' }) };
      });
    case 'question':
      return entry.options.map((option): Answer => ({
        key: '',
        label: option,
        call: call('inbox.answer', { id, answer: option }, { for: 'popup' }),
      }));
    case 'blocker':
    case 'plan_revised':
    case 'outcome':
      return [seen(id)];
    default:
      return unreachable(entry.kind);
  }
}

/** It tells what happened, and wants no more than to be seen. */
export const isNews = ({ kind }: InboxEntry): boolean => kind === 'plan_revised' || kind === 'outcome';

/** The one that one looks at first: what has waited longest for an answer or a deed, else the oldest news. */
export const firstEntry = (inbox: readonly InboxEntry[]): InboxEntry | null =>
  inbox.findLast((entry) => !isNews(entry)) ?? inbox.at(-1) ?? null;

const isText = (entry: InboxEntry): boolean => entry.kind === 'question';

/** The choice while one writes an answer of one's own. */
const inField = -1;

/** Deny, where there is one: never a yes that nobody chose. */
const safest = (answers: readonly Answer[]): number =>
  Math.max(
    0,
    answers.findIndex(({ key }) => key === 'd'),
  );

/** `answers`: what was written for entries before. */
export const openInbox = (entry: InboxEntry | null, answers: State['answers']): InboxPopup => ({
  kind: 'inbox',
  entry: entry?.id ?? null,
  choice: entry === null ? 0 : isText(entry) ? inField : safest(answersTo(entry)),
  editor: (entry && answers.get(entry.id)) ?? emptyEditor,
  scroll: 0,
  sent: null,
  error: null,
});

export function inboxView(popup: InboxPopup, state: State): PopupView {
  const { width } = insideOf(state.size);
  const entry = entryOf(popup, state);
  const inbox = state.session?.inbox ?? [];
  if (entry === null) return { title: 'Inbox', rows: nothingHere(popup, inbox.length), scroll: 0, footer: [] };
  const at = inbox.indexOf(entry);
  const answers = answersTo(entry);
  const footer: Row[] = [blankRow];
  if (popup.error !== null) footer.push(textRow(sanitise(popup.error), 'bad'));
  let cursor: PopupView['cursor'];
  if (popup.sent === entry.id) footer.push(textRow('Sent.', 'dim'));
  else if (isText(entry)) {
    const { lines, cursor: place } = layoutEditor(popup.editor, Math.max(1, width - 10), 1);
    footer.push(row(span('Answer  ', 'dim'), span(lines[place.row] ?? '')));
    cursor = { part: 'footer', row: footer.length - 1, column: 8 + place.column };
    if (popup.choice !== inField) cursor = undefined;
    if (answers.length > 0) footer.push(...buttons(answers, popup.choice, width));
  } else footer.push(...buttons(answers, popup.choice, width));
  const title = inbox.length > 1 ? `Inbox ${at + 1} of ${inbox.length} (Up, Down)` : 'Inbox';
  return {
    title,
    tone: 'warn',
    rows: entryRows(entry, state, width),
    scroll: popup.scroll,
    footer,
    ...(cursor ? { cursor } : {}),
  };
}

function nothingHere({ entry }: InboxPopup, others: number): Row[] {
  if (others === 0) return [textRow('Nothing waits for you.', 'dim')];
  return entry === null
    ? [textRow('Something waits for you now.', 'warn'), textRow('Down shows it.')]
    : [textRow('This one is settled.', 'dim'), textRow(`Down shows the next (${others} more).`)];
}

function entryRows(entry: InboxEntry, state: State, width: number): Row[] {
  const { session } = state;
  // Ids are the same in every plan: that of a mission below is not this one.
  const isHere = session?.session.id === entry.sessionId;
  const item = isHere ? listedItem(session.plan, entry.itemId) : null;
  const rows: Row[] = wrap(sanitise(entry.title), width).map((line) => textRow(line, 'strong'));
  if (item && !entry.title.includes(item.title)) rows.push(textRow(`${item.number} ${sanitise(item.title)}`, 'dim'));
  if (!isHere) rows.push(textRow(`In another mission, ${sanitise(entry.sessionId)}`, 'dim'));
  rows.push(blankRow);
  // Of what one says yes to, nothing may be hidden.
  const lines = reveal(entry.detail).split('\n');
  for (const line of lines)
    rows.push(
      ...wrap(line, Math.max(1, width - 2)).map((piece) => textRow(`  ${piece}`, entry.kind === 'approval' ? 'busy' : 'plain')),
    );
  if (entry.deadline !== null) {
    const left = Date.parse(entry.deadline) - state.now;
    rows.push(
      blankRow,
      textRow(
        left > 0 ? `In ${duration(left)} without an answer: ${entry.default ?? 'it goes on without one'}` : 'Its time is over.',
        'dim',
      ),
    );
  }
  return rows;
}

/** The field, then the options one after the other. */
const turn = (choice: number, by: 1 | -1, options: number): number => ((choice + 1 + by + options + 1) % (options + 1)) - 1;

/** The popup after a key, the call of the answer that was given, or null when it is left. */
export function inboxKey(popup: InboxPopup, key: Key, state: State): InboxPopup | Call | null {
  if (key.name === 'escape') return null;
  const entry = entryOf(popup, state);
  const inbox = state.session?.inbox ?? [];
  if (entry === null) {
    if (inbox.length === 0) return null;
    return key.name === 'down' || key.name === 'up' ? openInbox(firstEntry(inbox), state.answers) : popup;
  }
  const answers = answersTo(entry);
  const go = (by: number): InboxPopup => {
    const next = inbox[Math.max(0, Math.min(inbox.length - 1, inbox.indexOf(entry) + by))] ?? entry;
    return next === entry ? popup : openInbox(next, state.answers);
  };
  const inside = insideOf(state.size);
  const scrolled = (by: number): InboxPopup => ({
    ...popup,
    scroll: Math.max(0, Math.min(popup.scroll + by, lastScroll(inboxView(popup, state), inside))),
  });
  switch (key.name) {
    case 'up':
      return go(-1);
    case 'down':
      return go(1);
    case 'pageup':
      return scrolled(-inside.height + 4);
    case 'pagedown':
      return scrolled(inside.height - 4);
  }
  if (popup.sent === entry.id) return popup;
  if (isText(entry)) {
    if (key.name === 'tab') return { ...popup, choice: turn(popup.choice, key.shift ? -1 : 1, answers.length) };
    if (key.name === 'enter' && popup.choice !== inField) return answers[popup.choice]?.call ?? popup;
    if (key.name === 'enter' && !key.alt && popup.editor.text.trim() !== '') {
      return call('inbox.answer', { id: entry.id, answer: popup.editor.text }, { for: 'popup' });
    }
    const editor = applyKey(popup.editor, key, { multiline: false });
    return editor === null ? popup : { ...popup, editor, choice: inField, error: null };
  }
  switch (key.name) {
    case 'left':
      return { ...popup, choice: Math.max(0, popup.choice - 1) };
    case 'right':
      return { ...popup, choice: Math.min(answers.length - 1, popup.choice + 1) };
    case 'tab':
      return { ...popup, choice: (popup.choice + 1) % Math.max(1, answers.length) };
    case 'enter':
      return answers[popup.choice]?.call ?? popup;
    default:
      return answers.find((answer) => answer.key !== '' && answer.key === key.text)?.call ?? popup;
  }
}
