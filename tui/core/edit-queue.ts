/** Edits on their way: one after the other, each worked out against the plan as it then is. */
import { unreachable } from '../../shared/errors.js';
import type { Item } from '../../shared/plan.js';
import { subtree, type Intent, type Target, undoOf, workOut } from './edits.js';
import { keepText } from './kept-texts.js';
import type { Answered, Refused } from './message.js';
import { emptyEditor } from './line-editor.js';
import { ask } from './popups/confirm.js';
import { type Edit, type Edits, type Next, next, patchSession, type SessionView, type State, tell, then } from './state.js';
import { countOf } from './text.js';

/** Meeting another version again and again means that something changes faster than a person can. */
const triesLimit = 5;
const undoLimit = 100;

const targetOf = ({ session, plan }: SessionView): Target => ({ sessionId: session.id, goal: session.goal, plan });
const withEdits = (state: State, view: SessionView, patch: Partial<Edits>): State =>
  patchSession(state, { edits: { ...view.edits, ...patch } });

export function enqueue(state: State, intents: readonly Intent[], isUndo = false): Next {
  const { session } = state;
  if (session === null) return next(state);
  const queue = [...session.edits.queue, ...intents.map((intent): Edit => ({ intent, isUndo, tries: 0 }))];
  return pump(withEdits(state, session, { queue }));
}

/** Sends the next edit, if none is under way and the plan has come to where the last one left it. */
export function pump(state: State): Next {
  const { session, link } = state;
  if (session === null || link.state !== 'open') return next(state);
  const { queue, current, awaiting } = session.edits;
  const [edit, ...rest] = queue;
  if (edit === undefined || current !== null || session.plan.version < awaiting) return next(state);
  const worked = workOut(edit.intent, targetOf(session));
  const dropped = withEdits(state, session, { queue: rest });
  switch (worked.outcome) {
    case 'call':
      return next(withEdits(state, session, { queue: rest, current: edit }), worked.call);
    case 'nothing':
      return pump(closePrompt(dropped, edit.intent));
    case 'gone':
      return then(fail(dropped, edit.intent, 'The item is gone: somebody removed it meanwhile.'), pump);
    case 'conflict':
      return pump(meetConflict(dropped, edit.intent, worked.theirs));
    case 'changed':
      return pump(askAgain(dropped, session, edit.intent));
    default:
      return unreachable(worked);
  }
}

/** An edit was carried out. */
export function edited(state: State, answer: Answered): Next {
  const { session } = state;
  const edit = session?.edits.current;
  if (session === null || !edit) return next(state);
  const result = answer.result as { version: number; changed: readonly Item[]; removed: readonly string[]; item?: Item };
  const didSomething = result.changed.length > 0 || result.removed.length > 0 || edit.intent.kind === 'goal';
  const entry = edit.isUndo || !didSomething ? null : undoOf(edit.intent, targetOf(session), result.version, result.item ?? null);
  const undo = entry === null ? session.edits.undo : [...session.edits.undo, entry].slice(-undoLimit);
  const cursorTo = edit.intent.kind === 'add' ? (result.item?.id ?? null) : session.edits.cursorTo;
  const settled = withEdits(state, session, { current: null, awaiting: result.version, undo, cursorTo });
  const told =
    edit.intent.kind === 'clear' || edit.intent.kind === 'remove'
      ? tell(settled, sayDone(edit, result.removed.length), 'good')
      : settled;
  return pump(arrive(edit.intent.kind === 'add' ? told : closePrompt(told, edit.intent)));
}

/** A new item has come: the cursor goes to it, and the next one can be written below it. */
export function arrive(state: State): State {
  const { session, prompt } = state;
  const id = session?.edits.cursorTo ?? null;
  if (session === null || id === null || !session.plan.items.has(id)) return state;
  const planView = { ...session.planView, cursor: id };
  const there = withEdits(patchSession(state, { planView }), session, { cursorTo: null });
  if (prompt?.about.kind !== 'add' || !prompt.isSent) return there;
  return { ...there, prompt: { about: { ...prompt.about, afterId: id }, editor: emptyEditor, error: null, isSent: false } };
}

const sayDone = ({ isUndo }: Edit, removed: number): string =>
  `${countOf(removed, 'item')} removed.${isUndo ? '' : ' u takes it back.'}`;

/** An edit was refused, or nobody knows whether it was carried out. */
export function editRefused(state: State, error: Refused): Next {
  const { session } = state;
  const edit = session?.edits.current;
  if (session === null || !edit) return next(state);
  const { queue } = session.edits;
  if (error.kind === 'version_conflict' && edit.tries < triesLimit) {
    const again = { ...edit, tries: edit.tries + 1 };
    return pump(withEdits(state, session, { current: null, queue: [again, ...queue], awaiting: error.currentVersion ?? 0 }));
  }
  if (error.kind === 'connection_lost') {
    // Worked out anew it finds out whether it was done, except for a step up or down.
    if (edit.intent.kind !== 'move') return next(withEdits(state, session, { current: null, queue: [edit, ...queue] }));
    return next(
      tell(
        withEdits(state, session, { current: null }),
        'The connection was lost while moving it: look where it stands.',
        'warn',
      ),
    );
  }
  const reason = error.hint === null ? error.message : `${error.message} ${error.hint}`;
  return then(fail(withEdits(state, session, { current: null }), edit.intent, reason), pump);
}

/** The prompt that asked for an intent, while it waits for the answer. */
function isAskedBy({ prompt }: State, intent: Intent): boolean {
  if (prompt === null || !prompt.isSent) return false;
  const { about } = prompt;
  if (about.kind === 'title') return intent.kind === 'title' && intent.itemId === about.itemId;
  return about.kind === intent.kind;
}

function closePrompt(state: State, intent: Intent): State {
  return isAskedBy(state, intent) ? { ...state, prompt: null } : state;
}

/** What was typed stays where it was typed, with the reason beside it; what was written elsewhere is kept in a file. */
function fail(state: State, intent: Intent, reason: string): Next {
  const { prompt } = state;
  if (prompt !== null && isAskedBy(state, intent)) return next({ ...state, prompt: { ...prompt, isSent: false, error: reason } });
  return intent.kind === 'detail' ? next(state, keepText(intent.text, reason)) : next(tell(state, reason, 'bad'));
}

/** Both texts are shown; nothing is overwritten that the person has not seen. */
function meetConflict(state: State, intent: Intent, theirs: string): State {
  const { prompt } = state;
  if (prompt !== null && isAskedBy(state, intent) && (prompt.about.kind === 'title' || prompt.about.kind === 'goal')) {
    const error = `Changed meanwhile to “${theirs}”: Enter puts yours in its place, Esc leaves theirs.`;
    return { ...state, prompt: { ...prompt, about: { ...prompt.about, base: theirs }, isSent: false, error } };
  }
  if (intent.kind !== 'title' && intent.kind !== 'detail' && intent.kind !== 'goal') return state;
  const keepMine: Intent = { ...intent, base: theirs };
  const again =
    intent.kind === 'detail'
      ? [
          {
            key: 'e',
            label: 'Edit again',
            does: { type: 'editDetail', itemId: intent.itemId, base: theirs, text: intent.text },
          } as const,
        ]
      : [];
  const popup = ask(
    'Changed meanwhile',
    [
      { text: `Somebody else changed the ${intent.kind} while you were at it.`, tone: 'warn' },
      { text: '', tone: 'plain' },
      { text: 'Theirs', tone: 'dim' },
      ...linesFor(theirs),
      { text: '', tone: 'plain' },
      { text: 'Yours', tone: 'dim' },
      ...linesFor(intent.text),
    ],
    { key: 'm', label: 'Put mine in its place', does: { type: 'intents', intents: [keepMine] } },
    ...again,
  );
  return {
    ...state,
    popup: {
      ...popup,
      choices: popup.choices.map((choice) => (choice.key === 'n' ? { ...choice, key: 't', label: 'Leave theirs' } : choice)),
    },
  };
}

const linesFor = (text: string): { text: string; tone: 'plain' }[] =>
  text.split('\n').map((line) => ({ text: `  ${line}`, tone: 'plain' }));

/** What was said yes to is no longer what would happen. */
function askAgain(state: State, { plan }: SessionView, intent: Intent): State {
  if (intent.kind === 'clear') {
    const count = plan.items.size;
    const popup = ask(
      'Clear the plan?',
      [{ text: `The plan changed meanwhile: it has ${countOf(count, 'item')} now.`, tone: 'warn' }],
      { key: 'y', label: 'Clear it', does: { type: 'intents', intents: [{ kind: 'clear', seen: count }] } },
    );
    return { ...state, popup };
  }
  if (intent.kind !== 'remove') return state;
  const seen = subtree(plan, intent.itemId);
  const popup = ask(
    'Remove it?',
    [
      { text: 'The item changed meanwhile. It is now:', tone: 'warn' },
      ...seen.map(({ title }, i) => ({ text: `${i === 0 ? '' : '  '}${title}`, tone: 'plain' as const })),
    ],
    { key: 'y', label: 'Remove it', does: { type: 'intents', intents: [{ kind: 'remove', itemId: intent.itemId, seen }] } },
  );
  return { ...state, popup };
}

/** Takes back what an entry says, as edits of their own. */
export const takeBack = (state: State, intents: readonly Intent[]): Next =>
  then(next(state), (now) => enqueue(now, intents, true));
