import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { methods } from '../../shared/contract.js';
import { runSchema } from '../../shared/run.js';
import { sessionSchema } from '../../shared/session.js';
import type { Ended } from '../support/program.js';
import { fire, openEntry, outcomeOf } from '../support/mission-story.js';
import { briefOf, isWoken, playing } from '../support/planning-model.js';
import { call, fail, type Handler, say } from '../support/scripted-provider.js';
import { blocker, createGate, result, type Story, tellStory } from '../support/story.js';
import { begin, cairn, dataOf } from './tui-support.js';

const done = (ended: Ended): string => {
  if (ended.code !== 0) throw new Error(`exit code ${ended.code ?? 'none'}: ${ended.stderr}`);
  return ended.stdout;
};

const drafted = z.object({ session: sessionSchema, plan: methods['plan.get'].result, run: runSchema });
const entries = [{ title: 'Read the spec' }, { title: 'Write it', verify: ['npm test'] }];
const isAnswered: (...args: Parameters<Handler>) => boolean = (body) => body.messages.at(-1)?.role === 'tool';
/** Drafts the plan, then says so. */
const drafts: Handler = (body) =>
  isAnswered(body, 0) ? say('There it is.') : call('mission_plan', { entries, explanation: 'a draft' });

describe('cairn plan', () => {
  it('has a plan drafted from a goal and a document, shows it, and starts nothing', async () => {
    const story = await tellStory(drafts);
    await writeFile(join(story.workspace, 'needs.md'), '# Needs\nIt must be fast.\n');
    const { code, stdout } = await cairn(story, ['plan', 'Ship the export', '--from', 'needs.md']);
    const [session] = (await story.daemon.call('session.list', {})).sessions;
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: [
        'Goal: Ship the export',
        'idle   ░░░░░░░░░░░░ 0/2',
        ' ○ 1 Read the spec',
        ' ○ 2 Write it',
        '',
        `Start it: cairn run ${session?.id}`,
        `Change it: cairn plan --session ${session?.id} "what to change"`,
        '',
      ].join('\n'),
    });
    expect(JSON.stringify(story.provider.requests[0]?.body.messages)).toContain('It must be fast.');
    expect(session).toMatchObject({ status: 'idle', goal: 'Ship the export', isMission: false });
  });

  it('changes the plan of a session as one says', async () => {
    const refine: Handler = (body) =>
      isAnswered(body, 0)
        ? say('Changed.')
        : call('mission_plan', { entries: [{ id: 't1', title: 'First' }, { title: 'Ask' }], explanation: 'ask, as was said' });
    const story = await tellStory(refine);
    const { id } = await story.session();
    const changed = await cairn(story, ['plan', 'Ask somebody', '--session', id.slice(2, 8), '--json']);
    const { plan, run } = dataOf(changed, 'plan', drafted);
    expect(plan.items.map(({ title }) => title)).toEqual(['First', 'Ask']);
    expect(run).toMatchObject({ kind: 'planner', status: 'completed' });
    expect(JSON.stringify(story.provider.requests[0]?.body.messages)).toContain('Ask somebody');
  });

  it('fails with what the planner said, or with the error of its run, when no plan came', async () => {
    const silent = await tellStory(() => say('Which export do you mean?'));
    expect(await cairn(silent, ['plan', 'Ship'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/No plan came of it: Which export do you mean\?\n.*cairn plan --session s_/),
    });
    const broken = await tellStory(() => fail(400, { error: { message: 'no such model' } }));
    expect(await cairn(broken, ['plan', 'Ship', '--json'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no such model'),
    });
  });

  it('ends with 2 when the planner asks, and says how to answer', async () => {
    const story = await tellStory(() => call('mission_ask_attention', { question: 'Which colour?', options: ['red', 'blue'] }));
    const { code, stdout } = await cairn(story, ['plan', 'Paint it']);
    expect(code).toBe(2);
    expect(stdout).toMatch(/Which colour\?[^]*cairn inbox answer i_\w+ red\|blue\n[^]*cairn show s_/);
  });

  it('goes on with the run that resumes the draft when the daemon died in it', async () => {
    const gate = createGate();
    const slow: Handler = async (body, number) => {
      if (number === 1) await gate.passed;
      return drafts(body, number);
    };
    const story = await tellStory(slow);
    const planning = begin(story, ['plan', 'Ship']);
    await planning.toSay('The planner is at work.');
    await story.daemon.kill();
    await planning.toSay('The daemon went away.');
    gate.open();
    await story.restart();
    expect(await planning.ended).toBe(0);
    expect(planning.stdout()).toContain('○ 1 Read the spec');
  });

  it('leaves no empty session behind when nobody can plan', async () => {
    const story = await tellStory(drafts, { CAIRN_MODEL: '', OPENAI_BASE_URL: '' });
    expect(await cairn(story, ['plan', 'Ship'])).toMatchObject({ code: 1, stderr: expect.stringContaining('CAIRN_MODEL') });
    expect((await story.daemon.call('session.list', {})).sessions).toEqual([]);
  });
});

/** A mission that lands after a blocker made its planner revise the plan, in a story of its own. */
async function landed(): Promise<Story> {
  const story = await tellStory(
    playing({
      planner: (body) => {
        if (!isWoken(body)) return say('Done.');
        if (briefOf(body).includes('has been fired')) return call('mission_plan', { entries, explanation: 'the first plan' });
        if (!briefOf(body).includes('no key')) return say('Fine.');
        const next = [{ title: 'Get a key' }, { id: 't1', title: 'Read the spec', status: 'pending' }];
        return call('mission_plan', { entries: next, explanation: 'a key first; nothing to write' });
      },
      worker: (_body, number) => (number === 1 ? blocker('no key') : result(`did ${number}`)),
    }),
  );
  const { id } = await fire(story);
  await outcomeOf(story, id);
  return story;
}

describe('what came of a mission', () => {
  it('is told by report, log, tree, list, diff and inbox', async () => {
    const story = await landed();
    const report = done(await cairn(story, ['report', '--since', '1h']));
    expect(report).toMatch(/Only claimed \(2\)\n.*✓ \d\d:\d\d {2}Ship the export: 1 Get a key — did 2\n/);
    expect(report).toMatch(
      /✔ \d\d:\d\d {2}landed: Ship the export — Every item.*\n.*2 planned, 1 added, 1 dropped: 2 done, 0 skipped/,
    );
    expect(report).toMatch(/v\d+ by planner {2}\+1 −1.* — a key first; nothing to write/);
    expect(report).toMatch(/Spent\n {2}\d+ turns, /);
    expect(report).not.toMatch(/Standing still|Needs a person|Under way/);
    expect(dataOf(await cairn(story, ['report', '--json']), 'report', methods['report.summary'].result).outcomes).toHaveLength(1);

    const log = done(await cairn(story, ['log']));
    expect(log).toMatch(/plan v2 by planner {2}\+2 −0 — the first plan\n/);
    expect(log).toMatch(/✔ landed — Every item of the plan is done or skipped\.\n/);
    expect(done(await cairn(story, ['log'], { env: { LC_ALL: 'C' } }))).toMatch(
      /plan v2 by planner {2}\+2 -0 - the first plan\n/,
    );

    expect(done(await cairn(story, ['list']))).toMatch(/ landed {4}2\/2 /);
    expect(done(await cairn(story, ['tree']))).toMatch(/^✔ Ship the export {2}landed {4}· 2\/2 · .*tokens.* · s_\w+\n$/);
    const { nodes } = dataOf(await cairn(story, ['tree', '--json']), 'tree', methods['mission.tree'].result);
    expect(nodes).toMatchObject([{ outcome: 'landed' }]);

    const diff = done(await cairn(story, ['diff', 'v2']));
    expect(diff).toMatch(
      /^v2 → v\d+ {2}\+1 −1 ~1\n\+ Get a key {2}\(t3\)\n− Write it {2}\(t2\)\n~ Read the spec {2}\(t1\) {2}\w+ → done \(claimed\)\n$/,
    );
    expect(await cairn(story, ['diff', '2', '99'])).toMatchObject({ code: 1, stderr: expect.stringContaining('no version 99') });
  });

  it('in the inbox is marked as seen, many at once, by the beginning of their ids', async () => {
    const story = await landed();
    const ids = (await story.daemon.call('inbox.list', { state: 'open' })).entries.map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(1);
    const [first = ''] = ids;
    // A mistyped one changes nothing.
    expect(await cairn(story, ['inbox', 'ack', first, 'zzz'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('cairn inbox'),
    });
    expect(await cairn(story, ['inbox', 'ack', 'i_'])).toMatchObject({ code: 64, stderr: expect.stringContaining('Type more') });
    expect((await story.daemon.call('inbox.list', { state: 'open' })).entries).toHaveLength(ids.length);
    const seen = done(await cairn(story, ['inbox', 'ack', ...ids.map((id) => id.slice(2, -1))]));
    expect(seen.trimEnd().split('\n')).toHaveLength(ids.length);
    expect(seen).toContain('acked: Landed: Ship the export');
    expect((await story.daemon.call('inbox.list', { state: 'open' })).entries).toEqual([]);
    // One that has been seen already stands in the way of none.
    expect(await cairn(story, ['inbox', 'ack', first])).toMatchObject({ code: 1, stderr: expect.stringMatching(/^cairn: /) });
  });
});

describe('a mission that goes on', () => {
  it('is answered by the beginning of an id, and told to need a person until then', async () => {
    const asking: Handler = (body) =>
      isAnswered(body, 0) ? result('painted') : call('mission_ask_attention', { question: 'Which colour?' });
    const story = await tellStory(asking);
    const { id } = await fire(story, { planner: 'never', items: [{ title: 'Paint' }] });
    const entry = await openEntry(story, id, 'question');
    const report = done(await cairn(story, ['report', '--session', id]));
    expect(report).toMatch(new RegExp(`Needs a person \\(1\\)\\n.*Which colour\\?\\n.*cairn inbox answer ${entry.id} TEXT`));
    expect(done(await cairn(story, ['inbox', 'answer', entry.id.slice(0, -2), 'red']))).toBe('answered: red\n');
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'landed' });
  });

  it('is finished from outside, once', async () => {
    const story = await tellStory(() => blocker('no key'));
    const { id } = await fire(story, { planner: 'never', items: [{ title: 'Only' }] });
    await openEntry(story, id, 'blocker');
    expect(await cairn(story, ['finish', id, 'landed', 'I say so'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('open'),
    });
    expect(await cairn(story, ['finish', id, 'gone', 'x'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('derailed'),
    });
    expect(done(await cairn(story, ['finish', id, 'derailed', 'no', 'longer', 'wanted']))).toBe('✗ derailed  Ship the export\n');
    expect(await outcomeOf(story, id)).toMatchObject({ outcome: 'derailed', outcomeReason: 'no longer wanted' });
    expect(done(await cairn(story, ['list']))).toContain('derailed');
    expect(await cairn(story, ['finish', id, 'stuck', 'x'])).toMatchObject({ code: 1, stderr: expect.stringContaining('final') });
  });
});

describe('revisions', () => {
  it('are gone back to by a new one, which can be taken back', async () => {
    const story = await tellStory(() => say('unused'));
    const { id, planVersion } = await story.session();
    await story.daemon.call('plan.addItem', { sessionId: id, title: 'Third' });
    expect(done(await cairn(story, ['diff', String(planVersion)]))).toMatch(/\+ Third/);
    const reverted = done(await cairn(story, ['revert', `v${planVersion}`, '--session', id]));
    const titles = async (): Promise<string[]> =>
      (await story.daemon.call('plan.get', { sessionId: id })).items.map(({ title }) => title);
    expect(await titles()).toEqual(['First', 'Second']);
    const [, back = ''] = /Take it back with: cairn (.*)/.exec(reverted) ?? [];
    done(await cairn(story, back.split(' ')));
    expect(await titles()).toEqual(['First', 'Second', 'Third']);
    const { version } = await story.daemon.call('plan.get', { sessionId: id });
    expect(done(await cairn(story, ['revert', String(version)]))).toContain('Nothing to change');
  });
});

describe('cairn new', () => {
  it('takes a profile and says when a resident planner is woken', async () => {
    const story = await tellStory(() => say('unused'));
    const made = await cairn(story, ['new', 'Ship', '--profile', 'solo', '--planner', 'on_blocked', '--json']);
    expect(dataOf(made, 'session', sessionSchema)).toMatchObject({
      profile: 'solo',
      isMission: false,
      planner: { mode: 'on_blocked', state: 'idle' },
    });
  });
});

describe('wrong usage of these ends with 64', () => {
  it.each([
    [['plan'], /requirements document/],
    [['plan', 'x', '--session', 's', '--model', 'm'], /new session/],
    [['report', '--since', 'the other day'], /yesterday/],
    [['diff', 'first'], /v3 or 3/],
    [['finish', 's_1', 'landed'], /missing required argument 'reason'/],
    [['new', 'Ship', '--planner', 'sometimes'], /never, on_blocked, always/],
    [['inbox', 'ack'], /missing required argument 'id'/],
  ])('%s', async (args, message) => {
    const home = join(import.meta.dirname, 'no-home');
    expect(await cairn({ home, workspace: import.meta.dirname }, args)).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringMatching(message),
    });
  });
});
