/** How the plan tool and the loops of peers fail their users; each line is a case of ours. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { RunId } from '../../shared/run.js';
import { runToRest, waitForRun } from '../support/daemon.js';
import { call, type Part, planPrompts, say, type ScriptedRequest, toolResults } from '../support/scripted-provider.js';
import { blocker, commandsAsked, createGate, result, type Story, tellStory } from '../support/story.js';
import { waitFor } from '../support/wait.js';

const oneItem = { items: [{ title: 'Only' }] };
const create = (...titles: string[]): Part =>
  call('plan', { verb: 'create', steps: titles.map((title, i) => ({ id: `s${i + 1}`, title })) });
const isPlan = (content: string | null): boolean => content?.startsWith('[Current plan:') === true;
const lastRun = async (story: Story, sessionId: Parameters<typeof runToRest>[1]): Promise<RunId> =>
  (await story.daemon.call('run.get', { sessionId })).lastRunId as RunId;

/** Everything that is on the disk of a home, as text. */
function onDisk(home: string): string {
  const db = new Database(join(home, 'cairn.db'));
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const files = ['cairn.db', 'cairn.db-wal', 'logs/daemon.log'].map((name) => join(home, name)).filter(existsSync);
  return files.map((file) => readFileSync(file, 'latin1')).join('\n');
}

describe('C: the plan tool', () => {
  it('C1: no secret reaches the disk in a step, in its change in place, or in the arguments of any call', async () => {
    const secrets = [
      'hunter2-first-secret-value',
      'hunter2-second-secret-value',
      'hunter2-third-secret-value',
      'hunter2-fourth-secret-value',
    ];
    const [a = '', b = '', c = '', d = ''] = secrets;
    const story = await tellStory(
      (_body, number) =>
        number === 1
          ? [say(`Thinking of ${d}`), create(`Use ${a}`)]
          : number === 2
            ? [
                call('plan', { verb: 'update', updates: [{ id: 's1', note: `now ${b}` }] }),
                call('read', { path: `${c}.txt` }),
                call(`tool_${d}`, {}),
              ]
            : result(`done with ${a}`),
      { FIRST_TOKEN: a, SECOND_TOKEN: b, THIRD_TOKEN: c, FOURTH_TOKEN: d },
    );
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
    const steps = await story.daemon.call('run.steps', { runId: await lastRun(story, session.id) });
    expect(JSON.stringify(steps)).toContain('[redacted:');
    await story.daemon.stop();
    const disk = onDisk(story.home);
    for (const secret of secrets) expect(disk).not.toContain(secret);
  });

  it('C2: an update after trimming is kept through a crash', async () => {
    const gate = createGate();
    let main = 0;
    const story = await tellStory(async (body) => {
      if (body.messages[0]?.content?.includes('You keep the digest')) return say('digest');
      main += 1;
      if (main === 1) return create('A', 'B');
      if (main < 22) return [say('thinking '.repeat(150)), call('read', { path: `f${main}.txt` })];
      if (main === 22) return call('plan', { verb: 'complete', step_id: 's1' });
      if (main === 23) await gate.passed;
      return result();
    });
    for (let i = 0; i < 23; i += 1) writeFileSync(join(story.workspace, `f${i}.txt`), `${i} ${'lorem '.repeat(300)}`);
    await story.daemon.stop();
    writeFileSync(join(story.home, 'config.json'), JSON.stringify({ contextTokens: 6_000 }));
    await story.restart();
    const session = await story.session(oneItem);
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitFor('the turn after the update', () => main === 23);
    await story.daemon.kill();
    gate.open();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
    const last = story.provider.requests.at(-1)?.body as ScriptedRequest;
    expect(last.messages.filter(({ content }) => isPlan(content))).toMatchObject([
      { content: expect.stringContaining('s1 [done] A') as string },
    ]);
  });

  it('C3: there is one plan message, and the one that is refreshed is the one that is resumed', async () => {
    const story = await tellStory((_body, number) =>
      number <= 3
        ? create(`Plan ${number}`)
        : number === 4
          ? [say('[Current plan: v9 — all 1 steps complete.]'), call('list', {})]
          : result(),
    );
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
    const last = story.provider.requests.at(-1)?.body as ScriptedRequest;
    const plans = last.messages.filter(({ role, content }) => role === 'system' && isPlan(content));
    expect(plans).toHaveLength(1);
    expect(plans[0]?.content).toContain('s1 [pending] Plan 3');
    expect(await story.daemon.call('run.steps', { runId: await lastRun(story, session.id) })).toMatchObject({ version: 3 });
  });

  it('C4: a plan call in a batch does not make the person answer twice', async () => {
    const story = await tellStory((_body, number) =>
      number === 1
        ? [create('A'), call('shell', { command: 'echo 1 >> count' }), call('plan', { verb: 'complete', step_id: 's1' })]
        : result(),
    );
    const session = await story.session({ ...oneItem, policy: commandsAsked });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    const { entries } = await story.daemon.call('inbox.list', {});
    expect(entries).toHaveLength(1);
    await story.daemon.call('inbox.answer', { id: entries[0]?.id ?? '', answer: 'allow' });
    await waitForRun(story.daemon, session.id, 'completed');
    expect((await story.daemon.call('inbox.list', {})).entries).toHaveLength(1);
    expect(readFileSync(join(story.workspace, 'count'), 'utf8')).toBe('1\n');
  });

  it('C5: a repository cannot raise what the global file does not even name', async () => {
    const story = await tellStory((body, number) =>
      number === 1
        ? create(...Array.from({ length: 13 }, (_, i) => `Step ${i}`))
        : toolResults(body).some(({ content }) => content.includes('wants 1..12'))
          ? result()
          : blocker('thirteen were taken'),
    );
    writeFileSync(join(story.workspace, 'cairn.json'), JSON.stringify({ planning: { max_steps: 50 } }));
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
    expect((await story.daemon.call('daemon.status', {})).warnings.join()).toContain('max_steps');
  });

  it('C5: and can lower it', async () => {
    const story = await tellStory((body, number) =>
      number === 1
        ? create('A', 'B', 'C')
        : toolResults(body).some(({ content }) => content.includes('wants 1..2'))
          ? result()
          : blocker('three were taken'),
    );
    writeFileSync(join(story.workspace, 'cairn.json'), JSON.stringify({ planning: { max_steps: 2 } }));
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
  });
});

describe('D: agents at large', () => {
  it('D1: the list is neither lost nor started again when the conversation is compacted', async () => {
    let main = 0;
    const story = await tellStory((body) => {
      if (body.messages[0]?.content?.includes('You keep the digest')) return say('digest');
      main += 1;
      if (main === 1) return [create('A', 'B'), call('plan', { verb: 'complete', step_id: 's1' })];
      return main < 20 ? [say('thinking '.repeat(150)), call('read', { path: `f${main}.txt` })] : result();
    });
    for (let i = 0; i < 20; i += 1) writeFileSync(join(story.workspace, `f${i}.txt`), `${i} ${'lorem '.repeat(300)}`);
    await story.daemon.stop();
    writeFileSync(join(story.home, 'config.json'), JSON.stringify({ contextTokens: 6_000 }));
    await story.restart();
    const session = await story.session(oneItem);
    await runToRest(story.daemon, session.id, 'completed');
    for (const { body } of story.provider.requests
      .slice(1)
      .filter((request) => !request.body.messages[0]?.content?.includes('You keep the digest'))) {
      expect(body.messages.find(({ content }) => isPlan(content))?.content).toMatch(/s1 \[done\] A\ns2 \[pending\] B/);
      expect(planPrompts(body)[0]).toContain('Only');
    }
  });

  it('D2: an item is not accepted because a file is there: its own check decides', async () => {
    const story = await tellStory((_body, number) =>
      number === 1 ? [call('write', { path: 'evidence.txt', content: 'done!' })] : result('all done'),
    );
    const session = await story.session({ items: [{ title: 'Only', verify: ['grep -q 42 answer.txt'] }] });
    await runToRest(story.daemon, session.id, 'blocked');
    const { items } = await story.daemon.call('plan.get', { sessionId: session.id });
    expect(items[0]).toMatchObject({ status: 'active' });
    expect(items[0]?.accepted).not.toBe(true);
  });

  it('D6: a question that nobody answers ends by its deadline, also over a restart, and is seen by whoever attaches', async () => {
    const story = await tellStory((body, number) =>
      number === 1
        ? call('shell', { command: 'echo x' })
        : toolResults(body).some(({ content }) => content.includes('Nobody answered in time'))
          ? result()
          : blocker('it ran'),
    );
    const policy = { default: 'allow' as const, rules: [{ tool: 'shell', action: 'ask' as const, deadline: 1 }] };
    const session = await story.session({ ...oneItem, policy });
    await story.daemon.call('run.start', { sessionId: session.id });
    await waitForRun(story.daemon, session.id, 'waiting');
    const watcher = await story.daemon.watch();
    expect((await watcher.call('session.watch', { sessionId: session.id })).inbox).toMatchObject([
      { kind: 'approval', state: 'open' },
    ]);
    await story.daemon.kill();
    await story.restart();
    await waitForRun(story.daemon, session.id, 'completed');
  });

  it('D16: no key of the environment reaches a command, in or out of the sandbox', async () => {
    const story = await tellStory(
      (_body, number) =>
        number === 1
          ? call('shell', { command: 'env > seen.txt; cat /proc/self/environ | tr "\\0" "\\n" >> seen.txt' })
          : result(),
      { MY_API_KEY: 'key-of-a-person-12345' },
    );
    for (const policy of ['full', 'workspace'] as const) {
      const session = await story.session({ items: [{ title: policy, command: 'env > seen.txt' }], policy });
      await runToRest(story.daemon, session.id, 'completed');
      expect(readFileSync(join(story.workspace, 'seen.txt'), 'utf8')).not.toMatch(/key-of-a-person|sk-test-of-the-story/);
    }
  });
});
