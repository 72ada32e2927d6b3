import { describe, expect, it } from 'vitest';
import type { SessionId } from '../../shared/plan.js';
import { statusesOf } from '../support/daemon.js';
import { sitDown } from '../support/person.js';
import { hang } from '../support/scripted-provider.js';
import { type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const section = [{ title: 'Section', children: [{ title: 'One' }, { title: 'Two' }] }, { title: 'Last' }];

/** The plan as one line: what undo has to bring back. */
async function planOf({ daemon }: Story, sessionId: SessionId): Promise<string> {
  const { goal, items } = await daemon.call('plan.get', { sessionId });
  return [goal, ...items.map(({ number, title, status }) => `${number} ${title} ${status}`)].join(', ');
}

async function begin() {
  const story = await tellStory(() => hang());
  const { id } = await story.session({ items: section });
  const before = await planOf(story, id);
  const now = (): Promise<string> => planOf(story, id);
  return {
    story,
    id,
    anna: await sitDown(story),
    toChange: () => waitFor('the plan to change', async () => (await now()) !== before, { describe: now }),
    toBeAsBefore: () => waitFor('the plan to be as it was', async () => (await now()) === before, { describe: now }),
  };
}

describe('u', () => {
  it.each([
    ['a task that was added', ['a', 'N', 'e', 'w', 'Enter', 'Esc']],
    ['a title', ['e', '!', 'Enter']],
    ['a goal', ['g', '!', 'Enter']],
    ['a move', ['End', 'K']],
    ['an item that was marked as done', ['End', 'd']],
    ['a section that was skipped', ['Home', 's']],
    ['an item that was removed', ['End', 'x', 'y']],
    ['a section that was removed', ['Home', 'x', 'y']],
    ['a plan that was cleared', ['C', 'y']],
  ])('takes back %s', async (_what, keys) => {
    const { anna, toChange, toBeAsBefore } = await begin();
    await anna.press(...keys);
    await toChange();
    await anna.press('u');
    await toBeAsBefore();
    await anna.sees('Taken back');
  });

  it('takes back one change after the other, the last one first, however fast it is pressed', async () => {
    const { anna, toChange, toBeAsBefore } = await begin();
    await anna.press('End', 'e', '!', 'Enter', 'K', 'd', 'a', 'N', 'e', 'w', 'Enter', 'Esc');
    await toChange();
    await anna.sees('New');
    await anna.press('u', 'u', 'u', 'u');
    await toBeAsBefore();
  });

  it('says so when there is nothing to take back', async () => {
    const story = await tellStory(() => hang());
    await story.session({ items: [], goal: '' });
    const anna = await sitDown(story);
    await anna.press('u');
    await anna.sees('nothing to take back');
  });

  it('asks first where the change was made before the screen was opened', async () => {
    const { story, id, anna, toChange, toBeAsBefore } = await begin();
    await anna.press('End', 'e', '!', 'Enter');
    await toChange();
    const ben = await sitDown(story);
    await ben.sees('Last!');
    await ben.press('u');
    await ben.sees('Take it back?', 'No');
    await ben.press('Enter');
    await ben.seesNot('Take it back?');
    expect(await planOf(story, id)).toContain('Last!');
    await ben.press('u');
    await ben.sees('Take it back?');
    await ben.press('y');
    await toBeAsBefore();
  });

  it('asks first where it would take back what others did since', async () => {
    const { story, id, anna } = await begin();
    await anna.press('End', 'x', 'y');
    await anna.sees('removed');
    await story.daemon.call('plan.addItem', { sessionId: id, title: 'Of somebody else' });
    await anna.sees('Of somebody else');
    await anna.press('u');
    await anna.sees('1 later change');
    await anna.press('Esc');
    expect(Object.keys(await statusesOf(story.daemon, id))).toEqual(['Section', 'One', 'Two', 'Of somebody else']);
    await anna.press('u');
    await anna.sees('Take it back?');
    await anna.press('y');
    await anna.sees('Last');
    expect(Object.keys(await statusesOf(story.daemon, id))).toEqual(['Section', 'One', 'Two', 'Last']);
  });

  it('leaves the removed plan of a run that it cancelled as it was, to run again', async () => {
    const { story, id, anna, toBeAsBefore } = await begin();
    await anna.press('r');
    await anna.sees('running');
    await anna.press('C', 'y');
    await anna.sees('The plan is empty');
    await anna.press('u');
    await toBeAsBefore();
    await anna.sees('1 Section', '2 Last');
    await anna.press('r');
    await waitFor('it to run again', async () => (await story.daemon.call('run.get', { sessionId: id })).status === 'running');
  });
});
