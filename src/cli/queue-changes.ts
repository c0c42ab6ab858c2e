// `heddle queue set|add|remove|diff|validate`: the queues' configuration, where the cluster keeps it in a store, and files that hold one.

import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { QueueConfiguration, type QueuesChange, type QueueValues } from '../client/queue-configuration.ts';
import { parseHadoopXml } from '../config/hadoop-xml.ts';
import { queueFileKind } from '../config/queue-file-kind.ts';
import { type Difference, differences } from '../lib/differences.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { connect, talk } from './connection.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, type ConfigurationFlags, configurationOf, withClusterOptions, withConfigurationOptions } from './options.ts';
import { printJson, printNote, printText } from './output.ts';
import { checkChange, keysOfPaths, queueKeyPrefix, queuePaths, refusedValue, remedyOfRefusal } from './queue-checks.ts';
import { queueFileOf, queueFileText } from './queue-file.ts';
import { printWhatIf } from './queue-what-if.ts';
import { queuesBelow } from './queues-below.ts';

interface ChangeFlags extends ClusterFlags {
  readonly unset?: readonly string[];
  readonly with?: readonly string[];
  readonly dryRun?: boolean;
}

const valueText = 'such as capacity=30 or state=STOPPED, without the part yarn.scheduler.capacity.QUEUE';
const withText = 'change others in the same step, such as';
const withAddedText = 'change others in the same step, or add them where they are not there, such as';
const dryRunText = 'say what would change and what it would do to what runs and waits, and change nothing';

/** Registers these commands below `heddle queue`. */
export function addQueueChanges(queue: Command): void {
  withClusterOptions(
    queue.command('set').argument('<queue>', 'its path, or "global" for the scheduler itself').argument('[KEY=VALUE...]', valueText),
  )
    .description('change a queue; several keys at once, all or nothing')
    .option('--unset <key...>', 'keys that get their defaults again')
    .option('--with <QUEUE:KEY=VALUE...>', `${withText} root.default:capacity=70`)
    .option('--dry-run', dryRunText)
    .action((path: string, texts: readonly string[], flags: ChangeFlags) => {
      const isGlobal = path === 'global';
      const values = {
        ...readValues(texts, isGlobal),
        ...Object.fromEntries((flags.unset ?? []).map((key) => [isGlobal ? wholeKey(key) : key, undefined])),
      };
      const others = readOthers(flags.with);
      if (Object.keys(values).length === 0) throw new CommandFailure('nothing is to be changed', `Give KEY=VALUE, ${valueText}.`, 2);
      if (isGlobal) return change({ global: values, update: others }, flags);
      return change({ update: others.set(fullPath(path), { ...others.get(fullPath(path)), ...values }) }, flags);
    });
  withClusterOptions(queue.command('add').argument('<queue>', 'its path').argument('[KEY=VALUE...]', valueText))
    .description('add a queue, or several at once')
    .option('--with <QUEUE:KEY=VALUE...>', `${withAddedText} root.default:capacity=70`)
    .option('--dry-run', dryRunText)
    .action((path: string, texts: readonly string[], flags: ChangeFlags) =>
      change({ add: new Map([[fullPath(path), readValues(texts)]]), update: readOthers(flags.with) }, flags, 'adds others'),
    );
  withClusterOptions(queue.command('remove').argument('<queue...>', 'their paths; they have to be stopped'))
    .description('remove queues')
    .option('--with <QUEUE:KEY=VALUE...>', `${withText} root.default:capacity=100`)
    .option('--dry-run', dryRunText)
    .action((paths: readonly string[], flags: ChangeFlags) =>
      change({ remove: paths.map(fullPath), update: readOthers(flags.with) }, flags),
    );
  withClusterOptions(queue.command('diff').argument('[file]', queueFileText))
    .description(
      'say how the queues of a file differ from those that the cluster keeps; exit code 1 where they do, 2 where that cannot be told',
    )
    .action(diff);
  withClusterOptions(queue.command('what-if').argument('[file]', queueFileText))
    .description('say what the queues of a file would do to what runs and waits now: shares, who would start, what would be taken back')
    .action(whatIf);
  withConfigurationOptions(queue.command('validate').argument('[file]', queueFileText))
    .option('--json', 'print JSON')
    .description('check a queue file without a cluster')
    .action(validate);
}

/** Queues may be named without the root. */
const fullPath = (path: string): string => (path === 'root' || path.startsWith('root.') ? path : `root.${path}`);

/** A key of the whole scheduler, which may be named without what all of them begin with. */
const wholeKey = (key: string): string => (key.startsWith('yarn.') ? key : `${queueKeyPrefix}${key}`);

/** Keys of a queue; `whole` ones are those of the scheduler itself. */
function readValues(texts: readonly string[], whole = false): QueueValues {
  const entries = texts.map((text): [string, string] => {
    const at = text.indexOf('=');
    if (at < 1) throw new CommandFailure(`${text}: is not KEY=VALUE`, `Write it ${valueText}.`, 2);
    if (whole) return [wholeKey(text.slice(0, at)), text.slice(at + 1)];
    if (text.startsWith(queueKeyPrefix))
      throw new CommandFailure(`${text}: names the whole key`, 'Leave away what stands before and in the name of the queue.', 2);
    return [text.slice(0, at), text.slice(at + 1)];
  });
  const twice = entries.find(([key], index) => entries.slice(0, index).some(([other]) => other === key));
  if (twice) throw new CommandFailure(`${twice[0]} is given twice`, 'Give it one value.', 2);
  return Object.fromEntries(entries);
}

function readOthers(texts: readonly string[] = []): Map<string, QueueValues> {
  const found = new Map<string, QueueValues>();
  for (const text of texts) {
    const [, path, rest] = /^([^:=]+):(.*)$/.exec(text) ?? [];
    if (path === undefined || rest === undefined)
      throw new CommandFailure(`--with ${text}: is not QUEUE:KEY=VALUE`, 'Write it such as root.default:capacity=70.', 2);
    found.set(fullPath(path), { ...found.get(fullPath(path)), ...readValues([rest]) });
  }
  return found;
}

const lineOf = ({ key, from, to }: Difference): string =>
  `${from === undefined ? '+' : to === undefined ? '-' : '~'} ${key}${from === undefined ? ` = ${to}` : to === undefined ? ` = ${from}` : `: ${from} -> ${to}`}\n`;

const storeRemedy =
  'Where queues come from a file, change it and say "heddle admin refresh-queues"; yarn.scheduler.configuration.store.class=memory|leveldb|zk has the cluster keep them itself.';

/** A cluster whose queues come from a file, and are changed there. */
class QueuesOfFile extends CommandFailure {
  constructor() {
    super('this cluster does not keep its queues itself', storeRemedy);
  }
}

/** As `talk`, for what a cluster whose queues come from a file refuses. */
async function talkOfQueues<Value>(work: () => Promise<Value>, asked?: QueuesChange): Promise<Value> {
  try {
    return await talk(work);
  } catch (error) {
    if (error instanceof CommandFailure && /mutable|MutableConf/i.test(error.message)) throw new QueuesOfFile();
    const reason =
      error instanceof CommandFailure
        ? /^CapacityScheduler configuration validation failed:(?:[\w.]+: )?(.*)$/s.exec(error.message)?.[1]
        : undefined;
    const remedy = error instanceof CommandFailure ? remedyOfRefusal(error.message) : undefined;
    const named = error instanceof CommandFailure && asked ? refusedValue(error.message, asked) : undefined;
    if (named) throw named;
    if (reason !== undefined || remedy !== undefined) throw new CommandFailure(reason ?? (error as Error).message, remedy);
    throw error;
  }
}

/** What names queues that are not there adds them, beside the one that is added. */
function withOthersAdded({ add, update, ...rest }: QueuesChange, before: ReadonlyMap<string, string>): QueuesChange {
  const there = queuePaths(before);
  const others = [...(update ?? [])];
  return {
    ...rest,
    add: new Map([...(add ?? []), ...others.filter(([path]) => !there.has(path))]),
    update: new Map(others.filter(([path]) => there.has(path))),
  };
}

async function change(asked: QueuesChange, flags: ChangeFlags, others?: 'adds others'): Promise<void> {
  const { cluster } = connect(flags);
  const queues = new QueueConfiguration(cluster.http);
  let before: ReadonlyMap<string, string>;
  try {
    before = await talkOfQueues(() => queues.read());
  } catch (error) {
    if (!(error instanceof QueuesOfFile && flags.dryRun)) throw error;
    const { queues: known } = await talk(() => cluster.scheduler());
    const there = keysOfPaths(queuesBelow(known).map(({ path }) => path));
    const would = others ? withOthersAdded(asked, there) : asked;
    for (const note of await checkChange(there, would)) printNote(`heddle: note: ${note}\n`);
    return wouldBeInFile(queues, would, flags);
  }
  const wanted = others ? withOthersAdded(asked, before) : asked;
  for (const note of await checkChange(before, wanted)) printNote(`heddle: note: ${note}\n`);
  const after = await talkOfQueues(async () => {
    if (flags.dryRun) return queues.validate(wanted);
    await queues.change(wanted);
    return queues.read();
  }, wanted);
  const found = differences(before, after);
  const told = flags.dryRun && found.length > 0 ? await talkOfQueues(() => queues.whatIf(wanted)) : undefined;
  if (flags.json) return printJson({ changed: !flags.dryRun, differences: found, ...(told ? { whatIf: told } : {}) });
  printText(found.length === 0 ? 'That is so already.\n' : found.map(lineOf).join(''));
  if (!told) return;
  printWhatIf(told);
  printText('\nNothing was changed: --dry-run.\n');
}

/** `--dry-run` where a file has the queues: what the change would come to, if it stood there. */
async function wouldBeInFile(queues: QueueConfiguration, wanted: QueuesChange, flags: ChangeFlags): Promise<void> {
  const told = await talkOfQueues(() => queues.whatIf(wanted), wanted);
  const found = told.keys.map(({ key, before: from, after: to }) => ({ key, from, to }));
  if (flags.json) return printJson({ changed: false, differences: found, whatIf: told });
  for (const one of found) printText(lineOf(one));
  if (told.moreKeys > 0) printText(`and ${told.moreKeys} more keys\n`);
  printWhatIf(told);
  printText('\nNothing was changed: --dry-run. The queues of this cluster come from a file: that is where to change them.\n');
}

async function whatIf(given: string | undefined, flags: ClusterFlags): Promise<void> {
  const file = await queueFileOf(given, flags);
  const text = readQueueText(file);
  const keys = queueFileKind(text) === 'fair' ? undefined : keysOf(text, file);
  const told = await talkOfQueues(() => {
    const queues = new QueueConfiguration(connect(flags).cluster.http);
    return keys ? queues.whatIfAll(keys) : queues.whatIfAllocations(text);
  });
  if (flags.json) return printJson(told);
  for (const { key, before, after } of told.keys) printText(lineOf({ key, from: before, to: after }));
  if (told.moreKeys > 0) printText(`and ${told.moreKeys} more keys\n`);
  printWhatIf(told);
}

async function diff(given: string | undefined, flags: ClusterFlags): Promise<void> {
  // Until it is known: 1 says that they differ.
  setExitCode(2);
  const file = await queueFileOf(given, flags);
  const wanted = readQueueFile(file);
  const now = await talkOfQueues(() => new QueueConfiguration(connect(flags).cluster.http).read());
  const found = differences(now, wanted);
  if (flags.json) printJson(found);
  else printText(found.length === 0 ? 'They are the same.\n' : found.map(lineOf).join(''));
  setExitCode(found.length > 0 ? 1 : 0);
}

const readQueueFile = (file: string): Map<string, string> => keysOf(readQueueText(file), file);

function readQueueText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(systemErrorText(error, file), 'Name a queue file.', 2);
  }
}

const keysOf = (text: string, file: string): Map<string, string> =>
  new Map(parseHadoopXml(text, basename(file), resolve(file)).map(({ key, value }) => [key, value]));

async function validate(file: string | undefined, flags: ConfigurationFlags & { readonly json?: boolean }): Promise<void> {
  const configuration = configurationOf(file === undefined ? flags : { ...flags, conf: folderOf(file) });
  const { checkQueues } = await import('../simulation/check-queues.ts');
  const notes = checkQueues(configuration).filter((note) => note !== '');
  if (flags.json) return printJson({ valid: true, notes });
  for (const note of notes) printText(`note: ${note}\n`);
  printText('The queues are valid.\n');
}

const queueFiles = ['capacity-scheduler.xml', 'fair-scheduler.xml'];

/** A folder, or that of a queue file: the schedulers read them by their names. */
function folderOf(file: string): string {
  const path = resolve(file);
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) throw new CommandFailure(`${file}: there is no such file`, 'Name a queue file or its folder.', 2);
  if (isFolder) return path;
  if (!queueFiles.includes(basename(path)))
    throw new CommandFailure(`${file}: schedulers read ${queueFiles.join(' and ')} alone`, 'Give it that name, in a folder of its own.', 2);
  return dirname(path);
}
