/**
 * A transport over the standard input and output of a program, under a guard: the program and all that it starts end with
 * the daemon, also by kill -9. The client library's own transport leaves them running then.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { ReadBuffer, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../../clock.js';
import { guardName, markerVariable, reapFunctions } from '../process/guard-script.js';
import { guardFolder, reapGuard, removeRegistration } from '../process/reap-guards.js';
import { longestMessage } from './bounded-fetch.js';
import { NotSent } from './mcp-failure.js';

export interface GuardedProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface GuardParts {
  /** The daemon's folder: guards register under it. Absolute. */
  readonly home: string;
  readonly clock: Clock;
  /** Must be unguessable. */
  readonly newId: (prefix: string) => string;
}

/** As the guard of commands, with input and output left to the program. fd 3 is the lifeline: its end kills the group. */
const script = `
cairn_folder=$1 cairn_marker=$2
shift 2
${reapFunctions}
(umask 077 && printf '%s\\n' "$cairn_marker" >"$cairn_folder/$$") || exit 1
(
  trap '' TERM INT HUP QUIT
  exec >/dev/null 2>&1
  read -r cairn_end <&3
  reap
  kill -KILL 0
) </dev/null &
${markerVariable}=$cairn_marker "$@" 3<&-
reap
kill -KILL 0
`;

/** Of what a program says on standard error, what is kept for the words about its failure. */
const keptErrors = 2_000;
/** From the end of its input until it is killed, and then until its group is killed from here. Milliseconds. */
const graceMs = 1_000;
const forceMs = 2_000;
/** What is left in the pipe is read at once; only a process that escaped could hold it open for longer. */
const drainMs = 500;

export class GuardedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();
  #errors = '';
  readonly #buffer = new ReadBuffer({ maxBufferSize: longestMessage });

  constructor(
    readonly program: GuardedProgram,
    readonly parts: GuardParts,
  ) {}

  /** The last that the program said on standard error. Its first word is whole, so that a secret is still known as one. */
  get errors(): string {
    return this.#errors.trim();
  }

  async start(): Promise<void> {
    const { command, args, cwd, env } = this.program;
    const folder = guardFolder(this.parts.home);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const place = await stat(cwd).catch(() => null);
    if (place?.isDirectory() !== true) throw new Error(`the folder to run it in is not there: ${cwd}`);
    const marker = this.parts.newId('mcp');
    const child = spawn('/bin/sh', ['-c', script, guardName, folder, marker, command, ...args], {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    const spawned = new Promise<void>((resolve, reject) => {
      child.once('spawn', () => resolve());
      child.once('error', reject);
    });
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const all = this.#errors + text;
      this.#errors = all.length <= keptErrors ? all : all.slice(-keptErrors).replace(/^\S+/, '');
    });
    // A program that went away is told by its exit.
    child.stdin.on('error', () => undefined);
    lifelineOf(child).on('error', () => undefined);
    await spawned;
    this.#child = child;
    this.#ended = this.#outlive(child, child.pid as number, marker);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input?.writable) return Promise.reject(new NotSent('the server has ended'));
    return new Promise((resolve, reject) => {
      // A line that could not be written whole is no message: nothing of it is carried out.
      input.write(serializeMessage(message), (error) => (error ? reject(new NotSent('the server has ended')) : resolve()));
    });
  }

  /** Resolves once nothing of the program is left. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child === null) return this.#ended;
    child.stdin?.end();
    const { clock } = this.parts;
    const cancels = [
      clock.after(graceMs, () => lifelineOf(child).destroy()),
      clock.after(graceMs + forceMs, () => killGroup(child)),
    ];
    await this.#ended;
    for (const cancel of cancels) cancel();
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch {
      this.#errors = `it sent a message of more than ${longestMessage} bytes`;
      if (this.#child !== null) lifelineOf(this.#child).destroy();
      return;
    }
    for (let more = true; more;) more = this.#readOne();
  }

  /** False once no whole line is left. What is JSON and no message (a log) is passed over, as text is. */
  #readOne(): boolean {
    try {
      const message = this.#buffer.readMessage();
      if (message !== null) this.onmessage?.(message);
      return message !== null;
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return true;
    }
  }

  async #outlive(child: ChildProcess, pid: number, marker: string): Promise<void> {
    const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
    await new Promise<void>((resolve) => child.once('exit', () => resolve()));
    let cancel = (): void => undefined;
    // Its last answer may still be in the pipe.
    await Promise.race([closed, new Promise<void>((resolve) => (cancel = this.parts.clock.after(drainMs, resolve)))]);
    cancel();
    this.#child = null;
    for (const stream of child.stdio) stream?.destroy();
    this.onclose?.();
    try {
      await reapGuard({ pid, marker }, this.parts.clock, 0);
      await removeRegistration(this.parts.home, pid);
    } catch (error) {
      // Its registration is left: the next start of the daemon tries again.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}

const lifelineOf = (child: ChildProcess): Writable & Readable => child.stdio[3] as Writable & Readable;

/** Only while it has not been waited for: until then its pid cannot belong to anybody else. */
function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone, which is what was wanted.
  }
}
