/** Redaction of structured values: each text by itself, so that what takes a secret out can never break the JSON around it. */

/** The same value with every text in it redacted; keys stay as they are. */
export function redactStrings<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map((each: unknown) => redactStrings(each, redact)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, redactStrings<unknown>(each, redact)])) as T;
}
