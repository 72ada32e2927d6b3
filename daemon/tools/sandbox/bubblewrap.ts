/**
 * Confinement by bubblewrap. The workspace is writable and everything else read-only; processes, shared memory and the
 * network are the command's own; keys, sockets and the daemon's folder are not there. `/tmp`, `/run` and the cache folders
 * of the home are empty and private, so that compilers and package managers find a place to write that nobody else sees.
 */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findGitFolders, findHidden, liesIn, type HiddenPath } from './hidden-paths.js';
import type { Sandbox, SandboxRequest } from './sandbox.js';

export interface BubblewrapParts {
  /** Absolute path of the program. */
  readonly program: string;
  /** Folders of the daemon itself: socket, token, database. Absolute. */
  readonly own: readonly string[];
  readonly isRoot: boolean;
  readonly home?: string;
}

/** Written to by tools of all kinds; what is in them is of no use to somebody who may not change it. */
const caches = ['.cache', '.npm', '.yarn', '.pnpm-store', '.local/state'];
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

export function bubblewrap(parts: BubblewrapParts): Sandbox {
  return {
    kind: 'bubblewrap',
    reason: null,
    wrap: async (request) => [parts.program, ...(await argumentsFor(parts, request)), '--', ...request.argv],
  };
}

async function argumentsFor(parts: BubblewrapParts, { workspace, confinement }: SandboxRequest): Promise<string[]> {
  const home = parts.home ?? homedir();
  const [hidden, git, cacheFolders] = await Promise.all([
    findHidden(home, parts.own),
    findGitFolders(workspace),
    existing(caches.map((name) => join(home, name))),
  ]);
  const around = hidden.filter(({ path }) => path !== workspace && liesIn(workspace, path));
  const others = hidden.filter((each) => !around.includes(each));
  return [
    ...isolation(parts, confinement.network === 'open'),
    // Later mounts lie on earlier ones: first the machine, then what is emptied, then the workspace, then what stays hidden.
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...['--tmpfs', '/tmp', '--tmpfs', '/run', '--tmpfs', '/var/tmp'],
    ...(confinement.network === 'open' ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : []),
    ...cacheFolders.filter((path) => !liesIn(workspace, path)).flatMap((path) => ['--tmpfs', path]),
    ...around.flatMap(({ path }) => ['--tmpfs', path]),
    ...['--bind', workspace, workspace],
    // Only now: the workspace's mount point had to be made in them.
    ...around.flatMap(({ path }) => ['--remount-ro', path]),
    ...git.writable.flatMap((path) => ['--bind', path, path]),
    ...(await readOnly(git.readOnly)),
    ...others.flatMap(hide),
    ...['--chdir', workspace, '--setenv', 'TMPDIR', '/tmp'],
    ...withheld.flatMap((name) => ['--unsetenv', name]),
  ];
}

function isolation({ isRoot }: BubblewrapParts, network: boolean): string[] {
  return [
    ...['--die-with-parent', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...(network ? [] : ['--unshare-net']),
    // Root keeps what it takes to work on files of others, and nothing by which it could undo the mounts.
    ...(isRoot
      ? ['--cap-drop', 'ALL', '--cap-add', 'CAP_DAC_OVERRIDE', '--cap-add', 'CAP_CHOWN', '--cap-add', 'CAP_FOWNER']
      : ['--unshare-user']),
  ];
}

const hide = ({ path, isFolder }: HiddenPath): string[] =>
  isFolder ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];

/** What is not there yet must not be made either: an empty folder that cannot be written stands in its place. */
async function readOnly(paths: readonly HiddenPath[]): Promise<string[]> {
  const there = new Set(await existing(paths.map(({ path }) => path)));
  return paths.flatMap(({ path }) => (there.has(path) ? ['--ro-bind', path, path] : ['--tmpfs', path, '--remount-ro', path]));
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      stat(path).then(
        () => path,
        () => null,
      ),
    ),
  );
  return found.filter((path) => path !== null);
}
