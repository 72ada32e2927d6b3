import { describe, expect, it } from 'vitest';
import { createLocalDispatcher } from '../../daemon/runner/local-dispatcher.js';
import { createWorkspaceLock } from '../../daemon/runner/workspace-lock.js';
import type { SessionId } from '../../shared/plan.js';
import { waitFor } from '../support/wait.js';

const ignore = (): void => undefined;

describe('the lock on a workspace', () => {
  it.each([
    ['/a/b', '/a/b', true],
    ['/a/b', '/a/b/c', true],
    ['/a/b/c', '/a/b', true],
    ['/a/b', '/a/bc', false],
    ['/a/b', '/a/c', false],
    ['/', '/a', true],
  ])('%s and %s conflict: %s', (one, other, conflict) => {
    const lock = createWorkspaceLock();
    lock.take(one, 'one', ignore);
    expect(lock.take(other, 'two', ignore) === null).toBe(conflict);
  });

  it('tells whoever found it taken, once, when it is free', () => {
    const lock = createWorkspaceLock();
    const told: string[] = [];
    const release = lock.take('/a', 'one', ignore);
    lock.take('/a/b', 'two', () => told.push('two'));
    lock.take('/z', 'three', () => told.push('three'));
    expect([lock.contended('/a'), lock.contended('/z'), lock.holderOf('/a/b')]).toEqual([true, false, 'one']);
    release?.();
    release?.();
    expect(told).toEqual(['two']);
    expect(lock.take('/a/b', 'two', ignore)).not.toBeNull();
  });
});

describe('the slots', () => {
  const id = (name: string): SessionId => name as SessionId;

  it('are given in the order of waking, never more at once, and one session never twice', async () => {
    const dispatcher = createLocalDispatcher(2, ignore);
    const gates = new Map<string, () => void>();
    const begun: string[] = [];
    dispatcher.start((sessionId) => {
      begun.push(sessionId);
      return new Promise((resolve) => gates.set(sessionId, resolve));
    });
    for (const name of ['a', 'b', 'c', 'a', 'c']) dispatcher.wake(id(name));
    await waitFor('two to begin', () => begun.length === 2);
    expect([begun, dispatcher.contended()]).toEqual([['a', 'b'], true]);
    gates.get('a')?.();
    await waitFor('the third', () => begun.length === 3);
    expect(begun).toEqual(['a', 'b', 'c']);
    gates.get('b')?.();
    // Woken while it was driven: it is looked at once more.
    await waitFor('the first again', () => begun.length === 4);
    expect(begun[3]).toBe('a');
    for (const open of gates.values()) open();
    await dispatcher.stop();
  });

  it('are freed by a handler that throws', async () => {
    const bugs: unknown[] = [];
    const dispatcher = createLocalDispatcher(1, (error) => bugs.push(error));
    const begun: string[] = [];
    dispatcher.start((sessionId) => {
      begun.push(sessionId);
      return sessionId === 'bad' ? Promise.reject(new Error('bug')) : Promise.resolve();
    });
    dispatcher.wake(id('bad'));
    dispatcher.wake(id('good'));
    await waitFor('the other one', () => begun.includes('good'));
    expect(bugs).toHaveLength(1);
    await dispatcher.stop();
  });
});
