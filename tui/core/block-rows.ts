/** A block of the conversation as rows of a width. Kept by line and width, so that a token costs one line. */
import { unreachable } from '../../shared/errors.js';
import type { Block, BlockKind } from './conversation.js';
import type { Glyphs } from './glyphs.js';
import type { Row } from './press.js';
import { blankRow, fitSpans, span, spansWidth } from './rows.js';
import type { Tone } from './style.js';
import { countOf, sanitise, wrap } from './text.js';

/** Output that is folded still shows its last lines. */
const foldedLines = 4;

const isFoldable = (kind: BlockKind): boolean => kind === 'tool' || kind === 'check' || kind === 'reasoning' || kind === 'prompt';

export const canFold = ({ kind, lines }: Block): boolean =>
  isFoldable(kind) && lines.length > (kind === 'tool' || kind === 'check' ? foldedLines : 0);

export interface BlockLook {
  readonly width: number;
  readonly glyphs: Glyphs;
  /** Shown the other way than by itself: unfolded. */
  readonly isTurned: boolean;
  /** The cursor is on it. */
  readonly isChosen: boolean;
}

interface Known extends BlockLook {
  readonly rows: readonly Row[];
}
const byBlock = new WeakMap<Block, Known>();

export function blockRows(block: Block, look: BlockLook): readonly Row[] {
  const known = byBlock.get(block);
  if (
    known?.width === look.width &&
    known.isTurned === look.isTurned &&
    known.isChosen === look.isChosen &&
    known.glyphs === look.glyphs
  ) {
    return known.rows;
  }
  const rows = makeRows(block, look);
  byBlock.set(block, { ...look, rows });
  return rows;
}

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

function makeRows(block: Block, look: BlockLook): readonly Row[] {
  const manner = mannerOf(block, look.glyphs);
  const head = headRow(block, look);
  const all = block.rest === '' ? block.lines : [...block.lines, block.rest];
  const folds = isFoldable(block.kind) && !look.isTurned;
  const keep = block.kind === 'tool' || block.kind === 'check' ? foldedLines : block.open && block.kind === 'reasoning' ? 1 : 0;
  const hidden = folds ? Math.max(0, all.length - keep) : 0;
  const lines = hidden > 0 ? all.slice(hidden) : all;
  const rows: Row[] = startsAnew(block.kind) ? [blankRow] : [];
  if (head !== null) rows.push(head);
  if (hidden > 0 && keep > 0)
    rows.push(lineRow(manner.first, `${look.glyphs.ellipsis} ${countOf(hidden, 'line')} before`, 'dim', block, look));
  lines.forEach((line, i) => rows.push(...wrapped(line, i === 0 ? manner.first : manner.next, manner, block, look)));
  return rows;
}

/** A free line stands above it. */
const startsAnew = (kind: BlockKind): boolean => kind === 'run' || kind === 'you';

function headRow(block: Block, look: BlockLook): Row | null {
  const { kind, head, lines } = block;
  const { glyphs, width } = look;
  const folded = canFold(block) && !look.isTurned ? `${glyphs.folded} ` : canFold(block) ? `${glyphs.section} ` : '';
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
      const text = kind === 'prompt' ? head : block.open ? 'thinking' : 'thought';
      return mark(
        [span(`${folded}${text}${lines.length > 0 && !look.isTurned ? ` (${countOf(lines.length, 'line')})` : ''}`, 'dim')],
        block,
        look,
      );
    }
    case 'end':
      return mark([span(`${endGlyph(block, glyphs)} ${sanitise(head)}`, block.tone ?? 'plain')], block, look);
    case 'check':
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

/** Wrapped lines by all that they depend on. Emptied when full: it is quickly filled again with what is in sight. */
const wraps = new Map<string, readonly Row[]>();
const wrapsLimit = 4_000;

function wrapped(line: string, lead: string, manner: Manner, block: Block, look: BlockLook): readonly Row[] {
  const key = `${block.id} ${look.width} ${look.isChosen ? 1 : 0} ${manner.tone} ${lead}\n${line}`;
  const known = wraps.get(key);
  if (known !== undefined) return known;
  const pieces = wrap(sanitise(line), Math.max(1, look.width - 1 - lead.length));
  const leadTone: Tone = block.kind === 'you' ? 'accent' : 'dim';
  const rows = pieces.map((piece, i): Row => {
    const start = i === 0 ? lead : manner.next.padStart(lead.length);
    return mark([span(start, leadTone), span(piece, checkTone(block, line) ?? manner.tone)], block, look);
  });
  if (wraps.size >= wrapsLimit) wraps.clear();
  wraps.set(key, rows);
  return rows;
}

/** The command of a check stands in its output as `$ command`. */
const checkTone = ({ kind }: Block, line: string): Tone | null => (kind === 'check' && line.startsWith('$ ') ? 'busy' : null);
