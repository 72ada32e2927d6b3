/** Run control: what goes to the daemon, and what is asked before. */
import { unreachable } from '../../shared/errors.js';
import type { PlanRunStatus } from '../../shared/run.js';
import { emptyEditor } from './line-editor.js';
import { whatHelps, whyNot } from './link-words.js';
import { call, type Cmd } from './message.js';
import { ask } from './popups/confirm.js';
import { type Next, next, type SessionView, type State, tell } from './state.js';
import { countOf } from './text.js';

type RunAction = 'run' | 'pause' | 'pauseNow' | 'cancelRun' | 'cancelPlan' | 'retry';

const purpose = { for: 'run' } as const;
const canCancel = (status: PlanRunStatus): boolean => !['idle', 'completed', 'cancelled'].includes(status);

export function actRun(state: State, action: RunAction): Next {
  const { session, link } = state;
  if (link.state === 'lost' && action === 'run')
    return next({ ...state, link: { state: 'connecting' } }, { type: 'connect', start: true, delayMs: 0 });
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
      return next({ ...state, prompt: { about: { kind: 'guidance' }, editor: emptyEditor, error: null, isSent: false } });
    default:
      return unreachable(action);
  }
}

const isUnderWay = (status: PlanRunStatus): boolean => status === 'running' || status === 'pausing' || status === 'waiting';
const notRunning = (status: PlanRunStatus): string =>
  status === 'paused' ? 'It is paused already. r goes on.' : `It does not run: it is ${status}.`;

function run(state: State, { planRun: { status }, session, plan }: SessionView): Next {
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
      return next({ ...state, popup: askAgain(state) });
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

function askAgain({ session }: State): State['popup'] {
  if (session === null) return null;
  const { counts } = session.plan;
  return ask(
    'Everything is done. Run all of it again?',
    [
      { text: `${countOf(counts.leaves, 'item')} go back to pending, the done ones as well, and run anew.`, tone: 'warn' },
      { text: 'What they did is not taken back: side effects happen again.', tone: 'warn' },
      { text: 'To run only some again, reopen them with o.', tone: 'dim' },
    ],
    {
      key: 'y',
      label: 'Run all again',
      does: { type: 'call', call: call('run.start', { sessionId: session.session.id, reset: true }, purpose) },
    },
  );
}

function currentLine({ planRun, plan }: SessionView): { text: string; tone: 'strong' }[] {
  const item = planRun.currentItemId === null ? undefined : plan.listed[plan.order.get(planRun.currentItemId) ?? -1];
  return item ? [{ text: `${item.number} ${item.title}`, tone: 'strong' }] : [];
}

function askCancel(view: SessionView): State['popup'] {
  return ask(
    'Cancel the run?',
    [
      ...currentLine(view),
      {
        text: 'It is aborted, and its item goes back to pending. What it did so far stays done and is told to the next run.',
        tone: 'plain',
      },
      { text: 'Nothing runs again until r.', tone: 'dim' },
    ],
    {
      key: 'y',
      label: 'Cancel the run',
      does: { type: 'call', call: call('run.cancel', { sessionId: view.session.id }, purpose) },
    },
  );
}

function askCancelPlan(view: SessionView): State['popup'] {
  const seen = view.plan.items.size;
  const clear = { kind: 'clear', seen } as const;
  const { status } = view.planRun;
  return ask(
    'Cancel the plan?',
    [
      ...currentLine(view),
      {
        text: `${canCancel(status) ? 'The run is aborted, and all' : 'All'} ${countOf(seen, 'item')} leave the plan. u brings them back.`,
        tone: 'warn',
      },
    ],
    {
      key: 'y',
      label: 'Cancel the plan',
      does: canCancel(status)
        ? { type: 'call', call: call('run.cancel', { sessionId: view.session.id }, { for: 'run', andThen: [clear] }) }
        : { type: 'intents', intents: [clear] },
    },
  );
}
