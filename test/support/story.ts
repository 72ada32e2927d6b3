/** What most stories begin with: a scripted model, a daemon that uses it, and a session with a plan. */
import { onTestFinished } from 'vitest';
import type { ParamsInput } from '../../shared/contract.js';
import type { PolicyInput } from '../../shared/mission.js';
import type { Session } from '../../shared/session.js';
import { type Daemon, startDaemon, tempPlaces } from './daemon.js';
import { call, type Handler, type Part, type ScriptedProvider, startScriptedProvider } from './scripted-provider.js';

export interface Story {
  readonly provider: ScriptedProvider;
  readonly home: string;
  readonly workspace: string;
  /** The daemon that runs now. */
  daemon: Daemon;
  /** Environment of every daemon of this story. */
  readonly env: Record<string, string>;
  session(params?: ParamsInput<'session.create'>): Promise<Session>;
  /** Starts a daemon on the same home, after the last one ended. */
  restart(env?: Record<string, string>): Promise<Daemon>;
}

/** Delays and time-outs short enough for a test; everything else as a user has it. */
const impatient = { CAIRN_BACKOFF_MS: '20,40,80', CAIRN_TURN_BACKOFF_MS: '10' };

export async function tellStory(model: Handler, env: Record<string, string> = {}): Promise<Story> {
  const provider = await startScriptedProvider(model);
  onTestFinished(() => provider.close());
  const { home, workspace } = await tempPlaces();
  const all = {
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: 'sk-test-of-the-story-1234567890',
    CAIRN_MODEL: 'scripted',
    ...impatient,
    ...env,
  };
  const story: Story = {
    provider,
    home,
    workspace,
    env: all,
    daemon: await startDaemon(home, { env: all }),
    session: (params = {}) =>
      story.daemon.call('session.create', {
        goal: 'Ship the export',
        workspace,
        policy: 'full',
        items: [{ title: 'First' }, { title: 'Second' }],
        ...params,
      }),
    restart: async (more = {}) => (story.daemon = await startDaemon(home, { env: { ...all, ...more } })),
  };
  return story;
}

/** The report that ends a leaf. */
export const result = (summary = 'did it'): Part => call('mission_report', { kind: 'result', summary });
export const blocker = (summary: string): Part => call('mission_report', { kind: 'blocker', summary });

/** A gate that a scripted answer waits at, until the test opens it. */
export function createGate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open: () => open() };
}

/** Reads and writes as they come; each command is asked for, as where no sandbox works. */
export const commandsAsked: PolicyInput = {
  default: 'ask',
  rules: ['read', 'list', 'glob', 'grep', 'write', 'edit'].map((tool) => ({ tool, action: 'allow' })),
};
