/** Finds the sandbox of this machine, by really running something in it: a program that is there need not work. */
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { bubblewrap } from './bubblewrap.js';
import { noSandbox, type Sandbox } from './sandbox.js';
import { sandboxExec } from './sandbox-exec.js';

export interface DetectParts {
  readonly platform: NodeJS.Platform;
  readonly path: string | undefined;
  /** Folders of the daemon, which no command may see. */
  readonly own: readonly string[];
  readonly enabled: boolean;
  readonly isRoot: boolean;
}

const probeMs = 5_000;

export async function detectSandbox(parts: DetectParts): Promise<Sandbox> {
  if (!parts.enabled) return noSandbox('switched off in the configuration: sandbox.enabled');
  if (parts.platform === 'darwin') return probe(sandboxExec(parts.own));
  if (parts.platform !== 'linux') return noSandbox(`there is none for ${parts.platform}`);
  const program = await findProgram('bwrap', parts.path);
  if (program === null)
    return noSandbox('bubblewrap is not installed: install the package `bubblewrap`, then restart the daemon');
  return probe(bubblewrap({ program, own: parts.own, isRoot: parts.isRoot }));
}

async function probe(sandbox: Sandbox): Promise<Sandbox> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-probe-'));
  try {
    const request = { argv: ['/bin/sh', '-c', 'echo works'], workspace: folder, confinement: { network: 'none' } } as const;
    const [program = '', ...args] = await sandbox.wrap(request);
    const { stdout, stderr, failed } = await execa(program, args, { reject: false, timeout: probeMs, stdin: 'ignore' });
    if (!failed && stdout.trim() === 'works') return sandbox;
    return noSandbox(`${sandbox.kind} does not work here: ${stderr.trim().split('\n').at(-1) || 'no answer'}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function findProgram(name: string, path = ''): Promise<string | null> {
  for (const folder of [...path.split(delimiter), '/usr/bin', '/usr/local/bin']) {
    if (folder === '') continue;
    const program = join(folder, name);
    if (
      await access(program, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return program;
  }
  return null;
}
