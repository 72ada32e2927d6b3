/** The time from which a report tells. */

const units = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/**
 * `8h`, `30m`, `2d`, `1w` before `now`; `today` and `yesterday` from midnight here; `18:00`, the last time it was that; a date
 * or time in ISO 8601, by the clock here unless it names its zone. Null for anything else, and for what is yet to come.
 */
export function readSince(text: string, now: Date): Date | null {
  const since = parse(text.trim().toLowerCase(), now);
  return since === null || Number.isNaN(since.getTime()) || since > now ? null : since;
}

function parse(text: string, now: Date): Date | null {
  if (text === 'today') return dayOf(now, 0);
  if (text === 'yesterday') return dayOf(now, -1);
  const ago = /^(\d{1,6})\s*([mhdw])$/.exec(text);
  if (ago) return new Date(now.getTime() - Number(ago[1]) * units[ago[2] as keyof typeof units]);
  const hour = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text);
  if (hour) {
    const [hours, minutes] = [Number(hour[1]), Number(hour[2])];
    const at = dayOf(now, 0, hours, minutes);
    return at > now ? dayOf(now, -1, hours, minutes) : at;
  }
  const iso = /^(\d{4}-\d\d-\d\d)(?:[t ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(z|[+-]\d\d:\d\d)?)?$/.exec(text);
  if (iso === null) return null;
  const [, date = '', time = '00:00', zone = ''] = iso;
  return isDay(date) ? new Date(`${date}T${time}${zone.toUpperCase()}`) : null;
}

/** February 30th would be taken for March 2nd. */
function isDay(date: string): boolean {
  const midnight = new Date(`${date}T00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(date);
}

/** By the calendar here, so that a change of the clocks makes no difference. */
const dayOf = (now: Date, days: number, hours = 0, minutes = 0): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours, minutes);
