/** Everything about an item: its texts, what the daemon saw, what was done for it, and how it changed. */
import { unreachable } from '../../../shared/errors.js';
import type { ListedItem } from '../../../shared/plan.js';
import type { Effect, Receipt, Run } from '../../../shared/run.js';
import { wordOf } from '../glyphs.js';
import type { Key } from '../input.js';
import { type Call, call } from '../message.js';
import { listedItem } from '../plan-model.js';
import type { Row, Span } from '../press.js';
import { blankRow, row, span, textRow } from '../rows.js';
import type { State } from '../state.js';
import type { Tone } from '../style.js';
import { countOf, duration, reveal, sanitise, wrap } from '../text.js';
import { insideOf, lastScroll, type PopupView } from './box.js';
import { type DetailPopup, type DetailTab, detailTabs, type ItemRevision } from './popup.js';

const labels: Readonly<Record<DetailTab, string>> = {
  details: 'Details',
  receipts: 'Receipts',
  effects: 'Effects',
  runs: 'Runs',
  changes: 'Changes',
};
/** Where the labels would not fit in one row. */
const shortLabels: Readonly<Record<DetailTab, string>> = {
  details: 'Item',
  receipts: 'Rcpt',
  effects: 'Done',
  runs: 'Runs',
  changes: 'Diff',
};

export const openDetail = (item: ListedItem, tab: DetailTab): DetailPopup => ({
  kind: 'detail',
  itemId: item.id,
  tab,
  scroll: 0,
  receipts: null,
  runs: null,
  effects: null,
  changes: null,
  error: null,
});

const runsRead = 50;
const revisionsRead = 200;

/** What the popup shows is read when it opens. */
export function readDetail({ session }: State, { itemId }: DetailPopup): Call[] {
  if (session === null) return [];
  const sessionId = session.session.id;
  const purpose = { for: 'popup' } as const;
  return [
    call('run.receipts', { sessionId, itemId }, purpose),
    call('run.list', { sessionId, itemId, limit: runsRead }, purpose),
    call('plan.history', { sessionId, limit: revisionsRead }, purpose),
  ];
}

type Say = (text: string, tone?: Tone, indent?: number) => void;

export function detailView(popup: DetailPopup, state: State): PopupView {
  const { width } = insideOf(state.size);
  const item = state.session && listedItem(state.session.plan, popup.itemId);
  const rows: Row[] = [tabsRow(popup, width), blankRow];
  const say: Say = (text, tone = 'plain', indent = 0) => {
    for (const line of text.split('\n')) {
      for (const piece of wrap(line, Math.max(8, width - indent))) rows.push(textRow(' '.repeat(indent) + piece, tone));
    }
  };
  if (popup.error !== null) say(sanitise(popup.error), 'bad');
  if (item === null) say('The item was removed.', 'warn');
  else {
    switch (popup.tab) {
      case 'details':
        tellItem(item, state, say, rows);
        break;
      case 'receipts':
        tellAll(popup.receipts, 'No check of it has run.', say, (receipt) => tellReceipt(receipt, say, rows));
        break;
      case 'effects':
        tellAll(popup.effects, 'No tool was called for it.', say, (effect) => tellEffect(effect, say));
        break;
      case 'runs':
        tellAll(popup.runs, 'It has not run yet.', say, (run) => tellRun(run, say, rows));
        break;
      case 'changes':
        tellAll(popup.changes, 'It is as it was made.', say, (change) => tellChange(change, say, rows));
        break;
      default:
        unreachable(popup.tab);
    }
  }
  const title = item === null ? 'Item' : `${item.number} ${sanitise(item.title)}`;
  return { title, rows, scroll: popup.scroll, footer: [], isLarge: true };
}

function tabsRow(popup: DetailPopup, width: number): Row {
  const texts = width >= 52 ? labels : shortLabels;
  return row(
    ...detailTabs.flatMap((tab, index): Span[] => {
      const press = { on: 'button', index } as const;
      const isHere = tab === popup.tab;
      return [span(isHere ? `[${texts[tab]}]` : ` ${texts[tab]} `, isHere ? 'accent' : 'dim', press), span(' ')];
    }),
  );
}

function tellAll<T>(all: readonly T[] | null, none: string, say: Say, tell: (one: T) => void): void {
  if (all === null) say('Reading.', 'dim');
  else if (all.length === 0) say(none, 'dim');
  else all.forEach(tell);
}

function tellItem(item: ListedItem, state: State, say: Say, rows: Row[]): void {
  const planRun = state.session?.planRun;
  say(sanitise(item.title), 'strong');
  const facts = [
    wordOf(item) || item.status,
    item.id,
    item.priority === 'medium' ? '' : `${item.priority} priority`,
    item.repeatable ? 'repeatable' : '',
    item.model ?? '',
  ];
  say(
    facts
      .filter((fact) => fact !== '')
      .map(sanitise)
      .join(` ${state.glyphs.dot} `),
    'dim',
  );
  if (planRun?.currentItemId === item.id && planRun.lastError !== null) {
    rows.push(blankRow);
    say('Why it stopped', 'bad');
    say(planRun.lastError.split('\n').map(sanitise).join('\n'), 'plain', 2);
  }
  const part = (label: string, texts: readonly (string | undefined)[], show: (text: string) => string = sanitise): void => {
    const told = texts.filter((text): text is string => text !== undefined && text !== '');
    if (told.length === 0) return;
    rows.push(blankRow);
    say(label, 'dim');
    for (const text of told) say(text.split('\n').map(show).join('\n'), 'plain', 2);
  };
  part('Detail', [item.detail]);
  part('Command', [item.command], reveal);
  part('Checks', item.verify ?? [], reveal);
  part('Accepted when', item.acceptance);
  part('Note', [item.note]);
  part(
    'Files',
    (item.relevantFiles ?? []).map(({ path, action }) => `${action} ${path}`),
  );
  part('In scope', item.scope?.included ?? []);
  part('Out of scope', item.scope?.excluded ?? []);
}

const shortTime = (iso: string): string => iso.slice(0, 19).replace('T', ' ');

function tellReceipt(receipt: Receipt, say: Say, rows: Row[]): void {
  const { command, passed, exitCode, durationMs, at, attempt, outputTail, outputHash, treeHash } = receipt;
  say(`${passed ? 'passed' : 'failed'}: ${reveal(command)}`, passed ? 'good' : 'bad');
  const facts = [
    exitCode === null ? 'no exit code' : `exit code ${exitCode}`,
    duration(durationMs),
    `try ${attempt}`,
    `${shortTime(at)} UTC`,
  ];
  say(facts.join(', '), 'dim', 2);
  say(`output ${outputHash.slice(0, 12)}${treeHash === null ? '' : `, tree ${treeHash.slice(0, 12)}`}`, 'dim', 2);
  if (outputTail.trim() !== '') say(outputTail.trimEnd().split(/\r?\n/).map(sanitise).join('\n'), 'plain', 4);
  rows.push(blankRow);
}

function tellEffect({ name, args, state, class: effectClass, startedAt, repeatable }: Effect, say: Say): void {
  const tone: Tone = state === 'unknown' ? 'warn' : state === 'failed' ? 'bad' : 'plain';
  const word = state === 'intent' ? 'under way' : state === 'unknown' ? 'outcome unknown' : state;
  say(`${name} ${reveal(args).replaceAll('\n', ' ')}`, tone);
  say(
    [word, effectClass.replaceAll('_', ' '), repeatable ? 'repeatable' : '', `${shortTime(startedAt)} UTC`]
      .filter((fact) => fact !== '')
      .join(', '),
    'dim',
    2,
  );
}

function tellRun(run: Run, say: Say, rows: Row[]): void {
  const { status, attempt, startedAt, finishedAt, usage, model, error, summary, id } = run;
  const tone: Tone =
    status === 'completed'
      ? 'good'
      : status === 'blocked' || status === 'failed'
        ? 'bad'
        : status === 'running'
          ? 'busy'
          : 'warn';
  const lasted = finishedAt === null ? '' : `, ${duration(Date.parse(finishedAt) - Date.parse(startedAt))}`;
  say(`${status}, try ${attempt}${lasted}`, tone);
  const tokens = usage.inputTokens + usage.outputTokens;
  say(
    [
      `${shortTime(startedAt)} UTC`,
      model ?? '',
      usage.turns > 0 ? countOf(usage.turns, 'turn') : '',
      tokens > 0 ? `${tokens} tokens` : '',
      id,
    ]
      .filter((fact) => fact !== '')
      .map(sanitise)
      .join(', '),
    'dim',
    2,
  );
  const said = error ?? summary;
  if (said !== null && said.trim() !== '')
    say(said.trimEnd().split(/\r?\n/).map(sanitise).join('\n'), error === null ? 'plain' : 'bad', 2);
  rows.push(blankRow);
}

function tellChange({ revision, change }: ItemRevision, say: Say, rows: Row[]): void {
  say(`version ${revision.version}, by ${revision.author}, ${shortTime(revision.at)} UTC`, 'dim');
  if (revision.explanation !== undefined) say(sanitise(revision.explanation), 'plain', 2);
  if (change === null) say('Reading.', 'dim', 2);
  else if (change.before === null) say('+ made', 'good', 2);
  else if (change.after === null) say('- removed', 'bad', 2);
  else {
    const [before, after] = [change.before, change.after] as unknown as [Record<string, unknown>, Record<string, unknown>];
    for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [old, now] = [before[field], after[field]].map(tellValue);
      if (old === now) continue;
      say(field === 'parentId' || field === 'position' ? 'moved' : field, 'dim', 2);
      if (old !== undefined && old !== '' && field !== 'position') say(`- ${reveal(old)}`, 'bad', 2);
      if (now !== undefined && now !== '' && field !== 'position') say(`+ ${reveal(now)}`, 'good', 2);
    }
  }
  rows.push(blankRow);
}

const tellValue = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** The popup after a key; null when it is left. */
export function detailKey(popup: DetailPopup, key: Key, state: State): DetailPopup | null {
  const inside = insideOf(state.size);
  const last = lastScroll(detailView(popup, state), inside);
  const to = (scroll: number): DetailPopup => ({ ...popup, scroll: Math.max(0, Math.min(last, scroll)) });
  const at = detailTabs.indexOf(popup.tab);
  const turn = (by: number): DetailPopup => toTab(popup, (at + by + detailTabs.length) % detailTabs.length);
  switch (key.name) {
    case 'escape':
    case 'enter':
    case 'q':
    case 'space':
      return null;
    case 'right':
    case 'l':
      return turn(1);
    case 'left':
    case 'h':
      return turn(-1);
    case 'tab':
      return turn(key.shift ? -1 : 1);
    case 'up':
    case 'k':
      return to(popup.scroll - 1);
    case 'down':
    case 'j':
      return to(popup.scroll + 1);
    case 'pageup':
      return to(popup.scroll - inside.height + 2);
    case 'pagedown':
      return to(popup.scroll + inside.height - 2);
    case 'home':
      return to(0);
    case 'end':
      return to(last);
    case 'v':
      return toTab(popup, detailTabs.indexOf('receipts'));
    case 'D':
      return toTab(popup, detailTabs.indexOf('changes'));
    default:
      return popup;
  }
}

export const toTab = (popup: DetailPopup, index: number): DetailPopup => ({
  ...popup,
  tab: detailTabs[index] ?? popup.tab,
  scroll: 0,
});
