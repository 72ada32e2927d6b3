/**
 * Set-up on a fresh clone with nothing but Node: installs what the lock file says, builds what is older than its source.
 * Says on standard error what is being waited for, and nothing when nothing is to be done.
 */
// Only built-in modules here: it runs before anything is installed. And no newer syntax than old versions of Node can
// parse, so that they reach the sentence that refuses them.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
const oldestNode = 20;

setUp();

/** Brings dependencies and build up to date; ends the process with code 1 and a reason when that cannot be done. */
function setUp() {
  if (Number(process.versions.node.split('.')[0]) < oldestNode) {
    fail(`Cairn needs Node ${oldestNode} or newer; this is ${process.versions.node}.`);
  }
  if (isInstalled() && databaseFault() === null && isBuilt()) return;
  const release = takeTurn();
  try {
    // Asked again: whoever had the turn before may have done it.
    if (!isInstalled()) install();
    if (databaseFault() !== null) rebuildDatabase();
    if (!isBuilt()) build();
  } finally {
    release();
  }
}

/** Whether every package of the lock file is there in the locked version, leaving out those of other platforms. */
function isInstalled() {
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(join(root, 'node_modules/.package-lock.json'));
  if (wanted === null) fail('package-lock.json is missing or damaged: check it out again.');
  if (present === null) return false;
  return Object.entries(wanted).every(([path, { version, optional }]) => {
    if (path === '' || (optional && !(path in present))) return true;
    return path in present && present[path].version === version && existsSync(join(root, path, 'package.json'));
  });
}

function packagesOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return null;
  }
}

function install() {
  say('Installing dependencies (npm ci). The database driver may have to be compiled: one to two minutes, once.');
  // Also where NODE_ENV=production would leave out the compiler.
  if (!npm(['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])) {
    fail('npm ci failed; what it printed above says why. Compiling needs python3, make and a C++ compiler.');
  }
}

/** Why the database driver does not work here, or null: npm may skip install scripts, and Node may have been changed. */
function databaseFault() {
  try {
    const Database = require('better-sqlite3');
    new Database(':memory:').close();
    return null;
  } catch (error) {
    return error.message;
  }
}

function rebuildDatabase() {
  say('Building the database driver (better-sqlite3) for this version of Node: one to two minutes, once.');
  const built = npm(['rebuild', 'better-sqlite3', '--ignore-scripts=false', '--loglevel=error']);
  // In a process of its own: a driver that failed to load stays failed in this one.
  const works = spawnSync(process.execPath, ['-e', "new (require('better-sqlite3'))(':memory:').close()"], { cwd: root });
  if (!built || works.status !== 0) {
    fail(`better-sqlite3 cannot be loaded. Building it needs python3, make and a C++ compiler.\n${works.stderr}`);
  }
}

/** Whether both programs are newer than everything that they are made from. */
function isBuilt() {
  const outputs = ['dist/daemon.js', 'dist/cairn.js'].map((name) => modifiedAt(join(root, name)));
  const sources = ['shared', 'daemon', 'tui', 'scripts/build.mjs', 'package-lock.json'];
  return Math.min(...outputs) > Math.max(...sources.map((name) => newestIn(join(root, name))));
}

/** Folders count as well: removing a file changes nothing else. */
function newestIn(path) {
  const facts = statSync(path);
  if (!facts.isDirectory()) return facts.mtimeMs;
  return Math.max(facts.mtimeMs, ...readdirSync(path).map((name) => newestIn(join(path, name))));
}

function modifiedAt(path) {
  return existsSync(path) ? statSync(path).mtimeMs : 0;
}

function build() {
  say('Building.');
  const built = spawnSync(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root, stdio: ['ignore', 2, 2] });
  if (built.status !== 0) fail('The build failed; what it printed above says why.');
}

/** One set-up at a time in a checkout. A holder that died is passed over. Gives the function that ends the turn. */
function takeTurn() {
  const path = join(root, '.setup.lock');
  for (let told = false; ;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' });
      return () => rmSync(path, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`The set-up cannot write to ${root}: ${error.message}`);
    }
    if (!isAlive(holderOf(path))) rmSync(path, { force: true });
    else {
      if (!told) say('Waiting for another set-up in this checkout.');
      told = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
}

function holderOf(path) {
  try {
    return Number(readFileSync(path, 'utf8')) || process.pid;
  } catch {
    // Gone meanwhile: ours to take.
    return 0;
  }
}

function isAlive(pid) {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function npm(args) {
  // Standard output stays free for the program that comes after.
  const options = { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' };
  return spawnSync('npm', args, options).status === 0;
}

function say(text) {
  process.stderr.write(`cairn set-up: ${text}\n`);
}

function fail(text) {
  process.stderr.write(`cairn set-up: ${text}\n`);
  process.exit(1);
}
