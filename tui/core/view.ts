/** The whole screen from the state. */
import { layoutOf } from './layout.js';
import { conversationPane } from './panes/conversation-pane.js';
import { headerRow } from './panes/header.js';
import { linePane } from './panes/line-pane.js';
import { planPane } from './panes/plan-pane.js';
import { startPane } from './panes/start-pane.js';
import { statusPane } from './panes/status-pane.js';
import { lineTitleRow, titlesRow } from './panes/titles.js';
import { boxed } from './popups/box.js';
import { popupView } from './popups/popups.js';
import type { Frame, Region } from './press.js';
import { textRow } from './panes/rows.js';
import type { State } from './state.js';

type Cursor = Frame['cursor'];

export function view(state: State): Frame {
  const { size, session, popup, glyphs } = state;
  const layout = layoutOf(state);
  const whole = { x: 0, y: 0, width: size.columns, height: size.rows };
  if (layout.isTooSmall) return { size, regions: [{ id: 'header', rect: whole, rows: [textRow('Too small.')] }], cursor: null };
  const regions: Region[] = [
    { id: 'header', rect: { ...layout.header, height: 2 }, rows: [headerRow(state, size.columns), titlesRow(state, layout)] },
  ];
  let cursor: Cursor = null;
  const within = (rect: { x: number; y: number }, at: Cursor): void => {
    if (at !== null) cursor = { x: rect.x + at.x, y: rect.y + at.y };
  };
  if (layout.conversation !== null) {
    const rows = session === null ? startPane(state, layout.conversation) : conversationPane(state, session, layout.conversation);
    regions.push({ id: 'conversation', rect: layout.conversation, rows });
  }
  if (layout.divider !== null) {
    regions.push({
      id: 'divider',
      rect: layout.divider,
      rows: Array.from({ length: layout.divider.height }, () => textRow(glyphs.line.upright, 'dim')),
    });
  }
  if (layout.plan !== null && session !== null) {
    const pane = planPane(state, session, layout.plan);
    const { planHead: head, plan } = layout;
    const rect = { ...plan, y: plan.y - head.length, height: plan.height + head.length };
    regions.push({ id: 'plan', rect, rows: [...head, ...pane.rows] });
    within(layout.plan, pane.cursor);
  }
  const line = linePane(state, layout.line, layout.note);
  const lineRect = { ...layout.lineTitle, height: layout.lineTitle.height + layout.line.height };
  if (lineRect.height > 0) regions.push({ id: 'line', rect: lineRect, rows: [lineTitleRow(state, layout), ...line.rows] });
  within(layout.line, line.cursor);
  regions.push({ id: 'status', rect: layout.status, rows: statusPane(state, layout.status) });
  if (popup !== null) {
    const box = boxed(popupView(popup, state), size, glyphs);
    regions.push(box.region);
    cursor = box.cursor;
  }
  return { size, regions, cursor };
}
