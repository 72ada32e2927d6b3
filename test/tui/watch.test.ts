import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn as spawnTerminal } from 'node-pty';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ParamsInput } from '../../shared/contract.js';
import type { Session } from '../../shared/session.js';
import { type Daemon, startDaemon, waitForRun } from '../support/daemon.js';
import { waitFor } from '../support/wait.js';
import { begin, cairn, cairnEnvironment, cairnFile, newPlace, type Place } from './tui-support.js';

type NewItem = NonNullable<ParamsInput<'session.create'>['items']>[number];

/** A leaf that goes on when the test says so. */
const waitingLeaf: NewItem = {
  title: 'Wait for the word',
  command: 'echo waiting; while [ ! -e go ]; do sleep 0.02; done; echo gone',
  repeatable: true,
};
const lastLeaf: NewItem = { title: 'Say goodbye', command: 'echo goodbye' };
const letGo = (place: Place): Promise<void> => writeFile(join(place.workspace, 'go'), '');

async function runningPlan(items = [waitingLeaf, lastLeaf]): Promise<{ place: Place; daemon: Daemon; session: Session }> {
  const place = await newPlace();
  const daemon = await startDaemon(place.home);
  const session = await daemon.call('session.create', { goal: 'Ship', workspace: place.workspace, policy: 'full', items });
  await daemon.call('run.start', { sessionId: session.id });
  return { place, daemon, session };
}

describe('cairn watch', () => {
  it('shows the tree, the output and every change, and ends with 0 when the plan is completed', async () => {
    const { place } = await runningPlan();
    const watching = begin(place, ['watch']);
    await watching.toSay('Wait for the word');
    await letGo(place);
    expect(await watching.ended).toBe(0);
    const timeless = watching.said().replaceAll(/\d\d:\d\d:\d\d/g, 'TIME');
    expect(timeless).toMatch(/^Goal: Ship\nrunning · step 1 · try 1 .* 0\/2\n ▶ 1 Wait for the word .*\n ○ 2 Say goodbye\n/);
    const rest = timeless.slice(timeless.indexOf('Say goodbye\n') + 'Say goodbye\n'.length);
    // What was said before the watching began is in the transcript, not here.
    expect(rest.replace('    │ waiting\n', '')).toBe(
      [
        '    │ gone',
        'TIME ✔ 1 Wait for the word  done, accepted',
        'TIME ▶ 2 Say goodbye  active',
        '    $ shell echo goodbye',
        '    │ goodbye',
        'TIME ✔ 2 Say goodbye  done, accepted',
        'TIME · running -> completed',
        '',
      ].join('\n'),
    );
  });

  it('ends with 2 when the plan needs a person, and with 1 when it failed or was cancelled', async () => {
    const blocked = await runningPlan([{ title: 'Needs a model' }]);
    const needsPerson = await cairn(blocked.place, ['watch']);
    expect(needsPerson).toMatchObject({ code: 2, stdout: expect.stringContaining('CAIRN_MODEL') });

    const { place, daemon, session } = await runningPlan();
    const watching = begin(place, ['watch']);
    await watching.toSay('Wait for the word');
    await daemon.call('run.cancel', { sessionId: session.id });
    expect(await watching.ended).toBe(1);
    expect(watching.said()).toContain('running -> cancelled');
  });

  it('goes on past the end with --follow', async () => {
    const { place, daemon, session } = await runningPlan([lastLeaf]);
    await waitForRun(daemon, session.id, 'completed');
    const watching = begin(place, ['watch', '--follow']);
    await watching.toSay('done, accepted');
    await daemon.call('plan.addItem', { sessionId: session.id, title: 'One more' });
    await watching.toSay('One more  added');
  });

  it('is ended by Ctrl-C; the plan goes on', async () => {
    const { place, daemon, session } = await runningPlan();
    const watching = begin(place, ['watch']);
    await watching.toSay('Wait for the word');
    watching.child.kill('SIGINT');
    expect(await watching.ended).toBe(130);
    expect(watching.said()).toContain('Detached. The daemon goes on');
    expect(await daemon.call('run.get', { sessionId: session.id })).toMatchObject({ status: 'running' });
    await letGo(place);
    await waitForRun(daemon, session.id, 'completed');
  });

  it('says that the daemon went away, and goes on when it is back', async () => {
    const { place, daemon } = await runningPlan();
    const watching = begin(place, ['watch']);
    await watching.toSay('Wait for the word');
    await daemon.kill();
    await watching.toSay('The daemon went away.');
    await startDaemon(place.home);
    await watching.toSay('The daemon is back.');
    await letGo(place);
    expect(await watching.ended).toBe(0);
    expect(watching.said()).toContain('2 Say goodbye  done, accepted');
  });

  it('gives lines of JSON to a program', async () => {
    const { place } = await runningPlan();
    const watching = begin(place, ['watch', '--json']);
    await watching.toSay('Wait for the word');
    await letGo(place);
    expect(await watching.ended).toBe(0);
    const lines = watching.said().trim().split('\n');
    const told = lines.map((line) => JSON.parse(line) as { schema: string; data: Record<string, unknown> });
    expect(new Set(told.map(({ schema }) => schema))).toEqual(new Set(['cairn.watch/v1']));
    expect(Object.keys(told[0]?.data ?? {})).toEqual(['snapshot']);
    expect(told.at(-1)?.data).toMatchObject({ changed: { planRun: { status: 'completed' } } });
  });

  it('ends when its session is deleted', async () => {
    const { place, daemon, session } = await runningPlan([lastLeaf]);
    await waitForRun(daemon, session.id, 'completed');
    const watching = begin(place, ['watch', '--follow']);
    await watching.toSay('Say goodbye');
    await daemon.call('session.delete', { sessionId: session.id });
    expect(await watching.ended).toBe(1);
    expect(watching.said()).toContain('The session was deleted.');
  });
});

describe('cairn run --watch', () => {
  it('follows what it has started', async () => {
    const place = await newPlace();
    await cairn(place, ['new', 'Ship', '--policy', 'full']);
    await cairn(place, ['add', 'Say goodbye', '--command', 'echo goodbye', '--verify', 'false']);
    const failed = await cairn(place, ['run', '--watch'], { env: { CAIRN_BACKOFF_MS: '5' } });
    expect(failed).toMatchObject({ code: 2, stdout: expect.stringMatching(/check failed: false exited with 1/) });
  });
});

describe('on a terminal', () => {
  /** `cairn ARGS` on a terminal of its own; what it shows, escape sequences and all. */
  function open(place: Place, args: readonly string[], env: Record<string, string> = {}) {
    const terminal = spawnTerminal(process.execPath, [cairnFile, ...args], {
      cols: 60,
      rows: 20,
      cwd: place.workspace,
      env: cairnEnvironment(place.home, { TERM: 'xterm-256color', ...env }),
    });
    onTestFinished(() => terminal.kill());
    let shown = '';
    terminal.onData((data) => (shown += data));
    const ended = new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
    return {
      terminal,
      ended,
      shown: () => shown,
      toShow: (text: string) => waitFor(`"${text}" on the screen`, () => shown.includes(text), { describe: () => shown }),
    };
  }

  it('colours are used, and left out with NO_COLOR', async () => {
    const { place, daemon, session } = await runningPlan([lastLeaf]);
    await waitForRun(daemon, session.id, 'completed');
    const coloured = open(place, ['show']);
    expect(await coloured.ended).toBe(0);
    expect(coloured.shown()).toContain('\u001b[32m');
    const plain = open(place, ['show'], { NO_COLOR: '1' });
    expect(await plain.ended).toBe(0);
    expect(plain.shown()).toContain('Say goodbye');
    expect(plain.shown()).not.toContain('\u001b[3');
  });

  it('nothing is removed by an empty answer', async () => {
    const { place, daemon, session } = await runningPlan([lastLeaf]);
    await waitForRun(daemon, session.id, 'completed');
    const clearing = open(place, ['clear']);
    await clearing.toShow('[y/N]');
    clearing.terminal.write('\r');
    expect(await clearing.ended).toBe(0);
    expect(clearing.shown()).toContain('Nothing was changed.');
    expect((await daemon.call('plan.get', { sessionId: session.id })).items).toHaveLength(1);
    const again = open(place, ['clear']);
    await again.toShow('[y/N]');
    again.terminal.write('y\r');
    expect(await again.ended).toBe(0);
    expect((await daemon.call('plan.get', { sessionId: session.id })).items).toHaveLength(0);
  });

  it('cairn alone shows the newest session of the folder until Ctrl-c, which leaves it running', async () => {
    const { place, daemon, session } = await runningPlan();
    const alone = open(place, []);
    await alone.toShow('Wait for the word');
    alone.terminal.write('\u0003');
    expect(await alone.ended).toBe(0);
    expect(await daemon.call('run.get', { sessionId: session.id })).toMatchObject({ status: 'running' });
    await letGo(place);
    await waitForRun(daemon, session.id, 'completed');
  });
});
