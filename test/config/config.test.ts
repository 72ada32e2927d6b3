import { describe, expect, it } from 'vitest';
import { resolveConfig, type Config } from '../../daemon/config.js';

const path = '/home/ann/.cairn/config.json';

interface Layers {
  readonly flags?: { port?: number };
  readonly env?: Record<string, string>;
  readonly file?: unknown;
}

function resolve({ flags = {}, env = {}, file }: Layers) {
  const text = typeof file === 'string' ? file : JSON.stringify(file);
  return resolveConfig({ flags, environment: env, global: file === undefined ? null : { text, path } });
}

function resolved(layers: Layers): Config {
  const config = resolve(layers);
  if (!config.ok) throw new Error(config.error.message);
  return config.value;
}

function refusal(layers: Layers): string {
  const config = resolve(layers);
  if (config.ok) throw new Error('it was taken');
  return `${config.error.message}\n${config.error.data?.hint ?? ''}`;
}

describe('which setting counts', () => {
  it('has a default for everything but the model', () => {
    expect(resolved({})).toMatchObject({
      host: '127.0.0.1',
      port: 7420,
      log: 'info',
      policy: 'workspace',
      parallelSessions: 4,
      parallelCalls: 4,
      workspaceLock: true,
      tries: 3,
      backoffMs: [2_000, 8_000, 30_000],
      turns: 90,
      shellTimeoutMs: 120_000,
      drainMs: 5_000,
      provider: { firstByteMs: 60_000, silenceMs: 60_000, totalMs: 600_000, repeats: 5 },
      planning: { enabled: true },
      record: null,
      replay: null,
      replaySpeed: 1,
    });
    expect(resolved({})).not.toHaveProperty('model');
  });

  const ports: [string, Layers, number][] = [
    ['the default', {}, 7420],
    ['the file over the default', { file: { port: 1 } }, 1],
    ['the environment over the file', { file: { port: 1 }, env: { CAIRN_PORT: '2' } }, 2],
    ['the flag over all', { file: { port: 1 }, env: { CAIRN_PORT: '2' }, flags: { port: 3 } }, 3],
    ['the file where the variable is empty', { file: { port: 1 }, env: { CAIRN_PORT: ' ' } }, 1],
    ['zero, for any free port', { env: { CAIRN_PORT: '0' } }, 0],
  ];
  it.each(ports)('takes %s', (_, layers, port) => {
    expect(resolved(layers).port).toBe(port);
  });

  const variables: [Record<string, string>, Partial<Config>][] = [
    [{ CAIRN_MODEL: 'small' }, { model: 'small' }],
    [{ CAIRN_LOG: 'debug' }, { log: 'debug' }],
    [{ OPENAI_API_KEY: 'sk-abc' }, { apiKey: 'sk-abc' }],
    [{ OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1' }, { baseUrl: 'http://127.0.0.1:11434/v1' }],
    [{ CAIRN_PARALLEL_SESSIONS: '9' }, { parallelSessions: 9 }],
    [{ CAIRN_BACKOFF_MS: '0,10' }, { backoffMs: [0, 10] }],
    [{ CAIRN_RECORD: 'take.jsonl' }, { record: 'take.jsonl' }],
    [
      { CAIRN_REPLAY: 'take.jsonl', CAIRN_REPLAY_SPEED: '0' },
      { replay: 'take.jsonl', replaySpeed: Infinity },
    ],
    [{ CAIRN_RECORD: '' }, { record: null }],
  ];
  it.each(variables)('reads %j', (env, expected) => {
    expect(resolved({ env, file: { model: 'other', log: 'warn', parallelSessions: 2 } })).toMatchObject(expected);
  });

  it('changes one setting of a group and leaves the others', () => {
    const { provider } = resolved({ file: { provider: { silenceMs: 5, backoffMs: 7 } }, env: { CAIRN_TURN_BACKOFF_MS: '9' } });
    expect(provider).toMatchObject({ silenceMs: 5, backoffMs: 9, firstByteMs: 60_000 });
  });

  const planning: [string, Layers, boolean][] = [
    ['on unless something says otherwise', {}, true],
    ['off by the file', { file: { planning: { enabled: false } } }, false],
    [
      'off by the file, whatever the environment says',
      { file: { planning: { enabled: false } }, env: { CAIRN_PLANNING: 'on' } },
      false,
    ],
    [
      'off by the environment, whatever the file says',
      { file: { planning: { enabled: true } }, env: { CAIRN_PLANNING: 'off' } },
      false,
    ],
    ['off by a 0', { env: { CAIRN_PLANNING: '0' } }, false],
  ];
  it.each(planning)('has planning %s', (_, layers, enabled) => {
    expect(resolved(layers).planning.enabled).toBe(enabled);
  });
});

describe('a setting that cannot be used', () => {
  const faults: [string, Layers, RegExp][] = [
    ['a word for a number', { file: { port: 'high' } }, /^\/home\/ann\/\.cairn\/config\.json: port: .*number/],
    ['a port that there is not', { file: { port: 70_000 } }, /config\.json: port: .*65535/],
    ['a key inside a group', { file: { provider: { repeats: 21 } } }, /config\.json: provider\.repeats: .*20/],
    ['a value in a list', { file: { backoffMs: [1, -1] } }, /config\.json: backoffMs\.1: /],
    ['a slip in a key', { file: { modle: 'x' } }, /config\.json: .*"modle"/],
    ['a log level that there is not', { file: { log: 'loud' } }, /config\.json: log: .*"info"/],
    ['an address that others reach', { file: { host: '0.0.0.0' } }, /config\.json: host: .*SSH tunnel/],
    ['a base URL that is none', { file: { baseUrl: 'localhost:1234' } }, /config\.json: baseUrl: .*http:\/\//],
    ['a policy that there is not', { file: { policy: 'anything' } }, /config\.json: policy/],
    ['a list in place of the settings', { file: [] }, /config\.json is not a JSON object/],
    ['two faults at once', { file: { port: -1, turns: 0 } }, /config\.json: port: .*config\.json: turns: /],
    ['a variable', { env: { CAIRN_PORT: 'high' } }, /^CAIRN_PORT: port: .*number/],
    ['a variable over a good file', { file: { log: 'info' }, env: { CAIRN_LOG: 'loud' } }, /^CAIRN_LOG: log: /],
    ['an item of a list in a variable', { env: { CAIRN_BACKOFF_MS: '1,x' } }, /^CAIRN_BACKOFF_MS: backoffMs\.1: /],
    ['a variable in a group', { env: { CAIRN_TURN_BACKOFF_MS: '0' } }, /^CAIRN_TURN_BACKOFF_MS: provider\.backoffMs: /],
    ['a speed that is none', { env: { CAIRN_REPLAY_SPEED: 'fast' } }, /CAIRN_REPLAY_SPEED: a number/],
    ['neither on nor off', { env: { CAIRN_PLANNING: 'perhaps' } }, /CAIRN_PLANNING: on or off/],
    ['a flag', { flags: { port: Number('high') } }, /^--port: port: /],
  ];
  it.each(faults)('is refused with its source and key: %s', (_, layers, words) => {
    const told = refusal(layers);
    expect(told).toMatch(words);
    expect(told).not.toMatch(/ZodError|\bat .*\.(ts|js):\d+/);
  });

  it('says where a file is no JSON', () => {
    expect(refusal({ file: '{\n  "port": 1,\n}' })).toMatch(/config\.json is not valid JSON: line 3, column 1/);
    expect(refusal({ file: '{"port": 1' })).toMatch(/config\.json is not valid JSON/);
    expect(refusal({ file: '' })).toMatch(/config\.json is not valid JSON: it ends too early/);
  });

  const leaks: Layers[] = [
    { file: '{"apiKey": sk-topsecret}' },
    { file: 'sk-topsecret' },
    { file: '{"apiKey": "sk-topsecret" "model": "x"}' },
    { file: { apiKey: ['sk-topsecret'] } },
    { file: { apiKey: 'sk-topsecret', port: 'x' } },
    { env: { OPENAI_API_KEY: 'sk-topsecret', CAIRN_PORT: 'x' } },
    { env: { OPENAI_BASE_URL: 'ftp://ann:sk-topsecret@host/' } },
  ];
  it.each(leaks)('is told without a word of a secret: %j', (layers) => {
    expect(JSON.stringify(resolve(layers))).not.toContain('topsecret');
    expect(resolve(layers).ok).toBe(false);
  });
});

describe('numbers of planning that are out of their range', () => {
  const clamps: [Record<string, number>, Record<string, number>, number][] = [
    [{ max_steps: 0 }, { max_steps: 1 }, 1],
    [{ max_steps: 51 }, { max_steps: 50 }, 1],
    [{ max_steps: 50 }, { max_steps: 50 }, 0],
    [{ max_render_chars: 199 }, { max_render_chars: 200 }, 1],
    [{ max_render_chars: 9_000 }, { max_render_chars: 8_000 }, 1],
    [{ max_steps: -5, max_render_chars: 1e6 }, { max_steps: 1, max_render_chars: 8_000 }, 2],
    [{}, { max_steps: 12, max_render_chars: 2_000 }, 0],
  ];
  it.each(clamps)('%j count as %j, with %i warnings', (written, taken, warned) => {
    const { planning, warnings } = resolved({ file: { planning: written } });
    expect(planning).toMatchObject(taken);
    expect(warnings).toHaveLength(warned);
    for (const warning of warnings)
      expect(warning).toMatch(/^\/home\/ann\/\.cairn\/config\.json: planning\.max_\w+ is -?\d+; it counts as \d+/);
  });

  it('are still refused when they are none', () => {
    expect(refusal({ file: { planning: { max_steps: 'many' } } })).toMatch(/config\.json: planning\.max_steps: .*number/);
    expect(refusal({ file: { planning: { max_steps: 1.5 } } })).toMatch(/config\.json: planning\.max_steps/);
  });
});
