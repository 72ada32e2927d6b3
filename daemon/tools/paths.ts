/**
 * Keeps file tools inside the workspace. Symbolic links are resolved first, those that lead nowhere included, so what is
 * compared is where a path really ends.
 */
import { readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { ToolContext } from './tool.js';

export type Access = 'read' | 'write';

export type Located =
  | {
      readonly ok: true;
      /** Absolute, without symbolic links. It need not exist. */
      readonly path: string;
      /** How it is shown: relative to the workspace (`.` is the workspace itself), or absolute in the output folder. */
      readonly shown: string;
    }
  | { readonly ok: false; readonly error: string };

const longestPath = 4_096;

/** As many as the system itself follows. */
const longestChain = 40;

/**
 * Where `path` (relative to the workspace, or absolute inside it) really is. The folder of kept outputs may be read,
 * too. Writing to anything inside `.git` is refused: configuration and hooks there would be carried out later, outside
 * of any policy. The error is a sentence for the model.
 */
export async function locate(
  context: Pick<ToolContext, 'workspace' | 'outputFolder'>,
  path: string,
  access: Access,
): Promise<Located> {
  if (path === '') return { ok: false, error: 'The path is empty.' };
  if (path.includes('\0')) return { ok: false, error: 'The path holds a NUL character.' };
  if (path.length > longestPath) return { ok: false, error: `The path is longer than ${longestPath} characters.` };
  const asked = resolve(context.workspace, path);
  const real = await resolveLinks(asked, longestChain);
  if (real === null) return { ok: false, error: `${path} cannot be resolved: too many symbolic links.` };

  const inWorkspace = pathInside(context.workspace, real);
  if (inWorkspace !== null) {
    const guarded = access === 'write' && [inWorkspace, pathInside(context.workspace, asked) ?? ''].some(isGitInternal);
    if (guarded) return { ok: false, error: `${path} belongs to git itself: file tools do not write there.` };
    return { ok: true, path: real, shown: showPath(context.workspace, real) };
  }
  if (access === 'read') {
    const outputFolder = await resolveLinks(context.outputFolder, longestChain);
    if (outputFolder !== null && pathInside(outputFolder, real) !== null) return { ok: true, path: real, shown: real };
  }
  const why = pathInside(context.workspace, asked) === null ? 'is' : `leads through a symbolic link to ${real}, which is`;
  return { ok: false, error: `${path} ${why} outside of the workspace ${context.workspace}.` };
}

/**
 * The path that a policy judges and an approval shows: where it really is, relative to the workspace, with `/`; absolute
 * when it is outside. So `./a/../.env`, an absolute path and a link to it are all judged as `.env`.
 */
export async function policyPath(workspace: string, path: string): Promise<string> {
  const real = (await resolveLinks(resolve(workspace, path), longestChain)) ?? resolve(workspace, path);
  return showPath(workspace, real);
}

/** A resolved path as tools show it: relative to the workspace, with `/`; absolute when it is outside. */
export function showPath(workspace: string, path: string): string {
  const inside = pathInside(workspace, path);
  if (inside === null) return path;
  return inside === '' ? '.' : inside.split(sep).join('/');
}

/** `path` relative to `folder`, empty for the folder itself; null when it is not inside. Both absolute and resolved. */
function pathInside(folder: string, path: string): string | null {
  const inside = relative(folder, path);
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return null;
  return inside;
}

/** Case does not protect: on some file systems `.GIT` is `.git`. */
function isGitInternal(path: string): boolean {
  return path.split(sep).some((part) => part.toLowerCase() === '.git');
}

/** Resolves links of the deepest part that exists, and of links whose target does not; null for a circle. */
async function resolveLinks(path: string, linksLeft: number): Promise<string | null> {
  try {
    return await realpath(path);
  } catch {
    if (linksLeft === 0) return null;
  }
  const parent = dirname(path);
  if (parent === path) return path;
  const folder = await resolveLinks(parent, linksLeft);
  if (folder === null) return null;
  const here = join(folder, basename(path));
  const target = await readlink(here).catch(() => null);
  return target === null ? here : resolveLinks(resolve(folder, target), linksLeft - 1);
}
