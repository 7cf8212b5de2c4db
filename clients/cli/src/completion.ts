// tt completion: scripts with which a shell completes commands, options and files.
import { print, UsageError } from '../../shared/src/terminal.ts';
import { globalOptions } from './global-options.ts';
import type { Command } from './command.ts';

const shells: Record<string, (commands: Record<string, Command>) => string> = { bash, zsh, fish };

/** Generated from the commands, so that none is missing. */
export function completionFor(commands: () => Record<string, Command>): Command {
  return {
    summary: 'Print the completion for bash, zsh or fish',
    help: `Usage: tt completion bash | zsh | fish

Prints a script that completes commands, options and files.

Examples:
  tt completion bash > ~/.local/share/bash-completion/completions/tt
  tt completion zsh > "\${fpath[1]}/_tt"
  tt completion fish > ~/.config/fish/completions/tt.fish`,
    options: {},
    choices: { '': Object.keys(shells) },

    async run({ positionals }) {
      const [shell = '', ...others] = positionals;
      const write = Object.hasOwn(shells, shell) && others.length === 0 ? shells[shell] : undefined;
      if (!write) throw new UsageError('name bash, zsh or fish');
      await print(write(commands()));
      return 0;
    },
  };
}

const flagsOf = ({ options }: Command): string[] =>
  Object.keys({ ...options, ...globalOptions }).map((name) => `--${name}`);

/** Each word after which there is a choice, and the choice: an option, or the command itself for its first argument. */
const choicesOf = (name: string, { choices = {} }: Command): [after: string, values: string][] =>
  Object.entries(choices).map(([option, values]) => [option === '' ? name : `--${option}`, values.join(' ')]);

function bash(commands: Record<string, Command>): string {
  const cases = Object.entries(commands)
    .map(([name, command]) => `    ${name}) flags="${flagsOf(command).join(' ')}" ;;`)
    .join('\n');
  const values = Object.entries(commands)
    .flatMap(([name, command]) =>
      choicesOf(name, command).map(([after, choice]) => `    "${name} ${after}") values="${choice}" ;;`),
    )
    .join('\n');
  return `_tt() {
  local word="\${COMP_WORDS[COMP_CWORD]}" flags="" values=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${Object.keys(commands).join(' ')} help" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases}
  esac
  case "\${COMP_WORDS[1]} \${COMP_WORDS[COMP_CWORD - 1]}" in
${values}
  esac
  COMPREPLY=()
  if [ -n "$values" ] && [[ "$word" != -* ]]; then COMPREPLY=($(compgen -W "$values" -- "$word"))
  elif [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$word")); fi
}
complete -o default -F _tt tt
`;
}

function zsh(commands: Record<string, Command>): string {
  const names = Object.entries(commands).map(([name, { summary }]) => `'${name}:${quoted(summary)}'`);
  const cases = Object.entries(commands)
    .map(([name, command]) => `    ${name}) flags=(${flagsOf(command).join(' ')}) ;;`)
    .join('\n');
  const values = Object.entries(commands)
    .flatMap(([name, command]) =>
      choicesOf(name, command).map(([after, choice]) => `    "${name} ${after}") values=(${choice}) ;;`),
    )
    .join('\n');
  return `#compdef tt
_tt() {
  local -a commands flags values
  commands=(${names.join(' ')})
  if (( CURRENT == 2 )); then _describe command commands; return; fi
  case $words[2] in
${cases}
  esac
  case "$words[2] $words[CURRENT-1]" in
${values}
  esac
  if (( $#values )) && [[ $words[CURRENT] != -* ]]; then compadd -- $values
  elif [[ $words[CURRENT] == -* ]]; then compadd -- $flags; else _files; fi
}
if [[ $funcstack[1] == _tt ]]; then _tt "$@"; else compdef _tt tt; fi
`;
}

function fish(commands: Record<string, Command>): string {
  const lines = Object.entries(commands).flatMap(([name, command]) => [
    `complete -c tt -n __fish_use_subcommand -f -a ${name} -d '${quoted(command.summary)}'`,
    ...flagsOf(command).map((flag) => {
      const choice = command.choices?.[flag.slice(2)];
      const values = choice ? ` -x -a '${choice.join(' ')}'` : '';
      return `complete -c tt -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}${values}`;
    }),
    ...(command.choices?.['']
      ? [`complete -c tt -n '__fish_seen_subcommand_from ${name}' -f -a '${command.choices[''].join(' ')}'`]
      : []),
  ]);
  return `${lines.join('\n')}\n`;
}

const quoted = (text: string): string => text.replaceAll("'", String.raw`'\''`);
