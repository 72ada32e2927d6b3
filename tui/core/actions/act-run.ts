/** Run control: what goes to the daemon, and what is asked before. */
import { unreachable } from '../../../shared/errors.js';
import type { PlanRunStatus } from '../../../shared/run.js';
import { emptyEditor } from '../text/line-editor.js';
import type { RunAction } from '../keymap.js';
import { whatHelps, whyNot } from '../link/link-words.js';
import { call, type Cmd } from '../message.js';
import { askCancel, askCancelPlan, askRunAll } from '../plan/questions.js';
import { canCancel, isUnderWay } from '../plan/run-status.js';
import { type Next, next, type SessionView, type State, tell } from '../state.js';

const purpose = { for: 'run' } as const;

export function actRun(state: State, action: RunAction): Next {
  const { session, link } = state;
  if (link.state === 'lost' && action === 'run')
    return next({ ...state, link: { state: 'connecting', isStarting: false } }, { type: 'connect', start: true, delayMs: 0 });
  if (session === null) return next(state);
  if (link.state !== 'open') return next(tell(state, `${whyNot(link)}.${whatHelps(link)}`, 'warn'));
  const { status } = session.planRun;
  const sessionId = session.session.id;
  const send = (cmd: Cmd): Next => next(state, cmd);
  switch (action) {
    case 'run':
      return run(state, session);
    case 'pause':
      if (status === 'pausing') return next(tell(state, 'It pauses after the running item. P pauses at once.'));
      return isUnderWay(status) ? send(call('run.pause', { sessionId }, purpose)) : next(tell(state, notRunning(status)));
    case 'pauseNow':
      return isUnderWay(status)
        ? send(call('run.pause', { sessionId, now: true }, purpose))
        : next(tell(state, notRunning(status)));
    case 'cancelRun':
      return canCancel(status) ? next({ ...state, popup: askCancel(session) }) : next(tell(state, notRunning(status)));
    case 'cancelPlan':
      return session.plan.items.size === 0 && !canCancel(status)
        ? next(tell(state, 'The plan is empty.'))
        : next({ ...state, popup: askCancelPlan(session) });
    case 'retry':
      if (status !== 'blocked' && status !== 'failed')
        return next(tell(state, `Retry is for what is blocked or failed; this is ${status}.`));
      // A command hears no words.
      if (isByCommand(session)) return send(call('run.retry', { sessionId }, purpose));
      return next({ ...state, prompt: { about: { kind: 'guidance' }, editor: emptyEditor, error: null, isSent: false } });
    default:
      return unreachable(action);
  }
}

const isByCommand = ({ planRun, plan }: SessionView): boolean =>
  planRun.currentItemId !== null && plan.items.get(planRun.currentItemId)?.command !== undefined;

const notRunning = (status: PlanRunStatus): string =>
  status === 'paused' ? 'It is paused already. r goes on.' : `It does not run: it is ${status}.`;

function run(state: State, view: SessionView): Next {
  const { session, plan } = view;
  const { status } = view.planRun;
  const sessionId = session.id;
  if (plan.items.size === 0) return next(tell(state, 'The plan is empty. a adds a task.'));
  switch (status) {
    case 'running':
      return next(tell(state, 'It is running. p pauses, c cancels.'));
    case 'waiting':
      return next(tell(state, 'It waits for your answer: i shows what for.', 'warn'));
    case 'pausing':
      return next(state, call('run.start', { sessionId }, purpose));
    case 'completed':
      return next({ ...state, popup: askRunAll(view) });
    case 'idle':
    case 'paused':
    case 'blocked':
    case 'failed':
    case 'cancelled':
      // What it would do is said before it does it.
      return next(state, call('run.explain', { sessionId }, purpose));
    default:
      return unreachable(status);
  }
}
