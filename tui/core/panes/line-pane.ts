/** The line in which one writes: several rows when the text is longer. */
import type { Rect } from '../frame.js';
import { keysToLine } from './hints.js';
import { inLine } from '../layout.js';
import { layoutEditor } from '../text/editor-layout.js';
import type { Row, Span } from '../press.js';
import { fitSpans, span } from './rows.js';
import type { State } from '../state.js';
import type { PaneView } from './plan-pane.js';

/** `note`: the last rows, why what was written was refused. */
export function linePane(state: State, { width, height }: Rect, note: readonly string[]): PaneView {
  const { glyphs, focus, prompt } = state;
  const editor = inLine(state);
  // Without a session there is nobody to write to.
  if (state.session === null && prompt === null) return { rows: [], cursor: null };
  const isActive = focus === 'line' || (prompt !== null && editor !== null);
  const row = (...spans: readonly Span[]): Row => ({ spans: fitSpans(spans, width, glyphs) });
  const lead = span(` ${glyphs.prompt} `, isActive ? 'accent' : 'dim');
  if (editor === null) return { rows: [row(lead, span('(in the plan, where it will stand)', 'dim'))], cursor: null };
  const { lines, cursor, isStart } = layoutEditor(editor, Math.max(1, width - 4), height - note.length);
  if (editor.text === '' && prompt === null && focus !== 'line') {
    return { rows: [row(lead, span(`${keysToLine(focus)}: write here`, 'dim', { on: 'pane', pane: 'line' }))], cursor: null };
  }
  const shown = lines.map((line, i) => row(isStart && i === 0 ? lead : span('   '), span(line)));
  const last = shown.at(-1);
  if (prompt?.isSent === true && last) shown[shown.length - 1] = row(...last.spans, span('  sending', 'dim'));
  shown.push(...note.map((line) => row(span('   '), span(line, 'bad'))));
  return { rows: shown, cursor: isActive ? { x: Math.min(width - 1, 3 + cursor.column), y: cursor.row } : null };
}
