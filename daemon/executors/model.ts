/** Runs a leaf by the model: prepares the transcript of a new run, then lets the loop take its turns. */
import type { Message } from '../../shared/run.js';
import type { Clock } from '../clock.js';
import type { Plan } from '../domain/plan.js';
import type { LoopRun, RunSettings } from '../agent/agent-loop.js';
import { earlierEffects, noticeText, planPrompt, systemPrompt } from '../agent/prompts.js';
import { nonceOf } from '../agent/untrusted.js';
import type { RunGear } from '../missions/profiles.js';
import { planToolName } from '../domain/steps/step-schema.js';
import type { RunPublisher } from '../runner/run-publisher.js';
import type { Store, SessionRecord, StoredMessage } from '../store/store.js';
import type { Executor, LeafJob, LeafOutcome } from './executor.js';

export interface ModelExecutorParts {
  readonly store: Store;
  readonly loop: (run: LoopRun) => Promise<LeafOutcome>;
  readonly planOf: (session: SessionRecord) => Promise<Plan | null>;
  /** What the session's profile and policy leave to a run of a leaf. */
  readonly gearFor: (session: SessionRecord, signal: AbortSignal) => Promise<RunGear>;
  readonly settingsFor: (session: SessionRecord) => Promise<RunSettings>;
  readonly publisher: Pick<RunPublisher, 'say'>;
  readonly clock: Clock;
}

/** Of the results of earlier leaves, how many are looked at. */
const handoverPage = { limit: 3, cursor: null } as const;

export function createModelExecutor(parts: ModelExecutorParts): Executor {
  const { store } = parts;

  /** A run of the same try, which this one goes on with, was told the notice already. */
  async function wasTold({ resumes, ref }: LeafJob, transcript: readonly StoredMessage[]): Promise<boolean> {
    if (resumes === null || !transcript.some((message) => message.runId === resumes)) return false;
    return (await store.run(resumes))?.attempt === ref.attempt;
  }

  /** The messages that a new run begins with; none when it has begun already. */
  async function prepare(job: LeafJob): Promise<readonly Omit<Message, 'at'>[]> {
    const transcript = await store.transcript(job.ref.runId);
    if (transcript.some((message) => message.runId === job.ref.runId)) return [];
    const notice: Omit<Message, 'at'>[] = job.notice
      ? [{ kind: 'notice', role: 'system', content: noticeText(job.notice, nonceOf(`${job.ref.runId}:check`)) }]
      : [];
    if (job.resumes !== null && transcript.length > 0) return (await wasTold(job, transcript)) ? [] : notice;
    const plan = await parts.planOf(job.session);
    if (plan === null) return notice;
    const handovers = (await store.reports(job.session.id, 'result', handoverPage)).rows.toReversed();
    const prompt = planPrompt({ plan, item: job.item, attempt: job.ref.attempt, handovers, order: job.session.order });
    const done = (await store.itemEffects(job.session.id, job.item.id)).filter(
      (effect) => !effect.repeatable && effect.runId !== job.ref.runId,
    );
    return [
      { kind: 'plan_prompt', role: 'user', content: prompt },
      ...(done.length > 0 ? [{ kind: 'notice', role: 'system', content: earlierEffects(done) } as const] : []),
      ...notice,
    ];
  }

  async function conversation(job: LeafJob): Promise<readonly StoredMessage[]> {
    const chat = await store.conversation(job.session.id);
    if (job.session.context === 'leaf') return chat;
    return [...(await store.earlierTranscripts(job.session.id, job.ref.runId)), ...chat].sort((a, b) =>
      a.at < b.at ? -1 : a.at > b.at ? 1 : a.seq - b.seq,
    );
  }

  return {
    async execute(job, activity, signal) {
      const messages = await prepare(job);
      if (messages.length > 0 && !(await store.appendMessages(job.ref, messages))) return { type: 'stopped' };
      const { tools, problems, profile, missionTools } = await parts.gearFor(job.session, signal);
      for (const problem of problems) parts.publisher.say(job.session.id, job.ref.runId, job.item.id, 'notice', problem);
      const { planning: steps, ...settings } = await parts.settingsFor(job.session);
      const planning = profile.hasSteps ? steps : null;
      return parts.loop({
        session: job.session,
        ref: job.ref,
        itemId: job.item.id,
        label: job.item.title,
        model: job.item.model ?? job.session.model,
        system: systemPrompt({
          workspace: job.session.workspace,
          today: parts.clock.iso().slice(0, 10),
          isUnattended: job.session.isMission,
          profilePrompt: profile.prompt,
          tools: [
            ...tools.map((tool) => tool.name),
            ...(planning ? [planToolName] : []),
            ...missionTools.map((tool) => tool.name),
          ],
          planning: planning !== null,
          confinement: settings.confinement,
        }),
        ...settings,
        planning,
        tools,
        missionTools,
        isLeaf: true,
        isSolo: false,
        isAttended: false,
        conversation: () => conversation(job),
        activity,
        signal,
        drain: job.drain,
      });
    },
  };
}
