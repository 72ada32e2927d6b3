import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive, makeBench, readPid, registrations, waitFor } from './command-support.js';

const hasSetsid = existsSync('/usr/bin/setsid');

describe('a command', () => {
  test('gives its exit code and what it printed on both streams, in order', async () => {
    const bench = makeBench();
    const seen: string[] = [];
    const result = await bench.run('echo one; echo two >&2; echo three; exit 7', { onOutput: (text) => seen.push(text) });
    expect(result).toMatchObject({ exitCode: 7, ended: 'exited', output: 'one\ntwo\nthree\n' });
    expect(seen.join('')).toBe('one\ntwo\nthree\n');
    expect(result.outputHash).toBe(createHash('sha256').update('one\ntwo\nthree\n').digest('hex'));
    expect(registrations(bench.home)).toEqual([]);
  });

  test('runs in the folder asked for, with nothing on its standard input', async () => {
    const bench = makeBench();
    expect((await bench.run('pwd; cat')).output).toBe(`${bench.workspace}\n`);
  });

  test('may begin with a dash and hold quotes and newlines', async () => {
    const bench = makeBench();
    expect((await bench.run(`-x 2>/dev/null\necho "it's $((1 + 1))"`)).output).toBe("it's 2\n");
  });

  test('can open /dev/stdout and /dev/stderr like on a terminal', async () => {
    expect((await makeBench().run('echo out > /dev/stdout; echo err > /dev/stderr')).output).toBe('out\nerr\n');
  });

  test('does not have its interrupts ignored', async () => {
    const result = await makeBench().run(
      `sh -c 'trap "echo interrupted" INT; kill -INT $$'; grep SigIgn /proc/self/status || true`,
    );
    expect(result.output).toContain('interrupted');
    expect(result.output).not.toMatch(/SigIgn:\s*[0-9a-f]*[2367abef]\n/);
  });

  test('does not see the ends of the pipes between daemon and guard', async () => {
    const result = await makeBench().run('for fd in 3 4; do { true >&$fd; } 2>/dev/null && echo "$fd open"; done; echo checked');
    expect(result.output).toBe('checked\n');
  });

  test('has its characters kept whole when they come in pieces', async () => {
    const seen: string[] = [];
    const command = `printf '\\303'; sleep 0.1; printf '\\244\\360\\237'; sleep 0.1; printf '\\230\\200'`;
    const result = await makeBench().run(command, { onOutput: (text) => seen.push(text) });
    expect(result.output).toBe('ä😀');
    expect(seen.join('')).toBe('ä😀');
  });

  test('that is killed by a signal has no exit code; one that crashes has', async () => {
    const bench = makeBench();
    expect(await bench.run('kill -KILL $$')).toMatchObject({ exitCode: null, ended: 'signalled' });
    expect(await bench.run('kill -TERM $$')).toMatchObject({ exitCode: null, ended: 'signalled' });
    expect(await bench.run('kill -SEGV $$')).toMatchObject({ exitCode: 139, ended: 'exited' });
  });

  test('that cannot be run says why', async () => {
    const bench = makeBench();
    const missing = await bench.run('true', { cwd: join(bench.workspace, 'none') });
    expect(missing).toMatchObject({ ended: 'not_started', exitCode: null });
    expect(missing.output).toContain('not there');
    expect((await bench.run('a\0b')).output).toContain('NUL');
    expect((await bench.run(`echo ${'x'.repeat(120_000)}`)).output).toContain('too long');
    expect((await bench.run('no-such-program-here')).exitCode).toBe(127);
  });

  test('whose guard cannot register is not begun', async () => {
    const bench = makeBench();
    await bench.run('true');
    const guards = join(bench.home, 'run', 'guards');
    const { rmSync, writeFileSync, mkdirSync } = await import('node:fs');
    rmSync(guards, { recursive: true });
    writeFileSync(guards, 'in the way');
    const result = await bench.run(`touch ${bench.workspace}/begun`);
    expect(result.ended).toBe('not_started');
    expect(existsSync(join(bench.workspace, 'begun'))).toBe(false);
    rmSync(guards);
    mkdirSync(guards);
  });
});

describe('what a command leaves behind', () => {
  test('a background process dies with it, and does not hold it up', async () => {
    const bench = makeBench();
    const result = await bench.run('sleep 300 & echo $! > pid; echo done');
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, output: 'done\n' });
    const pid = readPid(join(bench.workspace, 'pid'));
    expect(pid).not.toBeNull();
    await waitFor('the background process to be gone', () => !isAlive(pid as number));
  });

  test.runIf(hasSetsid)('a daemonised process dies with it', async () => {
    const bench = makeBench();
    const result = await bench.run(
      `setsid sh -c 'echo $$ > pid; exec sleep 300' & while [ ! -s pid ]; do sleep 0.02; done; echo done`,
    );
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, output: 'done\n' });
    await waitFor('the daemonised process to be gone', () => !isAlive(readPid(join(bench.workspace, 'pid')) as number));
  });

  test('a process that threw away its environment dies with the group', async () => {
    const bench = makeBench();
    const result = await bench.run(
      `env -i sh -c 'echo $$ > pid; exec sleep 300' & while [ ! -s pid ]; do sleep 0.02; done; echo done`,
    );
    expect(result).toMatchObject({ ended: 'exited', exitCode: 0, output: 'done\n' });
    await waitFor('the process to be gone', () => !isAlive(readPid(join(bench.workspace, 'pid')) as number));
  });

  test('"kill 0" does not take the guard along', async () => {
    const result = await makeBench().run(`trap 'echo cleaned; exit 3' TERM; sleep 300 & kill 0; wait`);
    expect(result).toMatchObject({ ended: 'exited', exitCode: 3, output: 'cleaned\n' });
  });

  test.runIf(hasSetsid)('is gone too when the command kills its own guard', async () => {
    const bench = makeBench();
    const command = `setsid sh -c 'echo $$ > pid; exec sleep 300' & while [ ! -s pid ]; do sleep 0.02; done; kill -9 0`;
    expect(await bench.run(command)).toMatchObject({ ended: 'signalled', exitCode: null });
    await waitFor('everything to be gone', () => !isAlive(readPid(join(bench.workspace, 'pid')) as number));
    expect(registrations(bench.home)).toEqual([]);
  });
});

describe('a command is stopped', () => {
  test('at its time limit, with a chance to clean up', async () => {
    const bench = makeBench();
    const result = await bench.run(`trap 'echo cleaned up; exit 0' TERM; echo begun; sleep 300 & wait`, { timeoutMs: 300 });
    expect(result).toMatchObject({ ended: 'timed_out', exitCode: null, output: 'begun\ncleaned up\n' });
  });

  test('also when it ignores the request to end', async () => {
    const bench = makeBench();
    const result = await bench.run(`trap '' TERM; echo $$ > pid; while true; do sleep 0.1; done`, { timeoutMs: 300 });
    expect(result.ended).toBe('timed_out');
    expect(isAlive(readPid(join(bench.workspace, 'pid')) as number)).toBe(false);
  });

  test.runIf(hasSetsid)('with its daemonised children, which ignore the request too', async () => {
    const bench = makeBench();
    const child = `trap "" TERM; echo $$ > pid; while true; do sleep 0.1; done`;
    const result = await bench.run(`setsid sh -c '${child}' & trap '' TERM; while true; do sleep 0.1; done`, { timeoutMs: 500 });
    expect(result.ended).toBe('timed_out');
    await waitFor('the child to be gone', () => !isAlive(readPid(join(bench.workspace, 'pid')) as number));
  });

  test('when its caller says so', async () => {
    const bench = makeBench();
    const stop = new AbortController();
    const running = bench.run('echo $$ > pid; sleep 300', { signal: stop.signal });
    const pid = await waitFor('the command to begin', () => readPid(join(bench.workspace, 'pid')));
    stop.abort();
    expect(await running).toMatchObject({ ended: 'aborted', exitCode: null });
    expect(isAlive(pid)).toBe(false);
    expect(registrations(bench.home)).toEqual([]);
  });

  test('before it begins when its caller has already said so', async () => {
    const bench = makeBench();
    expect((await bench.run('touch begun', { signal: AbortSignal.abort() })).ended).toBe('not_started');
    const stop = new AbortController();
    const running = bench.run('touch begun', { signal: stop.signal });
    stop.abort();
    expect((await running).ended).toBe('not_started');
    expect(existsSync(join(bench.workspace, 'begun'))).toBe(false);
  });
});

describe('a long output', () => {
  test('is kept whole in a file, and head and tail in the result', async () => {
    const bench = makeBench();
    const result = await bench.run('seq 1 100000');
    expect(result.output.length).toBeLessThanOrEqual(30_000);
    expect(result.output).toMatch(/^1\n2\n3\n/);
    expect(result.output).toMatch(/99999\n100000\n$/);
    const [file] = readdirSync(bench.outputFolder);
    const path = join(bench.outputFolder, file as string);
    expect(result.output).toContain(path);
    expect(result.output).toMatch(/559,\d{3} characters left out/);
    const whole = readFileSync(path, 'utf8');
    expect(whole).toBe(Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join(''));
    expect(result.outputHash).toBe(createHash('sha256').update(whole).digest('hex'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('of exactly the limit needs no file', async () => {
    const bench = makeBench();
    expect((await bench.run(`head -c 30000 /dev/zero | tr '\\0' x`)).output).toBe('x'.repeat(30_000));
    expect(existsSync(bench.outputFolder)).toBe(false);
  });

  test('without end grows neither the memory nor the file', async () => {
    const bench = makeBench();
    const before = process.memoryUsage().rss;
    let streamed = 0;
    const result = await bench.run('yes', { timeoutMs: 1_500, onOutput: (text) => (streamed += text.length) });
    expect(result.ended).toBe('timed_out');
    expect(result.output.length).toBeLessThanOrEqual(30_000);
    expect(streamed).toBeGreaterThan(1_000_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(250 * 1024 * 1024);
    const [file] = readdirSync(bench.outputFolder);
    expect(statSync(join(bench.outputFolder, file as string)).size).toBeLessThanOrEqual(50 * 1024 * 1024);
  });

  test('is redacted in what is kept, also across the border of two pieces', async () => {
    const secret = 'hunter2-hunter2';
    const replace = (text: string): string => text.replaceAll(secret, '[redacted]');
    const redactor = {
      redact: replace,
      stream: () => {
        let held = '';
        return {
          write(text: string) {
            const all = replace(held + text);
            held = all.slice(-secret.length);
            return all.slice(0, -secret.length);
          },
          end: () => held,
        };
      },
    };
    const bench = makeBench({ redactor });
    const result = await bench.run(`printf hunter2; sleep 0.1; echo -hunter2; seq 1 20000; echo hunter2-hunter2`);
    expect(result.output).not.toContain(secret);
    const [file] = readdirSync(bench.outputFolder);
    const kept = readFileSync(join(bench.outputFolder, file as string), 'utf8');
    expect(kept).not.toContain(secret);
    expect(kept).toMatch(/^\[redacted\]\n1\n/);
  });
});

describe('the environment of a command', () => {
  test('has no keys, no tokens and nothing of the daemon, and asks for no person', async () => {
    const bench = makeBench({
      environment: {
        OPENAI_API_KEY: 'sk-1',
        OPENAI_BASE_URL: 'http://example.test',
        GITHUB_TOKEN: 'ghp',
        CAIRN_HOME: '/somewhere',
        BASH_ENV: '/tmp/evil',
        KEPT_SETTING: 'yes',
        dir: 'mine',
      },
    });
    const { output } = await bench.run('env');
    expect(output).not.toMatch(/^(OPENAI_|GITHUB_TOKEN|CAIRN_HOME|BASH_ENV)/m);
    expect(output).toMatch(/^KEPT_SETTING=yes$/m);
    expect(output).toMatch(/^dir=mine$/m);
    expect(output).toMatch(/^TERM=dumb$/m);
    expect(output).toMatch(/^GIT_TERMINAL_PROMPT=0$/m);
    expect(output).toMatch(new RegExp(`^PATH=${process.env.PATH}$`, 'm'));
    expect(output).not.toMatch(/^cairn_/m);
  });
});
