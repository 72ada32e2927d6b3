import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runToRest, statusesOf, waitForRun } from '../support/daemon.js';
import { call, fail, hang, planPrompts, say } from '../support/scripted-provider.js';
import { blocker, createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

describe('running a plan', () => {
  it('sends the prompt of the current leaf to the model, and never an old one', async () => {
    const story = await tellStory(() => result());
    const session = await story.session({
      context: 'session',
      items: [{ title: 'First' }, { title: 'Second' }, { title: 'Third' }],
    });
    await runToRest(story.daemon, session.id, 'completed');
    const prompts = story.provider.requests.map((request) =>
      planPrompts(request.body).filter((text) => text.includes('Your item:')),
    );
    expect(prompts.map((texts) => texts.length)).toEqual([1, 1, 1]);
    expect(prompts.map(([text]) => /Your item: (.*)/.exec(text ?? '')?.[1])).toEqual(['1 First', '2 Second', '3 Third']);
  });

  it('goes through the leaves in order and closes sections with their last child', async () => {
    const story = await tellStory(() => result());
    const session = await story.session({
      items: [{ title: 'Read' }, { title: 'Write', children: [{ title: 'Quote' }, { title: 'Stream' }] }, { title: 'Document' }],
    });
    await runToRest(story.daemon, session.id, 'completed');
    const { events } = await story.daemon.call('event.list', { sessionId: session.id });
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    const title = (id: unknown): string => items.find((item) => item.id === id)?.title ?? '';
    const closed = events
      .filter((event) => event.type === 'item.changed' && event.data.to === 'done')
      .map((event) => title(event.data.id));
    expect(closed).toEqual(['Read', 'Quote', 'Stream', 'Write', 'Document']);
    expect(items.every((item) => item.status === 'done' && item.claimed === true && item.accepted !== true)).toBe(true);
  });

  it('takes title, goal and items from a Markdown list', async () => {
    const story = await tellStory(() => result());
    const markdown = '# Plan: Ship it\n\n**Goal:** The export\n\n- [x] Read\n- [ ] Write\n  - [ ] Quote\n';
    const { sessionId, title, goal } = await story.daemon
      .call('session.create', { workspace: story.workspace, markdown })
      .then(({ id, ...session }) => ({ sessionId: id, ...session }));
    expect([title, goal]).toEqual(['Ship it', 'The export']);
    expect(await statusesOf(story.daemon, sessionId)).toEqual({ Read: 'done', Write: 'pending', Quote: 'pending' });
  });

  it('closes only the leaf that the checkpoint names', async () => {
    const gate = createGate();
    const story = await tellStory(async (_body, number) => {
      if (number === 2) await gate.passed;
      return result();
    });
    const session = await story.session();
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the second leaf to be asked for', () => story.provider.requests.length === 2);
    expect(await statusesOf(story.daemon, session.id)).toEqual({ First: 'done', Second: 'active' });
    gate.open();
    await waitForRun(story.daemon, session.id, 'completed');
  });

  it('takes a text without a report as the result, and files it', async () => {
    const story = await tellStory((_body, number) => say(`Wrote part ${number}.`));
    const session = await story.session();
    await runToRest(story.daemon, session.id, 'completed');
    const { reports } = await story.daemon.call('report.list', { sessionId: session.id });
    expect(reports.map((report) => [report.kind, report.summary, report.byRuntime])).toEqual([
      ['result', 'Wrote part 2.', true],
      ['result', 'Wrote part 1.', true],
    ]);
  });

  it.each([
    ['by a report', () => blocker('no sample file')],
    ['by a line of text', () => say('I looked everywhere.\n\nBLOCKED: no sample file')],
  ])('leaves a leaf open that is blocked %s, and nothing starts again by itself', async (_how, answer) => {
    const story = await tellStory(answer);
    const session = await story.session();
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.lastError).toBe('no sample file');
    expect(await statusesOf(story.daemon, session.id)).toEqual({ First: 'active', Second: 'pending' });
    const { entries } = await story.daemon.call('inbox.list', { sessionId: session.id, state: 'open' });
    expect(entries.map((entry) => [entry.kind, entry.detail])).toEqual([['blocker', 'no sample file']]);
    await story.daemon.kill();
    await story.restart();
    expect((await story.daemon.call('run.get', { sessionId: session.id })).status).toBe('blocked');
    expect(story.provider.requests.length).toBe(1);
  });

  it('goes on after a retry with a word from the person, which the model reads', async () => {
    const story = await tellStory((body, number) => {
      if (number === 1) return blocker('which sample?');
      return JSON.stringify(body.messages).includes('Take the one of May') || number > 2 ? result() : blocker('still unsure');
    });
    const session = await story.session();
    await runToRest(story.daemon, session.id, 'blocked');
    await story.daemon.call('run.retry', { sessionId: session.id, guidance: 'Take the one of May.' });
    await waitForRun(story.daemon, session.id, 'completed');
    const { entries } = await story.daemon.call('inbox.list', { sessionId: session.id });
    expect(entries.map((entry) => entry.state)).toEqual(['withdrawn']);
  });

  it('leaves a leaf open when the provider fails, says why, and does not repeat what cannot help', async () => {
    const story = await tellStory(() => fail(401, { error: { message: 'Incorrect API key provided' } }));
    const session = await story.session();
    const run = await runToRest(story.daemon, session.id, 'failed');
    expect(run.lastError).toContain('401');
    expect(run.lastError).toContain('Incorrect API key');
    expect(await statusesOf(story.daemon, session.id)).toEqual({ First: 'active', Second: 'pending' });
    expect(story.provider.requests.length).toBe(1);
  });

  it('counts an answer without text, tool call or change as a failed try, three times', async () => {
    const story = await tellStory(() => say(''));
    const session = await story.session();
    const run = await runToRest(story.daemon, session.id, 'failed');
    expect(run.lastError).toContain('no work');
    expect(run.attempt).toBe(3);
    const { runs } = await story.daemon.call('run.list', { sessionId: session.id });
    expect(runs.map((one) => one.status)).toEqual(['failed', 'failed', 'failed']);
  });

  it('does not take an answer that was cut off for a result', async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? [say('I have begun to'), { type: 'finish', reason: 'length' }] : result('whole'),
    );
    const session = await story.session({ items: [{ title: 'Only' }] });
    await runToRest(story.daemon, session.id, 'completed');
    const { reports } = await story.daemon.call('report.list', { sessionId: session.id });
    expect(reports.map((report) => report.summary)).toEqual(['whole']);
  });

  it('does the work with its tools and keeps a journal of it', async () => {
    const story = await tellStory((_body, number) => {
      if (number === 1) return [call('write', { path: 'a.txt', content: 'one\n' }), call('read', { path: 'b.txt' })];
      if (number === 2) return call('edit', { path: 'a.txt', old: 'one', new: 'two' });
      if (number === 3) return call('shell', { command: 'cat a.txt && echo "key=[$OPENAI_API_KEY]"' });
      return result('wrote a.txt');
    });
    await writeFile(join(story.workspace, 'b.txt'), 'hello\n');
    const session = await story.session({ items: [{ title: 'Only' }] });
    const run = await runToRest(story.daemon, session.id, 'completed');
    expect(await readFile(join(story.workspace, 'a.txt'), 'utf8')).toBe('two\n');
    const { effects } = await story.daemon.call('run.effects', { runId: run.lastRunId as never });
    expect(effects.map((effect) => [effect.name, effect.state])).toEqual([
      ['write', 'done'],
      ['read', 'done'],
      ['edit', 'done'],
      ['shell', 'done'],
      ['mission_report', 'done'],
    ]);
    const { messages } = await story.daemon.call('run.transcript', { runId: run.lastRunId as never });
    const shellResult = messages.filter((message) => message.kind === 'tool').at(-2)?.content;
    expect(shellResult).toContain('two');
    expect(shellResult).toContain('key=[]');
  });

  it('blocks at once, with what to set, when no model is configured', async () => {
    const story = await tellStory(() => result(), { OPENAI_BASE_URL: '', OPENAI_API_KEY: '', CAIRN_MODEL: '' });
    const session = await story.session();
    const run = await runToRest(story.daemon, session.id, 'blocked');
    expect(run.lastError).toContain('CAIRN_MODEL');
    await expect(story.daemon.call('chat.send', { sessionId: session.id, text: 'hello' })).rejects.toMatchObject({
      code: -32013,
    });
  });

  it('says what it is doing while it waits for the model', async () => {
    const story = await tellStory(() => hang());
    const session = await story.session();
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('a request', () => story.provider.requests.length === 1);
    const { liveness } = await story.daemon.call('run.get', { sessionId: session.id });
    expect(liveness.state).toBe('working');
    expect(liveness.cause).toContain('waiting for the model');
    await story.daemon.call('run.cancel', { sessionId: session.id });
  });
});
