import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLog, type Logger } from '../../daemon/log.js';
import { unwrap } from '../../shared/errors.js';
import { tempFolder } from '../support/daemon.js';

const redact = (text: string): string => text.replaceAll('sk-secret', '[redacted]');
const logIn = (folder: string): Logger => unwrap(openLog(folder, 'info', redact));

describe('the log', () => {
  it('is lines of JSON, without secrets wherever they stand, for its owner alone', async () => {
    const folder = await tempFolder();
    const log = logIn(folder);
    log.info({ err: new Error('key sk-secret refused'), nested: { header: 'Bearer sk-secret' } }, 'said sk-secret');
    log.debug('too quiet for this level');
    const lines = (await readFile(join(folder, 'daemon.log'), 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      msg: 'said [redacted]',
      nested: { header: 'Bearer [redacted]' },
      pid: process.pid,
    });
    expect(lines[0]).not.toContain('sk-secret');
    expect((await stat(join(folder, 'daemon.log'))).mode & 0o777).toBe(0o600);
  });

  it('goes on where an earlier daemon stopped', async () => {
    const folder = await tempFolder();
    logIn(folder).info('first');
    logIn(folder).info('second');
    expect(await readFile(join(folder, 'daemon.log'), 'utf8')).toMatch(/first.*\n.*second/);
  });

  it('never takes more than five files of five megabytes', async () => {
    const folder = await tempFolder();
    const log = logIn(folder);
    const megabyte = 'x'.repeat(1024 * 1024);
    for (let n = 0; n < 40; n++) log.info({ n }, megabyte);
    const names = (await readdir(folder)).sort();
    expect(names).toEqual(['daemon.log', 'daemon.log.1', 'daemon.log.2', 'daemon.log.3', 'daemon.log.4']);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(5 * 1024 * 1024);
    expect(await readFile(join(folder, 'daemon.log'), 'utf8')).toContain('"n":39');
  });

  it('closes a file that others could read', async () => {
    const path = join(await tempFolder(), 'daemon.log');
    await writeFile(path, '');
    await chmod(path, 0o644);
    logIn(join(path, '..')).info('said');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('costs the daemon nothing but its lines when the disk is full', async () => {
    const folder = await tempFolder();
    await symlink('/dev/full', join(folder, 'daemon.log'));
    expect(() => logIn(folder).info('lost')).not.toThrow();
  });

  it('is refused when it cannot be opened', async () => {
    const folder = await tempFolder();
    await mkdir(join(folder, 'daemon.log'));
    expect(openLog(folder, 'info', redact)).toMatchObject({
      ok: false,
      error: { message: expect.stringMatching(/daemon\.log cannot be used: EISDIR/) },
    });
  });
});
