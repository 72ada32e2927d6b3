/**
 * Frames in, bytes for a terminal out. The only place that knows neo-blessed: it keeps the boxes and their order, and tells
 * what differs from the last frame. It is given neither the terminal nor the keyboard, and it writes to neither.
 */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import blessed, { type Box, type Coordinates } from 'neo-blessed';
import { type Frame, type Rect, type Region, type RegionId, regionIds, type Row, type Size } from '../core/frame.js';
import { paletteOf, plainAttribute } from './attributes.js';
import { paintRow, put } from './row-painter.js';
import { mendWideCells } from './wide-cells.js';

export interface Canvas {
  /** What a terminal that shows the last frame must be sent to show this one; empty if nothing differs. */
  draw(frame: Frame): string;
  /** Nothing is known of the terminal but its size: the next frame clears it and is drawn whole. */
  reset(size: Size): void;
  close(): void;
}

interface Pane {
  readonly box: Box;
  rows: readonly Row[];
  /** By line of the screen: the row that was painted there. */
  painted: (Row | undefined)[];
}

const blank: Row = { spans: [] };
const clear = '\u001b[m\u001b[H\u001b[2J';
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';

export function openCanvas(initial: Size, colours: boolean): Canvas {
  const palette = paletteOf(colours);
  const output = new Output(initial);
  const screen = openBlessed(output);
  const panes = new Map<RegionId, Pane>(regionIds.map((id) => [id, makePane()]));
  const touched = new TouchedLines();
  let layout: readonly Region[] | null = null;
  let isUnknown = true;
  let cursor: Frame['cursor'] = null;
  reset(initial);
  return {
    draw(frame) {
      if (screen.program.cols === 0 || screen.program.rows === 0) return '';
      if (layout === null || !isSameLayout(layout, frame.regions)) arrange(frame.regions);
      layout = frame.regions;
      for (const { id, rows } of frame.regions) paneOf(id).rows = rows;
      touched.reset(screen.lines.length);
      screen.render();
      const start = isUnknown ? hideCursor + clear : '';
      if (isUnknown) cursor = null;
      isUnknown = false;
      return withCursor(start + output.take(), frame.cursor);
    },
    reset,
    close() {
      screen.destroy();
    },
  };

  function reset({ columns, rows }: Size): void {
    screen.program.cols = columns;
    screen.program.rows = rows;
    screen.alloc();
    output.take();
    layout = null;
    isUnknown = true;
  }

  function paneOf(id: RegionId): Pane {
    const pane = panes.get(id);
    if (pane === undefined) throw new Error(`no such region: ${id}`);
    return pane;
  }

  function makePane(): Pane {
    const box = blessed.box({ parent: screen, screen, hidden: true });
    const pane: Pane = { box, rows: [], painted: [] };
    box.render = () => {
      box.lpos = box._getCoords(true);
      if (box.lpos !== undefined) paintPane(pane, box.lpos);
      return box.lpos;
    };
    return pane;
  }

  /** From the bottom to the top; what a region that went away, moved or shrank had covered is drawn anew. */
  function arrange(regions: readonly Region[]): void {
    for (const line of screen.lines) for (let x = 0; x < line.length; x += 1) put(line, x, plainAttribute, ' ');
    for (const pane of panes.values()) {
      pane.box.hide();
      pane.painted = [];
    }
    for (const { id, rect } of regions) {
      const { box } = paneOf(id);
      box.position = { left: rect.x, top: rect.y, width: rect.width, height: rect.height };
      box.setFront();
      box.show();
    }
  }

  /** Lines that show the same row, and that no region beneath has painted over since, are passed by. */
  function paintPane({ rows, painted }: Pane, { xi, xl, yi, yl }: Coordinates): void {
    const left = Math.max(0, xi);
    const right = Math.min(xl, screen.program.cols);
    const bottom = Math.min(yl, screen.lines.length);
    if (left >= right) return;
    for (let y = Math.max(0, yi); y < bottom; y += 1) {
      const line = screen.lines[y];
      const row = rows[y - yi] ?? blank;
      if (line === undefined || (isSameRow(painted[y], row) && !touched.meets(y, left, right))) continue;
      paintRow(line, row, xi, right, palette);
      touched.add(y, left, right);
      painted[y] = row;
    }
  }

  function withCursor(drawn: string, wanted: Frame['cursor']): string {
    const isInside =
      wanted !== null && wanted.x >= 0 && wanted.y >= 0 && wanted.x < screen.program.cols && wanted.y < screen.program.rows;
    const next = isInside ? wanted : null;
    const before = cursor;
    cursor = next;
    if (next === null) return (before === null ? '' : hideCursor) + drawn;
    const place = `\u001b[${next.y + 1};${next.x + 1}H`;
    if (drawn !== '') return (before === null ? '' : hideCursor) + drawn + place + showCursor;
    if (before === null) return place + showCursor;
    return before.x === next.x && before.y === next.y ? '' : place;
  }
}

/** Takes what blessed writes for a terminal. */
class Output extends EventEmitter {
  readonly isTTY = true;
  readonly writable = true;
  columns: number;
  rows: number;
  private text = '';

  constructor({ columns, rows }: Size) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }

  /** What was written since the last time. */
  take(): string {
    const { text } = this;
    this.text = '';
    return text;
  }
}

function openBlessed(output: Output): ReturnType<typeof blessed.screen> {
  leaveProcessAlone();
  // The terminal descriptions of the system differ; the one that blessed brings holds for all that know xterm's sequences.
  blessed.tput.ipaths.length = 0;
  const screen = blessed.screen({
    input: new PassThrough(),
    output,
    terminal: 'xterm-256color',
    forceUnicode: true,
    // Its own idea of widths is wrong for a third of the emoji: we lay out the cells.
    fullUnicode: false,
  });
  // Otherwise bytes come at a later turn; those of its start are not ours.
  screen.program.useBuffer = false;
  screen.program.flush();
  // Lines are drawn with their own characters, not with those of an alternate set.
  screen.tput.brokenACS = true;
  // The cursor is placed with each frame.
  screen.tput.sc = () => '';
  screen.tput.rc = () => '';
  const draw = screen.draw.bind(screen);
  screen.draw = (start, end) => {
    mendWideCells(screen);
    draw(start, end);
  };
  return screen;
}

/**
 * blessed listens for signals, exceptions and the exit of the process, ends it with code 0, and leaves the terminal broken.
 * It is told that it does so already: the exit guard is the only one. Needed for each screen, as closing one forgets it.
 */
function leaveProcessAlone(): void {
  const nothing = (): void => undefined;
  Object.assign(blessed.Program, { _bound: true, _exitHandler: nothing });
  Object.assign(blessed.Screen, {
    _bound: true,
    _exceptionHandler: nothing,
    _exitHandler: nothing,
    _sigintHandler: nothing,
    _sigquitHandler: nothing,
    _sigtermHandler: nothing,
  });
}

/** Most rows are made anew for each frame, and few of them differ: telling so takes less than painting their cells. */
function isSameRow(before: Row | undefined, now: Row): boolean {
  if (before === now) return true;
  return (
    before?.chosen === now.chosen &&
    before?.spans.length === now.spans.length &&
    now.spans.every(({ text, tone }, index) => before.spans[index]?.text === text && before.spans[index].tone === tone)
  );
}

const isSameRect = (one: Rect, other: Rect): boolean =>
  one.x === other.x && one.y === other.y && one.width === other.width && one.height === other.height;

function isSameLayout(before: readonly Region[], now: readonly Region[]): boolean {
  return (
    before.length === now.length &&
    now.every(({ id, rect }, index) => {
      const old = before[index];
      return old?.id === id && (old.rect === rect || isSameRect(old.rect, rect));
    })
  );
}

/** Which columns of each line were painted in this frame: from the first to the last. */
class TouchedLines {
  private first = new Int32Array(0);
  private last = new Int32Array(0);

  reset(lines: number): void {
    if (this.first.length !== lines) {
      this.first = new Int32Array(lines);
      this.last = new Int32Array(lines);
    }
    this.first.fill(0);
    this.last.fill(0);
  }

  add(y: number, left: number, right: number): void {
    const isFirst = this.last[y] === 0;
    this.first[y] = isFirst ? left : Math.min(this.first[y] ?? left, left);
    this.last[y] = Math.max(this.last[y] ?? right, right);
  }

  meets(y: number, left: number, right: number): boolean {
    return (this.first[y] ?? 0) < right && (this.last[y] ?? 0) > left;
  }
}
