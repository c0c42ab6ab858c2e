// `heddle container list|show|signal|exec|files|logs` and `heddle app containers`.
import type { Command } from 'commander';
import type { ContainerSignal } from '../client/application-changes.ts';
import { many } from '../client/cluster-client.ts';
import { HttpClient } from '../client/http.ts';
import { exitMeaning } from '../model/exit-status.ts';
import { signalContainers } from './app-changes.ts';
import { type LogFlags, printLogs, withLogOptions } from './app-logs.ts';
import { type Connection, connect, talk } from './connection.ts';
import { exec } from './container-exec.ts';
import { addContainerFiles } from './container-files.ts';
import { applicationOf, containerHead, containerRow, placedContainersOf, roleText } from './containers.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatDuration, formatMemory, formatTime, printFacts, printJson, printTable, printText } from './output.ts';
import { signalOf, signalText } from './signals.ts';

interface ListFlags extends ClusterFlags {
  readonly all?: boolean;
  readonly node?: string;
}

const allText = 'also those that have ended, as far as the application history knows them';

/** Registers `heddle app containers` below `heddle app`. */
export function addApplicationContainers(app: Command): void {
  withClusterOptions(app.command('containers').argument('<application>', 'its id'))
    .description('list the containers of an application')
    .option('--all', allText)
    .action(listOfApplication);
}

/** Registers `heddle container …`. */
export function addContainer(program: Command): void {
  const container = program.command('container').description('look at containers, signal and enter them');
  withClusterOptions(container.command('list').argument('[application]', 'its id'))
    .description('list the containers of an application or of a node')
    .option('--all', allText)
    .option('--node <node>', 'those on this node, host:port, as it knows them')
    .action(list);
  withClusterOptions(container.command('show').argument('<container>', 'its id')).description('show one container').action(show);
  withClusterOptions(
    container.command('signal').argument('<container>', 'its id').argument('[signal]', signalText, signalOf, signalOf('TERM')),
  )
    .description('send a signal to the processes of a container')
    .action(signal);
  withClusterOptions(
    container.command('exec').argument('<container>', 'its id').argument('[command...]', 'program and parameters; default: bash'),
  )
    .description('run a command in a running container, with this terminal where there is one')
    .option('--no-terminal', 'pipes, though there is a terminal')
    .action(exec);
  addContainerFiles(container);
  withLogOptions(container.command('logs').argument('<container>', 'its id'))
    .description('print the logs of a container')
    .action((id: string, flags: LogFlags) => printLogs(applicationOf(id), { ...flags, container: id }));
}

async function list(application: string | undefined, flags: ListFlags): Promise<void> {
  if ((application === undefined) === (flags.node === undefined))
    throw new CommandFailure('whose containers?', 'Give the id of an application, or --node HOST:PORT.', 2);
  if (flags.node !== undefined) return listOfNode(flags.node, flags);
  return listOfApplication(application!, flags);
}

async function listOfApplication(id: string, flags: ListFlags): Promise<void> {
  const connection = connect(flags);
  const found = await talk(() => placedContainersOf(connection, id, flags.all ?? false));
  if (flags.json) return printJson(found);
  if (found.length === 0)
    return printText(flags.all ? 'No containers are known.\n' : 'No containers run; --all also shows those that ended.\n');
  printTable(containerHead, found.map(containerRow), ['STARTED', 'PRIORITY', 'VCORES', 'TIME', 'NODE']);
}

/** A container, as its node tells it. */
interface OnNode {
  readonly id: string;
  readonly state: string;
  readonly user: string;
  readonly totalMemoryNeededMB?: number;
  readonly totalVCoresNeeded?: number;
  readonly executionType?: string;
}

async function containersOnNode({ cluster, credentials, resourceManagerUrl }: Connection, id: string): Promise<readonly OnNode[]> {
  const { nodeHTTPAddress, state } = await cluster.node(id);
  if (!nodeHTTPAddress) throw new CommandFailure(`${id} is ${state}: it cannot be asked`, '"heddle node list --all" shows the nodes.');
  const url = `${new URL(resourceManagerUrl).protocol}//${nodeHTTPAddress}`;
  const answer = await new HttpClient({ url, ...credentials }).json<{ containers: { container?: OnNode[] } | null }>(
    'GET',
    '/ws/v1/node/containers',
  );
  return many(answer.containers?.container);
}

async function listOfNode(id: string, flags: ListFlags): Promise<void> {
  const connection = connect(flags);
  const found = await talk(() => containersOnNode(connection, id));
  if (flags.json) return printJson(found);
  if (found.length === 0) return printText(`No containers are on ${id}.\n`);
  printTable(
    ['CONTAINER', 'STATE', 'USER', 'MEMORY', 'VCORES', 'KIND'],
    found.map(({ id, state, user, totalMemoryNeededMB, totalVCoresNeeded, executionType }) => [
      ...[id, state, user, formatMemory(totalMemoryNeededMB), totalVCoresNeeded, executionType],
    ]),
    ['KIND', 'VCORES'],
  );
}

const memoryText = (memoryMiB: number): string => formatMemory(Math.round(memoryMiB));
const coresText = (cores: number): string => `${Number(cores.toFixed(2))} cores`;

/** What a container really uses, and used at most while it was looked at; undefined where its node does not say. */
async function useOf({ cluster }: Connection, id: string) {
  const { samples } = await cluster.containerUsage(id).catch(() => ({ samples: [] }));
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last) return undefined;
  return {
    memoryMiB: last.memoryMiB,
    cpuCores: last.cpuCores,
    mostMemoryMiB: Math.max(...samples.map(({ memoryMiB }) => memoryMiB)),
    mostCpuCores: Math.max(...samples.map(({ cpuCores }) => cpuCores)),
    spanMs: last.timeMs - first.timeMs,
  };
}

async function show(id: string, flags: ClusterFlags): Promise<void> {
  const application = applicationOf(id);
  const connection = connect(flags);
  const found = (await talk(() => placedContainersOf(connection, application, true))).find((container) => container.id === id);
  if (!found)
    throw new CommandFailure(`there is no container ${id}`, `"heddle app containers ${application} --all" shows those there are.`);
  const uses = found.state === 'RUNNING' ? await useOf(connection, id) : undefined;
  if (flags.json) return printJson({ ...found, applicationId: application, ...(uses && { uses }) });
  printFacts([
    ['container', found.id],
    ['application', application],
    ['attempt', found.attemptId],
    ['role', roleText(found)],
    ['state', found.state],
    ['ended', found.exitStatus === undefined ? undefined : exitMeaning(found.exitStatus)],
    ['node', found.nodeId],
    ['memory', formatMemory(found.memoryMiB)],
    ['vcores', found.vcores],
    ['uses now', uses && `${memoryText(uses.memoryMiB)}, ${coresText(uses.cpuCores)}`],
    [
      'used at most',
      uses && `${memoryText(uses.mostMemoryMiB)}, ${coresText(uses.mostCpuCores)} within the last ${formatDuration(uses.spanMs)}`,
    ],
    ['priority', found.priority],
    ['started', formatTime(found.startedTime)],
    ['time', formatDuration(found.elapsedMs)],
    ['diagnostics', found.diagnostics.trim()],
  ]);
}

async function signal(id: string, wanted: ContainerSignal, flags: ClusterFlags): Promise<void> {
  applicationOf(id);
  await signalContainers(connect(flags), [id], wanted, flags.json ?? false);
}
