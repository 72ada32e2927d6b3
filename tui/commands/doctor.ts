import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { promisify } from 'node:util';
import { type Cli, exitCodes, type Register } from '../cli.js';
import { connectIfRunning } from '../connect.js';
import { findLocalServers } from '../local-servers.js';

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
      const findings = [checkNode(), checkHome(cli), await checkGit(), ...(await checkDaemon(cli)), checkSandbox()];
      if (json) cli.printJson('doctor', { findings });
      else {
        const { paint, glyphs } = cli.view;
        for (const { ok, what, todo } of findings) {
          cli.print(`${ok ? paint('good', glyphs.accepted) : paint('bad', '!')} ${what}${todo === '' ? '' : `\n    ${todo}`}`);
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

async function checkDaemon(cli: Cli): Promise<Finding[]> {
  const client = await connectIfRunning(cli.files);
  const status = client && (await client.call('daemon.status', {}));
  client?.close();
  const daemon: Finding = status
    ? { ok: true, what: `daemon runs, pid ${status.pid}, version ${status.version}`, todo: '' }
    : { ok: true, what: 'daemon does not run (it starts with the next command)', todo: '' };
  const model = status?.provider?.model ?? cli.environment.CAIRN_MODEL;
  const warnings = (status?.warnings ?? []).map((what): Finding => ({ ok: false, what, todo: 'Mend the file named.' }));
  if (model)
    return [
      daemon,
      { ok: true, what: `model ${model}${status?.provider ? ` at ${status.provider.baseUrl}` : ''}`, todo: '' },
      ...warnings,
    ];
  const servers = await findLocalServers();
  const found = servers.map(({ name, baseUrl }) => `${name}: OPENAI_BASE_URL=${baseUrl}`).join('; ');
  const todo = found
    ? `A local server answers. Set CAIRN_MODEL and ${found}, then restart the daemon.`
    : 'Set CAIRN_MODEL and OPENAI_API_KEY (or OPENAI_BASE_URL), or "model" in config.json. Leaves by command need none.';
  return [daemon, { ok: false, what: 'no model is configured', todo }, ...warnings];
}

const checkSandbox = (): Finding => ({
  ok: true,
  what: 'commands of the model run without a sandbox, so each one asks first',
  todo: 'Allow them for a session with --policy full, or by `always` when they ask.',
});
