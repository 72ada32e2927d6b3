import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, startDaemon, statusesOf, waitForRun } from '../support/daemon.js';
import { call, hang, say, type ScriptedRequest, toolResults } from '../support/scripted-provider.js';
import { createGate, result, tellStory, commandsAsked } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const started = (command: string): string => `touch started; ${command}`;
const lines = async (path: string): Promise<string[]> =>
  (await readFile(path, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');

describe('after kill -9', () => {
  it('a run goes on with the same conversation: finished turns and effects are not repeated', async () => {
    const gate = createGate();
    const story = await tellStory(async (body, number) => {
      if (number === 1) return call('shell', { command: 'echo once >> out.txt' });
      if (number === 2) await gate.passed;
      return toolResults(body).length === 1 ? result() : say('BLOCKED: lost my memory');
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the second turn', () => story.provider.requests.length === 2);
    const before = await story.daemon.call('run.get', { sessionId: session.id });
    await story.daemon.kill();
    gate.open();
    await story.restart();
    const after = await waitForRun(story.daemon, session.id, 'completed');
    expect(await lines(join(story.workspace, 'out.txt'))).toEqual(['once']);
    expect([after.stepNo, after.attempt]).toEqual([before.stepNo, before.attempt]);
    expect(after.epoch).toBeGreaterThan(before.epoch);
    const { runs } = await story.daemon.call('run.list', { sessionId: session.id });
    expect(runs.map((run) => [run.status, run.resumes])).toEqual([
      ['completed', before.lastRunId],
      ['interrupted', null],
    ]);
  });

  it('a command that was under way is told to the model as unknown, and is not repeated by itself', async () => {
    const story = await tellStory((body, number) => {
      if (number === 1) return call('shell', { command: started('echo once >> out.txt; sleep 60') });
      const told = toolResults(body).at(-1)?.content ?? '';
      return told.includes('outcome unknown') && told.includes('sleep 60') ? result('I looked') : say('BLOCKED: not told');
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the command to begin', async () => (await lines(join(story.workspace, 'out.txt'))).length === 1);
    const explained = await story.daemon.call('run.explain', { sessionId: session.id });
    expect(explained.mightRepeat).toMatchObject([{ name: 'shell' }]);
    await story.daemon.kill();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
    expect(await lines(join(story.workspace, 'out.txt'))).toEqual(['once']);
    const { events } = await story.daemon.call('event.list', { sessionId: session.id });
    expect(events.filter((event) => event.type === 'effect.unknown')).toHaveLength(1);
  });

  it('a leaf by command that was cut off blocks, and says that nobody knows', async () => {
    const story = await tellStory(() => result());
    const session = await story.session({ items: [{ title: 'Publish', command: 'echo once >> out.txt; sleep 60' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the command to begin', async () => (await lines(join(story.workspace, 'out.txt'))).length === 1);
    await story.daemon.kill();
    await story.restart();
    const run = await waitForRun(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain('outcome unknown');
    expect(await lines(join(story.workspace, 'out.txt'))).toEqual(['once']);
  });

  it('of a command that was cut off it is said that it is not run again, before anything starts', async () => {
    const story = await tellStory(() => result());
    const command = 'echo once >> out.txt; sleep 60';
    const session = await story.session({ items: [{ title: 'Publish', command, verify: ['test -e published'] }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the command to begin', async () => (await lines(join(story.workspace, 'out.txt'))).length === 1);
    await story.daemon.call('run.pause', { sessionId: session.id, now: true });
    await waitForRun(story.daemon, session.id, 'paused');
    const { wouldRun, mightRepeat } = await story.daemon.call('run.explain', { sessionId: session.id });
    expect(wouldRun).toEqual(['check: test -e published', 'nothing else: it is blocked unless its checks pass']);
    expect(mightRepeat).toMatchObject([{ summary: command, why: expect.stringContaining('not run again unless you retry it') }]);
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'blocked');
    expect(await lines(join(story.workspace, 'out.txt'))).toEqual(['once']);
    const again = await story.daemon.call('run.explain', { sessionId: session.id });
    expect(again.mightRepeat).toHaveLength(1);
    expect(JSON.stringify(again)).not.toContain('the model');
  });

  it('a leaf by command that was cut off is closed when its checks pass, without being run again', async () => {
    const story = await tellStory(() => result());
    const items = [{ title: 'Publish', command: 'echo once >> out.txt; sleep 60', verify: ['grep -q once out.txt'] }];
    const session = await story.session({ items });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the command to begin', async () => (await lines(join(story.workspace, 'out.txt'))).length === 1);
    await story.daemon.kill();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
    expect(await lines(join(story.workspace, 'out.txt'))).toEqual(['once']);
  });

  it('a claim that was committed goes straight to its checks', async () => {
    const story = await tellStory(() => result('all done'));
    const items = [{ title: 'Only', verify: ['echo check >> checks.txt; test -f go || sleep 60'] }];
    const session = await story.session({ items });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the check to begin', async () => (await lines(join(story.workspace, 'checks.txt'))).length === 1);
    await story.daemon.kill();
    await import('node:fs/promises').then((fs) => fs.writeFile(join(story.workspace, 'go'), ''));
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
    expect(story.provider.requests.length).toBe(1);
    const { reports } = await story.daemon.call('report.list', { sessionId: session.id });
    expect(reports).toHaveLength(1);
  });

  it('nothing that a command started is left running', async () => {
    const story = await tellStory(() => call('shell', { command: 'setsid sleep 3217 & sleep 3218 & touch started; sleep 3219' }));
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    const { execFileSync } = await import('node:child_process');
    const sleeping = (): string[] =>
      execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
        .split('\n')
        .filter((l) => /^sleep 321[789]/.test(l));
    await waitFor('the command to begin', () => sleeping().length === 3);
    await story.daemon.kill();
    await waitFor('its processes to be gone', () => sleeping().length === 0, { describe: sleeping });
  });

  it('a leaf on which the daemon dies three times is blocked', async () => {
    const story = await tellStory(() => hang());
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    for (let deaths = 1; deaths <= 3; deaths++) {
      await waitFor('the model to be asked', () => story.provider.requests.length === deaths);
      await story.daemon.kill();
      await story.restart();
    }
    const run = await waitForRun(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain('the daemon died 3 times on this item');
    expect(story.provider.requests.length).toBe(3);
  });

  it('a cancelled plan stays cancelled, and a paused one paused', async () => {
    const story = await tellStory(() => hang());
    const [cancelled, paused] = [await story.session(), await story.session()];
    for (const session of [cancelled, paused]) await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('a request', () => story.provider.requests.length >= 1);
    await story.daemon.call('run.cancel', { sessionId: cancelled.id });
    await story.daemon.call('run.pause', { sessionId: paused.id, now: true });
    const asked = story.provider.requests.length;
    await story.daemon.kill();
    await story.restart();
    expect((await story.daemon.call('run.get', { sessionId: cancelled.id })).status).toBe('cancelled');
    expect((await story.daemon.call('run.get', { sessionId: paused.id })).status).toBe('paused');
    expect(await statusesOf(story.daemon, cancelled.id)).toEqual({ First: 'pending', Second: 'pending' });
    expect(story.provider.requests.length).toBe(asked);
  });

  it('an approval that was asked is still there, and its answer goes on with the run', async () => {
    const story = await tellStory((body) =>
      toolResults(body).length === 0 ? call('shell', { command: 'echo once >> out.txt' }) : result(),
    );
    const session = await story.session({ policy: commandsAsked, items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'waiting');
    await story.daemon.kill();
    await story.restart();
    const { entries } = await story.daemon.call('inbox.list', { sessionId: session.id, state: 'open' });
    expect(entries).toMatchObject([{ kind: 'approval', detail: 'echo once >> out.txt' }]);
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'allow' });
    await waitForRun(story.daemon, session.id, 'completed');
    expect(await lines(join(story.workspace, 'out.txt'))).toEqual(['once']);
  });

  it('a chat that was under way is answered', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 1) await gate.passed;
      return say('The answer is 42.');
    });
    const session = await story.session();
    const { runId } = await story.daemon.call('chat.send', { sessionId: session.id, text: 'What is the answer?' });
    await waitFor('the question to be asked', () => story.provider.requests.length === 1);
    await story.daemon.kill();
    gate.open();
    await story.restart();
    const answered = await waitFor('the chat to be answered', async () => {
      const { runs } = await story.daemon.call('run.list', { sessionId: session.id });
      return runs.find((run) => run.status === 'completed');
    });
    expect(answered.resumes).toBe(runId);
    const { messages } = await story.daemon.call('run.transcript', { runId: answered.id });
    expect(messages.map((message: { content: string }) => message.content)).toEqual(['What is the answer?', 'The answer is 42.']);
  });
});

describe('starting and stopping', () => {
  it('a second daemon on the same home refuses, with the pid of the first', async () => {
    const story = await tellStory(() => result());
    await expect(startDaemon(story.home, { env: story.env })).rejects.toThrow(String(story.daemon.pid));
    expect((await story.daemon.call('daemon.status', {})).pid).toBe(story.daemon.pid);
  });

  it('SIGTERM lets the turn under way finish and exits with 0; the next daemon goes on', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body: ScriptedRequest, number) => {
      if (number === 1) await gate.passed;
      return number === 1 ? call('write', { path: 'a.txt', content: 'x' }) : result();
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    const stopping = story.daemon.stop();
    gate.open();
    expect(await stopping).toBe(0);
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
    expect(await readFile(join(story.workspace, 'a.txt'), 'utf8')).toBe('x');
  });

  it('a turn that does not end is cut off after the drain, and repeated by the next daemon', async () => {
    const story = await tellStory((_body, number) => (number === 1 ? hang() : result()));
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the first turn', () => story.provider.requests.length === 1);
    await story.daemon.call('daemon.stop', { drainMs: 50 });
    expect(await story.daemon.exited()).toBe(0);
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
  });
});

describe('a home that somebody tidied up', () => {
  it('gets its socket back, so that the daemon can be found', async () => {
    const story = await tellStory(() => result());
    await rm(story.daemon.socket);
    const status = await waitFor('the socket to be there again', () => story.daemon.call('daemon.status', {}).catch(() => null));
    expect(status.pid).toBe(story.daemon.pid);
  });
});

describe('stopping in good order', () => {
  it('is no death: a leaf that is cut off four times is not blocked for it', async () => {
    const story = await tellStory((_body, number) => (number <= 4 ? hang() : result()));
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    for (let stops = 1; stops <= 4; stops++) {
      await waitFor('the model to be asked', () => story.provider.requests.length === stops);
      await story.daemon.call('daemon.stop', { drainMs: 0 });
      expect(await story.daemon.exited()).toBe(0);
      await story.restart();
    }
    const run = await waitForRun(story.daemon, session.id, 'completed');
    expect([run.stepNo, run.attempt]).toEqual([1, 1]);
  });
});
