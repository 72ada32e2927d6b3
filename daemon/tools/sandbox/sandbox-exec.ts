/**
 * Confinement by macOS's own sandbox, with a profile in its language (SBPL). Later rules win over earlier ones. Rules go by
 * path, so what lies above a guarded path may not be moved: under another name no rule would hold for it.
 */
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { findGitFolders } from './git-folders.js';
import { findHidden, readableHomes, type HiddenPath } from './hidden-paths.js';
import { liesIn } from './mounts.js';
import type { Sandbox } from './sandbox.js';

const sandboxExecProgram = '/usr/bin/sandbox-exec';

export interface ProfileInput {
  readonly workspace: string;
  /** Folders outside of the workspace that may be written as well. */
  readonly writable: readonly string[];
  /** In what may be written, what may not. */
  readonly readOnly: readonly HiddenPath[];
  readonly hidden: readonly HiddenPath[];
  readonly network: boolean;
}

export function sandboxExec(own: readonly string[], home = homedir()): Sandbox {
  return {
    kind: 'sandbox-exec',
    reason: null,
    wrap: async ({ argv, workspace, confinement }) => {
      const homes = await readableHomes(home, false);
      const [hidden, git] = await Promise.all([findHidden(homes, own), findGitFolders(workspace)]);
      const profile = profileFor({ workspace, ...git, hidden, network: confinement.network === 'open' });
      return [sandboxExecProgram, '-p', profile, ...argv];
    },
  };
}

export function profileFor({ workspace, writable, readOnly, hidden, network }: ProfileInput): string {
  const filter = ({ path, isFolder }: HiddenPath): string => `(${isFolder ? 'subpath' : 'literal'} ${quote(path)})`;
  const folders = [workspace, ...writable, '/private/tmp', '/private/var/tmp', '/private/var/folders'];
  const above = new Set([...readOnly, ...hidden].flatMap(({ path }) => foldersAbove(path)));
  const fixed = [...above].filter((path) => folders.some((folder) => liesIn(path, folder)));
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${folders.map((path) => `(subpath ${quote(path)})`).join(' ')} (regex #"^/dev/(null|zero|tty|fd/|std)"))`,
    ...readOnly.map((path) => `(deny file-write* ${filter(path)})`),
    ...hidden.map((path) => `(deny file-read* file-write* ${filter(path)})`),
    ...fixed.map((path) => `(deny file-write-unlink (literal ${quote(path)}))`),
    // Sockets in the file system are a way out of any rule about the network: only the workspace's own are left.
    `(deny network-outbound (remote unix-socket))`,
    `(allow network-outbound (remote unix-socket (subpath ${quote(workspace)})))`,
    ...(network
      ? ['(allow network-outbound (literal "/private/var/run/mDNSResponder"))']
      : ['(deny network* (remote ip))', '(deny network-bind)']),
    '(deny mach-lookup (global-name "com.apple.securityd") (global-name "com.apple.SecurityServer"))',
    // What others start or do on a command's behalf runs outside of its sandbox.
    '(deny lsopen)',
    '(deny appleevent-send)',
    '(deny job-creation)',
    '(deny signal)',
    '(allow signal (target same-sandbox))',
  ].join('\n');
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

const quote = (path: string): string => `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
