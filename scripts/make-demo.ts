/** Writes `tui/demo/recording.jsonl`: the turns that the demo replays. It is a script, no model: each turn is written here. */
import { writeFileSync } from 'node:fs';
import { formatRecordedTurn, type RecordedTurn, recordingSchemaName } from '../daemon/providers/recording.js';

const model = 'demo-recording';

interface Call {
  readonly name: string;
  readonly args: Record<string, unknown>;
}

/** Words at the pace of somebody reading along. */
function chunksOf(text: string, calls: readonly Call[]): RecordedTurn['chunks'] {
  const words = text.split(/(?<= )/).map((word, i) => ({ ms: i === 0 ? 300 : 35, text: word }));
  return [...words, ...calls.map(({ name }) => ({ ms: 120, toolCall: name }))];
}

function turn(item: string, attempt: number, number: number, text: string, ...calls: Call[]): RecordedTurn {
  return {
    schema: recordingSchemaName,
    key: { item, attempt, turn: number },
    chunks: chunksOf(text, calls),
    result: {
      ok: true,
      turn: {
        content: text,
        toolCalls: calls.map(({ name, args }, i) => ({ id: `call_${number}_${i}`, name, arguments: JSON.stringify(args) })),
        finishReason: calls.length > 0 ? 'tool_calls' : 'stop',
        model,
        usage: { inputTokens: 600 + number * 150, outputTokens: 20 + text.length / 4 + calls.length * 30, costUsd: null },
      },
    },
  };
}

const write = (path: string, content: string): Call => ({ name: 'write', args: { path, content } });
const shell = (command: string): Call => ({ name: 'shell', args: { command } });
const report = (summary: string): Call => ({ name: 'mission_report', args: { kind: 'result', summary } });

const notes = '# count.sh\n\nPrints how many words a file has, as one number and nothing else.\n';
const wrong = '#!/bin/sh\n# Counts the words of a file.\nwc -l < "$1" | tr -d " "\n';

const turns = [
  turn('Write down what it does', 1, 0, 'I begin with the behaviour.', write('NOTES.md', notes)),
  turn('Write down what it does', 1, 1, 'That is enough to test against.', report('NOTES.md says what the tool prints.')),
  turn('Write the script', 1, 0, 'A small shell script will do.', write('count.sh', wrong)),
  turn('Write the script', 1, 1, '', report('Wrote count.sh.')),
  turn('Write a sample', 1, 0, 'Eight words on three lines.', write('sample.txt', 'a cairn is a pile\nof stones\nhere\n')),
  turn('Write a sample', 1, 1, '', report('sample.txt has eight words.')),
  turn('Count the words of the sample', 1, 0, 'I run it on the sample.', shell('sh count.sh sample.txt')),
  turn('Count the words of the sample', 1, 1, 'It prints a number, so it works.', report('count.sh prints a number.')),
  turn(
    'Count the words of the sample',
    2,
    2,
    'The check is right: it counts lines (-l), not words. I change that and look again.',
    { name: 'edit', args: { path: 'count.sh', old: 'wc -l', new: 'wc -w' } },
    shell('sh count.sh sample.txt'),
  ),
  turn('Count the words of the sample', 2, 3, 'Now it prints 8.', report('count.sh counted lines; it counts words now.')),
  turn(
    'Say what came of it',
    1,
    0,
    'A last look at what is there.',
    { name: 'list', args: {} },
    { name: 'read', args: { path: 'count.sh' } },
  ),
  turn('Say what came of it', 1, 1, 'Done.', report('The tool, its notes, a sample and an archive are in the workspace.')),
];

const rounded = turns.map((each) => {
  if (!each.result.ok) return each;
  const { usage } = each.result.turn;
  return {
    ...each,
    result: { ...each.result, turn: { ...each.result.turn, usage: { ...usage, outputTokens: Math.round(usage.outputTokens) } } },
  };
});
writeFileSync('tui/demo/recording.jsonl', rounded.map(formatRecordedTurn).join(''));
