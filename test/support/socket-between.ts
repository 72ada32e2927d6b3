/** A socket between a client and a daemon that can lose answers, as a daemon does that dies at the wrong moment. */
import { createServer, connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SocketBetween {
  /** What the daemon says no longer arrives; what it is told still does. */
  loseAnswers(): void;
  /** Ends every connection; the next one gets answers again. */
  cut(): void;
}

/** Listens at `path` for connections to the socket `target`, until the test ends. */
export async function listenBetween(path: string, target: string): Promise<SocketBetween> {
  const open = new Set<Socket>();
  let isLosing = false;
  const server = createServer((client) => {
    const daemon = connect(target);
    for (const socket of [client, daemon]) {
      open.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        daemon.destroy();
      });
    }
    client.pipe(daemon);
    daemon.on('data', (chunk) => {
      if (!isLosing) client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const cut = (): void => {
    for (const socket of open) socket.destroy();
    isLosing = false;
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    cut,
    loseAnswers() {
      isLosing = true;
    },
  };
}
