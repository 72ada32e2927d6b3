/** Error answers of the protocol, each with its code and kind. */
import { createJSONRPCErrorResponse, type JSONRPCErrorResponse, type JSONRPCID } from 'json-rpc-2.0';
import { errorCodes, type ErrorData, type ErrorKind } from '../../shared/errors.js';

export function failure(
  id: JSONRPCID,
  kind: ErrorKind,
  message: string,
  data: Omit<ErrorData, 'kind'> = {},
): JSONRPCErrorResponse {
  return createJSONRPCErrorResponse(id, errorCodes[kind], message, { ...data, kind });
}

/** For what cannot be told apart by an id: a refused connection, a message that could not be read. */
export const errorText = (kind: ErrorKind, message: string): string => JSON.stringify(failure(null, kind, message));

export const internalError = (id: JSONRPCID): JSONRPCErrorResponse =>
  failure(id, 'internal_error', 'Something went wrong inside the daemon. The log has the details.');
