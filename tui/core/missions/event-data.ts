/** What an event carries, by its type. */
import { type CairnEvent, eventData, type EventDataOf, type EventType } from '../../../shared/event.js';

/** Null for an event of another type, and for data that is not as the contract says. */
export function dataOf<T extends EventType>(event: CairnEvent, type: T): EventDataOf<T> | null {
  if (event.type !== type) return null;
  return (eventData[type].safeParse(event.data).data as EventDataOf<T> | undefined) ?? null;
}
