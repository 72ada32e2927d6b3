/** What the screen uses of neo-blessed, which has no types of its own; some of it is internal there. */
declare module 'neo-blessed' {
  import type { EventEmitter } from 'node:events';
  import type { Readable } from 'node:stream';

  /** Looks (`flags << 18 | foreground << 9 | background`) and the character. */
  export type Cell = [attribute: number, character: string];
  /** `dirty`: it is compared with the terminal by the next draw. */
  export type Line = Cell[] & { dirty: boolean };

  /** From `xi`, `yi` to before `xl`, `yl`. */
  export interface Coordinates {
    readonly xi: number;
    readonly xl: number;
    readonly yi: number;
    readonly yl: number;
  }

  export interface Box {
    readonly hidden: boolean;
    lpos?: Coordinates | undefined;
    position: { left: number; top: number; width: number; height: number };
    render(): Coordinates | undefined;
    _getCoords(get: true): Coordinates | undefined;
    setFront(): void;
    show(): void;
    hide(): void;
  }

  export interface Screen {
    /** What is to be shown. */
    readonly lines: Line[];
    /** What the terminal shows. */
    readonly olines: Cell[][];
    readonly program: { cols: number; rows: number; useBuffer: boolean; flush(): void };
    readonly tput: { brokenACS: boolean; sc(): string; rc(): string };
    alloc(): void;
    draw(start: number, end: number): void;
    render(): void;
    destroy(): void;
  }

  interface Output extends EventEmitter {
    readonly isTTY: boolean;
    readonly writable: boolean;
    columns: number;
    rows: number;
    write(text: string): boolean;
  }

  const blessed: {
    readonly tput: { readonly ipaths: string[] };
    readonly Program: object;
    readonly Screen: object;
    screen(options: { input: Readable; output: Output; terminal: string; forceUnicode: boolean; fullUnicode: boolean }): Screen;
    box(options: { parent: Screen; screen: Screen; hidden: boolean }): Box;
  };
  export default blessed;
}
