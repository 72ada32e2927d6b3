/**
 * Figures of the screen against their budgets, with blessed's own widgets as the yardstick in the same run:
 * `npm run bench:screen`. It bundles this file as the client itself is bundled, since other ways of running TypeScript slow
 * down just what is measured. Ends with code 1 when a budget is broken by more than the noise of the machine (see
 * `bench/figures.ts`).
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Cost, type Figure, median, printFigures, quantile, shown, timeFrames } from './bench/figures.js';
import { keyLatencies } from './bench/latency.js';
import { change, connected, items, key, opened, token, toolCall, wheel, word } from './bench/scene.js';
import { openFullStage, openStage, type Stage } from './bench/stage.js';
import { measureWidgets, type Widgets } from './bench/widgets.js';

const rounds = 5;
const latencyRounds = 3;
const memoryFrames = 100_000;
const samples = [10_000, 50_000, memoryFrames];

const figures: Figure[] = [];
/** Told at once too: all of it takes minutes. */
function add(figure: Figure): void {
  figures.push(figure);
  console.log(`${figure.what}: ${shown(median(figure.rounds), figure.unit)}`);
}
const eachRound = (measure: (round: number) => Cost, count = rounds): Cost[] =>
  Array.from({ length: count }, (_, i) => measure(i));
const medianMs = (costs: readonly Cost[]): number[] => costs.map(({ ms }) => median(ms));
const slowestMs = (costs: readonly Cost[]): number[] => costs.map(({ ms }) => quantile(ms, 0.99));
const medianBytes = (costs: readonly Cost[]): number[] => costs.map(({ bytes }) => median(bytes));

/** `most`: milliseconds and bytes that the frame in the middle may cost. */
function note(what: string, costs: readonly Cost[], widgets: Cost, most: { ms: number; bytes?: number }): void {
  add({ what, rounds: medianMs(costs), unit: 'ms', budget: most.ms, widgets: median(widgets.ms) });
  add({ what: `${what}, 99th percentile`, rounds: slowestMs(costs), unit: 'ms' });
  add({
    what: `${what}, bytes`,
    rounds: medianBytes(costs),
    unit: 'bytes',
    ...(most.bytes === undefined ? {} : { budget: most.bytes }),
    widgets: median(widgets.bytes),
  });
}

function measureFrames(stage: Stage, widgets: Widgets): void {
  const time = (count: number, frame: (index: number) => void): Cost[] => {
    timeFrames(count, frame, stage.bytes);
    return eachRound(() => timeFrames(count, frame, stage.bytes));
  };
  let tokens = 0;
  note(
    'a streamed token',
    time(1_000, () => stage.frame(token(tokens++))),
    widgets.token,
    { ms: 0.5, bytes: 200 },
  );

  // A paragraph that a model writes without a line end.
  for (let i = 0; i < 800; i++) stage.send(word(i));
  note(
    'a streamed token in a long line',
    time(100, (i) => stage.frame(word(i))),
    widgets.longLine,
    { ms: 0.5, bytes: 200 },
  );

  stage.send(key('home'));
  for (let i = 0; i < 100; i++) stage.send(key('down'));
  note(
    'one down in the tree',
    time(500, () => stage.frame(key('down'))),
    widgets.down,
    { ms: 2, bytes: 6_144 },
  );

  stage.send(key('home'));
  // Seventy pages to the end, and from the start again.
  const page = (i: number): void => stage.frame(key(i % 70 === 69 ? 'home' : 'pagedown'));
  note('a page down in the tree', time(140, page), widgets.page, { ms: 2 });

  // So far up that the end is never reached.
  for (let i = 0; i < 2_000; i++) stage.send(wheel('up'));
  const turn = (i: number): void => stage.frame(wheel(i % 200 < 100 ? 'up' : 'down'));
  note('the wheel in the conversation', time(400, turn), widgets.talk, { ms: 2 });
  for (let i = 0; i < 2_200; i++) stage.send(wheel('down'));

  stage.send(key('home'));
  for (let i = 0; i < 410; i++) stage.send(key('down'));
  let version = stage.state.session?.plan.version ?? 0;
  note(
    'one item of the plan changes',
    time(200, (i) => stage.frame(change(i, version++))),
    widgets.change,
    { ms: 2 },
  );
}

/** From the answer of the daemon to the first frame. */
function measureOpening(widgets: Widgets): void {
  const costs = eachRound(() => {
    const stage = openStage();
    stage.frame(connected);
    const cost = timeFrames(1, () => stage.frame(opened), stage.bytes);
    stage.close();
    return cost;
  }, 2 * rounds);
  add({
    what: `a session of ${items.length} items opens`,
    rounds: medianMs(costs),
    unit: 'ms',
    budget: 100,
    widgets: median(widgets.open.ms),
  });
}

async function measureLatency(): Promise<void> {
  for (const perSecond of [50, 500]) {
    const values: number[] = [];
    for (let round = 0; round < latencyRounds; round++) values.push(quantile(await keyLatencies(perSecond), 0.99));
    add({ what: `key to frame at ${perSecond} tokens/s, 99th percentile`, rounds: values, unit: 'ms', budget: 16 });
  }
}

function heap(): number {
  if (globalThis.gc === undefined) throw new Error('The heap can only be measured with node --expose-gc.');
  globalThis.gc();
  globalThis.gc();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

/** Streaming, calls, scrolling and changes, frame after frame. */
async function measureMemory(stage: Stage): Promise<void> {
  let version = stage.state.session?.plan.version ?? 0;
  const heaps: number[] = [];
  for (let i = 0; i < memoryFrames; i++) {
    stage.send(token(i));
    if (i % 7 === 0) stage.send(key(i % 14_000 === 0 ? 'home' : 'down'));
    if (i % 100 === 0) stage.send(...toolCall(i));
    if (i % 20 === 0) stage.send(change(i / 20, version++));
    if (i % 50 < 20) stage.send(wheel(i % 50 < 10 ? 'up' : 'down'));
    stage.frame();
    // What streams put off to a later turn must not pile up.
    if (i % 100 === 99) await nextTurn();
    if (samples.includes(i + 1)) {
      heaps.push(heap());
      add({ what: `heap after ${i + 1} frames`, rounds: heaps.slice(-1), unit: 'MB' });
    }
  }
  const growth = (heaps.at(-1) ?? NaN) / (heaps[0] ?? NaN);
  add({ what: 'heap, last over first', rounds: [growth], unit: '×', budget: 1.05 });
}

async function main(): Promise<void> {
  const stage = openFullStage();
  const talkLines = (stage.state.session?.conversation.blocks ?? []).reduce((sum, { lines }) => sum + lines.length, 0);
  const widgets = await measureWidgets(talkLines);
  console.log(`${stage.state.session?.conversation.blocks.length} blocks, ${talkLines} lines, ${items.length} items`);
  measureFrames(stage, widgets);
  measureOpening(widgets);
  await measureLatency();
  await measureMemory(stage);
  stage.close();
  if (!printFigures(figures)) process.exitCode = 1;
}

await main();
