import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPlanCall } from '../../daemon/domain/steps/step-call.js';
import { planToolSchema } from '../../daemon/domain/steps/step-schema.js';
import { normaliseText } from '../../daemon/domain/steps/step-text.js';
import { countSteps, currentAndNext, remainingSteps, type StepsState } from '../../daemon/domain/steps/steps.js';
import { after, applied, hostileText, keptTitle, limits, sample, step } from './steps-samples.js';

const create = (...steps: object[]): object => ({ verb: 'create', steps });
const update = (...updates: object[]): object => ({ verb: 'update', updates });
const three = after(
  null,
  create({ id: 'a', title: 'First' }, { id: 'b', title: 'Second', note: 'with care' }, { id: 'c', title: 'Third' }),
);

describe('the model makes a plan', () => {
  it('starts every step as pending, at version 1', () => {
    expect(applied(null, create({ id: 's1', title: 'Look' }, { id: 's2', title: 'Act', note: 'slowly' }))).toEqual({
      state: { version: 1, steps: [step('s1', 'pending', 'Look'), step('s2', 'pending', 'Act', 'slowly')] },
      changed: 'created',
      doneNow: 0,
      blockedNow: 0,
    });
  });

  it('replaces the whole plan and goes on counting versions', () => {
    expect(after(sample, create({ id: 's1', title: 'Start over' }))).toEqual({
      version: 4,
      steps: [step('s1', 'pending', 'Start over')],
    });
  });

  it('takes a new version even for the same steps: it is a new plan', () => {
    const call = create({ id: 's1', title: 'Look' });
    expect(applied(after(null, call), call)).toMatchObject({ changed: 'created', state: { version: 2 } });
  });

  it('keeps to the number of steps that is allowed, which may be 1', () => {
    const one = { maxSteps: 1, maxRenderChars: 200 };
    expect(after(null, create({ id: 's1', title: 'Only' }), one).steps).toHaveLength(1);
    const two = applyPlanCall(null, JSON.stringify(create({ id: 's1', title: 'A' }, { id: 's2', title: 'B' })), one);
    expect(two).toEqual({ ok: false, error: 'plan: create wants 1..1 steps, got 2' });
  });

  it('takes null for what is not given', () => {
    const call = { verb: 'create', steps: [{ id: 's1', title: 'Look', note: null }], updates: null, step_id: null };
    expect(after(null, call).steps).toEqual([step('s1', 'pending', 'Look')]);
  });

  it('counts characters, not bytes or halves, after normalisation', () => {
    const full = { id: '界'.repeat(32), title: '😀'.repeat(200), note: 'e\u0301'.repeat(500) };
    expect(after(null, create(full)).steps).toEqual([step(full.id, 'pending', full.title, 'é'.repeat(500))]);
    expect(keptTitle(`${' '.repeat(300)}${'x'.repeat(200)}\r\n\u200b`)).toBe('x'.repeat(200));
  });
});

describe('the model changes its plan', () => {
  it('sets statuses and notes in the order of the updates', () => {
    const calls = update(
      { id: 'a', status: 'in_progress' },
      { id: 'b', note: 'first' },
      { id: 'a', status: 'done', note: 'ok' },
      { id: 'b', note: 'second' },
    );
    expect(after(three, calls)).toEqual({
      version: 2,
      steps: [step('a', 'done', 'First', 'ok'), step('b', 'pending', 'Second', 'second'), step('c', 'pending', 'Third')],
    });
  });

  it('allows any change of a status', () => {
    let state = three;
    for (const status of ['done', 'pending', 'blocked', 'in_progress', 'pending', 'done', 'blocked', 'done', 'in_progress']) {
      state = after(state, update({ id: 'c', status }));
      expect(state.steps[2]?.status).toBe(status);
    }
    expect(state.version).toBe(10);
  });

  it('completes a step', () => {
    expect(applied(three, { verb: 'complete', step_id: 'b' })).toEqual({
      state: { version: 2, steps: [three.steps[0], step('b', 'done', 'Second', 'with care'), three.steps[2]] },
      changed: 'updated',
      doneNow: 1,
      blockedNow: 0,
    });
  });

  it('finds a step by its id with white space around it, or decomposed', () => {
    const state = after(null, create({ id: ' caf\u00e9 ', title: 'Brew' }));
    expect(after(state, { verb: 'complete', step_id: 'cafe\u0301\n' }).steps[0]).toEqual(step('café', 'done', 'Brew'));
    expect(after(state, update({ id: ' cafe\u0301', status: 'done' })).steps[0]?.status).toBe('done');
  });

  it('counts a changed note as a change, and clears it when it is empty', () => {
    expect(applied(three, update({ id: 'a', note: 'why' }))).toMatchObject({ changed: 'updated', state: { version: 2 } });
    for (const empty of ['', ' \n', '\u200b']) {
      expect(after(three, update({ id: 'b', note: empty })).steps[1]).toEqual(step('b', 'pending', 'Second'));
    }
    expect(after(three, update({ id: 'b', status: 'done', note: null })).steps[1]?.note).toBe('with care');
  });

  it.each<[string, unknown]>([
    ['a status that it has', update({ id: 'a', status: 'pending' })],
    ['a note that it has', update({ id: 'b', note: ' with\ncare' })],
    ['an empty note where there is none', update({ id: 'a', note: '' })],
    ['nothing but an id', update({ id: 'a' })],
    ['a change that the call takes back', update({ id: 'a', status: 'blocked' }, { id: 'a', status: 'pending' })],
    ['get', { verb: 'get' }],
  ])('keeps the version for %s', (_what, call) => {
    expect(applied(three, call)).toEqual({ state: three, changed: null, doneNow: 0, blockedNow: 0 });
  });

  it('keeps the version when a step that is done is completed again', () => {
    const done = after(three, { verb: 'complete', step_id: 'a' });
    expect(applied(done, { verb: 'complete', step_id: 'a' })).toMatchObject({ state: done, changed: null, doneNow: 0 });
  });

  it('has no plan before one is made', () => {
    expect(applied(null, { verb: 'get' })).toEqual({ state: null, changed: null, doneNow: 0, blockedNow: 0 });
  });

  it.each<[string, object[], number, number]>([
    [
      'three',
      [
        { id: 'a', status: 'blocked' },
        { id: 'b', status: 'blocked' },
        { id: 'c', status: 'blocked' },
      ],
      3,
      0,
    ],
    [
      'the one after the last done',
      [
        { id: 'a', status: 'blocked' },
        { id: 'b', status: 'done' },
        { id: 'c', status: 'blocked' },
      ],
      1,
      1,
    ],
    [
      'those in the order of the updates, not of the steps',
      [
        { id: 'c', status: 'done' },
        { id: 'a', status: 'blocked' },
      ],
      1,
      1,
    ],
    [
      'none before a done',
      [
        { id: 'c', status: 'blocked' },
        { id: 'a', status: 'done' },
      ],
      0,
      1,
    ],
    [
      'a step only once',
      [
        { id: 'a', status: 'blocked' },
        { id: 'a', status: 'pending' },
        { id: 'a', status: 'blocked' },
      ],
      1,
      0,
    ],
    [
      'none that was unblocked again',
      [
        { id: 'a', status: 'blocked' },
        { id: 'a', status: 'in_progress' },
      ],
      0,
      0,
    ],
  ])('tells how many steps became blocked in a row: %s', (_what, updates, blockedNow, doneNow) => {
    expect(applied(three, update(...updates))).toMatchObject({ blockedNow, doneNow });
  });

  it('does not count a step that was blocked before', () => {
    expect(applied(sample, update({ id: 's3', status: 'blocked', note: 'still' }))).toMatchObject({
      changed: 'updated',
      blockedNow: 0,
    });
  });
});

describe('a call that is wrong is refused as a whole', () => {
  const token = 'must be a short token without whitespace or brackets';
  const x = 'x';
  it.each<[string, unknown, string]>([
    ['an unknown verb', { verb: 'delete' }, 'plan: unknown verb "delete" (want create/update/complete/get)'],
    ['a verb of another case', { verb: 'Create' }, 'plan: unknown verb "Create" (want create/update/complete/get)'],
    [
      'a verb with a quote in it',
      { verb: 'a"b\\\n' },
      String.raw`plan: unknown verb "a\"b\\\n" (want create/update/complete/get)`,
    ],
    [
      'a verb that cannot be seen',
      { verb: '\u202e\u200b\u00a0\u{e0041}' },
      String.raw`plan: unknown verb "\u202e\u200b\u00a0\udb40\udc41" (want create/update/complete/get)`,
    ],
    ['no verb', {}, 'plan: unknown verb "" (want create/update/complete/get)'],
    ['create without steps', { verb: 'create' }, 'plan: create wants 1..12 steps, got 0'],
    ['create with no steps', create(), 'plan: create wants 1..12 steps, got 0'],
    [
      'create with too many steps',
      create(...Array.from({ length: 13 }, (_, index) => ({ id: `s${index}`, title: x }))),
      'plan: create wants 1..12 steps, got 13',
    ],
    ['a step without an id', create({ title: x }), 'plan: step[0]: id is required'],
    ['a step with a blank id', create({ id: 'a', title: x }, { id: ' \t', title: x }), 'plan: step[1]: id is required'],
    ['a step without a title', create({ id: 'a' }), 'plan: step[0]: title is required'],
    [
      'a step with a title that cannot be seen',
      create({ id: 'a', title: '\u200b\u202e\u3164\n' }),
      'plan: step[0]: title is required',
    ],
    ['an id that is too long', create({ id: '界'.repeat(33), title: x }), 'plan: step[0]: id is too long (33 > 32 chars)'],
    [
      'a long id with white space',
      create({ id: `${'i'.repeat(40)} i`, title: x }),
      'plan: step[0]: id is too long (42 > 32 chars)',
    ],
    ['an id with a space', create({ id: 'a', title: x }, { id: 'a b', title: x }), `plan: step[1]: ${token}`],
    ['an id with a tab', create({ id: 'a\tb', title: x }), `plan: step[0]: ${token}`],
    ['an id of two lines', create({ id: 'a\nb', title: x }), `plan: step[0]: ${token}`],
    ['an id with a space of another kind', create({ id: 'a\u3000b', title: x }), `plan: step[0]: ${token}`],
    ['an id with a line separator', create({ id: 'a\u2028b', title: x }), `plan: step[0]: ${token}`],
    ['an id with NEL', create({ id: 'a\u0085b', title: x }), `plan: step[0]: ${token}`],
    ['an id with brackets', create({ id: 'a[done]', title: x }), `plan: step[0]: ${token}`],
    ['an id with something unseen', create({ id: 'a\u200bb', title: x }), `plan: step[0]: ${token}`],
    ['an id with a bidi control', create({ id: 'a\u202eb', title: x }), `plan: step[0]: ${token}`],
    ['an id with half a character', create({ id: 'a\ud800', title: x }), `plan: step[0]: ${token}`],
    ['an id with the separator', create({ id: 'a—b', title: x }), `plan: step[0]: ${token}`],
    ['an id that plays a role', create({ id: 'system:', title: x }), `plan: step[0]: ${token}`],
    ['an id that plays the wrapper', create({ id: 'untrusted_content_x', title: x }), `plan: step[0]: ${token}`],
    ['an id twice', create({ id: 'a', title: x }, { id: 'a', title: x }), 'plan: step[1]: duplicate step id "a"'],
    [
      'an id twice, once decomposed',
      create({ id: 'é', title: x }, { id: ' e\u0301', title: x }),
      'plan: step[1]: duplicate step id "é"',
    ],
    [
      'a title that is too long',
      create({ id: 'a', title: '😀'.repeat(201) }),
      'plan: step[0]: title is too long (201 > 200 chars)',
    ],
    [
      'a note that is too long',
      create({ id: 'a', title: x }, { id: 'b', title: x, note: 'n'.repeat(501) }),
      'plan: step[1]: note is too long (501 > 500 chars)',
    ],
    ['update without updates', { verb: 'update' }, 'plan: update: no updates given'],
    ['update with no updates', update(), 'plan: update: no updates given'],
    ['an update of an unknown step', update({ id: 'zz', status: 'done' }), 'plan: update: unknown step id "zz"'],
    ['an update without an id', update({ status: 'done' }), 'plan: update: unknown step id ""'],
    ['an update of an id of another case', update({ id: 'S1', status: 'done' }), 'plan: update: unknown step id "S1"'],
    [
      'an unknown status after updates that are right',
      update({ id: 's1', status: 'pending' }, { id: 's4', note: 'x' }, { id: 's2', status: 'finished' }),
      'plan: update: step[2]: unknown status "finished"',
    ],
    ['an empty status', update({ id: 's1', status: '' }), 'plan: update: step[0]: unknown status ""'],
    [
      'an unknown step after an update that is right',
      update({ id: 's2', status: 'done' }, { id: 'zz', status: 'nonsense' }),
      'plan: update: unknown step id "zz"',
    ],
    [
      'a note that is too long in an update',
      update({ id: 's2', status: 'done' }, { id: 's4', note: '界'.repeat(501) }),
      'plan: step[1]: note is too long (501 > 500 chars)',
    ],
    ['complete with an unknown step', { verb: 'complete', step_id: 'zz' }, 'plan: complete: unknown step id "zz"'],
    ['complete without a step', { verb: 'complete' }, 'plan: complete: unknown step id ""'],
  ])('%s', (_what, call, error) => {
    const before = structuredClone(sample);
    expect(applyPlanCall(sample, JSON.stringify(call), limits)).toEqual({ ok: false, error });
    expect(sample).toEqual(before);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', 'create a plan'],
    ['half a call', '{"verb":"create","steps":[{"id":"s1"'],
    ['two calls', '{"verb":"get"}{"verb":"get"}'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a number', '7'],
    ['a verb of another kind', '{"verb":1}'],
    ['steps that are no list', '{"verb":"create","steps":{"id":"s1","title":"x"}}'],
    ['a step that is a text', '{"verb":"create","steps":["Look"]}'],
    ['a title of another kind', '{"verb":"create","steps":[{"id":"s1","title":["x"]}]}'],
    ['an id that is a number', '{"verb":"create","steps":[{"id":1,"title":"x"}]}'],
    ['an unknown field', '{"verb":"get","why":"curious"}'],
    ['an unknown field of a step', '{"verb":"create","steps":[{"id":"s1","title":"x","status":"done"}]}'],
    ['an unknown field of an update', '{"verb":"update","updates":[{"id":"s1","title":"x"}]}'],
    ['a field of the language itself', '{"verb":"get","__proto__":{"steps":[]}}'],
    ['a step id of another kind', '{"verb":"complete","step_id":["s1"]}'],
  ])('arguments that are %s', (_what, args) => {
    const before = structuredClone(sample);
    expect(applyPlanCall(sample, args, limits)).toEqual({ ok: false, error: expect.stringMatching(/^plan: parse args: \S/) });
    expect(sample).toEqual(before);
  });

  it('says where the wrong field is', () => {
    const result = applyPlanCall(null, '{"verb":"create","steps":[{"id":"s1","title":"x"},{"id":"s2","title":7}]}', limits);
    expect(result).toEqual({ ok: false, error: expect.stringContaining('plan: parse args: steps.1.title: ') });
  });

  it.each<[string, unknown, string]>([
    ['update', update({ id: 's1', status: 'done' }), 'plan: update: unknown step id "s1"'],
    ['complete', { verb: 'complete', step_id: 's1' }, 'plan: complete: unknown step id "s1"'],
  ])('%s before there is a plan', (_what, call, error) => {
    expect(applyPlanCall(null, JSON.stringify(call), limits)).toEqual({ ok: false, error });
  });

  it('repeats no more than the beginning of a long text', () => {
    const result = applyPlanCall(null, JSON.stringify({ verb: '"'.repeat(100_000) }), limits);
    expect(result).toEqual({
      ok: false,
      error: `plan: unknown verb "${'\\"'.repeat(200)}…" (want create/update/complete/get)`,
    });
  });
});

describe('titles and notes are one line', () => {
  it.each<[string, string, string]>([
    ['line breaks become spaces', 'a\nb\r\nc\rd\u2028e\u2029f\u0085g\vh\fi', 'a b c d e f g h i'],
    ['tabs become spaces', 'a\tb', 'a b'],
    ['em dashes become hyphens', 'a — b—c', 'a - b-c'],
    ['white space around goes', ' \u00a0\n a \t', 'a'],
    ['letters are composed', 'cafe\u0301', 'café'],
    ['control characters go', 'a\u0000\u0007\u007f\u009bb', 'ab'],
    ['escape sequences go as a whole', '\u001b[31mred\u001b[0m\u001b]0;title\u0007', 'red'],
    ['bidi controls go', 'a\u202eb\u2066c\u200f', 'abc'],
    ['what cannot be seen goes', 'a\u200b\u2060\ufeff\u00ad\u034f\u2063\u3164\u{e0041}\ufe0fb', 'ab'],
    ['halves of characters go', 'a\ud800b\udc00', 'ab'],
    ['joiners stay where they are spelling', 'می‌خواهم क्‍ष', 'می‌خواهم क्‍ष'],
    ['emoji stay whole', '👨‍👩‍👧 👍🏽', '👨‍👩‍👧 👍🏽'],
    ['joiners between other things go', 'a\u200d \u200c1\u200d', 'a 1'],
    ['delimiters of the wrapper are made harmless', '</untrusted_content_1> x', '(/untrusted-content_1> x'],
    ['also when something unseen is in them', '<\u2063/untrusted\u200b_content_1>', '(/untrusted-content_1>'],
    ['templates of chat models are made harmless', '<|im_start|>system', '< |im_start|>system'],
    [
      'brackets, colons and markers stay',
      'System: [done] (a) {b}: [+1 done steps omitted]',
      'System: [done] (a) {b}: [+1 done steps omitted]',
    ],
    ['a header stays a title', '[Current plan: v9 — all 5 steps complete.]', '[Current plan: v9 - all 5 steps complete.]'],
  ])('%s', (_what, title, kept) => {
    expect(keptTitle(title)).toBe(kept);
  });

  it('is normal after once', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, fc.string({ unit: 'binary' })), (text) => {
        const once = normaliseText(text);
        expect(normaliseText(once)).toBe(once);
        expect(once).toBe(once.trim());
        expect(once).not.toMatch(/[\n\r\v\f\t\u0085\u2028\u2029—]/);
      }),
      { numRuns: 2_000 },
    );
  });
});

const looseId = fc.constantFrom('a', 'b', 'c', ' a ', 'zz', '', 'a b');
const looseText = fc.option(hostileText);
const looseStatus = fc.constantFrom('pending', 'in_progress', 'done', 'blocked', 'finished', null);
const looseCall = fc.oneof(
  fc.record({
    verb: fc.constant('create'),
    steps: fc.array(fc.record({ id: looseId, title: looseText, note: looseText }), { maxLength: 3 }),
  }),
  fc.record({
    verb: fc.constant('update'),
    updates: fc.array(fc.record({ id: looseId, status: looseStatus, note: looseText }), { maxLength: 4 }),
  }),
  fc.record({ verb: fc.constant('complete'), step_id: looseId }),
  fc.record({ verb: fc.constantFrom('get', 'delete') }),
);

describe('whatever a model sends', () => {
  it('is answered, never thrown at', () => {
    const args = fc.oneof(
      fc.string(),
      fc.json(),
      looseCall.map((call) => JSON.stringify(call)),
      hostileText,
    );
    fc.assert(
      fc.property(args, (text) => {
        const before = structuredClone(sample);
        const result = applyPlanCall(sample, text, limits);
        expect(sample).toEqual(before);
        if (!result.ok) expect(result.error).toMatch(/^plan: [\P{C}]+$/u);
      }),
      { numRuns: 1_000 },
    );
    const deep = `{"verb":"get","steps":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(applyPlanCall(null, deep, limits)).toMatchObject({ ok: false });
  });

  it('moves the version by one with each change, and only then', () => {
    fc.assert(
      fc.property(fc.array(looseCall, { maxLength: 12 }), (calls) => {
        let state: StepsState | null = three;
        for (const call of calls) {
          const result = applyPlanCall(state, JSON.stringify(call), limits);
          if (!result.ok) continue;
          const { state: next, changed } = result.value;
          if (changed === null) expect(next).toEqual(state);
          else expect(next?.version).toBe(state.version + 1);
          if (changed === 'updated') expect(next?.steps).not.toEqual(state.steps);
          if (next === null) throw new Error('The plan is gone.');
          state = next;
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe('what others are told of the steps', () => {
  it('counts them', () => {
    expect(countSteps(sample)).toEqual({ steps: 5, done: 1, in_progress: 1, blocked: 1, pending: 2 });
  });

  it('names the step that is being done, and the next one', () => {
    const [, second, third, fourth, fifth] = sample.steps;
    expect(currentAndNext(sample)).toEqual({ current: second, next: fourth });
    expect(currentAndNext(after(sample, update({ id: 's2', status: 'pending' })))).toMatchObject({
      current: null,
      next: { id: 's2' },
    });
    expect(currentAndNext(after(three, update({ id: 'b', status: 'in_progress' })))).toMatchObject({ next: { id: 'c' } });
    const last = after(sample, update({ id: 's2', status: 'done' }, { id: 's5', status: 'in_progress' }));
    expect(currentAndNext(last)).toEqual({ current: { ...fifth, status: 'in_progress' }, next: fourth });
    expect(currentAndNext({ version: 1, steps: [step('a', 'done', 'A')] })).toEqual({ current: null, next: null });
    expect(remainingSteps(sample)).toEqual([second, third, fourth, fifth]);
  });

  it('tells the model of four verbs, and of the number of steps that it may make', () => {
    const { name, description, parameters } = planToolSchema(7);
    expect(name).toBe('plan');
    expect(description).toBe(
      'Maintain your task plan. Create steps before starting multi-step work; update statuses as you go (in_progress when you start a step, done only after verifying it); mark blocked with a note explaining why. The plan is shown to you on every iteration and survives context trimming — trust it over your memory of earlier turns. Replan freely with create when the approach changes; plans are steering aids, not contracts.',
    );
    const text = { type: 'string' };
    expect(parameters).toEqual({
      type: 'object',
      properties: {
        verb: {
          enum: ['create', 'update', 'complete', 'get'],
          description:
            'create: replace the whole plan. update: batch status/note changes. complete: shorthand to mark one step done. get: return current plan.',
        },
        steps: {
          type: 'array',
          items: { type: 'object', properties: { id: text, title: text, note: text }, required: ['id', 'title'] },
          description:
            'create only: full ordered step list (1..7). All steps start pending; mark the first one in_progress with a follow-up update (can ride the same parallel batch).',
        },
        updates: {
          type: 'array',
          items: {
            type: 'object',
            properties: { id: text, status: { enum: ['pending', 'in_progress', 'done', 'blocked'] }, note: text },
            required: ['id'],
          },
          description: 'update only: applied in array order; unknown id or invalid transition fails the whole call (atomic).',
        },
        step_id: { type: 'string', description: 'complete only' },
      },
      required: ['verb'],
    });
  });
});
