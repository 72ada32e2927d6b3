import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunId } from '../../shared/run.js';
import { type BlockLook, blockRows } from '../../tui/core/conversation/block-rows.js';
import {
  addBlock,
  appendOutput,
  type Block,
  blockKinds,
  type Conversation,
  emptyConversation,
  newBlock,
} from '../../tui/core/conversation/conversation.js';
import { glyphsFor } from '../../tui/core/glyphs.js';

const glyphs = glyphsFor('en_US.UTF-8');
const look: BlockLook = { width: 24, glyphs, isTurned: false, isChosen: false };
let unknownId = 1_000_000;
const spansOf = (block: Block, seen: BlockLook) => blockRows(block, seen).map(({ spans }) => spans);
/** As it would be if nothing were known of the block. */
const anew = (block: Block, seen: BlockLook) => spansOf({ ...block, id: unknownId++ }, seen);

const piece = fc.constantFrom(
  'word ',
  'a longer stretch of words ',
  '\n',
  '\r\n',
  'end.\nstart',
  '你好 ',
  '\t',
  '$ npm test\n',
  ' ',
);
const streamed = fc.record({
  stream: fc.constantFrom('text' as const, 'reasoning' as const, 'tool_output' as const, 'check' as const),
  pieces: fc.array(piece, { minLength: 1, maxLength: 30 }),
  looks: fc.array(fc.record({ isTurned: fc.boolean(), isChosen: fc.boolean(), width: fc.constantFrom(12, 24) }), {
    minLength: 1,
    maxLength: 3,
  }),
});

describe('the rows of a block', () => {
  it('are those of the whole text, however it came', () => {
    fc.assert(
      fc.property(streamed, ({ stream, pieces, looks }) => {
        let conversation: Conversation = emptyConversation;
        pieces.forEach((text, i) => {
          const output = { sessionId: 's' as never, runId: 'r' as RunId, itemId: null, stream, text };
          conversation = appendOutput(conversation, output, '');
          // Some blocks are seen with each piece, some after several.
          const seen = { ...look, ...looks[i % looks.length] };
          for (const block of conversation.blocks) expect(spansOf(block, seen)).toEqual(anew(block, seen));
        });
      }),
    );
  });

  it('are their own where the block of another session has the same number and words', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...blockKinds), fc.constantFrom('good' as const, 'bad' as const)), { minLength: 2 }),
        (kinds) => {
          const blocks = kinds.flatMap(
            ([kind, tone]) => addBlock(emptyConversation, newBlock(kind, { lines: ['the same'], head: 'head', tone })).blocks,
          );
          const shown = blocks.map((block) => spansOf(block, look));
          expect(shown).toEqual(blocks.map((block) => anew(block, look)));
        },
      ),
    );
  });
});
