/** From a key to the bytes that show what it did, in the real loop, while a model streams. */
import { setTimeout as delay } from 'node:timers/promises';
import { runProgram } from '../../tui/program.js';
import { openScreen } from '../../tui/screen.js';
import { openCountingTerminal } from './counting-terminal.js';
import { size, start, story, token } from './scene.js';

const keyCount = 200;
const pageDown = '\u001b[6~';
/** Between keys; never in step with the stream or the frames. */
const pause = (index: number): number => 11 + ((index * 7) % 13);

/** Milliseconds of each key. */
export async function keyLatencies(tokensPerSecond: number): Promise<number[]> {
  const { input, output } = openCountingTerminal(size);
  const screen = openScreen({ input, output, colours: true });
  const program = runProgram(screen, { ...start, now: Date.now() }, () => undefined);
  for (const msg of story()) program.dispatch(msg);
  // The first frames.
  await delay(200);
  const streaming = stream(tokensPerSecond, (index) => program.dispatch(token(index)));
  const latencies: number[] = [];
  for (let i = 0; i < keyCount; i++) {
    await delay(pause(i));
    latencies.push(
      await new Promise<number>((resolve) => {
        const pressedAt = performance.now();
        output.onWrite = () => resolve(performance.now() - pressedAt);
        input.write(i % 10 === 9 ? pageDown : 'j');
      }),
    );
    output.onWrite = () => undefined;
  }
  clearInterval(streaming);
  program.stop();
  screen.close();
  return latencies;
}

/** So many a second on the whole, however late the timer is. */
function stream(perSecond: number, send: (index: number) => void): NodeJS.Timeout {
  const begun = performance.now();
  let sent = 0;
  return setInterval(() => {
    const due = ((performance.now() - begun) / 1000) * perSecond;
    while (sent < due) send(sent++);
  }, 1);
}
