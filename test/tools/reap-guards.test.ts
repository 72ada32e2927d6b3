import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import { newId, systemClock } from '../../daemon/clock.js';
import { guardName, markerVariable } from '../../daemon/tools/process/guard-script.js';
import { guardFolder, reapGuards } from '../../daemon/tools/process/reap-guards.js';
import { isAlive, makeFolder, readPid, registrations, waitFor } from './command-support.js';

const host = fileURLToPath(new URL('./command-host.ts', import.meta.url));
const isLinux = existsSync('/proc/self/environ');
const mine: ChildProcess[] = [];

afterEach(() => {
  for (const child of mine.splice(0)) child.kill('SIGKILL');
});

function start(
  program: string,
  args: readonly string[],
  options: { env?: Record<string, string>; detached?: boolean } = {},
): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  mine.push(child);
  return child;
}

/** Starts a daemon-like process that runs `command`, and gives the pids that the command wrote. */
async function startHost(command: string, pidFiles: readonly string[]) {
  const home = makeFolder();
  const workspace = makeFolder();
  const child = start(process.execPath, ['--import', 'tsx', host, home, workspace, command]);
  const pids: number[] = [];
  for (const file of pidFiles) pids.push(await waitFor(`${file} of the command`, () => readPid(join(workspace, file))));
  const [guard] = registrations(home);
  return { home, workspace, child, pids, guard: Number(guard) };
}

function register(home: string, pid: number, marker: string): void {
  mkdirSync(guardFolder(home), { recursive: true });
  writeFileSync(join(guardFolder(home), String(pid)), `${marker}\n`);
}

describe('the daemon is killed with kill -9', () => {
  test('while a command runs: nothing of it is left', async () => {
    const command = `
      sleep 300 & echo $! > background
      sh -c 'trap "" TERM; echo $$ > stubborn; while true; do sleep 0.2; done' &
      echo $$ > main
      sleep 300`;
    const { home, child, pids, guard } = await startHost(command, ['background', 'stubborn', 'main']);
    expect(guard).toBeGreaterThan(1);
    child.kill('SIGKILL');
    for (const pid of [...pids, guard]) await waitFor(`process ${pid} to be gone`, () => !isAlive(pid));
    expect(await reapGuards(home, systemClock)).toEqual([]);
    expect(registrations(home)).toEqual([]);
  });

  test.runIf(isLinux)('while a command has daemonised a child: that is gone as well', async () => {
    const command = `setsid sh -c 'echo $$ > child; exec sleep 300' & sleep 300`;
    const { child, pids } = await startHost(command, ['child']);
    child.kill('SIGKILL');
    await waitFor('the child to be gone', () => !isAlive(pids[0] as number));
  });

  test('while a command prints without end', async () => {
    const { child, pids } = await startHost(`echo $$ > main; yes`, ['main']);
    child.kill('SIGKILL');
    await waitFor('the command to be gone', () => !isAlive(pids[0] as number));
  });
});

describe('the next daemon', () => {
  test('kills what a guard that is itself stopped could not, and says so', async () => {
    const { home, child, pids, guard } = await startHost('echo $$ > main; sleep 300', ['main']);
    process.kill(-guard, 'SIGSTOP');
    child.kill('SIGKILL');
    const reaped = await reapGuards(home, systemClock, 100);
    expect(reaped).toMatchObject([{ guard, left: [] }]);
    expect(reaped[0]?.killed).toEqual(expect.arrayContaining([guard, pids[0]]));
    expect(isAlive(pids[0] as number)).toBe(false);
    expect(registrations(home)).toEqual([]);
  });

  test.runIf(isLinux)('kills a marked process whose guard is gone', async () => {
    const home = makeFolder();
    const marker = newId('command');
    const orphan = start('sleep', ['300'], { env: { [markerVariable]: marker }, detached: true });
    register(home, 2 ** 22 + 1, marker);
    const reaped = await reapGuards(home, systemClock, 0);
    expect(reaped).toEqual([{ guard: 2 ** 22 + 1, killed: [orphan.pid], left: [] }]);
  });

  test.runIf(isLinux)('waits for that also when nothing else keeps it running yet', () => {
    const home = makeFolder();
    const marker = newId('command');
    start('sleep', ['300'], { env: { [markerVariable]: marker }, detached: true });
    register(home, 2 ** 22 + 1, marker);
    const program = `
      import { systemClock } from './daemon/clock.ts';
      import { reapGuards } from './daemon/tools/process/reap-guards.ts';
      console.log((await reapGuards(${JSON.stringify(home)}, systemClock, 100)).length);`;
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const args = ['--import', 'tsx', '--input-type=module', '--eval', program];
    expect(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })).toBe('1\n');
  });

  test('does not touch a stranger that was given the pid of a guard', async () => {
    const home = makeFolder();
    const stranger = start('sleep', ['300'], { detached: true });
    const neighbour = start('sleep', ['300'], { env: { [markerVariable]: newId('command') }, detached: true });
    register(home, stranger.pid as number, newId('command'));
    register(home, neighbour.pid as number, newId('command'));
    expect(await reapGuards(home, systemClock, 0)).toEqual([]);
    expect([stranger, neighbour].map((child) => isAlive(child.pid as number))).toEqual([true, true]);
    expect(registrations(home)).toEqual([]);
  });

  test('does not touch the guard of another home', async () => {
    const home = makeFolder();
    const marker = newId('command');
    const other = start(process.execPath, ['-e', 'setInterval(() => {}, 1e6)', guardName, newId('command')], { detached: true });
    register(home, other.pid as number, marker);
    expect(await reapGuards(home, systemClock, 0)).toEqual([]);
    expect(isAlive(other.pid as number)).toBe(true);
  });

  test('forgets a registration that was never finished, and one of itself', async () => {
    const home = makeFolder();
    register(home, process.pid, '');
    writeFileSync(join(guardFolder(home), 'notes.txt'), 'not a registration');
    expect(await reapGuards(home, systemClock, 0)).toEqual([]);
    expect(registrations(home)).toEqual(['notes.txt']);
  });

  test('finds nothing to do in a new home', async () => {
    expect(await reapGuards(makeFolder(), systemClock)).toEqual([]);
  });
});
