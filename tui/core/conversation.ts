/**
 * The conversation as blocks: what was said, called, answered and seen, oldest first. Streams append to it; a transcript
 * that was read replaces what was only heard of the same work.
 */
import { unreachable } from '../../shared/errors.js';
import type { ItemId } from '../../shared/plan.js';
import type { RunId } from '../../shared/run.js';
import type { RunOutput } from '../../shared/session.js';

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
  readonly tone?: 'good' | 'bad' | 'dim' | 'warn';
  /** A call's id, where a transcript names it. */
  readonly callId?: string;
}

export interface Conversation {
  readonly blocks: readonly Block[];
  readonly nextId: number;
  /** Lines and blocks that were let go to keep within the limits. */
  readonly dropped: number;
}

export const emptyConversation: Conversation = { blocks: [], nextId: 1, dropped: 0 };

/** A long stream goes on in a further block, so that adding a line never copies more than this many. */
const blockLines = 500;
const blockLimit = 4_000;
const lineLimit = 40_000;
/** A line that is longer is broken, in code units. */
const longestLine = 8_192;

export type NewBlock = Omit<Block, 'id'>;

export const newBlock = (kind: BlockKind, part: Partial<NewBlock> = {}): NewBlock => ({
  kind,
  runId: null,
  itemId: null,
  head: '',
  lines: [],
  rest: '',
  open: false,
  ...part,
});

export const linesOf = (text: string): string[] => {
  const lines = text.split(/\r\n|\n|\r/);
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};

export function addBlock(conversation: Conversation, block: NewBlock): Conversation {
  const { blocks, nextId } = conversation;
  const added = [...blocks, { ...block, id: nextId }];
  return keepWithin({ ...conversation, blocks: added, nextId: nextId + 1 });
}

/** Lets the oldest go when there is too much. Looks only when a block was added, so a token costs nothing here. */
function keepWithin(conversation: Conversation): Conversation {
  const { blocks } = conversation;
  let lines = blocks.reduce((sum, block) => sum + block.lines.length, 0);
  let first = Math.max(0, blocks.length - blockLimit);
  for (let i = 0; i < first; i++) lines -= blocks[i]?.lines.length ?? 0;
  while (lines > lineLimit && first < blocks.length - 1) lines -= blocks[first++]?.lines.length ?? 0;
  return first === 0 ? conversation : { ...conversation, blocks: blocks.slice(first), dropped: conversation.dropped + first };
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
const isOfTool = ({ head }: Block, tool = 'tool'): boolean => head === tool || head.startsWith(`${tool} `);

/** `runHead`: what stands above the first block of a run that is new here. */
export function appendOutput(conversation: Conversation, output: RunOutput, runHead: string): Conversation {
  const { runId, itemId, stream, text } = output;
  const isNewRun = conversation.blocks.findLast((block) => block.runId === runId) === undefined;
  const before = isNewRun && runHead !== '' ? startRun(conversation, runId, itemId, runHead) : conversation;
  const kind = kindOf(stream);
  if (stream === 'tool') {
    const head = `${output.tool ?? 'tool'} ${text.replaceAll(/\s*\n\s*/g, ' ')}`;
    return addBlock(closeAll(before, runId, 'text'), newBlock('tool', { runId, itemId, head, open: true }));
  }
  if (stream === 'notice') return addBlock(closeAll(before, runId), newBlock('notice', { runId, itemId, lines: linesOf(text) }));
  // A call that was cut off may still say how, behind the end of its run.
  const beforeEnd = before.blocks.findLastIndex((block) => block.runId === runId && block.kind !== 'end');
  const target = before.blocks.findLastIndex(
    (block, index) =>
      block.runId === runId &&
      block.kind === kind &&
      (kind === 'tool' ? (block.open || index === beforeEnd) && isOfTool(block, output.tool) : block.open),
  );
  // Only the newest text goes on; a tool's output finds its call, which may stand further up.
  const goesOn = target >= 0 && (kind === 'tool' || target === before.blocks.length - 1);
  if (goesOn) return appendText(before, target, text);
  const head = kind === 'tool' ? (output.tool ?? 'tool') : '';
  const added = addBlock(
    closeAll(before, runId, kind === 'tool' ? 'tool' : undefined),
    newBlock(kind, { runId, itemId, head, open: true }),
  );
  return appendText(added, added.blocks.length - 1, text);
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
  return { ...closed, blocks, nextId: closed.nextId + 1 };
}

function appendText(conversation: Conversation, index: number, text: string): Conversation {
  const block = conversation.blocks[index];
  if (block === undefined) return conversation;
  // A carriage return at the end may be half of a line end.
  const parts = (block.rest + text).split(/\r\n|\n|\r(?!$)/);
  let rest = parts.pop() ?? '';
  while (rest.length > longestLine) {
    parts.push(rest.slice(0, longestLine));
    rest = rest.slice(longestLine);
  }
  const lines = parts.length === 0 ? block.lines : [...block.lines, ...parts];
  if (lines.length <= blockLines) return replaceAt(conversation, index, { ...block, lines, rest });
  // Full: it is closed, and its stream goes on below.
  const full = replaceAt(conversation, index, { ...block, lines: lines.slice(0, blockLines), rest: '', open: false });
  const { id: _id, ...more } = block;
  const next = addBlock(full, { ...more, lines: [], rest: '' });
  const over = [...lines.slice(blockLines), rest].join('\n');
  return appendText(next, next.blocks.length - 1, over);
}

const replaceAt = (conversation: Conversation, index: number, block: Block): Conversation => ({
  ...conversation,
  blocks: conversation.blocks.with(index, block),
});

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

const textOf = ({ lines, rest }: Block): string => [...lines, rest].join('\n').trim();

/** Whether what is still streamed is in a transcript already: a call under way (it gets the output so far), or its last text. */
function takeIn(transcript: Block[], streamed: Block): boolean {
  if (streamed.kind === 'tool') {
    const index = transcript.findIndex(
      ({ kind, open, head, lines }) => kind === 'tool' && open && head === streamed.head && lines.length === 0,
    );
    const call = transcript[index];
    if (call !== undefined) transcript[index] = { ...call, lines: streamed.lines, rest: streamed.rest };
    return call !== undefined;
  }
  // The beginning of it may not have been heard.
  const last = transcript.findLast(({ kind }) => kind === 'text');
  return streamed.kind === 'text' && last !== undefined && textOf(last).endsWith(textOf(streamed));
}

/**
 * Puts the blocks of a transcript in the place of those of the same runs, or where a run of that time belongs: `at` is the
 * id of the block that they stand before, null for the end. What is still being streamed stays, behind them.
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
  return keepWithin({
    ...conversation,
    blocks: [...kept.slice(0, index), ...added, ...going, ...kept.slice(index)],
    nextId: conversation.nextId + blocks.length,
  });
}
