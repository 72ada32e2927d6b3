/**
 * Plays a scenario written as text: a plan, then events in (`> …`), states and effects out. The text with the real
 * outcome filled in is compared with the file, so that a file shows whole what the state machine does.
 */
import { addItem, removeItem, setStatus, updateItem } from '../../daemon/domain/plan-edit.js';
import { emptyPlan } from '../../daemon/domain/plan.js';
import { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { visibleStatus } from '../../daemon/domain/run-machine.js';
import { decide } from '../../daemon/domain/run-transition.js';
import {
  type Checkpoint,
  type Decision,
  defaultRunLimits,
  type InboxDraft,
  type RunEvent,
  type RunRef,
  type RunState,
  type Ownership,
} from '../../daemon/domain/run-state.js';
import type { Outcome } from '../../shared/mission.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import { listTree } from '../../shared/plan-tree.js';
import { unwrap } from '../../shared/errors.js';

const idleCheckpoint: Checkpoint = {
  status: 'idle',
  control: 'run',
  currentItemId: null,
  lastRunId: null,
  lastError: null,
  stepNo: 0,
  attempt: 0,
  epoch: 1,
  triesLeft: 0,
  retryAt: null,
  resume: false,
  notice: null,
};

/** Who looks after the session of a scenario, by the word in its head (`mission: planned`). */
export const ownerships = {
  person: { isMission: false, planner: 'never', isSolo: false },
  planned: { isMission: true, planner: 'always', isSolo: false },
  alone: { isMission: true, planner: 'never', isSolo: false },
  solo: { isMission: true, planner: 'always', isSolo: true },
} as const satisfies Record<string, Ownership>;

export function freshState(draftPlan: (draft: PlanDraft) => void, ownership: Ownership = ownerships.person): RunState {
  const draft = new PlanDraft(emptyPlan);
  draftPlan(draft);
  const plan = draft.finish('person', null)?.plan ?? emptyPlan;
  return { sessionId: 's' as SessionId, ownership, outcome: null, plan, checkpoint: idleCheckpoint, run: null, steering: 0 };
}

const question: InboxDraft = {
  kind: 'approval',
  title: 'May shell run?',
  detail: 'make',
  itemId: null,
  runId: null,
  effectId: null,
  tool: 'shell',
  options: ['allow', 'deny'],
  default: 'deny',
  deadline: null,
};

type Words = readonly string[];
type Edit = (draft: PlanDraft, words: Words, text: string) => { ok: boolean; error?: { message: string } };

const edits: Record<string, Edit> = {
  done: (draft, [id]) => setStatus(draft, { itemId: id as ItemId, status: 'done' }),
  skip: (draft, [id]) => setStatus(draft, { itemId: id as ItemId, status: 'skipped' }),
  reopen: (draft, [id]) => setStatus(draft, { itemId: id as ItemId, status: 'pending' }),
  release: (draft, [id]) => setStatus(draft, { itemId: id as ItemId, status: 'pending' }),
  remove: (draft, [id]) => removeItem(draft, { itemId: id as ItemId }, 'person'),
  add: (draft, _words, title) => addItem(draft, { title }, 'person'),
  'add-under': (draft, [id], title) => addItem(draft, { title, parentId: id as ItemId }, 'person'),
  retitle: (draft, [id], title) => updateItem(draft, { itemId: id as ItemId, title }, 'person'),
};

/** The outcomes that a run may have, by the word that a scenario uses. */
function outcomeEvent(word: string, ref: RunRef, text: string, state: RunState): RunEvent | null {
  const verify = state.plan.tree.flatMap((t) => [t.item, ...t.children]).find((i) => i.id === state.run?.itemId)?.verify ?? [];
  const outcomes: Record<string, RunEvent> = {
    claim: { type: 'claimed', ref, summary: text || 'did it', accepted: false, reported: true },
    exits: { type: 'claimed', ref, summary: 'exit code 0', accepted: true, reported: false },
    'checks-pass': { type: 'checks_passed', ref, commands: verify },
    'check-fails': { type: 'check_failed', ref, command: verify[0] ?? '', exitCode: 1, tail: text },
    blocks: { type: 'reported_blocked', ref, reason: text, reported: true },
    fails: { type: 'run_failed', ref, error: text, retryable: true, jitter: 0.5 },
    'fails-for-good': { type: 'run_failed', ref, error: text, retryable: false, jitter: 0.5 },
    'command-fails': { type: 'command_failed', ref, error: text, jitter: 0.5 },
    'command-unknown': { type: 'command_unknown', ref },
    asks: { type: 'asked', ref, entries: [question] },
    'budget-ends': { type: 'budget_exhausted', ref, budget: text },
    'sees-the-change': { type: 'leaf_shown', ref },
  };
  return outcomes[word] ?? null;
}

export class Scenario {
  #state: RunState;
  #runs = 0;

  constructor(state: RunState) {
    this.#state = state;
  }

  get state(): RunState {
    return this.#state;
  }

  /** Plays one line; gives what it made of the session, as lines. */
  play(line: string): string[] {
    const isPlanner = line.startsWith('planner ');
    const [word = '', ...words] = line.replace(/^planner /, '').split(/\s+/);
    const text = /"(.*)"/.exec(line)?.[1] ?? '';
    const draft = new PlanDraft(this.#state.plan);
    const events: RunEvent[] = [];
    const edit = edits[word];
    if (edit !== undefined) {
      const edited = edit(draft, words, text);
      if (!edited.ok) return [`  refused: ${edited.error?.message}`];
      events.push({ type: 'plan_edited' });
    } else if (word === 'begin-next-slot') events.push({ type: 'begin', runId: `r${++this.#runs}` as RunId });
    else if (word === 'words') {
      this.#state = { ...this.#state, steering: this.#state.steering + 1 };
      return ['  noted'];
    } else if (word === 'words-reach-it') {
      this.#state = { ...this.#state, steering: 0 };
      return ['  noted'];
    } else if (word === 'new-owner') {
      const { checkpoint } = this.#state;
      this.#state = { ...this.#state, checkpoint: { ...checkpoint, epoch: checkpoint.epoch + 1 } };
      return [`  epoch ${checkpoint.epoch + 1}`];
    } else events.push(this.#event(word, words, text));
    const author = isPlanner ? 'planner' : 'person';
    const input = { now: 0, limits: defaultRunLimits, author, explanation: isPlanner ? 'as it turned out' : null } as const;
    const decided = decide(this.#state, events, input, draft);
    if (!decided.ok) return [`  refused: ${decided.error.message}`];
    this.#state = decided.value.state;
    return describe(decided.value);
  }

  #event(word: string, words: Words, text: string): RunEvent {
    const { run, checkpoint } = this.#state;
    switch (word) {
      case 'start':
        return { type: 'start', reset: words[0] === 'reset' };
      case 'pause':
        return { type: 'pause', now: words[0] === 'now' };
      case 'cancel':
        return { type: 'cancel' };
      case 'retry':
        return { type: 'retry', guidance: text || null };
      case 'begin':
        return { type: 'begin', runId: `r${++this.#runs}` as RunId };
      case 'answer':
        return { type: 'answered', runId: run?.id ?? ('none' as RunId) };
      case 'daemon-dies':
        return { type: 'owner_died' };
      case 'due':
        return { type: 'due' };
      case 'finish':
        return { type: 'finish', outcome: words[0] as Outcome, reason: text };
      case 'self-claims':
        return { type: 'self_claimed', itemId: words[0] as ItemId, runId: `r${++this.#runs}` as RunId, summary: 'did it' };
    }
    const late = /^late-(r\d+)$/.exec(words[0] ?? '')?.[1];
    const ref: RunRef = late
      ? { runId: late as RunId, epoch: 1, attempt: 1 }
      : { runId: run?.id ?? ('none' as RunId), epoch: run?.epoch ?? 0, attempt: run?.attempt ?? checkpoint.attempt };
    const event = outcomeEvent(word, ref, text, this.#state);
    if (event === null) throw new Error(`no scenario word: ${word}`);
    return event;
  }
}

function describe(decision: Decision): string[] {
  const { checkpoint, run } = decision.state;
  const facts = [
    visibleStatus(checkpoint),
    checkpoint.currentItemId ?? '-',
    `step ${checkpoint.stepNo}`,
    `try ${checkpoint.attempt}`,
    run ? `${run.id} ${run.status}${run.claim === null ? '' : ' claimed'}` : 'no run',
  ];
  if (checkpoint.resume) facts.push('resumes');
  if (decision.state.outcome !== null) facts.push(decision.state.outcome);
  const lines = [`  ${facts.join(' · ')}`];
  if (decision.stale) lines.push('  stale');
  if (decision.continueRun) lines.push(`  goes on: ${decision.continueRun}`);
  if (checkpoint.lastError !== null) lines.push(`  error: ${checkpoint.lastError.replaceAll('\n', ' / ')}`);
  if (decision.plan) {
    const tree = listTree(decision.state.plan.tree).map((i) => `${i.id}:${i.status}${i.accepted ? '+' : ''}`);
    lines.push(`  v${decision.plan.version} ${tree.join(' ')}`);
  }
  const events = decision.events.filter((event) => event.type.startsWith('run.')).map((event) => event.type);
  if (events.length > 0) lines.push(`  events: ${events.join(', ')}`);
  if (decision.inbox.length > 0)
    lines.push(`  inbox: ${decision.inbox.map((entry) => `${entry.kind} ${entry.title}`).join(', ')}`);
  if (decision.notes.length > 0) lines.push(`  planner hears: ${decision.notes.map(({ kind }) => kind).join(', ')}`);
  if (decision.withdraw.length > 0) lines.push(`  withdrawn: questions of ${decision.withdraw.join(', ')}`);
  for (const effect of decision.effects) {
    if (effect.type === 'tend') continue;
    lines.push(
      effect.type === 'wake'
        ? `  effect: wake${effect.at === null ? '' : ` at ${effect.at} ms`}`
        : `  effect: abort ${effect.runId}, ${effect.why}`,
    );
  }
  return lines;
}

/** Plays the whole text of a scenario file; gives it with the outcomes as they are. */
export function playScenario(source: string): string {
  const lines = source.split('\n');
  const at = lines.findIndex((line) => line.startsWith('>'));
  const head = lines.slice(0, at);
  const mission = head.find((line) => line.startsWith('mission: '))?.slice('mission: '.length) ?? 'person';
  const scenario = new Scenario(freshState((draft) => planFrom(head, draft), ownerships[mission as keyof typeof ownerships]));
  const played = lines.filter((line) => line.startsWith('>')).flatMap((line) => [line, ...scenario.play(line.slice(1).trim())]);
  return `${[...head, ...played].join('\n')}\n`;
}

/** `- Title [verify: x] [command: y] [repeatable]`; two spaces deeper for a subtask. */
function planFrom(lines: readonly string[], draft: PlanDraft): void {
  let parent: ItemId | undefined;
  for (const line of lines) {
    const match = /^(\s*)- ([^[]+)(.*)$/.exec(line);
    if (!match) continue;
    const [, indent = '', title = '', marks = ''] = match;
    const verify = /\[verify: ([^\]]+)\]/.exec(marks)?.[1];
    const command = /\[command: ([^\]]+)\]/.exec(marks)?.[1];
    const item = unwrap(
      addItem(
        draft,
        {
          title: title.trim(),
          ...(verify ? { verify: [verify] } : {}),
          ...(command ? { command } : {}),
          ...(marks.includes('[repeatable]') ? { repeatable: true } : {}),
          ...(indent !== '' && parent ? { parentId: parent } : {}),
        },
        'person',
      ),
    );
    if (indent === '') parent = item.id;
  }
}
