/** `run.*` and `chat.*`. */
import { refuse, unwrap } from '../../../shared/errors.js';
import type { SessionId } from '../../../shared/plan.js';
import type { PlanRun, RunId } from '../../../shared/run.js';
import { notFound, type SessionCommands } from '../../runner/commands.js';
import type { Queries } from '../../store/queries.js';
import type { Handlers } from '../handlers.js';
import { carryOutOnce } from '../once.js';
import { pageFrom } from '../page.js';

type Methods = Extract<keyof Handlers, `run.${string}` | `chat.${string}`>;

export function runHandlers(store: Queries, commands: SessionCommands): Pick<Handlers, Methods> {
  const planRun = async (id: SessionId): Promise<PlanRun> => (await store.sessionRow(id))?.planRun ?? unwrap(notFound(id));
  const checkRun = async (id: RunId): Promise<void> => {
    if ((await store.run(id)) === null)
      unwrap(refuse('not_found', `There is no run ${id}.`, { hint: 'List them with run.list.' }));
  };

  return {
    'run.start': (params) => {
      const { sessionId, reset = false, planning, budget } = params;
      return carryOutOnce(store, 'run.start', params, {
        first: async (once) => unwrap(await commands.start(sessionId, { reset, planning, budget, once })),
        again: () => planRun(sessionId),
      });
    },
    'run.pause': async ({ sessionId, now = false }) => unwrap(await commands.pause(sessionId, now)),
    'run.cancel': async ({ sessionId }) => unwrap(await commands.cancel(sessionId)),
    'run.retry': async ({ sessionId, guidance }) => unwrap(await commands.retry(sessionId, guidance ?? null)),
    'run.get': async ({ sessionId }) => ({ ...(await planRun(sessionId)), liveness: await commands.liveness(sessionId) }),
    'run.explain': async ({ sessionId }) => unwrap(await commands.explain(sessionId)),
    'run.list': async ({ sessionId, itemId, limit, cursor }) => {
      await planRun(sessionId);
      const { rows, nextCursor } = await store.runs(sessionId, itemId ?? null, pageFrom({ limit, cursor }));
      return { runs: [...rows], nextCursor };
    },
    'run.transcript': async ({ runId }) => {
      await checkRun(runId);
      const messages = await store.transcript(runId);
      return { messages: messages.map(({ seq: _seq, runId: _runId, ...message }) => message) };
    },
    'run.effects': async ({ runId }) => {
      await checkRun(runId);
      const effects = await store.transcriptEffects(runId);
      return { effects: effects.map(({ itemId: _item, result: _result, argsDigest: _digest, ...effect }) => effect) };
    },
    'run.steps': async ({ runId }) => {
      await checkRun(runId);
      const kept = await store.steps(runId);
      if (kept === null) return { found: false, version: 0, steps: [] };
      return { found: true, version: kept.state.version, steps: [...kept.state.steps] };
    },
    'run.receipts': async ({ sessionId, itemId }) => {
      await planRun(sessionId);
      return { receipts: [...(await store.receipts(sessionId, itemId))] };
    },
    'chat.cancel': async ({ sessionId }) => ({ cancelled: unwrap(await commands.cancelChats(sessionId)) }),
    'chat.send': (params) =>
      carryOutOnce(store, 'chat.send', params, {
        first: async (once) => ({ runId: unwrap(await commands.chat(params.sessionId, params.text, once)) }),
        again: (ref) => Promise.resolve({ runId: ref as RunId }),
      }),
  };
}
