/** Which of a server's tools are offered, and what there is to say about the others. */
import type { McpServerConfig } from './mcp-config.js';
import type { Tool, ToolOffer } from '../tool.js';
import type { ToolList } from './list-tools.js';
import { type ServerFacts, toolName, toTool } from './mcp-tool.js';
import { cleanWords } from './mcp-words.js';

const mostTools = 64;
/** Characters of all descriptions and schemas together: they are part of every request. */
const mostCharacters = 128_000;
const namedTools = 5;
const longestShownName = 60;

export function offerTools(server: ServerFacts, config: McpServerConfig, list: ToolList): ToolOffer {
  const said: string[] = [];
  const say = (words: string): void => void said.push(`The MCP server ${server.name} ${words}`);
  const wanted = list.tools.filter(({ name }) => config.tools?.includes(name) ?? true);
  const tools = new Map<string, Tool>();
  const seen = new Set<string>();
  const replaced: string[] = [];
  let characters = 0;
  for (const described of wanted) {
    if (seen.has(described.name)) continue;
    seen.add(described.name);
    const plain = toolName(server.name, described.name);
    // Only a name that was made to look like the digest of another one is taken already.
    const name = tools.has(plain) ? toolName(server.name, `${described.name}\n`) : plain;
    const made = toTool(server, name, described);
    const length = made.tool.description.length + JSON.stringify(made.tool.parameters).length;
    if (tools.size >= mostTools || characters + length > mostCharacters) continue;
    characters += length;
    tools.set(name, made.tool);
    if (made.replaced !== null) replaced.push(`${name} ${made.replaced}`);
  }

  const left = seen.size - tools.size;
  const missing = config.tools?.filter((name) => !seen.has(name)) ?? [];
  if (left > 0) {
    say(
      `has ${list.isWhole ? '' : 'at least '}${seen.size} tools, and ${left} of them are not offered (${mostTools} at most, with ${mostCharacters} characters): choose with its key \`tools\`.`,
    );
  } else if (!list.isWhole)
    say(`goes on listing tools without an end: those beyond the first ${list.tools.length} are not known.`);
  if (missing.length > 0) say(`has no tool ${namesOf(missing)}, which the configuration wants.`);
  if (list.malformed > 0) say(`describes ${list.malformed} of its tools so badly that they are left out.`);
  if (replaced.length > 0) say(`has tools of which any arguments are taken, because their schema ${schemasOf(replaced)}.`);
  return { tools: [...tools.values()], problems: said };
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, namedTools).map((name) => cleanWords(name, longestShownName));
  return `${shown.join(', ')}${names.length > namedTools ? ` and ${names.length - namedTools} more` : ''}`;
}

const schemasOf = (replaced: readonly string[]): string =>
  `is not fit to be sent (${replaced.slice(0, namedTools).join('; ')}${replaced.length > namedTools ? `; and ${replaced.length - namedTools} more` : ''})`;
