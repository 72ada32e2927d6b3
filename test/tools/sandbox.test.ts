/** Commands in the real sandbox of this machine. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { bubblewrap } from '../../daemon/tools/sandbox/bubblewrap.js';
import { detectSandbox } from '../../daemon/tools/sandbox/detect-sandbox.js';
import { describeSandbox, type Sandbox } from '../../daemon/tools/sandbox/sandbox.js';
import { profileFor } from '../../daemon/tools/sandbox/sandbox-exec.js';
import type { CommandResult, Confinement } from '../../daemon/tools/tool.js';
import { waitFor } from '../support/wait.js';
import { type Bench, makeBench, makeFolder } from './command-support.js';

const closed: Confinement = { network: 'none' };
const open: Confinement = { network: 'open' };
const isRoot = process.getuid?.() === 0;
const detect = (own: readonly string[], more: object = {}): Promise<Sandbox> =>
  detectSandbox({ platform: process.platform, path: process.env.PATH, own, enabled: true, isRoot, ...more });

let home: string;
let bench: Bench;
let person: string;
const confined = (command: string, confinement = closed): Promise<CommandResult> => bench.run(command, { confinement });
const output = async (command: string, confinement = closed): Promise<string> => (await confined(command, confinement)).output;

beforeAll(async () => {
  person = makeFolder();
  mkdirSync(join(person, '.ssh'));
  writeFileSync(join(person, '.ssh/id_ed25519'), 'a key');
  writeFileSync(join(person, '.netrc'), 'password of ada');
  const elsewhere = makeFolder();
  writeFileSync(join(elsewhere, 'credentials'), 'aws key');
  symlinkSync(elsewhere, join(person, '.aws'));
  writeFileSync(join(person, 'notes.txt'), 'not secret');
  const works = await detect([]);
  expect(works.reason).toBeNull();
  bench = makeBench({
    sandbox: (own) => {
      home = own;
      writeFileSync(join(own, 'token'), 'the token of the daemon');
      return works.kind === 'bubblewrap' ? bubblewrap({ program: 'bwrap', own: [own], isRoot, home: person }) : works;
    },
  });
});

describe('a confined command', () => {
  it('writes in its workspace, and nowhere else', async () => {
    expect(await confined('echo hello > made.txt && cat made.txt')).toMatchObject({
      ended: 'exited',
      exitCode: 0,
      output: 'hello\n',
    });
    expect(readFileSync(join(bench.workspace, 'made.txt'), 'utf8')).toBe('hello\n');
    for (const path of ['/etc/made', '/usr/made', '/made']) {
      expect((await confined(`echo x > ${path}`)).exitCode, path).not.toBe(0);
      expect(existsSync(path), path).toBe(false);
    }
    // A home below /tmp is as private as that.
    await confined(`echo x > ${person}/made`);
    expect(existsSync(join(person, 'made'))).toBe(false);
  });

  it('has a private place for temporary files and caches', async () => {
    expect(await output('echo x > /tmp/seen && cat /tmp/seen && mktemp -d >/dev/null && echo made')).toBe('x\nmade\n');
    expect(existsSync('/tmp/seen')).toBe(false);
  });

  it('sees no key of its person, also not behind a link, and reads what is no secret', async () => {
    const said = await output(
      `cat ${person}/.ssh/id_ed25519 ${person}/.netrc ${person}/.aws/credentials; ls -A ${person}/.ssh | wc -l`,
    );
    expect(said).not.toMatch(/a key|password of ada|aws key/);
    expect(said).toMatch(/^0$/m);
  });

  it('cannot reach the daemon: neither its token nor its socket is there', async () => {
    expect(await output(`cat ${home}/token; ls ${home}/daemon.sock; ls -A ${home} | wc -l; ls -A /run | wc -l`)).toMatch(
      /0\n0\n$/,
    );
    expect(await output(`cat ${home}/token`)).not.toContain('the token');
  });

  it('sees its own processes only, and cannot signal others', async () => {
    expect(await output('ls -d /proc/[0-9]* | wc -l')).toMatch(/^\d{1}\n$/);
    expect((await confined(`kill -0 ${process.pid}`)).exitCode).not.toBe(0);
  });

  it('cannot undo what confines it', async () => {
    for (const attempt of ['mount -o remount,rw /', 'mount -t tmpfs none /etc', 'umount /tmp', 'chroot /proc/1/root true']) {
      expect((await confined(attempt)).exitCode, attempt).not.toBe(0);
    }
  });

  it('gives exit code, output and failure as they are', async () => {
    expect(await confined('echo out; echo err >&2; exit 7')).toMatchObject({
      ended: 'exited',
      exitCode: 7,
      output: 'out\nerr\n',
    });
    expect((await confined('kill -SEGV $$')).exitCode).toBe(139);
    expect((await output('seq 1 20000')).length).toBeLessThan(35_000);
  });

  it('is stopped at its time limit with all that it started', async () => {
    const result = await bench.run('sleep 300 & sleep 300', { confinement: closed, timeoutMs: 500 });
    expect(result.ended).toBe('timed_out');
  });

  it('works in a workspace below a folder that is hidden', async () => {
    const inside = join(person, '.claude/worktree');
    mkdirSync(inside, { recursive: true });
    writeFileSync(join(person, '.claude/key'), 'agent key');
    const result = await bench.run('echo x > here && cat here; cat ../key', { confinement: closed, cwd: inside });
    expect(result.output).toContain('x\n');
    expect(result.output).not.toContain('agent key');
  });

  it('is not begun, and says so, when its sandbox cannot be set up', async () => {
    const broken = makeBench({ sandbox: () => bubblewrap({ program: '/bin/false', own: [], isRoot }) });
    expect(await broken.run('echo hello', { confinement: closed })).toMatchObject({ ended: 'not_started', exitCode: null });
  });
});

describe('git in a confined command', () => {
  it('commits, and changes neither configuration nor hooks', async () => {
    const setUp = 'git init -q . && git config user.email a@b.c && git config user.name Ada';
    expect((await bench.run(setUp)).exitCode).toBe(0);
    expect(
      (await confined('echo x > file && git add file && git commit -qm "Add a file" && git log --oneline')).output,
    ).toContain('Add a file');
    for (const attempt of [
      'git config core.fsmonitor "touch /tmp/owned"',
      'echo "touch owned" > .git/hooks/pre-commit',
      'rm .git/config',
      'mv .git/hooks .git/old',
    ]) {
      expect((await confined(attempt)).exitCode, attempt).not.toBe(0);
    }
  });

  it('commits in a linked worktree, whose repository is elsewhere', async () => {
    const linked = join(makeFolder(), 'linked');
    expect((await bench.run(`git worktree add -q ${linked}`)).exitCode).toBe(0);
    const result = await bench.run('echo y > other && git add other && git commit -qm Other', {
      confinement: closed,
      cwd: linked,
    });
    expect(result).toMatchObject({ exitCode: 0 });
    const config = `echo "[x]" >> ${bench.workspace}/.git/config`;
    expect((await bench.run(config, { confinement: closed, cwd: linked })).exitCode).not.toBe(0);
  });

  it('does not follow a .git file to a folder that does not point back', async () => {
    const trap = makeFolder();
    const target = makeFolder();
    writeFileSync(join(trap, '.git'), `gitdir: ${target}\n`);
    expect((await bench.run(`echo x > ${target}/owned`, { confinement: closed, cwd: trap })).exitCode).not.toBe(0);
  });
});

describe('the network', () => {
  const server = createServer((_request, response) => response.end('reached'));
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(() => void server.close());

  it('is not there unless the policy allows it', async () => {
    expect((await confined(`curl -s --max-time 5 ${url}`)).output).not.toContain('reached');
    expect((await confined(`curl -s --max-time 5 ${url}`, open)).output).toBe('reached');
  });
});

describe('when the daemon is killed', () => {
  it('a confined command ends with it', async () => {
    const workspace = makeFolder();
    const script = 'while true; do date >> beat; sleep 0.05; done';
    const host = spawn(
      process.execPath,
      ['--import', 'tsx', new URL('command-host.ts', import.meta.url).pathname, makeFolder(), workspace, script, 'confined'],
      { stdio: 'ignore' },
    );
    onTestFinished(() => void host.kill('SIGKILL'));
    const beat = join(workspace, 'beat');
    const length = (): number => (existsSync(beat) ? readFileSync(beat).length : 0);
    await waitFor('the command to run', () => Promise.resolve(length() > 100 ? true : undefined));
    host.kill('SIGKILL');
    let last = -1;
    let still = 0;
    await waitFor('the command to have ended', () => {
      const now = length();
      still = now === last ? still + 1 : 0;
      last = now;
      return still >= 30;
    });
    expect(length()).toBe(last);
  });
});

describe('a machine without a working sandbox', () => {
  it.each([
    ['says that it is switched off', { enabled: false }, /switched off/],
    ['says what to install', { path: '/nowhere' }, /bubblewrap/],
    ['says that there is none for its system', { platform: 'win32' }, /none for win32/],
  ])('%s', async (_what, more, words) => {
    // A bubblewrap in a standard place is found all the same.
    const sandbox = await detect([], more);
    if (sandbox.kind === 'none') expect(describeSandbox(sandbox)).toMatch(words);
    else expect(describeSandbox(sandbox)).toContain('bubblewrap');
  });
});

describe('the profile for macOS', () => {
  const profile = profileFor({
    workspace: '/Users/ada/a "b"',
    writable: [],
    readOnly: [{ path: '/Users/ada/.git/config', isFolder: false }],
    hidden: [{ path: '/Users/ada/.ssh', isFolder: true }],
    network: false,
  });
  it('denies writing first, allows the workspace, then takes back what is guarded and hides what is secret', () => {
    const lines = profile.split('\n');
    const at = (part: string): number => lines.findIndex((line) => line.includes(part));
    expect(at('(deny file-write*)')).toBeLessThan(at('(subpath "/Users/ada/a \\"b\\"")'));
    expect(at('(subpath "/Users/ada/a')).toBeLessThan(at('.git/config'));
    expect(at('(deny file-read* file-write* (subpath "/Users/ada/.ssh"))')).toBeGreaterThan(0);
    expect(profile).toContain('(deny network* (remote ip))');
  });
  it('opens the network only when it is asked to', () => {
    const opened = profileFor({ workspace: '/w', writable: [], readOnly: [], hidden: [], network: true });
    expect(opened).not.toContain('(deny network* (remote ip))');
  });
});
