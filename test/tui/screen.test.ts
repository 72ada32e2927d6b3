import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type Frame, type Rect, type Region, type RegionId, regionIds, type Row, type Size } from '../../tui/core/frame.js';
import type { Input } from '../../tui/core/input/input.js';
import type { Tone } from '../../tui/core/style.js';
import { cells, sanitise } from '../../tui/core/text/text.js';
import { openScreen, type Screen } from '../../tui/screen.js';
import { type FakeTerminal, openFakeTerminal } from '../support/fake-terminal.js';
import { waitFor } from '../support/wait.js';

const opened: Screen[] = [];
afterEach(() => {
  for (const screen of opened.splice(0)) screen.close();
});

interface Mounted extends FakeTerminal {
  readonly screen: Screen;
  /** Shows a frame, and waits until it is there. */
  show(frame: Frame): Promise<void>;
}

function mount({ columns, rows }: Size, colours = true): Mounted {
  const fake = openFakeTerminal(columns, rows);
  const screen = openScreen({ ...fake, colours });
  opened.push(screen);
  const show = async (frame: Frame): Promise<void> => {
    screen.paint(frame);
    await fake.settle();
  };
  return { ...fake, screen, show };
}

const row = (text: string, tone: Tone = 'plain', chosen?: 'here' | 'elsewhere'): Row => ({
  spans: [{ text, tone }],
  ...(chosen === undefined ? {} : { chosen }),
});
const region = (id: RegionId, [x, y, width, height]: [number, number, number, number], rows: readonly Row[]): Region => ({
  id,
  rect: { x, y, width, height },
  rows,
});
const small: Size = { columns: 20, rows: 4 };
const frameOf = (regions: readonly Region[], cursor: Frame['cursor'] = null, size = small): Frame => ({
  size,
  regions,
  cursor,
});

/** What is shown in each cell, with its looks; where the cursor is, if it shows. */
function look({ terminal }: FakeTerminal): string[] {
  const buffer = terminal.buffer.active;
  return Array.from({ length: terminal.rows }, (_, y) =>
    Array.from({ length: terminal.cols }, (__, x) => {
      const cell = buffer.getLine(buffer.viewportY + y)?.getCell(x);
      if (!cell) return 'none';
      const looks = [cell.getFgColorMode(), cell.getFgColor(), cell.getBgColorMode(), cell.getBgColor()];
      const flags = [cell.isBold(), cell.isInverse(), cell.isUnderline(), cell.isDim()].map(Boolean).map(Number);
      return `${cell.getChars() || (cell.getWidth() === 0 ? '' : ' ')}/${cell.getWidth()}/${looks.join()}/${flags.join('')}`;
    }).join(' '),
  );
}

const cellAt = ({ terminal }: FakeTerminal, x: number, y: number) => {
  const cell = terminal.buffer.active.getLine(y)?.getCell(x);
  if (!cell) throw new Error(`no cell at ${x}, ${y}`);
  return cell;
};

describe('regions', () => {
  const plan = region('plan', [10, 0, 10, 3], [row('1 Read it'), row('2 Write it, with care')]);
  const chat = region('conversation', [0, 0, 9, 3], [row('hello'), row('a long answer')]);
  const popup = region('popup', [4, 0, 10, 2], [row('┌────────┐'), row('└────────┘')]);

  it('shows each where it belongs, cut at its edge, and blanks the rest', async () => {
    const at = mount(small);
    await at.show(frameOf([chat, plan]));
    expect(at.text()).toEqual(['hello     1 Read it', 'a long an 2 Write it', '', '']);
    await at.show(frameOf([{ ...chat, rows: [row('bye')] }, plan]));
    expect(at.text()).toEqual(['bye       1 Read it', '          2 Write it', '', '']);
  });

  it('covers an earlier region by a later one, and shows again what a popup had covered', async () => {
    const at = mount(small);
    await at.show(frameOf([chat, plan]));
    const before = look(at);
    await at.show(frameOf([chat, plan, popup]));
    expect(at.text()).toEqual(['hell┌────────┐ad it', 'a lo└────────┘ite it', '', '']);
    await at.show(frameOf([chat, plan]));
    expect(look(at)).toEqual(before);
    await at.show(frameOf([popup, chat, plan]));
    expect(at.text()).toEqual(['hello    ─1 Read it', 'a long an─2 Write it', '', '']);
  });

  it('keeps a popup whole when what is beneath it changes', async () => {
    const at = mount(small);
    await at.show(frameOf([chat, plan, popup]));
    await at.show(frameOf([{ ...chat, rows: [row('HELLO YOU'), row('second')] }, plan, popup]));
    expect(at.text()).toEqual(['HELL┌────────┐ad it', 'seco└────────┘ite it', '', '']);
  });

  it('bears regions without room, and beyond the screen', async () => {
    const at = mount(small);
    const outside = region('status', [15, 3, 30, 9], [row('far too wide')]);
    const before = region('line', [-3, -1, 8, 3], [row('unseen'), row('abcdefgh')]);
    await at.show(frameOf([region('header', [0, 0, 0, 0], [row('x')]), region('plan', [5, 1, -4, 2], []), outside, before]));
    expect(at.text()).toEqual(['defgh', '', '', '               far t']);
  });
});

describe('wide characters', () => {
  it('takes two columns for each, and leaves out one that does not fit', async () => {
    const at = mount(small);
    await at.show(
      frameOf([region('conversation', [0, 0, 5, 2], [row('你好吗'), row('a你好')]), region('plan', [5, 0, 15, 2], [row('|')])]),
    );
    expect(at.text().slice(0, 2)).toEqual(['你好 |', 'a你好']);
    await at.show(frameOf([region('header', [0, 0, 20, 2], [row('1234567890123456789你'), row('12345678901234567😀你')])]));
    expect(at.text().slice(0, 2)).toEqual(['1234567890123456789', '12345678901234567😀']);
  });

  it('replaces one by another, and finds its place behind it', async () => {
    const at = mount(small);
    await at.show(frameOf([region('header', [0, 0, 20, 1], [row('你 same a')])]));
    await at.show(frameOf([region('header', [0, 0, 20, 1], [row('好 same b')])]));
    expect(at.text()[0]).toBe('好 same b');
    await at.show(frameOf([region('header', [0, 0, 20, 1], [row('a好same b')])]));
    expect(at.text()[0]).toBe('a好same b');
  });

  it('shows no half of one that a popup covers, and all of it afterwards', async () => {
    const at = mount(small);
    const under = region('conversation', [0, 0, 20, 1], [row('你好你好你好你好')]);
    await at.show(frameOf([under]));
    await at.show(frameOf([under, region('popup', [3, 0, 4, 1], [row('[··]')])]));
    expect(at.text()[0]).toBe('你 [··] 你好你好');
    await at.show(frameOf([under, region('popup', [4, 0, 3, 1], [row('[😀')])]));
    expect(at.text()[0]).toBe('你好[😀 你好你好');
    await at.show(frameOf([under]));
    expect(at.text()[0]).toBe('你好你好你好你好');
  });
});

describe('colours', () => {
  const rows = [row('fine', 'good'), row('quiet', 'dim', 'here'), row('loud', 'strong', 'elsewhere'), row('link', 'accent')];
  const frame = frameOf([region('plan', [0, 0, 20, 4], rows)]);

  it('tells tones apart, and fills the row under the cursor', async () => {
    const at = mount(small);
    await at.show(frame);
    expect([0, 1, 3].map((y) => cellAt(at, 0, y).getFgColor())).toEqual([2, 15, 12]);
    expect([0, 19].map((x) => cellAt(at, x, 1).getBgColor())).toEqual([4, 4]);
    expect([1, 2].map((y) => cellAt(at, 0, y).isBold() !== 0)).toEqual([true, true]);
  });

  it('uses none without colours: bold and inverse only', async () => {
    const at = mount(small, false);
    await at.show(frame);
    for (let y = 0; y < 4; y += 1) {
      for (let x = 0; x < 20; x += 1) {
        expect([cellAt(at, x, y).isFgDefault(), cellAt(at, x, y).isBgDefault()]).toEqual([true, true]);
      }
    }
    expect([0, 1, 2, 3].map((y) => cellAt(at, 19, y).isInverse() !== 0)).toEqual([false, true, false, false]);
    expect([0, 1, 2, 3].map((y) => cellAt(at, 0, y).isBold() !== 0)).toEqual([false, false, true, false]);
  });
});

describe('bytes', () => {
  const wide: Size = { columns: 200, rows: 60 };
  const lines = Array.from({ length: 57 }, (_, index) => row(`${index} of what was said `.repeat(4)));
  const withLast = (text: string): Frame =>
    frameOf(
      [
        region('conversation', [0, 1, 120, 58], [...lines, row(text)]),
        region('plan', [121, 1, 79, 58], lines),
        region('line', [0, 59, 200, 1], [row('> ')]),
      ],
      { x: 2, y: 59 },
      wide,
    );

  it('writes nothing for a frame that shows the same', async () => {
    const at = mount(wide);
    await at.show(withLast('once'));
    const before = at.bytes();
    await at.show(withLast('once'));
    expect(at.bytes()).toBe(before);
  });

  it('writes little for a streamed token', async () => {
    const at = mount(wide);
    await at.show(withLast('It is'));
    const before = at.bytes();
    await at.show(withLast('It is clear'));
    expect(at.text()[58]).toMatch(/^It is clear/);
    expect(at.bytes() - before).toBeLessThanOrEqual(60);
  });
});

describe('bytes of wide characters', () => {
  it('are not written again when only their line changes', async () => {
    const at = mount(small);
    await at.show(frameOf([region('header', [0, 0, 20, 1], [row('你好你好你好你好 a')])]));
    const before = at.bytes();
    await at.show(frameOf([region('header', [0, 0, 20, 1], [row('你好你好你好你好 b')])]));
    expect(at.bytes() - before).toBeLessThanOrEqual(12);
  });
});

describe('the cursor', () => {
  const plain = [region('line', [0, 3, 20, 1], [row('> ab')])];
  const place = ({ terminal }: FakeTerminal) => [terminal.buffer.active.cursorX, terminal.buffer.active.cursorY];

  it('is where the frame has it after every change, and moves without painting', async () => {
    const at = mount(small);
    await at.show(frameOf(plain, { x: 4, y: 3 }));
    expect(place(at)).toEqual([4, 3]);
    await at.show(frameOf([...plain, region('header', [0, 0, 20, 1], [row('news')])], { x: 4, y: 3 }));
    expect(place(at)).toEqual([4, 3]);
    const before = at.bytes();
    await at.show(frameOf([...plain, region('header', [0, 0, 20, 1], [row('news')])], { x: 3, y: 3 }));
    expect(place(at)).toEqual([3, 3]);
    expect(at.bytes() - before).toBeLessThanOrEqual(8);
  });

  it('shows only where the frame has one', async () => {
    const at = mount(small);
    const written: string[] = [];
    const lastSeen = (): string | undefined =>
      written
        .join('')
        .match(/\x1b\[\?25[hl]/g)
        ?.at(-1);
    const write = at.output._write.bind(at.output);
    at.output._write = (chunk, encoding, done) => {
      written.push(chunk.toString());
      write(chunk, encoding, done);
    };
    await at.show(frameOf(plain, { x: 4, y: 3 }));
    expect(lastSeen()).toBe('\x1b[?25h');
    await at.show(frameOf(plain));
    expect(lastSeen()).toBe('\x1b[?25l');
    await at.show(frameOf(plain, { x: 40, y: 3 }));
    expect(lastSeen()).toBe('\x1b[?25l');
  });
});

describe('any sequence of frames', () => {
  const pieces = [
    'plain text',
    '你好',
    '😀',
    'e\u0301',
    'ﾊﾝ',
    '각',
    '─│┌',
    'שלום',
    'कि',
    '👩‍👩‍👧',
    '🇩🇪',
    'a\u0300\u0301b',
    ' ',
    'ｆｕｌｌ',
    '✔',
  ];
  const tones: readonly Tone[] = ['plain', 'dim', 'strong', 'good', 'bad', 'busy', 'warn', 'accent'];
  const span = fc.record({
    text: fc.array(fc.constantFrom(...pieces), { maxLength: 5 }).map((parts) => sanitise(parts.join(''))),
    tone: fc.constantFrom(...tones),
  });
  const anyRow = fc.record(
    { spans: fc.array(span, { maxLength: 3 }), chosen: fc.constantFrom('here' as const, 'elsewhere' as const) },
    { requiredKeys: ['spans'] },
  );
  const rect: fc.Arbitrary<Rect> = fc.record({
    x: fc.integer({ min: -2, max: 24 }),
    y: fc.integer({ min: -1, max: 6 }),
    width: fc.integer({ min: 0, max: 26 }),
    height: fc.integer({ min: 0, max: 6 }),
  });
  const size: fc.Arbitrary<Size> = fc.record({
    columns: fc.integer({ min: 2, max: 26 }),
    rows: fc.integer({ min: 1, max: 7 }),
  });
  const cursor = fc.option(fc.record({ x: fc.nat(25), y: fc.nat(6) }));
  // Rows come from one pool, and places from few, so that many stay the same from one frame to the next.
  const story = fc.record({
    size,
    rects: fc.array(rect, { minLength: 2, maxLength: 5 }),
    rows: fc.array(anyRow, { minLength: 3, maxLength: 12 }),
    steps: fc.array(
      fc.record({
        regions: fc.shuffledSubarray([...regionIds]),
        picks: fc.array(fc.nat(), { minLength: 6, maxLength: 30 }),
        keepsPlaces: fc.boolean(),
        cursor,
        resize: fc.option(size, { freq: 6 }),
      }),
      { minLength: 1, maxLength: 8 },
    ),
  });
  const pick = <T>(items: readonly T[], index: number): T => {
    const item = items[index % items.length];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  };

  it('shows each character in the columns that it was reckoned to take', async () => {
    const at = mount({ columns: 60, rows: 1 });
    await fc.assert(
      fc.asyncProperty(span, async ({ text, tone }) => {
        await at.show(frameOf([region('header', [0, 0, 60, 1], [row(text, tone)])], null, { columns: 60, rows: 1 }));
        const wanted = cells(text);
        const charAt = (x: number): string => cellAt(at, x, 0).getChars() || (cellAt(at, x, 0).getWidth() === 0 ? '' : ' ');
        expect(Array.from({ length: 60 }, (_, x) => charAt(x))).toEqual(Array.from({ length: 60 }, (_, x) => wanted[x] ?? ' '));
      }),
    );
  });

  it('ends in what the last frame alone would show', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ size: first, rects, rows, steps }) => {
        const at = mount(first);
        let frame = frameOf([], null, first);
        let places: readonly Pick<Region, 'id' | 'rect'>[] = [];
        for (const step of steps) {
          if (step.resize !== null) {
            at.resize(step.resize.columns, step.resize.rows);
            await at.settle();
          }
          if (!step.keepsPlaces || places.length === 0)
            places = step.regions.map((id, index) => ({ id, rect: pick(rects, pick(step.picks, index)) }));
          const regions = places.map((place, index) => ({
            ...place,
            rows: Array.from({ length: 6 }, (_, y) => pick(rows, pick(step.picks, index * 6 + y))),
          }));
          frame = { size: at.screen.size, regions, cursor: step.cursor };
          at.screen.paint(frame);
        }
        await at.settle();
        const fresh = mount(at.screen.size);
        await fresh.show(frame);
        expect(look(at)).toEqual(look(fresh));
        for (const mounted of [at, fresh]) {
          mounted.screen.close();
          mounted.terminal.dispose();
        }
      }),
      { numRuns: 250 },
    );
  }, 60_000);
});

describe('input', () => {
  it('tells keys, pastes and clicks, also when they come in pieces', async () => {
    const at = mount(small);
    const seen: Input[] = [];
    at.screen.onInput((input) => seen.push(input));
    at.type('é');
    at.type('\x1b[');
    at.type('A');
    at.type('\x1b[200~two\rlines\x1b[201~');
    at.type('\x1b[<0;3;2M\x1b[<64;3;2M');
    await at.settle();
    expect(seen).toMatchObject([
      { type: 'key', text: 'é' },
      { type: 'key', name: 'up', text: null },
      { type: 'paste', text: 'two\nlines' },
      { type: 'mouse', action: 'press', button: 'left', x: 2, y: 1 },
      { type: 'mouse', action: 'wheel-up' },
    ]);
  });

  it('takes a lone escape for the key when nothing follows', async () => {
    const at = mount(small);
    const seen: Input[] = [];
    at.screen.onInput((input) => seen.push(input));
    at.type('\x1b');
    await waitFor('the escape key', () => seen.length > 0);
    expect(seen).toMatchObject([{ type: 'key', name: 'escape' }]);
  });
});

describe('the size of the terminal', () => {
  it('is told when it changes, and the next frame is drawn whole', async () => {
    const at = mount(small);
    const sizes: Size[] = [];
    at.screen.onResize((size) => sizes.push(size));
    await at.show(frameOf([region('header', [0, 0, 20, 1], [row('before')])]));
    at.resize(30, 5);
    at.resize(31, 6);
    await at.settle();
    expect(sizes).toEqual([{ columns: 31, rows: 6 }]);
    await at.show(frameOf([region('header', [0, 5, 31, 1], [row('after')])], null, at.screen.size));
    expect(at.text()).toEqual(['', '', '', '', '', 'after']);
  });

  it('may be nothing', async () => {
    const at = mount(small);
    for (const [columns, rows] of [
      [0, 4],
      [20, 0],
      [0, 0],
      [1, 1],
    ] as const) {
      at.resize(columns, rows);
      await at.settle();
      await at.show(frameOf([region('header', [0, 0, 20, 1], [row('你好')])], { x: 0, y: 0 }, at.screen.size));
    }
    at.resize(20, 4);
    await at.settle();
    await at.show(frameOf([region('header', [0, 0, 20, 1], [row('你好')])]));
    expect(at.text()[0]).toBe('你好');
  });
});

describe('a terminal that does not read', () => {
  it('is sent nothing more, and then the newest frame only', async () => {
    const at = mount(small);
    const says = (text: string): Frame => frameOf([region('header', [0, 0, 20, 1], [row(text)])]);
    await at.show(says('first'));
    let drains = 0;
    at.screen.onDrain(() => (drains += 1));
    at.stall();
    at.screen.paint(says('second'));
    expect(at.screen.isBackedUp).toBe(true);
    const waiting = at.output.writableLength;
    for (let index = 0; index < 1_000; index += 1) at.screen.paint(says(`frame ${index}`));
    expect(at.output.writableLength).toBe(waiting);
    at.flow();
    await at.settle();
    expect(at.screen.isBackedUp).toBe(false);
    expect(at.text()[0]).toBe('frame 999');
    expect(drains).toBeGreaterThan(0);
  });
});

describe('the terminal', () => {
  const shown = frameOf([region('header', [0, 0, 20, 1], [row('on the screen')])]);

  /** What is set on a terminal, and on its input. */
  const modesOf = ({ terminal, input }: FakeTerminal) => ({
    buffer: terminal.buffer.active.type,
    mouse: terminal.modes.mouseTrackingMode,
    paste: terminal.modes.bracketedPasteMode,
    focus: terminal.modes.sendFocusMode,
    keypad: terminal.modes.applicationKeypadMode,
    cursorKeys: terminal.modes.applicationCursorKeysMode,
    isRaw: input.isRaw,
  });
  const asFound = modesOf(openFakeTerminal(20, 4));
  const taken = { ...asFound, buffer: 'alternate', mouse: 'drag', paste: true, isRaw: true };

  it('is taken, left, taken again and left for good, with all that was on it', async () => {
    const fake = openFakeTerminal(20, 4);
    fake.terminal.write('$ cairn\r\n');
    await fake.settle();
    const screen = openScreen({ ...fake, colours: true });
    opened.push(screen);
    const seen: Input[] = [];
    screen.onInput((input) => seen.push(input));
    screen.paint(shown);
    await fake.settle();
    expect(modesOf(fake)).toEqual(taken);
    expect(fake.text()[0]).toBe('on the screen');

    screen.suspend();
    await fake.settle();
    expect(modesOf(fake)).toEqual(asFound);
    expect(fake.text()[0]).toBe('$ cairn');
    const before = fake.bytes();
    fake.type('x');
    screen.paint(shown);
    await fake.settle();
    expect([seen, fake.bytes()]).toEqual([[], before]);

    screen.resume();
    await fake.settle();
    expect(modesOf(fake)).toEqual(taken);
    expect(fake.text()[0]).toBe('on the screen');

    screen.close();
    screen.close();
    await fake.settle();
    expect(modesOf(fake)).toEqual(asFound);
    expect(fake.text()).toEqual(['$ cairn', '', '', '']);
    expect([fake.terminal.buffer.active.cursorX, fake.terminal.buffer.active.cursorY]).toEqual([0, 1]);
  });

  it('is left alone by a second end: closed while suspended', async () => {
    const at = mount(small);
    at.screen.suspend();
    await at.settle();
    const before = at.bytes();
    at.screen.close();
    at.screen.resume();
    at.screen.paint(shown);
    await at.settle();
    expect(at.bytes()).toBe(before);
    expect(modesOf(at)).toEqual(asFound);
  });

  it('is no reason to listen to signals and exceptions: that is for the exit guard', () => {
    const events = ['exit', 'uncaughtException', 'unhandledRejection', 'SIGINT', 'SIGTERM', 'SIGQUIT', 'SIGHUP'];
    const count = (): number[] => events.map((name) => process.listenerCount(name));
    const before = count();
    const at = mount(small);
    expect(count()).toEqual(before);
    at.screen.close();
    expect(count()).toEqual(before);
  });
});
