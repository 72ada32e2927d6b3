/**
 * Catches what the compiler lets through: promises that nobody waits for, forgotten cases, and imports against the
 * direction of the layers.
 */
import js from '@eslint/js';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** Port files: what a room shows to the others. */
const storePort = ['store/store.ts', 'store/queries.ts'];

/**
 * What each room of the daemon may import, besides itself, `shared/`, `domain/` and `clock.ts`. All the rest of the daemon
 * is closed to it; `app.ts` and `daemon.ts`, which wire the parts, import every room and are imported by none.
 */
const rooms = {
  store: [],
  secrets: [],
  workspace: [],
  providers: ['secrets/redactor.ts'],
  missions: [...storePort, 'providers/provider.ts', 'tools/tool.ts'],
  tools: ['providers/provider.ts', 'secrets/redactor.ts'],
  agent: [
    ...storePort,
    'executors/executor.ts',
    'missions/attention-tool.ts',
    'missions/mission-tool.ts',
    'missions/report-tool.ts',
    'providers/provider.ts',
    'runner/approvals.ts',
    'runner/run-publisher.ts',
    'tools/tool.ts',
  ],
  executors: [
    ...storePort,
    'agent/agent-loop.ts',
    'agent/args-digest.ts',
    'agent/prompts.ts',
    'agent/untrusted.ts',
    'missions/mission-tool.ts',
    'missions/profiles.ts',
    'runner/approvals.ts',
    'runner/run-publisher.ts',
    'runner/shown-command.ts',
    'tools/tool.ts',
  ],
  runner: [
    ...storePort,
    'store/dispatcher.ts',
    'agent/agent-loop.ts',
    'agent/budget.ts',
    'agent/planner-prompts.ts',
    'agent/prompts.ts',
    'agent/untrusted.ts',
    'executors/executor.ts',
    'missions/mission-tool.ts',
    'missions/profiles.ts',
    'providers/provider.ts',
    'secrets/redactor.ts',
    'tools/tool.ts',
    'workspace/file-snapshot.ts',
  ],
  rpc: [...storePort, 'runner/commands.ts', 'runner/publisher.ts'],
};

const wiring = ['./daemon/app.ts', './daemon/daemon.ts', './daemon/main.ts'];
const parts = [
  'attempt',
  'clock',
  'config',
  'config-file',
  'events-file',
  'home',
  'lock',
  'log',
  'model',
  'policies',
  'project-settings',
].map((name) => `./daemon/${name}.ts`);

const layers = [
  { target: './shared', from: ['./daemon', './tui'], message: 'shared/ knows neither program.' },
  { target: './tui', from: './daemon', message: 'The client reaches the daemon through shared/client.ts only.' },
  { target: './daemon', from: './tui', message: 'The daemon knows no client.' },
  {
    target: ['./shared', './daemon', './tui'],
    from: ['./test', './scripts'],
    message: 'What ships knows neither tests nor scripts.',
  },
  { target: './tui/core', from: './tui', except: ['./core'], message: 'tui/core is pure: it knows shared/ only.' },
  { target: './daemon/domain', from: './daemon', except: ['./domain'], message: 'The domain is pure: it knows shared/ only.' },
  { target: './daemon/clock.ts', from: './daemon', message: 'The clock knows nothing.' },
  { target: parts, from: wiring, message: 'Nothing imports what wires the parts.' },
  { target: './daemon/app.ts', from: wiring.slice(1), message: 'app.ts is wired by daemon.ts, which main.ts starts.' },
  { target: './daemon/daemon.ts', from: './daemon/main.ts', message: 'daemon.ts is started by main.ts.' },
  ...Object.entries(rooms).map(([room, ports]) => ({
    target: `./daemon/${room}`,
    from: './daemon',
    except: [room, 'domain', 'clock.ts', ...ports].map((path) => `./${path}`),
    message: `daemon/${room} may import the ports that eslint.config.js lists for it.`,
  })),
];

const pureFolders = ['shared/**/*.ts', 'daemon/domain/**/*.ts', 'tui/core/**/*.ts'];
const impureGlobals = [
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'process',
  'crypto',
  'fetch',
];
const blessed = { name: 'neo-blessed', message: 'Only the screen knows blessed: tui/screen.ts and tui/screen/.' };
/** Reading a given time (`Date.parse`) is pure; `clocksAndDice` keeps the clock out. */
const oneDoor = 'Time and randomness come in from daemon/clock.ts.';

const clocksAndDice = [
  { selector: "MemberExpression[object.name='globalThis']", message: oneDoor },
  { selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']", message: oneDoor },
  { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: oneDoor },
  { selector: "CallExpression[callee.name='Date']", message: oneDoor },
  { selector: "MemberExpression[object.name='Math'][property.name='random']", message: oneDoor },
];
const environment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: 'The environment is read in the main files and handed on.',
};

export default tseslint.config(
  { ignores: ['dist/', 'coverage/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: { process: 'readonly', URL: 'readonly', Atomics: 'readonly', SharedArrayBuffer: 'readonly' } },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver({ project: 'tsconfig.json' })] },
    rules: {
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones: layers }],
      'import-x/no-cycle': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // Ports are objects of closures: none of their methods uses `this`, and parts are handed on one by one.
      '@typescript-eslint/unbound-method': 'off',
      // Takes a variable that a closure changes for constant.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
    },
  },
  {
    files: ['shared/**/*.ts', 'daemon/**/*.ts', 'tui/**/*.ts'],
    rules: { 'max-lines': ['error', { max: 300, skipBlankLines: true, skipComments: true }] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      // `expect.any` is of any type, stand-ins for asynchronous parts need not wait, and terminals are told by escapes.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/require-await': 'off',
      'no-control-regex': 'off',
    },
  },
  { files: ['shared/**/*.ts', 'daemon/**/*.ts'], rules: { 'no-console': 'error' } },
  {
    files: ['daemon/**/*.ts'],
    // Git is given the person's own PATH and home.
    ignores: ['daemon/main.ts', 'daemon/workspace/**'],
    rules: { 'no-restricted-syntax': ['error', ...clocksAndDice, environment] },
  },
  { files: ['daemon/workspace/**/*.ts'], rules: { 'no-restricted-syntax': ['error', ...clocksAndDice] } },
  // The door itself.
  { files: ['daemon/clock.ts'], rules: { 'no-restricted-syntax': 'off' } },
  // One table, in which things are looked up.
  { files: ['shared/contract.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['**/*.ts'],
    // The benchmark measures its widgets against ours.
    ignores: ['tui/screen.ts', 'tui/screen/**/*.ts', 'scripts/bench/widgets.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [blessed] }] },
  },
  {
    files: pureFolders,
    rules: {
      'no-restricted-globals': ['error', ...impureGlobals.map((name) => ({ name, message: 'This folder is pure.' }))],
      'no-restricted-syntax': ['error', ...clocksAndDice, environment],
      'no-restricted-imports': [
        'error',
        { paths: [blessed], patterns: [{ group: ['node:*'], message: 'This folder is pure.' }] },
      ],
    },
  },
);
