/** Looking: details, inbox, sessions, help, search. */
import { unreachable } from '../../../shared/errors.js';
import type { ItemId } from '../../../shared/plan.js';
import { openPrompt } from './act-edit.js';
import { focusPane, pointAt, turnFold } from './act-move.js';
import { isSessionLook, type LookAction } from '../keymap.js';
import { listedItem } from '../plan/plan-model.js';
import { openDetail } from '../popups/detail.js';
import { readDetail } from '../popups/detail-reading.js';
import { firstEntry, openInbox } from '../popups/inbox.js';
import { openMissions, readTree } from '../popups/missions.js';
import type { DetailTab } from '../popups/popup.js';
import { openReport, readReport } from '../popups/report.js';
import { emptyRevisions, readRevisions } from '../popups/revision-reading.js';
import { openSessions, readSessions } from '../popups/sessions.js';
import { type Next, next, patchSession, type SessionView, type State, tell } from '../state.js';

export function actLook(state: State, look: LookAction): Next {
  const { session, focus } = state;
  if (!isSessionLook(look)) {
    switch (look) {
      case 'help':
        return next({ ...state, popup: { kind: 'help', scroll: 0 } });
      case 'sessions':
        return next({ ...state, popup: openSessions(session?.session.id ?? null) }, readSessions(null));
      case 'newSession':
        return next(openPrompt(state, { kind: 'newSession' }, ''));
      case 'inbox':
        return next({ ...state, popup: openInbox(firstEntry(session?.inbox ?? []), state.answers) });
      default:
        return unreachable(look);
    }
  }
  if (session === null) return next(state);
  switch (look) {
    case 'open':
      if (focus === 'conversation') return next(turnFold(state, session));
      return session.planView.cursor === null
        ? next(state)
        : next({ ...state, popup: { kind: 'menu', itemId: session.planView.cursor, chosen: 'details' } });
    case 'details':
      return detail(state, session, 'details');
    case 'diff':
      return detail(state, session, 'changes');
    case 'receipts':
      return detail(state, session, 'receipts');
    case 'search':
      // What is found is seen.
      return next(openPrompt(focusPane(state, 'plan'), { kind: 'search', from: session.planView.cursor }, ''));
    case 'revisions':
      return next({ ...state, popup: emptyRevisions }, ...readRevisions(state, null));
    case 'missions':
      return next({ ...state, popup: openMissions(session.session.id, state.now) }, readTree(session.session.id));
    case 'report':
      return next({ ...state, popup: openReport }, ...readReport(state, openReport));
    case 'searchNext':
      return next(searchOn(state, session, 1));
    case 'searchPrevious':
      return next(searchOn(state, session, -1));
    default:
      return unreachable(look);
  }
}

function detail(state: State, { plan, planView }: SessionView, tab: DetailTab): Next {
  const item = listedItem(plan, planView.cursor);
  if (item === null) return next(tell(state, 'There is no item here.'));
  const popup = openDetail(item, tab);
  return next({ ...state, popup }, ...readDetail(state, popup));
}

/** The nearest item whose title or number has the words, or that has the id, from an item on; itself included when `by` is 0. */
function findTitle({ plan }: SessionView, words: string, from: ItemId | null, by: -1 | 0 | 1): ItemId | null {
  const wanted = words.trim().toLowerCase();
  const count = plan.listed.length;
  if (wanted === '' || count === 0) return null;
  const start = from === null ? 0 : (plan.order.get(from) ?? 0);
  const step = by < 0 ? -1 : 1;
  for (let i = by === 0 ? 0 : 1; i <= count; i++) {
    const item = plan.listed[(start + i * step + count * 2) % count];
    if (item && (item.id === wanted || `${item.number} ${item.title}`.toLowerCase().includes(wanted))) return item.id;
  }
  return null;
}

function searchOn(state: State, view: SessionView, by: -1 | 1): State {
  const { search, cursor } = view.planView;
  if (search === '') return tell(state, '/ searches first.');
  const found = findTitle(view, search, cursor, by);
  return found === null ? tell(state, `Nothing has "${search}".`) : pointAt(state, found);
}

/** While one types, the cursor is on the first match. */
export function searchAsTyped(state: State, words: string, from: ItemId | null): State {
  const { session } = state;
  if (session === null) return state;
  const searched = patchSession(state, { planView: { ...session.planView, search: words } });
  const found = findTitle(session, words, from, 0);
  if (found !== null) return pointAt(searched, found);
  return from === null ? searched : pointAt(searched, from);
}
