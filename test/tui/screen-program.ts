/**
 * A program with a screen, for the tests of its life: `screen-program.ts LOG`. Keys make it end in different ways; what it
 * does is told in the log, line by line.
 */
import { appendFileSync } from 'node:fs';
import type { Frame } from '../../tui/core/frame.js';
import { installExitGuard, openScreen } from '../../tui/screen.js';

const [, , logPath = ''] = process.argv;
const log = (line: string): void => appendFileSync(logPath, `${line}\n`);

const screen = openScreen({ input: process.stdin, output: process.stdout, colours: true });
installExitGuard(screen.close);
process.on('exit', (code) => log(`exit ${code}`));

const stripes = ['/', '\\', '-'];
let tick = 0;
let isFlooding = false;

function frame(): Frame {
  const { columns, rows } = screen.size;
  const fill = isFlooding ? (stripes[tick % stripes.length] ?? '').repeat(columns) : '';
  const lines = Array.from({ length: rows }, (_, y) => (y === 0 ? 'the screen' : fill));
  return {
    size: screen.size,
    regions: [
      {
        id: 'conversation',
        rect: { x: 0, y: 0, width: columns, height: rows },
        rows: lines.map((text) => ({ spans: [{ text, tone: 'good' }] })),
      },
    ],
    cursor: { x: 3, y: 0 },
  };
}

function suspend(): void {
  screen.suspend();
  process.once('SIGCONT', screen.resume);
  process.kill(process.pid, 'SIGTSTP');
}

const timer = setInterval(() => {
  tick += 1;
  log(`tick ${screen.isBackedUp ? 'backed up' : 'flowing'} ${process.stdout.writableLength}`);
  screen.paint(frame());
}, 10);

const actions: Record<string, () => void> = {
  f: () => {
    isFlooding = true;
  },
  q: () => {
    clearInterval(timer);
    screen.close();
    process.stdout.write('bye\n');
  },
  r: () => void Promise.reject(new Error('a promise broke')),
  t: () => {
    throw new Error('it broke');
  },
  z: suspend,
};

screen.onInput((input) => {
  if (input.type === 'key') actions[input.name]?.();
});
screen.paint(frame());
log(`pid ${process.pid}`);
