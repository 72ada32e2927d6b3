/** The detail of an item in the person's own editor, and where it goes when something is in its way. */
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDaemon, tempFolder } from '../support/daemon.js';
import { asFound, type TerminalProgram } from '../support/terminal-program.js';
import { waitFor } from '../support/wait.js';
import { beginPlan, type Begun, ctrl, goal, itemsOf, openCairn } from './life-support.js';
import { newPlace } from './tui-support.js';

/** Shows itself, waits for a line, and puts it in the place of the text. */
const lineEditor = `echo 'the editor'; read -r line; printf '%s\\n' "$line" > "$1"`;

interface Editing extends Begun {
  readonly cairn: TerminalProgram;
  /** Where temporary files go. */
  readonly temp: string;
}

/** An environment in which this shell script is the editor, and temporary files go to `temp`. */
async function placeEditor(script: string): Promise<{ env: Record<string, string>; temp: string }> {
  const folder = await tempFolder();
  const [editor, temp] = [join(folder, 'my editor'), join(folder, 'tmp')];
  await mkdir(temp);
  await writeFile(editor, `#!/bin/bash\n${script}\n`);
  await chmod(editor, 0o755);
  return { temp, env: { VISUAL: `'${editor}'`, EDITOR: 'false', TMPDIR: temp } };
}

/** The screen on a plan, and the editor opened on the detail of its first item. */
async function openEditor(script: string, first: object = {}): Promise<Editing> {
  const { env, temp } = await placeEditor(script);
  const begun = await beginPlan({ session: { items: [{ title: 'Read the exporter', ...first }] } });
  const cairn = openCairn(begun, { env });
  await cairn.sees('Read the exporter');
  cairn.type('E');
  return { ...begun, cairn, temp };
}

const detailBecomes = (begun: Begun, detail: string | undefined): Promise<unknown> =>
  waitFor(`the detail to be ${detail}`, async () => (await itemsOf(begun))[0]?.detail === detail);

/** The texts that were kept, by their place. */
async function keptIn(temp: string): Promise<Record<string, string>> {
  const folders = (await readdir(temp)).filter((name) => name.startsWith('cairn-edit-'));
  const paths = folders.map((name) => join(temp, name, 'detail.md'));
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, await readFile(path, 'utf8')] as const)));
}

describe('the editor', () => {
  it('has the terminal to itself, and what was written in it is the detail', async () => {
    const editing = await openEditor(lineEditor, { detail: 'As it was.' });
    const { cairn, temp } = editing;
    await cairn.sees('the editor');
    expect(cairn.modes()).toEqual(asFound);
    expect(Object.values(await keptIn(temp))).toEqual(['As it was.\n']);
    cairn.type('q d x and more\r');
    await cairn.sees(goal);
    expect(cairn.modes().buffer).toBe('alternate');
    await detailBecomes(editing, 'q d x and more');
    expect(await keptIn(temp)).toEqual({});
    // No key was taken for one of the screen, and those that follow are.
    expect((await itemsOf(editing)).map(({ status }) => status)).toEqual(['pending']);
    cairn.type('d');
    await cairn.sees('1/1');
    cairn.type('q');
    expect(await cairn.end()).toBe(0);
  });

  it('that writes nothing changes nothing', async () => {
    const editing = await openEditor('true', { detail: 'As it was.' });
    const { cairn, daemon, sessionId } = editing;
    const { planVersion } = await daemon.call('session.get', { sessionId });
    await waitFor('the screen to be back', () => cairn.written().split('\u001b[?1049h').length === 3);
    cairn.type('d');
    await cairn.sees('1/1');
    expect(await daemon.call('session.get', { sessionId })).toMatchObject({ planVersion: planVersion + 1 });
    expect((await itemsOf(editing))[0]?.detail).toBe('As it was.');
  });

  it('that fails changes nothing, and it is told where the text is', async () => {
    const editing = await openEditor(`echo 'long thoughts' > "$1"; exit 1`);
    const { cairn, temp } = editing;
    await cairn.sees('ended with 1');
    const [[path, text] = ['', '']] = Object.entries(await keptIn(temp));
    expect(text).toBe('long thoughts\n');
    await cairn.sees(path);
    cairn.type('\r');
    await cairn.seesNoMore(path);
    expect((await itemsOf(editing))[0]?.detail).toBeUndefined();
  });

  it('that takes the file away is no reason to end', async () => {
    const { cairn } = await openEditor('rm "$1"');
    await cairn.sees('could not be edited');
    cairn.type('\rq');
    expect(await cairn.end()).toBe(0);
  });

  const trapping = `trap 'echo caught' INT; echo 'the editor'; read -r _; read -r line`;

  it('has Ctrl-c for itself', async () => {
    const editing = await openEditor(`${trapping}; echo "$line" > "$1"`);
    const { cairn } = editing;
    await cairn.sees('the editor');
    cairn.type(ctrl('c'));
    await cairn.sees('caught');
    cairn.type('first\rgone on\r');
    await cairn.sees(goal);
    await detailBecomes(editing, 'gone on');
  });

  it('has it in the demo as well', async () => {
    const { env, temp } = await placeEditor(trapping);
    const cairn = openCairn(await newPlace(), { args: ['demo'], env });
    await cairn.sees(/Goal:.* running/);
    cairn.type('E');
    await cairn.sees('the editor');
    cairn.type(ctrl('c'));
    await cairn.sees('caught');
    cairn.type('first\rgone on\r');
    await cairn.sees('Goal:');
    cairn.type('q');
    expect(await cairn.end()).toBe(0);
    expect((await readdir(temp)).filter((name) => name.startsWith('cairn-demo'))).toEqual([]);
  });

  it('is no hiding place from SIGTERM', async () => {
    const { cairn } = await openEditor(lineEditor);
    await cairn.sees('the editor');
    cairn.signal('SIGTERM');
    expect(await cairn.end()).toBe(143);
    expect(cairn.modes()).toEqual(asFound);
  });
});

describe('what was written', () => {
  it('while the daemon died is the detail when it is back', async () => {
    const editing = await openEditor(lineEditor);
    const { cairn, home, daemon, temp } = editing;
    await cairn.sees('the editor');
    await daemon.kill();
    cairn.type('written without it\r');
    await cairn.sees('goes out when it is back');
    await startDaemon(home);
    await cairn.sees('is back');
    await detailBecomes(editing, 'written without it');
    expect(await keptIn(temp)).toEqual({});
  });

  it('while the daemon died is kept in a file, if one leaves before it is back', async () => {
    const { cairn, daemon, temp } = await openEditor(lineEditor);
    await cairn.sees('the editor');
    await daemon.kill();
    cairn.type('written without it\r');
    await cairn.sees('goes out when it is back');
    cairn.type('q');
    await cairn.sees('Again to leave');
    cairn.type('q');
    expect(await cairn.end()).toBe(0);
    const [[path, text] = ['', '']] = Object.entries(await keptIn(temp));
    expect(text).toBe('written without it\n');
    expect(cairn.text().join('')).toContain(`What you wrote is in ${path}`);
  });

  it('about an item that somebody removed meanwhile is kept in a file', async () => {
    const editing = await openEditor(lineEditor);
    const { cairn, daemon, sessionId, temp } = editing;
    await cairn.sees('the editor');
    const [item] = await itemsOf(editing);
    if (item === undefined) throw new Error('the plan is empty');
    await daemon.call('plan.removeItem', { sessionId, itemId: item.id });
    cairn.type('about what is gone\r');
    await cairn.sees('somebody removed it');
    const [[path, text] = ['', '']] = Object.entries(await keptIn(temp));
    expect(text).toBe('about what is gone\n');
    await cairn.sees(path);
  });

  it('in a session that somebody deleted meanwhile is kept in a file', async () => {
    const { cairn, daemon, sessionId, temp } = await openEditor(lineEditor);
    await cairn.sees('the editor');
    await daemon.call('session.delete', { sessionId });
    cairn.type('about what is gone\r');
    await cairn.sees('What you wrote is in');
    expect(Object.values(await keptIn(temp))).toEqual(['about what is gone\n']);
  });
});
