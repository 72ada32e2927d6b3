/** What git ignores in a workspace: `.gitignore` files at every level, and `.git/info/exclude`. */
import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { isCheapGlob } from './cheap-glob.js';

/** Bytes; the file comes from somebody else's repository. */
const largestRules = 256 * 1024;

export interface IgnoreRules {
  /** `path` is absolute and inside the workspace. */
  isIgnored(path: string, isFolder: boolean): Promise<boolean>;
}

export function createIgnoreRules(workspace: string): IgnoreRules {
  const rulesOf = new Map<string, Promise<Ignore | null>>();

  const rulesIn = (folder: string): Promise<Ignore | null> => {
    const known = rulesOf.get(folder);
    if (known !== undefined) return known;
    const files = folder === workspace ? ['.git/info/exclude', '.gitignore'] : ['.gitignore'];
    const reading = readRules(files.map((file) => join(folder, file)));
    rulesOf.set(folder, reading);
    return reading;
  };

  return {
    async isIgnored(path, isFolder) {
      // The nearest file that says anything about a path decides.
      for (let folder = dirname(path); ; folder = dirname(folder)) {
        const rules = await rulesIn(folder);
        const inside = relative(folder, path).split(sep).join('/');
        const verdict = rules?.test(isFolder ? `${inside}/` : inside);
        if (verdict?.ignored === true) return true;
        if (verdict?.unignored === true) return false;
        if (folder === workspace || folder === dirname(folder)) return false;
      }
    },
  };
}

async function readRules(files: readonly string[]): Promise<Ignore | null> {
  const texts = await Promise.all(files.map(readSmallFile));
  const lines = texts.flatMap((text) => text.split(/\r?\n/)).filter((line) => line !== '' && isCheapGlob(line));
  return lines.length === 0 ? null : ignore().add(lines);
}

async function readSmallFile(path: string): Promise<string> {
  try {
    const stat = await lstat(path);
    return stat.isFile() && stat.size <= largestRules ? await readFile(path, 'utf8') : '';
  } catch {
    return '';
  }
}
