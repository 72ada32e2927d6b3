/** Where everything stands, at every size. */
import type { Rect } from './frame.js';
import { plannerHead } from './panes/planner-head.js';
import type { Row } from './press.js';
import { layoutEditor } from './text/editor-layout.js';
import type { State } from './state.js';
import { sanitise, wrap } from './text/text.js';

/** From here on plan and conversation stand side by side. */
export const wideColumns = 100;
/** From here on the hints have a row of their own. */
const roomyRows = 16;
const tallestLine = 6;
/** Below this there is no use in drawing anything. */
const smallest = { columns: 16, rows: 6 } as const;

export interface Layout {
  readonly isWide: boolean;
  readonly isTooSmall: boolean;
  readonly header: Rect;
  readonly conversation: Rect | null;
  readonly divider: Rect | null;
  /** Without its head. */
  readonly plan: Rect | null;
  /** What stands above the plan: what its planner does, or how the mission has ended. */
  readonly planHead: readonly Row[];
  /** The rule over the line; it and the line have no rows where there is nothing to write. */
  readonly lineTitle: Rect;
  readonly line: Rect;
  /** Why what was written in the line was refused: the last rows of it. */
  readonly note: readonly string[];
  readonly status: Rect;
}

const promptWidth = 2;

export function layoutOf(state: State): Layout {
  const { columns, rows } = state.size;
  const isTooSmall = columns < smallest.columns || rows < smallest.rows;
  const isWide = columns >= wideColumns && rows >= 10;
  const statusRows = rows >= roomyRows ? 2 : 1;
  const most = Math.max(1, Math.min(tallestLine, Math.floor(rows / 4)));
  const editor = inLine(state);
  const needed = editor === null ? 1 : layoutEditor(editor, Math.max(1, columns - 2 - promptWidth), most).lines.length;
  // Without a session there is nobody to write to.
  const hasLine = state.session !== null || state.prompt !== null;
  const editorRows = hasLine ? needed : 0;
  const note = noteIn(state).slice(0, Math.max(0, rows - 3 - statusRows - editorRows - 1));
  const lineRows = editorRows + note.length;
  const titleRows = hasLine ? 1 : 0;
  const bodyRows = Math.max(1, rows - 2 - titleRows - statusRows - lineRows);
  const at = (x: number, y: number, width: number, height: number): Rect => ({ x, y, width: Math.max(0, width), height });
  const body = (x: number, width: number): Rect => at(x, 2, width, bodyRows);
  const lineY = 2 + bodyRows + titleRows;
  const base = {
    isWide,
    isTooSmall,
    header: at(0, 0, columns, 1),
    planHead: [] as readonly Row[],
    lineTitle: at(0, lineY - titleRows, columns, titleRows),
    line: at(0, lineY, columns, lineRows),
    note,
    status: at(0, lineY + lineRows, columns, statusRows),
  };
  if (state.session === null) return { ...base, conversation: body(0, columns), divider: null, plan: null };
  const planAt = (x: number, width: number): Pick<Layout, 'plan' | 'planHead'> => {
    const planHead = state.session === null ? [] : plannerHead(state, state.session, width, bodyRows);
    return { plan: at(x, 2 + planHead.length, width, bodyRows - planHead.length), planHead };
  };
  if (!isWide) {
    return state.tab === 'plan'
      ? { ...base, conversation: null, divider: null, ...planAt(0, columns) }
      : { ...base, conversation: body(0, columns), divider: null, plan: null };
  }
  if (!state.isPlanShown) return { ...base, conversation: body(0, columns), divider: null, plan: null };
  const planWidth = Math.min(Math.max(48, Math.floor(columns * 0.46)), 110);
  const conversationWidth = columns - planWidth - 1;
  return {
    ...base,
    conversation: body(0, conversationWidth),
    divider: body(conversationWidth, 1),
    ...planAt(conversationWidth + 1, planWidth),
  };
}

/** What is being written in the line: the words for the model, or what a prompt asks for there. */
export function inLine(state: State): State['chat']['editor'] | null {
  if (state.prompt === null) return state.chat.editor;
  return isInPlan(state) ? null : state.prompt.editor;
}

/** Titles are written where they will stand, as long as there is such a place. */
export function isInPlan({ prompt, session }: State): boolean {
  if (prompt === null || session === null) return false;
  return prompt.about.kind === 'add' || (prompt.about.kind === 'title' && session.plan.items.has(prompt.about.itemId));
}

function noteIn(state: State): string[] {
  const error = state.prompt?.error ?? null;
  return error === null || isInPlan(state) ? [] : wrap(sanitise(error), Math.max(1, state.size.columns - 2 - promptWidth));
}
