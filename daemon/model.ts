/** The provider that the configuration names: a model, a recording, or none. */
import { ok, type Result } from '../shared/errors.js';
import type { Clock } from './clock.js';
import type { Config } from './config.js';
import { createOpenAiProvider } from './providers/openai.js';
import type { Provider } from './providers/provider.js';
import { recordProvider } from './providers/record.js';
import { withRepeats } from './providers/repeat.js';
import { createReplayProvider } from './providers/replay.js';
import { noModelReason } from './runner/no-model.js';
import type { Redactor } from './secrets/redactor.js';

export interface ModelParts {
  readonly config: Config;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onRecordError: (error: Error) => void;
}

const openAiUrl = 'https://api.openai.com/v1';

export async function createProvider(parts: ModelParts): Promise<Result<Provider>> {
  const { config, redactor, clock, random } = parts;
  if (config.replay !== null) return createReplayProvider(config.replay, { speed: config.replaySpeed, clock });
  // A local server needs no key; OpenAI's own does, and without one nothing is configured yet.
  if (config.model === undefined || (config.baseUrl === undefined && config.apiKey === undefined)) return ok(noModel);
  const model = createOpenAiProvider({
    baseUrl: config.baseUrl ?? openAiUrl,
    apiKey: config.apiKey ?? null,
    model: config.model,
    timers: config.provider,
    prices: config.prices,
    clock,
    redact: (text) => redactor.redact(text),
  });
  const recorded =
    config.record === null
      ? model
      : recordProvider(model, { file: config.record, redactor, clock, onError: parts.onRecordError });
  const { repeats, backoffMs: baseMs, maxBackoffMs: maxMs } = config.provider;
  return ok(withRepeats(recorded, { repeats, baseMs, maxMs, random, wait: (ms, signal) => clock.wait(ms, signal) }));
}

const noModel: Provider = {
  describe: () => null,
  complete: () =>
    Promise.resolve({ ok: false, error: { kind: 'no_model', message: noModelReason, status: null, retryAfterMs: null } }),
};
