import { describe, expect, it } from 'vitest';
import { fire, openEntry, outcomeOf, sessionOf } from '../support/mission-story.js';
import { statusesOf } from '../support/daemon.js';
import { sitDown } from '../support/person.js';
import { briefOf, isWoken, playing } from '../support/planning-model.js';
import { call, say } from '../support/scripted-provider.js';
import { blocker, createGate, result, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const firstPlan = call('mission_plan', { entries: [{ title: 'Read' }, { title: 'Write' }], explanation: 'the first plan' });
const secondPlan = call('mission_plan', {
  entries: [{ id: 't1', title: 'Read' }, { title: 'Get a key' }, { id: 't2', title: 'Write', status: 'pending' }],
  explanation: 'a key is needed first',
});
const land = call('mission_finish', { outcome: 'landed', reason: 'all is there' });

describe('a mission, with a person who looks on', () => {
  it('is seen planned, blocked, revised and landed, and told of in the morning', async () => {
    const [planning, revising, working] = [createGate(), createGate(), createGate()];
    const story = await tellStory(
      playing({
        async planner(body) {
          if (!isWoken(body)) return say('So be it.');
          const brief = briefOf(body);
          if (brief.includes('has been fired')) {
            await planning.passed;
            return [say('I look at the exporter first.'), firstPlan];
          }
          if (brief.includes('no key')) {
            await revising.passed;
            return [say('Without a key nothing is written.'), secondPlan];
          }
          return brief.includes('Every item') ? land : say('Nothing to change.');
        },
        async worker(_body, number) {
          if (number === 2) return blocker('no key');
          if (number > 2) await working.passed;
          return result(`did ${number}`);
        },
      }),
    );
    const { id } = await fire(story);
    const anna = await sitDown(story, { columns: 160, rows: 44 });
    await anna.sees('planner: working', 'The plan is empty');
    planning.open();
    await anna.sees('blocked', 'Read', 'Write', 'plan revised +2 −0 — the first plan', 'I look at the exporter first.');
    await anna.seesInOrder('── Planner', 'I look at the exporter first.', '── 1 Read', '── 2 Write');
    await anna.sees('planner: working');
    revising.open();
    await anna.sees('2 Get a key', 'plan revised +1 −0 ~1 — a key is needed first', 'Without a key nothing is written.');
    await anna.seesNot('{"version"');

    await anna.press('H');
    await anna.sees(/v\d+ planner \d\d:\d\d \+1 −0 ~1 — a key is needed first/, /v\d+ planner .* the first plan/);
    await anna.press('Enter');
    await anna.sees('+ Get a key');
    await anna.press('Esc', 'Esc');

    working.open();
    // The words of the planner are its own, those of the item stand under it.
    await anna.seesInOrder('Without a key nothing is written.', '── 2 Get a key', 'result: did 3');
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
    await anna.sees('✔ landed: all is there');
    await anna.press('w');
    await anna.sees('Only claimed: the work says so (3)', 'Ended (1)', 'landed', 'Plan revised (2)', /v\d+ planner \+1 −0/);
    await anna.press('Esc', 'i');
    // All of it is only to be seen: one key goes through.
    await anna.sees('Plan revised: +2 −0 — the first plan');
    await anna.press('s');
    await anna.sees('Plan revised: +1 −0 — a key is needed first');
    await anna.press('s');
    await anna.sees('Inbox', 'Landed');
    await anna.press('s');
    await anna.seesNot('to see (i)');
    expect((await story.daemon.call('inbox.list', { sessionId: id, state: 'open' })).entries).toEqual([]);
  });

  it('has a question answered in words', async () => {
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (isWoken(body) && briefOf(body).includes('has been fired'))
            return call('mission_ask_attention', { question: 'Which separator?', options: ['comma', 'semicolon'] });
          const answer = body.messages.findLast(({ role }) => role === 'tool')?.content ?? '';
          if (answer.includes('a tab'))
            return call('mission_finish', { outcome: 'derailed', reason: `nobody uses ${answer.slice(-6)}` });
          return say('ok');
        },
        worker: () => result(),
      }),
    );
    const { id } = await fire(story);
    await openEntry(story, id, 'question');
    const anna = await sitDown(story);
    await anna.sees('planner: waits for you', '1 waiting for you (i)');
    await anna.press('i');
    await anna.sees('Which separator?', 'Answer');
    await anna.write('a tab');
    await anna.press('Enter');
    await anna.sees('✗ derailed: nobody uses');
    expect(await sessionOf(story, id)).toMatchObject({ outcome: 'derailed' });
  });

  it('is gone through from the missions above and below it', async () => {
    const story = await tellStory(
      playing({
        planner: (body) => {
          if (!isWoken(body)) return say('ok');
          const brief = briefOf(body);
          if (
            brief.includes('has been fired') &&
            body.messages.some(({ content }) => content?.includes('Goal: Ship the export') === true)
          )
            return call('mission_fire', { goal: 'Document the export' });
          return brief.includes('has been fired') ? call('mission_ask_attention', { question: 'In which language?' }) : say('ok');
        },
        worker: () => result(),
      }),
    );
    const top = await fire(story);
    const below = await waitFor('the mission below', async () => {
      const { nodes } = await story.daemon.call('mission.tree', { sessionId: top.id });
      return nodes.find(({ parentId }) => parentId === top.id);
    });
    await openEntry(story, below.sessionId, 'question');
    const anna = await sitDown(story, { sessionId: below.sessionId });
    await anna.press('M');
    await anna.sees('Ship the export', 'Document the export', /1 in the inbox/);
    await anna.press('Home', 'Enter');
    await anna.sees('Goal: Ship the export');
  });
});

describe('a plan that is to be made', () => {
  it('is drafted from the goal with one key, changed as one says, and gone back to', async () => {
    const story = await tellStory((body) => {
      const words = JSON.stringify(body.messages);
      if (!isWoken(body) && body.messages.at(-1)?.role === 'tool') return say('There it is.');
      if (!words.includes('Test it as well'))
        return call('mission_plan', { entries: [{ title: 'Read' }, { title: 'Write' }], explanation: 'for the goal' });
      return call('mission_plan', {
        entries: [{ id: 't1', title: 'Read' }, { id: 't2', title: 'Write' }, { title: 'Test' }],
        explanation: 'asked for',
      });
    });
    const { id } = await story.session({ items: [] });
    const anna = await sitDown(story, { columns: 80, rows: 24 });
    await anna.sees('have the planner draft it', 'm draft the plan');
    await anna.press('m');
    await anna.sees('Enter takes the goal');
    await anna.press('Enter');
    await anna.sees('1 Read', '2 Write');
    expect(Object.keys(await statusesOf(story.daemon, id))).toEqual(['Read', 'Write']);
    await anna.press('m');
    await anna.sees('What is the planner to change?');
    await anna.write('Test it as well');
    await anna.press('Enter');
    await anna.sees('3 Test');
    await anna.press('Ctrl-n');
    await anna.sees('plan revised +1 −0 — asked for', '$ mission_plan asked for', 'There it is.');
    await anna.press('H');
    await anna.sees('asked for', 'for the goal');
    await anna.press('Down', 'r');
    await anna.sees(/Go back to version \d/, 'n No');
    await anna.press('y', 'Ctrl-n');
    await anna.seesNot('3 Test');
    expect(Object.keys(await statusesOf(story.daemon, id))).toEqual(['Read', 'Write']);
    await anna.press('u');
    await anna.sees('3 Test');
  });
});
