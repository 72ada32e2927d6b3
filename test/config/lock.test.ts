import { statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeLock } from '../../daemon/lock.js';
import { unwrap } from '../../shared/errors.js';
import { plainEnvironment, startDaemon, tempFolder, tempPlaces } from '../support/daemon.js';
import { runProgram } from '../support/program.js';

const daemonFile = join(import.meta.dirname, '../../dist/daemon.js');

describe('the lock of a home', () => {
  it('is had by one at a time, and says by whom', async () => {
    const path = join(await tempFolder(), 'daemon.lock');
    const held = unwrap(takeLock(path, process.pid));
    const second = takeLock(path, 4712);
    expect(second.ok ? '' : second.error.message).toBe(`A daemon (pid ${process.pid}) is running on this home already.`);
    held.release();
    unwrap(takeLock(path, 4713)).release();
  });

  it('is for its owner alone', async () => {
    const path = join(await tempFolder(), 'daemon.lock');
    const held = unwrap(takeLock(path, process.pid));
    expect([path, `${path}.pid`].map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
    held.release();
  });

  it('dies with its process: after kill -9 the next daemon starts, with nothing to clean up', async () => {
    const { home } = await tempPlaces();
    const first = await startDaemon(home);
    const refused = await runProgram([daemonFile], { env: plainEnvironment({ CAIRN_HOME: home, CAIRN_PORT: '0' }) });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`pid ${first.pid}`) });
    await first.kill();
    const next = await startDaemon(home);
    expect((await next.call('daemon.status', {})).pid).toBe(next.pid);
  });

  it('says what is wrong when the folder cannot hold it', async () => {
    const taken = takeLock(join(await tempFolder(), 'not', 'there', 'daemon.lock'), 1);
    expect(taken.ok ? {} : taken.error).toMatchObject({ kind: 'invalid_state', data: { hint: expect.stringMatching(/home/) } });
  });
});
