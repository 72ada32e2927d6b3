/** The screen on this terminal, from taking it to giving it back. */
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Client } from '../shared/client.js';
import type { SessionId } from '../shared/plan.js';
import type { HomeFiles } from '../shared/paths.js';
import type { Glyphs } from './core/glyphs.js';
import { NoDaemon } from './connect.js';
import { createPerformer } from './perform.js';
import { runProgram } from './program.js';
import { installExitGuard, openScreen } from './screen.js';

export interface FullScreen {
  readonly files: HomeFiles;
  readonly environment: NodeJS.ProcessEnv;
  readonly glyphs: Glyphs;
  /** Null: one is looked for, and a daemon started where none runs. */
  readonly client: Client | null;
  /** The session to show; the newest of this folder unless given. */
  readonly sessionId: SessionId | null;
  /** Told the pid of a daemon that the person had started. */
  readonly onStart?: ((pid: number) => void) | undefined;
}

/** Ends when the person leaves; says what is to come in its place. Throws a `NoDaemon` when there was none all along. */
export function showFullScreen(shown: FullScreen): Promise<'nothing' | 'demo'> {
  const { files, environment, glyphs, client, sessionId, onStart } = shown;
  const screen = openScreen({
    input: process.stdin,
    output: process.stdout,
    colours: !environment.NO_COLOR,
    // GNU screen holds the Escape key back, for ever, while the mouse is reported.
    mouse: !environment.STY,
  });
  let takeOff = installExitGuard(screen.close);
  return new Promise((resolve, reject) => {
    const performer = createPerformer({
      screen,
      files,
      environment,
      client,
      onStart,
      pauseGuard() {
        takeOff();
        const putBack = leaveKeysToEditor();
        return () => {
          putBack();
          takeOff = installExitGuard(screen.close);
        };
      },
      onLeave(next, kept, whyNoDaemon) {
        program.stop();
        performer.close();
        screen.close();
        takeOff();
        for (const path of kept) process.stderr.write(`What you wrote is in ${path}\n`);
        // It is told once more where it stays in sight, as it may say what to type there.
        if (next === 'nothing' && whyNoDaemon !== null) reject(new NoDaemon(whyNoDaemon));
        else resolve(next);
      },
    });
    const start = {
      size: screen.size,
      glyphs,
      now: Date.now(),
      folder: realpathSync(process.cwd()),
      home: homedir(),
      clientId: randomBytes(8).toString('hex'),
      sessionId,
    };
    const program = runProgram(screen, start, performer.perform);
    performer.begin(program.dispatch);
  });
}

/** Ctrl-c in the editor is the editor's; other signals end this program, which has nothing to restore meanwhile. */
function leaveKeysToEditor(): () => void {
  const ignore = (): void => undefined;
  const end = (_name: NodeJS.Signals, signal: number): never => process.exit(128 + signal);
  const listeners = [
    ['SIGINT', ignore],
    ['SIGQUIT', ignore],
    ['SIGTERM', end],
    ['SIGHUP', end],
  ] as const;
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}
