/** The tree of missions in which the session stands, a line each; Enter goes to one. */
import type { MissionNode } from '../../../shared/mission.js';
import type { SessionId } from '../../../shared/plan.js';
import { outcomeGlyph, plannerGlyph, statusGlyph } from '../glyphs.js';
import type { Key } from '../input/input.js';
import { toneOf } from '../lines/tree-view.js';
import { type Answered, call, type Call } from '../message.js';
import { beginningOf, plannerWords } from '../panes/planner-head.js';
import { apart, firstInSight, fitSpans, row, span, textRow } from '../panes/rows.js';
import { openLeaves } from '../plan/progress.js';
import type { Row, Span } from '../press.js';
import { type Next, next, type State } from '../state.js';
import type { Tone } from '../style.js';
import { cost, count } from '../text/numbers.js';
import { sanitise, wrap } from '../text/text.js';
import { type Inside, insideOf, type PopupView } from './box.js';
import type { MissionsPopup } from './popup.js';

/** `here`: the session that is shown, and chosen first. */
export const openMissions = (here: SessionId, now: number): MissionsPopup => ({
  kind: 'missions',
  nodes: null,
  reading: here,
  askedAt: now,
  chosen: here,
  error: null,
});

export const readTree = (sessionId: SessionId): Call => call('mission.tree', { sessionId }, { for: 'popup' });

/** A tree has come. Where something stands above it, the tree of that is asked for: only that shows all of them. */
export function takeTree(state: State, { params, result }: Extract<Answered, { method: 'mission.tree' }>): Next {
  const { popup } = state;
  if (popup?.kind !== 'missions' || popup.reading !== params.sessionId) return next(state);
  const above = result.nodes[0]?.parentId ?? null;
  const shown: MissionsPopup = { ...popup, nodes: result.nodes, reading: above, error: null };
  return next({ ...state, popup: shown }, ...(above === null ? [] : [readTree(above)]));
}

/** What is there already stays. */
export function treeRefused(state: State, { params }: Extract<Call, { method: 'mission.tree' }>, error: string): State {
  const { popup } = state;
  if (popup?.kind !== 'missions' || popup.reading !== params.sessionId) return state;
  return { ...state, popup: { ...popup, reading: null, error } };
}

/** How old the tree may be, in milliseconds. */
const readAgainAfter = 3_000;

/** Missions go on while they are looked at: their tree is read anew now and then. */
export function keepTree(state: State): Next {
  const { popup, link, now } = state;
  if (popup?.kind !== 'missions' || link.state !== 'open' || now - popup.askedAt < readAgainAfter) return next(state);
  const root = popup.nodes?.[0]?.sessionId ?? popup.chosen;
  // One that was not answered by now was lost with its connection.
  return next({ ...state, popup: { ...popup, reading: root, askedAt: now } }, readTree(root));
}

const chosenIndex = ({ nodes, chosen }: MissionsPopup): number =>
  Math.max(0, nodes?.findIndex(({ sessionId }) => sessionId === chosen) ?? 0);

export function missionsView(popup: MissionsPopup, state: State): PopupView {
  const inside = insideOf(state.size);
  const { width, height } = inside;
  const nodes = popup.nodes ?? [];
  const chosen = chosenIndex(popup);
  const node = nodes[chosen];
  const footer = [...(node === undefined ? [] : nodeRows(node, state, inside)), ...restRows(popup, width)];
  const scroll = firstInSight(nodes.length, height - footer.length, chosen);
  const isNear = (index: number): boolean => index >= scroll - footer.length && index <= scroll + height;
  const rows = nodes.map((one, index): Row =>
    isNear(index)
      ? {
          ...nodeRow(one, state, width),
          press: { on: 'line', index },
          ...(index === chosen ? { chosen: 'here' as const } : {}),
        }
      : row(),
  );
  return { title: 'Missions', rows, scroll, footer, isLarge: true };
}

function restRows({ nodes, reading, error }: MissionsPopup, width: number): Row[] {
  return [
    ...(error === null ? [] : wrap(sanitise(error), width).map((line) => textRow(line, 'bad'))),
    ...(nodes === null && reading !== null ? [textRow('Reading.', 'dim')] : []),
  ];
}

interface Standing {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
}

/** How a mission stands: its outcome, that its planner works at it, or its run. */
function standingOf({ outcome, status, planner }: MissionNode, { glyphs }: State): Standing {
  if (outcome !== null) {
    const tone: Tone = outcome === 'landed' ? 'good' : outcome === 'stuck' ? 'warn' : 'bad';
    return { glyph: outcomeGlyph(outcome, glyphs), word: outcome, tone };
  }
  const isPlanned = (status === 'idle' || status === 'completed') && (planner.state === 'running' || planner.state === 'due');
  if (isPlanned) return { glyph: plannerGlyph(planner.state, glyphs), word: 'planning', tone: 'busy' };
  return { glyph: statusGlyph(status, glyphs), word: status, tone: toneOf(status) };
}

/** From here on a word says what a number counts. */
const roomy = 60;
/** The deepest indentation: what stands below that is told from it by nothing but its place. */
const deepest = 8;

function nodeRow(node: MissionNode, state: State, width: number): Row {
  const { glyphs } = state;
  const { counts, usage, openInbox, depth } = node;
  const { glyph, word, tone } = standingOf(node, state);
  const isHere = state.session?.session.id === node.sessionId;
  const left = [
    span(isHere ? `${glyphs.prompt} ` : '  ', 'accent'),
    span('  '.repeat(Math.min(depth, deepest))),
    span(`${glyph} ${width >= roomy ? word.padEnd(9) : word} `, tone),
    span(titleOf(node)),
  ];
  const right: Span[] = [
    ...(openInbox === 0 ? [] : [span(width >= roomy ? `${openInbox} in the inbox` : `!${openInbox}`, 'warn'), span('  ')]),
    ...(usage.costUsd === null ? tokensOf(node, width) : [span(cost(usage.costUsd), 'dim'), span('  ')]),
    span(`${counts.done}/${openLeaves(counts)}`, 'dim'),
  ];
  return { spans: apart(left, right, width, glyphs) };
}

/** Where the price is not known. */
function tokensOf({ usage }: MissionNode, width: number): Span[] {
  const tokens = usage.inputTokens + usage.outputTokens;
  return tokens === 0 || width < roomy ? [] : [span(`${count(tokens)} tokens`, 'dim'), span('  ')];
}

/** Of a text of any length its beginning, in code units. */
const longest = 2_000;
const oneLine = (text: string): string =>
  sanitise(
    text
      .slice(0, longest)
      .trim()
      .replaceAll(/\s*\n\s*/g, ' '),
  );
const titleOf = ({ title, goal, sessionId }: MissionNode): string => oneLine(title) || oneLine(goal) || sanitise(sessionId);

/** What there is no room for in a line, of the mission under the cursor: as many rows as are left beside the list. */
function nodeRows(node: MissionNode, state: State, { width, height }: Inside): Row[] {
  const { goal, outcome, outcomeReason, planner, lastError, openInbox, counts } = node;
  const { glyphs } = state;
  const why = outcome === null ? lastError : outcomeReason;
  const facts = [
    planner.state === 'none' ? '' : `planner ${plannerWords(planner)}`,
    counts.skipped > 0 ? `${counts.skipped} skipped` : '',
    openInbox > 0 ? `${openInbox} open in the inbox` : '',
  ].filter((fact) => fact !== '');
  const room = Math.max(1, Math.floor(height / 2) - 1);
  const told: Row[] = [];
  const say = (text: string, tone: Tone, most: number): void => {
    const rows = Math.min(most, room - told.length);
    if (text !== '' && rows > 0) told.push(...beginningOf(text, width, rows, glyphs).map((line) => textRow(line, tone)));
  };
  say(facts.map(oneLine).join(` ${glyphs.dot} `), 'busy', Math.ceil(room / 2));
  say(oneLine(why ?? ''), outcome === 'landed' ? 'plain' : 'bad', room);
  say(oneLine(goal), 'dim', room);
  const line = { spans: fitSpans([span(glyphs.line.across.repeat(width), 'dim')], width, glyphs) };
  return [line, ...told];
}

/** The popup after a key, the session that was taken, or null when it is left. */
export function missionsKey(popup: MissionsPopup, key: Key, state: State): MissionsPopup | MissionNode | null {
  const nodes = popup.nodes ?? [];
  const at = chosenIndex(popup);
  const page = Math.max(1, Math.floor(insideOf(state.size).height / 2));
  const to = (index: number): MissionsPopup => ({
    ...popup,
    chosen: nodes[Math.max(0, Math.min(nodes.length - 1, index))]?.sessionId ?? popup.chosen,
  });
  switch (key.name) {
    case 'escape':
    case 'q':
      return null;
    case 'enter':
      return nodes[at] ?? popup;
    case 'up':
    case 'k':
      return to(at - 1);
    case 'down':
    case 'j':
      return to(at + 1);
    case 'pageup':
      return to(at - page);
    case 'pagedown':
    case 'space':
      return to(at + page);
    case 'home':
      return to(0);
    case 'end':
      return to(nodes.length - 1);
    default:
      return popup;
  }
}
