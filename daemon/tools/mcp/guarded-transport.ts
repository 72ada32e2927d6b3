/**
 * A transport over the standard input and output of a program, under a guard: the program and all that it starts end with
 * the daemon, also by kill -9. The client library's own transport leaves them running then.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { ReadBuffer, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import type { Clock } from '../../clock.js';
import { guardName, markerVariable } from '../process/guard-script.js';
import { guardFolder, reapGuard, removeRegistration } from '../process/reap-guards.js';

export interface GuardedProgram {
  readonly command: string;
  readonly args: readonly string[];
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
(umask 077 && printf '%s\\n' "$cairn_marker" >"$cairn_folder/$$") || exit 1
(
  trap '' TERM INT HUP QUIT
  exec >/dev/null 2>&1
  read -r cairn_end <&3
  kill -KILL 0
) </dev/null &
${markerVariable}=$cairn_marker "$@" 3<&-
kill -KILL 0
`;

/** Of what a program says on standard error, what is kept for the words about its failure. */
const keptErrors = 2_000;
/** From the end of its input until it is killed. Milliseconds. */
const graceMs = 1_000;

export class GuardedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  #child: ChildProcess | null = null;
  #marker = '';
  #errors = '';
  readonly #buffer = new ReadBuffer();

  constructor(
    readonly program: GuardedProgram,
    readonly parts: GuardParts,
  ) {}

  /** The last that the program said on standard error. */
  get errors(): string {
    return this.#errors.trim();
  }

  async start(): Promise<void> {
    const { command, args, cwd, env } = this.program;
    const folder = guardFolder(this.parts.home);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    this.#marker = this.parts.newId('mcp');
    const child = spawn('/bin/sh', ['-c', script, guardName, folder, this.#marker, command, ...args], {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-keptErrors);
    });
    // A program that went away is told by its exit.
    child.stdin.on('error', () => undefined);
    lifelineOf(child).on('error', () => undefined);
    child.on('exit', () => void this.#gone());
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', () => resolve());
      child.once('error', reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const input = this.#child?.stdin;
    if (!input || input.destroyed || !input.writable) return Promise.reject(new Error('the server has ended'));
    return new Promise((resolve, reject) => {
      input.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.stdin?.end();
    const cancel = this.parts.clock.after(graceMs, () => lifelineOf(child).destroy());
    await ended;
    cancel();
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
      for (let message = this.#buffer.readMessage(); message !== null; message = this.#buffer.readMessage()) {
        this.onmessage?.(message);
      }
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #gone(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    this.#child = null;
    lifelineOf(child).destroy();
    this.onclose?.();
    const pid = child.pid as number;
    await reapGuard({ pid, marker: this.#marker }, this.parts.clock, 0);
    await removeRegistration(this.parts.home, pid);
  }
}

const lifelineOf = (child: ChildProcess): Writable & Readable => child.stdio[3] as Writable & Readable;
