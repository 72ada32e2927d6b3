/** `cairn` on a terminal, as a person has it: a home, a daemon, a plan, and the screen. */
import { readFile } from 'node:fs/promises';
import { onTestFinished } from 'vitest';
import type { ParamsInput } from '../../shared/contract.js';
import type { ListedItem, SessionId } from '../../shared/plan.js';
import { type Daemon, startDaemon } from '../support/daemon.js';
import { type Handler, startScriptedProvider } from '../support/scripted-provider.js';
import { runInTerminal, type TerminalOptions, type TerminalProgram } from '../support/terminal-program.js';
import { cairnEnvironment, cairnFile, newPlace, type Place } from './tui-support.js';

export interface Begun extends Place {
  readonly daemon: Daemon;
  readonly sessionId: SessionId;
}

export const goal = 'Ship the export';

interface Beginning {
  readonly session?: ParamsInput<'session.create'>;
  /** What the model says; without it there is no model. */
  readonly model?: Handler;
  readonly pace?: number;
}

/** A daemon with a plan for the workspace. */
export async function beginPlan({ session = {}, model, pace = 0 }: Beginning = {}): Promise<Begun> {
  const place = await newPlace();
  const daemon = await startDaemon(place.home, { env: model === undefined ? {} : await environmentOf(model, pace) });
  const items = [{ title: 'Read the exporter' }, { title: 'Write the writer' }, { title: 'Document it' }];
  const { workspace } = place;
  const { id } = await daemon.call('session.create', { title: 'Export', goal, workspace, policy: 'full', items, ...session });
  return { ...place, daemon, sessionId: id };
}

async function environmentOf(model: Handler, pace: number): Promise<Record<string, string>> {
  const provider = await startScriptedProvider(model, { pace });
  onTestFinished(() => provider.close());
  return { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-test-of-the-screen-1234567890', CAIRN_MODEL: 'scripted' };
}

interface Options extends Partial<Omit<TerminalOptions, 'env'>> {
  readonly env?: Record<string, string>;
  readonly args?: readonly string[];
  /** What starts it, unless it is started as it is. */
  readonly program?: string;
}

/** `cairn`, alone unless there are `args`. */
export function openCairn(
  { home, workspace }: Place,
  { env = {}, args = [], program = cairnFile, ...options }: Options = {},
): TerminalProgram {
  return runInTerminal([program, ...args], { cwd: workspace, env: cairnEnvironment(home, env), ...options });
}

/** Whether a process is there and has not ended. */
export async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}

export async function itemsOf({ daemon, sessionId }: Pick<Begun, 'daemon' | 'sessionId'>): Promise<ListedItem[]> {
  return (await daemon.call('plan.get', { sessionId })).items;
}

export const ctrl = (letter: string): string => String.fromCharCode(letter.charCodeAt(0) & 0x1f);
