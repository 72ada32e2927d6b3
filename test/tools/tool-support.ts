/** Calls of the built-in tools on a real, new workspace. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtinTools, parseArguments } from '../../daemon/tools/tools.js';
import type { ToolContext, ToolResult } from '../../daemon/tools/tool.js';
import { makeFolder } from './command-support.js';

export interface ToolBench {
  readonly context: ToolContext;
  call(name: string, args: object, changes?: Partial<ToolContext>): Promise<ToolResult>;
  /** Writes a file of the workspace, with its folders; gives its path. */
  put(path: string, content: string | Buffer): string;
  inWorkspace(path: string): string;
}

export function makeToolBench(): ToolBench {
  const workspace = makeFolder();
  const context: ToolContext = {
    workspace,
    outputFolder: join(makeFolder(), 'outputs'),
    signal: new AbortController().signal,
    commands: { run: () => Promise.reject(new Error('no command is expected here')) },
    onOutput: () => undefined,
  };
  return {
    context,
    async call(name, args, changes = {}) {
      const tool = builtinTools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      const parsed = parseArguments(tool, JSON.stringify(args));
      if (!parsed.ok) throw new Error(parsed.error);
      return tool.run(parsed.value, { ...context, ...changes });
    },
    put(path, content) {
      const file = join(workspace, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
      return file;
    },
    inWorkspace: (path) => join(workspace, path),
  };
}
