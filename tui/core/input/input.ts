/** What a person does at the terminal, decoded. */

export interface Key {
  readonly type: 'key';
  /**
   * `enter`, `tab`, `backspace`, `escape`, `space`, `up`, `down`, `left`, `right`, `home`, `end`, `pageup`, `pagedown`,
   * `insert`, `delete`, `f1` to `f24`, or the character itself, in lower case where ctrl or alt is held.
   */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  /** What it types: one grapheme; null for what types nothing. */
  readonly text: string | null;
}

export interface Paste {
  readonly type: 'paste';
  /** Line ends are `\n`. */
  readonly text: string;
}

export interface Mouse {
  readonly type: 'mouse';
  readonly action: 'press' | 'release' | 'drag' | 'wheel-up' | 'wheel-down';
  readonly button: 'left' | 'middle' | 'right' | 'none';
  /** Cell, from 0. */
  readonly x: number;
  readonly y: number;
}

export interface Focus {
  readonly type: 'focus' | 'blur';
}

export type Input = Key | Paste | Mouse | Focus;
