/** Params of a call: given by name, without secrets, as the contract's schema says. */
import type { z } from 'zod';
import { RpcError } from '../../shared/errors.js';
import { planLimits } from '../../shared/plan.js';

/** An answer says what is wrong at so many places, in so many characters each: it never grows with what was sent. */
const told = { issues: 20, characters: 300 } as const;

/** Throws `invalid_params` with an issue for each of the first things that are wrong. */
export function readParams<P extends z.ZodType>(
  method: string,
  schema: P,
  given: unknown,
  redact: (text: string) => string,
): z.output<P> {
  if (Array.isArray(given) && given.length > 0) {
    throw new RpcError('invalid_params', 'Params are given by name.', {
      issues: [{ path: '', message: 'an object, not an array' }],
      hint: `Send {${Object.keys('shape' in schema ? (schema.shape as object) : {}).join(', ')}}; rpc.discover tells more.`,
    });
  }
  const named = given === undefined || given === null || Array.isArray(given) ? {} : given;
  const parsed = schema.safeParse(withoutSecrets(named, redact));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.slice(0, told.issues).map((issue) => ({
    path: shorten(issue.path.join('.')),
    message: shorten(issue.message),
  }));
  const [first] = issues;
  throw new RpcError(
    'invalid_params',
    `${method}: ${first?.path ? `${first.path}: ` : ''}${first?.message ?? 'invalid params'}`,
    {
      issues,
      hint: 'Compare with rpc.discover or the reference.',
    },
  );
}

/** Names of what points at something: redacted, it would point at nothing, or at the same as another one. */
const pointers = new Set([
  'sessionId',
  'itemId',
  'runId',
  'parentId',
  'within',
  'id',
  'subscriptionId',
  'cursor',
  'idempotencyKey',
  'workspace',
]);

function withoutSecrets(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) {
    checkLength(value);
    return value.map((each) => withoutSecrets(each, redact));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      if (pointers.has(name) && typeof each === 'string') return [name, each];
      const clean = withoutSecrets(each, redact);
      if (name === 'policy') checkSame(each, clean);
      return [name, clean];
    }),
  );
}

/** No list of the contract is longer than a plan may be: what is, is not looked at entry by entry. */
function checkLength(list: readonly unknown[]): void {
  if (list.length <= planLimits.items) return;
  throw new RpcError('limit_exceeded', `A list has ${list.length} entries; at most ${planLimits.items} are taken.`);
}

const shorten = (text: string): string => (text.length <= told.characters ? text : `${text.slice(0, told.characters)}…`);

/** A rule that was redacted would silently match nothing any more. */
function checkSame(policy: unknown, redacted: unknown): void {
  if (JSON.stringify(policy) === JSON.stringify(redacted)) return;
  throw new RpcError(
    'invalid_params',
    'The policy contains something that looks like a secret; policies are stored as they are.',
    {
      issues: [{ path: 'policy', message: 'no secrets' }],
      hint: 'Use a pattern with * in the place of the secret.',
    },
  );
}
