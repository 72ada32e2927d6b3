/** What is asked before something is cut off, taken away or overwritten. No is chosen, and Escape says it. */
import type { ItemId, ListedItem } from '../../../shared/plan.js';
import { type Intent, type Status, subtree } from './edits.js';
import { call } from '../message.js';
import { listedItem } from './plan-model.js';
import { canCancel, isUnderWay } from './run-status.js';
import { ask } from '../popups/confirm.js';
import type { Choice, ConfirmPopup } from '../popups/popup.js';
import type { SessionView } from '../state.js';
import { countOf } from '../text/text.js';

type Line = ConfirmPopup['lines'][number];

/** The item that is being worked at; null while nothing is. */
export const underWay = ({ planRun }: SessionView): ItemId | null => (isUnderWay(planRun.status) ? planRun.currentItemId : null);

const changedMeanwhile: Line = { text: 'The plan changed meanwhile. It is now so:', tone: 'warn' };
const named = ({ number, title }: ListedItem): Line => ({ text: `${number} ${title}`, tone: 'strong' });

function currentLine({ planRun, plan }: SessionView): Line[] {
  const item = listedItem(plan, planRun.currentItemId);
  return item === null ? [] : [named(item)];
}

/** Closing what runs cuts its run off, and that cannot be taken back. */
export function askClose(item: ListedItem, to: Status, isAgain = false): ConfirmPopup {
  const word = to === 'done' ? 'Mark it as done' : to === 'skipped' ? 'Skip it' : 'Put it back to pending';
  return ask(
    `${word}?`,
    [
      ...(isAgain ? [changedMeanwhile] : []),
      named(item),
      { text: 'It is running: its run is cancelled, and the plan goes on with the next item.', tone: 'warn' },
    ],
    {
      key: 'y',
      label: word,
      does: { type: 'intents', intents: [{ kind: 'status', itemId: item.id, status: to, cutsOff: true }] },
    },
  );
}

export function askRemove(view: SessionView, item: ListedItem, isAgain = false): ConfirmPopup {
  const seen = subtree(view.plan, item.id);
  const [, ...subtasks] = seen;
  const isRunning = seen.some(({ id }) => id === underWay(view));
  return ask(
    'Remove it?',
    [
      ...(isAgain ? [changedMeanwhile] : []),
      named(item),
      ...(subtasks.length > 0 ? [{ text: `and ${countOf(subtasks.length, 'subtask')} of it`, tone: 'warn' } as const] : []),
      ...(isAgain ? subtasks.map(({ title }): Line => ({ text: `  ${title}`, tone: 'plain' })) : []),
      ...(isRunning ? [{ text: 'It is running: its run is cancelled.', tone: 'warn' } as const] : []),
      { text: 'u brings it back.', tone: 'dim' },
    ],
    { key: 'y', label: 'Remove it', does: { type: 'intents', intents: [{ kind: 'remove', itemId: item.id, seen }] } },
  );
}

export function askClear({ plan }: SessionView): ConfirmPopup {
  const seen = plan.listed.map(({ id }) => id);
  return ask('Clear the plan?', [changedMeanwhile, { text: `It has ${countOf(seen.length, 'item')}.`, tone: 'plain' }], {
    key: 'y',
    label: 'Clear it',
    does: { type: 'intents', intents: [{ kind: 'clear', seen }] },
  });
}

export function askCancel(view: SessionView, isAgain = false): ConfirmPopup {
  return ask(
    'Cancel the run?',
    [
      ...(isAgain ? [changedMeanwhile] : []),
      ...currentLine(view),
      {
        text: 'It is aborted, and its item goes back to pending. What it did so far stays done and is told to the next run.',
        tone: 'plain',
      },
      { text: 'Nothing runs again until r.', tone: 'dim' },
    ],
    { key: 'y', label: 'Cancel the run', does: { type: 'cancel', seen: view.planRun.currentItemId, clears: null } },
  );
}

export function askCancelPlan(view: SessionView, isAgain = false): ConfirmPopup {
  const seen = view.plan.listed.map(({ id }) => id);
  const clear = { kind: 'clear', seen } as const;
  const isActive = canCancel(view.planRun.status);
  return ask(
    'Cancel the plan?',
    [
      ...(isAgain ? [changedMeanwhile] : []),
      ...currentLine(view),
      {
        text: `${isActive ? 'The run is aborted, and all' : 'All'} ${countOf(seen.length, 'item')} leave the plan. u brings them back.`,
        tone: 'warn',
      },
    ],
    {
      key: 'y',
      label: 'Cancel the plan',
      does: isActive
        ? { type: 'cancel', seen: view.planRun.currentItemId, clears: clear }
        : { type: 'intents', intents: [clear] },
    },
  );
}

export function askRunAll({ session, plan }: SessionView): ConfirmPopup {
  return ask(
    'Everything is done. Run all of it again?',
    [
      { text: `${countOf(plan.counts.leaves, 'item')} go back to pending, the done ones as well, and run anew.`, tone: 'warn' },
      { text: 'What they did is not taken back: side effects happen again.', tone: 'warn' },
      { text: 'To run only some again, reopen them with o.', tone: 'dim' },
    ],
    {
      key: 'y',
      label: 'Run all again',
      does: { type: 'call', call: call('run.start', { sessionId: session.id, reset: true }, { for: 'run' }) },
    },
  );
}

type TextIntent = Extract<Intent, { kind: 'title' | 'detail' | 'goal' }>;

/** An earlier shape of the plan in the place of what it is now. */
export function askRestore({ plan }: SessionView, version: number, isAgain = false): ConfirmPopup {
  return ask(
    `Go back to version ${version}?`,
    [
      ...(isAgain ? [{ text: 'The plan changed meanwhile.', tone: 'warn' } as const] : []),
      { text: `The plan is made again what it was at version ${version}. It is at ${plan.version} now.`, tone: 'warn' },
      { text: 'What was added since leaves it, what was removed comes back. Done work stays done.', tone: 'plain' },
      { text: 'It becomes a revision like any other: u takes it back.', tone: 'dim' },
    ],
    {
      key: 'y',
      label: 'Go back to it',
      does: { type: 'intents', intents: [{ kind: 'restore', version, seen: plan.listed }] },
    },
  );
}

/** Both texts, and what of them is to be. */
export function askWhichText(intent: TextIntent, theirs: string): ConfirmPopup {
  const again: Choice[] =
    intent.kind === 'detail'
      ? [
          {
            key: 'e',
            label: 'Edit again',
            does: { type: 'editDetail', itemId: intent.itemId, base: theirs, text: intent.text },
          },
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
    { key: 'm', label: 'Take mine', does: { type: 'intents', intents: [{ ...intent, base: theirs }] } },
    ...again,
  );
  const choices = popup.choices.map((choice) => (choice.key === 'n' ? { ...choice, key: 't', label: 'Leave theirs' } : choice));
  return { ...popup, choices };
}

const linesFor = (text: string): Line[] => text.split('\n').map((line) => ({ text: `  ${line}`, tone: 'plain' }));
