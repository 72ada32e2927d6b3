/**
 * A model that appends one line a leaf with the shell tool, and looks before it repeats. It reads only what it is sent,
 * as a real one would, so that it can be asked again at any point after a crash.
 */
import { call, type Script, type ScriptedRequest } from '../support/scripted-provider.js';

export const lineOf = (leaf: string): string => `line of ${leaf}`;

const leafIn = (request: ScriptedRequest): string => {
  const prompts = request.messages.filter((message) => message.role === 'user' && textOf(message).includes('Your item:'));
  return /Your item: (?:[\d.]+ )?(?:.* > )?(.+)/.exec(textOf(prompts.at(-1)))?.[1] ?? '';
};

const textOf = (message: ScriptedRequest['messages'][number] | undefined): string =>
  typeof message?.content === 'string' ? message.content : '';

/** What to do next on one leaf: append, look, or report. */
export function appendingModel(request: ScriptedRequest): Script {
  const leaf = leafIn(request);
  const file = 'lines.txt';
  const append = call('shell', { command: `echo "${lineOf(leaf)}" >> ${file}` });
  const look = call('shell', { command: `grep -qxF "${lineOf(leaf)}" ${file} && echo it-is-there || echo it-is-missing` });
  const last = request.messages.findLast((message) => message.role === 'tool');
  if (last === undefined) {
    const told = request.messages.some((message) => textOf(message).includes('Earlier runs of this item'));
    return told ? look : append;
  }
  const text = textOf(last);
  if (text.includes('outcome unknown') || text.includes('interrupted before it began')) return look;
  if (text.includes('it-is-missing')) return append;
  return call('mission_report', { kind: 'result', summary: `appended the line of ${leaf}` });
}
