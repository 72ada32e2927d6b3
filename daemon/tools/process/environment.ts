/** The environment that commands get: what programs need to work, and nothing that could be used against its owner. */
import { isSecretName } from '../../domain/secret-names.js';

/** Variables of model providers and of the daemon itself, whatever their names end in. */
const withheldPrefix = /^(cairn|openai|anthropic|azure_openai|openrouter|gemini|mistral|groq|deepseek|xai)_/i;

/** What acts with a person's keys or asks for them; shell functions and start-up files, which could replace programs. */
const withheldName = /^(SSH_AUTH_SOCK|SSH_AGENT_PID|GPG_AGENT_INFO|(GIT|SSH|SUDO)_ASKPASS|BASH_ENV|ENV|BASH_FUNC_.*)$/;

/** They tie git to one repository, when the daemon was started from a hook. Source: `git rev-parse --local-env-vars`. */
const gitLocal =
  /^GIT_(ALTERNATE_OBJECT_DIRECTORIES|CONFIG|CONFIG_PARAMETERS|CONFIG_COUNT|CONFIG_(KEY|VALUE)_\d+|OBJECT_DIRECTORY|DIR|WORK_TREE|IMPLICIT_WORK_TREE|GRAFT_FILE|INDEX_FILE|NO_REPLACE_OBJECTS|REPLACE_REF_BASE|PREFIX|SHALLOW_FILE|COMMON_DIR)$/;

const urlWithPassword = /^[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:[^\s/@]+@/i;
const proxyName = /^(https?|all|ftp|no)_proxy$/i;

/** Nobody is there to answer a prompt or to leave a pager. */
const unattended: Readonly<Record<string, string>> = {
  TERM: 'dumb',
  CI: 'true',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  DEBIAN_FRONTEND: 'noninteractive',
};

/**
 * A copy of `environment` without secrets (by name, and URLs that carry a password, except a proxy's), without the
 * settings of the daemon and of model providers, and with everything set so that programs do not wait for a person.
 */
export function scrubEnvironment(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const scrubbed: Record<string, string> = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && !isWithheld(name, value)) scrubbed[name] = value;
  }
  return { ...scrubbed, ...unattended };
}

function isWithheld(name: string, value: string): boolean {
  if (withheldPrefix.test(name) || withheldName.test(name) || gitLocal.test(name) || isSecretName(name)) return true;
  return urlWithPassword.test(value) && !proxyName.test(name);
}
