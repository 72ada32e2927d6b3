/** Finds the sandbox of this machine, by really running something in it: a program that is there need not work. */
import { access, constants, mkdtemp, realpath, rm } from 'node:fs/promises';
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

/** What bubblewrap says where something of the machine forbids it, and what a person can do about that. */
const remedies: readonly (readonly [RegExp, string])[] = [
  [
    /mount proc|\/ slave|pivot_root/i,
    'this container may not mount: run it with `--security-opt seccomp=unconfined --security-opt systempaths=unconfined`',
  ],
  [
    /namespace|uid map|RTM_NEWADDR/i,
    'namespaces are not allowed: see `sysctl user.max_user_namespaces kernel.unprivileged_userns_clone ' +
      'kernel.apparmor_restrict_unprivileged_userns`, or the security options of the container',
  ],
];

export async function detectSandbox(parts: DetectParts): Promise<Sandbox> {
  if (!parts.enabled) return noSandbox('switched off in the configuration: sandbox.enabled');
  if (parts.platform === 'darwin') return firstThatWorks([sandboxExec(parts.own)]);
  if (parts.platform !== 'linux') return noSandbox(`there is none for ${parts.platform}`);
  const program = await findProgram('bwrap', parts.path);
  if (program === null)
    return noSandbox('bubblewrap is not installed: install the package `bubblewrap`, then restart the daemon');
  const { own, isRoot } = parts;
  // Root in a container may lack the right to make namespaces, and still get it in a namespace of users.
  return firstThatWorks(
    (isRoot ? [false, true] : [true]).map((userNamespace) => bubblewrap({ program, own, isRoot, userNamespace })),
  );
}

async function firstThatWorks(sandboxes: readonly Sandbox[]): Promise<Sandbox> {
  const reasons: string[] = [];
  for (const sandbox of sandboxes) {
    const reason = await whyItFails(sandbox);
    if (reason === null) return sandbox;
    reasons.push(reason);
  }
  return noSandbox(reasons.at(-1) ?? 'none was tried');
}

async function whyItFails(sandbox: Sandbox): Promise<string | null> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'cairn-probe-'));
  try {
    // One that lets the machine's own settings be written is none.
    const look = 'for each in /proc/sys/kernel/core_pattern /proc/sysrq-trigger; do [ ! -w "$each" ] || exit 1; done; echo works';
    const request = { argv: ['/bin/sh', '-c', look], workspace: folder, confinement: { network: 'none' } } as const;
    const [program = '', ...args] = await sandbox.wrap(request);
    const { stdout, stderr, failed } = await execa(program, args, {
      reject: false,
      timeout: probeMs,
      // The fifth stands for the guard's status.
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'pipe'],
    });
    if (!failed && stdout.trim() === 'works') return null;
    const words = stderr.trim().split('\n').at(-1) || 'no answer';
    const remedy = remedies.find(([pattern]) => pattern.test(words))?.[1];
    return `${sandbox.kind} does not work here: ${words}${remedy === undefined ? '' : `; ${remedy}, then restart the daemon`}`;
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
