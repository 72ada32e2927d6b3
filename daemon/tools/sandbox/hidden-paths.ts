/** What a confined command never sees: keys, tokens, histories, and the sockets by which it could act as somebody else. */
import { readFile, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** Relative to the home folder of the person. Files and folders alike; only those that exist are hidden. */
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
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.sqlite_history',
  'Library/Keychains',
  'Library/Application Support/Google/Chrome',
  'Library/Application Support/Firefox',
  'Library/Cookies',
];

/** Of the whole machine. `/run` is hidden as a whole: sockets of Docker, of agents and of the session bus live there. */
const secretsOfMachine = [
  '/etc/shadow',
  '/etc/gshadow',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/var/lib/docker',
  '/var/run/docker.sock',
];

export interface HiddenPath {
  readonly path: string;
  readonly isFolder: boolean;
}

/** Those that exist, with links resolved (both the link's target and nothing less), without doubles. */
export async function findHidden(home: string, own: readonly string[]): Promise<readonly HiddenPath[]> {
  const wanted = [...secretsInHome.map((path) => join(home, path)), ...secretsOfMachine, ...own];
  const found = await Promise.all(wanted.map(describe));
  const byPath = new Map(found.flatMap((each) => (each === null ? [] : [[each.path, each] as const])));
  const all = [...byPath.values()];
  // What lies in a hidden folder is not there already; a mount point could not even be made for it.
  return all.filter(({ path }) => !all.some((other) => other.isFolder && other.path !== path && liesIn(path, other.path)));
}

async function describe(path: string): Promise<HiddenPath | null> {
  try {
    const real = await realpath(path);
    return { path: real, isFolder: (await stat(real)).isDirectory() };
  } catch {
    return null;
  }
}

export interface GitFolders {
  /** Folders of git outside of the workspace that commits in it have to write: those of a linked worktree. */
  readonly writable: readonly string[];
  /** What would be carried out by a later git: configuration and hooks. */
  readonly readOnly: readonly HiddenPath[];
}

/** Modules are nested as deep as a project nests them; a bound keeps a hostile one from taking long. */
const mostModules = 200;

/** What of git's own files in a workspace is kept from being written, whatever may be written beside it. */
export async function findGitFolders(workspace: string): Promise<GitFolders> {
  const git = join(workspace, '.git');
  const facts = await stat(git).catch(() => null);
  if (facts === null) return { writable: [], readOnly: [] };
  if (facts.isDirectory()) return { writable: [], readOnly: await guardedIn(git) };
  const linked = await linkedFolder(git, workspace);
  if (linked === null) return { writable: [], readOnly: [{ path: git, isFolder: false }] };
  const common = await commonFolder(linked);
  const guarded = [...(await guardedIn(linked)), ...(await guardedIn(common)), { path: git, isFolder: false }];
  return { writable: common === linked ? [linked] : [common, linked], readOnly: guarded };
}

/** The folder that a `.git` file points to, when it is a worktree of a repository that points back to it. */
async function linkedFolder(file: string, workspace: string): Promise<string | null> {
  const target = /^gitdir: (.+)$/m.exec(await readFile(file, 'utf8').catch(() => ''))?.[1]?.trim();
  if (target === undefined) return null;
  const folder = await realpath(isAbsolute(target) ? target : resolve(workspace, target)).catch(() => null);
  if (folder === null) return null;
  // A file that a stranger's repository brings could point anywhere; only a true worktree is pointed back from.
  const back = (await readFile(join(folder, 'gitdir'), 'utf8').catch(() => '')).trim();
  return back !== '' && (await realpath(back).catch(() => null)) === (await realpath(file).catch(() => '')) ? folder : null;
}

async function commonFolder(folder: string): Promise<string> {
  const text = (await readFile(join(folder, 'commondir'), 'utf8').catch(() => '')).trim();
  if (text === '') return folder;
  return realpath(resolve(folder, text)).catch(() => folder);
}

async function guardedIn(git: string, left = { count: mostModules }): Promise<HiddenPath[]> {
  const files = ['config', 'config.worktree', 'info/attributes'].map((name) => ({ path: join(git, name), isFolder: false }));
  const found: HiddenPath[] = [{ path: join(git, 'hooks'), isFolder: true }];
  for (const file of files) if (await stat(file.path).catch(() => null)) found.push(file);
  const modules = await readdir(join(git, 'modules'), { recursive: false, withFileTypes: true }).catch(() => []);
  for (const entry of modules) {
    if (!entry.isDirectory() || left.count-- <= 0) continue;
    found.push(...(await guardedIn(join(git, 'modules', entry.name), left)));
  }
  return found;
}

/** Whether `path` is `folder` or lies in it. */
export function liesIn(path: string, folder: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    if (at === folder) return true;
    if (dirname(at) === at) return false;
  }
}
