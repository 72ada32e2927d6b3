/** What happened since a day, for somebody who was away: what needs them first, then what stands still, and what was done. */
import type { InboxEntry, Landed, Summary } from '../../../shared/mission.js';
import { type Glyphs, outcomeGlyph, statusGlyph } from '../glyphs.js';
import type { Key } from '../input/input.js';
import { keyOf } from '../keymap.js';
import { toneOf } from '../lines/tree-view.js';
import { isAsked } from '../lines/watch-lines.js';
import { type Answered, call, type Call } from '../message.js';
import { revisionWords } from '../missions/revision-words.js';
import { blankRow, textRow } from '../panes/rows.js';
import type { Row } from '../press.js';
import { type Next, next, type State } from '../state.js';
import type { Tone } from '../style.js';
import { cost, count } from '../text/numbers.js';
import { countOf, duration, reveal, sanitise, wrap } from '../text/text.js';
import { buttons, insideOf, type PopupView } from './box.js';
import { keep, type Page } from './detail-rows.js';
import type { ReportPopup } from './popup.js';
import { scrollKey } from './scroll.js';

export const openReport: ReportPopup = { kind: 'report', of: 'session', summary: null, scroll: 0, error: null };

/** Of the last day, unless the daemon is told otherwise. */
export function readReport({ session }: State, { of }: ReportPopup): Call[] {
  if (session === null) return [];
  return [call('report.summary', of === 'all' ? {} : { sessionId: session.session.id }, { for: 'popup' })];
}

type Asked = Pick<Extract<Answered, { method: 'report.summary' }>, 'params'>;
const isAwaited = (popup: ReportPopup, { params }: Asked): boolean =>
  (popup.of === 'session') === (params.sessionId !== undefined);

export function takeReport(state: State, answer: Extract<Answered, { method: 'report.summary' }>): State {
  const { popup } = state;
  if (popup?.kind !== 'report' || !isAwaited(popup, answer)) return state;
  return { ...state, popup: { ...popup, summary: answer.result, error: null } };
}

export function reportRefused(state: State, asked: Extract<Call, { method: 'report.summary' }>, error: string): State {
  const { popup } = state;
  return popup?.kind === 'report' && isAwaited(popup, asked) ? { ...state, popup: { ...popup, error } } : state;
}

/** What can be done: another report, or answering what needs the person. */
const doings = (of: ReportPopup['of']): readonly { readonly key: string; readonly label: string }[] => [
  { key: 'Tab', label: of === 'all' ? 'of this session' : 'of all sessions' },
  { key: keyOf('inbox'), label: 'inbox' },
];

export function reportView(popup: ReportPopup, state: State): PopupView {
  const { width } = insideOf(state.size);
  const { summary, error, of } = popup;
  const isReading = summary === null && error === null;
  const rows: readonly Row[] = [
    ...(error === null ? [] : wrap(sanitise(error), width).map((line) => textRow(line, 'bad'))),
    ...(isReading ? [textRow('Reading.', 'dim')] : []),
    ...(summary === null
      ? []
      : keep(summary, width, state.glyphs, null, (page) => tellSummary(summary, state.glyphs, page, of === 'all'))),
  ];
  return {
    title: of === 'all' ? 'Report of all sessions (UTC)' : 'Report (times in UTC)',
    rows,
    scroll: popup.scroll,
    footer: buttons(doings(of), -1, width),
    isLarge: true,
  };
}

/** `2026-03-01 09:05`. */
const timeOf = (iso: string): string => iso.slice(0, 16).replace('T', ' ');
const oneLine = (text: string): string => sanitise(text.trim().replaceAll(/\s*\n\s*/g, ' '));

function tellSummary(summary: Summary, glyphs: Glyphs, page: Page, isOfAll: boolean): void {
  const { say, rows } = page;
  const { accepted, claimed, blocked, outcomes, revisions, needsPerson, underWay, since, until, isCut } = summary;
  const part = <T>(title: string, all: readonly T[], tone: Tone, one: (thing: T) => void): void => {
    if (all.length === 0) return;
    rows.push(blankRow);
    say(`${title} (${all.length})`, tone);
    for (const thing of all) one(thing);
  };
  /** One session tells of itself; of several each is named. */
  const sessions = new Set([...accepted, ...claimed, ...blocked, ...outcomes, ...revisions].map(({ sessionId }) => sessionId));
  const isNamed = isOfAll || sessions.size > 1;
  const from = (session: string): string => (isNamed ? `${oneLine(session)}: ` : '');
  say(`${timeOf(since)} to ${timeOf(until)}`, 'dim');
  say(spentWords(summary), 'plain');
  part('Needs you', needsPerson, 'warn', (entry) => tellEntry(entry, page));
  part('Standing still', blocked, 'bad', ({ session, status, number, title, why, since: from_ }) => {
    const what = title === null ? oneLine(session) : `${from(session)}${number ?? ''} ${oneLine(title)}`;
    say(`${statusGlyph(status, glyphs)} ${status} ${what.trim()}`, toneOf(status), 2);
    say(`since ${timeOf(from_)}`, 'dim', 4);
    say(why.trim().split('\n').map(sanitise).join('\n'), 'plain', 4);
  });
  part('Ended', outcomes, 'strong', ({ session, outcome, reason, landed }) => {
    const tone: Tone = outcome === 'landed' ? 'good' : outcome === 'stuck' ? 'warn' : 'bad';
    say(`${outcomeGlyph(outcome, glyphs)} ${outcome} ${oneLine(session)}`, tone, 2);
    say(oneLine(reason), 'plain', 4);
    tellLanded(landed, glyphs, page);
  });
  part('Accepted: every check passed', accepted, 'good', ({ session, number, title }) => {
    say(`${glyphs.accepted} ${from(session)}${number} ${oneLine(title)}`, 'plain', 2);
  });
  part('Only claimed: the work says so', claimed, 'accent', ({ session, number, title, summary: said }) => {
    say(`${glyphs.claimed} ${from(session)}${number} ${oneLine(title)}`, 'plain', 2);
    if (said !== null && said.trim() !== '') say(oneLine(said), 'dim', 4);
  });
  part('Plan revised', revisions, 'strong', ({ session, version, author, ...revision }) => {
    say(`${from(session)}v${version} ${author} ${revisionWords(revision, glyphs)}`, 'plain', 2);
  });
  part('Under way', underWay, 'busy', ({ session, status }) => {
    say(`${statusGlyph(status, glyphs)} ${status} ${oneLine(session)}`, toneOf(status), 2);
  });
  if (isCut) say('There is more: a list is cut at a thousand.', 'dim');
}

function spentWords({ spent, accepted, claimed }: Summary): string {
  const { turns, inputTokens, outputTokens, costUsd, durationMs } = spent;
  const done = `${accepted.length} accepted, ${claimed.length} only claimed`;
  if (turns === 0) return `${done}. Nothing was spent.`;
  const parts = [
    ...(costUsd === null ? [] : [cost(costUsd)]),
    `${count(inputTokens + outputTokens)} tokens`,
    countOf(turns, 'turn'),
    `${duration(durationMs)} of work`,
  ];
  return `${done}. Spent: ${parts.join(', ')}.`;
}

function tellEntry(entry: InboxEntry, { say }: Page): void {
  say(`? ${oneLine(entry.title)}`, isAsked(entry) ? 'warn' : 'plain', 2);
  if (entry.kind === 'approval') say(reveal(entry.detail), 'busy', 4);
  if (entry.deadline !== null) say(`until ${timeOf(entry.deadline)}, then ${oneLine(entry.default ?? 'no answer')}`, 'dim', 4);
}

function tellLanded(
  { planned, added, dropped, done, skipped, addedTitles, droppedTitles }: Landed,
  glyphs: Glyphs,
  page: Page,
): void {
  const { say } = page;
  say(`${planned} planned, ${added} added, ${dropped} dropped: ${done} done, ${skipped} skipped`, 'dim', 4);
  for (const title of addedTitles) say(`+ ${oneLine(title)}`, 'dim', 4);
  for (const title of droppedTitles) say(`${glyphs.minus} ${oneLine(title)}`, 'dim', 4);
}

/** The step after a key; the inbox, where what needs a person is answered. */
export function reportKey(popup: ReportPopup, key: Key, state: State): Next | 'inbox' {
  switch (key.name) {
    case 'escape':
    case 'enter':
    case 'q':
      return next({ ...state, popup: null });
    case 'tab':
      return turnReport(popup, state);
    default: {
      if (key.text === keyOf('inbox')) return 'inbox';
      const scrolling = key.name === 'space' ? { ...key, name: 'pagedown' } : key;
      const scroll = scrollKey(scrolling, reportView(popup, state), insideOf(state.size));
      return next(scroll === null ? state : { ...state, popup: { ...popup, scroll } });
    }
  }
}

/** A click on what can be done. */
export const reportButton = (popup: ReportPopup, index: number, state: State): Next | 'inbox' =>
  index === 0 ? turnReport(popup, state) : 'inbox';

/** From this session to all of them, and back. */
function turnReport(popup: ReportPopup, state: State): Next {
  const turned: ReportPopup = { ...openReport, of: popup.of === 'all' ? 'session' : 'all' };
  return next({ ...state, popup: turned }, ...readReport(state, turned));
}
