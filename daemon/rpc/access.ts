/** Who may speak on the TCP port: no web page, no other host's name, nobody without the token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface AccessRules {
  readonly token: string;
  /** The port that the daemon listens on, once it is known. */
  readonly port: () => number;
}

export interface AccessRefusal {
  readonly status: 401 | 403;
  readonly message: string;
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Null when the request may go on. */
export function checkAccess(request: IncomingMessage, rules: AccessRules): AccessRefusal | null {
  const port = rules.port();
  const hosts = loopbackNames.flatMap((name) => [`${name}:${port}`, ...(port === 80 ? [name] : [])]);
  const { host = '', origin, authorization = '' } = request.headers;
  // A page that rebinds its own name to 127.0.0.1 is told apart by the name it asks for.
  if (!hosts.includes(host.toLowerCase())) {
    return { status: 403, message: `The Host header must be 127.0.0.1:${port} or localhost:${port}.` };
  }
  if (origin !== undefined && !hosts.some((own) => origin.toLowerCase() === `http://${own}`)) {
    return { status: 403, message: 'Web pages of other origins may not speak to the daemon.' };
  }
  const given = /^Bearer (.+)$/i.exec(authorization)?.[1] ?? '';
  if (!sameText(given, rules.token)) {
    return {
      status: 401,
      message: 'Send "Authorization: Bearer TOKEN" with the token from the file `token` in the home of the daemon.',
    };
  }
  return null;
}

/** Compares in constant time, whatever the lengths. */
function sameText(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
