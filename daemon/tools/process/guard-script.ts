/**
 * The guard: a small POSIX shell script (dash, bash, busybox; Linux and macOS) between the daemon and a command, so
 * that nothing the command starts outlives it or the daemon, also when the daemon dies by kill -9.
 *
 * It runs in a session and process group of its own. Its ends:
 * - fd 1: the command's output, stdout and stderr together.
 * - fd 3, the lifeline: only the daemon holds the other end. `go` releases the command; end of file kills everything.
 * - fd 4, the status: `ready` once the guard is registered, what a sandbox tells of its session, `started` by the
 *   command itself (see `startCommand`), then `exit CODE`.
 *
 * Its parts, all in one process group:
 * - The main shell registers the guard, waits for `go`, and in the end kills its own group, itself included.
 * - The watcher waits for the end of the lifeline.
 * - The keeper runs the command in the foreground (a background one would have SIGINT ignored) and then reaps.
 * - The relay (`cat`) gives the command a real pipe: the daemon's end is a socket, and opening `/dev/stderr` on a socket
 *   fails.
 *
 * The registration comes before `go` and `go` before the command, so a command that ever ran has its guard on file.
 * What left the group (setsid) is found by a marker in its environment. A process that drops both its group and its
 * environment escapes; only a process namespace stops that.
 */

/** Name of the environment variable that marks what belongs to a command; its value is unguessable. */
export const markerVariable = 'CAIRN_COMMAND';

/** `$0` of the guard: how its command line is recognised. */
export const guardName = 'cairn-guard';

/** Shell functions that kill what carries the marker `$cairn_marker`, wherever it went. */
export const reapFunctions = `marked() {
  if [ -r /proc/self/environ ]; then
    grep -las "${markerVariable}=$cairn_marker" /proc/[0-9]*/environ | while IFS=/ read -r _ _ cairn_pid _; do
      echo "$cairn_pid"
    done
  else
    ps -axEwwo pid=,command= | while read -r cairn_pid cairn_rest; do
      case $cairn_rest in *"${markerVariable}=$cairn_marker"*) echo "$cairn_pid" ;; esac
    done
  fi
}

reap() {
  cairn_round=0
  while [ "$cairn_round" -lt 50 ]; do
    cairn_pids=$(marked)
    [ -n "$cairn_pids" ] || break
    kill -KILL $cairn_pids
    cairn_round=$((cairn_round + 1))
  done
}`;

/**
 * Called as `sh -c SCRIPT cairn-guard FOLDER MARKER PROGRAM ARGUMENT…`. Variables are prefixed because a variable that is
 * already in the environment would be passed on to the command with the guard's value.
 */
export const guardScript = `
cairn_folder=$1 cairn_marker=$2
shift 2
cairn_path=$PATH
PATH=/usr/bin:/bin:$PATH
trap : TERM INT HUP QUIT USR1 USR2 ALRM

${reapFunctions}
(umask 077 && printf '%s\\n' "$cairn_marker" >"$cairn_folder/$$") || exit 1
echo ready >&4
read -r cairn_go <&3 || exit 1

(
  trap '' TERM INT HUP QUIT USR1 USR2 ALRM
  exec >/dev/null 4>&-
  read -r cairn_end <&3
  reap
  kill -KILL 0
) &
exec 3<&-

{
  trap : TERM INT HUP QUIT USR1 USR2 ALRM
  PATH=$cairn_path ${markerVariable}=$cairn_marker "$@" </dev/null 2>&1
  cairn_code=$?
  reap
  echo "exit $cairn_code" >&4
} | (
  trap '' TERM INT HUP QUIT USR1 USR2 ALRM
  exec cat 4>&-
)
kill -KILL 0
`;

/**
 * Wraps a command so that it says itself that it has begun, and then knows the status no more: a sandbox that could not
 * be set up is told from a command that failed.
 */
export const startCommand = (argv: readonly string[]): readonly string[] => [
  '/bin/sh',
  '-c',
  'echo started >&4; exec 4>&-; exec "$@"',
  'cairn-command',
  ...argv,
];
