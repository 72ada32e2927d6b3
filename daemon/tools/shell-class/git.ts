/** What a git command would do, by its subcommand. */
import type { EffectClass } from '../../../shared/run.js';
import { hasOption, isOption, operands, type Argument } from './words.js';

const byName: Readonly<Record<string, EffectClass>> = {
  ...all(
    'safe',
    'status log diff show blame describe rev-parse rev-list ls-files ls-tree cat-file shortlog grep name-rev merge-base for-each-ref count-objects whatchanged reflog cherry help version var check-ignore diff-tree diff-index symbolic-ref',
  ),
  ...all(
    'local_write',
    'add commit mv init merge cherry-pick revert am apply format-patch bundle archive notes worktree switch sparse-checkout update-index write-tree commit-tree hash-object mktree pack-refs update-ref',
  ),
  ...all('network_egress', 'fetch pull clone push ls-remote remote submodule send-email request-pull svn p4'),
  ...all('code_execution', 'bisect hook filter-branch rebase difftool mergetool gui web--browse daemon'),
  ...all('destructive', 'filter-repo prune gc'),
};

function all(effectClass: EffectClass, names: string): Record<string, EffectClass> {
  return Object.fromEntries(names.split(' ').map((name) => [name, effectClass]));
}

/** Options that take a value, which is no subcommand. */
const withValue = new Set(['-C', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env', '--super-prefix']);

export function classOfGit(args: readonly Argument[]): EffectClass {
  let at = 0;
  while (at < args.length && isOption(args[at] as Argument)) {
    const { text } = args[at] as Argument;
    // `-c` can name a pager, an editor, a hook folder: it runs what it is told.
    if (text === '-c' || text.startsWith('-c') || text.startsWith('--exec-path=') || text.startsWith('--config-env'))
      return 'code_execution';
    at += withValue.has(text) ? 2 : 1;
  }
  const sub = args[at];
  if (sub === undefined) return 'safe';
  if (sub.isDynamic) return 'unknown';
  const rest = args.slice(at + 1);
  switch (sub.text) {
    case 'reset':
      return hasOption(rest, '--hard', '--merge', '--keep') ? 'destructive' : 'local_write';
    case 'clean':
      return hasOption(rest, '-n', '--dry-run') ? 'safe' : 'destructive';
    case 'checkout':
      return hasOption(rest, '-f', '--force') || rest.some(({ text }) => text === '--' || text === '.')
        ? 'destructive'
        : 'local_write';
    case 'restore':
      return hasOption(rest, '--staged', '-S') && !hasOption(rest, '--worktree', '-W') ? 'local_write' : 'destructive';
    case 'branch':
    case 'tag':
      if (hasOption(rest, '-D', '-d', '--delete', '-M', '-f', '--force')) return 'destructive';
      return operands(rest).length === 0 ? 'safe' : 'local_write';
    case 'stash':
      return /^(?:drop|clear)$/.test(operands(rest)[0]?.text ?? '')
        ? 'destructive'
        : operands(rest)[0]?.text === 'list'
          ? 'safe'
          : 'local_write';
    case 'rm':
      return hasOption(rest, '--cached') ? 'local_write' : 'destructive';
    case 'push':
      return hasOption(rest, '-f', '--force', '--force-with-lease', '--delete', '-d', '--mirror', '--prune') ||
        operands(rest).some(({ text }) => text.startsWith('+') || /^:./.test(text))
        ? 'destructive'
        : 'network_egress';
    case 'reflog':
      return /^(?:expire|delete)$/.test(operands(rest)[0]?.text ?? '') ? 'destructive' : 'safe';
    case 'worktree':
      return operands(rest)[0]?.text === 'remove' ? 'destructive' : operands(rest)[0]?.text === 'list' ? 'safe' : 'local_write';
    case 'remote':
      return operands(rest).length === 0
        ? 'safe'
        : /^(?:add|set-url|rename|remove)$/.test(operands(rest)[0]?.text ?? '')
          ? 'local_write'
          : 'network_egress';
    case 'config':
      return configClass(rest);
    case 'grep':
      return hasOption(rest, '-O', '--open-files-in-pager') ? 'code_execution' : 'safe';
    default:
      return byName[sub.text] ?? 'unknown';
  }
}

/** Settings run programs (hooks, pagers, aliases), and stay. */
function configClass(rest: readonly Argument[]): EffectClass {
  const reads =
    hasOption(rest, '-l', '--list', '--get', '--get-all', '--get-regexp', '--get-urlmatch') || operands(rest)[0]?.text === 'get';
  if (reads || operands(rest).length <= 1) return 'safe';
  return hasOption(rest, '--global', '--system') ||
    /hook|pager|editor|alias|fsmonitor|sshcommand|filter|driver|askpass/i.test(operands(rest)[0]?.text ?? '')
    ? 'persistence'
    : 'local_write';
}
