/**
 * The editor of a line that may grow to several, on graphemes, with the keys of Emacs and readline. Nothing changes in place:
 * every key gives the next editor.
 */
import { shownOf, type Version } from './editor-layout.js';
import type { Key } from '../input/input.js';
import {
  lineEnd,
  lineStart,
  nextPosition,
  positionFrom,
  previousPosition,
  wordEnd,
  type WordKind,
  wordStart,
} from './text-position.js';

export interface Editor extends Version {
  /** What the last kill took, for yank. */
  readonly killed: string;
  /** For undo and redo, the nearest last. */
  readonly past: readonly Version[];
  readonly future: readonly Version[];
  /** What the next key of the same kind goes on with, in one step of undo. */
  readonly run: 'typing' | 'deleting' | null;
  /** The column that moving up and down keeps to. */
  readonly column: number | null;
}

export interface EditorOptions {
  /** Without it there is one line: line ends are taken as spaces, and keys for them are none of the editor. */
  readonly multiline: boolean;
}

const severalLines: EditorOptions = { multiline: true };

function linesFor(text: string, { multiline }: EditorOptions): string {
  const lines = text.replaceAll(/\r\n?/g, '\n');
  return multiline ? lines : lines.replaceAll('\n', ' ');
}

/** An editor of this text with the cursor at its end, and nothing to undo. */
export function editorOf(text: string, options = severalLines): Editor {
  const lines = linesFor(text, options);
  return { text: lines, cursor: lines.length, killed: '', past: [], future: [], run: null, column: null };
}

export const emptyEditor: Editor = editorOf('');

const undoDepth = 200;
/** Code units of all versions together; the last one is kept however long it is. */
const undoSize = 4 * 1024 * 1024;

function remember(past: readonly Version[], { text, cursor }: Version): readonly Version[] {
  const all = [...past.slice(1 - undoDepth), { text, cursor }];
  let size = 0;
  const tooOld = all.findLastIndex((version, index) => {
    size += version.text.length;
    return size > undoSize && index < all.length - 1;
  });
  return all.slice(tooOld + 1);
}

function replace(editor: Editor, from: number, to: number, by: string, run: Editor['run']): Editor {
  if (from === to && by === '') return editor;
  const text = editor.text.slice(0, from) + by + editor.text.slice(to);
  const past = run !== null && run === editor.run ? editor.past : remember(editor.past, editor);
  // What now stands side by side may have become one grapheme.
  return { ...editor, text, cursor: positionFrom(text, from + by.length), past, future: [], run, column: null };
}

/** The text at the cursor, as one step of undo: for a paste. */
export const insert = (editor: Editor, text: string, options = severalLines): Editor =>
  replace(editor, editor.cursor, editor.cursor, linesFor(text, options), null);

/** A step of undo is a word with the spaces behind it. */
function type(editor: Editor, text: string): Editor {
  const isNewWord = /\s/.test(editor.text.charAt(editor.cursor - 1)) && !/^\s/.test(text);
  return replace(isNewWord ? { ...editor, run: null } : editor, editor.cursor, editor.cursor, text, 'typing');
}

function kill(editor: Editor, from: number, to: number): Editor {
  if (from === to) return editor;
  return { ...replace(editor, from, to, '', null), killed: editor.text.slice(from, to) };
}

const moveTo = (editor: Editor, cursor: number, column: number | null = null): Editor => ({
  ...editor,
  cursor,
  run: null,
  column,
});

/** To the line above or below, at the column where it began; null where there is none. */
function moveLine(editor: Editor, direction: 'up' | 'down'): Editor | null {
  const { text, cursor } = editor;
  const [start, end] = [lineStart(text, cursor), lineEnd(text, cursor)];
  if (direction === 'up' ? start === 0 : end === text.length) return null;
  const column = editor.column ?? widthOfShown(text.slice(start, cursor));
  let place = direction === 'up' ? lineStart(text, start - 1) : end + 1;
  let used = 0;
  for (const { grapheme, columns } of shownOf(text.slice(place, lineEnd(text, place)))) {
    used += columns;
    if (used > column) break;
    place += grapheme.length;
  }
  return moveTo(editor, place, column);
}

function travel(editor: Editor, from: 'past' | 'future'): Editor {
  const version = editor[from].at(-1);
  if (version === undefined) return editor;
  const to = from === 'past' ? 'future' : 'past';
  const { text, cursor } = editor;
  const changes = { [from]: editor[from].slice(0, -1), [to]: [...editor[to], { text, cursor }] };
  return { ...editor, ...version, ...changes, run: null, column: null };
}

type Command = (editor: Editor, options: EditorOptions) => Editor | null;

const before = ({ text, cursor }: Version): number => previousPosition(text, cursor);
const behind = ({ text, cursor }: Version): number => nextPosition(text, cursor);
const toLineStart: Command = (editor) => moveTo(editor, lineStart(editor.text, editor.cursor));
const toLineEnd: Command = (editor) => moveTo(editor, lineEnd(editor.text, editor.cursor));
const left: Command = (editor) => moveTo(editor, before(editor));
const right: Command = (editor) => moveTo(editor, behind(editor));
const wordLeft: Command = (editor) => moveTo(editor, wordStart(editor.text, editor.cursor, 'name'));
const wordRight: Command = (editor) => moveTo(editor, wordEnd(editor.text, editor.cursor, 'name'));
const deleteBefore: Command = (editor) => replace(editor, before(editor), editor.cursor, '', 'deleting');
const deleteBehind: Command = (editor) => replace(editor, editor.cursor, behind(editor), '', 'deleting');
const killWordBefore =
  (kind: WordKind): Command =>
  (editor) =>
    kill(editor, wordStart(editor.text, editor.cursor, kind), editor.cursor);
const killWordBehind: Command = (editor) => kill(editor, editor.cursor, wordEnd(editor.text, editor.cursor, 'name'));
const newline: Command = (editor, { multiline }) => (multiline ? insert(editor, '\n') : null);

/** To the end of the line; at the end, the line end itself. */
const killToLineEnd: Command = (editor) => {
  const end = lineEnd(editor.text, editor.cursor);
  return kill(editor, editor.cursor, end === editor.cursor ? behind(editor) : end);
};

const commands: ReadonlyMap<string, Command> = new Map<string, Command>([
  ['left', left],
  ['ctrl-b', left],
  ['right', right],
  ['ctrl-f', right],
  ['ctrl-left', wordLeft],
  ['alt-left', wordLeft],
  ['alt-b', wordLeft],
  ['ctrl-right', wordRight],
  ['alt-right', wordRight],
  ['alt-f', wordRight],
  ['home', toLineStart],
  ['ctrl-a', toLineStart],
  ['end', toLineEnd],
  ['ctrl-e', toLineEnd],
  ['ctrl-home', (editor) => moveTo(editor, 0)],
  ['ctrl-end', (editor) => moveTo(editor, editor.text.length)],
  ['up', (editor) => moveLine(editor, 'up')],
  ['down', (editor) => moveLine(editor, 'down')],
  ['backspace', deleteBefore],
  ['delete', deleteBehind],
  ['ctrl-d', deleteBehind],
  ['ctrl-k', killToLineEnd],
  ['ctrl-u', (editor) => kill(editor, lineStart(editor.text, editor.cursor), editor.cursor)],
  ['ctrl-w', killWordBefore('blank')],
  ['alt-backspace', killWordBefore('name')],
  ['ctrl-backspace', killWordBefore('name')],
  ['alt-d', killWordBehind],
  ['ctrl-delete', killWordBehind],
  ['ctrl-y', (editor, options) => insert(editor, editor.killed, options)],
  ['ctrl-_', (editor) => travel(editor, 'past')],
  ['alt-_', (editor) => travel(editor, 'future')],
  ['ctrl-j', newline],
  ['alt-enter', newline],
  ['shift-enter', newline],
]);

/**
 * The editor after a key; null for a key that is none of an editor, and for up in the first line and down in the last one,
 * which are the caller's.
 */
export function applyKey(editor: Editor, key: Key, options = severalLines): Editor | null {
  const { ctrl, alt, shift, name, text } = key;
  const held = `${ctrl ? 'ctrl-' : ''}${alt ? 'alt-' : ''}${shift && name === 'enter' ? 'shift-' : ''}`;
  const command = commands.get(held + name);
  if (command !== undefined) return command(editor, options);
  return text === null || ctrl || alt ? null : type(editor, text);
}

const widthOfShown = (line: string): number => shownOf(line).reduce((sum, { columns }) => sum + columns, 0);
