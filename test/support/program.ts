/** A program run to its end, as a person or a script would run it. */
import { spawn } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Node with these arguments; standard input is `input`, or empty. */
export function runProgram(
  args: readonly string[],
  { env, cwd, input = '' }: { env: NodeJS.ProcessEnv; cwd?: string; input?: string },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env, stdio: 'pipe', ...(cwd === undefined ? {} : { cwd }) });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    // A program that ends without reading its input closes it.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
