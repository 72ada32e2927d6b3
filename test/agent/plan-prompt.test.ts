import { estimateTokenCount } from 'tokenx';
import { describe, expect, it } from 'vitest';
import { planPrompt } from '../../daemon/agent/prompts.js';
import { addItem, setStatus } from '../../daemon/domain/plan-edit.js';
import { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { emptyPlan, type Plan } from '../../daemon/domain/plan.js';
import { unwrap } from '../../shared/errors.js';
import type { Report } from '../../shared/mission.js';
import type { Item } from '../../shared/plan.js';

function planOf(fill: (draft: PlanDraft) => void): Plan {
  const draft = new PlanDraft(emptyPlan);
  draft.setGoal('Ship the export');
  fill(draft);
  return draft.finish('person', null)?.plan ?? emptyPlan;
}

const wide = (count: number): Plan =>
  planOf((draft) => {
    const first = unwrap(addItem(draft, { title: 'Leaf 00000', detail: 'What is to be done.' }, 'person'));
    const item = (i: number): Item => ({
      ...first,
      id: `t${i + 1}` as Item['id'],
      title: `Leaf ${String(i).padStart(5, '0')}`,
      position: i + 1,
    });
    draft.rebuild(Array.from({ length: count }, (_, i) => ({ item: item(i), children: [] })));
  });

const promptOf = (plan: Plan, item: Item, handovers: Report[] = []): string =>
  planPrompt({ plan, item, attempt: 1, handovers, order: {} });

describe('the prompt of a leaf', () => {
  it('names goal and path first, then the leaf, its neighbours, the counts and how to end', () => {
    let leaf: Item | undefined;
    const plan = planOf((draft) => {
      const section = unwrap(addItem(draft, { title: 'Write' }, 'person'));
      const add = (title: string, more = {}): Item => unwrap(addItem(draft, { title, parentId: section.id, ...more }, 'person'));
      const done = add('Quote');
      unwrap(setStatus(draft, { itemId: done.id, status: 'done' }));
      leaf = add('Stream', {
        detail: 'Row by row.',
        acceptance: ['flat memory'],
        scope: { included: ['src'], excluded: ['docs'] },
        verify: ['npm test'],
      });
      add('Document');
    });
    const lines = promptOf(plan, leaf as Item).split('\n');
    expect(lines.slice(0, 2)).toEqual(['Goal: Ship the export', 'Your item: 1.2 Write > Stream']);
    const text = lines.join('\n');
    for (const part of [
      'Row by row.',
      '- flat memory',
      '- npm test',
      '- src',
      '- docs',
      '[done] Quote',
      '[pending] Document',
      'Of 3 items 1 are done.',
      'Next comes: Document',
      'mission_report',
      'BLOCKED: reason',
    ]) {
      expect(text).toContain(part);
    }
  });

  it('has the same size in a plan of ten and of ten thousand', () => {
    const tokens = [10, 10_000].map((count) => {
      const plan = wide(count);
      return estimateTokenCount(promptOf(plan, plan.tree[count / 2]?.item as Item));
    });
    expect((tokens[1] as number) / (tokens[0] as number)).toBeLessThanOrEqual(1.05);
  });

  it('builds on the last three results, however many and long they are', () => {
    const plan = wide(10);
    const report = (n: number): Report => ({
      id: `p${n}`,
      sessionId: 's' as Report['sessionId'],
      runId: null,
      itemId: null,
      kind: 'result',
      summary: `summary ${n} ${'x'.repeat(5_000)}`,
      byRuntime: false,
      at: '',
    });
    const text = promptOf(plan, plan.tree[5]?.item as Item, [1, 2, 3, 4, 5].map(report));
    expect(text).not.toContain('summary 2 ');
    expect(text).toContain('summary 5 ');
    expect(text.length).toBeLessThan(6_000);
  });
});
