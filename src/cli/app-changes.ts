// `heddle app move|priority|lifetime|scale|signal`: what may be changed while an application waits or runs.
import { type Command, InvalidArgumentError } from 'commander';
import { ApplicationChanges, type ContainerSignal, type Lifetime } from '../client/application-changes.ts';
import { isFinalApplicationState } from '../model/application-states.ts';
import { mostInstances } from '../wire/cluster/command-job.ts';
import { timeMs } from './amounts.ts';
import { type Connection, connect, talk } from './connection.ts';
import { containersOf } from './containers.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, wholeNumber, withClusterOptions } from './options.ts';
import { formatDuration, formatTime, printJson, printText } from './output.ts';
import { signalOf, signalText } from './signals.ts';

/** Registers these commands below `heddle app`. */
export function addApplicationChanges(app: Command): void {
  withClusterOptions(app.command('move').argument('<application>', 'its id').argument('<queue>', 'where to'))
    .description('move an application to another queue')
    .action(move);
  withClusterOptions(app.command('priority').argument('<application>', 'its id').argument('[priority]', 'a whole number', wholeOf))
    .description('show the priority of an application within its queue, or change it; more comes first')
    .action(priority);
  withClusterOptions(app.command('lifetime').argument('<application>', 'its id').argument('[time]', 'from now on: 90, 30m, 2h, 1d', timeMs))
    .description('show how long an application may live, or change it; it is ended then')
    .action(lifetime);
  withClusterOptions(
    app
      .command('scale')
      .argument('<application>', 'its id')
      .argument('[instances]', 'how many there are to be', wholeNumber(1, mostInstances)),
  )
    .description('show how many instances a command that runs has, or change it; those of the highest numbers go first')
    .action(scale);
  withClusterOptions(app.command('signal').argument('<application>', 'its id').argument('[signal]', signalText, signalOf, signalOf('TERM')))
    .description('send a signal to each container of an application')
    .option('--master', 'to the container of its master alone')
    .action(signal);
}

function wholeOf(text: string): number {
  if (!/^-?\d{1,9}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

/** Refuses in words what would be taken and do nothing: an application that is over stays as it is. */
async function mustNotBeOver({ cluster }: Connection, id: string): Promise<void> {
  const { state } = await talk(() => cluster.application(id));
  if (isFinalApplicationState(state))
    throw new CommandFailure(`${id} is over already: ${state}`, '"heddle app list" shows those that run.');
}

async function move(id: string, queue: string, flags: ClusterFlags): Promise<void> {
  const connection = connect(flags);
  await mustNotBeOver(connection, id);
  const now = await talk(() => new ApplicationChanges(connection.cluster.http).move(id, queue));
  if (flags.json) return printJson({ id, queue: now });
  printText(`${id} is in queue ${now}.\n`);
}

/** Negative: none of its own. */
export const priorityText = (priority: number): string => (priority < 0 ? "the queue's" : String(priority));

async function priority(id: string, wanted: number | undefined, flags: ClusterFlags): Promise<void> {
  const connection = connect(flags);
  const changes = new ApplicationChanges(connection.cluster.http);
  if (wanted === undefined) {
    const now = await talk(() => changes.priority(id));
    if (flags.json) return printJson({ id, priority: now });
    return printText(`${priorityText(now)}\n`);
  }
  await mustNotBeOver(connection, id);
  const now = await talk(() => changes.setPriority(id, wanted));
  if (flags.json) return printJson({ id, priority: now });
  const cut = now === wanted ? '' : `; ${wanted} was asked for, and ${now} is what the cluster allows`;
  printText(`The priority of ${id} is ${priorityText(now)}${cut}.\n`);
}

const lifetimeText = (id: string, { expiryTime, remainingTimeInSeconds = -1 }: Lifetime): string =>
  expiryTime === undefined || expiryTime === 'UNLIMITED'
    ? `${id} may live as long as it wants.\n`
    : `${id} is ended at ${formatTime(Date.parse(expiryTime))}, in ${formatDuration(Number(remainingTimeInSeconds) * 1000) || 'no time'}.\n`;

/** What passes between the wish and the answer is no cut. */
const longestOfCallMs = 30_000;

async function lifetime(id: string, wantedMs: number | undefined, flags: ClusterFlags): Promise<void> {
  const connection = connect(flags);
  const changes = new ApplicationChanges(connection.cluster.http);
  if (wantedMs !== undefined) {
    await mustNotBeOver(connection, id);
    await talk(() => changes.setLifetime(id, Date.now() + wantedMs));
  }
  const now = await talk(() => changes.lifetime(id));
  if (flags.json) return printJson({ id, ...now });
  const leftMs = Number(now.remainingTimeInSeconds ?? -1) * 1000;
  const isCut = wantedMs !== undefined && leftMs >= 0 && leftMs < wantedMs - longestOfCallMs;
  printText(
    `${lifetimeText(id, now)}${isCut ? `${formatDuration(wantedMs)} was asked for, and longer nothing lives in its queue.\n` : ''}`,
  );
}

async function scale(id: string, wanted: number | undefined, flags: ClusterFlags): Promise<void> {
  const connection = connect(flags);
  const changes = new ApplicationChanges(connection.cluster.http);
  if (wanted !== undefined) await mustNotBeOver(connection, id);
  const instances = await talk(() => (wanted === undefined ? changes.instances(id) : changes.setInstances(id, wanted)));
  if (flags.json) return printJson({ id, instances });
  if (wanted === undefined) return printText(`${instances}\n`);
  printText(`${id} is to have ${instances} instance${instances === 1 ? '' : 's'}.\n`);
}

async function signal(id: string, wanted: ContainerSignal, flags: ClusterFlags & { readonly master?: boolean }): Promise<void> {
  const connection = connect(flags);
  await mustNotBeOver(connection, id);
  const found = await talk(() => containersOf(connection, id, false));
  const chosen = found.filter(({ role }) => !flags.master || role === 'master');
  if (chosen.length === 0) throw new CommandFailure(`no container of ${id} runs`, '"heddle app explain" says why an application waits.');
  await signalContainers(
    connection,
    chosen.map((container) => container.id),
    wanted,
    flags.json ?? false,
  );
}

/** Signals containers one after the other and says so. @throws CommandFailure at the first that is refused */
export async function signalContainers(
  { cluster }: Connection,
  ids: readonly string[],
  wanted: ContainerSignal,
  asJson: boolean,
): Promise<void> {
  const changes = new ApplicationChanges(cluster.http);
  for (const id of ids) {
    await talk(() => changes.signal(id, wanted));
    if (!asJson) printText(`${id}: its node was told (${wanted}).\n`);
  }
  if (asJson) printJson(ids.map((id) => ({ id, signal: wanted })));
}
