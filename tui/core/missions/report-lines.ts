/** What happened since a time, for somebody who was away: a section for each kind of thing, none for what there is nothing of. */
import type { Summary } from '../../../shared/mission.js';
import { outcomeGlyph, statusGlyph } from '../glyphs.js';
import { toneOf, type ViewOptions, whyLines } from '../lines/tree-view.js';
import { isAsked } from '../lines/watch-lines.js';
import { countOf, duration, fit, sanitise } from '../text/text.js';
import { cost, count } from '../text/numbers.js';
import type { Tone } from '../style.js';
import { revisionWords } from './revision-words.js';

/** Entries of a section that are shown; `--json` has them all. */
const shownEntries = 50;

export function reportLines(summary: Summary, view: ViewOptions): string[] {
  const parts = [
    doneSection('Accepted', summary.accepted, 'good', view.glyphs.accepted, summary, view),
    doneSection('Only claimed', summary.claimed, 'plain', view.glyphs.claimed, summary, view),
    outcomesSection(summary, view),
    blockedSection(summary, view),
    revisionsSection(summary, view),
    spentSection(summary, view),
    underWaySection(summary, view),
    needsPersonSection(summary, view),
  ].filter((lines) => lines.length > 0);
  const { since, until, isCut } = summary;
  return [
    view.paint('dim', `${dayAndTime(since)} to ${dayAndTime(until)}`),
    ...(parts.length === 0 ? ['Nothing happened, and nothing waits for you.'] : parts.flat()),
    ...(isCut ? ['There is more: a list is cut at a thousand entries.'] : []),
  ];
}

/** A section of entries, each with its lines, the first of which begins at the margin. */
function section(title: string, entries: readonly (readonly string[])[], { paint }: ViewOptions): string[] {
  if (entries.length === 0) return [];
  const more = entries.length - shownEntries;
  return [
    '',
    paint('strong', `${title} (${entries.length})`),
    ...entries
      .slice(0, shownEntries)
      .flat()
      .map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more (--json has all of them)`] : []),
  ];
}

/** One line of a section, without its margin. */
const lineOf = (text: string, tone: Tone, { width, glyphs, paint }: ViewOptions): string =>
  paint(tone, fit(text, width - 2, glyphs.ellipsis));

interface DoneItem {
  readonly session: string;
  readonly number: string;
  readonly title: string;
  readonly at: string;
  readonly summary?: string | null;
}

function doneSection(
  title: string,
  items: readonly DoneItem[],
  tone: Tone,
  glyph: string,
  { until }: Summary,
  view: ViewOptions,
): string[] {
  const entries = items.map(({ session, number, title: item, at, summary }) => {
    const said = summary ? ` ${view.glyphs.dash} ${oneLine(summary)}` : '';
    return [lineOf(`${glyph} ${timeOf(at, until)}  ${nameOf(session, number, item)}${said}`, tone, view)];
  });
  return section(title, entries, view);
}

function outcomesSection({ outcomes, until }: Summary, view: ViewOptions): string[] {
  const entries = outcomes.map(({ session, outcome, reason, at, landed }) => {
    const { planned, added, dropped, done, skipped, addedTitles, droppedTitles } = landed;
    const head = `${outcomeGlyph(outcome, view.glyphs)} ${timeOf(at, until)}  ${outcome}: ${oneLine(session)} ${view.glyphs.dash} ${oneLine(reason)}`;
    const counts = `${planned} planned, ${added} added, ${dropped} dropped: ${done} done, ${skipped} skipped`;
    const titles = (word: string, all: readonly string[]): string[] =>
      all.length === 0 ? [] : [lineOf(`    ${word}: ${all.map(oneLine).join(', ')}`, 'dim', view)];
    return [
      lineOf(head, outcome === 'landed' ? 'good' : 'bad', view),
      lineOf(`    ${counts}`, 'plain', view),
      ...titles('added', addedTitles),
      ...titles('dropped', droppedTitles),
    ];
  });
  return section('Outcomes', entries, view);
}

function blockedSection({ blocked, until }: Summary, view: ViewOptions): string[] {
  const entries = blocked.map(({ session, status, number, title, why, since }) => {
    const name = title === null ? oneLine(session) : nameOf(session, number ?? '', title);
    const head = `${statusGlyph(status, view.glyphs)} ${timeOf(since, until)}  ${status}: ${name}`;
    return [lineOf(head, toneOf(status), view), ...whyLines(why, '    ', { ...view, width: view.width - 2 })];
  });
  return section('Standing still', entries, view);
}

function revisionsSection({ revisions, until }: Summary, view: ViewOptions): string[] {
  const entries = revisions.map(({ session, version, author, at, ...revision }) => [
    lineOf(
      `${timeOf(at, until)}  ${oneLine(session)} v${version} by ${author}  ${revisionWords(revision, view.glyphs)}`,
      'plain',
      view,
    ),
  ]);
  return section('Plans revised', entries, view);
}

function spentSection({ spent }: Summary, view: ViewOptions): string[] {
  const { turns, inputTokens, outputTokens, costUsd, durationMs } = spent;
  if (turns === 0) return [];
  const tokens = `${count(inputTokens)} tokens in, ${count(outputTokens)} out`;
  const parts = [countOf(turns, 'turn'), tokens, ...(costUsd === null ? [] : [cost(costUsd)]), `${duration(durationMs)} of work`];
  return ['', view.paint('strong', 'Spent'), `  ${lineOf(parts.join(', '), 'plain', view)}`];
}

function underWaySection({ underWay }: Summary, view: ViewOptions): string[] {
  const entries = underWay.map(({ sessionId, session, status }) => [
    lineOf(`${statusGlyph(status, view.glyphs)} ${status}: ${oneLine(session)}  (${sessionId})`, toneOf(status), view),
  ]);
  return section('Under way', entries, view);
}

function needsPersonSection({ needsPerson, until }: Summary, view: ViewOptions): string[] {
  const entries = needsPerson.map(({ id, kind, title, openedAt, deadline, default: standing, options }) => {
    const answers = options.length > 0 ? options.map(oneLine).join('|') : 'TEXT';
    const end =
      deadline === null ? '' : `  (at ${timeOf(deadline, until)}: ${standing === null ? 'no answer' : oneLine(standing)})`;
    const what = isAsked({ kind, options }) ? `cairn inbox answer ${id} ${answers}${end}` : `cairn inbox ack ${id}`;
    return [lineOf(`? ${timeOf(openedAt, until)}  ${oneLine(title)}`, 'busy', view), lineOf(`    ${what}`, 'plain', view)];
  });
  return section('Needs a person', entries, view);
}

const oneLine = (text: string): string => sanitise(text.replaceAll('\n', ' '));
const nameOf = (session: string, number: string, title: string): string =>
  `${oneLine(session)}: ${number === '' ? '' : `${number} `}${oneLine(title)}`;

const two = (n: number): string => String(n).padStart(2, '0');

/** `2026-03-01 09:05`, by the clock here. */
function dayAndTime(iso: string): string {
  const at = new Date(iso);
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The time alone, on the day on which the report was made. */
function timeOf(iso: string, until: string): string {
  const [at, now] = [dayAndTime(iso), dayAndTime(until)];
  return at.slice(0, 10) === now.slice(0, 10) ? at.slice(11) : at;
}
