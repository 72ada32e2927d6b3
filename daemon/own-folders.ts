/** The folders of the daemon itself: settings, token, socket, store, logs. No policy gives them to a model. */
import { realpathSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import type { HomeFiles } from '../shared/paths.js';

export interface OwnFolders {
  /** Absolute. */
  readonly paths: readonly string[];
  /** Whether a path (relative to the workspace, or absolute) leads into one of them. Kept outputs may be read. */
  has(workspace: string, path: string): boolean;
}

const liesIn = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}${sep}`);

export function ownFolders(files: HomeFiles): OwnFolders {
  const { home, config, database, socket, token, logs, outputs } = files;
  const paths = [...new Set([home, ...[config, database, socket, token].map((file) => dirname(file)), logs])];
  const real = paths.map(realOf);
  return {
    paths,
    has(workspace, path) {
      const at = resolve(workspace, path);
      if (liesIn(at, realOf(outputs))) return false;
      // A workspace that somebody keeps below the daemon's folder is a workspace all the same.
      return real.some(
        (folder) => liesIn(at, folder) && !(workspace !== folder && liesIn(workspace, folder) && liesIn(at, workspace)),
      );
    },
  };
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
