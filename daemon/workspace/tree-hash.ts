/**
 * The git tree of a working folder as it is on disk, for receipts: what exactly a check saw. Nothing of the person's
 * repository is written, and nothing that the repository configures is carried out: git works in a private repository
 * (own index, own objects, no configuration, so no hooks, filters, fsmonitor or textconv) that only borrows objects.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { borrowIndex, borrowObjects, copyExcludes } from './private-repository.js';

const defaultTimeLimitMs = 15_000;
/** Of the lists of names that git gives. */
const longestOutput = 64 * 1024 * 1024;

/** Runs git; gives its output, or null when it failed, is not there, or the time is up. */
export type Git = (args: readonly string[], input?: string) => Promise<string | null>;

/** Where a repository keeps what a private one borrows, in absolute paths. */
export interface RepositoryPaths {
  readonly top: string;
  readonly gitFolder: string;
  readonly commonFolder: string;
  /** `sha1` or `sha256`. */
  readonly objectFormat: string;
}

/**
 * Id of the tree with all tracked files and all untracked ones that are not ignored, as they are now, in the whole
 * repository around `folder`. Null outside of a repository, without git, or when it takes longer than the limit.
 */
export async function treeHash(
  folder: string,
  options: { readonly signal?: AbortSignal; readonly timeLimitMs?: number } = {},
): Promise<string | null> {
  const limit = AbortSignal.timeout(options.timeLimitMs ?? defaultTimeLimitMs);
  const signal = options.signal === undefined ? limit : AbortSignal.any([options.signal, limit]);
  const user = createGit(folder, {}, signal);
  const paths = await findRepository(user);
  if (paths === null) return null;

  const scratch = await mkdtemp(join(tmpdir(), 'cairn-tree-'));
  try {
    return await hashIn(scratch, paths, user, signal);
  } catch (error) {
    // A file that vanished or may not be read: then nobody can say what the check saw.
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function findRepository(git: Git): Promise<RepositoryPaths | null> {
  const asked = ['--show-toplevel', '--git-dir', '--git-common-dir', '--show-object-format', '--is-inside-work-tree'];
  const answer = (await git(['rev-parse', '--path-format=absolute', ...asked]))?.split('\n') ?? [];
  const [top, gitFolder, commonFolder, objectFormat, isInside] = answer;
  // A configuration can name any folder as the working tree.
  if (!top || !gitFolder || !commonFolder || !objectFormat || isInside !== 'true') return null;
  return { top, gitFolder, commonFolder, objectFormat };
}

async function hashIn(scratch: string, paths: RepositoryPaths, user: Git, signal: AbortSignal): Promise<string | null> {
  const gitFolder = join(scratch, 'git');
  const isolated = { GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_ATTR_NOSYSTEM: '1' };
  const format = paths.objectFormat === 'sha1' ? [] : [`--object-format=${paths.objectFormat}`];
  const init = ['init', '--quiet', '--template=', ...format, '--bare', gitFolder];
  if ((await createGit(scratch, isolated, signal)(init)) === null) return null;

  await borrowObjects(paths, gitFolder);
  await borrowIndex(paths, gitFolder);
  await copyExcludes(paths, gitFolder, await user(['config', '--path', '--get', 'core.excludesFile']));

  const git = createGit(
    paths.top,
    { ...isolated, GIT_DIR: gitFolder, GIT_WORK_TREE: paths.top, GIT_NO_LAZY_FETCH: '1', GIT_NO_REPLACE_OBJECTS: '1' },
    signal,
  );
  const lists = ['--modified', '--deleted', '--others', '--exclude-standard'];
  if (!(await distrustIndex(git))) return null;
  const changed = await git(['ls-files', '-z', ...lists]);
  if (changed === null) return null;
  // An untracked folder with a repository of its own ends in a slash: it is no part of this tree.
  const names = changed.split('\0').filter((name) => name !== '' && !name.endsWith('/'));
  const added = await git(['update-index', '--add', '--remove', '-z', '--stdin'], names.map((name) => `${name}\0`).join(''));
  return added === null ? null : git(['write-tree', '--missing-ok']);
}

/** Entries marked as unchanged would hide what a check really saw. */
async function distrustIndex(git: Git): Promise<boolean> {
  const tagged = await git(['ls-files', '-z', '-v']);
  if (tagged === null) return false;
  // A lower-case tag stands for "assumed unchanged".
  const assumed = tagged.split('\0').filter((entry) => /^[a-z] /.test(entry));
  if (assumed.length === 0) return true;
  const names = assumed.map((entry) => `${entry.slice(2)}\0`).join('');
  return (await git(['update-index', '--no-assume-unchanged', '-z', '--stdin'], names)) !== null;
}

function createGit(folder: string, extra: Readonly<Record<string, string>>, signal: AbortSignal): Git {
  const settings = [
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'core.untrackedCache=false',
    'core.splitIndex=false',
    'core.compression=0',
  ];
  const options = ['-C', folder, ...settings.flatMap((setting) => ['-c', setting])];
  const { PATH = '/usr/bin:/bin', HOME = '/', XDG_CONFIG_HOME } = process.env;
  return async (args, input = '') => {
    const result = await execa('git', [...options, ...args], {
      input,
      extendEnv: false,
      env: {
        PATH,
        HOME,
        ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }),
        LC_ALL: 'C',
        GIT_OPTIONAL_LOCKS: '0',
        GIT_TERMINAL_PROMPT: '0',
        ...extra,
      },
      cancelSignal: signal,
      killSignal: 'SIGKILL',
      maxBuffer: longestOutput,
      reject: false,
    });
    return result.failed ? null : result.stdout;
  };
}
