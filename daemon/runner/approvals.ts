/** Whether a tool call or an item's command may be carried out now: by the policy, by a grant, or by a person's answer. */
import type { PolicyAction } from '../../shared/mission.js';
import type { EffectClass, EffectId, RunId } from '../../shared/run.js';
import type { ItemId } from '../../shared/plan.js';
import type { Clock } from '../clock.js';
import type { InboxDraft } from '../domain/run-state.js';
import type { SessionRecord, Store } from '../store/store.js';

export interface Wish {
  readonly effectId: EffectId;
  readonly tool: string;
  readonly class: EffectClass;
  readonly path?: string;
  readonly command?: string;
  readonly hosts?: readonly string[];
}

export type Permission =
  | { readonly type: 'allowed' }
  /** What the model (or the person) is told. */
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'ask'; readonly entry: InboxDraft };

export interface Judgement {
  readonly action: PolicyAction;
  readonly deadlineSeconds: number;
  readonly onDeadline: 'allow' | 'deny';
}

export type Judge = (session: SessionRecord, wish: Wish) => Judgement;

export interface Approvals {
  permission(session: SessionRecord, wish: Wish, run: { runId: RunId; itemId: ItemId | null }): Promise<Permission>;
}

const approvalOptions = ['allow', 'always', 'deny'];

/** One entry for all calls of a turn that ask: a person answers once. The strictest deadline and default count. */
export function mergeApprovals(asked: readonly InboxDraft[]): readonly InboxDraft[] {
  const entries = asked.filter(({ kind }) => kind === 'approval');
  const [first] = entries;
  if (first === undefined || entries.length === 1) return asked;
  const tools = new Set(entries.map((entry) => entry.tool));
  const deadlines = entries.flatMap((entry) => entry.deadline ?? []).sort();
  return [
    {
      ...first,
      title: `May these ${entries.length} calls run?`,
      detail: entries.map((entry) => `${entry.tool ?? ''}: ${entry.detail}`).join('\n'),
      tool: tools.size === 1 ? first.tool : null,
      default: entries.every((entry) => entry.default === 'allow') ? 'allow' : 'deny',
      deadline: deadlines[0] ?? null,
      calls: entries.flatMap(({ effectId, tool, detail }) => (effectId && tool ? [{ effectId, tool, subject: detail }] : [])),
    },
    ...asked.filter(({ kind }) => kind !== 'approval'),
  ];
}

/** What an `always` covers: this tool with exactly this command or path. */
const subjectOf = (wish: Pick<Wish, 'command' | 'path'>): string => wish.command ?? wish.path ?? '';

export function createApprovals(store: Store, judge: Judge, clock: Clock): Approvals {
  return {
    async permission(session, wish, run) {
      const judgement = judge(session, wish);
      if (judgement.action === 'allow') return { type: 'allowed' };
      const subject = subjectOf(wish);
      if (judgement.action === 'deny') {
        return { type: 'refused', reason: `The policy of this session denies ${wish.tool}${subject ? `: ${subject}` : ''}.` };
      }
      if (await store.isGranted(session.id, wish.tool, subject)) return { type: 'allowed' };
      const entry = await store.approvalOf(wish.effectId);
      if (entry?.state === 'answered' && (entry.answer === 'allow' || entry.answer === 'always')) return { type: 'allowed' };
      if (entry?.state === 'expired' && entry.answer === 'allow') return { type: 'allowed' };
      if (entry?.state === 'answered') return { type: 'refused', reason: `A person said no to ${wish.tool}: ${subject}` };
      if (entry?.state === 'expired') {
        return { type: 'refused', reason: `Nobody answered in time, so ${wish.tool} was not done: ${subject}` };
      }
      return {
        type: 'ask',
        entry: {
          kind: 'approval',
          title: `May ${wish.tool} run?`,
          detail: subject,
          itemId: run.itemId,
          runId: run.runId,
          effectId: wish.effectId,
          tool: wish.tool,
          options: approvalOptions,
          default: judgement.onDeadline,
          deadline: new Date(clock.now() + judgement.deadlineSeconds * 1000).toISOString(),
        },
      };
    },
  };
}
