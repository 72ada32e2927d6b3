/** Before any test: builds the programs as they are now, since tests start them as their user would. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export default function buildPrograms(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}
