/** Bundles the two programs: a daemon that loads one file starts in half the time of one that loads three hundred. */
import { chmodSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A daemon that is still running from an earlier build loads its chunks when it first needs them. */
const oldChunksKeptMs = 7 * 24 * 3_600_000;

/** zod carries its messages in fifty languages; a program that speaks one need not compile the others at each start. */
const englishOnly = {
  name: 'english-only',
  setup(plugins) {
    plugins.onResolve({ filter: /locales\/index\.js$/ }, ({ importer, resolveDir }) =>
      importer.includes(join('node_modules', 'zod')) ? { path: join(resolveDir, '../locales/en.js') } : undefined,
    );
  },
};

await bundle();

async function bundle() {
  const { outputFiles } = await build({
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
    // What is native, and what finds its own files by their place.
    external: ['better-sqlite3', 'neo-blessed'],
    // Packages in the old module form ask for `require`.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    sourcemap: true,
    // Half the text to compile at each start; names stay, so that a stack can be read.
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [englishOnly],
    legalComments: 'none',
    logLevel: 'warning',
    write: false,
  });
  const isChunk = (path) => path.includes(join('dist', 'chunks'));
  // Entries last: whoever starts one meanwhile finds all that it imports.
  for (const { path, contents } of outputFiles.toSorted((a, b) => Number(isChunk(b.path)) - Number(isChunk(a.path)))) {
    writeWhole(path, contents);
  }
  chmodSync(join(root, 'dist/cairn.js'), 0o755);
  cpSync(join(root, 'tui/demo'), join(root, 'dist/demo'), { recursive: true });
  removeOldChunks(new Set(outputFiles.map(({ path }) => path)));
}

function writeWhole(path, contents) {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.new`;
  writeFileSync(temporary, contents);
  renameSync(temporary, path);
}

function removeOldChunks(current) {
  const folder = join(root, 'dist/chunks');
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (!current.has(path) && Date.now() - statSync(path).mtimeMs > oldChunksKeptMs) rmSync(path, { force: true });
  }
}
