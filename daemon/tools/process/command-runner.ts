/** Runs shell commands, each under a guard (see `guard-script.ts`): nothing that one starts outlives it or the daemon. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../clock.js';
import type { Redactor } from '../../secrets/redactor.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { CommandRequest, CommandResult, CommandRunner } from '../tool.js';
import { createCommandOutput, type CommandOutput } from './command-output.js';
import { scrubEnvironment } from './environment.js';
import { guardName, guardScript, startCommand } from './guard-script.js';
import { guardFolder, reapGuard, removeRegistration } from './reap-guards.js';
import { superviseGuard, type Guard } from './supervise-guard.js';

export interface CommandRunnerParts {
  /** The daemon's folder: guards register under it. Absolute. */
  readonly home: string;
  /** Where outputs that are too long for a result are kept. Absolute. */
  readonly outputFolder: string;
  /** The daemon's environment; commands get a scrubbed copy. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Must be unguessable: ids mark the processes that may be killed. */
  readonly newId: (prefix: string) => string;
  readonly redactor: Redactor;
  /** Confines what is to be confined. */
  readonly sandbox: Sandbox;
}

/** One argument of a program is limited to 128 KiB on Linux. */
const longestCommand = 100_000;

/** Signals that somebody sent. Others (a segmentation fault, an abort) are the program's own end. */
const sentSignals = new Set([1, 2, 3, 9, 15]);

/** What is left in the pipe is read at once; only a process that escaped could hold it open for longer. */
const drainMs = 1_000;

export function createCommandRunner(parts: CommandRunnerParts): CommandRunner {
  const environment = scrubEnvironment(parts.environment);
  const shell = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path)) ?? '/bin/sh';

  async function launch(request: CommandRequest, marker: string): Promise<Guard | { readonly error: string }> {
    const folder = guardFolder(parts.home);
    const refusal = await whyNot(request);
    if (refusal !== null) return { error: refusal };
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const plain = startCommand([shell, '-c', '--', request.command]);
      const { cwd, confinement } = request;
      const argv = confinement ? await parts.sandbox.wrap({ argv: plain, workspace: cwd, confinement }) : plain;
      const args = ['-c', guardScript, guardName, folder, marker, ...argv];
      return await started(
        spawn('/bin/sh', args, {
          cwd: request.cwd,
          env: environment,
          detached: true,
          stdio: ['ignore', 'pipe', 'ignore', 'pipe', 'pipe'],
        }),
        marker,
      );
    } catch (error) {
      return { error: `The command could not be started: ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  return {
    async run(request) {
      const start = parts.clock.monotonic();
      const output = createCommandOutput({
        folder: parts.outputFolder,
        fileName: `${parts.newId('output')}.txt`,
        redactor: parts.redactor,
        onOutput: request.onOutput,
      });
      const finish = async (ended: CommandResult['ended'], exitCode: number | null): Promise<CommandResult> => {
        const { text, hash } = await output.finish();
        return { exitCode, ended, output: text, outputHash: hash, durationMs: parts.clock.monotonic() - start };
      };

      const refuse = async (reason: string): Promise<CommandResult> => {
        await output.write(Buffer.from(reason));
        return finish('not_started', null);
      };

      if (request.signal.aborted) return refuse('The command was not begun: it was stopped before.');
      const marker = parts.newId('command');
      const guard = await launch(request, marker);
      if ('error' in guard) return refuse(guard.error);
      const drained = drain(guard.output, output);
      const end = await superviseGuard(guard, request, parts.clock);
      // A guard that told no exit code may itself have been killed, with the command going on.
      if (end.code === null) await reapGuard({ pid: guard.pid, marker }, parts.clock, 0);
      const overdue = parts.clock.after(drainMs, () => guard.output.destroy());
      await drained;
      overdue();
      await removeRegistration(parts.home, guard.pid);

      if (!end.released && end.stopped !== null) return refuse('The command was not begun: it was stopped before.');
      if (!end.released) {
        return refuse(`The command was not begun: its guard could not register in ${guardFolder(parts.home)}.`);
      }
      if (end.stopped !== null) return finish(end.stopped, null);
      if (!end.started && end.code !== null) return refuse('The command was not begun: its sandbox could not be set up.');
      if (end.code === null || sentSignals.has(end.code - 128)) return finish('signalled', null);
      return finish('exited', end.code);
    },
  };
}

/** Why a request cannot be carried out at all, in words for the model; null when it can. */
async function whyNot({ command, cwd }: CommandRequest): Promise<string | null> {
  if (command.includes('\0')) return 'The command holds a NUL character.';
  if (Buffer.byteLength(command) > longestCommand) {
    return `The command is too long (more than ${longestCommand} bytes): write it to a file and run that.`;
  }
  const folder = await stat(cwd).catch(() => null);
  return folder?.isDirectory() === true ? null : `The folder to run it in is not there: ${cwd}`;
}

function started(child: ChildProcess, marker: string): Promise<Guard> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('spawn', () => {
      const [, output, , lifeline, status] = child.stdio;
      resolve({
        child,
        pid: child.pid as number,
        marker,
        output: output as Readable,
        lifeline: lifeline as Writable,
        status: status as Readable,
      });
    });
  });
}

/** One chunk after the other: a command that prints faster than its output is taken in has to wait. */
async function drain(from: Readable, into: CommandOutput): Promise<void> {
  try {
    for await (const chunk of from) await into.write(chunk as Buffer);
  } catch (error) {
    if (!from.destroyed) throw error;
  }
}
