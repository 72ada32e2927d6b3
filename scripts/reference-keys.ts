/** The keys of the screen as a table, from the keymap. */
import { type Told, toldKeys } from '../tui/core/keymap.js';

const [begin, end] = ['<!-- keys -->', '<!-- /keys -->'];

const code = (text: string): string => `\`${text}\``;
const keysOf = ({ keys }: Told): string => keys.map(code).join(' ');

function* keyLines(): Generator<string> {
  yield* ['| | key | what it does |', '| --- | --- | --- |'];
  for (const { title, told } of toldKeys) {
    yield* told.map((one, i) => `| ${i === 0 ? title : ''} | ${keysOf(one)} | ${one.help} |`);
  }
}

/** A page with the keys between their marks. Throws when it has no place for them. */
export function withKeys(text: string): string {
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`The page has no place for the keys: ${begin} and ${end}.`);
  return [before, begin, '\n\n', [...keyLines()].join('\n'), '\n\n', end, after].join('');
}
