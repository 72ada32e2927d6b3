/** Programs that run another command: what they are told to run is judged in their place, and by them as well. */
import type { EffectClass } from '../../../shared/run.js';
import { classByName } from './programs.js';
import { isOption, plain, type Argument } from './words.js';

export interface Wrapped {
  /** The wrapper's own class, whatever it runs. */
  readonly least: EffectClass;
  /** Commands as words. */
  readonly commands: readonly (readonly Argument[])[];
  /** Commands as text for a shell. */
  readonly scripts: readonly Argument[];
  /** It runs something that nobody can see here: a file, its input. */
  readonly isHidden: boolean;
}

const nothing: Wrapped = { least: 'safe', commands: [], scripts: [], isHidden: false };

/** Options of simple wrappers that take a value of their own. */
const valued: Readonly<Record<string, readonly string[]>> = {
  sudo: ['-u', '-g', '-h', '-p', '-C', '-r', '-t', '-T', '-U', '-D'],
  doas: ['-u', '-C'],
  env: ['-u', '-C', '--unset', '--chdir'],
  nice: ['-n'],
  ionice: ['-c', '-n', '-p'],
  timeout: ['-s', '-k', '--signal', '--kill-after'],
  stdbuf: ['-i', '-o', '-e'],
  xargs: ['-I', '-n', '-P', '-L', '-d', '-a', '-s', '-E'],
  watch: ['-n'],
  parallel: ['-j', '-I'],
  strace: ['-e', '-o', '-p'],
  flock: ['-w', '-E'],
  taskset: [],
  chrt: [],
  caffeinate: ['-t', '-w'],
};
/** Words before the command that are no options: a time, a mask, a lock file. */
const leading: Readonly<Record<string, number>> = { timeout: 1, taskset: 1, chrt: 1, flock: 1 };
const bare = new Set([
  'nohup',
  'setsid',
  'command',
  'builtin',
  'exec',
  'time',
  'unbuffer',
  'ltrace',
  'chronic',
  'ts',
  'busybox',
  'toybox',
]);
const shells = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'fish', 'rbash']);
/** Interpreters that take a program in their own language on the command line: it can be anything. */
const interpreters = new Set([
  'python',
  'python2',
  'python3',
  'node',
  'nodejs',
  'perl',
  'ruby',
  'php',
  'lua',
  'deno',
  'bun',
  'osascript',
  'pwsh',
  'powershell',
]);

export function unwrap(name: string, args: readonly Argument[]): Wrapped | null {
  if (shells.has(name)) return unwrapShell(args);
  if (name === 'eval') return { ...nothing, scripts: [joined(args)] };
  if (name === 'trap') return { ...nothing, scripts: args.filter((arg) => !isOption(arg)).slice(0, 1) };
  if (/^(?:docker|podman|nerdctl)$/.test(name)) return { ...nothing, commands: containerCommands(args) };
  if (name === 'source' || name === '.') return { ...nothing, least: 'code_execution', isHidden: args[0]?.isDynamic ?? true };
  if (name === 'find') return { ...nothing, commands: findCommands(args) };
  if (name === 'su') return { ...nothing, least: 'system_write', scripts: afterC(args), isHidden: afterC(args).length === 0 };
  if (name === 'ssh') return unwrapSsh(args);
  if (interpreters.has(name)) return null;
  if (bare.has(name)) return { ...nothing, commands: [skipOptions(args, [], 0)] };
  const own = valued[name];
  if (own === undefined) return null;
  const inner = skipOptions(args, own, leading[name] ?? 0);
  const least = name === 'sudo' || name === 'doas' ? 'system_write' : 'safe';
  if (name === 'watch' || name === 'parallel')
    return {
      ...nothing,
      least,
      scripts: inner.length > 0 ? [joined(inner)] : [],
      isHidden: inner.length === 0 && name === 'parallel',
    };
  return { ...nothing, least, commands: inner.length > 0 ? [inner] : [] };
}

function unwrapShell(args: readonly Argument[]): Wrapped {
  const scripts = afterC(args);
  if (scripts.length > 0) return { ...nothing, scripts };
  const file = args.find((arg) => !isOption(arg));
  // A file of the project is code like any other; without one the shell reads what it is fed.
  return file === undefined
    ? { ...nothing, isHidden: !args.some(({ text }) => text === '--version') }
    : { ...nothing, least: file.isDynamic ? 'unknown' : 'code_execution' };
}

/** The text behind `-c`, also behind `-lc`. */
function afterC(args: readonly Argument[]): Argument[] {
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*c$/.test(text) || text === '--command');
  const script = at < 0 ? undefined : args.slice(at + 1).find((arg) => !isOption(arg));
  return script === undefined ? [] : [script];
}

/** Options of ssh that take a value. */
const sshValued = [
  '-p',
  '-i',
  '-l',
  '-o',
  '-F',
  '-J',
  '-L',
  '-R',
  '-D',
  '-W',
  '-b',
  '-c',
  '-e',
  '-m',
  '-O',
  '-Q',
  '-S',
  '-w',
  '-E',
  '-B',
  '-I',
];

/** The host, then what is run there. */
export const sshWords = (args: readonly Argument[]): readonly Argument[] => skipOptions(args, sshValued, 0);

function unwrapSsh(args: readonly Argument[]): Wrapped {
  const words = sshWords(args);
  const remote = words.slice(1);
  return {
    ...nothing,
    least: remote.length > 0 ? 'system_write' : 'network_egress',
    scripts: remote.length > 0 ? [joined(remote)] : [],
  };
}

/** What is run in a container: the words after its image, as far as they can be told from options. */
function containerCommands(args: readonly Argument[]): (readonly Argument[])[] {
  const verb = args.findIndex(({ text }) => text === 'run' || text === 'exec');
  if (verb < 0) return [];
  const rest = args.slice(verb + 1);
  const first = rest.findIndex((arg, index) => index > 0 && classByName.has(arg.text.replace(/^.*\//, '')));
  return first < 0 ? [] : [rest.slice(first)];
}

/** What `-exec`, `-execdir`, `-ok` run, up to `;` or `+`. */
function findCommands(args: readonly Argument[]): Argument[][] {
  return args.flatMap(({ text }, index) => {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(text)) return [];
    const rest = args.slice(index + 1);
    const end = rest.findIndex((arg) => arg.text === ';' || arg.text === '+');
    return [end < 0 ? rest : rest.slice(0, end)];
  });
}

/** Drops the wrapper's own options, assignments and leading words; what is left is the command. */
function skipOptions(args: readonly Argument[], withValue: readonly string[], words: number): readonly Argument[] {
  let at = 0;
  while (at < args.length) {
    const { text } = args[at] as Argument;
    if (text === '--') {
      at += 1;
      break;
    }
    if (isOption(args[at] as Argument)) at += withValue.includes(text) ? 2 : 1;
    else if (/^[A-Za-z_]\w*=/.test(text)) at += 1;
    else break;
  }
  return args.slice(at + words);
}

const joined = (args: readonly Argument[]): Argument => ({
  ...plain(args.map(({ text }) => text).join(' ')),
  isDynamic: args.some(({ isDynamic }) => isDynamic),
});
