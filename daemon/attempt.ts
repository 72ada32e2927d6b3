import { refuse, type Result } from '../shared/errors.js';

/** What the system does not let us do with a path (permissions, a full or read-only disk) is no bug: told as a refusal. */
export function attempt<T>(path: string, work: () => Result<T>): Result<T> {
  try {
    return work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return refuse('invalid_state', `${path} cannot be used: ${(error as Error).message}`, {
      hint: 'Cairn needs to read and write there; CAIRN_HOME sets another folder.',
    });
  }
}
