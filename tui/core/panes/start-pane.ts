/** What stands in the place of the panes while there is no session to show: what to do next. */
import type { Action } from '../keymap.js';
import type { Rect } from '../frame.js';
import type { Row } from '../press.js';
import { row, span, textRow } from '../rows.js';
import { shortPath, type State } from '../state.js';
import type { Tone } from '../style.js';
import { sanitise, wrap } from '../text.js';

const offer = (key: string, text: string, action?: Action): Row => {
  const press = action === undefined ? undefined : ({ on: 'action', action } as const);
  return row(span(`  ${key.padEnd(3)}`, 'accent', press), span(text, 'plain', press));
};

/** Rows of a text, two columns in. */
const say = (text: string, width: number, tone: Tone = 'plain'): Row[] =>
  wrap(text, Math.max(1, width - 3)).map((line) => textRow(`  ${line}`, tone));

export function startPane(state: State, { width, height }: Rect): readonly Row[] {
  const { link } = state;
  const isShort = height < 12;
  switch (link.state) {
    case 'connecting':
      return [textRow(''), textRow('  Looking for the daemon.', 'dim')];
    case 'otherProtocol':
      return [
        textRow(''),
        textRow('  Another version of the daemon runs.', 'bad'),
        ...told(link.reason, width),
        textRow(''),
        offer('q', 'leave', 'detach'),
      ];
    case 'lost':
      return [
        textRow(''),
        textRow('  No daemon answers.', 'bad'),
        ...told(link.reason, width),
        textRow(''),
        offer('r', 'start one', 'run'),
        offer('q', 'leave', 'detach'),
      ];
    case 'open':
      break;
  }
  if (!state.isLookedUp || state.wanted !== null) return [textRow(''), textRow('  Reading.', 'dim')];
  return [
    ...(isShort ? [] : [textRow('')]),
    textRow(isShort ? '  No plan for this folder yet.' : '  Cairn runs plans and picks up where it was.', 'strong'),
    ...(isShort ? [] : [...say(`There is none yet for ${sanitise(shortPath(state.folder, state))}.`, width, 'dim'), textRow('')]),
    offer('n', 'make a plan: say what it is for', 'newSession'),
    offer('d', 'see it work first, without a model', 'demo'),
    offer('S', 'open a session of another folder', 'sessions'),
    offer('?', 'keys', 'help'),
    textRow(''),
    ...modelRows(state, width),
  ];
}

const told = (reason: string, width: number): Row[] => reason.split('\n').flatMap((line) => say(sanitise(line), width, 'dim'));

function modelRows({ daemon, servers }: State, width: number): Row[] {
  const provider = daemon?.provider ?? null;
  if (provider !== null)
    return [textRow(`  Model: ${sanitise(provider.model)}`, 'good'), textRow(`  at ${sanitise(provider.baseUrl)}`, 'dim')];
  const missing = say('No model: items with a command run without.', width, 'warn');
  if (servers === null) return [...missing, ...say('Looking for model servers on this machine.', width, 'dim')];
  const [first] = servers;
  if (first === undefined) {
    return [
      ...missing,
      textRow('  For a model, set these and restart:', 'plain'),
      textRow('    export CAIRN_MODEL=…  OPENAI_API_KEY=…', 'dim'),
      textRow('    cairn daemon stop', 'dim'),
    ];
  }
  return [
    ...missing,
    ...say(`${first.name} answers on this machine. To use it:`, width, 'good'),
    textRow(`    export OPENAI_BASE_URL=${sanitise(first.baseUrl)}`, 'dim'),
    textRow(`    export CAIRN_MODEL=${sanitise(first.models[0] ?? 'MODEL')}`, 'dim'),
    textRow('    cairn daemon stop', 'dim'),
  ];
}
