/** Reading what was before: runs and their transcripts, one at a time, newest first. */
import type { Message, Run, RunId } from '../../../shared/run.js';
import { emptyConversation, replaceRuns } from './conversation.js';
import { followBlocks } from './conversation-follow.js';
import { call } from '../message.js';
import { listedItem } from '../plan/plan-model.js';
import {
  type Next,
  next,
  patchSession,
  type Read,
  type Reading,
  type SessionView,
  type State,
  andThen,
  tell,
  withSession,
} from '../state.js';
import { transcriptBlocks } from './transcript.js';

/** Runs whose words are there when a session is opened; earlier ones come when one scrolls up to them. */
const firstReads = 6;
export const runsRead = 200;
/** Runs that are known at most. */
export const runsKept = 5_000;

/**
 * Runs that stand for themselves: what another one (of `all`) goes on with is in the transcript of that one. Not so with a
 * planner: its memory is one transcript, and each of its runs is a turn in it that stands where it took place.
 */
function standing(runs: readonly Run[], all = runs): Run[] {
  const resumed = new Set(all.filter(({ kind }) => kind !== 'planner').map(({ resumes }) => resumes));
  return runs.filter(({ id }) => !resumed.has(id));
}

interface RunPage {
  readonly runs: readonly Run[];
  readonly nextCursor: string | null;
}

/** The list of the newest runs has come (newest first): what is not in the conversation is read. */
export function takeRuns(state: State, { runs, nextCursor }: RunPage): Next {
  return read(
    withSession(state, (view) => {
      const all = standing(runs);
      const known = new Set(view.conversation.blocks.map(({ runId }) => runId));
      const newest = all.findIndex(({ id }) => known.has(id));
      if (view.unlisted === undefined || known.size === 0)
        return beginWith(view, all, { runs: mergeRuns(runs, view.runs), nextCursor });
      // Between these and what is shown lie runs that nobody has listed.
      if (newest < 0 && nextCursor !== null) return { ...beginWith(view, all, { runs, nextCursor }), ...onlyCurrent(view) };
      const missed = (newest < 0 ? all : all.slice(0, newest)).toReversed();
      const again = all.filter(({ id }) => view.partlyHeard.has(id) && known.has(id));
      // What is still to be read keeps its place: older runs go to the start, each in front of the one before.
      const wanted = new Set(view.reads.map(({ run }) => run.id));
      const more = [...again, ...missed].filter(({ id }) => !wanted.has(id)).map((run): Read => ({ run, at: 'end' }));
      return { runs: mergeRuns(runs, view.runs), reads: [...view.reads, ...more] };
    }),
  );
}

/** The newest runs are read, `all` being those that stand for themselves; what is being read stays first. */
function beginWith(
  { reads, partlyHeard }: SessionView,
  all: readonly Run[],
  { runs, nextCursor }: RunPage,
): Partial<SessionView> {
  const wanted = new Set(reads.map(({ run }) => run.id));
  const newest = all.slice(0, firstReads).filter(({ id }) => !wanted.has(id));
  return {
    runs,
    unlisted: nextCursor,
    reads: [...reads, ...newest.map((run): Read => ({ run, at: 'start' }))],
    earlier: all.slice(firstReads),
    // What a planner under way has said before it was listened to was not heard.
    partlyHeard: new Map([...talking(runs), ...partlyHeard]),
  };
}

const talking = (runs: readonly Run[]): (readonly [RunId, number])[] =>
  runs.filter(({ kind, finishedAt }) => kind === 'planner' && finishedAt === null).map(({ id, usage }) => [id, usage.turns]);

/** Of the conversation what belongs to the run that is under way. */
function onlyCurrent({ conversation, run }: SessionView): Partial<SessionView> {
  const blocks = conversation.blocks.filter(({ runId }) => runId !== null && runId === run?.id);
  return { conversation: { ...emptyConversation, nextId: conversation.nextId, blocks } };
}

/** The newest as they are by now, and those before them that were listed earlier. */
function mergeRuns(newest: readonly Run[], known: readonly Run[]): readonly Run[] {
  const ids = new Set(newest.map(({ id }) => id));
  return [...newest, ...known.filter(({ id }) => !ids.has(id))].slice(0, runsKept);
}

/** Runs as they are by now: what ended without a word is known to have ended. */
export function refreshRuns(state: State, runs: readonly Run[]): Next {
  const heard = state.session?.partlyHeard ?? new Map<RunId, number>();
  const ended = runs.filter(({ id, finishedAt }) => finishedAt !== null && heard.has(id));
  const told = withSession(state, (view) => ({ runs: mergeRuns(runs, view.runs) }));
  return ended.reduce((step, run) => andThen(step, (now) => readRun(now, run)), next(told));
}

/** A part of a run was not heard: its transcript has that when the turn ends that is under way. */
export function missPart(state: State, runId: RunId): State {
  return withSession(state, ({ run, runs, partlyHeard }) => {
    const known = run?.id === runId ? run : runs.find(({ id }) => id === runId);
    return { partlyHeard: new Map([...partlyHeard, [runId, known?.usage.turns ?? 0]]) };
  });
}

/** The transcript of a run is to be read (again). One that is being read just now may lack what came since it was asked for. */
export const readRun = (state: State, run: Run): Next =>
  read(
    withSession(state, ({ reads, reading }) => {
      const waiting = reading === null ? reads : reads.slice(1);
      return waiting.some((wanted) => wanted.run.id === run.id) ? {} : { reads: [...reads, { run, at: 'end' }] };
    }),
  );

/** The start of the conversation is in sight: the run before it is read, or the runs before those that are listed are. */
export function readEarlier(state: State): Next {
  const { session } = state;
  if (session === null || session.reads.length > 0 || session.isListing) return next(state);
  const [run, ...earlier] = session.earlier;
  const hasMore = run !== undefined || typeof session.unlisted === 'string';
  // It would go at once, for what has come after it.
  if (session.conversation.dropped > 0) return next(hasMore ? tell(state, 'What was before is not kept here.') : state);
  if (run !== undefined) return read(patchSession(state, { earlier, reads: [{ run, at: 'start' }] }));
  if (typeof session.unlisted !== 'string') return next(state);
  const params = { sessionId: session.session.id, limit: runsRead, cursor: session.unlisted };
  return next(patchSession(state, { isListing: true }), call('run.list', params, { for: 'earlier' }));
}

/** Runs before those that were listed have come: the newest of them is read. */
export function takeEarlierRuns(state: State, cursor: string | undefined, { runs, nextCursor }: RunPage): Next {
  const { session } = state;
  if (session === null || cursor === undefined || session.unlisted !== cursor) return next(state);
  const all = mergeRuns(session.runs, runs);
  const earlier = standing(runs, all);
  return readEarlier(patchSession(state, { runs: all, earlier, unlisted: nextCursor, isListing: false }));
}

/** They could not be listed; when one scrolls up again they are asked for again. */
export const failEarlierRuns = (state: State, reason: string): State =>
  tell(patchSession(state, { isListing: false }), reason, 'bad');

function read(state: State): Next {
  const { session } = state;
  const first = session?.reads[0];
  if (session === null || first === undefined || session.reading !== null) return next(state);
  const run = session.runs.find(({ id }) => id === first.run.id) ?? first.run;
  const reading: Reading = {
    runId: run.id,
    turns: run.usage.turns,
    isOver: run.finishedAt !== null,
    complete: completeBlocks(session, run),
  };
  return next(patchSession(state, { reading }), call('run.transcript', { runId: run.id }, { for: 'view' }));
}

/** Blocks of a run, and of those that it goes on with, to which nothing is added any more. */
function completeBlocks(session: SessionView, run: Run): number {
  const chain = chainOf(run, session);
  return session.conversation.blocks.filter(({ runId, open }) => runId !== null && chain.has(runId) && !open).length;
}

/** A transcript has come. */
export function takeTranscript(state: State, runId: string, messages: readonly Message[]): Next {
  const { session } = state;
  const first = session?.reads[0];
  if (session === null || first?.run.id !== runId || session.reading?.runId !== runId) return next(state);
  // As it is by now: it may have ended meanwhile.
  const run = session.runs.find(({ id }) => id === runId) ?? first.run;
  const blocks = transcriptBlocks(run, messages, listedItem(session.plan, run.itemId));
  const conversation = replaceRuns(session.conversation, chainOf(run, session), blocks, first.at);
  const taken = patchSession(state, {
    conversation,
    conversationView: followBlocks(session.conversation, conversation, session.conversationView),
    reads: session.reads.slice(1),
    reading: null,
    partlyHeard: heardAfter(session, session.reading, run),
  });
  const isCutShort = run.finishedAt !== null && !session.reading.isOver;
  return isCutShort ? readRun(taken, run) : read(taken);
}

/** What is still only partly heard when a transcript has taken the place of what was heard of its run. */
function heardAfter(session: SessionView, { turns, isOver, complete }: Reading, run: Run): SessionView['partlyHeard'] {
  const heard = new Map(session.partlyHeard);
  const missedAt = heard.get(run.id);
  // Words that ended since it was asked for may not be in it.
  if (!isOver && completeBlocks(session, run) !== complete) heard.set(run.id, run.usage.turns);
  else if (isOver || (missedAt !== undefined && turns > missedAt)) heard.delete(run.id);
  return heard;
}

/** A transcript that could not be read is passed over. */
export const skipTranscript = (state: State, runId: string): Next =>
  read(withSession(state, ({ reads, reading }) => (reading?.runId === runId ? { reads: reads.slice(1), reading: null } : {})));

/** The run and those that it goes on with. */
function chainOf(run: Run, { runs }: SessionView): ReadonlySet<RunId> {
  const chain = new Set<RunId>([run.id]);
  if (run.kind === 'planner') return chain;
  for (let { resumes } = run; resumes !== null && !chain.has(resumes);) {
    chain.add(resumes);
    resumes = runs.find(({ id }) => id === resumes)?.resumes ?? null;
  }
  return chain;
}
