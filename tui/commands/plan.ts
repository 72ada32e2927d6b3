import { resolve } from 'node:path';
import type { Client } from '../../shared/client.js';
import type { ResultOf } from '../../shared/contract.js';
import type { SessionId } from '../../shared/plan.js';
import type { Run } from '../../shared/run.js';
import { type Cli, exitCodes, type Register, UsageError } from '../cli.js';
import { renderTree } from '../core/lines/tree-view.js';
import { inboxLines } from '../core/lines/watch-lines.js';
import { newestEvent } from '../follow-events.js';
import { readInput } from '../input.js';
import { findSession } from '../references.js';
import { waitForRun } from '../wait-for-run.js';
import { endOnSignals } from './watch.js';

interface Options {
  from?: string;
  session?: string;
  workspace?: string;
  model?: string;
  json?: boolean;
}

export const registerPlan: Register = (program, cli) => {
  program
    .command('plan [goal]')
    .description('have the planner make a plan for a goal; with --session, change that one as the text says. Nothing starts')
    .option('--from <file>', 'a requirements document (- reads standard input)')
    .option('-s, --session <id>', 'the session whose plan is to be changed')
    .option('--workspace <dir>', 'the folder to plan for (this one unless given)')
    .option('--model <model>', 'the model of the new session')
    .option('--json', 'answer as JSON')
    .action(async (words: string | undefined, options: Options) => {
      if (words === undefined && options.from === undefined)
        throw new UsageError('Say what the plan is for, or give a requirements document with --from.');
      if (options.session !== undefined && (options.workspace !== undefined || options.model !== undefined))
        throw new UsageError('--workspace and --model are those of a new session; the one of --session has its own.');
      const document = options.from === undefined ? undefined : await readInput(options.from);
      const client = await cli.client();
      const after = await newestEvent(client);
      const { sessionId, runId } =
        options.session === undefined
          ? await beginNew(client, words, document, options)
          : await begin(client, await findSession(client, options.session), textOf([words, document]));
      const release = endOnSignals(cli, `Detached. The planner goes on; see what it made with: cairn show ${sessionId}`);
      if (!options.json) cli.note('The planner is at work.');
      const run = await waitForRun(cli, { sessionId, runId, after });
      release();
      await tell(cli, sessionId, run, { after, json: options.json ?? false });
    });
};

interface Begun {
  readonly sessionId: SessionId;
  readonly runId: Run['id'];
}

const textOf = (parts: readonly (string | undefined)[]): string | undefined =>
  parts.filter((part) => part !== undefined).join('\n\n') || undefined;

async function begin(client: Client, sessionId: SessionId, text: string | undefined): Promise<Begun> {
  const { runId } = await client.call('plan.draft', { sessionId, ...(text === undefined ? {} : { text }) });
  return { sessionId, runId };
}

async function beginNew(
  client: Client,
  goal: string | undefined,
  document: string | undefined,
  { workspace, model }: Options,
): Promise<Begun> {
  const { id } = await client.call('session.create', {
    workspace: resolve(workspace ?? '.'),
    ...(goal === undefined ? {} : { goal }),
    ...(model === undefined ? {} : { model }),
  });
  try {
    return await begin(client, id, document);
  } catch (error) {
    // An empty session that nobody asked for would be the newest of this folder.
    await client.call('session.delete', { sessionId: id }).catch(() => undefined);
    throw error;
  }
}

async function tell(
  cli: Cli,
  sessionId: SessionId,
  run: Run | null,
  { after, json }: { after: number; json: boolean },
): Promise<void> {
  if (run === null) throw new Error('The session was deleted.');
  const client = await cli.client();
  if (run.status === 'waiting') return tellQuestion(cli, client, run, json);
  if (!(await wasPlanned(client, sessionId, after))) {
    const why = run.error ?? (await answerOf(client, run));
    throw new Error(`No plan came of it: ${why}\nSay more: cairn plan --session ${sessionId} TEXT`);
  }
  const [session, plan, { liveness, ...planRun }] = await Promise.all([
    client.call('session.get', { sessionId }),
    client.call('plan.get', { sessionId }),
    client.call('run.get', { sessionId }),
  ]);
  if (json) {
    cli.printJson('plan', { session, plan, run });
    return;
  }
  cli.print(
    ...renderTree({ title: session.title, goal: plan.goal, items: plan.items, counts: plan.counts, planRun, liveness }, cli.view),
    '',
    `Start it: cairn run ${sessionId}`,
    `Change it: cairn plan --session ${sessionId} "what to change"`,
  );
}

/** Whether the planner has revised the plan since. */
async function wasPlanned(client: Client, sessionId: SessionId, after: number): Promise<boolean> {
  for (let cursor = after; ;) {
    const { events, nextCursor }: ResultOf<'event.list'> = await client.call('event.list', { sessionId, after: cursor });
    if (events.length === 0) return false;
    if (events.some(({ type, data }) => type === 'plan.revised' && data.author === 'planner')) return true;
    cursor = nextCursor;
  }
}

/** What the planner said instead. */
async function answerOf(client: Client, run: Run): Promise<string> {
  const { messages } = await client.call('run.transcript', { runId: run.id });
  const said = messages.findLast(({ role, content }) => role === 'assistant' && content.trim() !== '');
  return said?.content ?? `its run ended as ${run.status}, without a word.`;
}

async function tellQuestion(cli: Cli, client: Client, run: Run, json: boolean): Promise<void> {
  process.exitCode = exitCodes.needsPerson;
  const { sessionId } = run;
  const { entries } = await client.call('inbox.list', { sessionId, state: 'open' });
  if (json) {
    const [session, plan] = await Promise.all([
      client.call('session.get', { sessionId }),
      client.call('plan.get', { sessionId }),
    ]);
    cli.printJson('plan', { session, plan, run });
    return;
  }
  const asked = entries.filter(({ runId }) => runId === run.id);
  cli.print(
    'The planner asks before it goes on:',
    ...inboxLines(asked, cli.view),
    `See then what it made: cairn show ${sessionId}`,
  );
}
