/** One step: what happened, and what the screen then is and wants done. */
import { unreachable } from '../../shared/errors.js';
import type { SessionId } from '../../shared/plan.js';
import { answered, refused } from './link/answers.js';
import { sayAgain } from './conversation/chat-line.js';
import { closeEvery } from './conversation/conversation.js';
import { askWhenFree, enqueue } from './plan/edit-queue.js';
import type { Intent } from './plan/edits.js';
import { keyPressed, pasted } from './input/input-update.js';
import { keepText, keepTexts } from './plan/kept-texts.js';
import { longestWaitMs, waitMs } from './link/back-off.js';
import { whyNot } from './link/link-words.js';
import { isUnderWay } from './plan/run-status.js';
import { call, type Msg } from './message.js';
import { mouseUsed } from './input/mouse-update.js';
import { inform } from './popups/confirm.js';
import { keepTree } from './popups/missions.js';
import { runsRead } from './conversation/reading.js';
import { openSession, takeChange, takeOutput } from './link/session-update.js';
import { andThen, type Next, next, patchSession, type State, tell, withCmds, withSession } from './state.js';
import { keepLine } from './plan/steady-cursor.js';
import { takeTyped } from './input/typed-ahead.js';

export const update = (state: State, msg: Msg): Next => keepTexts(state, takeTyped(take(state, msg), take));

function take(state: State, msg: Msg): Next {
  switch (msg.type) {
    case 'key':
      return askWhenFree(state, keyPressed(state, msg));
    case 'paste':
      return pasted(state, msg.text);
    case 'mouse':
      return askWhenFree(state, mouseUsed(state, msg));
    case 'focus':
    case 'blur':
      return next(state);
    case 'resized':
      return next({ ...state, size: msg.size });
    case 'ticked':
      return andThen(keepTree(letNoticeGo({ ...state, now: msg.now })), ticked);
    case 'starting':
      return next({ ...state, link: { state: 'connecting', isStarting: true } });
    case 'connected':
      return connected({ ...state, daemon: msg.daemon, link: { state: 'open' }, heardAt: null });
    case 'lost':
      return lost(unheard(state), msg.reason, 0);
    case 'notConnected':
      return msg.otherProtocol
        ? meetOtherProtocol(state, msg.reason)
        : lost(state, msg.reason, state.link.state === 'lost' ? state.link.tries + 1 : 1);
    case 'changed':
      return keepLine(state, takeChange(state, msg.change));
    case 'output':
      return takeOutput(state, msg.output);
    case 'answered':
      return keepLine(state, answered(state, msg));
    case 'refused':
      return refused(state, msg);
    case 'serversFound':
      return next({ ...state, servers: msg.servers });
    case 'textEdited':
      return textEdited(state, msg.sessionId, { kind: 'detail', itemId: msg.itemId, base: msg.base, text: msg.text });
    case 'editFailed':
      return next(say(state, 'The text did not get there', msg.reason));
    default:
      return unreachable(msg);
  }
}

/** What the hints say to do now must be seen; and nothing that was being said will go on from where it was. */
const unheard = (state: State): State => ({
  ...withSession(state, ({ conversation }) => ({ conversation: closeEvery(conversation) })),
  notice: null,
  heardAt: state.heardAt ?? state.now,
});

/** The hints are wanted again; an error stays until it was seen. */
const noticeMs = 6_000;
const letNoticeGo = (state: State): State =>
  state.notice !== null && state.notice.tone !== 'bad' && state.now - state.notice.at > noticeMs
    ? { ...state, notice: null }
    : state;

function lost(state: State, reason: string, tries: number): Next {
  const delayMs = waitMs(tries);
  return next(
    { ...state, link: { state: 'lost', tries, retryAt: state.now + delayMs, reason } },
    { type: 'connect', start: false, delayMs },
  );
}

/** Told at length once; the link says it from then on. */
function meetOtherProtocol(state: State, reason: string): Next {
  const isNew = state.session !== null && state.link.state !== 'otherProtocol';
  const told = isNew ? say(state, 'Another version of the daemon runs', reason) : state;
  return next({ ...told, link: { state: 'otherProtocol', reason } }, { type: 'connect', start: false, delayMs: longestWaitMs });
}

/** In a popup, unless the person is in one or writes something. */
const say = (state: State, title: string, text: string): State =>
  state.popup === null && state.prompt === null
    ? { ...state, popup: inform(title, text) }
    : tell(state, text.replaceAll('\n', ' '), 'bad');

function textEdited(state: State, sessionId: SessionId, intent: Extract<Intent, { kind: 'detail' }>): Next {
  // Ids are the same in every plan: it must not go to another one.
  if (state.session?.session.id !== sessionId) return next(state, keepText(intent.text, 'Its session is not shown any more.'));
  const queued = enqueue(state, [intent]);
  if (state.link.state === 'open') return queued;
  return { ...queued, state: tell(queued.state, `${whyNot(state.link)}: the detail goes out when it is back.`, 'warn') };
}

function connected(state: State): Next {
  if (state.wanted === null) return next(state, call('session.list', { workspace: state.folder, limit: 1 }, { for: 'view' }));
  const back = state.session === null ? state : tell(state, 'The daemon is back.', 'good');
  return withCmds(openSession(back, state.wanted), ...sayAgain(back));
}

/** What a run does changes without a word of the daemon, which tells of commits only: it is asked now and then. */
const askAfterMs = 2_000;
/** A run that waits for a slot or the workspace may have begun any moment. */
const askWaitingAfterMs = 900;
const listAfterMs = 900;

function ticked(state: State): Next {
  const { session, now, link } = state;
  if (session === null || link.state !== 'open') return next(state);
  const sessionId = session.session.id;
  // A run that another one followed in the same breath ended without a word.
  const { planner } = session.session;
  const isPlanning = planner.state === 'running' || planner.state === 'waiting';
  const mayBeOver = session.runs.some(
    ({ id, kind, finishedAt }) => finishedAt === null && id !== session.run?.id && !(kind === 'planner' && isPlanning),
  );
  const isListed = !mayBeOver || now - session.runsAskedAt < listAfterMs;
  const runs = isListed ? [] : [call('run.list', { sessionId, limit: runsRead }, { for: 'runs' })];
  const asked = isListed ? state : patchSession(state, { runsAskedAt: now });
  const { status } = session.planRun;
  const askAfter = status === 'running' && session.liveness.state === 'waiting' ? askWaitingAfterMs : askAfterMs;
  if (!isUnderWay(status) || now - Math.max(session.livenessAt, session.livenessAskedAt) < askAfter) return next(asked, ...runs);
  return next(patchSession(asked, { livenessAskedAt: now }), call('run.get', { sessionId }, { for: 'view' }), ...runs);
}
