/** Which calls of a turn may run side by side. */
import type { CallSubject } from '../tools/tool.js';

export interface WavedCall {
  readonly tool: { readonly writes: boolean };
  readonly subject: CallSubject;
}

/** Calls in waves: within one nothing touches the same path, and a command has its wave for itself among writers. */
export function wavesOf<C extends WavedCall>(calls: readonly C[]): C[][] {
  const waves: C[][] = [];
  let paths = new Map<string, boolean>();
  for (const call of calls) {
    const { tool, subject } = call;
    const path = subject.command === undefined ? (subject.path ?? '') : '*';
    const clash = [...paths].some(
      ([other, writes]) => (tool.writes || writes) && (path === '*' || other === '*' || other === path),
    );
    if (clash || waves.length === 0) {
      waves.push([call]);
      paths = new Map([[path, tool.writes]]);
    } else {
      waves.at(-1)?.push(call);
      paths.set(path, tool.writes || paths.get(path) === true);
    }
  }
  return waves;
}
