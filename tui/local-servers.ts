/** Model servers that people run on their own machine, by the ports that they use. */

import type { LocalServer } from './core/message.js';

const known = [
  { name: 'Ollama', port: 11_434 },
  { name: 'LM Studio', port: 1_234 },
  { name: 'llama.cpp', port: 8_080 },
  { name: 'vLLM', port: 8_000 },
] as const;

/** Those that answer `/v1/models` within a moment. */
export async function findLocalServers(): Promise<LocalServer[]> {
  const found = await Promise.all(known.map(({ name, port }) => ask(name, `http://127.0.0.1:${port}/v1`)));
  return found.filter((server) => server !== null);
}

async function ask(name: string, baseUrl: string): Promise<LocalServer | null> {
  try {
    const response = await fetch(`${baseUrl}/models`, { signal: AbortSignal.timeout(700) });
    const body = (await response.json()) as { data?: { id?: string }[] };
    if (!response.ok || !Array.isArray(body.data)) return null;
    return { name, baseUrl, models: body.data.flatMap(({ id }) => (id ? [id] : [])) };
  } catch {
    return null;
  }
}
