/** Where the conversation is looked at: which rows are in sight, and moving through them. */
import { blockRows } from './block-rows.js';
import type { Block } from './conversation.js';
import type { Glyphs } from '../glyphs.js';
import type { Row } from '../press.js';
import type { ConversationView, SessionView } from '../state.js';

export interface Room {
  readonly width: number;
  readonly height: number;
  readonly glyphs: Glyphs;
  /** The cursor shows. */
  readonly hasFocus: boolean;
}

/** A row as the index of its block and its place in it. */
interface Place {
  readonly index: number;
  readonly row: number;
}

export const chosenBlock = ({ conversation, conversationView }: SessionView): Block | null => {
  const { blocks } = conversation;
  return blocks.find(({ id }) => id === conversationView.cursor) ?? blocks.at(-1) ?? null;
};

function rowsAt(view: SessionView, index: number, room: Room): readonly Row[] {
  const block = view.conversation.blocks[index];
  if (block === undefined) return [];
  return blockRows(block, {
    width: room.width,
    glyphs: room.glyphs,
    isTurned: view.conversationView.turned.has(block.id),
    isChosen: room.hasFocus && isChosen(view, block),
  });
}

function isChosen(view: SessionView, block: Block): boolean {
  if (block.id === view.conversationView.cursor) return true;
  return block === view.conversation.blocks.at(-1) && block === chosenBlock(view);
}

/** The first row in sight: as anchored, or so that the last row stands at the bottom. */
function firstPlace(view: SessionView, room: Room): Place {
  const { blocks } = view.conversation;
  const { top } = view.conversationView;
  const anchored = top === null ? -1 : blocks.findIndex(({ id }) => id === top.block);
  if (top !== null && anchored >= 0) {
    return { index: anchored, row: Math.min(top.row, Math.max(0, rowsAt(view, anchored, room).length - 1)) };
  }
  return lastTop(view, room);
}

/** The place from which on the rest just fills the pane. */
function lastTop(view: SessionView, room: Room): Place {
  let left = room.height;
  for (let index = view.conversation.blocks.length - 1; index >= 0; index--) {
    const { length } = rowsAt(view, index, room);
    if (length >= left) return { index, row: length - left };
    left -= length;
  }
  return { index: 0, row: 0 };
}

/** The rows in sight. */
export function rowsInSight(view: SessionView, room: Room): readonly Row[] {
  const shown: Row[] = [];
  const { index: first, row } = firstPlace(view, room);
  for (let index = first; index < view.conversation.blocks.length && shown.length < room.height; index++) {
    const rows = rowsAt(view, index, room);
    shown.push(...rows.slice(index === first ? row : 0, (index === first ? row : 0) + room.height - shown.length));
  }
  return shown;
}

function walk(view: SessionView, room: Room, from: Place, by: number): Place {
  let { index, row } = from;
  row += by;
  while (row < 0) {
    if (index === 0) return { index: 0, row: 0 };
    index--;
    row += rowsAt(view, index, room).length;
  }
  for (;;) {
    const { length } = rowsAt(view, index, room);
    if (row < length || index >= view.conversation.blocks.length - 1)
      return { index, row: Math.min(row, Math.max(0, length - 1)) };
    row -= length;
    index++;
  }
}

const isBefore = (a: Place, b: Place): boolean => a.index < b.index || (a.index === b.index && a.row < b.row);

/** Scrolls by rows, or to the start (`-Infinity`); at the end it follows again. `atStart`: the oldest row is in sight. */
export function scrollConversation(view: SessionView, by: number, room: Room): { view: ConversationView; atStart: boolean } {
  const end = lastTop(view, room);
  const to = by === Number.NEGATIVE_INFINITY ? { index: 0, row: 0 } : walk(view, room, firstPlace(view, room), by);
  return { view: anchor(view, isBefore(to, end) ? to : null), atStart: to.index === 0 && to.row === 0 };
}

function anchor({ conversation, conversationView }: SessionView, place: Place | null): ConversationView {
  const block = place && conversation.blocks[place.index];
  return { ...conversationView, top: block ? { block: block.id, row: place.row } : null };
}

/** The cursor to the block before or behind; a block that reaches out of sight is scrolled through first. */
export function moveBlock(view: SessionView, by: -1 | 1, room: Room): { view: ConversationView; atStart: boolean } {
  const { blocks } = view.conversation;
  const chosen = chosenBlock(view);
  const at = blocks.findIndex(({ id }) => id === chosen?.id);
  const first = firstPlace(view, room);
  const last = walk(view, room, first, room.height - 1);
  const hangsOver =
    by < 0 ? at === first.index && first.row > 0 : at === last.index && last.row < rowsAt(view, at, room).length - 1;
  if (hangsOver) return scrollConversation(view, by, room);
  const index = Math.max(0, Math.min(blocks.length - 1, at + by));
  const block = blocks[index];
  if (block === undefined) return { view: view.conversationView, atStart: true };
  if (index === at)
    return { view: by > 0 ? { ...view.conversationView, top: null, cursor: null } : view.conversationView, atStart: by < 0 };
  // Being on the last block of a conversation that is followed is following it.
  const cursor = index === blocks.length - 1 && by > 0 ? null : block.id;
  const moved: SessionView = { ...view, conversationView: { ...view.conversationView, cursor } };
  return { view: showBlock(moved, index, room), atStart: index === 0 };
}

function showBlock(view: SessionView, index: number, room: Room): ConversationView {
  const first = firstPlace(view, room);
  const last = walk(view, room, first, room.height - 1);
  const { length } = rowsAt(view, index, room);
  if (index < first.index || (index === first.index && first.row > 0)) return anchor(view, { index, row: 0 });
  const below = index > last.index || (index === last.index && last.row < length - 1);
  if (!below) return view.conversationView;
  const end = { index, row: Math.max(0, Math.min(length, room.height) - 1) };
  const to = walk(view, room, end, 1 - room.height);
  return anchor(view, isBefore(to, lastTop(view, room)) ? to : null);
}

/** The cursor on a block that is in sight, after scrolling. */
export function keepInSight(view: SessionView, room: Room): ConversationView {
  const { blocks } = view.conversation;
  const { conversationView } = view;
  if (conversationView.top === null) return { ...conversationView, cursor: null };
  const chosen = chosenBlock(view);
  const at = blocks.findIndex(({ id }) => id === chosen?.id);
  const first = firstPlace(view, room);
  const last = walk(view, room, first, room.height - 1);
  const index = Math.max(first.index, Math.min(last.index, at));
  return { ...conversationView, cursor: blocks[index]?.id ?? null };
}
