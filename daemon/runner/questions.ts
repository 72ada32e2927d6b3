/** A question of a run to a person: asked once for its call, and answered with what the person (or nobody) said. */
import { planLimits } from '../../shared/plan.js';
import type { Clock } from '../clock.js';
import type { AskedQuestion, MissionAnswer, MissionCall } from '../missions/mission-tool.js';
import type { Store } from '../store/store.js';

/** Seconds that a question waits unless it says otherwise. */
const usualDeadline = 3_600;

/** The entry is found again by the call, also after a restart, so that nothing is asked twice. */
export async function askPerson(
  store: Pick<Store, 'questionOf'>,
  clock: Pick<Clock, 'now'>,
  call: MissionCall,
  asked: AskedQuestion,
): Promise<MissionAnswer> {
  const entry = await store.questionOf(call.effectId);
  if (entry?.state === 'answered') return { type: 'answered', content: `A person answers: ${entry.answer ?? ''}` };
  if (entry?.state === 'expired') {
    const said = entry.answer ? `Nobody answered in time, so your default holds: ${entry.answer}` : nobodyAnswered;
    return { type: 'answered', content: said };
  }
  const [first = ''] = asked.question.split('\n');
  const letters = Array.from(first);
  return {
    type: 'ask',
    entry: {
      kind: 'question',
      title: letters.length > planLimits.title ? `${letters.slice(0, planLimits.title - 1).join('')}…` : first,
      detail: asked.question,
      itemId: call.itemId,
      runId: call.ref.runId,
      effectId: call.effectId,
      tool: null,
      options: [...asked.options],
      default: asked.default,
      deadline: new Date(clock.now() + (asked.deadline ?? usualDeadline) * 1_000).toISOString(),
    },
  };
}

const nobodyAnswered =
  'Nobody answered in time. Take the safest way that needs no answer, or say in a blocker what has to be decided.';
