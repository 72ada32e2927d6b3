/** The order in which the places of a sandbox are mounted: what lies deeper comes later, so nothing is covered again. */
import { unreachable } from '../../../shared/errors.js';

export interface Mount {
  /** Absolute real path. */
  readonly path: string;
  /**
   * `private`: an empty folder of the command's own. `writable` and `readOnly`: as on the machine. `hidden`: an empty
   * folder, or a file that cannot be read, and nothing can be written there. `proc` and `dev`: the sandbox's own.
   */
  readonly kind: 'proc' | 'dev' | 'private' | 'writable' | 'readOnly' | 'hidden';
  /** Of what is hidden; a folder unless it says no. */
  readonly isFolder?: boolean;
}

/** Of two mounts at one place the stronger one holds. */
const strength: readonly Mount['kind'][] = ['private', 'writable', 'readOnly', 'proc', 'dev', 'hidden'];

/** Gives bubblewrap's arguments for mounts that lie on a read-only view of the machine. */
export function mountArguments(wanted: readonly Mount[]): string[] {
  const kept: Mount[] = [];
  for (const mount of [...strongest(wanted)].sort((one, other) => depth(one.path) - depth(other.path))) {
    // What lies in a hidden folder is gone with it, unless a workspace in there brings it back.
    const around = kept.findLast(({ path }) => liesIn(mount.path, path));
    if (mount.kind !== 'hidden' || around?.kind !== 'hidden') kept.push(mount);
  }
  // At the end: a mount point in a hidden folder can only be made while it can be written.
  const closed = kept.filter((mount) => mount.kind === 'hidden' && mount.isFolder !== false);
  return [...kept.flatMap(argumentsOf), ...closed.flatMap(({ path }) => ['--remount-ro', path])];
}

function strongest(mounts: readonly Mount[]): Iterable<Mount> {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const other = byPath.get(mount.path);
    if (other === undefined || strength.indexOf(mount.kind) > strength.indexOf(other.kind)) byPath.set(mount.path, mount);
  }
  return byPath.values();
}

function argumentsOf({ path, kind, isFolder }: Mount): string[] {
  switch (kind) {
    case 'proc':
    case 'dev':
      return [`--${kind}`, path];
    case 'private':
      return ['--tmpfs', path];
    case 'writable':
      return ['--bind', path, path];
    case 'readOnly':
      return ['--ro-bind', path, path];
    case 'hidden':
      return isFolder === false ? ['--ro-bind', '/dev/null', path] : ['--tmpfs', path];
    default:
      return unreachable(kind);
  }
}

const depth = (path: string): number => (path === '/' ? 0 : path.split('/').length - 1);

/** Whether `path` is `folder` or lies in it; both absolute, without `.` and `..`. */
export function liesIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
