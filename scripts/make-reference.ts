/**
 * Writes `docs/reference.md` from the contract and the configuration, and the keys in the README from the keymap, so that
 * neither can say anything else than the code does. `--check` writes nothing and fails when they are not what would be
 * written.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { configSchema } from '../daemon/config.js';
import { defaultPort, messageBytesLimit, methodNames, methods, notifications, protocolVersion } from '../shared/contract.js';
import { errorCodes, type ErrorKind } from '../shared/errors.js';
import { eventData, eventSchemaName, eventTypes } from '../shared/event.js';
import { planLimits } from '../shared/plan.js';
import { withKeys } from './reference-keys.js';
import { namedShapes, shapeOf } from './reference-shapes.js';

const page = join(import.meta.dirname, '../docs/reference.md');

const errorMeanings: Record<ErrorKind, string> = {
  parse_error: 'The message is no JSON.',
  invalid_request: 'The message is no JSON-RPC 2.0 request.',
  method_not_found: 'There is no such method; `hint` names the nearest ones.',
  invalid_params: 'The params do not fit; `issues: [{path, message}]` says where and why.',
  internal_error: 'A fault of the daemon; its log has the details.',
  overloaded: 'A bounded queue is full. Wait a moment and repeat.',
  not_found: 'There is no session, item, run or entry with this id.',
  version_conflict: 'The plan has changed meanwhile; `currentVersion` says to what.',
  invalid_state: 'Not possible now: a run is active, the item is done, …',
  unauthorized: 'The token, the Host or the Origin of a request over TCP is not right.',
  limit_exceeded: 'Too many, too long, or too large.',
  no_model: 'No model is configured, and this needs one.',
};

/** Any method may answer with these, so that they are not repeated at each. */
const errorsOfAll: readonly ErrorKind[] = ['invalid_params', 'overloaded', 'internal_error'];

const code = (text: string): string => `\`${text}\``;
const block = (text: string): string[] => ['```', text, '```', ''];

function* methodLines(): Generator<string> {
  const resources = new Set(methodNames.map((name) => name.split('.')[0] ?? ''));
  for (const resource of resources) {
    yield* [`### ${resource}`, ''];
    for (const name of methodNames.filter((each) => each.startsWith(`${resource}.`))) {
      const { doc, params, result, errors } = methods[name];
      yield* [`#### ${name}`, '', doc, ''];
      yield* block(`${shapeOf(params, 'input')}\n→ ${shapeOf(result, 'output')}`);
      const own = errors.filter((kind) => !errorsOfAll.includes(kind));
      if (own.length > 0) yield* [`Errors: ${own.map(code).join(', ')}.`, ''];
    }
  }
}

function* notificationLines(): Generator<string> {
  for (const [name, { doc, params }] of Object.entries(notifications)) {
    yield* [`### ${name}`, '', doc, '', ...block(shapeOf(params, 'output'))];
  }
}

function* shapeLines(): Generator<string> {
  for (const [name, shape] of namedShapes()) yield* [`### ${name}`, '', ...block(shape)];
}

function* errorLines(): Generator<string> {
  yield* ['| code | kind | meaning |', '| --- | --- | --- |'];
  for (const [kind, number] of Object.entries(errorCodes)) {
    yield `| ${number} | ${code(kind)} | ${errorMeanings[kind as ErrorKind]} |`;
  }
}

function* eventLines(): Generator<string> {
  for (const type of eventTypes) yield `- ${code(type)} ${code(shapeOf(eventData[type], 'output', Infinity))}`;
}

function* configLines(): Generator<string> {
  yield* ['| key | value | default |', '| --- | --- | --- |'];
  const filled: Record<string, unknown> = configSchema.parse({});
  for (const [key, schema] of Object.entries(configSchema.shape)) {
    const value = shapeOf(schema, 'input', Infinity).replaceAll('|', '\\|');
    yield `| ${code(key)} | ${code(value)} | ${filled[key] === undefined ? '' : code(JSON.stringify(filled[key]))} |`;
  }
}

function* limitLines(): Generator<string> {
  yield* ['| what | at most |', '| --- | --- |'];
  yield `| one message | ${messageBytesLimit} bytes |`;
  for (const [name, limit] of Object.entries(planLimits)) {
    yield `| ${code(name)} of a plan | ${limit}${name === 'items' || name === 'listLength' ? '' : ' characters'} |`;
  }
}

function* pageLines(): Generator<string> {
  yield* ['# Reference', '', 'Made from the contract by `npm run reference`; do not edit it by hand.', ''];
  yield `JSON-RPC 2.0, protocol ${protocolVersion}. \`POST /rpc\` (single or batch) and WebSocket \`/rpc\`, on the Unix socket \`daemon.sock\``;
  yield `in the home of the daemon, and on \`127.0.0.1:${defaultPort}\` with \`Authorization: Bearer TOKEN\` (the file \`token\`).`;
  yield* ['Params are given by name; `?` marks one that may be left out.', ''];
  yield* ['## Methods', '', `Besides the errors named, each may answer with ${errorsOfAll.map(code).join(', ')}.`, ''];
  yield* methodLines();
  yield* ['## Notifications', '', 'Sent over a WebSocket to whoever watches or subscribes.', ''];
  yield* notificationLines();
  yield* ['## Shapes', ''];
  yield* shapeLines();
  yield* [
    '## Events',
    '',
    `\`${eventSchemaName}\`: every event has \`seq\`, \`at\`, \`sessionId\`, \`type\`, \`data\`, and \`runId\` if it is of a run.`,
    '',
  ];
  yield* eventLines();
  yield* ['', '## Errors', '', '`{code, message, data: {kind, hint?, …}}`. `message` is for people and says what to do.', ''];
  yield* errorLines();
  yield* ['', '## Limits', ''];
  yield* limitLines();
  yield* ['', '## Configuration', '', 'Keys of `config.json`. Times are milliseconds.', ''];
  yield* configLines();
}

const readme = join(import.meta.dirname, '../README.md');

function readPage(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const pages = [
  { path: page, lines: [...pageLines()].join('\n') },
  { path: readme, lines: withKeys(readPage(readme)) },
];
for (const { path, lines } of pages) {
  const text = await format(lines, { ...(await resolveConfig(path)), parser: 'markdown' });
  if (!process.argv.includes('--check')) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } else if (readPage(path) !== text) {
    console.error(`${basename(path)} is not what the code says. Run \`npm run reference\` and commit it.`);
    process.exitCode = 1;
  }
}
