/** Ways out that a confined command could try, and what must go on working beside them. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join, relative } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { listProcesses } from '../../daemon/tools/process/process-table.js';
import { bubblewrap } from '../../daemon/tools/sandbox/bubblewrap.js';
import { detectSandbox } from '../../daemon/tools/sandbox/detect-sandbox.js';
import { describeSandbox, type Sandbox } from '../../daemon/tools/sandbox/sandbox.js';
import { profileFor } from '../../daemon/tools/sandbox/sandbox-exec.js';
import type { CommandRequest } from '../../daemon/tools/tool.js';
import { waitFor } from '../support/wait.js';
import { type Bench, makeBench, makeFolder } from './command-support.js';

const isRoot = process.getuid?.() === 0;
const closed: Partial<CommandRequest> = { confinement: { network: 'none' } };
const sandboxFor = (own: readonly string[], home: string): Sandbox => bubblewrap({ program: 'bwrap', own, isRoot, home });
const benchAt = (home = makeFolder()): Bench => makeBench({ sandbox: (own) => sandboxFor([own], home) });

async function makeRepository(bench: Bench): Promise<void> {
  const identity = 'git config user.email a@b.c && git config user.name Ada';
  const made = await bench.run(`git init -q . && ${identity} && git commit -q --allow-empty -m Start`);
  expect(made.exitCode).toBe(0);
}

describe('a repository', () => {
  it('cannot be moved away for another configuration to take its place', async () => {
    const bench = benchAt();
    await makeRepository(bench);
    const before = readFileSync(join(bench.workspace, '.git/config'), 'utf8');
    expect((await bench.run('mv .git old && cp -r old .git && git config core.fsmonitor evil', closed)).exitCode).not.toBe(0);
    expect(readFileSync(join(bench.workspace, '.git/config'), 'utf8')).toBe(before);
  });

  it('that has no hooks gets none', async () => {
    const bench = benchAt();
    await makeRepository(bench);
    await bench.run('rm -r .git/hooks');
    const attempt = 'mkdir -p .git/hooks && echo "touch owned" > .git/hooks/pre-commit';
    expect((await bench.run(attempt, closed)).exitCode).not.toBe(0);
    expect(existsSync(join(bench.workspace, '.git/hooks/pre-commit'))).toBe(false);
  });

  it('guards its submodules and its other worktrees, at any depth', async () => {
    const bench = benchAt();
    await makeRepository(bench);
    const other = benchAt();
    await makeRepository(other);
    const add = `git -c protocol.file.allow=always submodule --quiet add ${other.workspace} libs/other`;
    expect((await bench.run(`${add} && git worktree add -q ${makeFolder()}/tree`)).exitCode).toBe(0);
    for (const attempt of [
      'git -C libs/other config core.fsmonitor evil',
      'echo evil > .git/modules/libs/other/hooks/pre-commit',
      'mv .git/modules/libs .git/modules/old',
      'mv .git/modules .git/old',
      'echo /elsewhere > .git/worktrees/tree/commondir',
      'mv .git/worktrees/tree .git/worktrees/old',
    ]) {
      expect((await bench.run(attempt, closed)).exitCode, attempt).not.toBe(0);
    }
    expect(existsSync(join(bench.workspace, '.git/modules/libs/hooks'))).toBe(false);
  });

  it('is worked with as ever, also from a folder in it', async () => {
    const bench = benchAt();
    await makeRepository(bench);
    const work = [
      'mkdir sub && cd sub && echo one > file && git add . && git commit -qm One',
      'git mv file ../moved && git commit -qm Move && echo two > ../moved && git stash -q && git stash pop -q',
      'git checkout -qb other && git commit -qam Two && git tag v1 && git gc -q && git log --oneline | wc -l',
    ];
    expect(await bench.run(work.join(' && '), closed)).toMatchObject({ exitCode: 0, output: '4\n' });
  });

  it('is not entered when a folder becomes a link while the sandbox is set up', async () => {
    const victim = makeFolder();
    mkdirSync(join(victim, 'inner'));
    let swaps = true;
    const bench = makeBench({
      sandbox: (own) => {
        const real = sandboxFor([own], victim);
        return {
          ...real,
          wrap: async (request) => {
            const argv = await real.wrap(request);
            if (!swaps) return argv;
            renameSync(join(request.workspace, '.git/modules'), join(request.workspace, '.git/away'));
            // Relative: it leads there in the sandbox as well.
            symlinkSync(relative(join(request.workspace, '.git'), victim), join(request.workspace, '.git/modules'));
            return argv;
          },
        };
      },
    });
    await makeRepository(bench);
    mkdirSync(join(bench.workspace, '.git/modules/inner'), { recursive: true });
    const attempt = `touch begun ${victim}/owned`;
    const result = await bench.run(attempt, closed);
    expect(result).toMatchObject({ ended: 'not_started', exitCode: null });
    expect(result.output).toContain('try again');
    for (const path of [join(bench.workspace, 'begun'), join(victim, 'owned')]) expect(existsSync(path), path).toBe(false);
    swaps = false;
    expect(await bench.run('touch begun', closed)).toMatchObject({ ended: 'exited', exitCode: 0 });
  });

  it('whose .git is a link does not make the place that it leads to writable', async () => {
    const bench = benchAt();
    const victim = makeFolder();
    symlinkSync(victim, join(bench.workspace, '.git'));
    await bench.run(`echo x > ${victim}/owned; echo x > .git/owned`, closed);
    expect(existsSync(join(victim, 'owned'))).toBe(false);
  });
});

describe('a workspace', () => {
  it('that holds the home keeps keys, and the daemon in it, out of sight', async () => {
    const bench = benchAt();
    const person = bench.workspace;
    mkdirSync(join(person, '.config/gh'), { recursive: true });
    writeFileSync(join(person, '.config/gh/hosts.yml'), 'a token');
    writeFileSync(join(person, '.fancy_history'), 'a password');
    mkdirSync(join(person, '.cairn'));
    writeFileSync(join(person, '.cairn/token'), 'of the daemon');
    const inHome = makeBench({ sandbox: () => sandboxFor([join(person, '.cairn')], person) });
    const look = 'cat .config/gh/hosts.yml .cairn/token .fancy_history; mv .config c; cat c/gh/hosts.yml; echo x > made';
    const result = await inHome.run(look, { ...closed, cwd: person });
    expect(result.output).not.toMatch(/a token|of the daemon|a password/);
    expect(existsSync(join(person, 'made'))).toBe(true);
  });

  it('may have a name with spaces and characters that shells know', async () => {
    const bench = benchAt();
    const workspace = join(bench.workspace, `a b\\c "d" $(e)'`);
    mkdirSync(workspace);
    const inside = {
      ...bench,
      workspace,
      run: ((command, more) => bench.run(command, { cwd: workspace, ...more })) as Bench['run'],
    };
    await makeRepository(inside);
    const result = await inside.run('echo x > f && git add f && git commit -qm F && mv .git old', closed);
    expect(result.output).toMatch(/busy/);
    expect(result.exitCode).not.toBe(0);
  });

  it('lies in a hidden folder, and the daemon lies in the workspace: both hold', async () => {
    const person = makeFolder();
    const workspace = join(person, '.docker/work');
    mkdirSync(join(workspace, '.cairn'), { recursive: true });
    writeFileSync(join(workspace, '.cairn/token'), 'of the daemon');
    const bench = makeBench({ sandbox: () => sandboxFor([join(workspace, '.cairn')], person) });
    const result = await bench.run('echo x > here && cat here .cairn/token', { ...closed, cwd: workspace });
    expect(result.output).toMatch(/^x\n/);
    expect(result.output).not.toContain('of the daemon');
  });
});

describe('a socket of the machine', () => {
  it('below /tmp or in the daemon’s folder is not reached, with the network open too', async () => {
    const folder = makeFolder();
    const path = join(folder, 'agent.sock');
    const server = createServer((socket) => socket.end('reached'));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const command = `curl -s --max-time 5 --http0.9 --unix-socket ${path} http://x/`;
    const bench = makeBench({ sandbox: () => sandboxFor([folder], makeFolder()) });
    expect((await bench.run(command)).output).toContain('reached');
    for (const network of ['none', 'open'] as const) {
      expect((await bench.run(command, { confinement: { network } })).output).not.toContain('reached');
    }
  });
});

describe('a confined command is asked to end', () => {
  it('at its time limit, and cleans up first', async () => {
    const command = `trap 'sleep 0.2; echo cleaned up; exit 0' TERM; echo begun; sleep 300 & wait`;
    const result = await benchAt().run(command, { ...closed, timeoutMs: 600 });
    expect(result).toMatchObject({ ended: 'timed_out', exitCode: null, output: 'begun\ncleaned up\n' });
  });

  it('by itself: a signal to its own group does not hit the sandbox', async () => {
    const bench = benchAt();
    const polite = await bench.run(`trap 'echo cleaned; exit 3' TERM; sleep 300 & kill 0; wait`, closed);
    expect(polite).toMatchObject({ ended: 'exited', exitCode: 3, output: 'cleaned\n' });
    expect(await bench.run('kill -9 0', closed)).toMatchObject({ ended: 'signalled', exitCode: null });
  });

  it('with all that it started, however far that went away', async () => {
    const bench = benchAt();
    const away = `env -i setsid sh -c 'echo > begun; while true; do sleep 0.05; done' '${bench.workspace}' >/dev/null 2>&1 &`;
    const result = await bench.run(`${away} while [ ! -e begun ]; do sleep 0.02; done`, closed);
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0 });
    await waitFor('all of it to be gone', async () => {
      const processes = await listProcesses();
      return !processes.some(({ commandLine }) => commandLine.includes(bench.workspace));
    });
  });
});

describe('the home', () => {
  it('is read but for its keys, also where a key is a link to something in it', async () => {
    const person = makeFolder();
    mkdirSync(join(person, 'dotfiles/aws'), { recursive: true });
    mkdirSync(join(person, '.ssh'));
    writeFileSync(join(person, '.ssh/id'), 'ssh key');
    writeFileSync(join(person, 'dotfiles/aws/credentials'), 'aws key');
    writeFileSync(join(person, 'dotfiles/vimrc'), 'set nocompatible');
    symlinkSync('dotfiles/aws', join(person, '.aws'));
    const paths = ['.ssh/id', '.aws/credentials', 'dotfiles/aws/credentials', 'dotfiles/vimrc'];
    const bench = benchAt(person);
    const { output } = await bench.run(`cd ${person}; for f in ${paths.join(' ')}; do cat $f; done; echo x > made`, closed);
    expect(output).toContain('set nocompatible');
    expect(output).not.toMatch(/ssh key|aws key/);
    expect(existsSync(join(person, 'made'))).toBe(false);
  });

  it('may have its caches behind a link, or have none', async () => {
    const person = makeFolder();
    const elsewhere = makeFolder();
    symlinkSync(elsewhere, join(person, '.cache'));
    const bench = benchAt(person);
    const said = await bench.run(`echo x > ${person}/.cache/made; echo "$npm_config_cache $XDG_STATE_HOME"`, closed);
    expect(said).toMatchObject({ exitCode: 0, output: '/tmp/.npm /tmp/.local/state\n' });
    expect(existsSync(join(elsewhere, 'made'))).toBe(false);
  });
});

describe('a bubblewrap that does not work', () => {
  it.each([
    ['bwrap: setting up uid map: Permission denied', /namespaces are not allowed.*restart the daemon/],
    ['bwrap: Creating new namespace failed: Operation not permitted', /namespaces are not allowed/],
    ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", /container may not mount/],
    ['bwrap: Unknown option --info-fd', /Unknown option/],
  ])('says what to do: %s', async (words, advice) => {
    const folder = makeFolder();
    const program = join(folder, 'bwrap');
    writeFileSync(program, `#!/bin/sh\necho "${words}" >&2\nexit 1\n`);
    chmodSync(program, 0o755);
    const path = [folder, process.env.PATH].join(delimiter);
    const sandbox = await detectSandbox({ platform: 'linux', path, own: [], enabled: true, isRoot });
    expect(sandbox.kind).toBe('none');
    expect(describeSandbox(sandbox)).toMatch(advice);
    expect(describeSandbox(sandbox)).toContain('each one asks first');
  });
});

describe.runIf(isRoot)('for an ordinary user', () => {
  let bench: Bench;
  beforeAll(() => {
    const person = makeFolder();
    mkdirSync(join(person, '.ssh'));
    writeFileSync(join(person, '.ssh/id'), 'a key');
    chmodSync(person, 0o755);
    bench = makeBench({
      sandbox: (own) => {
        const theirs = bubblewrap({ program: realpathSync('/usr/bin/bwrap'), own: [own], isRoot: false, home: person });
        const become = ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
        return { ...theirs, wrap: async (request) => [...become, ...(await theirs.wrap(request))] };
      },
    });
    chownSync(bench.workspace, 65534, 65534);
    chmodSync(bench.workspace, 0o755);
  });

  it('a command works in its workspace and nowhere else, alone with its processes', async () => {
    const look =
      'id -u; echo x > made && cat made; echo y > /etc/made; ls -d /proc/[0-9]* | wc -l; curl -s --max-time 2 127.0.0.1';
    const { output } = await bench.run(look, closed);
    expect(output).toMatch(/^65534\nx\n/);
    expect(output).toMatch(/\n\d\n$/);
    expect(existsSync('/etc/made')).toBe(false);
  });

  it('a command has no right over what confines it', async () => {
    const attempt = `unshare -Urm sh -c 'umount -l ${bench.home} && ls -A ${bench.home} | grep . && echo seen'`;
    expect((await bench.run(attempt, closed)).output).not.toContain('seen');
    expect((await bench.run('grep CapEff /proc/self/status', closed)).output).toMatch(/\s0+\n$/);
  });

  it('a command commits, ends at its limit with its word, and tells its exit code', async () => {
    const identity = 'git config user.email a@b.c && git config user.name Ada';
    const asUser = (command: string): string => `setpriv --reuid=65534 --regid=65534 --clear-groups sh -c '${command}'`;
    expect((await bench.run(asUser(`git init -q . && ${identity}`))).exitCode).toBe(0);
    expect(await bench.run('git commit -q --allow-empty -m A; git config core.x y 2>/dev/null || exit 9', closed)).toMatchObject({
      exitCode: 9,
      output: '',
    });
    const slow = await bench.run(`trap 'echo ended; exit' TERM; sleep 300 & wait`, { ...closed, timeoutMs: 500 });
    expect(slow).toMatchObject({ ended: 'timed_out', output: 'ended\n' });
  });
});

describe('the profile for macOS', () => {
  const profile = profileFor({
    workspace: '/Users/ada',
    writable: [],
    readOnly: [{ path: '/Users/ada/.git/config', isFolder: false }],
    hidden: [{ path: '/Users/ada/.config/gh', isFolder: true }],
    network: false,
  }).split('\n');

  it('keeps what lies above a guarded path where it is', () => {
    expect(profile).toContain('(deny file-write-unlink (literal "/Users/ada/.git"))');
    expect(profile).toContain('(deny file-write-unlink (literal "/Users/ada/.config"))');
    expect(profile).not.toContain('(deny file-write-unlink (literal "/Users"))');
  });

  it.each(['(deny lsopen)', '(deny appleevent-send)', '(deny job-creation)', '(deny signal)'])(
    'lets nobody else act for a command: %s',
    (rule) => {
      expect(profile).toContain(rule);
    },
  );
});

describe('the settings of the machine', () => {
  it.each([false, true].filter((own) => own || isRoot))(
    'cannot be written, in a namespace of users of its own: %s',
    async (userNamespace) => {
      const bench = makeBench({ sandbox: (own) => bubblewrap({ program: 'bwrap', own: [own], isRoot, userNamespace }) });
      const look =
        'for each in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger; do [ ! -w "$each" ] || echo "$each"; done';
      expect((await bench.run(look, closed)).output).toBe('');
    },
  );
});

describe('a workspace that holds secrets', () => {
  it('keeps them hidden although the folders around them could be moved', async () => {
    const home = makeFolder();
    mkdirSync(join(home, '.config/gh'), { recursive: true });
    writeFileSync(join(home, '.config/gh/hosts.yml'), 'key of ada');
    const bench = benchAt(home);
    const at = { ...closed, cwd: home };
    expect((await bench.run('mv .config .c2', at)).exitCode).not.toBe(0);
    expect((await bench.run('cat .c2/gh/hosts.yml .config/gh/hosts.yml', at)).output).not.toContain('key of ada');
    expect((await bench.run('mkdir .config/mine && echo x > .config/mine/a && cat .config/mine/a', at)).output).toBe('x\n');
  });
});

describe('a repository whose folder is elsewhere in the workspace', () => {
  it('behind a .git file is guarded as any other', async () => {
    const bench = benchAt();
    expect(
      (await bench.run('git init -q --separate-git-dir=.bare . && git config user.email a@b.c && git config user.name Ada'))
        .exitCode,
    ).toBe(0);
    expect((await bench.run('echo evil > .bare/hooks/pre-commit', closed)).exitCode).not.toBe(0);
    expect((await bench.run('git config core.fsmonitor evil', closed)).exitCode).not.toBe(0);
    expect((await bench.run('echo x > a && git add a && git commit -qm A', closed)).exitCode).toBe(0);
  });

  it('behind a link is guarded, and commands go on working', async () => {
    const bench = benchAt();
    await makeRepository(bench);
    expect((await bench.run('mv .git real && ln -s real .git')).exitCode).toBe(0);
    expect((await bench.run('echo x > a && git add a && git commit -qm A', closed)).exitCode).toBe(0);
    expect((await bench.run('echo evil > .git/hooks/pre-commit', closed)).exitCode).not.toBe(0);
  });
});
