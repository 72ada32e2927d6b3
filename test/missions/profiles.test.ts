/** Which tools a run has: shown to the model, and refused by the engine when it calls another one all the same. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtinProfiles } from '../../shared/mission.js';
import { waitForRun } from '../support/daemon.js';
import { fire, openEntry, outcomeOf, requestOf } from '../support/mission-story.js';
import { isPlanner } from '../support/planning-model.js';
import { call, say, type ScriptedRequest, toolResults } from '../support/scripted-provider.js';
import { result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const tools = ['read', 'write', 'edit', 'list', 'glob', 'grep', 'shell', 'plan'] as const;
const missionTools = ['plan', 'report', 'ask_attention', 'expand', 'finish', 'fire'].map((name) => `mission_${name}`);
const every = [...tools, ...missionTools];

const readOnly = ['read', 'list', 'glob', 'grep'];
/** Of the table of profiles. */
const allowed: Record<(typeof builtinProfiles)[number], readonly string[]> = {
  planner: [...readOnly, ...missionTools],
  worker: [...tools, 'mission_report', 'mission_ask_attention'],
  solo: every.filter((name) => name !== 'mission_fire'),
};

const shownTo = (body: ScriptedRequest): string[] => (body.tools ?? []).map((tool) => tool.function.name);

/** Runs one turn of a profile that makes this call; gives the tools that it was shown, and what it was answered. */
async function tryOut(story: Story, profile: string): Promise<void> {
  const session = await story.session({ profile: profile === 'worker' ? 'planner' : profile, items: [{ title: 'Only' }] });
  if (profile === 'worker') await story.daemon.call('run.start', { sessionId: session.id });
  else await story.daemon.call('chat.send', { sessionId: session.id, text: 'Go' });
  await waitFor('an end', async () => {
    const { runs } = await story.daemon.call('run.list', { sessionId: session.id });
    return runs.length > 0 && runs.every(({ status }) => status !== 'running');
  });
}

/** Arguments with which each tool does something. */
const args: Record<string, unknown> = {
  read: { path: 'a.txt' },
  write: { path: 'written.txt', content: 'x' },
  edit: { path: 'a.txt', edits: [{ oldText: 'a', newText: 'b' }] },
  list: {},
  glob: { pattern: '*' },
  grep: { pattern: 'a' },
  shell: { command: 'touch by-shell' },
  plan: { verb: 'get' },
  mission_plan: { entries: [{ id: 't1', title: 'Only' }], explanation: 'as it is' },
  mission_report: { kind: 'progress', summary: 'half' },
  mission_ask_attention: { question: 'Which?' },
  mission_expand: { itemId: 't1' },
  mission_finish: { outcome: 'stuck', reason: 'none' },
  mission_fire: { goal: 'Below' },
};

describe.each(builtinProfiles)('the profile %s', (profile) => {
  it('is shown exactly its tools', async () => {
    const story = await tellStory(() => (profile === 'worker' ? result() : say('ok')));
    await tryOut(story, profile);
    expect(shownTo(requestOf(story, () => true)).sort()).toEqual([...allowed[profile]].sort());
  });

  it('is refused every other one when it calls it all the same', async () => {
    const others = every.filter((name) => !allowed[profile].includes(name));
    const answers = new Map<string, string>();
    let at = 0;
    const story = await tellStory((body) => {
      const last = toolResults(body).at(-1);
      if (at > 0 && last !== undefined) answers.set(others[at - 1] ?? '', last.content);
      const next = others[at++];
      return next === undefined ? (profile === 'worker' ? result() : say('ok')) : call(next, args[next]);
    });
    await writeFile(join(story.workspace, 'a.txt'), 'a\n');
    await tryOut(story, profile);
    expect([...answers.keys()]).toEqual(others);
    for (const [name, answer] of answers) expect(answer).toContain(`There is no tool ${name} here`);
  });
});

describe('a planner', () => {
  it('is given no command by a policy that allows everything, and no tool of a server', async () => {
    const story = await tellStory((body) => (isPlanner(body) ? call('shell', { command: 'touch by-planner' }) : say('ok')));
    const { id } = await fire(story, { policy: 'full' });
    expect((await outcomeOf(story, id)).outcome).toBe('derailed');
    const results = story.provider.requests.flatMap(({ body }) => toolResults(body)).map(({ content }) => content);
    expect(results.every((content) => content.includes('There is no tool shell here'))).toBe(true);
  });
});

describe('a profile that configuration declares', () => {
  it('has its tools and its prompt, within what the policy allows; an unknown one is refused with the names there are', async () => {
    const story = await tellStory(() => say('Looked.'));
    await story.daemon.kill();
    const profiles = { reviewer: { tools: ['read', 'grep', 'shell', 'mission_*'], prompt: 'You review, and change nothing.' } };
    await writeFile(join(story.home, 'config.json'), JSON.stringify({ profiles }));
    await story.restart();
    const session = await story.session({ profile: 'reviewer', policy: 'readonly', items: [{ title: 'Only' }] });
    expect(session.profile).toBe('reviewer');
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'completed');
    expect(shownTo(requestOf(story, () => true)).sort()).toEqual(['grep', ...missionTools, 'read'].sort());
    expect(requestOf(story, () => true).messages[0]?.content).toContain('You review, and change nothing.');
    await expect(story.session({ profile: 'nobody' })).rejects.toMatchObject({
      message: expect.stringContaining('nobody') as string,
      data: { issues: [{ message: 'one of planner, worker, solo, reviewer' }] },
    });
  });

  it('cannot take the name of one of the three', async () => {
    const story = await tellStory(() => say('ok'));
    await story.daemon.kill();
    await writeFile(join(story.home, 'config.json'), JSON.stringify({ profiles: { worker: { tools: [] } } }));
    await expect(story.restart()).rejects.toThrow(/profiles\.worker: .*planner, worker and solo/);
  });
});

describe('a question of a worker', () => {
  it('is answered once, and the answer is the result of its call', async () => {
    const story = await tellStory((body) => {
      const [answer] = toolResults(body);
      if (answer === undefined)
        return call('mission_ask_attention', { question: 'Which colour?\nRed or blue.', options: ['red', 'blue'] });
      return result(answer.content);
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    const entry = await openEntry(story, session.id, 'question');
    expect(entry).toMatchObject({ title: 'Which colour?', detail: 'Which colour?\nRed or blue.', options: ['red', 'blue'] });
    await waitForRun(story.daemon, session.id, 'waiting');
    await story.daemon.call('inbox.answer', { id: entry.id, answer: 'green' });
    await expect(story.daemon.call('inbox.answer', { id: entry.id, answer: 'red' })).rejects.toMatchObject({ code: -32010 });
    await waitForRun(story.daemon, session.id, 'completed');
    const { reports } = await story.daemon.call('report.list', { sessionId: session.id });
    expect(reports[0]?.summary).toBe('A person answers: green');
  });

  it('outlives kill -9, is not asked twice, and its default holds when nobody answers', async () => {
    const story = await tellStory((body) => {
      const [answer] = toolResults(body);
      const asked = { question: 'Which colour?', deadline: 2, default: 'red' };
      return answer === undefined ? call('mission_ask_attention', asked) : result(answer.content);
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await openEntry(story, session.id, 'question');
    await story.daemon.kill();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
    const { entries } = await story.daemon.call('inbox.list', { sessionId: session.id });
    expect(entries).toMatchObject([{ state: 'expired', answer: 'red' }]);
    const { reports } = await story.daemon.call('report.list', { sessionId: session.id });
    expect(reports[0]?.summary).toBe('Nobody answered in time, so your default holds: red');
  });

  it('without a default says that nobody answered', async () => {
    const story = await tellStory((body) => {
      const [answer] = toolResults(body);
      return answer === undefined ? call('mission_ask_attention', { question: 'Which?', deadline: 1 }) : result(answer.content);
    });
    const session = await story.session({ items: [{ title: 'Only' }] });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'completed');
    const { reports } = await story.daemon.call('report.list', { sessionId: session.id });
    expect(reports[0]?.summary).toContain('Nobody answered in time');
  });

  it('of a planner does not stop the leaves', async () => {
    const story = await tellStory((body) => {
      if (!isPlanner(body)) return result();
      const answers = toolResults(body).map(({ content }) => content);
      if (answers.length === 0) return call('mission_plan', { entries: [{ title: 'A' }, { title: 'B' }], explanation: 'two' });
      if (answers.length === 1) return call('mission_ask_attention', { question: 'May it go out?' });
      return answers.length === 2 ? call('mission_finish', { outcome: 'landed', reason: answers[1] }) : say('ok');
    });
    const { id } = await fire(story);
    const entry = await openEntry(story, id, 'question');
    await waitForRun(story.daemon, id, 'completed');
    expect((await story.daemon.call('session.get', { sessionId: id })).planner.state).toBe('waiting');
    await story.daemon.call('inbox.answer', { id: entry.id, answer: 'yes' });
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed', outcomeReason: 'A person answers: yes' });
  });
});
