/** The bridge from this adapter, where a command is one synchronous transaction, to the port, where it is a Promise. */

/** The same functions without their promises. */
export type Sync<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => Promise<infer R> ? (...args: A) => R : never;
};

type AnyFunction = (...args: never[]) => unknown;

/** Functions that answer with a promise; what they throw becomes its rejection. */
export function promised<T extends object>(functions: Sync<T>): T {
  const entries = Object.entries(functions as Record<string, AnyFunction>).map(([name, work]) => [
    name,
    (...args: never[]) => new Promise((resolve) => resolve(work(...args))),
  ]);
  return Object.fromEntries(entries) as T;
}
