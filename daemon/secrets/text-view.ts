/** A text in which pieces were decoded or taken out, and the way back to where they stood. */

export interface TextView {
  readonly text: string;
  /** Where the character at this index of `text` begins in the original. */
  startOf(index: number): number;
  /** Where the character before this index ends in the original; for an `index` above 0. */
  endOf(index: number): number;
}

/** The text as it is. */
export function viewOf(text: string): TextView {
  return { text, startOf: (index) => index, endOf: (index) => index };
}

/**
 * Replaces what `pattern` (with the flag `g`, and never empty) finds; gives the same view when it finds nothing. A place
 * inside a replacement leads back to the whole piece that was replaced. `isLast`: nothing follows the piece.
 */
export function replaceInView(view: TextView, pattern: RegExp, decode: (piece: string, isLast: boolean) => string): TextView {
  /** Of each piece: where it begins and ends in the new text, and in the view that was given. */
  const begins: number[] = [];
  const ends: number[] = [];
  const from: number[] = [];
  const to: number[] = [];
  let shift = 0;
  const text = view.text.replace(pattern, (piece: string, ...rest: unknown[]) => {
    const at = rest.find((value): value is number => typeof value === 'number') ?? 0;
    const decoded = decode(piece, at + piece.length === view.text.length);
    begins.push(at - shift);
    ends.push(at - shift + decoded.length);
    from.push(at);
    to.push(at + piece.length);
    shift += piece.length - decoded.length;
    return decoded;
  });
  if (begins.length === 0) return view;

  /** The last piece that begins at or before this index of the new text; -1 when there is none. */
  function pieceAt(index: number): number {
    let low = 0;
    let high = begins.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((begins[middle] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  function startOf(index: number): number {
    const piece = pieceAt(index);
    const end = ends[piece] ?? 0;
    return view.startOf(index < end ? (from[piece] ?? 0) : (to[piece] ?? 0) + index - end);
  }

  function endOf(index: number): number {
    const last = index - 1;
    const piece = pieceAt(last);
    const end = ends[piece] ?? 0;
    return view.endOf(last < end ? (to[piece] ?? 0) : (to[piece] ?? 0) + index - end);
  }

  return { text, startOf, endOf };
}
