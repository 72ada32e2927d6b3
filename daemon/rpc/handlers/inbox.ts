/** `inbox.*`. */
import { unwrap } from '../../../shared/errors.js';
import type { SessionCommands } from '../../runner/commands.js';
import type { Queries } from '../../store/queries.js';
import type { Handlers } from '../handlers.js';
import { pageFrom } from '../page.js';

type Methods = 'inbox.list' | 'inbox.answer' | 'inbox.ack';

export const inboxHandlers = (store: Queries, commands: SessionCommands): Pick<Handlers, Methods> => ({
  'inbox.list': async ({ sessionId, state, limit, cursor }) => {
    const filter = { ...(sessionId === undefined ? {} : { sessionId }), ...(state === undefined ? {} : { state }) };
    const { rows, nextCursor } = await store.inbox(filter, pageFrom({ limit, cursor }));
    return { entries: [...rows], nextCursor };
  },
  'inbox.answer': async ({ id, answer }) => unwrap(await commands.answer(id, answer)),
  'inbox.ack': async ({ id }) => unwrap(await commands.acknowledge(id)),
});
