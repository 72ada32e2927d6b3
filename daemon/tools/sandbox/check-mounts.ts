/**
 * Looks, inside of the sandbox and before the command, whether the mounts that guard a repository lie where they belong.
 * Another command in the same workspace may swap a folder for a link at the very moment that bubblewrap mounts there;
 * what the link leads to would then be writable. The kernel's own table (`/proc/self/mountinfo`) says what was mounted.
 */
import type { GitFolders } from './git-folders.js';
import { liesIn } from './mounts.js';

/**
 * Called as `sh -c SCRIPT NAME BASE PLACES PROGRAM ARGUMENT…`. PLACES: one below the other, as they follow after BASE, and
 * with a newline before and after. Each must be a mount of the same file system, of the same place in it. Fields of the
 * table: id, parent, device, root in the file system, mount point. Only what the shell has built in is
 * used, and variables are prefixed as in the guard.
 */
const script = `
cairn_base=$1 cairn_places=$2
shift 2
cairn_prefix=$cairn_base
[ "$cairn_base" != / ] || cairn_prefix=
cairn_newline='
'
while read -r cairn_id cairn_parent cairn_device cairn_root cairn_point cairn_rest; do
  [ "$cairn_root" != / ] || cairn_root=
  if [ "$cairn_point" = "$cairn_base" ]; then
    cairn_base_device=$cairn_device cairn_base_root=$cairn_root
    continue
  fi
  cairn_place=$cairn_newline\${cairn_point#"$cairn_prefix"}$cairn_newline
  case $cairn_places in
    *"$cairn_place"*)
      [ "$cairn_device $cairn_root" = "$cairn_base_device $cairn_base_root\${cairn_point#"$cairn_prefix"}" ] || break
      cairn_places=\${cairn_places%%"$cairn_place"*}$cairn_newline\${cairn_places#*"$cairn_place"}
      ;;
  esac
done </proc/self/mountinfo
while [ "\${cairn_places#"$cairn_newline"}" != "$cairn_places" ]; do cairn_places=\${cairn_places#"$cairn_newline"}; done
if [ -n "$cairn_places" ]; then
  echo "the repository was being changed by something else: try again"
  exit 1
fi
exec "$@"
`;

/** What to put before a command in a workspace; nothing when nothing is guarded there. */
export function checkMounts(workspace: string, { writable: [common], pinned, readOnly }: GitFolders): readonly string[] {
  const base = common ?? workspace;
  const guarded = [...pinned, ...readOnly.filter(({ exists }) => exists).map(({ path }) => path)];
  const inside = [...new Set(guarded)].filter((path) => path !== base && liesIn(path, base));
  if (inside.length === 0) return [];
  const places = inside.map((path) => escape(base === '/' ? path : path.slice(base.length)));
  return ['/bin/sh', '-c', script, 'cairn-check', escape(base), `\n${places.join('\n\n')}\n`];
}

/** As the kernel writes a path into its table. */
const escape = (path: string): string =>
  path.replace(/[ \t\n\\]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
