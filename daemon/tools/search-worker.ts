/**
 * Searches files for a regular expression in a thread of its own, which can be ended: an expression may take for ever,
 * and must not take the daemon with it. The thread's program is a text, so that it runs the same from source and from a
 * bundle.
 */
import { Worker } from 'node:worker_threads';

export interface Search {
  /** Absolute paths of regular files. */
  readonly files: readonly string[];
  readonly expression: RegExp;
  readonly mostMatches: number;
  /** Larger ones are skipped. */
  readonly largestFile: number;
  readonly timeLimitMs: number;
  readonly signal: AbortSignal;
}

export interface Match {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** The line, cut around the match when it is long. */
  readonly text: string;
}

export interface Found {
  readonly matches: readonly Match[];
  readonly skippedFiles: number;
  /** `limit`: there are more matches. */
  readonly ended: 'complete' | 'limit' | 'timed_out' | 'aborted' | 'failed';
}

type Message = { readonly matches: readonly Match[] } | { readonly ended: 'complete' | 'limit'; readonly skippedFiles: number };

/** Never rejects; what was found before a stop is given. */
export function searchFiles(search: Search): Promise<Found> {
  return new Promise((resolve) => {
    const matches: Match[] = [];
    const { files, expression, mostMatches, largestFile } = search;
    const worker = new Worker(program, {
      eval: true,
      workerData: { files, source: expression.source, flags: expression.flags, mostMatches, largestFile },
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 256 },
    });
    const end = (ended: Found['ended'], skippedFiles = 0): void => {
      clearTimeout(timer);
      search.signal.removeEventListener('abort', abort);
      void worker.terminate();
      resolve({ matches, skippedFiles, ended });
    };
    const abort = (): void => end('aborted');
    const timer = setTimeout(() => end('timed_out'), search.timeLimitMs);
    search.signal.addEventListener('abort', abort, { once: true });
    if (search.signal.aborted) abort();
    worker.on('message', (message: Message) => {
      if ('matches' in message) matches.push(...message.matches);
      else end(message.ended, message.skippedFiles);
    });
    worker.on('error', () => end('failed'));
    worker.on('exit', () => end('failed'));
  });
}

const program = `
'use strict';
const fs = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { files, source, flags, mostMatches, largestFile } = workerData;
const expression = new RegExp(source, flags);
const shownLength = 240;

function readText(file) {
  let descriptor;
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
    descriptor = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile() || stat.size > largestFile) return null;
    const bytes = fs.readFileSync(descriptor);
    return bytes.subarray(0, 8000).includes(0) ? null : bytes.toString('utf8');
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

function cut(text, at) {
  if (text.length <= shownLength) return text;
  const from = Math.max(0, at - 80);
  return (from > 0 ? '…' : '') + text.slice(from, from + shownLength) + (from + shownLength < text.length ? '…' : '');
}

function search() {
  let count = 0;
  let skippedFiles = 0;
  for (const file of files) {
    const text = readText(file);
    if (text === null) {
      skippedFiles += 1;
      continue;
    }
    const matches = [];
    let number = 0;
    const lines = text.split('\\n');
    // The newline at the end of a file ends its last line and begins none.
    if (lines.at(-1) === '') lines.pop();
    for (const raw of lines) {
      number += 1;
      const line = raw.endsWith('\\r') ? raw.slice(0, -1) : raw;
      const found = expression.exec(line);
      if (found === null) continue;
      if (count === mostMatches) {
        if (matches.length > 0) parentPort.postMessage({ matches });
        return { ended: 'limit', skippedFiles };
      }
      count += 1;
      matches.push({ file, line: number, text: cut(line, found.index) });
    }
    if (matches.length > 0) parentPort.postMessage({ matches });
  }
  return { ended: 'complete', skippedFiles };
}

parentPort.postMessage(search());
`;
