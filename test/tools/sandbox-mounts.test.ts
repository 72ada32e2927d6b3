/** The order of a sandbox's mounts: whatever lies in whatever, what is hidden stays hidden and the workspace is there. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { liesIn, mountArguments, type Mount } from '../../daemon/tools/sandbox/mounts.js';

/** What a command finds at a path: the kind of the last mount that covers it. */
function seenAt(path: string, args: readonly string[]): string {
  let seen = 'machine';
  for (let at = 0; at < args.length;) {
    const [option = '', first = '', second = ''] = args.slice(at);
    const target = option.endsWith('bind') ? second : first;
    if (option !== '--remount-ro' && liesIn(path, target)) seen = first === '/dev/null' ? '--tmpfs' : option;
    at += option.endsWith('bind') ? 3 : 2;
  }
  return seen;
}

const places = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 }).map((parts) => `/${parts.join('/')}`);
const mounts = fc.array(
  fc.record({
    path: places,
    kind: fc.constantFrom<Mount['kind']>('private', 'writable', 'readOnly', 'hidden'),
  }),
  { maxLength: 8 },
);

describe('the mounts of a sandbox', () => {
  it('hide what is hidden, in whatever order they are asked for', () => {
    fc.assert(
      fc.property(mounts, (wanted) => {
        const args = mountArguments(wanted);
        for (const { path } of wanted.filter(({ kind }) => kind === 'hidden')) expect(seenAt(path, args)).toBe('--tmpfs');
      }),
    );
  });

  it('give a workspace that lies in something hidden or private', () => {
    fc.assert(
      fc.property(mounts, places, (others, path) => {
        const args = mountArguments([{ path, kind: 'writable' }, ...others.filter((other) => other.path !== path)]);
        expect(seenAt(path, args)).toBe('--bind');
      }),
    );
  });

  it('close a hidden folder only when all mounts in it are made', () => {
    fc.assert(
      fc.property(mounts, (wanted) => {
        const args = mountArguments(wanted);
        const closed = args.indexOf('--remount-ro');
        if (closed >= 0) expect(args.slice(closed).filter((each) => /^--(?!remount-ro)/.test(each))).toEqual([]);
      }),
    );
  });
});

describe('a path lies in a folder', () => {
  it.each([
    ['/a/b', '/a', true],
    ['/a', '/a', true],
    ['/ab', '/a', false],
    ['/a', '/a/b', false],
    ['/a', '/', true],
  ])('%s in %s: %s', (path, folder, expected) => {
    expect(liesIn(path, folder)).toBe(expected);
  });
});
