/** What a turn says while it comes, handed on to watchers. */
import type { ItemId } from '../../shared/plan.js';
import type { RunRef } from '../domain/run-state.js';
import type { RunActivity } from '../executors/executor.js';
import type { TurnSink } from '../providers/provider.js';
import type { RunPublisher } from '../runner/run-publisher.js';
import type { SessionRecord } from '../store/store.js';

interface StreamingRun {
  readonly session: SessionRecord;
  readonly ref: RunRef;
  readonly itemId: ItemId | null;
  readonly activity: RunActivity;
}

/** `end` gives out what was held back. */
export function streamTurn(publisher: RunPublisher, run: StreamingRun): { sink: TurnSink; end: () => void } {
  const open = (stream: 'text' | 'reasoning') => publisher.stream(run.session.id, run.ref.runId, run.itemId, stream);
  const text = open('text');
  const reasoning = open('reasoning');
  // What was held back of a thought stands before the text that follows it. Nothing that could be a secret gets out by this
  // which a space in its middle would not let out as well.
  const write = (to: typeof text, other: typeof text, delta: string): void => {
    run.activity.progressed();
    other.end();
    to.write(delta);
  };
  return {
    sink: {
      text: (delta) => write(text, reasoning, delta),
      reasoning: (delta) => write(reasoning, text, delta),
      toolCall: () => run.activity.progressed(),
      notice: (words) => publisher.say(run.session.id, run.ref.runId, run.itemId, 'notice', words),
    },
    end: () => {
      reasoning.end();
      text.end();
    },
  };
}
