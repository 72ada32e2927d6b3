/** Reading what was before: runs and their transcripts, one at a time, newest first. */
import type { Message, Run, RunId } from '../../shared/run.js';
import { replaceRuns } from './conversation.js';
import { followBlocks } from './conversation-follow.js';
import { call } from './message.js';
import { listedItem } from './plan-model.js';
import { type Next, next, patchSession, type Read, type SessionView, type State, andThen, withSession } from './state.js';
import { transcriptBlocks } from './transcript.js';

/** Runs whose words are there when a session is opened; earlier ones come when one scrolls up to them. */
const firstReads = 6;
export const runsRead = 200;

/** Runs that stand for themselves: what another one goes on with is in the transcript of that one. */
function standing(runs: readonly Run[]): Run[] {
  const resumed = new Set(runs.map(({ resumes }) => resumes));
  return runs.filter(({ id }) => !resumed.has(id));
}

/** The list of runs has come (newest first): what is not in the conversation is read. */
export function takeRuns(state: State, runs: readonly Run[]): Next {
  return read(
    withSession(state, (view) => {
      const all = standing(runs);
      const known = new Set(view.conversation.blocks.map(({ runId }) => runId));
      if (known.size === 0) {
        return {
          runs,
          reads: all.slice(0, firstReads).map((run): Read => ({ run, at: 'start' })),
          earlier: all.slice(firstReads),
        };
      }
      const newest = all.findIndex(({ id }) => known.has(id));
      const missed = (newest < 0 ? all : all.slice(0, newest)).toReversed();
      const again = all.filter(({ id }) => view.partlyHeard.has(id) && known.has(id));
      // What is still to be read keeps its place: older runs go to the start, each in front of the one before.
      const wanted = new Set(view.reads.map(({ run }) => run.id));
      const more = [...again, ...missed].filter(({ id }) => !wanted.has(id)).map((run): Read => ({ run, at: 'end' }));
      return { runs, reads: [...view.reads, ...more] };
    }),
  );
}

/** Runs as they are by now: what ended without a word is known to have ended. */
export function refreshRuns(state: State, runs: readonly Run[]): Next {
  const heard = state.session?.partlyHeard ?? new Set<RunId>();
  const ended = runs.filter(({ id, finishedAt }) => finishedAt !== null && heard.has(id));
  return ended.reduce((step, run) => andThen(step, (now) => readRun(now, run)), next(patchSession(state, { runs })));
}

/** The transcript of a run is to be read (again). One that is being read just now may lack what came since it was asked for. */
export const readRun = (state: State, run: Run): Next =>
  read(
    withSession(state, ({ reads, reading }) => {
      const waiting = reading === null ? reads : reads.slice(1);
      return waiting.some((wanted) => wanted.run.id === run.id) ? {} : { reads: [...reads, { run, at: 'end' }] };
    }),
  );

/** The start of the conversation is in sight: the run before it is read. */
export function readEarlier(state: State): Next {
  const { session } = state;
  const [run, ...earlier] = session?.earlier ?? [];
  if (session === null || run === undefined || session.reading !== null || session.reads.length > 0) return next(state);
  return read(patchSession(state, { earlier, reads: [{ run, at: 'start' }] }));
}

function read(state: State): Next {
  const { session } = state;
  const first = session?.reads[0];
  if (session === null || first === undefined || session.reading !== null) return next(state);
  return next(patchSession(state, { reading: first.run.id }), call('run.transcript', { runId: first.run.id }, { for: 'view' }));
}

/** A transcript has come. */
export function takeTranscript(state: State, runId: string, messages: readonly Message[]): Next {
  const { session } = state;
  const first = session?.reads[0];
  if (session === null || first?.run.id !== runId) return next(state);
  // As it is by now: it may have ended meanwhile.
  const run = session.runs.find(({ id }) => id === runId) ?? first.run;
  const chain = chainOf(run, session);
  const blocks = transcriptBlocks(run, messages, listedItem(session.plan, run.itemId));
  const partlyHeard = new Set(session.partlyHeard);
  if (run.finishedAt !== null) partlyHeard.delete(run.id);
  const conversation = replaceRuns(session.conversation, chain, blocks, first.at);
  return read(
    patchSession(state, {
      conversation,
      conversationView: followBlocks(session.conversation, conversation, session.conversationView),
      reads: session.reads.slice(1),
      reading: null,
      partlyHeard,
    }),
  );
}

/** A transcript that could not be read is passed over. */
export const skipTranscript = (state: State, runId: string): Next =>
  read(withSession(state, ({ reads, reading }) => (reading === runId ? { reads: reads.slice(1), reading: null } : {})));

/** The run and those that it goes on with. */
function chainOf(run: Run, { runs }: SessionView): ReadonlySet<RunId> {
  const chain = new Set<RunId>([run.id]);
  for (let { resumes } = run; resumes !== null && !chain.has(resumes);) {
    chain.add(resumes);
    resumes = runs.find(({ id }) => id === resumes)?.resumes ?? null;
  }
  return chain;
}
