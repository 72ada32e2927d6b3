/** How tools answer: a failure is a sentence that the model can act on. */
import type { ToolResult } from './tool.js';

export function succeed(content: string): ToolResult {
  return { ok: true, content };
}

export function fail(content: string): ToolResult {
  return { ok: false, content };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  ENOTDIR: 'has a file where a folder is expected',
  EISDIR: 'is a folder',
  EACCES: 'may not be accessed',
  EPERM: 'may not be changed',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'does not fit: no space is left',
  ENAMETOOLONG: 'has a name that is too long',
  ELOOP: 'is a symbolic link',
  ABORT_ERR: 'was not finished: the call was stopped',
};

/** A failed file operation as a result. What is no failure of the file system is a bug and thrown on. */
export function failOnFile(shown: string, error: unknown): ToolResult {
  const code = error instanceof Error && 'code' in error ? String(error.code) : null;
  if (code === null) throw error;
  return fail(`${shown} ${reasons[code] ?? `cannot be used (${code})`}.`);
}
