/** A text in the person's own editor. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type EditedText =
  | { readonly outcome: 'changed'; readonly text: string }
  | { readonly outcome: 'unchanged' }
  | { readonly outcome: 'failed'; readonly reason: string };

/** Waits until the editor (`VISUAL`, `EDITOR`, else vi) ends. What was written is not lost when it ends badly. */
export async function editText(text: string, { VISUAL, EDITOR }: NodeJS.ProcessEnv): Promise<EditedText> {
  const editor = VISUAL || EDITOR || 'vi';
  try {
    const path = keepText(text);
    const code = await runEditor(editor, path);
    const after = readFileSync(path, 'utf8').replace(/\n+$/, '');
    const isChanged = after !== text.replace(/\n+$/, '');
    if (code === 0 || !isChanged) rmSync(dirname(path), { recursive: true, force: true });
    if (code !== 0) {
      const kept = isChanged ? `\nWhat you wrote is in\n${path}` : '';
      return { outcome: 'failed', reason: `${editor} ended with ${code}: nothing was changed.${kept}` };
    }
    return isChanged ? { outcome: 'changed', text: after } : { outcome: 'unchanged' };
  } catch (error) {
    // No place for the file, or the editor took it away.
    return { outcome: 'failed', reason: `The text could not be edited with ${editor}: ${(error as Error).message}` };
  }
}

/** Puts a text in a new file that only its owner can look into. Its path. */
export function keepText(text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'cairn-edit-')), 'detail.md');
  writeFileSync(path, text === '' || text.endsWith('\n') ? text : `${text}\n`, { mode: 0o600 });
  return path;
}

/**
 * By a shell, as the variables may hold arguments; one that a Ctrl-c meant for the editor does not end. The exit code of the
 * editor, or the signal that ended it.
 */
function runEditor(editor: string, path: string): Promise<number | string> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', `trap : INT QUIT; ${editor} "$1"`, 'sh', path], { stdio: 'inherit' });
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'no exit code'));
  });
}
