/** Every key, once: what it does, where, and how it is told. The hints, the help, the item menu and the README are made of it. */
import type { Key } from './input.js';
import type { Pane } from './state.js';

export const actions = [
  'nextPane',
  'previousPane',
  'up',
  'down',
  'pageUp',
  'pageDown',
  'first',
  'last',
  'fold',
  'unfold',
  'open',
  'run',
  'pause',
  'pauseNow',
  'cancelRun',
  'cancelPlan',
  'retry',
  'addTask',
  'addSubtask',
  'editTitle',
  'editDetail',
  'markDone',
  'skip',
  'reopen',
  'remove',
  'moveUp',
  'moveDown',
  'goal',
  'undo',
  'diff',
  'receipts',
  'details',
  'inbox',
  'search',
  'searchNext',
  'searchPrevious',
  'running',
  'sessions',
  'newSession',
  'help',
  'togglePlan',
  'suspend',
  'detach',
  'demo',
] as const;
export type Action = (typeof actions)[number];

/** In the order in which they are told. */
export const groups = ['Run', 'Edit the item', 'Edit the plan', 'Look', 'Move', 'Screen'] as const;
export type Group = (typeof groups)[number];

export interface Binding {
  readonly action: Action;
  /** As `keyName` names them; the first one is shown. */
  readonly keys: readonly string[];
  readonly where: readonly Pane[];
  readonly group: Group;
  /** A word or two, for the hints and menus. */
  readonly label: string;
  /** A sentence, for the help. */
  readonly help: string;
}

const panes: readonly Pane[] = ['plan', 'conversation'];
const everywhere: readonly Pane[] = ['plan', 'conversation', 'line'];
const plan: readonly Pane[] = ['plan'];

const bind = (action: Action, keys: string, where: readonly Pane[], group: Group, label: string, help: string): Binding => ({
  action,
  keys: keys.split(' '),
  where,
  group,
  label,
  help,
});

export const keymap: readonly Binding[] = [
  bind('run', 'r', panes, 'Run', 'run', 'run the plan, or resume it; says first what might happen twice'),
  bind('pause', 'p', panes, 'Run', 'pause', 'pause after the running item'),
  bind('pauseNow', 'P', panes, 'Run', 'pause now', 'pause at once; the item goes on from there later'),
  bind('cancelRun', 'c', panes, 'Run', 'cancel run', 'cancel the run (asks first); its item goes back to pending'),
  bind('cancelPlan', 'C', panes, 'Run', 'cancel plan', 'cancel the run and clear the plan (asks first; u undoes)'),
  bind('retry', 'R', panes, 'Run', 'retry', 'try the blocked or failed item again, with a word for it'),
  bind('inbox', 'i', panes, 'Run', 'inbox', 'approvals, questions and what else waits for you'),

  bind('open', 'Enter', panes, 'Edit the item', 'menu', 'menu of the item; in the conversation, fold or unfold'),
  bind('editTitle', 'e', plan, 'Edit the item', 'edit', 'edit the title in place'),
  bind('editDetail', 'E', plan, 'Edit the item', 'edit detail', 'edit the detail in $VISUAL or $EDITOR'),
  bind('markDone', 'd', plan, 'Edit the item', 'done', 'mark as done (claimed: by you, not checked)'),
  bind('skip', 's', plan, 'Edit the item', 'skip', 'skip it'),
  bind('reopen', 'o', plan, 'Edit the item', 'reopen', 'put it back to pending'),
  bind('moveUp', 'K', plan, 'Edit the item', 'move up', 'move it up among its siblings'),
  bind('moveDown', 'J', plan, 'Edit the item', 'move down', 'move it down among its siblings'),
  bind('remove', 'x', plan, 'Edit the item', 'remove', 'remove it with its subtasks (asks first)'),
  bind('details', 'Space', plan, 'Edit the item', 'details', 'everything about the item'),
  bind('diff', 'D', plan, 'Edit the item', 'diff', 'how the item changed, revision by revision'),
  bind('receipts', 'v', plan, 'Edit the item', 'receipts', 'what the daemon saw when it checked the item'),

  bind('addTask', 'a', plan, 'Edit the plan', 'add task', 'add a task below this one'),
  bind('addSubtask', 'A', plan, 'Edit the plan', 'add subtask', 'add a subtask to this task'),
  bind('goal', 'g', panes, 'Edit the plan', 'goal', 'change the goal'),
  bind('undo', 'u', panes, 'Edit the plan', 'undo', 'take back the last change of the plan'),

  bind('up', 'Up k', panes, 'Move', 'up', 'up'),
  bind('down', 'Down j', panes, 'Move', 'down', 'down'),
  bind('pageUp', 'PgUp Ctrl-b', panes, 'Move', 'page up', 'a page up'),
  bind('pageDown', 'PgDn Ctrl-f', panes, 'Move', 'page down', 'a page down'),
  bind('first', 'Home <', panes, 'Move', 'start', 'to the start'),
  bind('last', 'End >', panes, 'Move', 'end', 'to the end; the conversation then follows what comes'),
  bind('fold', 'Left h', panes, 'Move', 'fold', 'fold, or go to the task above'),
  bind('unfold', 'Right l', panes, 'Move', 'unfold', 'unfold'),
  bind('running', '.', panes, 'Move', 'running item', 'go to the running item, else to the next one'),

  bind('search', '/', panes, 'Look', 'search', 'search the titles'),
  bind('searchNext', 'n', plan, 'Look', 'next match', 'next match'),
  bind('searchPrevious', 'N', plan, 'Look', 'previous match', 'previous match'),
  bind('sessions', 'S', panes, 'Look', 'sessions', 'go to another session'),
  bind('newSession', 'Ctrl-t', panes, 'Look', 'new session', 'a new session in this folder'),
  bind('help', '? F1', panes, 'Look', 'help', 'this help'),

  bind('nextPane', 'Tab', everywhere, 'Screen', 'next pane', 'plan, conversation, and the line in which you write'),
  bind('previousPane', 'Shift-Tab', everywhere, 'Screen', 'previous pane', 'the other way round'),
  bind('togglePlan', 'Ctrl-n', everywhere, 'Screen', 'plan panel', 'show or hide the plan'),
  bind('suspend', 'Ctrl-z', everywhere, 'Screen', 'suspend', 'back to the shell; fg returns'),
  bind('detach', 'q', panes, 'Screen', 'detach', 'leave the screen; the daemon goes on'),
];

const names: Readonly<Record<string, string>> = {
  enter: 'Enter',
  tab: 'Tab',
  backspace: 'Backspace',
  escape: 'Esc',
  space: 'Space',
  up: 'Up',
  down: 'Down',
  left: 'Left',
  right: 'Right',
  home: 'Home',
  end: 'End',
  pageup: 'PgUp',
  pagedown: 'PgDn',
  insert: 'Insert',
  delete: 'Delete',
};

/** A key by its name in the keymap: `r`, `R`, `Ctrl-n`, `Shift-Tab`, `PgUp`. */
export function keyName({ name, ctrl, alt, shift }: Key): string {
  const known = names[name] ?? (/^f\d+$/.test(name) ? name.toUpperCase() : name);
  // A letter says by itself whether shift was held.
  const shifted = shift && known.length > 1 ? 'Shift-' : '';
  return `${ctrl ? 'Ctrl-' : ''}${alt ? 'Alt-' : ''}${shifted}${known}`;
}

const byKey = new Map<string, Action>(
  keymap.flatMap(({ action, keys, where }) =>
    where.flatMap((pane) => keys.map((key): [string, Action] => [`${pane} ${key}`, action])),
  ),
);

export const actionOf = (key: Key, pane: Pane): Action | null => byKey.get(`${pane} ${keyName(key)}`) ?? null;

const byAction = new Map(keymap.map((binding) => [binding.action, binding]));

export const bindingOf = (action: Action): Binding | null => byAction.get(action) ?? null;

/** The key that is shown for an action; empty when it has none. */
export const keyOf = (action: Action): string => byAction.get(action)?.keys[0] ?? '';
