/** What a failed call of a server may have done all the same. */
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';

/**
 * `answered`: the server itself said no. `refused`: what stands before it did. `stale`: there was nobody to take it, or
 * nobody who still knows us, so a new connection may help. In none of these was it carried out. `unknown`: it may have been.
 */
export type CallFailure = 'answered' | 'refused' | 'stale' | 'unknown';

/** The request never left us. */
export class NotSent extends Error {}

/** Of Node's network errors, those that come before a connection stands. */
const beforeConnection = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);
/** How servers tell a session that they do not know: 404 by the protocol, 400 by its reference servers. */
const unknownSession = new Set([400, 404]);
const requestTimeout = 408;

export function failureOf(error: unknown): CallFailure {
  if (error instanceof ProtocolError) return 'answered';
  if (error instanceof NotSent) return 'stale';
  if (error instanceof SdkHttpError) {
    const { status } = error;
    if (unknownSession.has(status)) return 'stale';
    return status >= 300 && status < 500 && status !== requestTimeout ? 'refused' : 'unknown';
  }
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && beforeConnection.has(String(cause.code)) ? 'stale' : 'unknown';
}

export const isTimeout = (error: unknown): boolean => error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
