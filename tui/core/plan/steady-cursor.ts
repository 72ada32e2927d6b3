/** Whatever is told of the plan, the line under the cursor stays where the eye is. */
import { layoutOf } from '../layout.js';
import { rowsOfPlan } from '../panes/plan-pane.js';
import { topOf } from './plan-cursor.js';
import { type Next, patchSession, type State } from '../state.js';

/** After a step that no key has made: the cursor on the line of the pane on which it was, as far as there are rows for it. */
export function keepLine(before: State, step: Next): Next {
  const [was, is] = [before.session, step.state.session];
  if (was === null || is === null || was.session.id !== is.session.id) return step;
  const isSame = was.plan === is.plan && was.planRun === is.planRun && was.liveness === is.liveness && was.steps === is.steps;
  if (isSame || was.planView.cursorRow !== is.planView.cursorRow) return step;
  const room = layoutOf(before).plan;
  if (room === null) return step;
  const rows = rowsOfPlan(was, before.prompt?.about ?? null, room.width);
  const cursorRow = rows.indexOf(was.planView.cursor) - topOf(rows, was.planView, room.height);
  if (cursorRow < 0 || cursorRow === is.planView.cursorRow) return step;
  return { ...step, state: patchSession(step.state, { planView: { ...is.planView, cursorRow } }) };
}
