/**
 * The yardstick: the same plan and the same conversation in blessed's own widgets, at the same sizes, as a program would
 * have them that follows its documentation. Only its time to the bytes is counted; what it paints once more in a later turn is not.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import blessed from 'neo-blessed';
import { openCountingTerminal } from './counting-terminal.js';
import { type Cost, timeFrames } from './figures.js';
import { items, sentence, size, tokenText } from './scene.js';

export interface Widgets {
  readonly token: Cost;
  readonly longLine: Cost;
  readonly down: Cost;
  readonly page: Cost;
  readonly talk: Cost;
  readonly change: Cost;
  readonly open: Cost;
}

/** They are slow: a few frames tell enough. */
const frames = 15;
const planWidth = 92;
const bodyHeight = 54;

const title = (index: number, mark: string): string => `${mark} ${items[index]?.number ?? ''} ${items[index]?.title ?? ''}`;

/** `talkLines`: lines of the conversation. */
export async function measureWidgets(talkLines: number): Promise<Widgets> {
  const { input, output } = openCountingTerminal(size);
  const screen = blessed.screen({
    input,
    output: output as never,
    terminal: 'xterm-256color',
    fullUnicode: true,
    forceUnicode: true,
  });
  const place = { parent: screen, top: 2, height: bodyHeight, tags: false };
  const list = blessed.list({ ...place, left: size.columns - planWidth, width: planWidth, style: { selected: { bg: 'blue' } } });
  const log = blessed.log({ ...place, left: 0, width: size.columns - planWidth - 1 });
  log.setContent(Array.from({ length: talkLines }, (_, i) => sentence(i, 9)).join('\n'));
  const show = (): void => {
    screen.render();
    screen.program.flush();
  };
  const measure = async (frame: (index: number) => void, count = frames): Promise<Cost> => {
    const costs: Cost[] = [];
    for (let i = 0; i < count; i++) {
      costs.push(
        timeFrames(
          1,
          () => {
            frame(i);
            show();
          },
          () => output.bytes,
        ),
      );
      // What it has put off.
      await nextTurn();
      screen.program.flush();
    }
    return { ms: costs.flatMap(({ ms }) => ms), bytes: costs.flatMap(({ bytes }) => bytes) };
  };

  const open = await measure(() => list.setItems(items.map((_, index) => title(index, '○'))), 3);
  list.select(300);
  log.setScrollPerc(100);
  show();
  let line = '';
  const talking = {
    token: await measure((i) => {
      line += tokenText(i);
      log.setLine(talkLines - 1, line.trimEnd());
      log.setScrollPerc(100);
    }),
    longLine: await measure((i) => {
      log.setLine(talkLines - 1, sentence(1, 800 + i));
      log.setScrollPerc(100);
    }),
    talk: await measure(() => log.scroll(-1)),
  };
  const down = await measure(() => list.down(1));
  const page = await measure(() => list.down(bodyHeight));
  list.select(300);
  show();
  const change = await measure((i) => {
    const index = 300 + i;
    list.setItem(list.getItem(index), title(index, '✓'));
  });
  screen.destroy();
  return { ...talking, down, page, change, open };
}
