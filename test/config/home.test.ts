import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { filesOf, prepareHome, readIfThere, readToken, writeWhole } from '../../daemon/home.js';
import type { Result } from '../../shared/errors.js';
import { tempFolder } from '../support/daemon.js';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const refusalOf = (result: Result<unknown>): string => (result.ok ? 'taken' : result.error.message);
const isRoot = process.getuid?.() === 0;

describe('the home', () => {
  it('is made for its owner alone, with what belongs in it', async () => {
    const files = filesOf(join(await tempFolder(), 'deep', 'home'));
    expect(prepareHome(files)).toEqual({ ok: true, value: undefined });
    expect([files.home, files.logs, files.outputs].map(modeOf)).toEqual(['700', '700', '700']);
  });

  it('is in the folders of the system unless it is set, and never depends on where one is', () => {
    expect(filesOf('some/home').home).toBe(join(process.cwd(), 'some/home'));
    const files: string[] = Object.values(filesOf(undefined));
    expect(files.filter((path) => !isAbsolute(path))).toEqual([]);
  });

  it('is closed to others when it was open', async () => {
    const files = filesOf(await tempFolder());
    chmodSync(files.home, 0o777);
    expect(prepareHome(files).ok).toBe(true);
    chmodSync(files.home, 0o755);
    chmodSync(files.logs, 0o755);
    expect(prepareHome(files).ok).toBe(true);
    expect([files.home, files.logs].map(modeOf)).toEqual(['700', '700']);
  });

  it('is not a folder that is open to others and holds their things', async () => {
    const files = filesOf(await tempFolder());
    writeFileSync(join(files.home, 'holiday.jpg'), '');
    chmodSync(files.home, 0o755);
    expect(refusalOf(prepareHome(files))).toMatch(/is open to others and holds other files/);
    expect(modeOf(files.home)).toBe('755');
  });

  it('is refused when it, or a file in it, belongs to another user', async () => {
    const foreign = isRoot ? await tempFolder() : '/usr';
    if (isRoot) chownSync(foreign, 12_345, 12_345);
    expect(refusalOf(prepareHome(filesOf(foreign)))).toBe(`${foreign} belongs to another user.`);

    const files = filesOf(await tempFolder());
    expect(prepareHome(files).ok).toBe(true);
    // Only root can give a file away.
    if (isRoot) {
      writeFileSync(files.config, '{}');
      chownSync(files.config, 12_345, 12_345);
      expect(refusalOf(prepareHome(files))).toBe(`${files.config} belongs to another user.`);
    }
  });

  it('is refused when it cannot be made', async () => {
    const folder = await tempFolder();
    writeFileSync(join(folder, 'file'), '');
    const refused = prepareHome(filesOf(join(folder, 'file', 'home')));
    expect(refusalOf(refused)).toMatch(/file\/home cannot be used: .*ENOTDIR/);
    expect(refused.ok ? null : refused.error.data?.hint).toMatch(/CAIRN_HOME/);
  });
});

describe('the token', () => {
  it('is made once, for its owner alone, and stays the same', async () => {
    const path = join(await tempFolder(), 'token');
    const first = readToken(path);
    expect(first).toEqual({ ok: true, value: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(modeOf(path)).toBe('600');
    chmodSync(path, 0o644);
    expect(readToken(path)).toEqual(first);
    expect(modeOf(path)).toBe('600');
  });

  it('is made anew when it is damaged, or is a link to something else', async () => {
    const folder = await tempFolder();
    const [path, other] = [join(folder, 'token'), join(folder, 'other')];
    writeFileSync(path, 'abc\n');
    expect(readToken(path)).toEqual({ ok: true, value: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const elsewhere = readToken(other);
    const linked = join(folder, 'linked');
    symlinkSync(other, linked);
    expect(readToken(linked)).not.toEqual(elsewhere);
    expect(readToken(other)).toEqual(elsewhere);
  });

  it('is refused when there is a folder in its place', async () => {
    const path = join(await tempFolder(), 'token');
    mkdirSync(join(path, 'in'), { recursive: true });
    expect(refusalOf(readToken(path))).toMatch(/token cannot be used/);
  });
});

describe('the files of the home', () => {
  it('are written whole, for their owner alone', async () => {
    const path = join(await tempFolder(), 'daemon.json');
    writeFileSync(path, 'what was there and is longer', { mode: 0o644 });
    expect(writeWhole(path, 'new').ok).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(modeOf(path)).toBe('600');
  });

  it('are told as missing, read, or refused', async () => {
    const folder = await tempFolder();
    const path = join(folder, 'config.json');
    expect(readIfThere(path)).toEqual({ ok: true, value: null });
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, '{}');
    expect(readIfThere(path)).toEqual({ ok: true, value: { text: '{}', path } });
    expect(refusalOf(readIfThere(folder))).toMatch(/cannot be used: EISDIR/);
  });
});
