/** A transcript puts new blocks in the place of those that were heard: what is looked at, and what is unfolded, goes along. */
import type { Block, Conversation } from './conversation.js';
import type { ConversationView } from '../state.js';

/** The view of the conversation `after` blocks of it were replaced. What has no counterpart is looked at by its place. */
export function followBlocks(before: Conversation, after: Conversation, view: ConversationView): ConversationView {
  const there = new Set(after.blocks.map(({ id }) => id));
  const fresh = after.blocks.filter(({ id }) => id >= before.nextId);
  const idAfter = (id: number, isPlace: boolean): number | null => {
    if (there.has(id)) return id;
    const old = before.blocks.find((block) => block.id === id);
    if (old === undefined) return null;
    return (counterpart(old, fresh) ?? (isPlace ? sameFromEnd(old, before, fresh) : undefined))?.id ?? null;
  };
  const top = view.top === null ? null : idAfter(view.top.block, true);
  return {
    top: view.top === null || top === null ? null : { block: top, row: view.top.row },
    cursor: view.cursor === null ? null : idAfter(view.cursor, true),
    turned: new Set([...view.turned].flatMap((id) => idAfter(id, false) ?? [])),
  };
}

/** The same call, the same words. */
function counterpart(old: Block, fresh: readonly Block[]): Block | undefined {
  const alike = fresh.filter(({ kind, head }) => kind === old.kind && head === old.head);
  return alike.find(({ lines }) => lines[0] === old.lines[0]) ?? (old.head === '' ? undefined : alike.at(-1));
}

/** Counted from the end of the run, of which the beginning may not have been heard. */
function sameFromEnd(old: Block, { blocks }: Conversation, fresh: readonly Block[]): Block | undefined {
  const ofRun = blocks.filter(({ runId }) => runId === old.runId);
  return fresh.at(ofRun.indexOf(old) - ofRun.length) ?? fresh[0];
}
