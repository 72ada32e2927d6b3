/**
 * The conversation as blocks: what was said, called, answered and seen, oldest first. Streams append to it; a transcript
 * that was read replaces what was only heard of the same work.
 */
import { unreachable } from '../../../shared/errors.js';
import type { ItemId } from '../../../shared/plan.js';
import type { RunId } from '../../../shared/run.js';
import type { RunOutput } from '../../../shared/session.js';

export const blockKinds = ['run', 'you', 'text', 'reasoning', 'tool', 'check', 'notice', 'prompt', 'end'] as const;
export type BlockKind = (typeof blockKinds)[number];

export interface Block {
  readonly id: number;
  readonly kind: BlockKind;
  /** The run that it belongs to; null for what belongs to none yet. */
  readonly runId: RunId | null;
  readonly itemId: ItemId | null;
  /** One line: the tool and what it was called with, the run, the end. Empty where the lines say all. */
  readonly head: string;
  /** Complete lines, and the one that is still being written. */
  readonly lines: readonly string[];
  readonly rest: string;
  /** More may come. */
  readonly open: boolean;
  /** Its head stands above an earlier block, which was full. */
  readonly isContinued?: true;
  readonly tone?: 'good' | 'bad' | 'dim' | 'warn';
}

export interface Conversation {
  readonly blocks: readonly Block[];
  readonly nextId: number;
  /** Lines and blocks that were let go to keep within the limits. */
  readonly dropped: number;
  /** Code units that the blocks have at most: measured when there are too many, and counted up by what has come since. */
  readonly size: number;
}

export const emptyConversation: Conversation = { blocks: [], nextId: 1, dropped: 0, size: 0 };

/** A long stream goes on in a further block, so that adding a line never copies more than this many. */
const blockLines = 500;
/** The same for its size, in code units: so much is laid out at once. */
const blockSize = 256 * 1024;
const blockLimit = 4_000;
const lineLimit = 40_000;
/** Of all blocks together, in code units. */
const sizeLimit = 8 * 1024 * 1024;
/** A line that is longer is broken, in code units. */
const longestLine = 8_192;

export type NewBlock = Omit<Block, 'id'>;

export const newBlock = (kind: BlockKind, part: Partial<NewBlock> = {}): NewBlock => ({
  kind,
  runId: null,
  itemId: null,
  lines: [],
  rest: '',
  open: false,
  ...part,
  head: firstPiece(part.head ?? ''),
});

/** As many code units as a line has at most, without half a character at the end. */
function firstPiece(text: string): string {
  if (text.length <= longestLine) return text;
  const isInPair = /[\ud800-\udbff]/.test(text.charAt(longestLine - 1));
  return text.slice(0, isInPair ? longestLine - 1 : longestLine);
}

function breakLine(line: string): string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > longestLine) {
    const piece = firstPiece(rest);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return [...pieces, rest];
}

export const linesOf = (text: string): string[] => {
  const lines = text.split(/\r\n|\n|\r/);
  return (lines.at(-1) === '' ? lines.slice(0, -1) : lines).flatMap(breakLine);
};

export function addBlock(conversation: Conversation, block: NewBlock): Conversation {
  const { blocks, nextId, size } = conversation;
  const added = [...blocks, { ...block, id: nextId }];
  return keepWithin({ ...conversation, blocks: added, nextId: nextId + 1, size: size + sizeOf(block) });
}

/** Code units of lines, each with its end. */
const sizeOfLines = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + 1, 0);
const sizeOf = ({ head, lines, rest }: NewBlock): number => head.length + sizeOfLines(lines) + rest.length;

/** Lets the oldest go when there is too much. Looks only when a block was added, so a token costs nothing here. */
function keepWithin(conversation: Conversation): Conversation {
  const { blocks } = conversation;
  const lines = blocks.reduce((sum, block) => sum + block.lines.length, 0);
  const isWithin = blocks.length <= blockLimit && lines <= lineLimit && conversation.size <= sizeLimit;
  return isWithin ? conversation : letGo(conversation);
}

function letGo(conversation: Conversation): Conversation {
  const { blocks, dropped } = conversation;
  const newest = blocks.length - 1;
  let [lines, size, first] = [0, 0, blocks.length];
  while (first > 0) {
    const block = blocks[first - 1];
    if (block === undefined) break;
    const [moreLines, more] = [lines + block.lines.length, size + sizeOf(block)];
    const isTooMuch = moreLines > lineLimit || more > sizeLimit || blocks.length - first >= blockLimit;
    // The newest one stays in any case.
    if (isTooMuch && first <= newest) break;
    [lines, size] = [moreLines, more];
    first--;
  }
  const kept = first === newest ? blocks.slice(first).map(endOf) : blocks.slice(first);
  const isWhole = first === 0 && kept[0] === blocks[0];
  return { ...conversation, blocks: kept, size, dropped: dropped + (isWhole ? 0 : Math.max(1, first)) };
}

/** The end of a block that is too long by itself. */
function endOf(block: Block): Block {
  const { lines } = block;
  if (lines.length <= lineLimit && sizeOfLines(lines) <= sizeLimit) return block;
  let size = 0;
  const from = lines.findLastIndex((line, index) => {
    size += line.length + 1;
    return size > sizeLimit || lines.length - index > lineLimit;
  });
  return { ...block, lines: lines.slice(from + 1) };
}

const kindOf = (stream: RunOutput['stream']): BlockKind => {
  switch (stream) {
    case 'text':
    case 'reasoning':
    case 'check':
    case 'notice':
      return stream;
    case 'tool':
    case 'tool_output':
      return 'tool';
    default:
      return unreachable(stream);
  }
};

/** Where the call itself was not heard, its block is named by the tool alone. */
const isOfTool = ({ head }: Pick<Block, 'head'>, tool = 'tool'): boolean => head === tool || head.startsWith(`${tool} `);

/** `runHead`: what stands above the first block of a run, and above each that follows one of another run. */
export function appendOutput(conversation: Conversation, output: RunOutput, runHead: string): Conversation {
  const { runId, itemId, stream, text } = output;
  const before = conversation;
  const kind = kindOf(stream);
  const add = (closed: Conversation, block: NewBlock): Conversation => addBlock(underHead(closed, output, runHead), block);
  if (stream === 'tool') {
    const head = `${output.tool ?? 'tool'} ${text.replaceAll(/\s*\n\s*/g, ' ')}`.trimEnd();
    return add(closeAll(before, runId, 'text'), newBlock('tool', { runId, itemId, head, open: true }));
  }
  if (stream === 'notice') return add(closeAll(before, runId), newBlock('notice', { runId, itemId, lines: linesOf(text) }));
  // A call that was cut off may still say how, behind the end of its run.
  const beforeEnd = before.blocks.findLastIndex((block) => block.runId === runId && block.kind !== 'end');
  const target = before.blocks.findLastIndex(
    (block, index) =>
      block.runId === runId &&
      block.kind === kind &&
      (kind === 'tool' ? (block.open || index === beforeEnd) && isOfTool(block, output.tool) : block.open),
  );
  // Only the newest text of a run goes on, whatever others and the person say meanwhile; output finds its call further up.
  const newest = before.blocks.findLastIndex((block) => block.runId === runId && block.kind !== 'you');
  const goesOn = target >= 0 && (kind === 'tool' || target === newest);
  if (goesOn) return appendText(before, target, text);
  const head = kind === 'tool' ? (output.tool ?? 'tool') : '';
  const added = add(
    closeAll(before, runId, kind === 'tool' ? 'tool' : undefined),
    newBlock(kind, { runId, itemId, head, open: true }),
  );
  return appendText(added, added.blocks.length - 1, text);
}

/** A planner may speak while an item runs: what each of the two says stands under its own head. */
function underHead(conversation: Conversation, { runId, itemId }: RunOutput, runHead: string): Conversation {
  const isUnderIt = runHead === '' || conversation.blocks.findLast(({ kind }) => kind === 'run')?.runId === runId;
  return isUnderIt ? conversation : startRun(conversation, runId, itemId, runHead);
}

export const startRun = (conversation: Conversation, runId: RunId, itemId: ItemId | null, head: string): Conversation =>
  addBlock(conversation, newBlock('run', { runId, itemId, head }));

/** What a run came to, behind its last block; told once. */
export function endRun(conversation: Conversation, runId: RunId, end: NewBlock): Conversation {
  const closed = closeAll(conversation, runId);
  const at = closed.blocks.findLastIndex((block) => block.runId === runId);
  const last = closed.blocks[at];
  if (last === undefined || (last.kind === 'end' && last.head === end.head)) return closed;
  const blocks = closed.blocks.toSpliced(at + 1, 0, { ...end, id: closed.nextId });
  return { ...closed, blocks, nextId: closed.nextId + 1, size: closed.size + sizeOf(end) };
}

function appendText(conversation: Conversation, index: number, text: string): Conversation {
  const block = conversation.blocks[index];
  if (block === undefined) return conversation;
  // A carriage return at the end may be half of a line end.
  const pieces = (block.rest + text).split(/\r\n|\n|\r(?!$)/).flatMap(breakLine);
  const rest = pieces.pop() ?? '';
  let lines = pieces.length === 0 ? block.lines : [...block.lines, ...pieces];
  let grown: Conversation = { ...conversation, size: conversation.size + text.length };
  let at = index;
  const { id: _id, ...more } = block;
  for (let room = roomFor(lines); room < lines.length; room = roomFor(lines)) {
    // Full: it is closed, and its stream goes on below.
    const full = replaceAt(grown, at, { lines: lines.slice(0, room), rest: '', open: false });
    grown = addBlock(full, { ...more, isContinued: true, lines: [], rest: '' });
    at = grown.blocks.length - 1;
    lines = lines.slice(room);
  }
  return replaceAt(grown, at, { lines, rest });
}

/** How many of these lines one block takes. */
function roomFor(lines: readonly string[]): number {
  if (lines.length <= blockLines && sizeOfLines(lines) <= blockSize) return lines.length;
  let size = 0;
  const over = lines.findIndex((line, index) => {
    size += line.length + 1;
    return index > 0 && (size > blockSize || index >= blockLines);
  });
  return over < 0 ? lines.length : over;
}

function replaceAt(conversation: Conversation, index: number, part: Partial<Block>): Conversation {
  const block = conversation.blocks[index];
  return block === undefined ? conversation : { ...conversation, blocks: conversation.blocks.with(index, { ...block, ...part }) };
}

/** Ends the open blocks of a run: all, or those of one kind. Open ones are few and near the end. */
export function closeAll(conversation: Conversation, runId: RunId, kind?: BlockKind): Conversation {
  const { blocks } = conversation;
  let closed: Block[] | null = null;
  for (let i = blocks.length - 1; i >= 0 && i >= blocks.length - 64; i--) {
    const block = blocks[i];
    if (block === undefined || !block.open || block.runId !== runId || (kind !== undefined && block.kind !== kind)) continue;
    closed ??= [...blocks];
    closed[i] = { ...block, open: false };
  }
  return closed === null ? conversation : { ...conversation, blocks: closed };
}

/** Ends all that was streamed: what is said from now on is said anew, and the rest of it is read. */
export function closeEvery(conversation: Conversation): Conversation {
  if (!conversation.blocks.some(({ open }) => open)) return conversation;
  return { ...conversation, blocks: conversation.blocks.map((block) => (block.open ? { ...block, open: false } : block)) };
}

const textOf = ({ lines, rest }: Block): string => [...lines, rest].join('\n').trim();

/** Whether what is still streamed is in a transcript already: a call under way (it gets the output so far), or its last text. */
function takeIn(transcript: Block[], streamed: Block): boolean {
  if (streamed.kind === 'tool') {
    // Of some calls no more is streamed than which tool it was.
    const isSame = ({ kind, head }: Block): boolean =>
      kind === 'tool' && (head === streamed.head || (!streamed.head.includes(' ') && isOfTool({ head }, streamed.head)));
    const index = transcript.findIndex((block) => isSame(block) && block.open && block.lines.length === 0);
    const call = transcript[index];
    if (call !== undefined) transcript[index] = { ...call, lines: streamed.lines, rest: streamed.rest };
    // A call is stored before it begins: one that is not open there any more has ended.
    return call !== undefined || transcript.some(isSame);
  }
  // The beginning of it may not have been heard.
  const last = transcript.findLast(({ kind }) => kind === 'text');
  return streamed.kind === 'text' && last !== undefined && textOf(last).endsWith(textOf(streamed));
}

/**
 * Puts the blocks of a transcript in the place of those of the same runs; where none of them is there, `at` says at which end
 * of the conversation they stand. What is still being streamed stays, behind them.
 */
export function replaceRuns(
  conversation: Conversation,
  runIds: ReadonlySet<RunId>,
  blocks: readonly NewBlock[],
  at: 'start' | 'end',
): Conversation {
  const isOld = (block: Block): boolean => block.runId !== null && runIds.has(block.runId);
  const first = conversation.blocks.findIndex(isOld);
  const streaming = conversation.blocks.filter((block) => isOld(block) && block.open && block.kind !== 'run');
  const kept = conversation.blocks.filter((block) => !isOld(block));
  const place = first >= 0 ? kept.length - conversation.blocks.slice(first).filter((block) => !isOld(block)).length : null;
  const index = place ?? (at === 'start' ? 0 : kept.length);
  const added = blocks.map((block, i): Block => ({ ...block, id: conversation.nextId + i }));
  const going = streaming.filter((block) => !takeIn(added, block));
  const all = [...kept.slice(0, index), ...added, ...going, ...kept.slice(index)];
  const size = all.reduce((sum, block) => sum + sizeOf(block), 0);
  return keepWithin({ ...conversation, blocks: all, nextId: conversation.nextId + blocks.length, size });
}
