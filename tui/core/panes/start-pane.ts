/** What stands in the place of the panes while there is no session to show: what to do next. */
import { type Action, bindingOf, keyOf } from '../keymap.js';
import type { Rect } from '../frame.js';
import type { Row } from '../press.js';
import { blankRow, fitRow, row, span, textRow } from './rows.js';
import { shortPath, type State } from '../state.js';
import type { Tone } from '../style.js';
import { sanitise, wrap } from '../text/text.js';

/** What a key does here, to be clicked as well. */
const offer = (action: Action, text = bindingOf(action, 'start')?.help ?? ''): Row => {
  const press = { on: 'action', action } as const;
  return row(span(`  ${keyOf(action, 'start').padEnd(3)}`, 'accent', press), span(text, 'plain', press));
};

/** Rows of a text, two columns in, or more. */
const say = (text: string, width: number, tone: Tone = 'plain', indent = 2): Row[] =>
  wrap(text, Math.max(1, width - indent - 1)).map((line) => textRow(' '.repeat(indent) + line, tone));

export const startPane = (state: State, { width, height }: Rect): readonly Row[] =>
  rowsOf(state, width, height < 12).map((one) => fitRow(one, width, state.glyphs));

/** `isShort`: what the hints tell as well is left out, so that there is room for what they do not. */
function rowsOf(state: State, width: number, isShort: boolean): readonly Row[] {
  const { link } = state;
  const free = isShort ? [] : [blankRow];
  switch (link.state) {
    case 'connecting':
      return [blankRow, ...say(link.isStarting ? 'Starting the daemon.' : 'Looking for the daemon.', width, 'dim')];
    case 'otherProtocol':
      return [
        ...free,
        ...say('Another version of the daemon runs.', width, 'bad'),
        ...told(link.reason, width),
        blankRow,
        offer('detach'),
      ];
    case 'lost':
      return [
        ...free,
        ...say('No daemon answers.', width, 'bad'),
        ...told(link.reason, width),
        blankRow,
        offer('run', 'start one'),
        offer('detach'),
      ];
    case 'open':
      break;
  }
  if (!state.isLookedUp || state.wanted !== null) return [blankRow, ...say('Reading.', width, 'dim')];
  const more = [offer('demo'), offer('sessions'), offer('help')];
  const make = offer('newSession');
  if (isShort) {
    const hasModel = (state.daemon?.provider ?? null) !== null;
    return [
      ...say(state.leftBecause ?? 'No plan for this folder yet.', width, 'strong'),
      make,
      ...(hasModel ? more : []),
      ...modelRows(state, width),
    ];
  }
  return [
    blankRow,
    ...say('Cairn runs plans and picks up where it was.', width, 'strong'),
    ...say(state.leftBecause ?? `There is none yet for ${sanitise(shortPath(state.folder, state))}.`, width, 'dim'),
    blankRow,
    make,
    ...more,
    blankRow,
    ...modelRows(state, width),
  ];
}

const told = (reason: string, width: number): Row[] => reason.split('\n').flatMap((line) => say(sanitise(line), width, 'dim'));

function modelRows({ daemon, servers }: State, width: number): Row[] {
  const provider = daemon?.provider ?? null;
  if (provider !== null)
    return [
      ...say(`Model: ${sanitise(provider.model)}`, width, 'good'),
      ...say(`at ${sanitise(provider.baseUrl)}`, width, 'dim'),
    ];
  // Commands are shown whole: they are there to be typed.
  const commands = (...lines: readonly string[]): Row[] => lines.flatMap((line) => say(line, width, 'dim', width < 60 ? 2 : 4));
  const [first] = servers ?? [];
  if (servers === null)
    return say('No model yet: items with a command run without. Looking for model servers on this machine.', width, 'warn');
  if (first === undefined) {
    return [
      ...say('No model yet. For a model, set these and restart:', width, 'warn'),
      ...commands('export CAIRN_MODEL=MODEL OPENAI_API_KEY=KEY', 'cairn daemon stop'),
    ];
  }
  return [
    ...say(`No model yet. ${sanitise(first.name)} answers here. To use it:`, width, 'good'),
    ...commands(
      `export OPENAI_BASE_URL=${sanitise(first.baseUrl)}`,
      `export CAIRN_MODEL=${sanitise(first.models[0] ?? 'MODEL')}`,
      'cairn daemon stop',
    ),
  ];
}
