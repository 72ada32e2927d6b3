/** A WebSocket as a client that can be told things, and that is not told more than it reads. */
import type { WebSocket } from 'ws';
import type { Connection } from './handlers.js';

/** What may wait in a client's socket before it counts as slow. */
const busyAt = { bytes: 256 * 1024, messages: 1_000 } as const;

export interface SocketConnection extends Connection {
  /** Sends an answer; nothing happens when the client has gone. */
  send(text: string): void;
}

/**
 * `onProgress` is called whenever something has left. While the client is slow, its socket is not read: whoever does not
 * take answers cannot ask for more of them.
 */
export function createConnection(socket: WebSocket, id: string, onProgress: () => void): SocketConnection {
  const drainCallbacks = new Set<() => void>();
  const closeCallbacks = new Set<() => void>();
  let waiting = 0;
  let slow = false;
  let closed = false;

  const isBusy = (): boolean => waiting >= busyAt.messages || socket.bufferedAmount > busyAt.bytes;

  function left(error?: Error | null): void {
    waiting -= 1;
    if (error || closed) return;
    onProgress();
    if (!slow || isBusy()) return;
    slow = false;
    socket.resume();
    for (const callback of drainCallbacks) callback();
  }

  function send(text: string): void {
    if (socket.readyState !== socket.OPEN) return;
    waiting += 1;
    socket.send(text, left);
    if (slow || !isBusy()) return;
    slow = true;
    socket.pause();
  }

  socket.once('close', () => {
    closed = true;
    for (const callback of closeCallbacks) callback();
    closeCallbacks.clear();
    drainCallbacks.clear();
  });

  return {
    id,
    send,
    get closed() {
      return closed;
    },
    get busy() {
      return slow;
    },
    notify: (method, params) => send(JSON.stringify({ jsonrpc: '2.0', method, params })),
    onDrain: (callback) => void drainCallbacks.add(callback),
    onClose(callback) {
      if (closed) callback();
      else closeCallbacks.add(callback);
    },
    close(reason) {
      socket.resume();
      socket.close(1011, reason);
    },
  };
}
