/** Programs whose class depends on what they are told. */
import type { EffectClass } from '../../../shared/run.js';
import { classOfGit } from './git.js';
import { classOfWriting, isEverything } from './places.js';
import { hasOption, operands, type Argument } from './words.js';

type Rule = (args: readonly Argument[]) => EffectClass;

/** Worst of the class itself and of where it writes. */
const writing =
  (which: (args: readonly Argument[]) => readonly Argument[], least: EffectClass = 'local_write'): Rule =>
  (args) =>
    worst([least, ...which(args).map(classOfWriting)]);

const order: readonly EffectClass[] = [
  'safe',
  'local_write',
  'install',
  'network_egress',
  'code_execution',
  'system_write',
  'persistence',
  'unknown',
  'destructive',
  'blocked',
];

export const worst = (classes: readonly EffectClass[]): EffectClass =>
  classes.reduce<EffectClass>((a, b) => (order.indexOf(b) > order.indexOf(a) ? b : a), 'safe');

const last: (args: readonly Argument[]) => readonly Argument[] = (args) => operands(args).slice(-1);
/** Where `cp` and `mv` write: the folder that an option names, or the last word. */
const target = (args: readonly Argument[]): readonly Argument[] => {
  const named = afterOption(args, '-t', '--target-directory');
  return named.length > 0 ? named : last(args);
};
const sources = (args: readonly Argument[]): readonly Argument[] => {
  const named = new Set(afterOption(args, '-t', '--target-directory').map(({ text }) => text));
  return named.size > 0 ? operands(args).filter(({ text }) => !named.has(text)) : operands(args).slice(0, -1);
};
const sub = (args: readonly Argument[]): string => operands(args)[0]?.text ?? '';
const sql = (args: readonly Argument[]): EffectClass =>
  args.some(({ text }) => /\b(?:drop|truncate|delete\s+from|alter)\b/i.test(text)) ? 'destructive' : 'code_execution';

/** A package manager: what only looks, what installs, what publishes, and everything else runs the project's own scripts. */
const packages =
  (
    installs: RegExp,
    publishes = /^(?:publish|unpublish|login|deprecate|dist-tag|owner|yank)$/,
    looks = /^(?:ls|list|view|info|show|outdated|why|search|help|config|prefix|root|bin|--version|-v|audit|metadata|tree)$/,
  ): Rule =>
  (args) => {
    const name = sub(args) || (args[0]?.text ?? '');
    if (name === 'config' && /^(?:set|delete|edit)$/.test(operands(args)[1]?.text ?? '')) return 'persistence';
    if (looks.test(name)) return 'safe';
    if (installs.test(name)) return hasOption(args, '-g', '--global', '--system') ? 'system_write' : 'install';
    if (publishes.test(name)) return 'destructive';
    return 'code_execution';
  };
const npmInstalls = /^(?:i|in|install|ci|add|update|up|upgrade|dedupe|prune|uninstall|remove|rm|link|rebuild|audit-fix)$/;

export const programRules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ['git', classOfGit],
  [
    'rm',
    (args) =>
      operands(args).some(isEverything) && hasOption(args, '-r', '-R', '--recursive')
        ? 'blocked'
        : hasOption(args, '--no-preserve-root')
          ? 'blocked'
          : 'destructive',
  ],
  ['rmdir', () => 'destructive'],
  ['unlink', () => 'destructive'],
  [
    'dd',
    (args) =>
      worst([
        'destructive',
        ...args.flatMap(({ text, isDynamic }) =>
          text.startsWith('of=') ? [classOfWriting({ text: text.slice(3), isDynamic })] : [],
        ),
      ]),
  ],
  ['truncate', () => 'destructive'],
  [
    'chmod',
    (args) =>
      operands(args).slice(1).some(isEverything) && hasOption(args, '-R', '--recursive')
        ? 'blocked'
        : writing((a) => operands(a).slice(1))(args),
  ],
  [
    'chown',
    (args) => (operands(args).slice(1).some(isEverything) && hasOption(args, '-R', '--recursive') ? 'blocked' : 'system_write'),
  ],
  ['cp', writing(target)],
  ['mv', (args) => (sources(args).some(isEverything) ? 'blocked' : writing((all) => [...sources(all), ...target(all)])(args))],
  ['ln', writing(last)],
  ['install', writing(last)],
  ['mkdir', writing(operands)],
  ['touch', writing(operands)],
  ['tee', writing(operands)],
  ['mkfifo', writing(operands)],
  ['sed', sedRule],
  // A program of its own: only one that neither writes nor starts anything is plainly harmless.
  ['awk', (args) => (args.some(({ text }) => /[>|]|system\s*\(|getline|^-(?:f|i)/.test(text)) ? 'code_execution' : 'safe')],
  ['uniq', writing((args) => operands(args).slice(1), 'safe')],
  ['xxd', writing((args) => operands(args).slice(1), 'safe')],
  ['yq', (args) => (hasOption(args, '-i', '--inplace') ? 'local_write' : 'safe')],
  ['find', findRule],
  ['rg', (args) => (hasOption(args, '--pre', '--pre-glob') ? 'code_execution' : 'safe')],
  [
    'tar',
    (args) =>
      /^-?[a-zA-Z]*t/.test(args[0]?.text ?? '') || hasOption(args, '--list')
        ? 'safe'
        : args.some(({ text }) => /^--(?:to-command|checkpoint-action|use-compress-program|rsh-command)/.test(text))
          ? 'code_execution'
          : writing((a) => afterOption(a, '-C', '--directory'))(args),
  ],
  ['unzip', writing((a) => afterOption(a, '-d'))],
  ['sort', writing((a) => afterOption(a, '-o', '--output'), 'safe')],
  ['curl', (args) => worst(['network_egress', ...afterOption(args, '-o', '--output').map(classOfWriting)])],
  ['wget', (args) => worst(['network_egress', ...afterOption(args, '-O', '--output-document', '-P').map(classOfWriting)])],
  ['npm', packages(npmInstalls)],
  ['pnpm', packages(npmInstalls)],
  ['yarn', (args) => (args.length === 0 ? 'install' : packages(npmInstalls)(args))],
  ['bun', packages(npmInstalls)],
  ['cargo', packages(/^(?:install|add|update|fetch|uninstall|remove)$/)],
  ['go', packages(/^(?:get|install|mod)$/, /^$/, /^(?:list|version|env|doc|help|vet)$/)],
  ['gem', packages(/^(?:install|update|uninstall)$/, /^(?:push|yank)$/)],
  ['pip', packages(/^(?:install|uninstall|download)$/)],
  ['pip3', packages(/^(?:install|uninstall|download)$/)],
  ['uv', packages(/^(?:add|sync|pip|tool|remove|lock)$/)],
  ['poetry', packages(/^(?:add|install|update|remove|lock)$/)],
  ['apt', () => 'system_write'],
  ['apt-get', () => 'system_write'],
  ['dnf', () => 'system_write'],
  ['yum', () => 'system_write'],
  ['pacman', () => 'system_write'],
  ['apk', () => 'system_write'],
  ['dpkg', () => 'system_write'],
  ['rpm', () => 'system_write'],
  ['snap', () => 'system_write'],
  [
    'systemctl',
    (args) =>
      /^(?:status|show|list-.*|is-.*|cat|get-default)$/.test(sub(args))
        ? 'safe'
        : /^(?:enable|disable|mask|unmask|link|edit|set-default)$/.test(sub(args))
          ? 'persistence'
          : 'system_write',
  ],
  ['crontab', (args) => (hasOption(args, '-l') ? 'safe' : 'persistence')],
  [
    'kubectl',
    (args) =>
      /^(?:get|describe|logs|explain|version|top|api-resources|cluster-info|config)$/.test(sub(args))
        ? 'network_egress'
        : 'destructive',
  ],
  [
    'helm',
    (args) => (/^(?:list|status|get|show|search|template|lint|version)$/.test(sub(args)) ? 'network_egress' : 'destructive'),
  ],
  [
    'terraform',
    (args) =>
      /^(?:fmt|validate|version|show|output|graph|providers)$/.test(sub(args))
        ? 'safe'
        : /^(?:init|plan|get|refresh)$/.test(sub(args))
          ? 'network_egress'
          : 'destructive',
  ],
  [
    'tofu',
    (args) =>
      /^(?:fmt|validate|version|show|output)$/.test(sub(args))
        ? 'safe'
        : /^(?:init|plan)$/.test(sub(args))
          ? 'network_egress'
          : 'destructive',
  ],
  ['docker', containers],
  ['podman', containers],
  [
    'gh',
    (args) =>
      /\b(?:delete|close|merge|transfer|archive)\b/.test(
        operands(args)
          .map(({ text }) => text)
          .join(' '),
      )
        ? 'destructive'
        : 'network_egress',
  ],
  ['aws', cloud],
  ['gcloud', cloud],
  ['az', cloud],
  ['sqlite3', sql],
  ['psql', sql],
  ['mysql', sql],
  ['mongosh', (args) => (args.some(({ text }) => /drop|deleteMany|remove\(/.test(text)) ? 'destructive' : 'code_execution')],
  ['redis-cli', (args) => (/flush|del\b/i.test(args.map(({ text }) => text).join(' ')) ? 'destructive' : 'code_execution')],
  [
    'make',
    (args) =>
      args.some(({ text }) => /(?:^|-)(?:clean|distclean|uninstall|purge)$/.test(text))
        ? 'destructive'
        : hasOption(args, '-n', '--dry-run')
          ? 'safe'
          : 'code_execution',
  ],
  [
    'node',
    (args) =>
      args.length > 0 && args.every(({ text }) => /^(?:-v|--version|--help|-h)$/.test(text)) ? 'safe' : 'code_execution',
  ],
  [
    'python3',
    (args) =>
      args.length > 0 && args.every(({ text }) => /^(?:-V|--version|--help|-h)$/.test(text)) ? 'safe' : 'code_execution',
  ],
]);

function sedRule(args: readonly Argument[]): EffectClass {
  if (hasOption(args, '--in-place') || args.some(({ text }) => /^-[a-zA-Z]*i/.test(text))) {
    return writing((all) => operands(all).slice(1))(args);
  }
  // `e` starts a command, `w` writes a file: by itself, or as a flag of `s` with any delimiter.
  const runs = /(?:^|[;{}\s\d$/,])[ewW](?:\s|$)|s([^\w\s\\]).*?\1.*?\1[gip\d]*[ew]/;
  return args.some(({ text }) => runs.test(text) || /^(?:-f|--file)/.test(text)) ? 'code_execution' : 'safe';
}

function findRule(args: readonly Argument[]): EffectClass {
  const deletes = args.some(({ text }) => text === '-delete');
  if (deletes) return isEverything(operands(args)[0] ?? { text: '', isDynamic: false }) ? 'blocked' : 'destructive';
  const files = args.flatMap(({ text }, index) =>
    /^-(?:fprint|fls|fprintf|fprint0)$/.test(text) ? (args[index + 1] ?? []) : [],
  );
  return worst(['safe', ...files.map(classOfWriting)]);
}

function containers(args: readonly Argument[]): EffectClass {
  const verb = sub(args);
  if (/^(?:ps|images|logs|inspect|version|info|stats|top|port|diff|history|events)$/.test(verb)) return 'safe';
  if (/^(?:rm|rmi|prune|kill|down)$/.test(verb) || args.some(({ text }) => text === 'prune' || text === 'down'))
    return 'destructive';
  return /^(?:pull|push|login|search)$/.test(verb) ? 'network_egress' : 'system_write';
}

function cloud(args: readonly Argument[]): EffectClass {
  return args.some(({ text }) => /^(?:rm|rb|delete|terminate|destroy|remove|purge)(?:-|$)/.test(text) || text === '--delete')
    ? 'destructive'
    : 'network_egress';
}

/** The values of options that take one: `-o x`, `--output=x`. */
function afterOption(args: readonly Argument[], ...names: readonly string[]): Argument[] {
  return args.flatMap(({ text, isDynamic }, index) => {
    if (names.includes(text)) return args[index + 1] ?? [];
    const name = names.find((each) => each.startsWith('--') && text.startsWith(`${each}=`));
    return name === undefined ? [] : { text: text.slice(name.length + 1), isDynamic };
  });
}
