import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { cell, code, pageHead, table } from './markdown.ts';

function describe(command: Command, path: string): string[] {
  const help = command.createHelp();
  const subcommands = help.visibleCommands(command).filter((one) => one.name() !== 'help');
  if (subcommands.length > 0) return subcommands.flatMap((one) => describe(one, `${path} ${one.name()}`));
  const usage = command.usage().replace(/^\[options\] ?/, '');
  const options = help.visibleOptions(command).filter((option) => option.long !== '--help');
  const rows = options.map((option) => [
    code(option.flags),
    cell(option.description),
    code(option.defaultValue === undefined ? '' : String(option.defaultValue)),
  ]);
  const args = help.visibleArguments(command).map((argument) => `- \`${argument.name()}\`: ${argument.description}`);
  return [
    `## ${path}\n`,
    `\`${path}${usage ? ` ${usage}` : ''}\`: ${command.description()}.\n`,
    ...(args.length > 0 ? [`${args.join('\n')}\n`] : []),
    ...(rows.length > 0 ? [table(['option', 'meaning', 'default'], rows)] : []),
  ];
}

/** Every command with its options. */
export async function commandsPage(): Promise<string> {
  const refuse = () => Promise.reject(new Error('nothing is started while the reference is written'));
  const program = await createProgram({ startRole: refuse, startRoleInThread: refuse, stores: refuse });
  return [
    pageHead(
      'Commands',
      'Exit codes: 0 when all went well, 2 for wrong usage, 1 for any other failure; `heddle run` ends with the code of its command, `heddle batch` with Hadoop’s: 2 where the input is missing, 3 for bad settings of the job, 4 where the output exists, 1 when the job failed.',
    ),
    ...describe(program, 'heddle'),
  ].join('\n');
}
