/** What every command has at hand: the daemon, the terminal, and one way each to print, to fail and to end. */
import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Client } from '../shared/client.js';
import { ConnectionLost } from '../shared/client.js';
import { RpcError } from '../shared/errors.js';
import type { HomeFiles } from '../shared/paths.js';
import { connect, filesOf, NoDaemon } from './connect.js';
import { type Glyphs, glyphsFor } from './core/glyphs.js';
import { coloured, plain } from './core/style.js';
import { sanitise } from './core/text/text.js';
import type { ViewOptions } from './core/lines/tree-view.js';

export const exitCodes = { done: 0, failed: 1, needsPerson: 2, timedOut: 3, usage: 64, noDaemon: 69, interrupted: 130 } as const;

export type Register = (program: Command, cli: Cli) => void;

/** Wrong use of a command that its arguments alone do not show: exit code 64. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export class Cli {
  readonly files: HomeFiles;
  #client: Client | null = null;

  /** `onStart` is told the pid of a daemon that had to be started. */
  constructor(
    readonly environment: NodeJS.ProcessEnv,
    readonly onStart?: (pid: number) => void,
  ) {
    this.files = filesOf(environment);
  }

  get glyphs(): Glyphs {
    const { LC_ALL, LC_CTYPE, LANG } = this.environment;
    return glyphsFor(LC_ALL || LC_CTYPE || LANG || '');
  }

  get isTerminal(): boolean {
    return process.stdout.isTTY && this.environment.TERM !== 'dumb';
  }

  /** Whether there is a terminal on both sides that can show more than lines. */
  get hasScreen(): boolean {
    return this.isTerminal && process.stdin.isTTY && process.stdout.columns > 0;
  }

  get view(): ViewOptions {
    const colours = this.isTerminal && !this.environment.NO_COLOR;
    // A log has no width: lines are only cut where a terminal would break them.
    const width = this.isTerminal ? Math.max(40, process.stdout.columns || 80) : 400;
    return { width, glyphs: this.glyphs, paint: colours ? coloured : plain };
  }

  async client(): Promise<Client> {
    this.#client ??= await connect(this.files, this.environment, { onStart: this.onStart });
    return this.#client;
  }

  /** Forgets a client whose connection was lost. */
  dropClient(): void {
    this.#client = null;
  }

  print(...lines: readonly string[]): void {
    for (const line of lines) process.stdout.write(`${line}\n`);
  }

  /** The answer of a reading command for programs. */
  printJson(name: string, data: unknown): void {
    this.print(JSON.stringify({ schema: `cairn.${name}/v1`, data }));
  }

  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Asks on a terminal; without one nobody can say yes, so `--yes` must. */
  async confirm(question: string, yes: boolean | undefined): Promise<boolean> {
    if (yes) return true;
    if (!process.stdin.isTTY) throw new UsageError(`${question} Without a terminal say --yes.`);
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    const answer = await lines.question(`${question} [y/N] `);
    lines.close();
    return /^y(es)?$/i.test(answer.trim());
  }

  close(): void {
    this.#client?.close();
  }
}

/** Says what went wrong where people look, as JSON for programs; gives the exit code. */
export function explainFailure(error: unknown, json: boolean): number {
  const { code, message, hint, data } = describe(error);
  const text = json
    ? JSON.stringify({ error: { message, ...(data ?? {}) } })
    : [`cairn: ${message}`, ...(hint ? [`  ${hint}`] : [])]
        .flatMap((part) => part.split('\n'))
        .map(sanitise)
        .join('\n');
  process.stderr.write(`${text}\n`);
  return code;
}

function describe(error: unknown): { code: number; message: string; hint?: string | undefined; data?: object } {
  if (error instanceof RpcError) {
    const code = error.kind === 'invalid_params' ? exitCodes.usage : exitCodes.failed;
    return { code, message: error.message, hint: error.data.hint, data: { code: error.code, data: error.data } };
  }
  if (error instanceof NoDaemon) return { code: exitCodes.noDaemon, message: error.message };
  if (error instanceof ConnectionLost) {
    return {
      code: exitCodes.noDaemon,
      message: `${error.message} before it answered.`,
      hint: 'Look whether it was done before you repeat it.',
    };
  }
  if (error instanceof UsageError) return { code: exitCodes.usage, message: error.message };
  return { code: exitCodes.failed, message: error instanceof Error ? error.message : String(error) };
}
