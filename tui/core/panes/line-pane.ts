/** The line in which one writes: several rows when the text is longer. */
import type { Rect } from '../frame.js';
import { inLine } from '../layout.js';
import { layoutEditor } from '../line-editor.js';
import { row, span } from '../rows.js';
import type { State } from '../state.js';
import { sanitise } from '../text.js';
import type { PaneView } from './plan-pane.js';

export function linePane(state: State, { width, height }: Rect): PaneView {
  const { glyphs, focus, prompt } = state;
  const editor = inLine(state);
  // Without a session there is nobody to write to.
  if (state.session === null && prompt === null) return { rows: [], cursor: null };
  const isActive = focus === 'line' || (prompt !== null && editor !== null);
  const lead = span(` ${glyphs.prompt} `, isActive ? 'accent' : 'dim');
  if (editor === null) return { rows: [row(lead, span('It is written in the plan, where it will stand.', 'dim'))], cursor: null };
  const { lines, cursor } = layoutEditor(editor, Math.max(1, width - 4));
  if (editor.text === '' && prompt === null && focus !== 'line') {
    return { rows: [row(lead, span('Tab: write here', 'dim', { on: 'pane', pane: 'line' }))], cursor: null };
  }
  const top = Math.max(0, Math.min(cursor.row - height + 1, lines.length - height));
  const shown = lines.slice(top, top + height).map((line, i) => row(i + top === 0 ? lead : span('   '), span(line)));
  const note = prompt?.error ?? (prompt?.isSent === true ? 'sending' : null);
  if (note !== null && shown.length > 0) {
    const last = shown.at(-1);
    if (last) shown[shown.length - 1] = row(...last.spans, span(`  ${sanitise(note)}`, prompt?.error === null ? 'dim' : 'bad'));
  }
  return { rows: shown, cursor: isActive ? { x: Math.min(width - 1, 3 + cursor.column), y: cursor.row - top } : null };
}
