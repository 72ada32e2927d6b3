import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { version } from '../../shared/version.js';

const read = (name: string): string => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');

interface Package {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

describe('the package', () => {
  const facts = JSON.parse(read('package.json')) as Package;

  it('has the version that its programs say', () => {
    expect(facts.version).toBe(version);
  });

  it('names exact versions, and its lock file no server', () => {
    const wanted = Object.entries({ ...facts.dependencies, ...facts.devDependencies });
    expect(wanted.filter(([, range]) => !/^\d+\.\d+\.\d+$/.test(range))).toEqual([]);
    expect(read('package-lock.json')).not.toContain('"resolved"');
  });
});
