// `heddle completion bash|zsh|fish`: a script for the shell, made from the commands there are.
import { Argument, type Command, type Option } from 'commander';
import { knownOptions, optionsOfAll, takesKnown } from './completion-words.ts';

interface CommandNames {
  readonly path: string;
  readonly words: string[];
  /** Its arguments are known to the cluster. */
  readonly isAsked: boolean;
  readonly options: readonly Option[];
}

/** Every command with the words that may follow it: its subcommands and options. */
export function completionWords(program: Command, path = ''): CommandNames[] {
  const visible = program.createHelp().visibleCommands(program);
  const options = program
    .createHelp()
    .visibleOptions(program)
    .filter(({ long }) => long);
  const names = options.map(({ long = '' }) => long);
  const choices = program.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const own = { path, words: [...visible.map((command) => command.name()), ...choices, ...names], isAsked: takesKnown(program), options };
  return [
    own,
    ...visible
      .filter((command) => command.name() !== 'help')
      .flatMap((command) => completionWords(command, `${path} ${command.name()}`.trim())),
  ];
}

/** Whether files are offered as well: where there is nothing but options to choose from. */
const filesToo = (words: readonly string[]): boolean => words.every((word) => word.startsWith('-'));

/** Options that take a value, with what may stand there; `files`: a file; nothing: a word that nobody knows. */
type Values = ReadonlyMap<string, readonly string[] | 'files'>;

/** Whether the usage of an option says that a file or a folder stands there. */
const namesFile = ({ flags }: Option): boolean => /<(?:dir|files?|path|[A-Z]+=FILE)(?:\.\.\.)?>/.test(flags);

/** Those of all commands. A name that is a flag alone somewhere is left out. */
function valuesOfOptions(program: Command): Values {
  const options = optionsOfAll(program);
  const flags = new Set(options.filter(({ required }) => !required).map(({ long }) => long));
  const values = new Map<string, readonly string[] | 'files'>();
  for (const option of options) {
    const { long, argChoices = [] } = option;
    if (!long || flags.has(long)) continue;
    // What has choices for one command may be any word for another.
    const before = values.get(long);
    const own = namesFile(option) ? 'files' : argChoices;
    if (before === undefined || String(before) === String(own)) values.set(long, own);
    else values.set(long, before === 'files' || own === 'files' ? 'files' : []);
  }
  return values;
}

/** How each shell is told. `asked`: options whose values the cluster knows. */
type Script = (commands: readonly CommandNames[], asked: readonly string[], values: Values) => string;

/** A case of a shell for each option with choices, one for all that take files, and one for all that take anything else. */
function casesOf(values: Values, asked: readonly string[], choose: (words: string) => string, file: string, nothing: string): string {
  const others = [...values].filter(([option]) => !asked.includes(option));
  const chosen = others.flatMap(([option, words]) =>
    words === 'files' || words.length === 0 ? [] : [`    ${option}) ${choose(words.join(' '))}; return ;;`],
  );
  const all = (take: (words: readonly string[] | 'files') => boolean, then: string): string[] => {
    const named = others.filter(([, words]) => take(words)).map(([option]) => option);
    return named.length > 0 ? [`    ${named.join('|')}) ${then}return ;;`] : [];
  };
  return [...chosen, ...all((words) => words === 'files', file), ...all((words) => words.length === 0, nothing)].join('\n');
}

/** What fish offers behind an option. */
function fishValue(option: Option, asked: readonly string[]): string {
  if (!option.required) return '';
  if (option.argChoices) return ` -x -a "${option.argChoices.join(' ')}"`;
  if (asked.includes(option.long ?? '')) return " -x -k -a '(__heddle_known)'";
  return namesFile(option) ? ' -r -F' : ' -x';
}

const scripts: Record<string, Script> = {
  bash: (commands, asked, values) => `# Completion for heddle. Put this line into ~/.bashrc: source <(heddle completion bash)
_heddle_known() {
  local typed line="\${COMP_LINE:0:COMP_POINT}" found word
  read -ra typed <<< "$line"
  [[ "$line" == *" " ]] && typed+=("")
  word="\${typed[-1]}"
  # A colon parts words here: what stands before it in the word is there already.
  while IFS=$'\\t' read -r found _; do
    COMPREPLY+=("\${found#"\${word%"\${word##*:}"}"}")
  done < <("\${typed[0]}" complete -- "\${typed[@]:1}" 2>/dev/null)
}
_heddle() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path="" i
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    ${asked.join('|')}) _heddle_known; return ;;
${casesOf(values, asked, (words) => `COMPREPLY=($(compgen -W "${words}" -- "$word"))`, '', 'compopt +o default 2>/dev/null; ')}
  esac
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${COMP_WORDS[i]}" in -*) ;; *) path="\${path:+$path }\${COMP_WORDS[i]}" ;; esac
  done
  while :; do
    case "$path" in
${commands.map(({ path, words, isAsked }) => `      "${path}") COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$word"))${isAsked ? '; [[ "$word" == -* ]] || _heddle_known' : ''}; return ;;`).join('\n')}
    esac
    [[ "$path" == *" "* ]] && path="\${path% *}" || path=""
  done
}
complete -o default -F _heddle heddle
`,
  zsh: (commands, asked, values) => `#compdef heddle
# Completion for heddle. Put this line into ~/.zshrc: source <(heddle completion zsh)
_heddle_known() {
  local -a lines found about
  local line
  lines=("\${(@f)$("\${words[1]}" complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  for line in $lines; do
    [[ -n "$line" ]] || continue
    found+=("\${line%%$'\\t'*}")
    about+=("\${line/$'\\t'/  }")
  done
  (( $#found )) && compadd -l -d about -a found
}
_heddle() {
  local at="" i
  case "\${words[CURRENT-1]}" in
    ${asked.join('|')}) _heddle_known; return ;;
${casesOf(values, asked, (words) => `compadd -- ${words}`, '_files; ', '')}
  esac
  for ((i = 2; i < CURRENT; i++)); do
    [[ "\${words[i]}" == -* ]] || at="\${at:+$at }\${words[i]}"
  done
  while :; do
    case "$at" in
${commands.map(({ path, words, isAsked }) => `      "${path}") compadd -- ${words.join(' ')}${isAsked ? '; [[ "${words[CURRENT]}" == -* ]] || _heddle_known' : filesToo(words) ? '; _files' : ''}; return ;;`).join('\n')}
    esac
    [[ "$at" == *" "* ]] && at="\${at% *}" || at=""
  done
}
compdef _heddle heddle
`,
  fish: (commands, asked) => `# Completion for heddle. Save as ~/.config/fish/completions/heddle.fish
function __heddle_path
  set -l words (commandline -opc)
  set -l path
  for word in $words[2..-1]
    string match -q -- '-*' $word; or set -a path $word
  end
  echo "$path"
end
function __heddle_known
  set -l words (commandline -opc) (commandline -ct)
  $words[1] complete -- $words[2..-1] 2>/dev/null
end
${commands
  .map(({ path, words, isAsked, options }) => {
    // Behind the command itself come its arguments, of which there may be several.
    const at = isAsked ? `string match -qr -- "^${path}( |\\$)" (__heddle_path)` : `test (__heddle_path) = "${path}"`;
    const complete = `complete -c heddle -n '${at}'`;
    const plain = words.filter((word) => !word.startsWith('-')).join(' ');
    return [
      `complete -c heddle${filesToo(words) && !isAsked ? '' : ' -f'} -n '${at}' -a "${plain}"`,
      ...(isAsked ? [`${complete} -f -k -a '(__heddle_known)'`] : []),
      ...options.map((option) => `${complete} -l ${option.long?.slice(2)}${fishValue(option, asked)}`),
    ].join('\n');
  })
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
      process.stdout.write(scripts[shell]?.(completionWords(program), knownOptions(program), valuesOfOptions(program)) ?? '');
    });
}
