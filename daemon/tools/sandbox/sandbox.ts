/** The port of a sandbox: how a command is confined on this machine, or why it cannot be. */
import type { Confinement } from '../tool.js';

export interface SandboxRequest {
  /** Program and arguments of the command. */
  readonly argv: readonly string[];
  /** Absolute real path: the one folder that may be written. */
  readonly workspace: string;
  readonly confinement: Confinement;
}

export interface Sandbox {
  readonly kind: 'bubblewrap' | 'sandbox-exec' | 'none';
  /** Of `none`: what is missing, and what to do about it. */
  readonly reason: string | null;
  /** The same command, confined. Of `none`: as it was. */
  wrap(request: SandboxRequest): Promise<readonly string[]>;
}

export const noSandbox = (reason: string): Sandbox => ({
  kind: 'none',
  reason,
  wrap: ({ argv }) => Promise.resolve(argv),
});

/** What a person is told of it. */
export const describeSandbox = ({ kind, reason }: Sandbox): string =>
  kind === 'none'
    ? `commands run without a sandbox (${reason ?? 'unknown'}), so each one asks first`
    : `commands run in a sandbox (${kind})`;
