/** The port of a tool that a model can call. A failure is a result that the model reads, never an exception. */
import type { z } from 'zod';
import type { EffectClass } from '../../shared/run.js';

/** How a command is confined where a sandbox works: its workspace may be written, the rest only read, secrets are hidden. */
export interface Confinement {
  readonly network: 'none' | 'open';
}

/** What a command line would do, and the hosts that it names. */
export interface CommandClass {
  readonly class: EffectClass;
  readonly hosts: readonly string[];
}

export interface CommandRequest {
  readonly command: string;
  /** Absolute folder. */
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Null, or absent: the command runs as the daemon does. */
  readonly confinement?: Confinement | null;
  readonly signal: AbortSignal;
  /** Output as it comes, stdout and stderr in one stream, not yet redacted. */
  readonly onOutput: (text: string) => void;
}

export interface CommandResult {
  /** Null when the command did not end by itself. */
  readonly exitCode: number | null;
  readonly ended: 'exited' | 'signalled' | 'timed_out' | 'aborted' | 'not_started';
  /** Head and tail of the output, with a line that says how much was left out. */
  readonly output: string;
  /** SHA-256 of the whole output, hex. */
  readonly outputHash: string;
  readonly durationMs: number;
}

/** Runs a shell command under a guard: nothing that it starts outlives it or the daemon. */
export interface CommandRunner {
  run(request: CommandRequest): Promise<CommandResult>;
}

export interface ToolContext {
  /** Absolute real path: file tools stay inside it. */
  readonly workspace: string;
  /** Where outputs that were too long are kept whole; `read` may page them. Absolute. */
  readonly outputFolder: string;
  readonly signal: AbortSignal;
  readonly commands: CommandRunner;
  /** How the session's policy confines commands. */
  readonly confinement?: Confinement | null;
  readonly onOutput: (text: string) => void;
  /** Leaves a file out of a search when false: the policy denies it. `path` is relative to the workspace, with `/`. */
  readonly mayRead?: (path: string) => boolean;
}

export interface ToolResult {
  readonly ok: boolean;
  /** Bounded text for the model. */
  readonly content: string;
  /** The call was killed before it ended: nobody knows what it did. */
  readonly unknown?: boolean;
}

/** What a policy's rule matches: the path or the command of a call, and the hosts that it reaches. */
export interface CallSubject {
  readonly path?: string;
  readonly command?: string;
  readonly hosts?: readonly string[];
}

export interface Tool<A = unknown> {
  readonly name: string;
  readonly description: string;
  readonly schema: z.ZodType<A>;
  /** The JSON schema that a model is shown, for a tool that brings its own; made from `schema` otherwise. */
  readonly parameters?: Record<string, unknown>;
  /** Of its calls in general; `classOf` may judge one call to be better or worse. */
  readonly class: EffectClass;
  classOf?(args: A): EffectClass;
  /** Doing it twice does no harm. */
  readonly repeatable: boolean;
  /** Profiles write with it: a run that has it holds the lock on its workspace. */
  readonly writes: boolean;
  subject(args: A): CallSubject;
  run(args: A, context: ToolContext): Promise<ToolResult>;
}

/** The tools that a run is given, and why some are missing, in words for people. */
export interface ToolOffer {
  readonly tools: readonly Tool[];
  readonly problems: readonly string[];
}
