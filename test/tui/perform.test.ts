/** What the screen wants done, when what it needs fails or holds it up. */
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Client } from '../../shared/client.js';
import { RpcError } from '../../shared/errors.js';
import type { ItemId, SessionId } from '../../shared/plan.js';
import { filesOf } from '../../tui/connect.js';
import type { Cmd, Msg } from '../../tui/core/message.js';
import { createPerformer, type Performer } from '../../tui/perform.js';
import { openScreen } from '../../tui/screen.js';
import { plainEnvironment, tempFolder } from '../support/daemon.js';
import { type FakeTerminal, openFakeTerminal } from '../support/fake-terminal.js';
import { waitFor } from '../support/wait.js';

interface Bench {
  readonly performer: Performer;
  readonly terminal: FakeTerminal;
  readonly told: Msg[];
  readonly left: { next: string; whyNoDaemon: string | null }[];
  /** Whether the terminal was given to another program. */
  isGiven(): boolean;
  perform(cmd: Cmd): void;
  /** The message of this type, once it was told. */
  hears<T extends Msg['type']>(type: T): Promise<Extract<Msg, { type: T }>>;
}

async function benchOf({ client = null, env = {} }: { client?: Client | null; env?: Record<string, string> }): Promise<Bench> {
  const environment = plainEnvironment({ CAIRN_HOME: join(await tempFolder(), 'home'), CAIRN_PORT: '0', ...env });
  const terminal = openFakeTerminal(80, 24);
  const screen = openScreen({ ...terminal, colours: true });
  const told: Msg[] = [];
  const left: Bench['left'] = [];
  let isGiven = false;
  const performer = createPerformer({
    screen,
    files: filesOf(environment),
    environment,
    client,
    onStart: undefined,
    pauseGuard() {
      isGiven = true;
      return () => (isGiven = false);
    },
    onLeave: (next, _kept, whyNoDaemon) => left.push({ next, whyNoDaemon }),
  });
  const dispatch = (msg: Msg): void => void told.push(msg);
  onTestFinished(() => {
    performer.close();
    terminal.flow();
    screen.close();
    terminal.terminal.dispose();
  });
  return {
    performer,
    terminal,
    told,
    left,
    isGiven: () => isGiven,
    perform: (cmd) => performer.perform(cmd, dispatch),
    async hears(type) {
      const isIt = (msg: Msg): msg is Extract<Msg, { type: typeof type }> => msg.type === type;
      return waitFor(`${type} to be told`, () => told.find(isIt), { describe: () => told });
    },
  };
}

/** A daemon that gives this for every answer. */
function clientOf(answer: () => Promise<unknown>): Client & { isClosed: boolean } {
  return {
    isClosed: false,
    call: () => answer() as never,
    on: () => undefined,
    onClose: () => undefined,
    close() {
      this.isClosed = true;
    },
  };
}

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const start: Cmd = { type: 'connect', start: true, delayMs: 0 };
const look: Cmd = { type: 'connect', start: false, delayMs: 0 };

describe('a daemon that cannot be started', () => {
  it('for want of a place for its first words is told of, and the screen goes on', async () => {
    const bench = await benchOf({});
    vi.stubEnv('TMPDIR', join(await tempFolder(), 'missing'));
    bench.perform(start);
    const { reason, otherProtocol } = await bench.hears('notConnected');
    expect(reason).toContain('ENOENT');
    expect(reason).toContain('could not be started');
    expect(otherProtocol).toBe(false);
  });

  it('says why for as long as none answers: a look whether one runs by now adds nothing', async () => {
    const bench = await benchOf({});
    vi.stubEnv('TMPDIR', join(await tempFolder(), 'missing'));
    bench.perform(start);
    const { reason } = await bench.hears('notConnected');
    bench.told.length = 0;
    bench.perform(look);
    expect((await bench.hears('notConnected')).reason).toBe(reason);
    bench.perform({ type: 'leave', next: 'nothing' });
    expect(bench.left).toEqual([{ next: 'nothing', whyNoDaemon: reason }]);
  });
});

describe('a daemon that does not tell how it is', () => {
  it.each([
    ['refuses', new RpcError('overloaded', 'Too many clients.'), 'Too many clients.'],
    [
      'answers what no client knows',
      new RpcError('internal_error', 'Not as the contract says.', { hint: 'One version?' }),
      'One',
    ],
  ])('because it %s is let go, and the reason is told', async (_name, error, words) => {
    const client = clientOf(() => Promise.reject(error));
    const bench = await benchOf({ client });
    bench.performer.begin((msg) => bench.told.push(msg));
    expect((await bench.hears('notConnected')).reason).toContain(words);
    expect(client.isClosed).toBe(true);
    // The next wish is heard: nothing holds the place of the one that was let go.
    bench.told.length = 0;
    bench.perform(look);
    await bench.hears('notConnected');
  });
});

describe('leaving', () => {
  it('tells of no missing daemon where one had answered', async () => {
    const bench = await benchOf({ client: clientOf(() => Promise.resolve({})) });
    bench.performer.begin((msg) => bench.told.push(msg));
    await bench.hears('connected');
    bench.perform({ type: 'leave', next: 'nothing' });
    expect(bench.left).toEqual([{ next: 'nothing', whyNoDaemon: null }]);
  });
});

describe('a terminal that takes nothing', () => {
  const edit: Cmd = { type: 'editText', sessionId: 's_1' as SessionId, itemId: 't_1' as ItemId, base: 'before', text: 'before' };

  async function editorThatWrites(text: string): Promise<Record<string, string>> {
    const path = join(await tempFolder(), 'editor');
    await writeFile(path, `#!/bin/sh\necho '${text}' > "$1"\n`);
    await chmod(path, 0o755);
    return { VISUAL: path };
  }

  it('is waited for before the editor has it', async () => {
    const bench = await benchOf({ env: await editorThatWrites('after') });
    bench.terminal.stall();
    bench.perform(edit);
    await bench.terminal.settle();
    expect(bench.isGiven()).toBe(false);
    bench.terminal.flow();
    expect(await bench.hears('textEdited')).toMatchObject({ base: 'before', text: 'after' });
    expect(bench.isGiven()).toBe(false);
  });

  it('for too long gets no editor: it is told, and the screen is back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const bench = await benchOf({ env: await editorThatWrites('after') });
    bench.terminal.stall();
    bench.perform(edit);
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    expect((await bench.hears('editFailed')).reason).toContain('takes nothing');
    expect(bench.isGiven()).toBe(false);
    expect(bench.terminal.input.isRaw).toBe(true);
  });

  it('is waited for before the shell has it', async () => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    const bench = await benchOf({});
    bench.terminal.stall();
    bench.perform({ type: 'suspend' });
    await bench.terminal.settle();
    expect(kill).not.toHaveBeenCalled();
    bench.terminal.flow();
    await waitFor('the stop', () => kill.mock.calls.length === 1);
    expect(kill).toHaveBeenCalledWith(0, 'SIGTSTP');
    await waitFor('the screen to be back', () => bench.terminal.input.isRaw);
  });
});
