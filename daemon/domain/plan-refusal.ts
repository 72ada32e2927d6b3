/** How a refused edit names what it is about: a field of the params, an entry of a snapshot, or a line of a text. */
import { refuse, type ErrorKind, type Refusal } from '../../shared/errors.js';
import type { Item } from '../../shared/plan.js';

/** Where a value came from: the path in the params (`entries.3`, empty for the params themselves), or a line of a text. */
export interface At {
  readonly path: string;
  readonly line?: number | undefined;
}

export const theParams: At = { path: '' };

/** A refusal about `at` or, when `field` is given, about that field of it. The place is in the message and in the data. */
export function refuseAt(
  kind: ErrorKind,
  at: At,
  field: string | null,
  message: string,
  data: Refusal['data'] = {},
): { readonly ok: false; readonly error: Refusal } {
  const path = [at.path, field ?? ''].filter((part) => part !== '').join('.');
  const placed = at.line === undefined ? place(at.path, path, field, message) : `line ${at.line}: ${subject(field, message)}`;
  return refuse(kind, placed, {
    ...(path === '' ? {} : { path }),
    ...(at.line === undefined ? {} : { line: at.line }),
    ...(kind === 'invalid_params' ? { issues: [{ path, message: subject(field, message) }] } : {}),
    ...data,
  });
}

const subject = (field: string | null, message: string): string => (field === null ? message : `${field} ${message}`);

function place(entry: string, path: string, field: string | null, message: string): string {
  if (field !== null) return `${path} ${message}`;
  return entry === '' ? message : `${entry}: ${message}`;
}

const shownTitle = 60;

/** An item as people are told of it: `t3 "Write the parser"`. */
export function nameItem(item: Pick<Item, 'id' | 'title'>): string {
  const letters = Array.from(item.title);
  return `${item.id} "${letters.length > shownTitle ? `${letters.slice(0, shownTitle).join('')}…` : item.title}"`;
}

/** A child is never put under the active leaf: its run would no longer be that of a leaf. */
export function refuseSubtasks(item: Item, at: At = theParams): { readonly ok: false; readonly error: Refusal } {
  return refuseAt('invalid_state', at, null, `${nameItem(item)} is being worked on and cannot take subtasks now.`, {
    itemId: item.id,
    hint: 'Cancel the run, or pause it and put the item back to pending, first.',
  });
}

const shownItems = 5;

/** A few of the items by name, and how many more there are. */
export function nameItems(items: readonly Pick<Item, 'id' | 'title'>[]): string {
  const more = items.length - shownItems;
  return items.slice(0, shownItems).map(nameItem).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
