/** How the wait for a mission ended, in words. */
import { unreachable } from '../../../shared/errors.js';
import type { InboxEntry } from '../../../shared/mission.js';
import type { PlanRun } from '../../../shared/run.js';
import type { Session } from '../../../shared/session.js';
import { outcomeGlyph, statusGlyph } from '../glyphs.js';
import { toneOf, type ViewOptions, whyLines } from '../lines/tree-view.js';
import { inboxLines, isAsked } from '../lines/watch-lines.js';
import { fit, sanitise } from '../text/text.js';
import type { Ending } from './mission-wait.js';

/** The mission at the end of the wait. */
export interface EndFacts {
  readonly session: Session;
  readonly planRun: Pick<PlanRun, 'status' | 'lastError'> | null;
  /** What stands open in the inbox, of it and of the missions below it. */
  readonly entries: readonly InboxEntry[];
}

/** Why the wait is over, in one text; it may have several lines. */
export function reasonOf(ending: Ending, { session, planRun, entries }: EndFacts): string {
  switch (ending.type) {
    case 'outcome':
      return session.outcomeReason ?? '';
    case 'deleted':
      return 'the mission was deleted';
    case 'timed_out':
      return planRun === null
        ? 'it has not come to its end in time, and the daemon does not answer; it goes on when that is started'
        : 'it has not come to its end in time; it goes on';
    case 'interrupted':
      return 'the wait was interrupted; the mission goes on';
    case 'needs_person': {
      const { status } = ending;
      if (status === 'paused' || status === 'cancelled') return `a person has it ${status}`;
      const { planner } = session;
      const held = planner.state === 'held' ? planner.reason : null;
      const said = planRun?.status === status && (status === 'blocked' || status === 'failed') ? planRun.lastError : null;
      return said ?? held ?? entries.find(isAsked)?.title ?? 'it waits for a person';
    }
    default:
      return unreachable(ending);
  }
}

/** For people: what came of it, and what to do next. */
export function endingLines(ending: Ending, facts: EndFacts, view: ViewOptions): string[] {
  const { glyphs, paint, width } = view;
  const { session, entries } = facts;
  const reason = reasonOf(ending, facts);
  switch (ending.type) {
    case 'outcome': {
      const tone = ending.outcome === 'landed' ? 'good' : 'bad';
      const [first = '', ...rest] = reason.split('\n').map(sanitise);
      return [
        `${paint(tone, `${outcomeGlyph(ending.outcome, glyphs)} ${ending.outcome}`)}  ${first}`,
        ...rest.map((line) => `    ${line}`),
      ];
    }
    case 'needs_person': {
      const word = isStopped(ending.status) ? ending.status : `the planner is ${session.planner.state}`;
      return [
        paint(toneOf(ending.status), fit(`${statusGlyph(ending.status, glyphs)} ${word}`, width, glyphs.ellipsis)),
        ...whyLines(reason, '    ', view),
        ...inboxLines(entries, view),
        ...nextStep(ending.status, facts),
      ];
    }
    case 'deleted':
      return ['The mission was deleted.'];
    case 'timed_out':
      return facts.planRun === null
        ? ['It has not come to its end in time, and the daemon does not answer. It goes on after: cairn daemon start']
        : [`It has not come to its end in time; it goes on. Follow it with: cairn watch ${session.id}`];
    case 'interrupted':
      return [`Detached. The mission goes on; follow it with: cairn watch ${session.id}`];
    default:
      return unreachable(ending);
  }
}

const isStopped = (status: Session['status']): boolean => status !== 'idle' && status !== 'completed';

function nextStep(status: Session['status'], { session: { id, planner }, entries }: EndFacts): string[] {
  // An answer is what it waits for, its own or that of a mission below.
  if (entries.some(isAsked)) return [];
  const isTriedAgain = (status === 'blocked' || status === 'failed') && planner.state !== 'held';
  return [`Go on with: cairn ${isTriedAgain ? 'retry' : 'run'} ${id}`];
}
