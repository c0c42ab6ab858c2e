// The command line: which commands there are. Each lies in a file of its own, named by its noun.
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { systemErrorText } from '../lib/system-error.ts';
import { closedOutputFarewell } from './closed-output.ts';
import { takeExitCode } from './exit-code.ts';
import { CommandFailure, describeFailure } from './failure.ts';
import type { RoleHost } from './host.ts';
import { printNote, printTablesWhole } from './output.ts';
import { addStart } from './start.ts';
import { addUp } from './up.ts';
import { calledHere, leadOn } from './words-of-others.ts';

/** The program with all its commands; `args` are what it is to run, where that is known. */
export async function createProgram(host: RoleHost, args: readonly string[] = []): Promise<Command> {
  const [wanted] = args;
  const onlyVersion = wanted === '--version' || wanted === '-V';
  const program = new Command('heddle');
  program
    .description("A cluster resource manager that speaks YARN's REST interfaces.")
    .version(version(), '-V, --version', 'print the version')
    .showHelpAfterError('Run the command with --help to see how it is used.')
    .showSuggestionAfterError()
    .configureHelp({ sortSubcommands: false })
    .configureOutput({
      outputError: (text, write) =>
        write(`${text.replace(/^error: /, 'heddle: ')}${inOurWords(text, args)}${nextStep(text, args, program)}`),
    })
    .exitOverride()
    .hook('preAction', (_program, command) => {
      refuseMissing(command);
      if (command.opts()['wide'] === true) printTablesWhole();
    });
  addUp(program, host);
  addStart(program, host);
  // Starting a cluster needs none of the other commands.
  if (wanted !== 'up' && wanted !== 'start' && !onlyVersion) {
    if (!process.stdout.listeners('error').includes(outputFailed)) process.stdout.on('error', outputFailed);
    const { addClientCommands } = await import('./client-commands.ts');
    await addClientCommands(program, host, args);
    arrangeHelp(program);
  }
  refuseSwallowedOptions(program);
  return program;
}

/** A line for those who call a command as another tool does. */
function inOurWords(fault: string, args: readonly string[]): string {
  if (!/^error: (?:unknown (?:command|option)|too many arguments)/.test(fault)) return '';
  const called = calledHere(args);
  const further = called === undefined ? leadOn(args) : `Here that is "heddle ${called}".`;
  return further === undefined ? '' : `  ${further}\n`;
}

/** What shows the names there are, for who left one out. */
const shownBy: Readonly<Record<string, string>> = {
  application: '"heddle app list" shows the applications there are.',
  container: '"heddle app containers ID" shows those of an application, with --all also those that ended.',
  job: '"heddle job list" shows the jobs there are.',
  node: '"heddle node list" shows the nodes there are.',
  queue: '"heddle queue list" shows the queues there are.',
};

/** The word `help` before a command stands for `--help` behind it. */
const withoutHelp = (args: readonly string[]): readonly string[] =>
  args.filter((word, at) => word !== 'help' || at !== args.indexOf('help'));

/** The command that the first words name, and these words. */
function commandOf(program: Command, args: readonly string[]): { readonly at: Command; readonly names: readonly string[] } {
  let at = program;
  const names: string[] = [];
  for (const word of args) {
    const below = at.commands.find((command) => command.name() === word || command.aliases().includes(word));
    if (!below) break;
    at = below;
    names.push(word);
  }
  return { at, names };
}

/** `help app list` and `app help list` are asked as `app list --help`; a command that there is not is refused as where it is called. */
function helpAsOption(program: Command, args: readonly string[]): readonly string[] {
  const position = args.indexOf('help');
  const before = commandOf(program, args);
  if (position < 0 || before.names.length !== position || before.at.commands.length === 0) return args;
  const asked = withoutHelp(args);
  const { at, names } = commandOf(program, asked);
  const [unknown] = asked.slice(names.length);
  const isUnknown = at.commands.length > 0 && unknown !== undefined && unknown !== 'help' && !unknown.startsWith('-');
  return isUnknown ? [...names, unknown] : [...names, '--help'];
}

/** Which commands there are where another was named, and where the parameters of another program begin. */
function nextStep(fault: string, args: readonly string[], program: Command): string {
  const { at, names: path } = commandOf(program, withoutHelp(args));
  const words = path.join(' ');
  if (fault.startsWith('error: unknown command') && at !== program)
    return `  "heddle ${words}" has ${at.commands.map((command) => command.name()).join(', ')}.\n`;
  if (/^error: (?:too many arguments|missing required argument)/.test(fault)) {
    const shown = shownBy[/^error: missing required argument '(\w+)'/.exec(fault)?.[1] ?? ''];
    return `  It is called as heddle ${words} ${at.usage()}\n${shown === undefined ? '' : `  ${shown}\n`}`;
  }
  const names = at.registeredArguments.map((argument) => argument.name());
  if (!fault.startsWith('error: unknown option') || fault.includes('Did you mean') || names.at(-1) !== 'command' || args.includes('--'))
    return '';
  const before = names.slice(0, -1).map((name) => ` ${name.toUpperCase()}`);
  return `  What belongs to the command stands behind --: heddle ${words}${before.join('')} -- COMMAND\n`;
}

/** Parameters of other programs, and commands of which there need not be one. */
const mayBeEmpty: ReadonlySet<string> = new Set(['command', 'words', 'mapper', 'reducer']);

/** No label is the nodes that have none. */
const optionsThatMayBeEmpty: ReadonlySet<string> = new Set(['label', 'combiner', 'D']);

/**
 * Refuses options in whose place of a value the next option stands: that comes of a variable that is not set and not quoted. It is said as soon as that
 * is read, for what the other option takes would be found to be too much. @throws CommandFailure, while a command line is read
 */
function refuseSwallowedOptions(command: Command): void {
  for (const option of command.options)
    if (option.required)
      command.on(`option:${option.name()}`, (taken: unknown) => {
        if (command.options.some(({ long }) => long === taken))
          throw new CommandFailure(
            `${option.long ?? option.flags} has no value: what follows is the option ${String(taken)}`,
            'Give it one, or leave it away.',
            2,
          );
      });
  for (const below of command.commands) refuseSwallowedOptions(below);
}

/** An empty name or id comes of a variable that is not set, and would stand for nothing, or for all there are. @throws CommandFailure */
function refuseMissing(command: Command): void {
  const { registeredArguments, args, options } = command;
  for (const option of options) {
    const name = option.attributeName();
    const given: unknown = command.getOptionValue(name);
    const isEmpty = given === '' || (Array.isArray(given) && given.includes(''));
    if (command.getOptionValueSource(name) !== 'cli') continue;
    if (isEmpty && !optionsThatMayBeEmpty.has(name))
      throw new CommandFailure(`${option.long ?? option.flags} is empty`, 'Give it a value, or leave it away.', 2);
  }
  for (const [index, argument] of registeredArguments.entries()) {
    const given = argument.variadic ? args.slice(index) : args.slice(index, index + 1);
    if (given.includes('') && !mayBeEmpty.has(argument.name()))
      throw new CommandFailure(`${argument.name()} is empty`, 'Run the command with --help to see how it is used.', 2);
  }
}

/** What belongs together in `heddle --help`; what is named nowhere stands last. */
const helpGroups: Readonly<Record<string, readonly string[]>> = {
  'A cluster on this machine:': ['up', 'start', 'status', 'down'],
  'Running something:': ['run', 'batch', 'schedule', 'simulate'],
  'Looking, and changing:': [
    ...['app', 'container', 'job', 'node', 'label', 'queue', 'reservation', 'user'],
    ...['cluster', 'top', 'events', 'timeline'],
  ],
  'Operating:': ['config', 'context', 'admin', 'server', 'token', 'secret', 'webhook', 'doctor', 'backup', 'restore'],
};

const beginning = `
To begin: "heddle up" starts a cluster, "heddle run -- echo hello" in another terminal runs something on it.
"heddle COMMAND --help" says more of each; a command without --cluster finds the cluster of this machine.`;

function arrangeHelp(program: Command): void {
  const groupOf = new Map(Object.entries(helpGroups).flatMap(([heading, names]) => names.map((name) => [name, heading] as const)));
  const others = 'Further:';
  for (const command of program.commands) command.helpGroup(groupOf.get(command.name()) ?? others);
  program.commandsGroup(others).helpCommand('help [command]', 'say how a command is used');
  program.addHelpText('after', beginning);
}

/** Whoever reads only the beginning (`| head`) is not a failure; a disk that is full is one. */
function outputFailed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') {
    const sentence = closedOutputFarewell();
    if (sentence !== undefined) printNote(`heddle: ${sentence}\n`);
    process.exit(0);
  }
  printNote(`heddle: what was to be printed cannot be written: ${systemErrorText(error)}\n`);
  process.exit(1);
}

function version(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string };
  return version;
}

/** Arguments that may be those of Hadoop’s client. @throws CommandFailure */
async function batchArguments(args: readonly string[]): Promise<readonly string[]> {
  const [{ streamingArguments }, { checkFiles }] = await Promise.all([import('./streaming-arguments.ts'), import('./files.ts')]);
  return streamingArguments(args, checkFiles);
}

/** Runs one command. Resolves with the exit code: 0, 1 for a failure, 2 for wrong usage, or what the command says. */
export async function runCommandLine(args: readonly string[], host: RoleHost): Promise<number> {
  const program = await createProgram(host, args);
  try {
    if (args.length === 0) {
      program.outputHelp();
      return 2;
    }
    const asked = args[0] === 'batch' && args[1] !== 'help' ? await batchArguments(args) : helpAsOption(program, args);
    await program.parseAsync(asked as string[], { from: 'user' });
    return takeExitCode() ?? 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { text, exitCode } = describeFailure(error);
    printNote(`${text}\n`);
    // A command that compares has said before with what it ends when it cannot.
    return takeExitCode() ?? exitCode;
  }
}
