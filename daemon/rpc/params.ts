/** Params of a call: given by name, without secrets, as the contract's schema says. */
import type { z } from 'zod';
import { RpcError } from '../../shared/errors.js';

/** Throws `invalid_params` with an issue for each thing that is wrong. */
export function readParams<P extends z.ZodType>(method: string, schema: P, given: unknown, redact: (text: string) => string): z.output<P> {
  if (Array.isArray(given) && given.length > 0) {
    throw new RpcError('invalid_params', 'Params are given by name.', {
      issues: [{ path: '', message: 'an object, not an array' }],
      hint: `Send {${Object.keys('shape' in schema ? (schema.shape as object) : {}).join(', ')}}; rpc.discover tells more.`,
    });
  }
  const named = given === undefined || given === null || Array.isArray(given) ? {} : given;
  const parsed = schema.safeParse(withoutSecrets(named, redact));
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  const [first] = issues;
  throw new RpcError('invalid_params', `${method}: ${first?.path ? `${first.path}: ` : ''}${first?.message ?? 'invalid params'}`, {
    issues,
    hint: 'Compare with rpc.discover or the reference.',
  });
}

/** Names of what points at something: redacted, it would point at nothing, or at the same as another one. */
const pointers = new Set(['sessionId', 'itemId', 'runId', 'parentId', 'within', 'id', 'subscriptionId', 'cursor', 'idempotencyKey', 'workspace']);

function withoutSecrets(value: unknown, redact: (text: string) => string): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((each) => withoutSecrets(each, redact));
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

/** A rule that was redacted would silently match nothing any more. */
function checkSame(policy: unknown, redacted: unknown): void {
  if (JSON.stringify(policy) === JSON.stringify(redacted)) return;
  throw new RpcError('invalid_params', 'The policy contains something that looks like a secret; policies are stored as they are.', {
    issues: [{ path: 'policy', message: 'no secrets' }],
    hint: 'Use a pattern with * in the place of the secret.',
  });
}
