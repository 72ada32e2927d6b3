import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EffectClass } from '../../shared/run.js';
import { policyPresets, policySchema, type Policy, type PolicyAction, type PolicyInput } from '../../shared/mission.js';
import { matchesCommand, matchesPath, matchesPlainCommand } from '../../daemon/tools/policy-match.js';
import { confinementOf, isOffered, judge, resolvePolicy, tighten, type PolicyCall } from '../../daemon/tools/policy.js';

const bare = { sandbox: false };
const shell = (command: string): PolicyCall => ({ tool: 'shell', class: 'code_execution', command });
const read = (path: string): PolicyCall => ({ tool: 'read', class: 'safe', path });
const write = (path: string): PolicyCall => ({ tool: 'write', class: 'local_write', path });
const other: PolicyCall = { tool: 'server__send', class: 'unknown' };

describe('the presets', () => {
  test.each<[PolicyInput, boolean, Record<string, PolicyAction>]>([
    ['readonly', true, { read: 'allow', write: 'deny', shell: 'deny', other: 'deny' }],
    ['ask', true, { read: 'allow', write: 'ask', shell: 'ask', other: 'ask' }],
    ['workspace', false, { read: 'allow', write: 'allow', shell: 'ask', other: 'ask' }],
    ['workspace', true, { read: 'allow', write: 'allow', shell: 'allow', other: 'ask' }],
    ['full', false, { read: 'allow', write: 'allow', shell: 'allow', other: 'allow' }],
  ])('%s (sandbox: %s)', (preset, sandbox, expected) => {
    const actions = { read: read('a'), write: write('a'), shell: shell('ls'), other };
    const judged = Object.entries(actions).map(([name, call]) => [name, judge(preset, call, { sandbox }).action]);
    expect(Object.fromEntries(judged)).toEqual(expected);
  });

  test('ask for an hour and then say no', () => {
    expect(judge('ask', shell('ls'), bare)).toEqual({ action: 'ask', deadlineSeconds: 3_600, onDeadline: 'deny' });
  });

  test('never allow what is blocked', () => {
    for (const preset of policyPresets) expect(judge(preset, { ...other, class: 'blocked' }, bare).action).toBe('deny');
  });
});

describe('a rule', () => {
  test('that matches first decides', () => {
    const policy: PolicyInput = {
      default: 'deny',
      rules: [
        { tool: 'read', when: { path: 'secrets/**' }, action: 'ask', deadline: 60, onDeadline: 'allow' },
        { tool: '*', when: { path: '*.pem' }, action: 'deny' },
        { tool: 'read', action: 'allow' },
      ],
    };
    expect(judge(policy, read('secrets/a/b'), bare)).toEqual({ action: 'ask', deadlineSeconds: 60, onDeadline: 'allow' });
    expect(judge(policy, read('deep/down/key.pem'), bare).action).toBe('deny');
    expect(judge(policy, read('src/a.ts'), bare).action).toBe('allow');
    expect(judge(policy, write('src/a.ts'), bare).action).toBe('deny');
  });

  test('with a condition that a call has nothing for does not match', () => {
    const policy: PolicyInput = { default: 'deny', rules: [{ tool: '*', when: { path: '**' }, action: 'allow' }] };
    expect(judge(policy, other, bare).action).toBe('deny');
    const host: PolicyInput = { default: 'deny', rules: [{ tool: '*', when: { host: '*.example.test' }, action: 'allow' }] };
    expect(judge(host, { ...other, hosts: ['api.example.test'] }, bare).action).toBe('allow');
    expect(judge(host, { ...other, hosts: ['example.test.evil', 'api.example.test'] }, bare).action).toBe('deny');
    expect(judge(host, other, bare).action).toBe('deny');
  });
});

describe('a rule that allows a command', () => {
  const exact: PolicyInput = { default: 'ask', rules: [{ tool: 'shell', when: { command: 'npm test' }, action: 'allow' }] };
  const open: PolicyInput = { default: 'ask', rules: [{ tool: 'shell', when: { command: 'npm *' }, action: 'allow' }] };

  test('allows exactly that command', () => {
    expect(judge(exact, shell('npm test'), bare).action).toBe('allow');
    expect(judge(exact, shell('  npm test\n'), bare).action).toBe('allow');
    for (const command of ['npm test; rm -rf /', 'npm test -- -u', 'npm testx', 'x npm test', 'npm test\nrm -rf /']) {
      expect(judge(exact, shell(command), bare).action).toBe('ask');
    }
  });

  test('with * allows plain words', () => {
    expect(judge(open, shell('npm run build -- --mode "test me"'), bare).action).toBe('allow');
    expect(judge(open, shell('npx rm'), bare).action).toBe('ask');
  });

  test.each([
    '; rm -rf /',
    '&& rm x',
    '& rm x',
    '| sh',
    '\nrm x',
    '\r\nrm x',
    '`rm x`',
    '$(rm x)',
    '${X}',
    '> ~/.bashrc',
    '< /etc/passwd',
    '<(rm x)',
  ])('with * asks when %j comes in through it, even where all else is allowed', (tail) => {
    expect(judge(open, shell(`npm test ${tail}`), bare).action).toBe('ask');
    expect(judge({ ...open, default: 'allow' }, shell(`npm test ${tail}`), bare).action).toBe('ask');
    expect(judge({ ...open, default: 'deny' }, shell(`npm test ${tail}`), bare).action).toBe('deny');
  });

  test('may itself be written with shell syntax', () => {
    const policy: PolicyInput = {
      default: 'deny',
      rules: [{ tool: 'shell', when: { command: 'cd app && npm *' }, action: 'allow' }],
    };
    expect(judge(policy, shell('cd app && npm test'), bare).action).toBe('allow');
    expect(judge(policy, shell('cd app && npm test && rm x'), bare).action).toBe('deny');
  });

  test('never covers a command that has more shell syntax than the rule', () => {
    const words = fc.constantFrom('npm', 'test', ' ', ';', '&', '|', '$', '`', '(', ')', '<', '>', '\n', '*', 'rm -rf /');
    const text = fc.array(words, { maxLength: 8 }).map((parts) => parts.join(''));
    const syntax = (from: string): string => from.trim().replace(/[^;&|\n\r`$()<>]/g, '');
    fc.assert(
      fc.property(text, text, (pattern, command) => {
        if (matchesPlainCommand(pattern, command)) expect(syntax(command)).toBe(pattern.replace(/[^;&|\n\r`$()<>]/g, ''));
      }),
    );
  });
});

describe('a rule that denies or asks', () => {
  const policy: PolicyInput = { default: 'allow', rules: [{ tool: 'shell', when: { command: 'git push*' }, action: 'deny' }] };

  test.each([
    'git push',
    'git push --force',
    'cd x && git push',
    'echo a; git push',
    'true\ngit push origin',
    '(git push)',
    'x=$(git push)',
  ])('covers %j, wherever it stands in the line', (command) => expect(judge(policy, shell(command), bare).action).toBe('deny'));

  test('leaves others alone', () => expect(judge(policy, shell('git status'), bare).action).toBe('allow'));
});

describe('patterns of paths', () => {
  test.each([
    ['src/*', 'src/a.ts', true],
    ['src/*', 'src/a/b.ts', false],
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'src2/a', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/a/b/c.ts', true],
    ['src/**/*.ts', 'srcx/a.ts', false],
    ['*.pem', 'a/b/key.pem', true],
    ['.env', '.env', true],
    ['.env', 'a/.env', true],
    ['.env', 'a.env', false],
    ['**', 'a/b', true],
    ['a.b', 'axb', false],
    ['/etc/**', '/etc/passwd', true],
  ])('%s and %s: %s', (pattern, path, expected) => expect(matchesPath(pattern, path)).toBe(expected));

  test('match like the regular expression they stand for', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '/', '*', '.'), { maxLength: 10 }).map((parts) => parts.join(''));
    const escape = (part: string): string => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    fc.assert(
      fc.property(text, text, (pattern, command) => {
        const expected = new RegExp(`^${pattern.split('*').map(escape).join('[^]*')}$`).test(command);
        expect(matchesCommand(pattern, command)).toBe(expected);
      }),
    );
  });

  test('take no long time whatever they are', () => {
    expect(matchesCommand('*a'.repeat(100) + 'b', 'a'.repeat(5_000))).toBe(false);
    expect(matchesPath('**/a/'.repeat(50) + 'b', 'a/'.repeat(1_000))).toBe(false);
  });
});

describe('a policy that is tightened by another', () => {
  const parent: Policy = {
    default: 'ask',
    rules: [
      { tool: 'shell', when: { command: 'rm *' }, action: 'deny' },
      { tool: 'read', action: 'allow' },
    ],
    budget: { turns: 10, tokens: 1_000, onExhausted: 'ask' },
  };
  const preset = (name: PolicyInput): Policy => resolvePolicy(name);

  test('gives the strictest verdict: a child cannot loosen', () => {
    const child: Policy = {
      default: 'allow',
      rules: [{ tool: 'shell', when: { command: 'rm *' }, action: 'ask', onDeadline: 'allow' }],
    };
    const both = tighten(parent, child);
    expect(judge(both, shell('rm x'), bare).action).toBe('deny');
    expect(judge(both, shell('ls'), bare)).toMatchObject({ action: 'ask', onDeadline: 'deny' });
    expect(judge(both, read('a'), bare).action).toBe('allow');
    expect(judge(tighten(both, preset('readonly')), shell('ls'), bare).action).toBe('deny');
    expect(judge(tighten(preset('full'), both), shell('rm x'), bare).action).toBe('deny');
  });

  test('is never looser than any of the two, and is a policy document itself', () => {
    const action = fc.constantFrom<PolicyAction>('allow', 'ask', 'deny');
    const rule = fc.record({
      tool: fc.constantFrom('shell', 'read', '*'),
      when: fc.constantFrom({ command: 'ls*' }, { path: 'a*' }, {}),
      action,
    });
    const policy = fc.record({ default: action, rules: fc.array(rule, { maxLength: 4 }) });
    const call = fc.constantFrom(shell('ls'), shell('ls; rm x'), shell('cat'), read('abc'), read('b'));
    const rank = { allow: 0, ask: 1, deny: 2 };
    fc.assert(
      fc.property(policy, policy, policy, call, (one, two, three, made) => {
        const each = [one, two, three].map((alone) => rank[judge(alone, made, bare).action]);
        const all = tighten(tighten(one, two), three);
        expect(rank[judge(all, made, bare).action]).toBe(Math.max(...each));
        expect(policySchema.parse(JSON.parse(JSON.stringify(all)))).toEqual(all);
      }),
    );
  });

  test('has the smaller budget', () => {
    const child: Policy = { default: 'allow', rules: [], budget: { turns: 50, tokens: 10, costUsd: 1, onExhausted: 'block' } };
    expect(tighten(parent, child).budget).toEqual({ turns: 10, tokens: 10, costUsd: 1, onExhausted: 'block' });
    expect(tighten(preset('full'), preset('ask')).budget).toEqual({});
  });
});

describe('a tool that is always denied', () => {
  test('is not offered; one that sometimes is allowed, is', () => {
    expect(isOffered('readonly', 'shell')).toBe(false);
    expect(isOffered('readonly', 'read')).toBe(true);
    const tightened = tighten(resolvePolicy('full'), resolvePolicy('readonly'));
    expect(isOffered(tightened, 'write')).toBe(false);
    const some: PolicyInput = { default: 'deny', rules: [{ tool: 'shell', when: { command: 'ls' }, action: 'allow' }] };
    expect(isOffered(some, 'shell')).toBe(true);
    expect(isOffered({ ...some, rules: [{ tool: '*', action: 'deny' }, ...(some.rules ?? [])] }, 'shell')).toBe(false);
  });
});

describe('rules by what a command would do', () => {
  const call = (effectClass: EffectClass, hosts: string[] = []) => ({ tool: 'shell', class: effectClass, command: 'x', hosts });
  test('match a class, one of several, or all from one on', () => {
    const policy: PolicyInput = {
      default: 'allow',
      rules: [
        { tool: '*', when: { classAtLeast: 'destructive' }, action: 'deny' },
        { tool: '*', when: { class: ['install', 'network_egress'] }, action: 'ask' },
      ],
    };
    expect(judge(policy, call('destructive'), bare).action).toBe('deny');
    expect(judge(policy, call('install'), bare).action).toBe('ask');
    expect(judge(policy, call('safe'), bare).action).toBe('allow');
  });

  test('never allow what is blocked, whatever they say', () => {
    expect(judge('full', call('blocked'), { sandbox: true }).action).toBe('deny');
  });

  test('deny a host when a command names it among others', () => {
    const policy: PolicyInput = { default: 'allow', rules: [{ tool: 'shell', when: { host: '*.evil.test' }, action: 'deny' }] };
    expect(judge(policy, call('network_egress', ['ok.test', 'a.evil.test']), bare).action).toBe('deny');
    expect(judge(policy, call('network_egress', ['ok.test']), bare).action).toBe('allow');
  });
});

describe('the preset workspace', () => {
  test('asks nothing of commands where a sandbox works, and asks where it does not, also when the policy was stored before', () => {
    const stored = resolvePolicy('workspace');
    expect(judge(stored, shell('make'), { sandbox: true }).action).toBe('allow');
    expect(judge(stored, shell('make'), { sandbox: false }).action).toBe('ask');
    expect(judge({ ...stored, sandbox: false }, shell('make'), { sandbox: true }).action).toBe('ask');
  });
});

describe('how commands are confined', () => {
  test.each<[PolicyInput, ReturnType<typeof confinementOf>]>([
    ['workspace', { network: 'none' }],
    ['ask', { network: 'none' }],
    ['full', null],
    [{ default: 'ask', network: true }, { network: 'open' }],
    [{ default: 'ask', sandbox: false }, null],
  ])('by %j', (policy, confinement) => {
    expect(confinementOf(resolvePolicy(policy))).toEqual(confinement);
  });

  test('keeps rules that were written for commands without one', () => {
    const parent = resolvePolicy({
      default: 'allow',
      sandbox: false,
      rules: [{ tool: 'shell', when: { sandboxed: false }, action: 'ask' }],
    });
    const both = tighten(parent, resolvePolicy({ default: 'allow', rules: [] }));
    expect(judge(both, shell('rm x'), { sandbox: true }).action).toBe('ask');
  });

  test('by name, and not there, has commands asked for', () => {
    expect(judge({ default: 'allow', sandbox: true }, shell('ls'), { sandbox: false }).action).toBe('ask');
    expect(judge({ default: 'allow' }, shell('ls'), { sandbox: false }).action).toBe('allow');
  });

  test('never becomes looser by a second policy', () => {
    expect(confinementOf(tighten(resolvePolicy('full'), resolvePolicy('workspace')))).toEqual({ network: 'none' });
    expect(confinementOf(tighten(resolvePolicy('workspace'), resolvePolicy('full')))).toEqual({ network: 'none' });
    expect(confinementOf(tighten(resolvePolicy('full'), resolvePolicy('full')))).toBeNull();
  });
});
