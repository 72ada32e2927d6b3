/** Waiting in tests: on a condition, with a deadline, saying at the end what was seen last. */

const pollMs = 15;

/** The first value of `look` that is not undefined, null or false. Fails after `deadlineMs` with what `describe` tells. */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  { deadlineMs = 10_000, describe }: { deadlineMs?: number; describe?: () => unknown } = {},
): Promise<NonNullable<Exclude<T, false>>> {
  const until = Date.now() + deadlineMs;
  for (;;) {
    const value = await look();
    if (value !== undefined && value !== null && value !== false) return value as NonNullable<Exclude<T, false>>;
    if (Date.now() > until) {
      const seen = describe ? `; last seen: ${JSON.stringify(await describe(), null, 1)}` : '';
      throw new Error(`waited ${deadlineMs} ms for ${what}${seen}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
