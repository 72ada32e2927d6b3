/** The screen and its terminal: stops, signals, a terminal that stalls, shrinks, goes away, or is none. */
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/daemon.js';
import { say } from '../support/scripted-provider.js';
import { asFound, shellLine, type TerminalProgram } from '../support/terminal-program.js';
import { waitFor } from '../support/wait.js';
import { beginPlan, ctrl, goal, isRunning, itemsOf, openCairn } from './life-support.js';
import { newPlace } from './tui-support.js';

const root = join(import.meta.dirname, '../..');
const escape = '\u001b';
const enter = '\u001b[?1049h';
const timesEntered = (written: string): number => written.split(enter).length - 1;

describe('Ctrl-z', () => {
  it.each([
    ['cairn', undefined],
    ['npm start', join(root, 'scripts/start.mjs')],
  ])('gives the terminal back to the shell of %s as it was found; fg paints everything anew', async (_name, wrapper) => {
    const begun = await beginPlan();
    const env = { INIT_CWD: begun.workspace };
    const cairn = openCairn(begun, { hasJobControl: true, env, ...(wrapper === undefined ? {} : { program: wrapper }) });
    await cairn.sees('Document it');
    const before = cairn.text();
    cairn.type(ctrl('z'));
    await cairn.sees('stopped 148');
    await cairn.sees('settings as found');
    await cairn.sees(shellLine);
    expect(cairn.modes()).toEqual(asFound);
    cairn.type('a line for the shell\r');
    await cairn.sees('Document it');
    expect(cairn.text()).toEqual(before);
    cairn.type('d');
    await cairn.sees('1/3');
    cairn.type('q');
    expect(await cairn.end()).toBe(0);
    expect(cairn.modes()).toEqual(asFound);
    expect(cairn.written().match(/settings as found/g)).toHaveLength(2);
  });

  it('comes straight back where no shell could bring it back', async () => {
    const cairn = openCairn(await beginPlan());
    await cairn.sees(goal);
    cairn.type(ctrl('z'));
    await waitFor('the screen to be taken again', () => timesEntered(cairn.written()) === 2);
    cairn.type('d');
    await cairn.sees('1/3');
  });
});

describe('the end', () => {
  it('by a signal is told by the exit code, and the terminal is as it was found', async () => {
    const begun = await beginPlan();
    const codes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;
    await Promise.all(
      Object.entries(codes).map(async ([signal, code]) => {
        const cairn = openCairn(begun);
        await cairn.sees(goal);
        cairn.signal(signal as NodeJS.Signals);
        expect(await cairn.end()).toBe(code);
        expect(cairn.modes()).toEqual(asFound);
        expect(cairn.text().filter((line) => line !== '')).toEqual([shellLine]);
      }),
    );
    expect(await isRunning(begun.daemon.pid)).toBe(true);
  });

  it('comes with the end of the terminal', async () => {
    const begun = await beginPlan();
    const cairn = openCairn(begun);
    await cairn.sees(goal);
    cairn.hangUp();
    await waitFor('its end', async () => !(await isRunning(cairn.pid)));
    expect(await isRunning(begun.daemon.pid)).toBe(true);
  });
});

describe('a terminal that nobody reads', () => {
  it('holds up neither the keys nor the end, and is not sent what it missed', async () => {
    const begun = await beginPlan({
      model: () => Array.from({ length: 1_000 }, (_, n) => say(`${n}:${String.fromCharCode(97 + (n % 26)).repeat(90)}\n`)),
      pace: 1,
    });
    const cairn = openCairn(begun, { columns: 200, rows: 50 });
    await cairn.sees(goal);
    const { runId } = await begun.daemon.call('chat.send', { sessionId: begun.sessionId, text: 'talk' });
    await cairn.sees(':ccc');
    cairn.stall();
    cairn.type('d');
    await waitFor('the key to be heard', async () => (await itemsOf(begun))[0]?.status === 'done');
    await waitFor('the stream to end', async () => {
      const { runs } = await begun.daemon.call('run.list', { sessionId: begun.sessionId });
      return runs.some(({ id, finishedAt }) => id === runId && finishedAt !== null);
    });
    const before = cairn.written().length;
    cairn.flow();
    await cairn.sees('1/3');
    await cairn.sees('999:');
    // The frames of the whole stream would be several times as much.
    expect(cairn.written().length - before).toBeLessThan(80_000);
    cairn.stall();
    cairn.signal('SIGTERM');
    await waitFor('its end', async () => !(await isRunning(cairn.pid)));
  });
});

describe('a terminal that is resized', () => {
  it('to any size, even an absurd one, shows at the end what one of that size always shows', async () => {
    const begun = await beginPlan();
    const cairn = openCairn(begun);
    await cairn.sees('Document it');
    for (const [columns, rows] of [
      [1, 1],
      [5, 3],
      [250, 2],
      [2, 80],
      [39, 11],
      [250, 80],
      [132, 43],
      [3, 1],
    ] as const) {
      const before = cairn.written().length;
      cairn.resize(columns, rows);
      await waitFor(`a frame of ${columns}×${rows}`, () => cairn.written().length > before);
      // A popup has to fit as well.
      cairn.type('?');
      cairn.type(escape);
    }
    for (const [columns, rows] of [
      [40, 12],
      [250, 80],
      [80, 24],
    ] as const) {
      const fresh = openCairn(begun, { columns, rows });
      await fresh.sees('Document it');
      await fresh.settle();
      cairn.resize(columns, rows);
      const same = (): boolean => cairn.text().join('\n') === fresh.text().join('\n');
      await waitFor('both to show the same', same, { describe: () => [cairn.text(), fresh.text()] });
      expect(Math.max(...cairn.text().map((line) => line.length))).toBeLessThanOrEqual(columns);
    }
    cairn.type('q');
    expect(await cairn.end()).toBe(0);
  });
});

describe('the demo', () => {
  const demoIn = async (temp: string): Promise<number> => {
    const [folder = ''] = await readdir(temp);
    return (JSON.parse(await readFile(join(temp, folder, 'home/daemon.json'), 'utf8')) as { pid: number }).pid;
  };

  it.each([
    ['q', 0, (cairn: TerminalProgram) => cairn.type('q')],
    ['SIGTERM', 143, (cairn: TerminalProgram) => cairn.signal('SIGTERM')],
    ['SIGHUP', 129, (cairn: TerminalProgram) => cairn.signal('SIGHUP')],
  ])('on a terminal shows the screen, and %s leaves nothing of it', async (_name, code, leave) => {
    const temp = join(await tempFolder(), 'tmp');
    await mkdir(temp);
    const cairn = openCairn(await newPlace(), { args: ['demo'], env: { TMPDIR: temp } });
    await cairn.sees(/Goal:.* running/);
    const pid = await demoIn(temp);
    leave(cairn);
    expect(await cairn.end()).toBe(code);
    expect(cairn.modes()).toEqual(asFound);
    await waitFor('its daemon to be gone', async () => !(await isRunning(pid)));
    expect(await readdir(temp)).toEqual([]);
  });
});
