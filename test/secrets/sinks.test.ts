/** What comes from a model, a provider or a server is on no disk with a secret in it, wherever in it that stands. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../daemon/clock.js';
import type { Provider } from '../../daemon/providers/provider.js';
import { recordProvider } from '../../daemon/providers/record.js';
import { createRedactor } from '../../daemon/secrets/redact.js';
import { openSqliteStore } from '../../daemon/store/sqlite/open-store.js';
import { Driven, tempFolder, testParts } from '../store/store-support.js';

const secret = 'Zq7-first-secret-of-all';
const redactor = createRedactor({ environment: {}, extra: [secret] });

/** All bytes of a folder's files. */
async function bytesIn(folder: string): Promise<string> {
  const names = await readdir(folder);
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'latin1')))).join('\n');
}

test('the store keeps none', async () => {
  const folder = await tempFolder();
  const opened = await openSqliteStore(join(folder, 'cairn.db'), { ...testParts(), redact: redactor.redact });
  if (!opened.ok) throw new Error(opened.error.message);
  const store = opened.value;
  onTestFinished(() => store.close());
  const driven = await Driven.create(store, 's_1', ['One', 'Two']);
  await driven.begin('r_1');
  const call = { id: `call_${secret}`, name: `read_${secret}`, arguments: JSON.stringify({ path: secret }) };
  await store.appendTurn(driven.turn({ content: `I saw ${secret}.`, toolCalls: [call] }));
  const begun = await store.beginEffect(
    driven.effect('e_1', { name: `server__${secret}`, args: JSON.stringify({ key: secret }) }),
  );
  const ended = await store.endEffect({
    id: driven.effect('e_1').id,
    sessionId: driven.id,
    runId: driven.ref.runId,
    state: 'done',
    toolCallId: call.id,
    content: `it printed ${secret}`,
  });
  await store.putPlanMessage(driven.ref, driven.id, `[Current plan: v1 — ${secret}]`);
  await store.putPlanMessage(driven.ref, driven.id, `[Current plan: v2 — ${secret}]`);
  await store.addSteering(driven.id, `use ${secret}`, null, driven.ref.runId);
  await driven.play([
    { type: 'run_failed', ref: driven.ref, error: `the provider quoted ${secret}`, retryable: false, jitter: 0 },
  ]);

  expect(JSON.stringify([begun, ended])).not.toContain(secret);
  const transcript = await store.transcript(driven.ref.runId);
  const [turn, result] = [transcript.find(({ kind }) => kind === 'assistant'), transcript.find(({ kind }) => kind === 'tool')];
  expect(turn?.toolCalls?.[0]?.id).toBe('call_[redacted:secret]');
  expect(result?.toolCallId).toBe(turn?.toolCalls?.[0]?.id);
  expect(await bytesIn(folder)).not.toContain(secret);
});

test('a recording keeps none', async () => {
  const folder = await tempFolder();
  const provider: Provider = {
    describe: () => null,
    complete: (_request, sink) => {
      for (const piece of ['it is Zq7-first', '-secret-of', '-all, they say']) sink.text(piece);
      for (const piece of ['think of Zq7-', 'first-secret-of-all']) sink.reasoning(piece);
      sink.toolCall(`read_${secret}`);
      return Promise.resolve({
        ok: true,
        turn: {
          content: `it is ${secret}, they say`,
          toolCalls: [{ id: secret, name: `read_${secret}`, arguments: JSON.stringify({ path: secret }) }],
          finishReason: `stop ${secret}`,
          model: `model ${secret}`,
          usage: { inputTokens: 1, outputTokens: 1, costUsd: null },
        },
      });
    },
  };
  const recording = recordProvider(provider, {
    file: join(folder, 'turns.jsonl'),
    redactor,
    clock: systemClock,
    onError: (error) => {
      throw error;
    },
  });
  const nobody = { text: () => undefined, reasoning: () => undefined, toolCall: () => undefined, notice: () => undefined };
  const request = { model: null, messages: [], tools: [], key: { item: `Say ${secret}`, attempt: 1, turn: 0 } };
  await recording.complete(request, nobody, new AbortController().signal);
  const written = await bytesIn(folder);
  expect(written).toContain('they say');
  expect(written).not.toContain(secret);
  expect(written).not.toContain('first-secret');
});
