/** What an edit of the plan means for its run: the current leaf may be gone or closed, there may be work again. */
import { unreachable } from '../../shared/errors.js';
import { isTerminal } from '../../shared/plan-tree.js';
import type { RunMachine } from './run-machine.js';

export function planEdited(m: RunMachine): void {
  m.draft.settle();
  const { author, explanation } = m.input;
  const isChanged = m.draft.isChanged;
  if (isChanged && (author === 'person' || author === 'import')) {
    m.tell('edited', `A person changed the plan${explanation === null ? '' : `: ${explanation}`}.`);
  }
  settleRun(m);
  if (m.base.ownership.isMission && m.base.outcome === null && isChanged) goOn(m);
}

function settleRun(m: RunMachine): void {
  const { status, currentItemId } = m.checkpoint;
  if (status === 'completed') {
    if (m.draft.itemCount === 0 || m.draft.nextOpen() !== null) m.rest('idle', null);
    return;
  }
  if (currentItemId === null) {
    // Paused between two leaves, with the rest closed by hand: there is nothing to go on with.
    if (status === 'paused' && m.draft.nextOpen() === null) m.rest(m.draft.itemCount > 0 ? 'completed' : 'idle', null);
    return;
  }
  const leaf = m.current;
  if (leaf !== null && !isTerminal(leaf.status) && leaf.status === 'active') return;
  m.abortRun('cancelled', 'leaf_closed');
  switch (status) {
    case 'running':
    case 'waiting':
      m.set({ status: 'running' });
      return m.advance();
    case 'paused':
    case 'blocked':
    case 'failed': {
      const open = m.draft.nextOpen() !== null;
      if (!open) return m.rest(m.draft.itemCount > 0 ? 'completed' : 'idle', null);
      // What a person has paused stays so, also when it stood blocked meanwhile.
      return m.rest(status === 'paused' || m.checkpoint.control === 'pause' ? 'paused' : 'idle', null);
    }
    case 'idle':
    case 'cancelled':
      return m.set({ currentItemId: null });
    default:
      return unreachable(status);
  }
}

/**
 * A mission: the first open leaf that appears starts the run, and its planner's change gives a leaf that stopped a new try,
 * with the full number of tries and a word about the change.
 */
function goOn(m: RunMachine): void {
  const { status, attempt, control } = m.checkpoint;
  const { author, explanation, limits } = m.input;
  if (status === 'idle') {
    if (m.draft.itemCount > 0 && m.draft.nextOpen() === null) m.rest('completed', null);
    else startWork(m);
    return;
  }
  if ((status !== 'blocked' && status !== 'failed') || author !== 'planner' || m.current === null) return;
  // A person holds it.
  if (control === 'pause') return;
  if (m.worksAlone) return;
  m.withdrawLast();
  m.set({
    status: 'running',
    control: 'run',
    attempt: attempt + 1,
    triesLeft: limits.tries,
    retryAt: null,
    lastError: null,
    notice: `The planner changed the plan${explanation === null ? '' : `: ${explanation}`}. The item stopped before; try it again.`,
  });
  m.perform({ type: 'wake', at: null });
}

/** Selects the first open leaf of a mission at rest; nothing for one whose model works by itself. */
export function startWork(m: RunMachine): void {
  if (m.worksAlone || m.base.outcome !== null) return;
  const leaf = m.draft.nextOpen();
  if (leaf === null) return;
  m.set({ control: 'run' });
  m.select(leaf);
}
