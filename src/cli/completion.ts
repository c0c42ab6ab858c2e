// `heddle completion bash|zsh|fish`: a script for the shell, made from the commands there are.
import { Argument, type Command } from 'commander';

interface CommandNames {
  readonly path: string;
  readonly words: string[];
}

/** Every command with the words that may follow it: its subcommands and options. */
export function completionWords(program: Command, path = ''): CommandNames[] {
  const visible = program.createHelp().visibleCommands(program);
  const options = program
    .createHelp()
    .visibleOptions(program)
    .flatMap((option) => (option.long ? [option.long] : []));
  const choices = program.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const own = { path, words: [...visible.map((command) => command.name()), ...choices, ...options] };
  return [
    own,
    ...visible
      .filter((command) => command.name() !== 'help')
      .flatMap((command) => completionWords(command, `${path} ${command.name()}`.trim())),
  ];
}

/** Whether files are offered as well: where there is nothing but options to choose from. */
const filesToo = (words: readonly string[]): boolean => words.every((word) => word.startsWith('-'));

const scripts: Record<string, (commands: readonly CommandNames[]) => string> = {
  bash: (commands) => `# Completion for heddle. Put this line into ~/.bashrc: source <(heddle completion bash)
_heddle() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) ;; *) path="\${path:+$path }\${COMP_WORDS[i]}" ;; esac
  done
  while :; do
    case "$path" in
${commands.map(({ path, words }) => `      "${path}") COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word")); return ;;`).join('\n')}
    esac
    [[ "$path" == *" "* ]] && path="\${path% *}" || path=""
  done
}
complete -o default -F _heddle heddle
`,
  zsh: (commands) => `#compdef heddle
# Completion for heddle. Put this line into ~/.zshrc: source <(heddle completion zsh)
_heddle() {
  local at="" i
  for ((i = 2; i < CURRENT; i++)); do
    [[ "\${words[i]}" == -* ]] || at="\${at:+$at }\${words[i]}"
  done
  while :; do
    case "$at" in
${commands.map(({ path, words }) => `      "${path}") compadd -- ${words.join(' ')}${filesToo(words) ? '; _files' : ''}; return ;;`).join('\n')}
    esac
    [[ "$at" == *" "* ]] && at="\${at% *}" || at=""
  done
}
compdef _heddle heddle
`,
  fish: (commands) => `# Completion for heddle. Save as ~/.config/fish/completions/heddle.fish
function __heddle_path
  set -l words (commandline -opc)
  set -l path
  for word in $words[2..-1]
    string match -q -- '-*' $word; or set -a path $word
  end
  echo "$path"
end
${commands
  .map(
    ({ path, words }) =>
      `complete -c heddle${filesToo(words) ? '' : ' -f'} -n 'test (__heddle_path) = "${path}"' -a "${words.filter((word) => !word.startsWith('-')).join(' ')}"${words
        .filter((word) => word.startsWith('--'))
        .map((word) => `\ncomplete -c heddle -n 'test (__heddle_path) = "${path}"' -l ${word.slice(2)}`)
        .join('')}`,
  )
  .join('\n')}
`,
};

/** Registers `heddle completion`. */
export function addCompletion(program: Command): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .description('print a completion script for a shell')
    .action((shell: string) => {
      process.stdout.write(scripts[shell]?.(completionWords(program)) ?? '');
    });
}
