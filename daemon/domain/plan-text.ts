/**
 * Texts of a plan as they are stored: line breaks made one, composed (NFC) where they are prose, within their limits.
 * Lengths are Unicode code points after that; commands and paths keep their exact characters.
 */
import { ok, type Result } from '../../shared/errors.js';
import { planLimits, type Author, type Item, type ItemId, type ItemPatch, type ItemText } from '../../shared/plan.js';
import { refuseAt, theParams, type At } from './plan-refusal.js';
import type { PlanDraft } from './plan-draft.js';

interface TextRule {
  readonly limit: number;
  readonly lines: 'one' | 'many';
  /** Prose is composed to NFC; what a shell or a file system reads is not touched. */
  readonly prose: boolean;
}

const textRules = {
  title: { limit: planLimits.title, lines: 'one', prose: true },
  detail: { limit: planLimits.detail, lines: 'many', prose: true },
  goal: { limit: planLimits.goal, lines: 'many', prose: true },
  note: { limit: planLimits.note, lines: 'many', prose: true },
  explanation: { limit: planLimits.explanation, lines: 'many', prose: true },
  acceptance: { limit: planLimits.listEntry, lines: 'many', prose: true },
  command: { limit: planLimits.command, lines: 'many', prose: false },
  verify: { limit: planLimits.listEntry, lines: 'many', prose: false },
  model: { limit: planLimits.title, lines: 'one', prose: false },
  path: { limit: planLimits.listEntry, lines: 'one', prose: false },
} as const satisfies Record<string, TextRule>;

export type TextKind = keyof typeof textRules;

// C1 and DEL besides C0: a terminal takes some of them for commands, as it does with escape sequences.
const control = /(?![\t\n])\p{Cc}/u;
const lineBreak = /[\n\u2028\u2029\u0085]/;
const halfCharacter = /\p{Surrogate}/u;

function countCodePoints(text: string): number {
  return text.length - (text.match(/[\u{10000}-\u{10ffff}]/gu)?.length ?? 0);
}

/**
 * One text, normalised: CRLF and CR become LF, prose NFC, one-line texts are trimmed.
 * Refused: control characters but tab and newline in texts of many lines, halves of characters, a break in a one-line
 * text (`invalid_params`), and a text over its limit (`limit_exceeded` with `length` and `limit` in the data).
 */
export function cleanText(kind: TextKind, raw: string, at: At = theParams, field: string = kind): Result<string> {
  const rule: TextRule = textRules[kind];
  const unbroken = raw.replace(/\r\n?/g, '\n');
  const composed = rule.prose ? unbroken.normalize('NFC') : unbroken;
  const text = rule.lines === 'one' ? composed.trim() : composed;
  if (rule.lines === 'one' && lineBreak.test(text)) {
    const hint = kind === 'title' ? { hint: 'Keep the first line and put the rest in detail.' } : {};
    return refuseAt('invalid_params', at, field, 'must be one line.', hint);
  }
  const refused = control.exec(text)?.[0] ?? (rule.lines === 'one' && text.includes('\t') ? '\t' : undefined);
  if (refused !== undefined) {
    const code = refused.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return refuseAt('invalid_params', at, field, `has a control character (U+${code}). Remove it.`);
  }
  if (halfCharacter.test(text)) {
    return refuseAt('invalid_params', at, field, 'has half a character (a lone surrogate). Remove it.');
  }
  const length = countCodePoints(text);
  if (length > rule.limit) {
    return refuseAt('limit_exceeded', at, field, `is ${length} characters long; the limit is ${rule.limit}.`, {
      field,
      length,
      limit: rule.limit,
      hint: kind === 'title' ? 'Shorten it, and put the rest in detail.' : 'Shorten it.',
    });
  }
  return ok(text);
}

const isBlank = (text: string): boolean => text.trim() === '';

/** A patch with every text in it normalised and checked; blank texts and empty lists become null (cleared). */
export function cleanPatch(patch: ItemPatch, at: At = theParams): Result<ItemPatch> {
  const clean: Record<string, unknown> = {};
  for (const key of ['title', 'detail', 'note', 'command', 'model'] as const) {
    const raw = patch[key];
    if (raw === undefined) continue;
    const text = raw === null ? ok(null) : cleanText(key, raw, at);
    if (!text.ok) return text;
    const empty = text.value === null || isBlank(text.value);
    if (empty && key === 'title') return refuseAt('invalid_params', at, key, 'must not be empty.');
    clean[key] = empty ? null : text.value;
  }
  for (const key of ['acceptance', 'verify'] as const) {
    const raw = patch[key];
    if (raw === undefined) continue;
    const list = cleanList(key, raw, at, key);
    if (!list.ok) return list;
    clean[key] = list.value.length === 0 && key === 'verify' ? null : list.value;
  }
  const files = cleanFiles(patch.relevantFiles, at);
  if (!files.ok) return files;
  if (files.value !== undefined) clean['relevantFiles'] = files.value;
  const scope = cleanScope(patch.scope, at);
  if (!scope.ok) return scope;
  if (scope.value !== undefined) clean['scope'] = scope.value;
  if (patch.repeatable !== undefined) clean['repeatable'] = patch.repeatable === true ? true : null;
  if (patch.priority !== undefined) clean['priority'] = patch.priority;
  if (patch.executor !== undefined) clean['executor'] = patch.executor;
  return ok(clean as ItemPatch);
}

function cleanList(kind: TextKind, raw: readonly string[], at: At, field: string): Result<string[]> {
  const tooLong = checkLength(raw.length, at, field);
  if (!tooLong.ok) return tooLong;
  const list: string[] = [];
  for (const [i, entry] of raw.entries()) {
    const text = cleanText(kind, entry, at, `${field}.${i}`);
    if (!text.ok) return text;
    if (!isBlank(text.value)) list.push(text.value);
  }
  return ok(list);
}

function checkLength(length: number, at: At, field: string): Result<void> {
  const limit = planLimits.listLength;
  if (length <= limit) return ok(undefined);
  return refuseAt('limit_exceeded', at, field, `has ${length} entries; the limit is ${limit}.`, { field, length, limit });
}

function cleanFiles(files: ItemPatch['relevantFiles'], at: At): Result<ItemPatch['relevantFiles']> {
  if (files === undefined || files === null) return ok(files);
  const tooLong = checkLength(files.length, at, 'relevantFiles');
  if (!tooLong.ok) return tooLong;
  const clean: { path: string; action: (typeof files)[number]['action'] }[] = [];
  for (const [i, file] of files.entries()) {
    const field = `relevantFiles.${i}.path`;
    const path = cleanText('path', file.path, at, field);
    if (!path.ok) return path;
    if (path.value === '') return refuseAt('invalid_params', at, field, 'must not be empty.');
    clean.push({ path: path.value, action: file.action });
  }
  return ok(clean.length === 0 ? null : clean);
}

function cleanScope(scope: ItemPatch['scope'], at: At): Result<ItemPatch['scope']> {
  if (scope === undefined || scope === null) return ok(scope);
  const included = cleanList('path', scope.included, at, 'scope.included');
  if (!included.ok) return included;
  const excluded = cleanList('path', scope.excluded, at, 'scope.excluded');
  if (!excluded.ok) return excluded;
  const empty = included.value.length + excluded.value.length === 0;
  return ok(empty ? null : { included: included.value, excluded: excluded.value });
}

/** The executor of an item that names none. */
export const defaultExecutor = (command: string | undefined): Item['executor'] => (command === undefined ? 'model' : 'command');

/**
 * The item with a cleaned patch applied. An executor that was only the default follows the command.
 * Refused (`invalid_params`): executor `command` without a command.
 */
export function applyPatch(item: Item, patch: ItemPatch, author: Author, at: At = theParams): Result<Item> {
  const merged = Object.entries({ ...item, ...patch }).filter(([, value]) => value !== null && value !== undefined);
  const next = { ...Object.fromEntries(merged), parentId: item.parentId } as unknown as Item;
  const follows = item.executor === defaultExecutor(item.command);
  const executor = patch.executor ?? (follows ? defaultExecutor(next.command) : item.executor);
  if (executor === 'command' && next.command === undefined) {
    const hint = 'Give the command, or choose the executor model.';
    return refuseAt('invalid_params', at, 'executor', 'is command, but the item has no command.', { hint });
  }
  const { origin: _origin, ...rest } = next;
  const origin = originOf(item, next, author);
  return ok({ ...rest, executor, ...(origin === undefined ? {} : { origin }) });
}

/**
 * Who answers for the commands: their last writer. When a person rewrites one of the two and the other is a planner's
 * or an import's, it stays theirs, so that nobody says yes to a command that they did not write.
 */
function originOf(before: Item, after: Item, author: Author): Author | undefined {
  if (after.command === undefined && after.verify === undefined) return undefined;
  const commandKept = after.command === before.command;
  const verifyKept = JSON.stringify(after.verify) === JSON.stringify(before.verify);
  if (commandKept && verifyKept) return before.origin;
  const othersStay = (commandKept && after.command !== undefined) || (verifyKept && after.verify !== undefined);
  return othersStay && author === 'person' ? (before.origin ?? author) : author;
}

/**
 * A pending item of that text, not yet placed. Its id is new unless one is given.
 * Defaults: priority medium, no acceptance, executor `command` when there is a command, else `model`.
 */
export function newItem(
  draft: PlanDraft,
  text: ItemText,
  author: Author,
  place: { readonly parentId?: ItemId | null; readonly id?: ItemId; readonly at?: At } = {},
): Result<Omit<Item, 'position'>> {
  const patch = cleanPatch(text, place.at);
  if (!patch.ok) return patch;
  const blank: Item = {
    id: '' as ItemId,
    parentId: place.parentId ?? null,
    position: 0,
    title: '',
    status: 'pending',
    priority: 'medium',
    acceptance: [],
    executor: 'model',
  };
  const item = applyPatch(blank, patch.value, author, place.at);
  if (!item.ok) return item;
  if (place.id !== undefined) draft.reserveId(place.id);
  const { position: _position, ...rest } = item.value;
  return ok({ ...rest, id: place.id ?? draft.newId() });
}

/** Refuses a plan of more than the allowed number of items. */
export function checkRoom(count: number): Result<void> {
  const limit = planLimits.items;
  if (count <= limit) return ok(undefined);
  return refuseAt('limit_exceeded', theParams, null, `The plan would have ${count} items; the limit is ${limit}.`, {
    length: count,
    limit,
    hint: 'Remove items that are no longer needed, or start another session.',
  });
}
