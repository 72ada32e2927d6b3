/**
 * Confinement by bubblewrap. The workspace is writable and everything else read-only; processes, shared memory and the
 * network are the command's own; keys, sockets and the daemon's folder are not there. `/tmp`, `/run` and the cache folders
 * of the home are empty and private, so that compilers and package managers find a place to write that nobody else sees;
 * what is not there of the caches is given below `/tmp` by the environment.
 */
import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { checkMounts } from './check-mounts.js';
import { findGitFolders, type GitFolders, type GuardedPath } from './git-folders.js';
import { findHidden, type HiddenPath, readableHomes } from './hidden-paths.js';
import { liesIn, mountArguments, type Mount } from './mounts.js';
import type { Sandbox, SandboxRequest } from './sandbox.js';

export interface BubblewrapParts {
  /** Absolute path of the program. */
  readonly program: string;
  /** Folders of the daemon itself: socket, token, database. Absolute. */
  readonly own: readonly string[];
  /** Without a namespace of users, which root can do without. */
  readonly isRoot: boolean;
  /** A namespace of users of its own; everybody but root needs one. */
  readonly userNamespace?: boolean;
  readonly home?: string;
}

/** Places that every user may write, and where sockets are. */
const shared = ['/tmp', '/var/tmp', '/run', '/var/run'];

/** Written to by tools of all kinds; what is in them is of no use to somebody who may not change it. */
const caches: readonly { readonly name: string; readonly variable?: string }[] = [
  { name: '.cache', variable: 'XDG_CACHE_HOME' },
  { name: '.npm', variable: 'npm_config_cache' },
  { name: '.yarn' },
  { name: '.pnpm-store' },
  { name: '.local/state', variable: 'XDG_STATE_HOME' },
];

/** With these, somebody else's session or daemon could be reached. */
const withheld = [
  'XDG_RUNTIME_DIR',
  'DBUS_SESSION_BUS_ADDRESS',
  'DOCKER_HOST',
  'CONTAINER_HOST',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'TMUX',
  'STY',
];

/** Bubblewrap tells the id of the sandbox's session in the guard's status (fd 4), and closes its own copy of it. */
const tellSession = ['/bin/sh', '-c', 'exec "$@" 5>&4', 'cairn-sandbox'];

export function bubblewrap(parts: BubblewrapParts): Sandbox {
  return {
    kind: 'bubblewrap',
    reason: null,
    wrap: async (request) => {
      const git = await findGitFolders(request.workspace);
      const argv = [...checkMounts(request.workspace, git), ...request.argv];
      return [...tellSession, parts.program, ...(await argumentsFor(parts, request, git)), '--', ...argv];
    },
  };
}

async function argumentsFor(
  parts: BubblewrapParts,
  { workspace, confinement }: SandboxRequest,
  git: GitFolders,
): Promise<string[]> {
  const home = parts.home ?? homedir();
  const isOpen = confinement.network === 'open';
  const [machineSettings, hidden, emptied, resolver, cached] = await Promise.all([
    existing(['/proc/sys', '/proc/sysrq-trigger']),
    readableHomes(home, parts.isRoot).then((homes) => findHidden(homes, parts.own)),
    existing(shared),
    isOpen ? existing(['/etc/resolv.conf']) : [],
    Promise.all(caches.map(async (cache) => ({ ...cache, real: await existing([join(home, cache.name)]) }))),
  ]);
  // A home below /tmp is as visible as any other.
  const visibleHome = (await existing([home])).filter((path) => path !== workspace && emptied.some((each) => liesIn(path, each)));
  const mounts: Mount[] = [
    { path: '/proc', kind: 'proc' },
    // Settings of the whole machine: as root, one of them names a program that the kernel itself would start.
    ...machineSettings.map((path) => ({ path, kind: 'readOnly' }) as const),
    { path: '/dev', kind: 'dev' },
    ...[...emptied, ...cached.flatMap(({ real }) => real)].map((path) => ({ path, kind: 'private' }) as const),
    // NixOS keeps the programs of the machine below /run.
    ...((await isThere('/run/current-system')) ? [{ path: '/run/current-system', kind: 'readOnly' } as const] : []),
    ...visibleHome.map((path) => ({ path, kind: 'readOnly' }) as const),
    ...resolver.filter((path) => liesIn(path, '/run')).map((path) => ({ path, kind: 'readOnly' }) as const),
    ...[workspace, ...git.writable, ...git.pinned].map((path) => ({ path, kind: 'writable' }) as const),
    ...pinnedAround(hidden, [workspace, ...git.writable]).map((path) => ({ path, kind: 'writable' }) as const),
    ...git.readOnly.map(guard),
    ...hidden.map((each) => ({ ...each, kind: 'hidden' }) as const),
  ];
  const missing = cached.filter(({ real }) => real.length === 0);
  return [
    ...isolation(parts, isOpen),
    ...['--ro-bind', '/', '/', ...mountArguments(mounts), '--chdir', workspace, '--setenv', 'TMPDIR', '/tmp'],
    ...missing.flatMap(({ name, variable }) => (variable === undefined ? [] : ['--setenv', variable, join('/tmp', name)])),
    ...withheld.flatMap((name) => ['--unsetenv', name]),
  ];
}

/**
 * The folders between a writable place and what is hidden in it. A mount point cannot be moved, but a folder around it can,
 * and what is hidden would be found at its new place by the next command.
 */
function pinnedAround(hidden: readonly HiddenPath[], writable: readonly string[]): string[] {
  const pinned = new Set<string>();
  for (const { path } of hidden) {
    const place = writable.find((each) => each !== path && liesIn(path, each));
    for (let at = dirname(path); place !== undefined && at !== place && liesIn(at, place); at = dirname(at)) pinned.add(at);
  }
  return [...pinned];
}

function isolation({ isRoot, userNamespace = !isRoot }: BubblewrapParts, network: boolean): string[] {
  return [
    // A session of its own: a signal to "its own group" that a command sends does not hit the sandbox.
    ...['--die-with-parent', '--new-session', '--info-fd', '5'],
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network ? [] : ['--unshare-net']),
    // Root keeps what it takes to work on files of others, and nothing by which it could undo the mounts.
    ...(!userNamespace
      ? ['--cap-drop', 'ALL', '--cap-add', 'CAP_DAC_OVERRIDE', '--cap-add', 'CAP_CHOWN', '--cap-add', 'CAP_FOWNER']
      : ['--unshare-user']),
  ];
}

/** What is not there yet must not be made either: an empty folder that cannot be written stands in its place. */
const guard = ({ path, exists, isFolder }: GuardedPath): Mount =>
  exists ? { path, kind: 'readOnly' } : { path, kind: 'hidden', isFolder };

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Where they really are: a mount on a link would miss. */
async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => null)));
  return [...new Set(found)].filter((path) => path !== null);
}
