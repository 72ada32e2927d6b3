/** Confinement by macOS's own sandbox, with a profile in its language (SBPL). Later rules win over earlier ones. */
import { homedir } from 'node:os';
import { findGitFolders, findHidden, type HiddenPath } from './hidden-paths.js';
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
      const [hidden, git] = await Promise.all([findHidden(home, own), findGitFolders(workspace)]);
      const profile = profileFor({ workspace, ...git, hidden, network: confinement.network === 'open' });
      return [sandboxExecProgram, '-p', profile, ...argv];
    },
  };
}

export function profileFor({ workspace, writable, readOnly, hidden, network }: ProfileInput): string {
  const filter = ({ path, isFolder }: HiddenPath): string => `(${isFolder ? 'subpath' : 'literal'} ${quote(path)})`;
  const folders = [workspace, ...writable, '/private/tmp', '/private/var/tmp', '/private/var/folders'];
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    `(allow file-write* ${folders.map((path) => `(subpath ${quote(path)})`).join(' ')} (regex #"^/dev/(null|zero|tty|fd/|std)"))`,
    ...readOnly.map((path) => `(deny file-write* ${filter(path)})`),
    ...hidden.map((path) => `(deny file-read* file-write* ${filter(path)})`),
    // Sockets in the file system are a way out of any rule about the network: only the workspace's own are left.
    `(deny network-outbound (remote unix-socket))`,
    `(allow network-outbound (remote unix-socket (subpath ${quote(workspace)})))`,
    ...(network
      ? ['(allow network-outbound (literal "/private/var/run/mDNSResponder"))']
      : ['(deny network* (remote ip))', '(deny network-bind)']),
    '(deny mach-lookup (global-name "com.apple.securityd") (global-name "com.apple.SecurityServer"))',
  ].join('\n');
}

const quote = (path: string): string => `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
