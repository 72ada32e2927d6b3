/** What a person's words do to a plan run: start, pause, cancel, retry. */
import { ok, refuse, type Result } from '../../shared/errors.js';
import { resetLeaves } from './plan-edit.js';
import { type RunMachine, visibleStatus } from './run-machine.js';
import type { RunState } from './run-state.js';

const taken = ok(undefined);

export function start(m: RunMachine, reset: boolean): Result<void> {
  const { status } = m.checkpoint;
  if (m.base.outcome !== null) return refuse('invalid_state', `This mission has ended (${m.base.outcome}). Fire a new one.`);
  const active = status === 'running' || status === 'waiting';
  if (reset && active) {
    return refuse('invalid_state', 'A reset is refused while the plan runs.', { hint: 'Pause or cancel it first.' });
  }
  if (reset) resetAll(m);
  if (status === 'waiting') return taken;
  if (status === 'running') {
    m.set({ control: 'run' });
    return taken;
  }
  return resume(m);
}

/** Takes the active leaf up again, or selects the next one. */
function resume(m: RunMachine): Result<void> {
  m.draft.settle();
  const leaf = m.current ?? m.draft.nextOpen();
  if (m.base.ownership.isMission && (leaf === null || (m.worksAlone && m.current === null))) {
    // Nothing is planned yet, all is done, or its model does the leaves itself: the planner goes on.
    const rest = leaf === null && m.draft.itemCount > 0 ? 'completed' : 'idle';
    if (rest !== m.checkpoint.status) m.rest(rest, null);
    m.set({ control: 'run' });
    return taken;
  }
  if (leaf === null) {
    return m.draft.itemCount === 0
      ? refuse('invalid_state', 'The plan is empty.', { hint: 'Add an item first: plan.addItem, or `cairn add TITLE`.' })
      : refuse('invalid_state', 'Nothing is open: every item is done or skipped.', {
          hint: 'Add an item, reopen one, or start with `reset` to run all of them again.',
        });
  }
  const { status, attempt, resume: resumes } = m.checkpoint;
  m.set({ control: 'run' });
  if (m.current === null) {
    m.select(leaf);
    return taken;
  }
  m.set({ status: 'running', lastError: null, retryAt: null });
  // After a stop a person's start is a new try with the full number of tries; after a pause, or a raised budget, the same one.
  const stopped = status === 'blocked' || status === 'failed';
  if (stopped) m.withdrawLast();
  if (stopped && !resumes) {
    m.set({ attempt: attempt + 1, triesLeft: m.input.limits.tries, notice: null });
  }
  m.perform({ type: 'wake', at: null });
  return taken;
}

function resetAll(m: RunMachine): void {
  m.abortRun('cancelled', 'cancelled');
  resetLeaves(m.draft);
  m.set({ currentItemId: null, stepNo: 0, attempt: 0, lastError: null, retryAt: null, resume: false, notice: null });
}

export function pause(m: RunMachine, now: boolean): Result<void> {
  const { status } = m.checkpoint;
  switch (status) {
    case 'paused':
      return taken;
    case 'waiting':
      m.set({ control: 'pause' });
      return taken;
    case 'running':
      m.set({ control: 'pause' });
      if (!m.underWay && !m.checkpoint.resume) m.set({ status: 'paused', retryAt: null });
      else if (now) {
        m.abortRun('interrupted', 'paused');
        m.set({ status: 'paused', resume: true, retryAt: null });
      }
      return taken;
    default:
      // Between two leaves a mission still has a planner at work.
      if (goesOnByItself(m)) {
        m.set({ status: 'paused', control: 'pause' });
        return taken;
      }
      // A stopped item stays where it is; what is held is the planner that works on it.
      if ((status === 'blocked' || status === 'failed') && isPlanned(m)) {
        m.set({ control: 'pause' });
        return taken;
      }
      return refuse('invalid_state', `The plan is ${visibleStatus(m.checkpoint)}: there is nothing to pause.`);
  }
}

const isPlanned = ({ base: { ownership, outcome } }: RunMachine): boolean =>
  ownership.isMission && ownership.planner !== 'never' && outcome === null;

/** At rest, and yet not at its end: its planner plans, or is about to finish. */
function goesOnByItself({ base, checkpoint: { status } }: RunMachine): boolean {
  return base.ownership.isMission && base.outcome === null && (status === 'idle' || status === 'completed');
}

export function cancel(m: RunMachine): Result<void> {
  const { status } = m.checkpoint;
  if (status === 'cancelled') return taken;
  if ((status === 'idle' || status === 'completed') && !goesOnByItself(m)) {
    return refuse('invalid_state', `The plan is ${status}: there is nothing to cancel.`);
  }
  m.abortRun('cancelled', 'cancelled');
  const leaf = m.current;
  if (leaf?.status === 'active') m.draft.replace({ ...leaf, status: 'pending' });
  m.set({
    status: 'cancelled',
    control: 'cancel',
    currentItemId: null,
    retryAt: null,
    resume: false,
    notice: null,
    lastError: null,
  });
  return taken;
}

/** One more try at the leaf that stopped, with a word for it; a second failure stops it again at once. */
export function retry(m: RunMachine, guidance: string | null): Result<void> {
  const { status, attempt } = m.checkpoint;
  if ((status !== 'blocked' && status !== 'failed') || m.current === null) {
    return refuse('invalid_state', `The plan is ${visibleStatus(m.checkpoint)}: only a blocked or failed item is retried.`, {
      hint: 'Use run.start (`cairn run`) to start or resume.',
    });
  }
  m.withdrawLast();
  m.set({
    status: 'running',
    control: 'run',
    attempt: attempt + 1,
    triesLeft: 1,
    retryAt: null,
    lastError: null,
    notice: guidance === null ? null : `A person says: ${guidance}`,
  });
  m.perform({ type: 'wake', at: null });
  return taken;
}

/** Refuses, while a plan runs, what would take the ground from under it. */
export function checkAtRest(state: RunState, what: string): Result<void> {
  const status = visibleStatus(state.checkpoint);
  if (status !== 'running' && status !== 'pausing' && status !== 'waiting') return taken;
  return refuse('invalid_state', `${what} is refused while the plan is ${status}.`, { hint: 'Cancel or pause it first.' });
}
