/** `report.*`: what runs have said, and the summary for somebody who was away. */
import { unwrap } from '../../../shared/errors.js';
import type { Summary } from '../../../shared/mission.js';
import type { ItemId, SessionId } from '../../../shared/plan.js';
import { itemAt, numberAt } from '../../../shared/plan-tree.js';
import { landedAgainstPlanned } from '../../domain/landed.js';
import { placesOf } from '../../domain/plan.js';
import { notFound } from '../../runner/commands.js';
import type { Queries, SessionRow, SummaryRows } from '../../store/queries.js';
import type { Handlers } from '../handlers.js';
import { pageFrom } from '../page.js';

type Methods = Extract<keyof Handlers, `report.${string}`>;

const dayMs = 24 * 3_600_000;
const most = 1_000;

export function reportHandlers(store: Queries, now: () => number): Pick<Handlers, Methods> {
  return {
    'report.list': async ({ sessionId, kind, limit, cursor }) => {
      if ((await store.session(sessionId)) === null) return unwrap(notFound(sessionId));
      const { rows, nextCursor } = await store.reports(sessionId, kind ?? null, pageFrom({ limit, cursor }));
      return { reports: [...rows], nextCursor };
    },
    'report.summary': async ({ since, sessionId }) => {
      if (sessionId !== undefined && (await store.session(sessionId)) === null) return unwrap(notFound(sessionId));
      const until = now();
      // As times are stored, so that texts compare as times do.
      const from = new Date(since === undefined ? until - dayMs : Date.parse(since)).toISOString();
      const rows = await store.summary(from, sessionId ?? null);
      return summarise(store, rows, from, new Date(until).toISOString());
    },
  };
}

async function summarise(store: Queries, rows: SummaryRows, since: string, until: string): Promise<Summary> {
  const plans = new Map<SessionId, NonNullable<Awaited<ReturnType<Queries['loadState']>>>['plan']>();
  const touched = [
    ...[...rows.done, ...rows.ended].map(({ sessionId }) => sessionId),
    ...rows.stopped.map(({ record }) => record.id),
  ];
  for (const id of new Set(touched)) {
    const plan = (await store.loadState(id))?.plan;
    if (plan !== undefined) plans.set(id, plan);
  }
  const named = (sessionId: SessionId, itemId: ItemId) => {
    const tree = plans.get(sessionId)?.tree ?? [];
    const place = placesOf(tree).get(itemId);
    return { number: place ? numberAt(place) : '', title: (place && itemAt(tree, place)?.title) ?? '' };
  };
  const done = rows.done.map(({ accepted, summary, ...item }) => ({
    accepted,
    summary,
    item: { ...item, ...named(item.sessionId, item.itemId) },
  }));
  const ended = await Promise.all(
    rows.ended.map(async (mission) => {
      const plan = plans.get(mission.sessionId);
      const revisions = plan === undefined ? [] : await store.revisionChanges(mission.sessionId, 0, plan.version);
      return { ...mission, landed: landedAgainstPlanned(plan ?? { goal: '', tree: [] }, revisions) };
    }),
  );
  return {
    since,
    until,
    accepted: done.filter(({ accepted }) => accepted).map(({ item }) => item),
    claimed: done.filter(({ accepted }) => !accepted).map(({ item, summary }) => ({ ...item, summary })),
    blocked: rows.stopped.map((row) => {
      const { currentItemId, lastError, status, updatedAt } = row.planRun;
      const item = currentItemId === null ? null : named(row.record.id, currentItemId);
      return {
        ...nameOf(row),
        status,
        itemId: currentItemId,
        number: item?.number ?? null,
        title: item?.title ?? null,
        why: lastError ?? (status === 'waiting' ? 'it waits for an answer' : `a person has it ${status}`),
        since: updatedAt,
      };
    }),
    outcomes: ended,
    revisions: rows.revised.map(({ sessionId, session, revision }) => ({
      sessionId,
      session,
      version: revision.version,
      author: revision.author,
      explanation: revision.explanation ?? null,
      added: revision.added.length,
      removed: revision.removed.length,
      changed: revision.changed.length,
      at: revision.at,
    })),
    spent: rows.spent,
    // What only tells of something is told above.
    needsPerson: rows.open.filter(({ kind }) => kind !== 'plan_revised' && kind !== 'outcome'),
    underWay: rows.underWay.map((row) => ({ ...nameOf(row), status: row.planRun.status })),
    isCut: [rows.done, rows.stopped, rows.underWay, rows.ended, rows.revised, rows.open].some(({ length }) => length >= most),
  };
}

const nameOf = ({ record }: SessionRow) => ({ sessionId: record.id, session: record.title });
