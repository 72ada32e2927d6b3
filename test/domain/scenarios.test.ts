/** Each file in `test/scenarios` is a story of the state machine. `UPDATE_SCENARIOS=1` writes the outcomes: read them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playScenario } from './scenario-runner.js';

const folder = join(import.meta.dirname, '../scenarios');

describe('the state machine tells these stories', () => {
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.txt'))) {
    it(name.replace('.txt', '').replaceAll('-', ' '), () => {
      const path = join(folder, name);
      const written = readFileSync(path, 'utf8');
      const played = playScenario(written);
      if (process.env.UPDATE_SCENARIOS === '1') writeFileSync(path, played);
      expect(played).toBe(process.env.UPDATE_SCENARIOS === '1' ? played : written);
    });
  }
});
