/** The keys that matter most right here, as the hint line shows them. */
import { unreachable } from '../../../shared/errors.js';
import { isOpen } from '../../../shared/plan-tree.js';
import { type Action, bindingOf, keyOf, type LineAction, lineBindingOf } from '../keymap.js';
import { isSection } from '../plan/plan-model.js';
import { isNews } from '../popups/inbox.js';
import type { Span } from '../press.js';
import { span } from './rows.js';
import type { Pane, PromptKind, SessionView, State } from '../state.js';

const hint = (action: Action, label = bindingOf(action)?.label ?? ''): Span[] => [
  span(keyOf(action), 'accent', { on: 'action', action }),
  span(` ${label}`, 'dim', { on: 'action', action }),
];

const hintAtStart = (action: Action): Span[] => [
  span(keyOf(action, 'start'), 'accent', { on: 'action', action }),
  span(` ${bindingOf(action, 'start')?.label ?? ''}`, 'dim', { on: 'action', action }),
];

const hintInLine = (action: LineAction, label?: string): Span[] => {
  const binding = lineBindingOf(action);
  return key(binding.keys[0] ?? '', label ?? binding.label);
};

const key = (name: string, label: string): Span[] => [span(name, 'accent'), span(` ${label}`, 'dim')];

/** From the most useful on. */
export function hints(state: State): Span[][] {
  const { session, focus, prompt, chat, link } = state;
  if (prompt !== null) return promptHints(prompt.about);
  if (session === null) return startHints(state);
  if (link.state === 'lost') return [hint('run', 'start the daemon'), hint('nextPane'), hint('help'), hint('detach')];
  if (link.state === 'otherProtocol') return [hint('nextPane'), hint('help'), hint('detach')];
  switch (focus) {
    case 'line':
      return [
        hintInLine('send'),
        hint('nextPane', 'plan'),
        hintInLine('newLine'),
        ...(chat.history.length > 0 ? [hintInLine('earlier')] : []),
        hintInLine('interrupt', chat.editor.text === '' ? bindingOf('detach')?.label : undefined),
      ];
    case 'conversation':
      return [...runHints(session), hint('open', 'fold'), hint('nextPane'), hint('togglePlan'), hint('search'), hint('help')];
    case 'plan':
      return [
        ...runHints(session),
        ...(session.session.outcome === null ? itemHints(session, state) : [hint('open'), hint('details')]),
        hint('nextPane'),
        hint('help'),
        hint('undo'),
        ...missionHints(session),
        hint('sessions'),
        hint('detach'),
      ];
    default:
      return unreachable(focus);
  }
}

/** Without a session, what can be done with and without a daemon. */
function startHints({ link }: State): Span[][] {
  const always = [hintAtStart('help'), hintAtStart('detach')];
  if (link.state === 'lost') return [hintAtStart('run'), hintAtStart('demo'), ...always];
  return link.state === 'open'
    ? [hintAtStart('newSession'), hintAtStart('demo'), hintAtStart('sessions'), ...always]
    : [hintAtStart('demo'), ...always];
}

/** What leads to the line in which one writes. */
export const keysToLine = (from: Pane): string => {
  const tab = keyOf('nextPane');
  return from === 'plan' ? `${tab} ${tab}` : tab;
};

function promptHints({ kind }: PromptKind): Span[][] {
  switch (kind) {
    case 'title':
      return [key('Enter', 'keep'), key('Esc', 'leave as it was')];
    case 'goal':
      return [key('Enter', 'keep'), key('Esc', 'leave as it was'), key('Alt-Enter', 'new line')];
    case 'add':
      return [key('Enter', 'add'), key('Esc', 'stop adding')];
    case 'guidance':
      return [key('Enter', 'try again'), key('Esc', 'never mind')];
    case 'draft':
      return [key('Enter', 'have it drafted'), key('Esc', 'never mind'), key('Alt-Enter', 'new line')];
    case 'search':
      return [key('Enter', 'stay here'), key('Esc', 'go back')];
    case 'newSession':
      return [key('Enter', 'make it'), key('Esc', 'never mind')];
    default:
      return unreachable(kind);
  }
}

function runHints({ session, planRun, inbox, plan }: SessionView): Span[][] {
  const asked = inbox.length > 0 ? [hint('inbox', inbox.every(isNews) ? 'news' : 'answer')] : [];
  // What has ended is not run again.
  if (session.outcome !== null) return asked;
  switch (planRun.status) {
    case 'running':
      return [...asked, hint('pause'), hint('cancelRun', 'cancel')];
    case 'pausing':
      return [...asked, hint('run', 'go on'), hint('pauseNow')];
    case 'waiting':
      return [...asked, hint('cancelRun', 'cancel')];
    case 'blocked':
    case 'failed':
      return [hint('retry'), hint('run', 'run again'), ...asked];
    case 'paused':
    case 'cancelled':
      return [...asked, hint('run', planRun.status === 'paused' ? 'resume' : 'run')];
    case 'idle':
      return plan.items.size === 0 ? asked : [...asked, hint('run')];
    case 'completed':
      return asked;
    default:
      return unreachable(planRun.status);
  }
}

/** Where a planner is at work, or was. */
const missionHints = ({ session: { planner, outcome, isMission, parentId } }: SessionView): Span[][] => {
  const isOfMission = isMission || parentId !== null || outcome !== null;
  if (!isOfMission && planner.state === 'none') return [];
  return [...(isOfMission ? [hint('missions')] : []), hint('revisions'), hint('report')];
};

/** Somebody can make a plan of the goal. */
export const canDraft = ({ daemon, session }: State): boolean =>
  (daemon?.provider ?? null) !== null && session !== null && session.session.outcome === null;

function itemHints({ plan, planView: { cursor } }: SessionView, state: State): Span[][] {
  const item = cursor === null ? undefined : plan.items.get(cursor);
  if (item === undefined) return [...(canDraft(state) ? [hint('draft')] : []), hint('addTask'), hint('goal')];
  const isLeft = isOpen(item.status);
  return [
    hint('open'),
    hint('addTask', 'add'),
    hint('editTitle'),
    ...(isLeft && !isSection(plan, item.id) ? [hint('markDone')] : []),
    ...(isLeft ? [hint('skip')] : [hint('reopen')]),
    hint('details'),
  ];
}
