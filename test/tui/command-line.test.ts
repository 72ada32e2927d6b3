import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { filesOf } from '../../daemon/home.js';
import { takeLock } from '../../daemon/lock.js';
import { methods } from '../../shared/contract.js';
import { unwrap } from '../../shared/errors.js';
import { daemonStatusSchema, sessionSchema } from '../../shared/session.js';
import type { Ended } from '../support/program.js';
import { startScriptedProvider } from '../support/scripted-provider.js';
import { waitFor } from '../support/wait.js';
import { cairn, dataOf, newPlace, type Place } from './tui-support.js';

const shownShape = z.object({ plan: methods['plan.get'].result });

/** The plan as `number title status`, one item a line. */
async function planOf(place: Place): Promise<string[]> {
  const { plan } = dataOf(await cairn(place, ['show', '--json']), 'show', shownShape);
  return plan.items.map(({ number, title, status }) => `${number} ${title} ${status}`);
}

const done = (ended: Ended): string => {
  if (ended.code !== 0) throw new Error(`exit code ${ended.code ?? 'none'}: ${ended.stderr}`);
  return ended.stdout;
};

describe('a plan by hand', () => {
  it('is made and edited by numbers and ids, with a daemon that starts by itself', async () => {
    const place = await newPlace();
    done(await cairn(place, ['new', 'Ship the export']));
    done(await cairn(place, ['add', 'Write it', '--detail', 'as CSV']));
    done(await cairn(place, ['add', 'Quote fields', '--under', '1', '--verify', 'npm test', '--verify', 'npm run lint']));
    done(await cairn(place, ['add', 'Stream rows', '--under', 't1']));
    done(await cairn(place, ['add', 'Look at the old one', '--index', '0', '--command', 'cat old.csv']));
    done(await cairn(place, ['edit', '2.2', '--title', 'Stream the rows', '--priority', 'high']));
    done(await cairn(place, ['move', '2.2', '--index', '0']));
    expect(await planOf(place)).toEqual([
      '1 Look at the old one pending',
      '2 Write it pending',
      '2.1 Stream the rows pending',
      '2.2 Quote fields pending',
    ]);
    done(await cairn(place, ['done', '2.1', '--note', 'by hand']));
    done(await cairn(place, ['skip', '2.2']));
    done(await cairn(place, ['reopen', '2.1']));
    done(await cairn(place, ['move', '2.2', '--top', '--index', '0']));
    done(await cairn(place, ['rm', '2']));
    expect(await planOf(place)).toEqual(['1 Quote fields skipped', '2 Write it pending', '2.1 Stream the rows pending']);
  });

  it('loses nothing without a yes', async () => {
    const place = await newPlace();
    done(await cairn(place, ['new', '--from', '-'], { input: '- [ ] Tests\n  - [ ] Write one\n- [ ] Docs\n' }));
    for (const args of [['rm', '1'], ['clear'], ['import', '-']]) {
      expect(await cairn(place, args, { input: '- [ ] Other' }), args[0]).toMatchObject({
        code: 64,
        stderr: expect.stringContaining('--yes'),
      });
    }
    expect(await planOf(place)).toHaveLength(3);
    const removed = done(await cairn(place, ['rm', '1', '--yes']));
    expect(await planOf(place)).toEqual(['1 Docs pending']);
    // The command that takes it back, as it was printed.
    const [, method = '', params = ''] = /cairn rpc (\S+) '(.*)'/.exec(removed) ?? [];
    done(await cairn(place, ['rpc', method, params]));
    expect(await planOf(place)).toHaveLength(3);
    done(await cairn(place, ['clear', '--yes']));
    expect(await planOf(place)).toEqual([]);
  });

  it('goes out as a text and comes back', async () => {
    const place = await newPlace();
    done(await cairn(place, ['new', '--from', '-'], { input: '- [ ] Tests\n  - [ ] Write one\n' }));
    const text = done(await cairn(place, ['export']));
    done(await cairn(place, ['import', '-', '--yes'], { input: text.replace('Write one', 'Write two') }));
    expect(await planOf(place)).toEqual(['1 Tests pending', '1.1 Write two pending']);
    done(await cairn(place, ['export', '--format', 'json', '--out', 'plan.json']));
    done(await cairn(place, ['import', 'plan.json', '--yes']));
    expect(await planOf(place)).toEqual(['1 Tests pending', '1.1 Write two pending']);
  });
});

describe('which session is meant', () => {
  it('is the newest of this folder, whichever way the folder is reached', async () => {
    const place = await newPlace();
    const link = join(dirname(place.workspace), 'link');
    await symlink(place.workspace, link);
    done(await cairn(place, ['new', 'Older']));
    done(await cairn(place, ['new', 'Newer']));
    done(await cairn(place, ['new', 'Elsewhere', '--workspace', dirname(place.workspace)]));
    expect(done(await cairn({ ...place, workspace: link }, ['show']))).toContain('Goal: Newer');
  });

  it('may be named by the beginning of its id, when only one begins so', async () => {
    const place = await newPlace();
    const [first = '', second = ''] = await Promise.all(
      ['One', 'Two'].map(async (goal) => dataOf(await cairn(place, ['new', goal, '--json']), 'session', sessionSchema).id),
    );
    expect(done(await cairn(place, ['show', first.slice(0, -1)]))).toContain('Goal: One');
    expect(done(await cairn(place, ['show', second.replace('s_', '')]))).toContain('Goal: Two');
    expect(await cairn(place, ['show', 's_'])).toMatchObject({
      code: 64,
      stderr: expect.stringMatching(/begins 2 sessions: .*Type more/),
    });
    expect(await cairn(place, ['show', 'zzz'])).toMatchObject({ code: 64, stderr: expect.stringContaining('cairn list') });
  });

  it('is asked for where there is none', async () => {
    expect(await cairn(await newPlace(), ['show'])).toMatchObject({ code: 64, stderr: expect.stringContaining('cairn new') });
  });
});

describe('for programs', () => {
  it('every reading command answers in an envelope of its name', async () => {
    const place = await newPlace();
    done(await cairn(place, ['new', 'Ship', '--from', '-'], { input: '- [ ] One\n' }));
    const shapes = {
      list: methods['session.list'].result,
      show: shownShape.extend({ session: sessionSchema, run: methods['run.get'].result }),
      log: z.object({ events: methods['event.list'].result.shape.events }),
      explain: methods['run.explain'].result,
      inbox: methods['inbox.list'].result,
      export: z.object({ text: z.string(), format: z.literal('markdown') }),
    };
    for (const [name, shape] of Object.entries(shapes)) dataOf(await cairn(place, [name, '--json']), name, shape);
    const daemon = daemonStatusSchema.extend({ running: z.literal(true) });
    expect(dataOf(await cairn(place, ['daemon', 'status', '--json']), 'daemon', daemon).home).toBe(place.home);
    const doctor = await cairn(place, ['doctor', '--json']);
    expect(JSON.parse(doctor.stdout)).toMatchObject({ schema: 'cairn.doctor/v1' });
  });

  it('a failure is JSON as well when JSON was asked for', async () => {
    const place = await newPlace();
    done(await cairn(place, ['new', 'Ship']));
    const refused = await cairn(place, ['cancel', '--json']);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.stderr)).toMatchObject({ error: { code: -32010, data: { kind: 'invalid_state' } } });
  });

  it('rpc gives the result, or the error with exit code 1', async () => {
    const place = await newPlace();
    const made = JSON.parse(done(await cairn(place, ['rpc', 'session.create', '-'], { input: '{"goal":"By a script"}' }))) as {
      id: string;
    };
    expect(JSON.parse(done(await cairn(place, ['rpc', 'session.get', JSON.stringify({ sessionId: made.id })])))).toMatchObject({
      goal: 'By a script',
    });
    const errors = [
      ['session.get', '{"sessionId":"s_none"}', -32004],
      ['session.get', '{}', -32602],
      ['session.got', '{}', -32601],
    ] as const;
    for (const [method, params, code] of errors) {
      const failed = await cairn(place, ['rpc', method, params]);
      expect(failed.code, method).toBe(1);
      expect(JSON.parse(failed.stderr), method).toMatchObject({ code, data: { kind: expect.any(String) } });
    }
    expect(await cairn(place, ['rpc', 'session.get', '{'])).toMatchObject({ code: 64 });
  });
});

describe('wrong usage ends with 64 and says what would be right', () => {
  it.each([
    [['frobnicate'], /no command frobnicate/],
    [['add'], /missing required argument 'title'/],
    [['add', 'x', '--index', 'first'], /whole number/],
    [['list', '--limit', '-1'], /whole number/],
    [['new', '--policy', 'anything'], /readonly, workspace, ask, full/],
    [['new', '--from', '/nowhere/plan.md'], /no file \/nowhere\/plan\.md/],
    [['daemon', 'frobnicate'], /unknown command/],
    [['daemon', 'stop', '--drain', 'soon'], /number of seconds/],
    [['completion', 'tcsh'], /bash, zsh or fish/],
  ])('%s', async (args, message) => {
    const place = await newPlace();
    expect(await cairn(place, args)).toMatchObject({ code: 64, stdout: '', stderr: expect.stringMatching(message) });
    // None of them needs a daemon, so none of them starts one.
    await expect(access(place.home)).rejects.toThrow(/ENOENT/);
  });
});

describe('the daemon', () => {
  it('is started, told about and stopped', async () => {
    const place = await newPlace();
    expect(await cairn(place, ['daemon', 'status'])).toMatchObject({
      code: 69,
      stdout: expect.stringContaining('cairn daemon start'),
    });
    const [, pid] = /pid (\d+)/.exec(done(await cairn(place, ['daemon', 'start']))) ?? [];
    expect(done(await cairn(place, ['daemon', 'start']))).toContain(`pid ${pid}`);
    expect(done(await cairn(place, ['daemon', 'status']))).toContain(`pid ${pid}`);
    expect(done(await cairn(place, ['daemon', 'stop']))).toBe('stopped\n');
    expect(done(await cairn(place, ['daemon', 'stop']))).toBe('It is not running.\n');
    // The home is free for another one.
    expect(done(await cairn(place, ['daemon', 'start']))).not.toContain(`pid ${pid}`);
  });

  it('takes the place of one that is just ending', async () => {
    const place = await newPlace();
    const { lock } = filesOf(place.home);
    await mkdir(place.home, { mode: 0o700 });
    const ending = unwrap(takeLock(lock, 4711));
    const starting = cairn(place, ['daemon', 'start']);
    await waitFor('the first one to be refused', () => readFile(join(place.home, 'logs/daemon.out'), 'utf8').catch(() => ''));
    ending.release();
    expect(done(await starting)).toMatch(/running, pid/);
  });

  it('is started once by many commands at the same moment', async () => {
    const place = await newPlace();
    const all = await Promise.all(Array.from({ length: 4 }, () => cairn(place, ['list', '--json'])));
    expect(all.map(({ code, stderr }) => `${code ?? ''}${stderr}`)).toEqual(['0', '0', '0', '0']);
  });

  it('is found in a home with spaces and colons in its path', async () => {
    expect(done(await cairn(await newPlace('my home: 1 %20'), ['list']))).toContain('No sessions yet');
  });

  it('that cannot start is quoted, with exit code 69', async () => {
    const place = await newPlace();
    await mkdir(place.home, { mode: 0o700 });
    await writeFile(join(place.home, 'config.json'), '{"port": "seven"}');
    const failed = await cairn(place, ['list']);
    expect(failed).toMatchObject({ code: 69, stderr: expect.stringMatching(/^cairn: .*config\.json: port: /) });
    expect(failed.stderr).not.toMatch(/\n\s+at /);
  });

  it('of another protocol is told from our own', async () => {
    const place = await newPlace();
    await mkdir(place.home, { mode: 0o700 });
    const server = createServer();
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) =>
      socket.on('message', () => socket.send('{"jsonrpc":"2.0","id":1,"result":{"protocol":99}}')),
    );
    server.listen(join(place.home, 'daemon.sock'));
    await once(server, 'listening');
    onTestFinished(() => {
      sockets.close();
      server.close();
    });
    await writeFile(join(place.home, 'daemon.json'), JSON.stringify({ pid: 2 ** 30, port: 1, protocol: 99, version: '9.0.0' }));
    expect(await cairn(place, ['list'])).toMatchObject({
      code: 69,
      stderr: expect.stringMatching(/version 9\.0\.0.*protocol 99/),
    });
  });

  it('runs in the foreground until it is told to stop, and writes its events', async () => {
    const place = await newPlace();
    const events = join(place.workspace, 'events.jsonl');
    const running = cairn(place, ['daemon', 'run', '--port', '0', '--events-jsonl', events]);
    await waitFor('the daemon to answer', async () => (await cairn(place, ['daemon', 'status'])).code === 0);
    done(await cairn(place, ['new', 'Ship']));
    done(await cairn(place, ['daemon', 'stop']));
    expect(await running).toMatchObject({ code: 0, stdout: expect.stringContaining('cairn daemon ready') });
    expect((await readFile(events, 'utf8')).split('\n')[0]).toContain('"session.created"');
  });
});

describe('help for people', () => {
  it('completion knows every command', async () => {
    const script = done(await cairn(await newPlace(), ['completion', 'bash']));
    const shell = spawn('bash', ['-c', `${script}\nCOMP_WORDS=(cairn ex); COMP_CWORD=1; _cairn; echo "\${COMPREPLY[@]}"`]);
    const [answer] = (await once(shell.stdout, 'data')) as [Buffer];
    expect(answer.toString().trim().split(' ').sort()).toEqual(['explain', 'export']);
  });

  it('doctor says what is set up, what is not, and what to do', async () => {
    const place = await newPlace();
    const { code, stdout } = await cairn(place, ['doctor']);
    expect(code).toBe(2);
    expect(stdout).toMatch(/✔ Node 2\d/);
    expect(stdout).toMatch(/✗ no model is configured\n {4}.*CAIRN_MODEL/);
    expect(stdout).toMatch(/sandbox/);
  });

  it('doctor asks the model that is configured, and says when it does not answer', async () => {
    const provider = await startScriptedProvider(() => []);
    const env = { CAIRN_MODEL: 'scripted', OPENAI_BASE_URL: provider.baseUrl };
    const place = await newPlace();
    const well = await cairn(place, ['doctor'], { env });
    expect(well).toMatchObject({ code: 0, stdout: expect.stringContaining(`✔ model scripted at ${provider.baseUrl}`) });
    await provider.close();
    const gone = await cairn(place, ['doctor'], { env });
    expect(gone).toMatchObject({ code: 2, stdout: expect.stringMatching(/✗ model scripted .* does not answer: .*ECONNREFUSED/) });
  });

  it('doctor says why the daemon does not start', async () => {
    const place = await newPlace();
    await mkdir(place.home, { mode: 0o700 });
    await writeFile(join(place.home, 'config.json'), '{"port": "seven"}');
    expect(await cairn(place, ['doctor'])).toMatchObject({
      code: 2,
      stdout: expect.stringMatching(/✗ the daemon does not start: .*port/),
    });
  });

  it('cairn alone says how to begin', async () => {
    const { code, stdout } = await cairn(await newPlace(), []);
    expect(code).toBe(0);
    for (const command of ['cairn demo', 'cairn new "Goal"', 'cairn run --watch']) expect(stdout).toContain(command);
    // On the narrowest terminal no line breaks.
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(40);
  });
});
