import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cli, type Register } from '../cli.js';
import type { SessionId } from '../../shared/plan.js';
import { renderTree } from '../core/lines/tree-view.js';
import { programFolder } from '../program-folder.js';
import { endOnSignals, followSession } from './watch.js';

/** Beside this program, where the build puts them. */
const demoFile = (name: string): string => join(programFolder, 'demo', name);

export const registerDemo: Register = (program, cli) => {
  program
    .command('demo')
    .description('see a plan run in a temporary folder: a recording through the real loop, tools and store; no model, no key')
    .option('--headless', 'without pauses, for scripts')
    .option('--keep', 'leave the folder there')
    .action(async ({ headless, keep }: { headless?: boolean; keep?: boolean }) => {
      process.exitCode = await runDemo(cli, { headless: headless ?? !cli.isTerminal, keep: keep ?? false });
    });
};

export async function runDemo(outer: Cli, { headless, keep }: { headless: boolean; keep: boolean }): Promise<number> {
  const root = mkdtempSync(join(tmpdir(), 'cairn-demo-'));
  const workspace = join(root, 'workspace');
  mkdirSync(workspace);
  // A daemon of its own, on a home of its own: the demo touches nothing of the user's.
  const environment = {
    ...outer.environment,
    CAIRN_HOME: join(root, 'home'),
    CAIRN_PORT: '0',
    CAIRN_REPLAY: demoFile('recording.jsonl'),
    CAIRN_REPLAY_SPEED: headless ? '0' : '1',
  };
  let daemonPid: number | null = null;
  const cli = new Cli(environment, (pid) => (daemonPid = pid));
  // However this process ends, neither its daemon nor its folder outlives it.
  const cleanUp = (): void => {
    if (daemonPid !== null) endProcess(daemonPid);
    if (!keep) rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  process.once('exit', cleanUp);
  const guard = (): (() => void) => endOnSignals(cli, 'The demo was stopped; nothing of it is left.');
  let takeOff = guard();
  try {
    outer.print(
      'The demo replays a recording: no model is asked. Tools, checks, store and daemon are the real ones.',
      `Workspace: ${workspace}`,
      '',
    );
    const client = await cli.client();
    const session = await client.call('session.create', {
      title: 'Demo',
      workspace,
      policy: 'full',
      markdown: readFileSync(demoFile('plan.md'), 'utf8'),
    });
    await client.call('run.start', { sessionId: session.id });
    let code = 0;
    if (headless || !cli.hasScreen) code = await followSession(cli, session.id, { follow: false });
    else {
      const { showFullScreen } = await import('../full-screen.js');
      const { files, glyphs, onStart } = cli;
      const left = showFullScreen({ files, environment, glyphs, client, sessionId: session.id, onStart });
      // The screen has a guard of its own, which knows when Ctrl-c is not for us.
      takeOff();
      await left;
      takeOff = guard();
    }
    cli.dropClient();
    await printResult(cli, session.id);
    return code;
  } finally {
    cli.close();
    cleanUp();
    process.off('exit', cleanUp);
  }
}

/** At once: there is nothing in the home of a demo that anybody would want to resume. */
function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function printResult(cli: Cli, sessionId: SessionId): Promise<void> {
  const client = await cli.client();
  const [session, plan, run] = await Promise.all([
    client.call('session.get', { sessionId }),
    client.call('plan.get', { sessionId }),
    client.call('run.get', { sessionId }),
  ]);
  const { liveness, ...planRun } = run;
  cli.print(
    '',
    ...renderTree({ title: session.title, goal: plan.goal, items: plan.items, counts: plan.counts, planRun, liveness }, cli.view),
  );
}
