/** The plan: its tree, what the running item does, and why something stopped, in place. */
import { unreachable } from '../../../shared/errors.js';
import type { ListedItem } from '../../../shared/plan.js';
import type { Step } from '../../../shared/run.js';
import type { Rect } from '../frame.js';
import { type Glyphs, glyphOf, statusGlyph } from '../glyphs.js';
import { canDraft, keysToLine } from './hints.js';
import { layoutEditor } from '../text/editor-layout.js';
import type { Editor } from '../text/line-editor.js';
import { type Action, keyOf } from '../keymap.js';
import { livenessText } from '../plan/liveness-text.js';
import { childrenOf, isSection, type PlanModel } from '../plan/plan-model.js';
import { topOf } from '../plan/plan-cursor.js';
import { type PlanRow, planRows, type PlanRows } from '../plan/plan-rows.js';
import type { Row, Span } from '../press.js';
import { apart, fitRow, row, span, textRow } from './rows.js';
import { knownUntil, type PromptKind, type SessionView, type State } from '../state.js';
import type { Tone } from '../style.js';
import { fit, sanitise, wrap } from '../text/text.js';
import { toneOf } from '../lines/tree-view.js';

/** From this width on, what the running item does stands in its own row. */
const besideColumns = 72;

export interface PaneView {
  readonly rows: readonly Row[];
  /** The text cursor, within the pane. */
  readonly cursor: { readonly x: number; readonly y: number } | null;
}

export const rowsOfPlan = (view: SessionView, about: PromptKind | null, width: number): PlanRows =>
  planRows(view, about, { width, isBeside: width >= besideColumns });

export function planPane(state: State, view: SessionView, { width, height }: Rect): PaneView {
  const { prompt } = state;
  const rows = rowsOfPlan(view, prompt?.about ?? null, width);
  if (rows.count === 0) return { rows: emptyPlan(state).map((one) => fitRow(one, width, state.glyphs)), cursor: null };
  const top = prompt?.about.kind === 'add' ? showAdding(rows, view, height) : topOf(rows, view.planView, height);
  const shown: Row[] = [];
  let cursor: PaneView['cursor'] = null;
  let told = 0;
  for (let y = 0; y < height && top + y < rows.count; y++) {
    const planRow = rows.at(top + y);
    if (planRow === undefined) break;
    const editor = editorIn(planRow, state);
    if (editor === null) {
      shown.push(paintRow(planRow, state, view, width));
      continue;
    }
    const edited = editedRow(planRow, editor, state, view, width);
    shown.push(edited.row);
    cursor = { x: edited.x, y };
    const { error, isSent } = prompt ?? {};
    const hint = error ?? (isSent ? 'sending' : null);
    if (hint === null || hint === undefined) continue;
    for (const line of wrap(sanitise(hint), Math.max(8, width - 7)))
      shown.push(textRow(`      ${line}`, error === null ? 'dim' : 'bad'));
    told = shown.length;
  }
  // At the bottom of the pane, what was typed and why it was refused come into sight as a whole.
  const from = Math.min(cursor?.y ?? 0, Math.max(0, told - height));
  return { rows: shown.slice(from, from + height), cursor: cursor && { ...cursor, y: cursor.y - from } };
}

function emptyPlan(state: State): Row[] {
  const { glyphs, focus } = state;
  const offer = (action: Action, text: string): Row => {
    const press = { on: 'action', action } as const;
    return row(span('  '), span(keyOf(action).padEnd(9), 'accent', press), span(text, 'plain', press));
  };
  return [
    textRow(''),
    textRow('  The plan is empty.', 'strong'),
    textRow(''),
    ...(canDraft(state) ? [offer('draft', 'have the planner draft it')] : []),
    offer('addTask', 'add a task'),
    offer('goal', 'set the goal'),
    row(
      span('  '),
      span(keysToLine(focus).padEnd(9), 'accent', { on: 'pane', pane: 'line' }),
      span('write to the model', 'plain', { on: 'pane', pane: 'line' }),
    ),
    textRow(''),
    textRow(`  From a file ${glyphs.dot} cairn import plan.md`, 'dim'),
  ];
}

/** The row that is being added stays in sight. */
function showAdding(rows: PlanRows, view: SessionView, height: number): number {
  const top = topOf(rows, view.planView, height);
  for (let i = 0; i < rows.count; i++) {
    if (rows.at(i)?.kind !== 'adding') continue;
    return i < top ? i : i >= top + height - 1 ? Math.max(0, i - height + 2) : top;
  }
  return top;
}

function editorIn(planRow: PlanRow, { prompt }: State): Editor | null {
  if (prompt === null) return null;
  if (planRow.kind === 'adding') return prompt.editor;
  return planRow.kind === 'item' && prompt.about.kind === 'title' && prompt.about.itemId === planRow.item.id
    ? prompt.editor
    : null;
}

/** A long title is shown where its cursor is. */
function editedRow(planRow: PlanRow, editor: Editor, state: State, view: SessionView, width: number): { row: Row; x: number } {
  const { glyphs } = state;
  const head =
    planRow.kind === 'item'
      ? `${guide(planRow.item, view.plan, glyphs)}${markOf(planRow.item, view, glyphs)} ${planRow.item.number} `
      : `${planRow.kind === 'adding' && planRow.depth > 0 ? branch(planRow.isLast, glyphs) : ' '}${glyphs.pending} `;
  const room = Math.max(4, width - head.length - 1);
  const { lines, cursor } = layoutEditor(editor, room, 1);
  return {
    row: row(span(head, 'accent'), span(lines[cursor.row] ?? '', 'strong')),
    x: Math.min(width - 1, head.length + cursor.column),
  };
}

function paintRow(planRow: PlanRow, state: State, view: SessionView, width: number): Row {
  switch (planRow.kind) {
    case 'item':
      return itemRow(planRow.item, state, view, width);
    case 'doing':
      return cut([span(below(planRow.item)), doing(view, state)]);
    case 'why':
      return cut([span(below(planRow.item)), span(planRow.text, 'bad')]);
    case 'step':
      return cut([span(below(planRow.item)), span(stepText(planRow.step, state), 'dim')]);
    case 'adding':
      return textRow('');
    default:
      return unreachable(planRow);
  }

  function cut(spans: readonly Span[]): Row {
    return { spans: apart(spans, [], width, state.glyphs), press: { on: 'pane', pane: 'plan' } };
  }
}

/** Under the title of an item. */
const below = ({ parentId }: ListedItem): string => ' '.repeat(parentId === null ? 5 : 9);

function stepText({ title, status }: Step, { glyphs }: State): string {
  const mark = { pending: glyphs.pending, in_progress: glyphs.active, done: glyphs.claimed, blocked: glyphs.missing }[status];
  return `${mark} ${sanitise(title)}`;
}

function itemRow(item: ListedItem, state: State, view: SessionView, width: number): Row {
  const { glyphs, focus } = state;
  const isCurrent = item.id === view.planRun.currentItemId;
  const section = item.depth === 0 && isSection(view.plan, item.id);
  const folded = section && view.planView.folded.has(item.id);
  const mark = markOf(item, view, glyphs);
  const tone = itemTone(item, view, isCurrent);
  const left = [
    span(guide(item, view.plan, glyphs), 'dim'),
    span(`${mark} `, tone),
    span(`${item.number} `, 'dim'),
    span(sanitise(item.title), titleTone(item, isCurrent, section)),
  ];
  const chosen = item.id === view.planView.cursor ? (focus === 'plan' ? 'here' : 'elsewhere') : undefined;
  return {
    spans: apart(left, rightOf(item, state, view, { isCurrent, folded, width }), width, glyphs),
    press: { on: 'item', itemId: item.id },
    ...(chosen === undefined ? {} : { chosen }),
  };
}

function markOf(item: ListedItem, { plan, planRun, planView }: SessionView, glyphs: Glyphs): string {
  if (item.id === planRun.currentItemId) return statusGlyph(planRun.status, glyphs);
  const section = item.depth === 0 && isSection(plan, item.id);
  if (section && planView.folded.has(item.id)) return glyphs.folded;
  return section && item.status === 'pending' ? glyphs.section : glyphOf(item, glyphs);
}

/** Subtasks hang on a line; tasks stand free. */
function guide(item: ListedItem, plan: PlanModel, glyphs: Glyphs): string {
  if (item.parentId === null) return ' ';
  const isLast = childrenOf(plan, item.parentId).at(-1)?.id === item.id;
  return branch(isLast, glyphs);
}

const branch = (isLast: boolean, { line }: Glyphs): string => `   ${isLast ? line.lastBranch : line.branch} `;

function rightOf(
  item: ListedItem,
  state: State,
  view: SessionView,
  { isCurrent, folded, width }: { isCurrent: boolean; folded: boolean; width: number },
): Span[] {
  const { status } = view.planRun;
  if (isCurrent && (status === 'blocked' || status === 'failed')) return [span(`${status} `, 'bad')];
  if (isCurrent && width >= besideColumns) {
    const { text, tone } = doing(view, state);
    return [span(fit(text, Math.floor(width / 2), state.glyphs.ellipsis), tone), span(' ')];
  }
  // What it does stands below it.
  if (isCurrent) return view.liveness.state === 'idle' ? [span(`${status} `, livenessTone(view))] : [];
  if (folded) return [span(foldedCount(item, view), 'dim'), span(' ')];
  if (item.status === 'done') return [span(item.accepted === true ? 'accepted ' : 'claimed ', 'dim')];
  if (item.status === 'skipped') return [span('skipped ', 'dim')];
  return item.priority === 'high' ? [span('high ', 'warn')] : [];
}

function foldedCount(item: ListedItem, view: SessionView): string {
  const children = view.plan.tree[view.plan.places.get(item.id)?.task ?? -1]?.children ?? [];
  const closed = children.filter(({ status }) => status === 'done').length;
  return `${closed}/${children.filter(({ status }) => status !== 'skipped').length}`;
}

function itemTone(item: ListedItem, view: SessionView, isCurrent: boolean): Tone {
  if (isCurrent) return toneOf(view.planRun.status) === 'plain' ? 'busy' : toneOf(view.planRun.status);
  if (item.status === 'done') return item.accepted === true ? 'good' : 'accent';
  return item.status === 'skipped' ? 'dim' : 'plain';
}

const titleTone = (item: ListedItem, isCurrent: boolean, section: boolean): Tone => {
  if (isCurrent || (section && item.status === 'pending')) return 'strong';
  return item.status === 'done' || item.status === 'skipped' ? 'dim' : 'plain';
};

/** What the running item does; where the daemon is not heard, what it did when it was. */
function doing(view: SessionView, state: State): Span {
  const text = livenessText(view, knownUntil(state));
  if (state.heardAt === null || view.liveness.state === 'idle') return span(text, livenessTone(view));
  return span(`last known: ${text}`, 'dim');
}

function livenessTone({ liveness }: SessionView): Tone {
  switch (liveness.state) {
    case 'working':
      return 'busy';
    case 'waiting':
      return 'warn';
    case 'looping':
    case 'stalled':
    case 'interrupted':
      return 'bad';
    case 'idle':
      return 'dim';
    default:
      return unreachable(liveness.state);
  }
}
