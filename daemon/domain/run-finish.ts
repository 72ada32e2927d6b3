/** The end of a mission, and the claim of a model that plans and works by itself. */
import { ok, refuse, type Result } from '../../shared/errors.js';
import { outcomes, type Outcome } from '../../shared/mission.js';
import type { ItemId } from '../../shared/plan.js';
import { isOpen, isTerminal, leavesOf } from '../../shared/plan-tree.js';
import type { RunId } from '../../shared/run.js';
import { tellPerson } from './inbox-drafts.js';
import { leafDigest } from './leaf-digest.js';
import { nameItem, nameItems } from './plan-refusal.js';
import type { RunMachine } from './run-machine.js';

const taken = ok(undefined);

const titles: Readonly<Record<Outcome, string>> = { landed: 'Landed', derailed: 'Derailed', stuck: 'Stuck' };

/**
 * Ends a mission, once: the same outcome again changes nothing. A run under way is cancelled and its leaf goes back to
 * pending. `landed` is refused while a leaf is open, and where there was nothing to do.
 */
export function finish(m: RunMachine, outcome: Outcome, reason: string): Result<void> {
  const { base } = m;
  if (!base.ownership.isMission) {
    return refuse('invalid_state', 'This session was not fired as a mission: it has no outcome.', {
      hint: 'Fire one with mission.fire (`cairn fire GOAL`); a plan simply completes.',
    });
  }
  if (base.outcome === outcome) return taken;
  if (base.outcome !== null) {
    return refuse('invalid_state', `The mission has ended (${base.outcome}); it cannot end as ${outcome} as well.`, {
      hint: 'An outcome is final. Fire a new mission for what is left.',
    });
  }
  if (outcome === 'landed') {
    const open = [...leavesOf(m.draft.tree)].filter((leaf) => isOpen(leaf.status));
    if (open.length > 0) {
      return refuse('invalid_state', `It cannot land: these items are open: ${nameItems(open)}.`, {
        hint: `Have them done or skipped first, or end it as ${outcomes.filter((each) => each !== 'landed').join(' or ')}.`,
      });
    }
    if (m.draft.itemCount === 0) {
      return refuse('invalid_state', 'It cannot land: there is no plan, so nothing was done.', {
        hint: 'Make the plan first, or end it as derailed or stuck.',
      });
    }
  }
  comeToRest(m);
  m.end(outcome, reason);
  m.ask(
    tellPerson({
      kind: 'outcome',
      title: `${titles[outcome]}: ${firstLine(m.draft.goal)}`,
      detail: reason,
    }),
  );
  return taken;
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 200);

/** Nothing goes on behind an outcome. */
function comeToRest(m: RunMachine): void {
  const { status } = m.checkpoint;
  if (status === 'idle' || status === 'completed' || status === 'cancelled') return;
  m.abortRun('cancelled', 'cancelled');
  const leaf = m.current;
  if (leaf?.status === 'active') m.draft.replace({ ...leaf, status: 'pending' });
  m.set({ status: 'cancelled', currentItemId: null, retryAt: null, resume: false, notice: null, control: 'cancel' });
}

/**
 * A leaf with checks that `solo` says is done: the claim gets a run of its own, so that it is closed on the same path as
 * any other, by the checks. A failed check stops it there, for whoever made the claim.
 */
export function selfClaim(m: RunMachine, itemId: ItemId, runId: RunId, summary: string): Result<void> {
  const leaf = m.draft.find(itemId);
  const { status, currentItemId, control } = m.checkpoint;
  if (leaf === undefined || isTerminal(leaf.status) || m.draft.childrenOf(itemId).length > 0 || m.base.outcome !== null) {
    return taken;
  }
  if (status === 'running' || status === 'waiting' || (currentItemId !== null && currentItemId !== itemId)) {
    const busy = m.current;
    return refuse('invalid_state', `${busy ? nameItem(busy) : 'Another item'} is being worked on or checked.`, {
      hint: 'Wait for its end, then say that this one is done.',
    });
  }
  // What a person has stopped stays stopped: nothing but their start undoes it.
  if (status === 'cancelled' || (m.worksAlone && (status === 'paused' || control === 'pause'))) {
    return refuse(
      'invalid_state',
      `The plan is ${status === 'cancelled' ? 'cancelled' : 'paused'} by a person: nothing is checked now.`,
      {
        hint: 'It goes on when they start it.',
      },
    );
  }
  m.withdrawLast();
  m.select(leaf);
  // After it nothing is to start by itself: the next leaf is begun by whoever did this one.
  m.set({ triesLeft: 1, control: m.worksAlone ? 'run' : 'pause' });
  m.beginRun({
    id: runId,
    itemId,
    status: 'running',
    attempt: 1,
    epoch: m.checkpoint.epoch,
    planVersion: m.base.plan.version,
    leafDigest: leafDigest(leaf),
    resumes: null,
    claim: summary,
    deaths: 0,
  });
  return taken;
}
