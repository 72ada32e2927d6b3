/** `cairn` on a terminal, as a person has it: a home, a daemon, a plan, and the screen. */
import { onTestFinished } from 'vitest';
import type { SessionId } from '../../shared/plan.js';
import { type Daemon, startDaemon } from '../support/daemon.js';
import { runInTerminal, type TerminalOptions, type TerminalProgram } from '../support/terminal-program.js';
import { waitFor } from '../support/wait.js';
import { cairnEnvironment, cairnFile, newPlace, type Place } from './tui-support.js';

export interface Begun extends Place {
  readonly daemon: Daemon;
  readonly sessionId: SessionId;
}

const plan = '- [ ] Read the exporter\n- [ ] Write the writer\n- [ ] Document it\n';

/** A daemon with a plan for the workspace. */
export async function beginPlan({
  markdown = plan,
  goal = 'Ship the export',
  env = {},
}: { markdown?: string; goal?: string; env?: Record<string, string> } = {}): Promise<Begun> {
  const place = await newPlace();
  const daemon = await startDaemon(place.home, { env });
  const { id } = await daemon.call('session.create', { title: 'Export', goal, workspace: place.workspace, markdown });
  return { ...place, daemon, sessionId: id };
}

type Options = Partial<Omit<TerminalOptions, 'env'>> & { readonly env?: Record<string, string>; readonly args?: readonly string[] };

/** `cairn`, alone unless there are `args`. */
export function openCairn({ home, workspace }: Place, { env = {}, args = [], ...options }: Options = {}): TerminalProgram {
  return runInTerminal([cairnFile, ...args], { cwd: workspace, env: cairnEnvironment(home, env), ...options });
}

/** Whether a process is there and has not ended. */
export async function isRunning(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises');
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}
