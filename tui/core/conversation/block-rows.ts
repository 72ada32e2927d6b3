/** A block of the conversation as rows of a width. All but the line that is being written is kept, so a token costs that line. */
import { unreachable } from '../../../shared/errors.js';
import type { Block, BlockKind } from './conversation.js';
import type { Glyphs } from '../glyphs.js';
import type { Row } from '../press.js';
import { blankRow, fitSpans, span, spansWidth } from '../panes/rows.js';
import type { Tone } from '../style.js';
import { countOf, sanitise, wrap } from '../text/text.js';

/** Output that is folded still shows its last rows. */
const foldedRows = 4;

const isOutput = (kind: BlockKind): boolean => kind === 'tool' || kind === 'check';
const isFoldable = (kind: BlockKind): boolean => isOutput(kind) || kind === 'reasoning' || kind === 'prompt';

/** Whether it has more than what shows of it when it is folded. */
export function canFold(block: Block, look: Pick<BlockLook, 'width' | 'glyphs'>): boolean {
  const count = lineCount(block);
  if (!isOutput(block.kind)) return isFoldable(block.kind) && count > 0;
  if (count > foldedRows) return true;
  const room = roomBeside(mannerOf(block, look.glyphs).first, look);
  let rows = 0;
  for (let i = 0; i < count && rows <= foldedRows; i++) rows += wrap(sanitise(lineAt(block, i)), room).length;
  return rows > foldedRows;
}

/** With the one that is being written. */
const lineCount = ({ lines, rest }: Block): number => lines.length + (rest === '' ? 0 : 1);
const lineAt = ({ lines, rest }: Block, index: number): string => lines[index] ?? rest;

export interface BlockLook {
  readonly width: number;
  readonly glyphs: Glyphs;
  /** Shown the other way than by itself: unfolded. */
  readonly isTurned: boolean;
  /** The cursor is on it. */
  readonly isChosen: boolean;
}

interface Known {
  readonly block: Block;
  readonly look: BlockLook;
  /** The rows of its complete lines; null where only its end shows. */
  readonly complete: readonly Row[] | null;
  readonly rows: readonly Row[];
}

/** By the block's id. Emptied when full: what is in sight is quickly there again, and the rest would only take room. */
const known = new Map<number, Known>();
const knownLimit = 200;

export function blockRows(block: Block, look: BlockLook): readonly Row[] {
  const before = known.get(block.id);
  const asBefore = before !== undefined && isSameLook(before.look, look) && isSameKind(before.block, block) ? before : null;
  if (asBefore?.block === block) return asBefore.rows;
  const made = makeRows(block, look, asBefore);
  if (known.size >= knownLimit) known.clear();
  known.set(block.id, made);
  return made.rows;
}

const isSameLook = (one: BlockLook, other: BlockLook): boolean =>
  one.width === other.width && one.glyphs === other.glyphs && one.isTurned === other.isTurned && one.isChosen === other.isChosen;

/** Blocks of two sessions may have the same id. */
const isSameKind = (one: Block, other: Block): boolean => one.kind === other.kind && one.tone === other.tone;

/** How the lines of a kind stand: their margin, what begins the first one, and their tone. */
interface Manner {
  readonly first: string;
  readonly next: string;
  readonly tone: Tone;
}

function mannerOf(block: Block, glyphs: Glyphs): Manner {
  switch (block.kind) {
    case 'you':
      return { first: `${glyphs.prompt} `, next: '  ', tone: 'accent' };
    case 'text':
      return { first: '', next: '', tone: 'plain' };
    case 'reasoning':
    case 'prompt':
      return { first: '  ', next: '  ', tone: 'dim' };
    case 'tool':
    case 'check':
      return { first: `  ${glyphs.output} `, next: `  ${glyphs.output} `, tone: 'dim' };
    case 'notice':
      return { first: `${glyphs.dot} `, next: '  ', tone: block.tone ?? 'plain' };
    case 'end':
      return { first: '    ', next: '    ', tone: block.tone ?? 'plain' };
    case 'run':
      return { first: '', next: '', tone: 'strong' };
    default:
      return unreachable(block.kind);
  }
}

/** `before`: what is known of the block with the same look. */
function makeRows(block: Block, look: BlockLook, before: Known | null): Known {
  const manner = mannerOf(block, look.glyphs);
  const head = headRow(block, look);
  const top: Row[] = startsAnew(block.kind) ? [blankRow] : [];
  if (head !== null) top.push(head);
  if (isFoldable(block.kind) && !look.isTurned) {
    return { block, look, complete: null, rows: [...top, ...lastRows(block, look, manner)] };
  }
  const complete = completeRows(block, look, manner, before);
  const lead = complete.length === 0 ? manner.first : manner.next;
  const rows = [...top, ...complete, ...(block.rest === '' ? [] : wrapLine(block.rest, lead, manner, block, look))];
  return { block, look, complete, rows };
}

/** What shows of a folded block. Counted in rows: one line may be longer than the pane is high. */
function lastRows(block: Block, look: BlockLook, manner: Manner): readonly Row[] {
  const keep = isOutput(block.kind) ? foldedRows : block.open && block.kind === 'reasoning' ? 1 : 0;
  let hidden = lineCount(block);
  let rows: readonly Row[] = [];
  while (hidden > 0 && rows.length < keep) {
    hidden--;
    rows = [...wrapLine(lineAt(block, hidden), hidden === 0 ? manner.first : manner.next, manner, block, look), ...rows];
  }
  const isCut = hidden > 0 || rows.length > keep;
  if (!isCut || !isOutput(block.kind)) return rows.slice(Math.max(0, rows.length - keep));
  const before = `${look.glyphs.ellipsis} ${hidden > 0 ? countOf(hidden, 'line') : 'more'} before`;
  return [lineRow(manner.first, before, 'dim', block, look), ...rows.slice(-keep)];
}

/** A block that is streamed only gets longer: the lines that were complete before are not wrapped again. */
function completeRows(block: Block, look: BlockLook, manner: Manner, before: Known | null): readonly Row[] {
  const { lines } = block;
  const same = before !== null && beginsWith(lines, before.block.lines) ? before.complete : null;
  const from = same === null ? 0 : (before?.block.lines.length ?? 0);
  if (same !== null && from >= lines.length) return same;
  const added = lines
    .slice(from)
    .flatMap((line, i) => wrapLine(line, from + i === 0 ? manner.first : manner.next, manner, block, look));
  return same === null ? added : [...same, ...added];
}

const beginsWith = (lines: readonly string[], start: readonly string[]): boolean =>
  lines === start || (lines.length >= start.length && start.every((line, i) => line === lines[i]));

/** A free line stands above it. */
const startsAnew = (kind: BlockKind): boolean => kind === 'run' || kind === 'you';

function headRow(block: Block, look: BlockLook): Row | null {
  if (block.isContinued) return null;
  const { kind, head } = block;
  const { glyphs, width } = look;
  switch (kind) {
    case 'run': {
      const fill = glyphs.line.across;
      const title = fitSpans([span(` ${sanitise(head)} `, 'strong')], Math.max(1, width - 6), glyphs);
      return mark(
        [span(fill.repeat(2), 'dim'), ...title, span(fill.repeat(Math.max(0, width - 4 - spansWidth(title))), 'dim')],
        block,
        look,
      );
    }
    case 'tool':
      return mark([span('$ ', 'busy'), span(sanitise(head).replace(/^shell /, ''), block.open ? 'busy' : 'plain')], block, look);
    case 'prompt':
    case 'reasoning': {
      const count = lineCount(block);
      const folded = count === 0 ? '' : `${look.isTurned ? glyphs.section : glyphs.folded} `;
      const text = kind === 'prompt' ? head : block.open ? 'thinking' : 'thought';
      return mark(
        [span(`${folded}${text}${count > 0 && !look.isTurned ? ` (${countOf(count, 'line')})` : ''}`, 'dim')],
        block,
        look,
      );
    }
    case 'end':
      return mark([span(`${endGlyph(block, glyphs)} ${sanitise(head)}`, block.tone ?? 'plain')], block, look);
    case 'check':
      return mark([span('checks', block.open ? 'busy' : 'plain')], block, look);
    case 'you':
    case 'text':
    case 'notice':
      return null;
    default:
      return unreachable(kind);
  }
}

function endGlyph({ tone, head }: Block, glyphs: Glyphs): string {
  if (tone === 'bad') return glyphs.missing;
  if (tone !== 'good') return glyphs.skipped;
  return head.includes('accepted') ? glyphs.accepted : glyphs.claimed;
}

function mark(spans: Parameters<typeof fitSpans>[0], block: Block, { width, glyphs, isChosen }: BlockLook): Row {
  const margin = isChosen ? span(glyphs.line.upright, 'accent') : span(' ');
  return { spans: [margin, ...fitSpans(spans, width - 1, glyphs)], press: { on: 'block', block: block.id } };
}

const lineRow = (lead: string, text: string, tone: Tone, block: Block, look: BlockLook): Row =>
  mark([span(lead, 'dim'), span(text, tone)], block, look);

const roomBeside = (lead: string, { width }: Pick<BlockLook, 'width'>): number => Math.max(1, width - 1 - lead.length);

function wrapLine(line: string, lead: string, manner: Manner, block: Block, look: BlockLook): readonly Row[] {
  const pieces = wrap(sanitise(line), roomBeside(lead, look));
  const leadTone: Tone = block.kind === 'you' ? 'accent' : 'dim';
  return pieces.map((piece, i): Row => {
    const start = i === 0 ? lead : manner.next.padStart(lead.length);
    return mark([span(start, leadTone), span(piece, checkTone(block, line) ?? manner.tone)], block, look);
  });
}

/** The command of a check stands in its output as `$ command`. */
const checkTone = ({ kind }: Block, line: string): Tone | null => (kind === 'check' && line.startsWith('$ ') ? 'busy' : null);
