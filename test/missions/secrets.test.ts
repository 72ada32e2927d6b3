/** A key that a planner or a worker of a mission writes down anywhere is not kept. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fire, openEntry, outcomeOf } from '../support/mission-story.js';
import { briefOf, isPlanner, isWoken } from '../support/planning-model.js';
import { call, say, toolResults } from '../support/scripted-provider.js';
import { tellStory } from '../support/story.js';

/** The key of the story's own daemon: the best known of all secrets. */
const key = 'sk-test-of-the-story-1234567890';

describe('a key in what a mission writes', () => {
  it('is in no plan, explanation, report, question, answer, note, child or outcome that is stored', async () => {
    const story = await tellStory((body) => {
      const results = toolResults(body).length;
      if (!isPlanner(body)) {
        if (results === 0) return call('mission_ask_attention', { question: `Is ${key} right?`, default: `use ${key}` });
        return call('mission_report', { kind: 'result', summary: `used ${key}`, handover: { outcome: key, artifacts: [key] } });
      }
      if (!isWoken(body))
        return results === 1 ? call('mission_fire', { goal: `Below ${key}`, acceptance: [key] }) : say(`ok ${key}`);
      if (briefOf(body).includes('has been fired')) {
        const entries = [
          { title: `Use ${key}`, detail: key, acceptance: [key] },
          { title: 'Other', command: 'true' },
        ];
        return call('mission_plan', { entries, explanation: `because of ${key}` });
      }
      return briefOf(body).includes('Every item')
        ? call('mission_finish', { outcome: 'derailed', reason: `it was ${key}` })
        : say('ok');
    });
    const { id } = await fire(story, { acceptance: [`Not ${key}`] });
    const question = await openEntry(story, id, 'question');
    await story.daemon.call('inbox.answer', { id: question.id, answer: `yes, ${key}` });
    await outcomeOf(story, id);
    await story.daemon.stop();
    const files = await Promise.all(
      ['cairn.db', 'cairn.db-wal', 'logs/daemon.log'].map((name) => readFile(join(story.home, name), 'latin1').catch(() => '')),
    );
    const stored = files.join('');
    expect(stored).toContain('because of');
    expect(stored).toContain('Below');
    expect(stored.split(key)).toHaveLength(1);
  });
});
