import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import type { DaemonStatus } from '../../shared/session.js';
import { type Cli, exitCodes, type Register } from '../cli.js';
import { NoDaemon } from '../connect.js';
import { sanitise } from '../core/text/text.js';
import { findLocalServers } from '../local-servers.js';

const answerWithinMs = 5_000;

interface Finding {
  readonly ok: boolean;
  readonly what: string;
  /** What to do; empty when all is well. */
  readonly todo: string;
}

export const registerDoctor: Register = (program, cli) => {
  program
    .command('doctor')
    .description('what is set up, what is not, what to do')
    .option('--json', 'answer as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const findings = [checkNode(), checkHome(cli), await checkGit(), ...(await checkDaemon(cli))];
      if (json) cli.printJson('doctor', { findings });
      else {
        const { paint, glyphs } = cli.view;
        for (const { ok, what, todo } of findings) {
          cli.print(
            `${ok ? paint('good', glyphs.accepted) : paint('bad', glyphs.missing)} ${what}${todo === '' ? '' : `\n    ${todo}`}`,
          );
        }
      }
      if (findings.some(({ ok }) => !ok)) process.exitCode = exitCodes.needsPerson;
    });
};

function checkNode(): Finding {
  const major = Number(process.versions.node.split('.')[0]);
  return { ok: major >= 20, what: `Node ${process.versions.node}`, todo: major >= 20 ? '' : 'Cairn needs Node 20 or newer.' };
}

function checkHome({ files }: Cli): Finding {
  try {
    const mode = statSync(files.home).mode & 0o777;
    const open = (mode & 0o077) !== 0;
    return {
      ok: !open,
      what: `home ${files.home} (mode ${mode.toString(8)})`,
      todo: open ? `Others can read it: chmod 700 ${files.home}` : '',
    };
  } catch {
    return { ok: true, what: `home ${files.home} (made at the first start)`, todo: '' };
  }
}

async function checkGit(): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)('git', ['--version']);
    return { ok: true, what: stdout.trim(), todo: '' };
  } catch {
    return { ok: false, what: 'git is not there', todo: 'Install it: without it receipts carry no hash of the workspace.' };
  }
}

/** Starts the daemon if none runs: whether it can, and with what configuration, only it knows. */
async function checkDaemon(cli: Cli): Promise<Finding[]> {
  try {
    const { pid, version, provider, warnings, sandbox } = await (await cli.client()).call('daemon.status', {});
    return [
      { ok: true, what: `daemon runs, pid ${pid}, version ${version}`, todo: '' },
      provider === null ? await noModel() : await checkModel(provider),
      ...describeConfinement(sandbox),
      ...warnings.map((warning) => ({ ok: false, what: sanitise(warning), todo: 'Mend the file named.' })),
    ];
  } catch (error) {
    if (!(error instanceof NoDaemon)) throw error;
    const [what = '', ...todo] = error.message.split('\n').map(sanitise);
    return [{ ok: false, what: `the daemon does not start: ${what}`, todo: todo.join(' ') }];
  }
}

type Provider = NonNullable<DaemonStatus['provider']>;

async function checkModel({ model, baseUrl, replay }: Provider): Promise<Finding> {
  const what = `model ${sanitise(model)} at ${sanitise(baseUrl)}`;
  if (replay) return { ok: true, what: `${what} (a recording, no model)`, todo: '' };
  try {
    // Any answer will do: the key, which would be asked for, is the daemon's.
    await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(answerWithinMs) });
    return { ok: true, what, todo: '' };
  } catch (error) {
    const { cause, message } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    return {
      ok: false,
      what: `${what} does not answer: ${sanitise(why)}`,
      todo: 'Start it, or set OPENAI_BASE_URL to where it is.',
    };
  }
}

async function noModel(): Promise<Finding> {
  const servers = await findLocalServers();
  const found = servers.map(({ name, baseUrl }) => `${name}: OPENAI_BASE_URL=${baseUrl}`).join('; ');
  const todo = found
    ? `A local server answers. Set CAIRN_MODEL and ${found}, then restart the daemon.`
    : 'Set CAIRN_MODEL and OPENAI_API_KEY (or OPENAI_BASE_URL), or "model" in config.json. Leaves by command need none.';
  return { ok: false, what: 'no model is configured', todo };
}

/** Without one nothing is broken, but each command of a model waits for a person. */
function describeConfinement(sandbox: DaemonStatus['sandbox']): Finding[] {
  if (sandbox === null) return [];
  const isConfined = sandbox.kind !== 'none';
  const todo = isConfined ? '' : 'Mend that, allow commands for a session with --policy full, or answer `always` when they ask.';
  return [{ ok: isConfined, what: sanitise(sandbox.words), todo }];
}
