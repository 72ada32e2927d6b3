/** Takes one guard through its life: releases the command, stops it at its time limit or on a signal, learns its end. */
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../clock.js';
import { markerVariable } from './guard-script.js';

export interface Guard {
  readonly child: ChildProcess;
  /** Also the id of its process group. */
  readonly pid: number;
  readonly marker: string;
  readonly output: Readable;
  readonly lifeline: Writable;
  readonly status: Readable;
}

export interface GuardEnd {
  /** Whether the command was ever let go. */
  readonly released: boolean;
  /** Whether it began: a sandbox may have failed before. */
  readonly started: boolean;
  /** The command's exit code as a shell tells it (128 + signal); null when the guard was killed before it was known. */
  readonly code: number | null;
  readonly stopped: 'timed_out' | 'aborted' | null;
}

/** How bubblewrap tells the process that leads the sandbox's session (`--info-fd`): one field of a JSON text. */
const sandboxSession = /^\s*"child-pid": (\d+)/;

/** From SIGTERM to the whole group to the end of the lifeline, which kills everything at once. */
const graceMs = 2_000;
/** What the guard may take for its own reaping before the daemon kills its group. */
const forceMs = 3_000;
/** Status lines may arrive just after the exit of the guard. */
const statusMs = 500;

/** Resolves when the guard is gone. */
export async function superviseGuard(
  guard: Guard,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  clock: Clock,
): Promise<GuardEnd> {
  const { child, lifeline, status } = guard;
  let released = false;
  let started = false;
  let code: number | null = null;
  let session: number | null = null;
  let stopped: GuardEnd['stopped'] = null;
  const timers: (() => void)[] = [];

  const cutLifeline = (afterMs: number): void => {
    timers.push(clock.after(afterMs, () => lifeline.destroy()));
    timers.push(clock.after(afterMs + forceMs, () => signalGroup(child, guard.pid, 'SIGKILL')));
  };
  const stop = (reason: 'timed_out' | 'aborted'): void => {
    if (stopped !== null || code !== null) return;
    stopped = reason;
    // To the command alone where it is in a sandbox: with the sandbox's own process everything would end at once.
    if (released && !(session !== null && askSession(session, guard.marker))) signalGroup(child, guard.pid, 'SIGTERM');
    cutLifeline(released ? graceMs : 0);
  };
  const hear = (line: string): void => {
    if (line === 'ready' && stopped === null) {
      released = true;
      lifeline.write('go\n');
    } else if (line === 'started') {
      started = true;
    } else if (sandboxSession.test(line)) {
      session = Number(sandboxSession.exec(line)?.[1]);
    } else if (line.startsWith('exit ')) {
      code = Number(line.slice('exit '.length));
      // The guard ends at once, unless a process of the group that lost its marker keeps the output open.
      cutLifeline(graceMs);
    }
  };

  // Both ends break when the guard dies; its exit says all there is to say.
  lifeline.on('error', () => undefined);
  status.on('error', () => undefined);
  const heard = hearLines(status, hear);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const abort = (): void => stop('aborted');
  limits.signal.addEventListener('abort', abort, { once: true });
  if (limits.signal.aborted) abort();
  timers.push(clock.after(limits.timeoutMs, () => stop('timed_out')));

  await exited;
  const late = new Promise<void>((resolve) => timers.push(clock.after(statusMs, resolve)));
  await Promise.race([heard, late]);
  limits.signal.removeEventListener('abort', abort);
  for (const cancel of timers) cancel();
  lifeline.destroy();
  status.destroy();
  return { released, started, code, stopped };
}

/** Calls for each whole line; resolves at the end of the stream. */
function hearLines(stream: Readable, hear: (line: string) => void): Promise<void> {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) hear(line);
  });
  return new Promise((resolve) => stream.once('close', () => resolve()));
}

/** Only while the guard has not been waited for: until then its pid cannot belong to anybody else. */
function signalGroup(child: ChildProcess, pid: number, signal: NodeJS.Signals): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone, which is what was wanted.
  }
}

/** SIGTERM to all in the session of a sandbox; false when there is none, or when the pid is somebody else's by now. */
function askSession(leader: number, marker: string): boolean {
  try {
    if (!readFileSync(`/proc/${leader}/environ`, 'latin1').includes(`${markerVariable}=${marker}`)) return false;
    process.kill(-leader, 'SIGTERM');
    return true;
  } catch {
    return false;
  }
}
