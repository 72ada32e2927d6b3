/** Bundles the two programs: a daemon that loads one file starts in half the time of one that loads three hundred. */
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
// Chunks of an earlier build would stay for ever.
rmSync(`${root}/dist/chunks`, { recursive: true, force: true });

await build({
  absWorkingDir: root,
  entryPoints: { daemon: 'daemon/main.ts', cairn: 'tui/main.ts' },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  // What only some runs need (the model's client, the OpenRPC document) stays in files of its own.
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external: ['better-sqlite3'],
  // Packages in the old module form ask for `require`.
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
  sourcemap: true,
  legalComments: 'none',
  logLevel: 'warning',
});
chmodSync(`${root}/dist/cairn.js`, 0o755);
