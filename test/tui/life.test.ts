/** The screen and its daemon: coming, leaving, losing each other and finding each other again. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { protocolVersion } from '../../shared/contract.js';
import { startDaemon, waitForRun } from '../support/daemon.js';
import { planPrompts, say, type ScriptedRequest } from '../support/scripted-provider.js';
import { listenBetween } from '../support/socket-between.js';
import { asFound, shellLine } from '../support/terminal-program.js';
import { waitFor } from '../support/wait.js';
import { beginPlan, ctrl, goal, openCairn } from './life-support.js';
import { cairn as runCairn, newPlace, type Place } from './tui-support.js';

/** Shift-Tab, from the plan. */
const toTheLine = '\u001b[Z';
const command = 'while [ ! -e go ]; do sleep 0.02; done';

describe('leaving the screen', () => {
  it.each([
    ['q', 'q'],
    ['Ctrl-c', ctrl('c')],
  ])('%s leaves the terminal as it was found, and the daemon and its plan go on', async (_name, key) => {
    const begun = await beginPlan({ session: { items: [{ title: 'Wait', command }] } });
    const { daemon, sessionId, workspace } = begun;
    await daemon.call('run.start', { sessionId });
    const cairn = openCairn(begun);
    await cairn.sees('running');
    expect(cairn.modes()).toMatchObject({ buffer: 'alternate', paste: true });
    cairn.type(key);
    expect(await cairn.end()).toBe(0);
    expect(cairn.modes()).toEqual(asFound);
    expect(cairn.text().filter((line) => line !== '')).toEqual([shellLine]);
    expect(await daemon.call('run.get', { sessionId })).toMatchObject({ status: 'running' });
    await writeFile(join(workspace, 'go'), '');
    await waitForRun(daemon, sessionId, 'completed');
  });

  it('does not wait for a daemon that hangs', async () => {
    const begun = await beginPlan();
    const cairn = openCairn(begun);
    await cairn.sees(goal);
    process.kill(begun.daemon.pid, 'SIGSTOP');
    cairn.type('q');
    expect(await cairn.end()).toBe(0);
  });
});

describe('a daemon that dies', () => {
  it('is missed at once; the plan stays in sight, and keys that change it say why they cannot', async () => {
    const begun = await beginPlan();
    const cairn = openCairn(begun);
    await cairn.sees('Write the writer');
    await begun.daemon.kill();
    await cairn.sees('connection lost');
    expect(cairn.text().join('\n')).toContain('Write the writer');
    for (const key of ['d', 'a', 'x', 'p', 'g']) {
      cairn.type(key);
      await cairn.sees('daemon does not answer');
      cairn.type('k');
      await cairn.seesNoMore('daemon does not answer');
    }
    cairn.type('q');
    expect(await cairn.end()).toBe(0);
  });

  it('is found again when it is back: the plan is as it is now, and what was being typed is still there', async () => {
    const begun = await beginPlan();
    const { daemon, home, sessionId } = begun;
    const cairn = openCairn(begun);
    await cairn.sees('Write the writer');
    await daemon.kill();
    await cairn.sees('connection lost');
    cairn.type(toTheLine);
    cairn.type('half a sentence');
    await cairn.sees('half a sentence');
    cairn.type('\r');
    await cairn.sees('the words stay here');
    const again = await startDaemon(home);
    await again.call('plan.addItem', { sessionId, title: 'Written meanwhile' });
    await cairn.sees('is back');
    await cairn.sees('Written meanwhile');
    await cairn.sees('half a sentence');
  });

  it('is started by r', async () => {
    const begun = await beginPlan();
    const cairn = openCairn(begun);
    await cairn.sees(goal);
    await begun.daemon.kill();
    await cairn.sees('connection lost');
    cairn.type('r');
    await cairn.sees('is back');
    const { pid } = JSON.parse(await readFile(join(begun.home, 'daemon.json'), 'utf8')) as { pid: number };
    expect(pid).not.toBe(begun.daemon.pid);
    cairn.type('d');
    await cairn.sees(/1\/3/);
  });

  it('gets words once that it had taken but not answered', async () => {
    const bodies: ScriptedRequest[] = [];
    const begun = await beginPlan({
      model(body) {
        bodies.push(body);
        return say('Understood.');
      },
    });
    const { home } = await newPlace();
    await mkdir(home);
    const between = await listenBetween(join(home, 'daemon.sock'), begun.daemon.socket);
    const cairn = openCairn({ home, workspace: begun.workspace }, { columns: 120 });
    await cairn.sees(goal);
    between.loseAnswers();
    cairn.type(toTheLine);
    await cairn.sees('Enter send');
    cairn.type('only once please\r');
    await waitFor('the daemon to have the words', () => bodies.length > 0);
    between.cut();
    await cairn.sees('is back');
    await cairn.sees('Understood.');
    expect(
      cairn
        .text()
        .join('\n')
        .match(/only once please/g),
    ).toHaveLength(1);
    cairn.type('and now this\r');
    const last = await waitFor('the next words', () => bodies.find((body) => JSON.stringify(body).includes('and now this')));
    expect(planPrompts(last).filter((text) => text.includes('only once please'))).toHaveLength(1);
  });
});

/** Answers as a daemon of another time does. */
async function startOtherDaemon(home: string, protocol: number): Promise<void> {
  const server = new WebSocketServer({ noServer: true });
  const http = createServer();
  http.on('upgrade', (request, socket, head) => {
    server.handleUpgrade(request, socket, head, (client) => {
      client.on('message', (data: Buffer) => {
        const { id } = JSON.parse(data.toString()) as { id: number };
        client.send(JSON.stringify({ jsonrpc: '2.0', id, result: { protocol, news: true } }));
      });
    });
  });
  await writeFile(join(home, 'daemon.json'), JSON.stringify({ pid: 4_194_303, port: 1, protocol, version: '9.9.9' }));
  await new Promise<void>((resolve) => http.listen(join(home, 'daemon.sock'), resolve));
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    http.close();
  });
}

describe('a daemon of another version', () => {
  const other = protocolVersion + 1;

  it('that takes the place of ours is told of, with what to do, and can be left', async () => {
    const begun = await beginPlan();
    const cairn = openCairn(begun);
    await cairn.sees(goal);
    await begun.daemon.stop();
    await startOtherDaemon(begun.home, other);
    await cairn.sees(`speaks protocol ${other}`);
    await cairn.sees('kill 4194303');
    cairn.type('\r');
    await cairn.seesNoMore('kill 4194303');
    cairn.type('d');
    await cairn.sees('Another version of the daemon runs: the plan cannot be changed.');
    cairn.type('q');
    expect(await cairn.end()).toBe(0);
  });

  it('is told of at the start, with what to do; it stays in sight when one leaves, with exit code 69', async () => {
    const place = await newPlace();
    await mkdir(place.home);
    await startOtherDaemon(place.home, other);
    const cairn = openCairn(place);
    await cairn.sees('Another version of the daemon runs.');
    await cairn.sees('kill 4194303');
    cairn.type('q');
    expect(await cairn.end()).toBe(69);
    expect(cairn.modes()).toEqual(asFound);
    expect(cairn.text().join('\n')).toMatch(/cairn: [^]*kill 4194303/);
  });
});

describe('a daemon that cannot be started', () => {
  async function placeInTheWay(): Promise<Place> {
    const place = await newPlace();
    await writeFile(place.home, 'a file in the place of the home');
    return place;
  }

  it('is told of with the reason; r tries again, and q leaves with exit code 69 and the reason in sight', async () => {
    const place = await placeInTheWay();
    // Of few rows the last one tells when it looks again.
    const cairn = openCairn(place, { rows: 12 });
    await cairn.sees('No daemon answers.');
    await cairn.sees(place.home);
    // Looking again by itself takes nothing of it away.
    await cairn.sees(/again in [25] s/);
    await cairn.sees(place.home);
    await rm(place.home);
    cairn.type('r');
    await cairn.sees('make a plan');
    const again = openCairn(await placeInTheWay());
    await again.sees('r  start');
    again.type('q');
    expect(await again.end()).toBe(69);
    expect(again.modes()).toEqual(asFound);
    expect(again.text().join(' ')).toContain('cairn: ');
  });

  it('is told of in a line where there is no screen', async () => {
    const { code, stderr } = await runCairn(await placeInTheWay(), []);
    expect(code).toBe(69);
    expect(stderr).toMatch(/^cairn: .+/);
  });
});

it('a daemon that takes its time is waited for in sight', async () => {
  const place = await newPlace();
  const cairn = openCairn(place);
  await cairn.sees('Starting the daemon.');
  await cairn.sees('make a plan');
});
