/** Every key, once: what it does, where, and how it is told. The hints, the help, the item menu and the README are made of it. */
import type { Key } from './input/input.js';
import type { Pane } from './state.js';

/** Those of a pane, in it. */
const paneMoves = ['up', 'down', 'pageUp', 'pageDown', 'first', 'last', 'fold', 'unfold'] as const;
export type PaneMove = (typeof paneMoves)[number];
const moveActions = [...paneMoves, 'nextPane', 'previousPane', 'running', 'togglePlan'] as const;
export type MoveAction = (typeof moveActions)[number];

const runActions = ['run', 'pause', 'pauseNow', 'cancelRun', 'cancelPlan', 'retry'] as const;
export type RunAction = (typeof runActions)[number];

/** Those of the item under the cursor. */
const itemEdits = [
  'addSubtask',
  'editTitle',
  'editDetail',
  'markDone',
  'skip',
  'reopen',
  'remove',
  'moveUp',
  'moveDown',
] as const;
const editActions = [...itemEdits, 'addTask', 'goal', 'draft', 'undo'] as const;
export type EditAction = (typeof editActions)[number];

/** Those of what the session holds. */
const sessionLooks = [
  ...(['open', 'details', 'diff', 'receipts', 'search', 'searchNext', 'searchPrevious'] as const),
  ...(['revisions', 'missions', 'report'] as const),
] as const;
const lookActions = [...sessionLooks, 'inbox', 'sessions', 'newSession', 'help'] as const;
export type LookAction = (typeof lookActions)[number];

const screenActions = ['suspend', 'detach', 'demo'] as const;

export const actions = [...moveActions, ...runActions, ...editActions, ...lookActions, ...screenActions] as const;
export type Action = (typeof actions)[number];

const among =
  <A extends Action>(group: readonly A[]) =>
  (action: Action): action is A =>
    (group as readonly Action[]).includes(action);

export const isPaneMove = among(paneMoves);
export const isMove = among(moveActions);
export const isRun = among(runActions);
export const isItemEdit = among(itemEdits);
export const isEdit = among(editActions);
export const isSessionLook = among(sessionLooks);
export const isLook = among(lookActions);

/** Where a key is pressed: a pane, or the start screen, while there is no session. */
export type Place = Pane | 'start';

/** In the order in which they are told. */
const groups = ['Run', 'Edit the item', 'Edit the plan', 'Look', 'Move', 'Screen', 'Without a session'] as const;
type Group = (typeof groups)[number];

/** What is told of a key, or of several that do the same. */
export interface Told {
  /** As `keyName` names them; the first one is shown. */
  readonly keys: readonly string[];
  /** A word or two, for the hints and menus. */
  readonly label: string;
  /** A sentence, for the help. */
  readonly help: string;
}

export interface Binding extends Told {
  readonly action: Action;
  readonly where: readonly Place[];
  readonly group: Group;
}

const panes: readonly Pane[] = ['plan', 'conversation'];
const everywhere: readonly Pane[] = ['plan', 'conversation', 'line'];
const plan: readonly Pane[] = ['plan'];
const start: readonly Place[] = ['start'];

const bind = (action: Action, keys: string, where: readonly Place[], group: Group, label: string, help: string): Binding => ({
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
  bind('draft', 'm', panes, 'Edit the plan', 'draft the plan', 'have the planner make the plan, or change it as you say'),
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
  bind('revisions', 'H', panes, 'Look', 'revisions', 'history of the plan: what each revision changed; go back to one'),
  bind('missions', 'M', panes, 'Look', 'missions', 'this mission, those above and below it, and what each does and costs'),
  bind('report', 'w', panes, 'Look', 'report', 'what was done, blocked and spent in the last day, and what needs you'),
  bind('sessions', 'S', panes, 'Look', 'sessions', 'go to another session'),
  bind('newSession', 'Ctrl-t', panes, 'Look', 'new session', 'a new session in this folder'),
  bind('help', '? F1', panes, 'Look', 'help', 'this help'),

  bind('nextPane', 'Tab', everywhere, 'Screen', 'next pane', 'plan, conversation, and the line in which you write'),
  bind('previousPane', 'Shift-Tab', everywhere, 'Screen', 'previous pane', 'the other way round'),
  bind('togglePlan', 'Ctrl-n', everywhere, 'Screen', 'plan panel', 'show or hide the plan'),
  bind('suspend', 'Ctrl-z', everywhere, 'Screen', 'suspend', 'back to the shell; fg returns'),
  bind('detach', 'q', panes, 'Screen', 'detach', 'leave the screen; the daemon goes on'),

  bind('newSession', 'n Enter', start, 'Without a session', 'new plan', 'make a plan: say what it is for'),
  bind('demo', 'd', start, 'Without a session', 'demo', 'see it work first, without a model'),
  bind('run', 'r', start, 'Without a session', 'start the daemon', 'start the daemon when none answers'),
  bind('sessions', 'S', start, 'Without a session', 'sessions', 'open a session of another folder'),
  bind('help', '? F1', start, 'Without a session', 'help', 'keys'),
  bind('detach', 'q', start, 'Without a session', 'leave', 'leave'),
];

const inLine = (keys: string, label: string, help: string): Told => ({ keys: keys.split(' '), label, help });

/** What keys do in the line that are no action of it elsewhere; of those of its editor, the ones that people may not know. */
export const lineKeymap = {
  send: inLine('Enter', 'send', 'send; while an item runs, it hears it at its next turn'),
  newLine: inLine('Alt-Enter Ctrl-j', 'new line', 'a new line'),
  earlier: inLine('Up Down', 'earlier words', 'what you said before'),
  erase: inLine('Ctrl-w Ctrl-u', 'erase', 'erase a word, the line'),
  bringBack: inLine('Ctrl-y', 'bring back', 'bring back what was erased'),
  undoTyping: inLine('Ctrl-_', 'undo', 'undo in the line'),
  scrollUp: inLine('PgUp', 'scroll up', 'the conversation, some rows up'),
  scrollDown: inLine('PgDn', 'scroll down', 'the conversation, some rows down'),
  leaveLine: inLine('Esc', 'leave the line', 'back to the pane; what you wrote stays'),
  interrupt: inLine('Ctrl-c', 'clear', 'clear the line, then leave; the daemon goes on'),
} as const satisfies Readonly<Record<string, Told>>;
export type LineAction = keyof typeof lineKeymap;
const lineActions = Object.keys(lineKeymap) as LineAction[];

/** All keys as the help and the README tell them. */
export const toldKeys: readonly { readonly title: string; readonly told: readonly Told[] }[] = groups.flatMap((group) => {
  const ofGroup = { title: group, told: keymap.filter((binding) => binding.group === group) };
  return group === 'Screen' ? [ofGroup, { title: 'In the line', told: Object.values(lineKeymap) }] : [ofGroup];
});

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
    where.flatMap((place) => keys.map((key): [string, Action] => [`${place} ${key}`, action])),
  ),
);

export const actionOf = (key: Key, place: Place): Action | null => byKey.get(`${place} ${keyName(key)}`) ?? null;

const lineByKey = new Map<string, LineAction>(
  lineActions.flatMap((action) => lineKeymap[action].keys.map((key): [string, LineAction] => [key, action])),
);

/** What a key does in the line, if it is no action of the screen. */
export const lineActionOf = (key: Key): LineAction | null => lineByKey.get(keyName(key)) ?? null;

/** The binding of an action, as it is at a place if there is one of its own. */
export const bindingOf = (action: Action, place: Place = 'plan'): Binding | null => {
  const all = keymap.filter((binding) => binding.action === action);
  return all.find(({ where }) => where.includes(place)) ?? all[0] ?? null;
};

/** The key that is shown for an action. */
export const keyOf = (action: Action, place: Place = 'plan'): string => bindingOf(action, place)?.keys[0] ?? '';

export const lineBindingOf = (action: LineAction): Told => lineKeymap[action];
