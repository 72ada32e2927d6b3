/**
 * What the model loop costs: `npm run bench:loop`. Times are told, and put beside what is unavoidable in the same run: a bare
 * call of the provider's own client against the same server. Nothing here is asserted.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { arrange } from '../daemon/agent/context.js';
import { planTrim, tokensOfContext } from '../daemon/agent/trimming.js';
import type { StoredMessage } from '../daemon/store/store.js';
import type { RunId } from '../shared/run.js';
import { launchDaemon } from '../test/support/daemon-process.js';
import { call, type Part, say, type ScriptedRequest, startScriptedProvider } from '../test/support/scripted-provider.js';
import { waitFor } from '../test/support/wait.js';

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
const row = (what: string, value: string): void => void process.stdout.write(`${what.padEnd(66)} ${value}\n`);
const turns = 80;

/** From one request to the next, as the server sees it: everything that is ours, and the client's own part. */
async function turnCost(): Promise<{ ours: number; bare: number }> {
  const provider = await startScriptedProvider((_body, number): Part =>
    number % (turns + 1) === 0
      ? call('mission_report', { kind: 'result', summary: 'done' })
      : call('plan', { verb: 'create', steps: [{ id: 's1', title: `Step ${number}` }] }),
  );
  const home = await mkdtemp(join(tmpdir(), 'cairn-bench-'));
  await writeFile(
    join(home, 'config.json'),
    JSON.stringify({ turns: 200, guards: { noProgressTurns: 1_000, blockAfter: 1_000, hintAfter: 100 } }),
  );
  const daemon = await launchDaemon(home, {
    env: { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-bench-00000000', CAIRN_MODEL: 'scripted', CAIRN_LOG: 'error' },
  });
  const session = await daemon.call('session.create', {
    workspace: tmpdir(),
    policy: 'full',
    items: [{ title: 'Warm up' }, { title: 'Measure' }],
  });
  await daemon.call('run.start', { sessionId: session.id });
  await waitFor('the plan to end', async () => (await daemon.call('run.get', { sessionId: session.id })).status === 'completed', {
    deadlineMs: 120_000,
  });
  const at = provider.requests.slice(turns + 2).map((request) => request.at);
  const ours = median(at.slice(1).map((time, i) => time - (at[i] ?? 0)));
  await daemon.kill();

  const sent = provider.requests.at(-1)?.body as ScriptedRequest;
  const client = new OpenAI({ baseURL: provider.baseUrl, apiKey: 'sk-bench-00000000', maxRetries: 0 });
  const before = provider.requests.length;
  for (let i = 0; i < turns; i += 1) {
    const stream = await client.chat.completions.create({
      ...(sent as never as OpenAI.ChatCompletionCreateParamsStreaming),
      stream: true,
    });
    for await (const chunk of stream) if (chunk.choices.length < 0) break;
  }
  const bareAt = provider.requests.slice(before + 10).map((request) => request.at);
  const bare = median(bareAt.slice(1).map((time, i) => time - (bareAt[i] ?? 0)));
  await provider.close();
  await rm(home, { recursive: true, force: true });
  return { ours, bare };
}

/** Tokens of the first request of an item, as estimated, in a plan of so many items. */
async function fixedPart(items: number): Promise<{ tokens: number; tools: number }> {
  const { estimateTokenCount } = await import('tokenx');
  const provider = await startScriptedProvider(() => say('BLOCKED: measured'));
  const home = await mkdtemp(join(tmpdir(), 'cairn-bench-'));
  const daemon = await launchDaemon(home, {
    env: { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'sk-bench-00000000', CAIRN_MODEL: 'scripted', CAIRN_LOG: 'error' },
  });
  const session = await daemon.call('session.create', {
    goal: 'Measure',
    workspace: tmpdir(),
    policy: 'full',
    items: Array.from({ length: items }, (_, i) => ({ title: `Item number ${i}` })),
  });
  await daemon.call('run.start', { sessionId: session.id });
  await waitFor('the request', () => provider.requests.length > 0);
  const body = provider.requests[0]?.body as ScriptedRequest;
  await daemon.kill();
  await provider.close();
  await rm(home, { recursive: true, force: true });
  const text = body.messages.map(({ content }) => content ?? '').join('\n');
  return { tokens: estimateTokenCount(text), tools: estimateTokenCount(JSON.stringify(body.tools)) };
}

function longTranscript(messages: number): StoredMessage[] {
  const base = { at: '2026-01-01T00:00:00.000Z', runId: 'r' as RunId };
  const transcript: StoredMessage[] = [{ ...base, seq: 1, kind: 'plan_prompt', role: 'user', content: 'Your item: 1 Measure' }];
  while (transcript.length < messages) {
    const seq = transcript.length + 1;
    const id = `call_${seq}`;
    transcript.push({
      ...base,
      seq,
      kind: 'assistant',
      role: 'assistant',
      content: `Looking at file ${seq}.`,
      toolCalls: [{ id, name: 'read', arguments: `{"path":"f${seq}"}` }],
    });
    transcript.push({ ...base, seq: seq + 1, kind: 'tool', role: 'tool', toolCallId: id, content: `line ${seq}\n`.repeat(60) });
  }
  return transcript;
}

function trimCost(messages: number): { first: number; again: number; dropped: number } {
  const transcript = longTranscript(messages);
  const state = { resultsTo: 0, droppedTo: 0, conversationDropped: 0 };
  const once = (): number => {
    const start = performance.now();
    const arranged = arrange({ system: 'rules', conversation: [], transcript });
    planTrim({ arranged, state, toolTokens: 1_000, limit: 96_000 });
    return performance.now() - start;
  };
  const first = once();
  const again = median(Array.from({ length: 9 }, once));
  const arranged = arrange({ system: 'rules', conversation: [], transcript });
  const plan = planTrim({ arranged, state, toolTokens: 1_000, limit: 40_000 });
  row(`tokens of a transcript of ${messages} messages, as estimated`, String(tokensOfContext(arranged, state, 0)));
  return { first, again, dropped: plan?.dropped.length ?? 0 };
}

const { ours, bare } = await turnCost();
row('a turn with one call of plan, request to request', `${(ours * 1_000).toFixed(0)} µs`);
row('the same request by the bare openai client', `${(bare * 1_000).toFixed(0)} µs`);
row('our part of a turn', `${((ours - bare) * 1_000).toFixed(0)} µs; ${(ours / bare).toFixed(2)} times the bare call`);
for (const items of [10, 10_000]) {
  const { tokens, tools } = await fixedPart(items);
  row(`fixed part of a request in a plan of ${items} items`, `${tokens} tokens and ${tools} of tools`);
}
const trimmed = trimCost(5_000);
row(
  'trimming it: first time (every message counted), and once counted',
  `${trimmed.first.toFixed(1)} ms, ${trimmed.again.toFixed(1)} ms (${trimmed.dropped} groups dropped)`,
);
