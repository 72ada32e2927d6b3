/** `npm start`: set-up, then the program with the arguments given; without a terminal and arguments, the demo. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import './setup.mjs';

const given = process.argv.slice(2);
const args = given.length === 0 && !process.stdout.isTTY ? ['demo', '--headless'] : given;
const program = fileURLToPath(new URL('../dist/cairn.js', import.meta.url));
// npm moves to the folder of the package; the one it was called in is the user's workspace.
const child = spawn(process.execPath, [program, ...args], { stdio: 'inherit', cwd: process.env.INIT_CWD || process.cwd() });

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // A terminal gives Ctrl-C to the program as well: twice would mean something else.
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on('error', (error) => {
  process.stderr.write(`cairn: ${error.message}\n`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  process.exitCode = signal === null ? code : 128 + constants.signals[signal];
});
