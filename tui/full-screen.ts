/** The screen on this terminal, from taking it to giving it back. */
import { randomBytes } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Client } from '../shared/client.js';
import type { SessionId } from '../shared/plan.js';
import type { HomeFiles } from '../shared/paths.js';
import type { Glyphs } from './core/glyphs.js';
import { createPerformer } from './perform.js';
import { runProgram } from './program.js';
import { installExitGuard, openScreen } from './screen.js';

export interface FullScreen {
  readonly files: HomeFiles;
  readonly environment: NodeJS.ProcessEnv;
  readonly glyphs: Glyphs;
  readonly client: Client | null;
  /** The session to show; the newest of this folder unless given. */
  readonly sessionId: SessionId | null;
}

/** Ends when the person leaves; says what is to come in its place. */
export function showFullScreen({ files, environment, glyphs, client, sessionId }: FullScreen): Promise<'nothing' | 'demo'> {
  const screen = openScreen({ input: process.stdin, output: process.stdout, colours: !environment.NO_COLOR });
  let takeOff = installExitGuard(screen.close);
  return new Promise((resolve) => {
    const performer = createPerformer({
      screen,
      files,
      environment,
      client,
      pauseGuard() {
        takeOff();
        // Ctrl-c in the editor is the editor's.
        const ignore = (): void => undefined;
        process.on('SIGINT', ignore);
        process.on('SIGQUIT', ignore);
        return () => {
          process.off('SIGINT', ignore);
          process.off('SIGQUIT', ignore);
          takeOff = installExitGuard(screen.close);
        };
      },
      onLeave(next) {
        program.stop();
        performer.close();
        screen.close();
        takeOff();
        resolve(next);
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
