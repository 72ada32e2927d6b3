import { createHash } from 'node:crypto';

/** Stands for the arguments of a call in events and journals: 16 hexadecimal digits of the SHA-256 of their text. */
export const argsDigest = (args: string): string => createHash('sha256').update(args).digest('hex').slice(0, 16);
