/** Makes sessions: a person's, and missions, which are sessions that were fired to run unattended. */
import { realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { ok, refuse, type Result } from '../../shared/errors.js';
import type { MissionOrder, PlannerMode, Policy, PolicyInput, Profile } from '../../shared/mission.js';
import { type Author, planLimits, type SessionId } from '../../shared/plan.js';
import type { Clock } from '../clock.js';
import { emptyPlan } from '../domain/plan.js';
import { PlanDraft } from '../domain/plan-draft.js';
import { isUrgent, type PlannerNote } from '../domain/planner-notes.js';
import type { CallEnd, Once, SessionRecord, Store } from '../store/store.js';
import { notFound } from './commands.js';
import type { Publisher } from './publisher.js';
import { keyUsed } from './session-states.js';

export interface MakerParts {
  readonly store: Store;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly newId: (prefix: string) => string;
  readonly defaultWorkspace: string;
  /** What the session may do: the asked policy, tightened by the workspace's own configuration and by the session above. */
  readonly policyFor: (workspace: string, asked: PolicyInput | undefined, above: Policy | null) => Promise<Result<Policy>>;
  /** Names of the profiles that can be asked for. */
  readonly profiles: readonly Profile[];
  readonly planning: boolean;
}

export interface SessionOrder {
  readonly title?: string | undefined;
  readonly workspace?: string | undefined;
  readonly profile?: Profile | undefined;
  readonly context?: SessionRecord['context'] | undefined;
  readonly policy?: PolicyInput | undefined;
  readonly model?: string | undefined;
  readonly planner?: PlannerMode | undefined;
  readonly planning?: boolean | undefined;
  readonly parentId?: SessionId | undefined;
  /** Fired: it runs unattended, and is asked for this besides its goal. */
  readonly mission?: MissionOrder | undefined;
}

export interface SessionMaker {
  /** `fill` writes the plan; a refusal of it makes nothing. `endOf`: the call that fires it, as it ends with the new id. */
  make(
    order: SessionOrder,
    fill: (draft: PlanDraft) => Result<void>,
    author: Author,
    once: Once | null,
    endOf?: (id: SessionId, title: string) => CallEnd,
  ): Promise<Result<SessionId>>;
}

/** Missions below missions, and missions that one session may fire in its life: so that no loop fires for ever. */
const limits = { depth: 4, children: 100 } as const;

export function createSessionMaker(parts: MakerParts): SessionMaker {
  const { store, clock } = parts;

  async function parentOf(id: SessionId | undefined): Promise<Result<SessionRecord | null>> {
    if (id === undefined) return ok(null);
    const parent = await store.session(id);
    if (parent === null) return notFound(id);
    if (parent.outcome !== null) {
      return refuse('invalid_state', `The mission ${id} has ended (${parent.outcome}): nothing is fired below it any more.`);
    }
    const { children, depth } = await store.family(id);
    if (depth + 1 >= limits.depth) {
      return refuse('limit_exceeded', `Missions stand ${limits.depth} deep at most.`, { hint: 'Put the work into this plan.' });
    }
    if (children >= limits.children) {
      return refuse('limit_exceeded', `A session fires ${limits.children} missions at most.`, {
        hint: 'Put the work into this plan.',
      });
    }
    return ok(parent);
  }

  function profileOf(asked: Profile | undefined): Result<Profile> {
    const name = asked ?? 'worker';
    if (parts.profiles.includes(name)) return ok(name);
    return refuse('invalid_params', `There is no profile ${name}.`, {
      issues: [{ path: 'profile', message: `one of ${parts.profiles.join(', ')}` }],
      hint: 'Profiles beside the three are declared under "profiles" in config.json.',
    });
  }

  return {
    async make(order, fill, author, once, endOf) {
      const parent = await parentOf(order.parentId);
      if (!parent.ok) return parent;
      const profile = profileOf(order.profile);
      if (!profile.ok) return profile;
      const workspace = await existingFolder(order.workspace ?? parent.value?.workspace ?? parts.defaultWorkspace);
      if (!workspace.ok) return workspace;
      const policy = await parts.policyFor(workspace.value, order.policy, parent.value?.policy ?? null);
      if (!policy.ok) return policy;
      const draft = new PlanDraft(emptyPlan);
      const filled = fill(draft);
      if (!filled.ok) return filled;
      const done = draft.finish(author, null);
      const title = titleOf(order.title, done?.plan.goal ?? '', workspace.value);
      if (!title.ok) return title;
      const id = parts.newId('s') as SessionId;
      const planner = order.planner ?? (order.mission === undefined ? 'never' : 'always');
      const at = clock.iso();
      const record: SessionRecord = {
        id,
        title: title.value,
        workspace: workspace.value,
        profile: profile.value,
        context: order.context ?? 'leaf',
        policy: policy.value,
        model: order.model ?? parent.value?.model ?? null,
        planner,
        planning: (order.planning ?? true) && parts.planning,
        parentId: parent.value?.id ?? null,
        isMission: order.mission !== undefined,
        order: order.mission ?? {},
        outcome: null,
        outcomeReason: null,
        createdAt: at,
        updatedAt: at,
      };
      const notes = order.mission !== undefined && planner !== 'never' ? [firedNote(planner, draft.itemCount)] : [];
      const call = endOf?.(id, title.value);
      const made = await store.createSession(record, done?.change ?? null, once, { notes, ...(call ? { call } : {}) });
      if (made === null) return keyUsed();
      parts.publisher.committed({ sessionId: id, events: made.events });
      if (call !== undefined) parts.publisher.committed({ sessionId: call.sessionId, events: made.ofCall });
      return ok(id);
    },
  };
}

function firedNote(planner: PlannerMode, items: number): PlannerNote {
  const text =
    items === 0
      ? 'The mission has been fired. There is no plan yet: look at what is there, and make it.'
      : 'The mission has been fired, and came with a plan, which runs already. Look whether it fits the goal.';
  return { kind: 'fired', text, itemId: null, urgent: isUrgent('fired', planner) };
}

async function existingFolder(path: string): Promise<Result<string>> {
  try {
    const real = await realpath(path);
    if ((await stat(real)).isDirectory()) return ok(real);
  } catch {
    // Said below, like every other path that is no folder.
  }
  return refuse('invalid_params', `The workspace ${path} is not a folder.`, {
    issues: [{ path: 'workspace', message: 'an existing folder' }],
    hint: 'Give the path of an existing folder.',
  });
}

/** A title as it is stored: the one given, or the first line of the goal, or the name of the folder. */
export function titleOf(given: string | undefined, goal: string, workspace: string): Result<string> {
  const text = (given ?? goal.split('\n')[0] ?? '').normalize('NFC').trim();
  const title = text === '' ? basename(workspace) : text;
  const letters = Array.from(title);
  const { length } = letters;
  if (given === undefined) return ok(length > planLimits.title ? `${letters.slice(0, planLimits.title - 1).join('')}…` : title);
  if (title.includes('\n')) return refuse('invalid_params', 'A title is one line.');
  return length > planLimits.title
    ? refuse('limit_exceeded', `The title has ${length} characters; at most ${planLimits.title} are taken.`)
    : ok(title);
}
