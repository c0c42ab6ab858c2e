// `heddle user groups`: in which groups the resource manager finds a user.
import type { Command } from 'commander';
import { connect, talk } from './connection.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { printJson, printNote, printText } from './output.ts';

/** Registers `heddle user …`. */
export function addUser(program: Command): void {
  const user = program.command('user').description('what the cluster knows of users');
  withClusterOptions(user.command('groups').argument('[user...]', 'names (default: you)'))
    .description('say in which groups users are, for lists of access')
    .action(groups);
}

async function groups(names: readonly string[], flags: ClusterFlags): Promise<void> {
  const { cluster, user } = connect(flags);
  const found: { user: string; groups: readonly string[] }[] = [];
  for (const name of names.length > 0 ? names : [user]) found.push({ user: name, groups: await talk(() => cluster.groups(name)) });
  if (flags.json) return printJson(found);
  printText(found.map((one) => `${one.user} : ${one.groups.join(' ')}`.trimEnd().concat('\n')).join(''));
  for (const one of found)
    if (one.groups.length === 0) printNote(`heddle: note: the machine of the resource manager knows no groups of ${one.user}\n`);
}
