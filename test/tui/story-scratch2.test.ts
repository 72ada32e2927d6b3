import { expect, it } from 'vitest';
import * as m from '../../tui/core/rows.js';
it('x', () => { expect(Object.keys(m).length).toBeGreaterThan(0); });
