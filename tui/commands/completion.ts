import type { Command } from 'commander';
import { type Register, UsageError } from '../cli.js';

export const registerCompletion: Register = (program, cli) => {
  program
    .command('completion <shell>')
    .description('a completion script for bash, zsh or fish')
    .action((shell: string) => {
      const names = namesOf(program);
      if (shell === 'bash') return cli.print(bash(names));
      if (shell === 'zsh') return cli.print(`autoload -U +X bashcompinit && bashcompinit\n${bash(names)}`);
      if (shell === 'fish') return cli.print(...fish(program));
      throw new UsageError(`There is no completion for ${shell}: bash, zsh or fish.`);
    });
};

const namesOf = (command: Command): string[] => command.commands.map((each) => each.name());

const bash = (names: readonly string[]): string =>
  [
    '_cairn() {',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    COMPREPLY=($(compgen -W "${names.join(' ')}" -- "\${COMP_WORDS[1]}"))`,
    '  else',
    '    COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))',
    '  fi',
    '}',
    'complete -F _cairn cairn',
  ].join('\n');

const fish = (program: Command): string[] =>
  program.commands.map(
    (each) => `complete -c cairn -n __fish_use_subcommand -a ${each.name()} -d '${each.description().replaceAll("'", "\\'")}'`,
  );
