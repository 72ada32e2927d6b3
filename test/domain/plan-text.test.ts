import { describe, expect, it } from 'vitest';
import { PlanDraft } from '../../daemon/domain/plan-draft.js';
import { emptyPlan } from '../../daemon/domain/plan.js';
import { spreadPositions } from '../../daemon/domain/plan-order.js';
import { cleanPatch, cleanText, newItem, type TextKind } from '../../daemon/domain/plan-text.js';
import { updateItem } from '../../daemon/domain/plan-edit.js';
import { revise } from '../../daemon/domain/plan-revise.js';
import { planLimits, type Item, type ItemPatch, type ItemText } from '../../shared/plan.js';
import { change, id, itemOf, planOf, refusalOf, valueOf } from './plan-samples.js';

describe('texts of a plan', () => {
  it('has one kind of line break, composed prose and trimmed titles', () => {
    expect(valueOf(cleanText('detail', 'a\r\nb\rc'))).toBe('a\nb\nc');
    expect(valueOf(cleanText('title', '  cafe\u0301\n'))).toBe('café');
    expect(valueOf(cleanText('note', 'e\u0301'))).toBe('é');
  });

  it('leaves what a shell or a file system reads as it is', () => {
    expect(valueOf(cleanText('command', ' cat cafe\u0301 '))).toBe(' cat cafe\u0301 ');
    expect(valueOf(cleanText('path', 'cafe\u0301.md'))).toBe('cafe\u0301.md');
  });

  it('counts code points after normalisation', () => {
    expect(valueOf(cleanText('title', '😀'.repeat(planLimits.title)))).toHaveLength(2 * planLimits.title);
    expect(valueOf(cleanText('title', 'e\u0301'.repeat(planLimits.title)))).toHaveLength(planLimits.title);
    expect(valueOf(cleanText('detail', '\r\n'.repeat(planLimits.detail)))).toHaveLength(planLimits.detail);
  });

  it.each<[TextKind, number]>([
    ['title', planLimits.title],
    ['detail', planLimits.detail],
    ['goal', planLimits.goal],
    ['note', planLimits.note],
    ['command', planLimits.command],
    ['verify', planLimits.listEntry],
    ['explanation', planLimits.explanation],
  ])('refuses a %s that is too long, with its length and the limit', (kind, limit) => {
    const refusal = refusalOf(cleanText(kind, 'x'.repeat(limit + 1)));
    expect(refusal.kind).toBe('limit_exceeded');
    expect(refusal.message).toBe(`${kind} is ${limit + 1} characters long; the limit is ${limit}.`);
    expect(refusal.data).toMatchObject({ field: kind, length: limit + 1, limit });
  });

  it.each<[string, TextKind, string, string]>([
    ['a title of two lines', 'title', 'one\ntwo', 'title must be one line.'],
    ['a title with a line separator', 'title', 'one\u2028two', 'title must be one line.'],
    ['a tab in a title', 'title', 'one\ttwo', 'U+0009'],
    ['NUL', 'detail', 'a\0b', 'U+0000'],
    ['an escape sequence', 'note', 'a\u001b[31mb', 'U+001B'],
    ['a C1 control', 'command', 'a\u009bb', 'U+009B'],
    ['half a character', 'detail', 'a\ud800b', 'lone surrogate'],
  ])('refuses %s', (_what, kind, text, message) => {
    const refusal = refusalOf(cleanText(kind, text));
    expect(refusal.kind).toBe('invalid_params');
    expect(refusal.message).toContain(message);
  });

  it('tells where the rest of a title belongs', () => {
    expect(refusalOf(cleanText('title', 'one\ntwo')).data?.hint).toContain('detail');
  });

  it.each<[string, ItemPatch, string, string]>([
    ['an empty title', { title: ' ' }, 'invalid_params', 'title must not be empty'],
    ['too many checks', { verify: Array<string>(51).fill('x') }, 'limit_exceeded', 'verify has 51 entries; the limit is 50'],
    [
      'too many files',
      { relevantFiles: Array.from({ length: 51 }, () => ({ path: 'a', action: 'read' as const })) },
      'limit_exceeded',
      'relevantFiles has 51',
    ],
    ['a file without a path', { relevantFiles: [{ path: ' ', action: 'read' }] }, 'invalid_params', 'relevantFiles.0.path'],
    ['a long entry', { acceptance: ['ok', 'x'.repeat(2_001)] }, 'limit_exceeded', 'acceptance.1 is 2001'],
    ['a scope of two lines', { scope: { included: ['a\nb'], excluded: [] } }, 'invalid_params', 'scope.included.0'],
  ])('refuses %s and names the field', (_what, patch, kind, message) => {
    const refusal = refusalOf(cleanPatch(patch));
    expect(refusal.kind).toBe(kind);
    expect(refusal.message).toContain(message);
  });
});

const add = (text: ItemText, author: 'person' | 'planner' | 'import' = 'person') =>
  newItem(new PlanDraft(emptyPlan), text, author);

describe('a new item', () => {
  it('is pending, of medium priority, and run by the model', () => {
    expect(valueOf(add({ title: 'Write it' }))).toEqual({
      id: 't1',
      parentId: null,
      title: 'Write it',
      status: 'pending',
      priority: 'medium',
      acceptance: [],
      executor: 'model',
    });
  });

  it('is run by its command when it has one, and says who wrote that', () => {
    expect(valueOf(add({ title: 'Test', command: 'npm test' }, 'planner'))).toMatchObject({
      executor: 'command',
      origin: 'planner',
    });
    expect(valueOf(add({ title: 'Test', command: 'npm test', executor: 'agent' }))).toMatchObject({ executor: 'agent' });
    expect(valueOf(add({ title: 'Test', verify: ['npm test'] }, 'import'))).toMatchObject({
      executor: 'model',
      origin: 'import',
    });
  });

  it('has no field that says nothing', () => {
    const item = valueOf(
      add({
        title: 'x',
        detail: ' \n',
        note: '',
        command: '',
        verify: [''],
        relevantFiles: [],
        scope: { included: [], excluded: [] },
        repeatable: false,
      }),
    );
    expect(Object.keys(item).sort()).toEqual(['acceptance', 'executor', 'id', 'parentId', 'priority', 'status', 'title']);
  });

  it('cannot be run by a command that it does not have', () => {
    const refusal = refusalOf(add({ title: 'x', executor: 'command' }));
    expect(refusal.kind).toBe('invalid_params');
    expect(refusal.message).toContain('executor is command');
  });
});

describe('who answers for a command', () => {
  const imported = planOf([]);
  const withBoth = change(imported, (draft) =>
    revise(draft, { entries: [{ title: 'x', command: 'make', verify: ['make check'] }], author: 'person', origin: 'import' }),
  );
  const update = (patch: ItemPatch, author: 'person' | 'planner') =>
    itemOf(
      change(withBoth, (draft) => updateItem(draft, { itemId: id('t1'), ...patch }, author)),
      't1',
    ).origin;

  it('is its last writer', () => {
    expect(update({ command: 'make all', verify: ['true'] }, 'person')).toBe('person');
    expect(update({ command: 'make all', verify: [] }, 'person')).toBe('person');
    expect(update({ verify: ['true'] }, 'planner')).toBe('planner');
  });

  it('stays the import while one of its commands is left as it was', () => {
    expect(update({ verify: ['true'] }, 'person')).toBe('import');
    expect(update({ title: 'y' }, 'person')).toBe('import');
  });

  it('is nobody when no command is left', () => {
    expect(update({ command: null, verify: [] }, 'person')).toBeUndefined();
  });
});

describe('positions', () => {
  const at = (...positions: number[]): number[] =>
    spreadPositions(positions.map((position) => ({ position }) as Item)).map((item) => item.position);

  it('are kept by as many siblings as can', () => {
    expect(at(1, 2, 3)).toEqual([1, 2, 3]);
    expect(at(4, 1, 2, 3)).toEqual([1 - 1024, 1, 2, 3]);
    expect(at(1, Number.NaN, Number.NaN, 4)).toEqual([1, 2, 3, 4]);
    expect(at(-5, 0, Number.NaN)).toEqual([-5, 0, 1024]);
    expect(at(2, 2, 3)).toEqual([2 - 1024, 2, 3]);
  });

  it('are spread anew where there is no room', () => {
    const next = 1 + Number.EPSILON;
    expect(at(1, Number.NaN, next)).toEqual([1024, 2048, 3072]);
  });
});
