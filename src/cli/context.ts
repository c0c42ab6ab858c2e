// `heddle context list|add|use|remove`: clusters by name.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { type Context, type Contexts, contextsPath, isContextName, readContexts, writeContexts } from './contexts.ts';
import { CommandFailure } from './failure.ts';
import { printJson, printTable, printText } from './output.ts';

/** Registers `heddle context …`. */
export function addContext(program: Command): void {
  const context = program.command('context').description('clusters by name, for --cluster NAME');
  context
    .command('list')
    .description('list them; * is the one that counts where no other is named')
    .option('--json', 'print JSON')
    .action(list);
  context
    .command('add')
    .argument('<name>', 'letters, digits, _ and -')
    .description('add a cluster, or replace one')
    .option('--cluster <url>', "the resource manager's address")
    .option('--history <url>', "the history server's address")
    .option('--timeline <url>', "the timeline's address")
    .option('--user <name>', 'act as this user')
    .option('--token-file <file>', 'prove who you are with the bearer token in this file')
    .option('--conf <dir>', 'folder of its settings')
    .option('--data <dir>', 'data folder that it runs on, here')
    .option('--use', 'use it from now on')
    .action(add);
  context
    .command('use')
    .argument('[context]', 'which one')
    .description('use a cluster where no other is named')
    .option('--none', 'none of them: the cluster of the data folder, as without any')
    .action(use);
  context.command('remove').argument('<context...>', 'which ones').description('remove clusters').action(remove);
}

function list({ json }: { readonly json?: boolean }): void {
  const { current, contexts } = readContexts();
  if (json) return printJson({ file: contextsPath(), current: current ?? null, contexts });
  const names = Object.keys(contexts).sort();
  if (names.length === 0) return printText('No clusters have names; "heddle context add NAME --cluster URL" gives one.\n');
  printTable(
    ['', 'NAME', 'CLUSTER', 'USER', 'SETTINGS', 'DATA'],
    names.map((name) => [
      name === current ? '*' : ' ',
      name,
      contexts[name]?.cluster,
      contexts[name]?.user,
      contexts[name]?.conf,
      contexts[name]?.data,
    ]),
  );
}

const mustBeThere = ({ contexts }: Contexts, name: string): void => {
  if (!Object.hasOwn(contexts, name))
    throw new CommandFailure(`no cluster is called ${name}`, '"heddle context list" shows those that are.', 2);
};

function add(name: string, { use: isCurrent, ...given }: Context & { readonly use?: boolean }): void {
  if (!isContextName(name))
    throw new CommandFailure(`'${name}' is no name for a cluster`, 'Take letters, digits, _ and -; the first is a letter.', 2);
  if (given.cluster === undefined && given.conf === undefined && given.data === undefined)
    throw new CommandFailure('nothing says where it is', 'Give --cluster URL, --conf DIR or --data DIR.', 2);
  for (const url of [given.cluster, given.history, given.timeline])
    if (url !== undefined && !/^https?:\/\//.test(url))
      throw new CommandFailure(`'${url}' is no address`, 'Give for example http://127.0.0.1:8088.', 2);
  const paths = Object.fromEntries(
    (['tokenFile', 'conf', 'data'] as const).flatMap((key) => (given[key] === undefined ? [] : [[key, resolve(given[key])]])),
  );
  const before = readContexts();
  writeContexts({ ...before, ...(isCurrent ? { current: name } : {}), contexts: { ...before.contexts, [name]: { ...given, ...paths } } });
  printText(
    isCurrent
      ? `${name} is used from now on.\n`
      : `${name in before.contexts ? 'What the name stood for is forgotten.' : 'Added.'} "--cluster ${name}" names it, "heddle context use ${name}" uses it from now on.\n`,
  );
}

function use(name: string | undefined, { none }: { readonly none?: boolean }): void {
  if ((name === undefined) === !none) throw new CommandFailure('which cluster?', 'Give a name, or --none.', 2);
  const { current, ...rest } = readContexts();
  if (name === undefined) {
    writeContexts(rest);
    return printText(current === undefined ? 'None was used.\n' : `${current} is not used any more.\n`);
  }
  mustBeThere(rest, name);
  writeContexts({ ...rest, current: name });
  printText(`${name} is used from now on.\n`);
}

function remove(names: readonly string[]): void {
  const { current, contexts } = readContexts();
  for (const name of names) mustBeThere({ contexts }, name);
  const left = Object.fromEntries(Object.entries(contexts).filter(([name]) => !names.includes(name)));
  writeContexts({ ...(current === undefined || names.includes(current) ? {} : { current }), contexts: left });
  printText(`Removed: ${names.join(', ')}.\n`);
}
