/**
 * The state machine of a plan run: (state, events) -> decision. The table of `domain.md` ("The checkpoint: states of a
 * plan run"), row by row. Pure: the same state, events and input give the same decision.
 */
import { ok, unreachable, type Result } from '../../shared/errors.js';
import type { Item } from '../../shared/plan.js';
import { tellPerson } from './inbox-drafts.js';
import { leafDigest } from './leaf-digest.js';
import { PlanDraft } from './plan-draft.js';
import { cancel, pause, retry, start } from './run-control.js';
import { planEdited, startWork } from './run-edited.js';
import { finish, selfClaim } from './run-finish.js';
import { type DecisionInput, RunMachine } from './run-machine.js';
import type { Decision, LeafRun, RunEvent, RunState } from './run-state.js';

/**
 * Decides what the events make of a session, as one change. Edits of the plan that belong to it are already on `draft`.
 * Refuses (`invalid_state`) what the table does not allow; outcomes of a run that is no longer current are `stale`.
 */
export function decide(
  state: RunState,
  events: readonly RunEvent[],
  input: DecisionInput,
  draft: PlanDraft = new PlanDraft(state.plan),
): Result<Decision> {
  const machine = new RunMachine(state, draft, input);
  for (const event of events) {
    const taken = take(machine, event);
    if (!taken.ok) return taken;
  }
  return ok(machine.finish());
}

const taken = ok(undefined);

function take(m: RunMachine, event: RunEvent): Result<void> {
  switch (event.type) {
    case 'start':
      return start(m, event.reset === true);
    case 'pause':
      return pause(m, event.now);
    case 'cancel':
      return cancel(m);
    case 'retry':
      return retry(m, event.guidance);
    case 'begin':
      begin(m, event);
      return taken;
    case 'answered':
      answered(m, event);
      return taken;
    case 'owner_died':
      ownerDied(m);
      return taken;
    case 'owner_stops':
      ownerStops(m);
      return taken;
    case 'plan_edited':
      planEdited(m);
      return taken;
    case 'due':
      if (m.checkpoint.status === 'idle' && m.base.ownership.isMission) startWork(m);
      return taken;
    case 'told':
      m.tell(event.kind, event.text);
      return taken;
    case 'self_claimed':
      return selfClaim(m, event.itemId, event.runId, event.summary);
    case 'finish':
      return finish(m, event.outcome, event.reason);
    case 'claimed':
    case 'checks_passed':
    case 'check_failed':
    case 'reported_blocked':
    case 'run_failed':
    case 'command_failed':
    case 'command_unknown':
    case 'asked':
    case 'budget_exhausted':
    case 'leaf_shown':
      if (m.isCurrent(event.ref)) outcome(m, event);
      else m.stale = true;
      return taken;
    default:
      return unreachable(event);
  }
}

type Outcome = Extract<RunEvent, { ref: unknown }>;

function outcome(m: RunMachine, event: Outcome): void {
  switch (event.type) {
    case 'claimed':
      return claimed(m, event);
    case 'checks_passed':
      return checksPassed(m, event);
    case 'check_failed': {
      const exit = event.exitCode === null ? 'did not end' : `exited with ${event.exitCode}`;
      const error = `check failed: ${event.command} ${exit}\n${event.tail}`;
      return checkFailed(m, error);
    }
    case 'reported_blocked':
      if (!event.reported) fileReport(m, 'blocker', event.reason);
      return m.stop('blocked', event.reason);
    case 'run_failed':
      if (event.retryable && m.tryAgain(event.error, true, event.jitter, { resume: false, notice: null })) return;
      fileReport(m, 'blocker', event.error);
      return m.stop('failed', event.error);
    case 'command_failed':
      if (m.current?.repeatable === true && m.tryAgain(event.error, true, event.jitter, { resume: false, notice: null })) return;
      fileReport(m, 'blocker', event.error);
      return m.stop('blocked', event.error, 'failed');
    case 'command_unknown':
      return commandUnknown(m);
    case 'asked':
      event.entries.forEach((entry) => m.ask(entry));
      m.updateRun({ status: 'waiting', deaths: 0 });
      return m.set({ status: 'waiting' });
    case 'budget_exhausted':
      return budgetExhausted(m, event.budget, event.remaining ?? null);
    case 'leaf_shown': {
      const leaf = m.current;
      if (leaf) m.updateRun({ planVersion: m.base.plan.version, leafDigest: leafDigest(leaf), deaths: 0 });
      return;
    }
    default:
      return unreachable(event);
  }
}

/** A run gives one terminal report: the store leaves this one out when the run has filed its own. */
function fileReport(m: RunMachine, kind: 'result' | 'blocker', summary: string): void {
  m.report({ kind, summary, itemId: m.checkpoint.currentItemId, runId: m.checkpoint.lastRunId });
}

/** A slot is there: the run of the current leaf begins, unless pause or cancel came first. */
function begin(m: RunMachine, event: Extract<RunEvent, { type: 'begin' }>): void {
  const leaf = m.current;
  if (m.checkpoint.status !== 'running' || leaf === null || m.underWay) return;
  const { control, resume, attempt, epoch } = m.checkpoint;
  if (control === 'pause' && !resume) {
    m.set({ status: 'paused' });
    return;
  }
  const previous = resume && m.run?.itemId === leaf.id ? m.run : null;
  m.beginRun({
    id: event.runId,
    itemId: leaf.id,
    status: 'running',
    attempt,
    epoch,
    // A run that goes on with a transcript has seen of its leaf what that transcript says.
    planVersion: previous?.planVersion ?? m.base.plan.version,
    leafDigest: previous?.leafDigest ?? leafDigest(leaf),
    resumes: previous?.id ?? null,
    claim: previous?.claim ?? null,
    deaths: previous?.deaths ?? 0,
  });
  m.set({ retryAt: null });
}

function claimed(m: RunMachine, event: Extract<RunEvent, { type: 'claimed' }>): void {
  const leaf = m.current;
  if (leaf === null || m.run === null) return;
  m.continueRun = unseen(m.base.steering, leaf, m.run);
  if (m.continueRun !== null) return;
  if (!event.reported) fileReport(m, 'result', event.summary);
  if ((leaf.verify ?? []).length === 0) m.close(event.accepted, event.summary);
  else {
    m.updateRun({ claim: event.summary, deaths: 0 }, null, event.summary);
    m.perform({ type: 'wake', at: null });
  }
}

/** What a run must see before its leaf closes (invariant 13). A command reads no words: they wait for a model. */
function unseen(steering: number, leaf: Item, run: LeafRun): Decision['continueRun'] {
  if (steering > 0 && leaf.command === undefined) return 'steering';
  return leafDigest(leaf) === run.leafDigest ? null : 'leaf_changed';
}

/** Checks are the current ones: if they were edited while the old ones ran, the new ones run as well. */
function checksPassed(m: RunMachine, event: Extract<RunEvent, { type: 'checks_passed' }>): void {
  const leaf = m.current;
  if (leaf === null || m.run === null) return;
  if (isOwnClaim(m)) {
    // Whoever made the claim reads no words here, and looks at the changed item before claiming it again.
    if (unseen(0, leaf, m.run) !== null) return giveBack(m, leaf);
  } else m.continueRun = unseen(m.base.steering, leaf, m.run);
  // The claim was made without it: the run goes on and claims again.
  if (m.continueRun !== null) return m.updateRun({ claim: null });
  const current = leaf.verify ?? [];
  const same = current.length === event.commands.length && current.every((command, i) => command === event.commands[i]);
  if (same) m.close(true, m.run.claim);
  else m.perform({ type: 'wake', at: null });
}

/** A claim of `solo` has one try and no run before it. */
const isOwnClaim = ({ base, checkpoint }: RunMachine): boolean =>
  base.ownership.isSolo && checkpoint.triesLeft === 1 && checkpoint.attempt === 1;

function giveBack(m: RunMachine, leaf: Item): void {
  m.endRun('interrupted', 'the item was changed while its checks ran');
  m.draft.replace({ ...leaf, status: 'pending' });
  m.tell('edited', `${m.nameOf(leaf)} (${leaf.id}) was changed while its checks ran: look at it, and say again when it is done.`);
  m.rest(m.worksAlone ? 'idle' : 'paused', null);
}

/** The model goes on with the output of the check; a command is run again only if repeating is harmless. */
function checkFailed(m: RunMachine, error: string): void {
  const leaf = m.current;
  m.updateRun({ claim: null });
  const again =
    leaf?.command === undefined
      ? m.tryAgain(error, false, 0, { resume: true, notice: error })
      : leaf.repeatable === true && m.tryAgain(error, false, 0, { resume: false, notice: null });
  if (!again) m.stop('blocked', error, 'failed');
}

/** A command whose end nobody saw: its checks decide; without any it runs again only if repeating is harmless. */
function commandUnknown(m: RunMachine): void {
  const leaf = m.current;
  if (leaf === null) return;
  if ((leaf.verify ?? []).length > 0) {
    m.updateRun({ claim: 'Nobody saw the end of the command; its checks decide.' });
    m.perform({ type: 'wake', at: null });
    return;
  }
  if (leaf.repeatable === true) {
    m.endRun('interrupted', 'nobody saw the end of the command');
    m.set({ resume: false });
    m.perform({ type: 'wake', at: null });
    return;
  }
  const error = `outcome unknown: it was cut off while \`${leaf.command ?? ''}\` ran`;
  fileReport(m, 'blocker', error);
  m.stop('blocked', `${error}. Look at what it did, then retry, or mark the item done.`);
}

function budgetExhausted(m: RunMachine, budget: string, remaining: string | null): void {
  const leaf = m.current;
  m.endRun('interrupted', `budget used up: ${budget}`);
  m.emit({ type: 'budget.exceeded', ...(m.run ? { runId: m.run.id } : {}), data: { budget } });
  m.set({ status: 'blocked', lastError: `budget used up: ${budget}. Raise it and start again.`, resume: true, control: 'run' });
  m.ask(
    tellPerson({
      kind: 'budget',
      title: `Budget used up: ${m.nameOf(leaf)}`,
      detail: remaining === null ? budget : `${budget}\n${remaining}`,
      itemId: leaf?.id ?? null,
      runId: m.checkpoint.lastRunId,
    }),
  );
}

function answered(m: RunMachine, event: Extract<RunEvent, { type: 'answered' }>): void {
  if (m.checkpoint.status !== 'waiting' || m.run?.id !== event.runId) {
    m.stale = true;
    return;
  }
  if (m.checkpoint.control === 'pause') {
    m.endRun('interrupted', null);
    m.set({ status: 'paused', resume: true });
    return;
  }
  // The run may have waited through a restart: it goes on under the epoch of whoever drives it now.
  m.updateRun({ status: 'running', epoch: m.checkpoint.epoch });
  m.set({ status: 'running' });
  m.perform({ type: 'wake', at: null });
}

function ownerDied(m: RunMachine): void {
  if (m.checkpoint.status !== 'running') return;
  if (m.run?.status === 'running') {
    m.updateRun({ deaths: m.run.deaths + 1 });
    const deaths = m.run.deaths;
    if (deaths >= m.input.limits.deaths) {
      fileReport(m, 'blocker', `the daemon died ${deaths} times on this item`);
      m.stop('blocked', `the daemon died ${deaths} times on this item`, 'failed');
      return;
    }
    m.endRun('interrupted', 'the daemon died');
    m.set({ resume: true });
  }
  m.perform({ type: 'wake', at: m.checkpoint.retryAt });
}

function ownerStops(m: RunMachine): void {
  if (m.checkpoint.status !== 'running' || m.run?.status !== 'running') return;
  m.endRun('interrupted', 'the daemon was stopped');
  m.set({ resume: true });
}
