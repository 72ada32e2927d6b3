/** Waiting for no longer than a signal allows. */

/** The promise, or a failure with the signal's reason as its words. */
export async function within<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    stop = () => reject(new Error(typeof signal.reason === 'string' ? signal.reason : 'it was stopped'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
