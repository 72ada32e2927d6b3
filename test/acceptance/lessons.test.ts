/** How peers of this system failed their users, and that it cannot happen here. Letters and numbers as in the design. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, startDaemon, statusesOf, tempPlaces, waitForRun } from '../support/daemon.js';
import {
  call,
  cutAfter,
  endWithoutFinish,
  fail,
  hang,
  planPrompts,
  say,
  type ScriptedRequest,
  stallAfter,
  toolResults,
} from '../support/scripted-provider.js';
import { createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

describe('A: the runner', () => {
  it('A1: tells the model how to say that it is blocked', async () => {
    const story = await tellStory(() => say('BLOCKED: no'));
    await runToRest(story.daemon, (await story.session()).id, 'blocked');
    expect(planPrompts(story.provider.requests[0]?.body as ScriptedRequest)[0]).toContain('BLOCKED: reason');
  });

  it('A7: a failed and a cancelled run leave a row that says so', async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? fail(400, { error: { message: 'bad tool schema' } }) : hang(),
    );
    const session = await story.session();
    expect(await runToRest(story.daemon, session.id, 'failed')).toMatchObject({
      lastError: expect.stringContaining('bad tool schema'),
    });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the next try', () => story.provider.requests.length === 2);
    await story.daemon.call('run.cancel', { sessionId: session.id });
    const { runs } = await story.daemon.call('run.list', { sessionId: session.id });
    expect(runs.map(({ status }) => status)).toEqual(['cancelled', 'failed']);
    expect(runs.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
  });

  it('A8: recovery is over before the first client is answered, and a run that begins then is left alone', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? hang() : result()));
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the model to be asked', () => story.provider.requests.length === 1);
    await story.daemon.kill();
    await story.restart();
    const { events } = await story.daemon.call('event.list', { sessionId: session.id });
    expect(events.map(({ type }) => type)).toContain('run.interrupted');
    await waitForRun(story.daemon, session.id, 'completed');
    const { runs } = await story.daemon.call('run.list', { sessionId: session.id });
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'interrupted']);
  });

  it('A9: an edit goes by id: what was inserted meanwhile is not hit', async () => {
    const story = await tellStory(() => result());
    const at = { sessionId: (await story.session()).id };
    const { items } = await story.daemon.call('plan.get', at);
    await story.daemon.call('plan.addItem', { ...at, title: 'Zeroth', index: 0 });
    await story.daemon.call('plan.setStatus', { ...at, itemId: items[0]?.id ?? '', status: 'skipped' });
    expect(await statusesOf(story.daemon, at.sessionId)).toEqual({ Zeroth: 'pending', First: 'skipped', Second: 'pending' });
  });

  it('A11: a child that is added under a done parent reopens it, and the completed plan', async () => {
    const story = await tellStory(() => result());
    const session = await story.session({ items: [{ title: 'Section', children: [{ title: 'One' }] }] });
    await runToRest(story.daemon, session.id, 'completed');
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    await story.daemon.call('plan.addItem', { sessionId: session.id, parentId: items[0]?.id ?? '', title: 'Two' });
    expect(await statusesOf(story.daemon, session.id)).toEqual({ Section: 'pending', One: 'done', Two: 'pending' });
    expect((await story.daemon.call('run.get', { sessionId: session.id })).status).toBe('idle');
  });

  it('A12: nobody need be connected for a plan to go on', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 1) await gate.passed;
      return result();
    });
    const session = await story.session();
    const client = await story.daemon.watch();
    await client.call('session.watch', { sessionId: session.id });
    await client.call('run.start', { sessionId: session.id });
    client.close();
    gate.open();
    await waitFor('both leaves to be asked for', () => story.provider.requests.length === 2);
    await waitForRun(story.daemon, session.id, 'completed');
  });
});

describe('D: the provider', () => {
  it('D3: a stream that just ends is no result', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? endWithoutFinish('All is done') : result('really')));
    const session = await story.session({ items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'completed');
    const { reports } = await story.daemon.call('report.list', { sessionId: session.id });
    expect(reports.map(({ summary }) => summary)).toEqual(['really']);
  });

  it('D9: an overloaded or broken provider costs a repeat of the turn; finished edits stay and are not done again', async () => {
    const story = await tellStory((body, number) => {
      if (number === 1) return call('shell', { command: 'echo edited >> out.txt' });
      if (number === 2) return fail(529, { error: { message: 'overloaded' } });
      if (number === 3) return cutAfter('I was about to');
      return toolResults(body).length === 1 ? result() : say('BLOCKED: my edit is gone');
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    const run = await runToRest(story.daemon, session.id, 'completed');
    expect(run.attempt).toBe(1);
    expect(story.provider.requests.length).toBe(4);
    const { effects } = await story.daemon.call('run.effects', { runId: run.lastRunId as never });
    expect(effects.filter(({ name }) => name === 'shell')).toHaveLength(1);
  });

  it('D9: a stalled stream is given up although keep-alives come', async () => {
    const { home } = await tempPlaces();
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, 'config.json'), JSON.stringify({ provider: { silenceMs: 150 } }));
    const story = await tellStory((_body, number) => (number === 1 ? stallAfter('Well,') : result()));
    const daemon = await startDaemon(home, { env: story.env });
    const session = await daemon.call('session.create', { workspace: story.workspace, items: [{ title: 'Only' }] });
    await runToRest(daemon, session.id, 'completed');
    expect(story.provider.requests.length).toBe(2);
  });

  it('D10: no request ever carries a call without its result, whatever was cut off', async () => {
    const story = await tellStory((body, number) => {
      if (number === 1)
        return [
          call('shell', { command: 'touch a; sleep 60' }),
          call('read', { path: 'nothing' }),
          call('shell', { command: 'touch b' }),
        ];
      return toolResults(body).length >= 3 ? result() : say('BLOCKED: results are missing');
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the first command', async () =>
      (await story.daemon.call('run.get', { sessionId: session.id })).liveness.cause.includes('sleep'),
    );
    await story.daemon.kill();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
    for (const { body } of story.provider.requests) {
      const asked = body.messages.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []);
      expect(toolResults(body).map(({ id }) => id)).toEqual(asked);
    }
  });
});

describe('D: the daemon', () => {
  it('D7: a session whose folder vanished fails visibly and wedges no slot', async () => {
    const story = await tellStory(
      (body) => (toolResults(body).length === 0 ? call('shell', { command: 'echo x > y' }) : result()),
      { CAIRN_PARALLEL_SESSIONS: '1' },
    );
    const gone = join(story.home, '..', 'gone');
    await mkdir(gone);
    const lost = await story.session({ workspace: gone, items: [{ title: 'Command', command: 'echo hello' }] });
    const fine = await story.session();
    await rm(gone, { recursive: true });
    const run = await runToRest(story.daemon, lost.id, 'blocked');
    expect(run.lastError).toContain('gone');
    await runToRest(story.daemon, fine.id, 'completed');
  });

  it('D8: a word to the running leaf reaches it once, also over a restart', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? hang() : number === 2 ? call('list', {}) : result()));
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    await story.daemon.call('chat.send', { sessionId: session.id, text: 'Mind the gap.' });
    await story.daemon.kill();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
    const said = story.provider.requests.map(
      ({ body }) => body.messages.filter((message) => message.content === 'Mind the gap.').length,
    );
    expect(said).toEqual([0, 1, 1]);
  });

  it('D13: hundreds of small plans leave a small log and no lock', async () => {
    const story = await tellStory(() => result());
    const ids = await Promise.all(
      Array.from(
        { length: 60 },
        async (_, i) => (await story.session({ title: `Plan ${i}`, items: [{ title: 'Build', command: 'true' }] })).id,
      ),
    );
    await Promise.all(ids.map((sessionId) => story.daemon.call('run.start', { sessionId })));
    for (const id of ids) await waitForRun(story.daemon, id, 'completed');
    const { counts, store } = await story.daemon.call('daemon.status', {});
    expect(counts).toMatchObject({ sessions: 60, running: 0 });
    expect(store.bytes).toBeLessThan(16 * 1024 * 1024);
  });
});

describe('secrets', () => {
  it('of the environment and of known forms are stored, logged and published nowhere', async () => {
    const secret = 'hunter2-very-secret-value';
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const story = await tellStory(
      (body) => {
        if (toolResults(body).length > 0) return result(`the password is ${secret}`);
        return [
          say(`Your token ${token} and ${secret}`),
          call('shell', { command: `echo ${secret} ${token}; echo "env:$MY_PASSWORD:"` }),
        ];
      },
      { MY_PASSWORD: secret },
    );
    const session = await story.session({ goal: `Use ${secret}`, items: [{ title: `Use ${token}` }] });
    const client = await story.daemon.watch();
    await client.call('session.watch', { sessionId: session.id });
    const run = await runToRest(story.daemon, session.id, 'completed');
    const { messages } = await story.daemon.call('run.transcript', { runId: run.lastRunId as never });
    expect(JSON.stringify(messages)).toContain('[redacted:');
    expect(JSON.stringify(messages)).toContain('env::');
    await story.daemon.stop();
    const { execFileSync } = await import('node:child_process');
    const everything = execFileSync(
      'sh',
      ['-c', `cat "${story.home}"/* "${story.home}"/logs/* "${story.home}"/outputs/* 2>/dev/null || true`],
      {
        encoding: 'latin1',
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    for (const text of [everything, JSON.stringify(client.notes)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toContain(token);
      expect(text).not.toContain('sk-test-of-the-story');
    }
  });
});

describe('the log', () => {
  it('answers why a session stopped, by its id', async () => {
    const story = await tellStory(() => say('BLOCKED: the sample is missing'));
    const session = await story.session();
    await runToRest(story.daemon, session.id, 'blocked');
    const lines = await waitFor('the reason to be in the log', async () => {
      const text = await readFile(join(story.home, 'logs', 'daemon.log'), 'utf8');
      return text.includes('the sample is missing') && text.trim().split('\n');
    });
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ reason }) => reason !== undefined);
    expect(told).toMatchObject({ sessionId: session.id, reason: 'the sample is missing', msg: 'plan blocked' });
  });
});
