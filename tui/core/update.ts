/** One step: what happened, and what the screen then is and wants done. */
import { unreachable } from '../../shared/errors.js';
import { answered, refused } from './answers.js';
import { sayAgain } from './chat-line.js';
import { enqueue } from './edit-queue.js';
import { keyPressed, pasted } from './input-update.js';
import { call, type Msg } from './message.js';
import { mouseUsed } from './mouse-update.js';
import { runsRead } from './reading.js';
import { openSession, takeChange, takeOutput } from './session-update.js';
import { type Next, next, type State, tell, withCmds } from './state.js';

export function update(state: State, msg: Msg): Next {
  switch (msg.type) {
    case 'key':
      return keyPressed(state, msg);
    case 'paste':
      return pasted(state, msg.text);
    case 'mouse':
      return mouseUsed(state, msg);
    case 'focus':
    case 'blur':
      return next(state);
    case 'resized':
      return next({ ...state, size: msg.size });
    case 'ticked':
      return ticked({ ...state, now: msg.now });
    case 'connected':
      return connected({ ...state, daemon: msg.daemon, link: { state: 'open' } });
    case 'lost':
      return lost(state, msg.reason, 0);
    case 'notConnected':
      return msg.otherProtocol
        ? next(
            { ...state, link: { state: 'otherProtocol', reason: msg.reason } },
            { type: 'connect', start: false, delayMs: slowestMs },
          )
        : lost(state, msg.reason, state.link.state === 'lost' ? state.link.tries + 1 : 1);
    case 'changed':
      return takeChange(state, msg.change);
    case 'output':
      return takeOutput(state, msg.output);
    case 'answered':
      return answered(state, msg);
    case 'refused':
      return refused(state, msg);
    case 'serversFound':
      return next({ ...state, servers: msg.servers });
    case 'textEdited':
      return enqueue(state, [{ kind: 'detail', itemId: msg.itemId, base: msg.base, text: msg.text }]);
    case 'editFailed':
      return next(tell(state, msg.reason, 'bad'));
    default:
      return unreachable(msg);
  }
}

/** Waiting times between tries to reach the daemon. */
const backOffMs = [200, 500, 1_000, 2_000, 5_000] as const;
const slowestMs = 5_000;

function lost(state: State, reason: string, tries: number): Next {
  const delayMs = backOffMs[Math.min(tries, backOffMs.length - 1)] ?? slowestMs;
  return next(
    { ...state, link: { state: 'lost', tries, retryAt: state.now + delayMs, reason } },
    { type: 'connect', start: false, delayMs },
  );
}

function connected(state: State): Next {
  if (state.wanted === null) return next(state, call('session.list', { workspace: state.folder, limit: 1 }, { for: 'view' }));
  const back = state.session === null ? state : tell(state, 'The daemon is back.', 'good');
  return withCmds(openSession(back, state.wanted), ...sayAgain(back));
}

/** A run can stall without a word of the daemon: it is asked now and then. */
const askAfterMs = 5_000;

function ticked(state: State): Next {
  const { session, now, link } = state;
  if (session === null || link.state !== 'open') return next(state);
  const sessionId = session.session.id;
  // A run that another one followed in the same breath ended without a word.
  const isStale = session.runs.some(({ id, finishedAt }) => finishedAt === null && id !== session.run?.id);
  const runs = isStale ? [call('run.list', { sessionId, limit: runsRead }, { for: 'runs' })] : [];
  const { status } = session.planRun;
  const isUnderWay = status === 'running' || status === 'pausing' || status === 'waiting';
  if (!isUnderWay || now - Math.max(session.livenessAt, session.livenessAskedAt) < askAfterMs) return next(state, ...runs);
  return next(
    { ...state, session: { ...session, livenessAskedAt: now } },
    call('run.get', { sessionId }, { for: 'view' }),
    ...runs,
  );
}
