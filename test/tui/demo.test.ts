import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseRecording } from '../../daemon/providers/recording.js';
import { unwrap } from '../../shared/errors.js';
import { tempFolder } from '../support/daemon.js';
import { runProgram } from '../support/program.js';
import { waitFor } from '../support/wait.js';
import { cairnEnvironment, cairnFile } from './tui-support.js';

const root = join(import.meta.dirname, '../..');

/** An environment whose temporary folder is the test's own, so that what is left there can be seen. */
async function surroundings(): Promise<{ env: NodeJS.ProcessEnv; temp: string }> {
  const temp = join(await tempFolder(), 'tmp');
  await mkdir(temp);
  return { temp, env: cairnEnvironment(join(temp, 'not-this-one'), { TMPDIR: temp }) };
}

describe('the demo', () => {
  it('runs a plan to its end with real tools and a real check, and leaves nothing', async () => {
    const { env, temp } = await surroundings();
    const { code, stdout, stderr } = await runProgram([cairnFile, 'demo', '--headless'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^The demo replays a recording: no model is asked\./);
    // The check is real: the first try does not pass it.
    expect(stdout).toMatch(/2\.2 Count the words of the sample {2}active[^]*try 2[^]*exited with 1[^]*✔ 2\.2 Count/);
    expect(stdout).toContain('running -> completed');
    const tree = stdout.slice(stdout.lastIndexOf('Goal:'));
    expect(tree).toMatch(/completed .* 6\/6/);
    expect(tree).not.toMatch(/[○▶]/);
    expect(await readdir(temp)).toEqual([]);
  });

  it('is what npm start does without a terminal', async () => {
    const { env } = await surroundings();
    const { code, stdout } = await runProgram([join(root, 'scripts/start.mjs')], { env });
    expect(stdout).toContain('running -> completed');
    expect(code).toBe(0);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing when %s ends it', async (signal) => {
    const { env, temp } = await surroundings();
    const demo = spawn(process.execPath, [cairnFile, 'demo'], { env: { ...env, CAIRN_REPLAY_SPEED: '1' } });
    onTestFinished(() => void demo.kill('SIGKILL'));
    const ended = new Promise<number | null>((resolve) => demo.once('close', resolve));
    let said = '';
    demo.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await waitFor('the plan to run', () => said.includes('Goal:'));
    const [folder = ''] = await readdir(temp);
    const { pid } = JSON.parse(await readFile(join(temp, folder, 'home/daemon.json'), 'utf8')) as { pid: number };
    demo.kill(signal);
    expect(await ended).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(await readdir(temp)).toEqual([]);
    await waitFor('its daemon to be gone', async () => /^Z|^$/.test(await stateOf(pid)));
  });

  it('plays a recording that this version reads', async () => {
    const path = join(root, 'tui/demo/recording.jsonl');
    expect(unwrap(parseRecording(await readFile(path, 'utf8'), path)).model).toBe('demo-recording');
  });
});

/** As `ps` shows it; empty when there is no such process. */
async function stateOf(pid: number): Promise<string> {
  const ps = spawn('ps', ['-o', 'stat=', '-p', String(pid)]);
  let state = '';
  for await (const chunk of ps.stdout) state += String(chunk);
  return state.trim();
}
