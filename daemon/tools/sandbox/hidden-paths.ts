/** What a confined command never sees: keys, tokens, histories, and the sockets by which it could act as somebody else. */
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Relative to a home folder. Files, folders and sockets alike; only those that exist are hidden. */
const secretsInHome = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.config/op',
  '.config/sops',
  '.config/doctl',
  '.config/rclone',
  '.config/git/credentials',
  '.config/opencode',
  '.config/github-copilot',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.mozilla',
  '.local/share/keyrings',
  '.local/share/opencode',
  '.password-store',
  '.kube',
  '.docker',
  '.terraform.d/credentials.tfrc.json',
  '.vault-token',
  '.netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.gem/credentials',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.git-credentials',
  '.pgpass',
  '.my.cnf',
  '.boto',
  '.s3cfg',
  '.claude',
  '.claude.json',
  '.codex',
  '.gemini',
  '.qwen',
  'Library/Keychains',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
  'Library/Cookies',
  '.oci',
  '.pulumi',
  '.fly',
  '.cloudflared',
  '.wrangler',
  '.config/.wrangler',
  '.config/heroku',
  '.config/netlify',
  '.config/hcloud',
  '.config/stripe',
  '.config/ngrok',
  '.ngrok2',
  '.databrickscfg',
  '.snowflake',
  '.huggingface/token',
  '.pki',
  '.putty',
  '.step',
  '.tsh',
  '.1password',
  '.config/1Password',
  '.bitwarden-ssh-agent.sock',
  '.config/Bitwarden',
  '.config/keybase',
  '.Xauthority',
  '.ICEauthority',
  '.config/containers/auth.json',
  '.config/composer/auth.json',
  '.composer/auth.json',
  '.nuget/NuGet/NuGet.Config',
  '.sbt/.credentials',
  '.ivy2/.credentials',
  '.bundle/config',
  '.subversion/auth',
  '.colima',
  '.lima',
  '.rd',
  '.orbstack',
  '.minikube',
  '.local/share/containers/podman',
  '.cursor',
  '.config/cursor',
  '.copilot',
  '.factory',
  '.config/goose',
  '.local/share/goose',
  '.config/crush',
  '.local/share/crush',
  '.config/amp',
  '.local/share/amp',
  '.config/microsoft-edge',
  '.config/vivaldi',
  '.config/opera',
  '.thunderbird',
  'snap/firefox',
  'snap/chromium',
  '.var/app',
  '.config/Signal',
  '.local/share/fish/fish_history',
  '.lesshst',
  '.histfile',
];

/** Of shells, databases and interpreters, also directly in a home folder. */
const history = /^\..*_history$/;

/** Of the whole machine. `/run` is hidden as a whole: sockets of Docker, of agents and of the session bus live there. */
const secretsOfMachine = [
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/letsencrypt',
  '/etc/kubernetes',
  '/etc/rancher',
  '/etc/wireguard',
  '/etc/krb5.keytab',
  '/etc/NetworkManager/system-connections',
  '/var/lib/docker',
  '/var/lib/containerd',
  '/var/lib/containers',
  '/var/lib/kubelet',
  '/var/lib/rancher',
  '/var/lib/incus',
  '/var/lib/lxd',
  '/var/snap/lxd/common/lxd',
  '/var/run/docker.sock',
];

export interface HiddenPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Those that exist, where their links lead, without doubles. `own`: the daemon's folders, absolute. */
export async function findHidden(homes: readonly string[], own: readonly string[]): Promise<readonly HiddenPath[]> {
  const inHomes = await Promise.all(homes.map(secretsIn));
  const found = await Promise.all([...inHomes.flat(), ...secretsOfMachine, ...own].map(describe));
  return [...new Map(found.flatMap((each) => (each === null ? [] : [[each.path, each] as const]))).values()];
}

/** The homes whose keys could be read: root's reach goes to everybody's. */
export async function readableHomes(home: string, isRoot: boolean): Promise<readonly string[]> {
  if (!isRoot) return [home];
  const others = await readdir('/home').catch(() => []);
  return [...new Set([home, '/root', ...others.map((name) => join('/home', name))])];
}

/** One look at the home itself rules out most of the table: this is done before each command. */
async function secretsIn(home: string): Promise<readonly string[]> {
  const names = new Set(await readdir(home).catch(() => []));
  const known = secretsInHome.filter((path) => names.has(path.split('/', 1)[0] ?? ''));
  return [...known, ...[...names].filter((name) => history.test(name))].map((path) => join(home, path));
}

async function describe(path: string): Promise<HiddenPath | null> {
  try {
    const real = await realpath(path);
    return { path: real, isFolder: (await stat(real)).isDirectory() };
  } catch {
    return null;
  }
}
