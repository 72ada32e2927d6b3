import { describe, expect, test } from 'vitest';
import { isSecretName } from '../../daemon/domain/secret-names.js';
import { scrubEnvironment } from '../../daemon/tools/process/environment.js';

describe('names that stand for a secret', () => {
  test.each([
    'OPENAI_API_KEY',
    'GITHUB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_ACCESS_KEY_ID',
    'DB_PASSWORD',
    'PGPASSWORD',
    'DB_PWD',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'npm_config__auth',
    'GITHUB_PAT',
    'apiKey',
    'clientSecret',
    'accesstoken',
    'SSH_KEY_PASSPHRASE',
    'COOKIE',
    'JWT',
    'TOKENS',
    'SLACK_BOT_TOKEN',
    'db.password',
    'private-key',
  ])('%s', (name) => expect(isSecretName(name)).toBe(true));

  test.each([
    'PATH',
    'HOME',
    'PWD',
    'OLDPWD',
    'LANG',
    'KEYBOARD_LAYOUT',
    'MONKEY',
    'TOKENIZERS_PARALLELISM',
    'PATTERN',
    'AUTHOR',
    'GIT_AUTHOR_NAME',
    'XDG_SESSION_ID',
    'NODE_ENV',
    'SHELL',
    'COMPAT',
  ])('but not %s', (name) => expect(isSecretName(name)).toBe(false));
});

describe('the environment for commands', () => {
  test('keeps what programs need', () => {
    const kept = { PATH: '/bin', HOME: '/home/a', LANG: 'de_DE.UTF-8', GIT_AUTHOR_NAME: 'A', https_proxy: 'http://u:p@proxy:1' };
    expect(scrubEnvironment(kept)).toMatchObject(kept);
    expect(scrubEnvironment({}).PATH).toBe('/usr/local/bin:/usr/bin:/bin');
  });

  test('has no secrets, no settings of the daemon, and nothing that acts for a person or replaces programs', () => {
    const withheld = {
      OPENAI_BASE_URL: 'x',
      ANTHROPIC_MODEL: 'x',
      CAIRN_HOME: 'x',
      cairn_path: 'x',
      MY_TOKEN: 'x',
      DATABASE_URL: 'postgres://user:pass@host/db',
      SSH_AUTH_SOCK: '/tmp/agent',
      GIT_ASKPASS: 'x',
      BASH_ENV: 'x',
      ENV: 'x',
      'BASH_FUNC_grep%%': '() { :; }',
      GIT_DIR: 'x',
      GIT_INDEX_FILE: 'x',
      GIT_CONFIG_KEY_0: 'x',
      UNSET: undefined,
    };
    expect(Object.keys(scrubEnvironment(withheld))).toEqual(Object.keys(scrubEnvironment({})));
  });

  test('makes programs wait for nobody', () => {
    expect(scrubEnvironment({ TERM: 'xterm', PAGER: 'less' })).toMatchObject({
      TERM: 'dumb',
      PAGER: 'cat',
      GIT_TERMINAL_PROMPT: '0',
      CI: 'true',
    });
  });
});
