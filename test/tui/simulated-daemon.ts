/** A daemon in this process: the real plan behind a thin run, answering calls with the messages that the screen would get. */
import { addItem, clear, moveItem, removeItem, setGoal, setStatus, updateItem } from '../../daemon/domain/plan-edit.js';
import { revertTo } from '../../daemon/domain/plan-revert.js';
import type { Plan, PlanChange } from '../../daemon/domain/plan.js';
import { methods } from '../../shared/contract.js';
import { ok, type Refusal } from '../../shared/errors.js';
import type { InboxEntry } from '../../shared/mission.js';
import type { Author, Item } from '../../shared/plan.js';
import { countLeaves, listTree, nextLeaf } from '../../shared/plan-tree.js';
import type { Message, PlanRun, Run, RunId } from '../../shared/run.js';
import type { RunOutput, Session, SessionChanged, Snapshot } from '../../shared/session.js';
import type { Answered, Call, Msg, Refused } from '../../tui/core/message.js';
import { diffBetween, pageOf, summaryOf, treeOf } from './simulated-missions.js';
import { type Edit, simulatePlan } from './simulated-plan.js';
import { planRunOf, snapshotOf } from './tui-support.js';

type Outcome = Refusal | { readonly result: unknown };

export interface SimulatedDaemon {
  readonly plan: Plan;
  readonly planRun: PlanRun;
  readonly run: Run | null;
  /** What it answers, and what watchers are told; `telling` says which of them comes first. */
  answer(call: Call, telling?: 'after' | 'before'): Msg[];
  /** Somebody else changes the plan; nothing is told when that is refused. */
  edit(edit: Edit, author?: Author, explanation?: string): Msg[];
  /** The run does something: it is told to watchers. */
  change(part: Omit<SessionChanged, 'sessionId' | 'seq'>): Msg[];
  stream(stream: RunOutput['stream'], text: string, tool?: string): Msg[];
  snapshot(): Snapshot;
}

export interface SimulatedParts {
  readonly inbox?: readonly InboxEntry[];
  /** The session otherwise than it would be. */
  readonly session?: Partial<Session>;
}

export function simulateDaemon(items: readonly Item[] = [], parts: SimulatedParts = {}): SimulatedDaemon {
  const plan = simulatePlan(items);
  let planRun = planRunOf({ status: 'idle', currentItemId: null, stepNo: 0, attempt: 0 });
  let inbox = [...(parts.inbox ?? [])];
  let runs: Run[] = [];
  let said: Message[] = [];
  let seq = 1;

  const daemon: SimulatedDaemon = {
    get plan() {
      return plan.now;
    },
    get planRun() {
      return planRun;
    },
    get run() {
      return runs[0] ?? null;
    },
    answer(call, telling = 'after') {
      // What the client sends is what the contract says.
      methods[call.method].params.parse(call.params);
      const told: Msg[] = [];
      const outcome = carryOut(call, told);
      const reply: Msg =
        'kind' in outcome
          ? { type: 'refused', call, error: toRefused(outcome) }
          : ({
              type: 'answered',
              method: call.method,
              params: call.params,
              purpose: call.purpose,
              result: outcome.result,
            } as Answered);
      return telling === 'after' ? [reply, ...told] : [...told, reply];
    },
    edit(edit, author = 'planner', explanation) {
      const told: Msg[] = [];
      change(edit, author, told, explanation);
      return told;
    },
    change: (part) => [changed(part)],
    stream: (stream, text, tool) => [
      {
        type: 'output',
        output: {
          sessionId: sessionId(),
          runId: runs[0]?.id ?? ('r_0' as RunId),
          itemId: planRun.currentItemId,
          stream,
          text,
          ...(tool === undefined ? {} : { tool }),
        },
      },
    ],
    snapshot,
  };
  return daemon;

  function sessionId(): Session['id'] {
    return planRun.sessionId;
  }

  function snapshot(): Snapshot {
    const base = snapshotOf(listTree(plan.now.tree), { planRun, planVersion: plan.now.version });
    const run = runs[0] ?? null;
    return { ...base, seq, session: { ...base.session, goal: plan.now.goal, ...parts.session }, run, inbox };
  }

  function changed(part: Omit<SessionChanged, 'sessionId' | 'seq'>): Msg {
    seq += 1;
    return { type: 'changed', change: { sessionId: sessionId(), seq, ...part } };
  }

  function change(edit: Edit, author: Author, told: Msg[], explanation?: string): Refusal | PlanChange | null {
    const fromVersion = plan.now.version;
    const done = plan.change(edit, author, explanation);
    if (done === null || 'kind' in done) return done;
    if (planRun.currentItemId !== null && plan.find(planRun.currentItemId) === undefined)
      planRun = { ...planRun, status: 'paused', currentItemId: null };
    const items = done.items.flatMap(({ after }) => (after === null ? [] : [after]));
    const removed = done.items.filter(({ after }) => after === null).map(({ id }) => id);
    told.push(changed({ fromVersion, items, removed, planRun, session: snapshot().session }));
    return done;
  }

  /** An edit of this client, as the method handlers of the daemon carry it out. */
  function edited(expected: number | undefined, edit: Edit, told: Msg[]): Outcome {
    const { version } = plan.now;
    if (expected !== undefined && expected !== version)
      return { kind: 'version_conflict', message: `The plan has version ${version}.`, data: { currentVersion: version } };
    let item: unknown = null;
    const asked: Edit = (draft) => {
      const result = edit(draft);
      if (result.ok) item = result.value;
      return result;
    };
    const done = change(asked, 'person', told);
    if (done !== null && 'kind' in done) return done;
    const items = done?.items ?? [];
    const removed = items.filter(({ after }) => after === null).map(({ id }) => id);
    const isItem = typeof item === 'object' && item !== null && 'id' in item;
    return {
      result: {
        version: plan.now.version,
        changed: items.flatMap(({ after }) => (after === null ? [] : [plan.listed(after)])),
        removed,
        ...(isItem ? { item: plan.listed(item as Item) } : {}),
      },
    };
  }

  function go(part: Partial<PlanRun>, told: Msg[], run?: Run): { result: PlanRun } {
    planRun = { ...planRun, ...part };
    told.push(changed({ planRun, session: snapshot().session, ...(run ? { run } : {}) }));
    return { result: planRun };
  }

  function start(told: Msg[]): Outcome {
    const leaf = nextLeaf(plan.now.tree);
    if (leaf === null) return { kind: 'invalid_state', message: 'Nothing is open.' };
    if (leaf.status !== 'active') setTo(leaf, 'active', told);
    const run = runOf({ id: `r_${runs.length + 1}` as RunId, itemId: leaf.id });
    runs = [run, ...runs];
    return go({ status: 'running', currentItemId: leaf.id, stepNo: planRun.stepNo + 1, attempt: 1, lastError: null }, told, run);
  }

  function setTo(item: Item, status: Item['status'], told: Msg[]): void {
    const set: Edit = (draft) => {
      draft.replace({ ...item, status });
      return ok(null);
    };
    change(set, 'runner', told);
  }

  function end(status: PlanRun['status'], told: Msg[]): { result: unknown } {
    const [run, ...earlier] = runs;
    if (run === undefined) return go({ status, currentItemId: null }, told);
    const ended: Run = {
      ...run,
      status: status === 'cancelled' ? 'cancelled' : 'interrupted',
      finishedAt: '2026-03-01T10:00:40.000Z',
    };
    runs = [ended, ...earlier];
    const item = run.itemId === null ? undefined : plan.find(run.itemId);
    if (item?.status === 'active') setTo(item, 'pending', told);
    return go({ status, currentItemId: null }, told, ended);
  }

  function carryOut(call: Call, told: Msg[]): Outcome {
    switch (call.method) {
      case 'session.list':
        return { result: { sessions: [snapshot().session], nextCursor: null } };
      case 'session.watch':
        return { result: snapshot() };
      case 'session.create':
        return { result: snapshot().session };
      case 'plan.addItem': {
        const { parentId, index, title, expectedVersion } = methods[call.method].params.parse(call.params);
        return edited(expectedVersion, (draft) => addItem(draft, { parentId, index, title }, 'person'), told);
      }
      case 'plan.updateItem': {
        const { expectedVersion, sessionId: _session, ...patch } = methods[call.method].params.parse(call.params);
        return edited(expectedVersion, (draft) => updateItem(draft, patch, 'person'), told);
      }
      case 'plan.setGoal': {
        const params = methods[call.method].params.parse(call.params);
        return edited(params.expectedVersion, (draft) => setGoal(draft, params), told);
      }
      case 'plan.moveItem': {
        const params = methods[call.method].params.parse(call.params);
        return edited(params.expectedVersion, (draft) => moveItem(draft, params), told);
      }
      case 'plan.setStatus': {
        const params = methods[call.method].params.parse(call.params);
        return edited(params.expectedVersion, (draft) => setStatus(draft, params), told);
      }
      case 'plan.removeItem': {
        const params = methods[call.method].params.parse(call.params);
        return edited(params.expectedVersion, (draft) => removeItem(draft, params, 'person'), told);
      }
      case 'plan.clear': {
        if (planRun.status === 'running') return { kind: 'invalid_state', message: 'It runs.' };
        const params = methods[call.method].params.parse(call.params);
        return edited(params.expectedVersion, clear, told);
      }
      case 'plan.revert': {
        const params = methods[call.method].params.parse(call.params);
        const earlier = plan.at(params.version);
        if (earlier === undefined) return { kind: 'not_found', message: 'There is no such version.' };
        return edited(params.expectedVersion, (draft) => revertTo(draft, earlier), told);
      }
      case 'plan.history': {
        const shaped = plan.revisions().filter(({ statusOnly }) => !statusOnly);
        return { result: pageOf(shaped, methods[call.method].params.parse(call.params)) };
      }
      case 'plan.diff':
        return { result: diffBetween(plan.at(call.params.from), plan.at(call.params.to)) };
      case 'plan.draft':
        return { result: { runId: 'r_draft' } };
      case 'mission.tree':
        return { result: { nodes: treeOf(snapshot()) } };
      case 'report.summary':
        return { result: summaryOf(snapshot()) };
      case 'run.list':
        return { result: { runs, nextCursor: null } };
      case 'run.transcript':
        return { result: { messages: said } };
      case 'run.get':
        return { result: { ...planRun, liveness: snapshot().liveness } };
      case 'run.steps':
        return {
          result: {
            found: true,
            version: 1,
            steps: [
              { id: '1', title: 'Read', status: 'done' },
              { id: '2', title: 'Write', status: 'in_progress' },
            ],
          },
        };
      case 'run.receipts':
        return { result: { receipts: [] } };
      case 'run.effects':
        return { result: { effects: [] } };
      case 'run.explain':
        return { result: explanation() };
      case 'run.start':
      case 'run.retry':
        return start(told);
      case 'run.pause':
        return 'now' in call.params && call.params.now === true ? end('paused', told) : go({ status: 'pausing' }, told);
      case 'run.cancel':
        return end('cancelled', told);
      case 'chat.send':
        said = [...said, { kind: 'chat', role: 'user', content: call.params.text, at: '2026-03-01T10:00:41.000Z' }];
        return { result: { runId: runs[0]?.id ?? 'r_chat' } };
      case 'inbox.answer':
      case 'inbox.ack': {
        const entry = inbox.find(({ id }) => id === call.params.id);
        if (entry === undefined) return { kind: 'not_found', message: 'There is no such entry.' };
        inbox = inbox.filter(({ id }) => id !== entry.id);
        const closed: InboxEntry = { ...entry, state: 'answered' };
        told.push(changed({ inbox: [closed] }));
        return { result: closed };
      }
      default:
        return { result: {} };
    }
  }

  function explanation(): unknown {
    const leaf = nextLeaf(plan.now.tree);
    const isAgain = runs.length > 0;
    return {
      wouldStart: leaf !== null,
      reason: leaf === null ? 'Nothing is open.' : '',
      next: leaf && { itemId: leaf.id, number: '1', title: leaf.title },
      reused: { runId: runs[0]?.id ?? null, turns: isAgain ? 3 : 0, effects: [] },
      wouldRun: [],
      mightRepeat: isAgain ? [{ name: 'shell', summary: 'npm publish', why: 'nobody saw its end' }] : [],
      remainingLeaves: countLeaves(plan.now.tree).pending,
    };
  }
}

function toRefused({ kind, message, data }: Refusal): Refused {
  return { kind, message, hint: data?.hint ?? null, currentVersion: data?.currentVersion ?? null };
}

export const runOf = (part: Partial<Run> = {}): Run => ({
  ...{
    id: 'r_1' as RunId,
    sessionId: planRunOf().sessionId,
    itemId: null,
    kind: 'leaf',
    status: 'running',
    attempt: 1,
    epoch: 1,
  },
  ...{ resumes: null, planVersion: 1, model: 'gpt-5-mini', error: null, summary: null },
  usage: { turns: 0, inputTokens: 0, outputTokens: 0, costUsd: null, durationMs: 0 },
  startedAt: '2026-03-01T10:00:00.000Z',
  finishedAt: null,
  ...part,
});
