// `heddle app logs [--follow]`: what the containers of an application wrote, from the nodes while it runs, afterwards from where logs are gathered.

import { type Command, Option } from 'commander';
import { ContainerLogs, gatheredContainers } from '../client/container-logs.ts';
import { streamLog } from '../client/log-stream.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import { isFinalApplicationState } from '../model/application-states.ts';
import { byteCount } from './amounts.ts';
import { listFiles, saveFiles } from './app-log-files.ts';
import { type Connection, connect, talk, talkPatiently } from './connection.ts';
import { applicationOf, containersOfHistory } from './containers.ts';
import { CommandFailure } from './failure.ts';
import type { FoundLog } from './found-log.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { printContents, printJson, printNote, printText } from './output.ts';

/** What `heddle app logs` and `heddle container logs` take. */
export interface LogFlags extends ClusterFlags {
  readonly container?: string;
  readonly role?: 'master' | 'task';
  readonly file?: string;
  readonly list?: boolean;
  readonly out?: string;
  readonly tail?: number;
  readonly follow?: boolean;
  readonly all?: boolean;
}

/** A container and where to ask for its logs. */
interface Place {
  readonly containerId: string;
  readonly role: 'master' | 'task';
  /** Base URLs, the best first. */
  readonly urls: readonly string[];
}

const pollMs = 300;
/** How long is waited for logs to be gathered after the end. */
const longestGatheringMs = 10_000;
const longestJsonBytes = 100_000_000;
const isGathering = (status: string | undefined): boolean => ['NOT_START', 'RUNNING', 'RUNNING_WITH_FAILURE'].includes(status ?? '');
/** Files about the start of a container: shown when asked for. */
const startFiles = new Set(['directory.info', 'launch_container.sh', 'prelaunch.out', 'prelaunch.err']);

/** Whether a file is among those wanted. */
function isWanted(file: string, flags: LogFlags): boolean {
  return flags.file === undefined ? flags.all || !startFiles.has(file) : flags.file === file;
}

/** Registers `heddle app logs`. */
export function addApplicationLogs(app: Command): void {
  withLogOptions(app.command('logs').argument('<application>', 'its id'))
    .description('print the logs of its containers')
    .option('--container <id>', 'only this container', containerIdOf)
    .addOption(new Option('--role <role>', 'only the containers of masters, or only the others').choices(['master', 'task']))
    .action(printLogs);
}

/** Adds the options that say which logs are shown and how. */
export function withLogOptions(command: Command): Command {
  return withClusterOptions(command)
    .option('--file <name>', 'only this file, such as stdout')
    .option('--tail <bytes>', 'only the end of each file, such as 1000 or 64k', byteCount)
    .option('--all', 'also files about the start of containers, and empty ones')
    .option('--list', 'list the files with their sizes, instead of printing them')
    .option('--out <dir>', 'write them to DIR/CONTAINER/FILE, instead of printing them')
    .option('-f, --follow', 'go on until the application, or the one container that is meant, is over');
}

function containerIdOf(text: string): string {
  applicationOf(text);
  return text;
}

/**
 * The containers of an application. Their logs are asked for at the one address that the resource manager gives them; then on the node,
 * which the resource manager may not know any more.
 */
async function placesOf(connection: Connection, id: string, over: boolean, wanted?: string): Promise<Place[]> {
  const { cluster, credentials, resourceManagerUrl, historyUrl } = connection;
  const nodes = new Map<string, string | undefined>();
  const masters = new Set<string | undefined>();
  const add = (containerId: string | undefined, address: string | undefined): void => {
    if (!containerId) return;
    const url = address && (/^https?:/.test(address) ? address : `${new URL(resourceManagerUrl).protocol}//${address}`);
    nodes.set(containerId, url || nodes.get(containerId));
  };
  if (over) for (const containerId of await gatheredContainers({ url: historyUrl, ...credentials }, id)) add(containerId, '');
  for (const attempt of over ? await cluster.attempts(id).catch(() => []) : await cluster.attempts(id)) {
    add(attempt.containerId, attempt.nodeHttpAddress);
    masters.add(attempt.containerId);
    if (!attempt.appAttemptId) continue;
    // The cluster forgets ended containers; their history does not, and knows those too whose logs stay on their nodes.
    const containers = over
      ? await containersOfHistory(connection, id, attempt.appAttemptId)
      : await cluster.containers(id, attempt.appAttemptId);
    for (const container of containers) add(container.containerId, container.nodeHttpAddress);
    // One that is over while its application runs left its logs on its node.
    if (over || wanted === undefined || nodes.has(wanted)) continue;
    const earlier = await containersOfHistory(connection, id, attempt.appAttemptId);
    const found = earlier.find(({ containerId }) => containerId === wanted);
    add(found?.containerId, found?.nodeHttpAddress);
  }
  return [...nodes].sort().map(([containerId, node]) => ({
    containerId,
    role: masters.has(containerId) ? 'master' : 'task',
    urls: [resourceManagerUrl, ...(node ? [node] : [])],
  }));
}

/** The log files of a container that are wanted; undefined where it has no file at all. @throws RemoteFailure where the caller may not see them */
async function logsOf({ containerId, role, urls }: Place, connection: Connection, flags: LogFlags): Promise<FoundLog[] | undefined> {
  if ((flags.container ?? containerId) !== containerId || (flags.role ?? role) !== role) return [];
  let refusal: RemoteFailure | undefined;
  for (const url of urls) {
    const logs = new ContainerLogs({ url, ...connection.credentials });
    const files = await logs.files(containerId).catch((error: unknown) => {
      if (!(error instanceof RemoteFailure)) throw error;
      refusal = error;
      return [];
    });
    if (files.length > 0)
      return files
        .filter(({ name }) => isWanted(name, flags))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, sizeBytes }) => ({ containerId, role, file: name, bytes: sizeBytes, logs }));
  }
  if (refusal) throw refusal;
  return undefined;
}

const mostNamed = 3;

/** Says whose logs are missing among those that are shown. */
function sayMissing(containers: readonly string[]): void {
  if (containers.length === 0) return;
  const named = containers.slice(0, mostNamed).join(', ');
  const more = containers.length > mostNamed ? ` and ${containers.length - mostNamed} more` : '';
  printNote(`heddle: no logs are left of ${named}${more}: not started, or removed by a node, or on a node that does not answer\n`);
}

/** Prints the logs of an application that the flags want. @throws CommandFailure */
export async function printLogs(id: string, flags: LogFlags): Promise<void> {
  if (flags.follow && (flags.list || flags.out !== undefined))
    throw new CommandFailure('--follow prints what comes: it goes with neither --list nor --out', 'Leave one of them away.', 2);
  const connection = connect(flags);
  let { state } = await talk(() => connection.cluster.application(id));
  if (flags.follow && !isFinalApplicationState(state)) return followLogs(connection, id, flags);
  const found: FoundLog[] = [];
  let missing: string[] = [];
  const end = performance.now() + longestGatheringMs;
  for (;;) {
    missing = [];
    for (const place of await talk(() => placesOf(connection, id, isFinalApplicationState(state), flags.container))) {
      const files = await talk(() => logsOf(place, connection, flags));
      if (files === undefined) missing.push(place.containerId);
      found.push(...(files ?? []));
    }
    // Gathering may not have finished when the application has.
    const gathering = isFinalApplicationState(state) && isGathering((await connection.cluster.application(id)).logAggregationStatus);
    if (found.length > 0 || !gathering || performance.now() > end) break;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    state = (await talk(() => connection.cluster.application(id))).state;
  }
  if (found.length === 0) {
    if (flags.json) return printJson([]);
    const runs = !isFinalApplicationState(state) && Number((await connection.cluster.application(id)).runningContainers ?? 0) > 0;
    if (flags.container !== undefined) await mustBeOfIt(connection, id, flags.container, state);
    const isAll = flags.container === undefined && flags.file === undefined && flags.role === undefined;
    const others = isAll ? [] : await filesOf(connection, id, state);
    throw new CommandFailure(
      isAll ? `there are no logs of ${id}` : `there is no such log of ${id}`,
      others.length > 0
        ? `There are ${others.join(', ')}; --list shows which container has which.`
        : isFinalApplicationState(state)
          ? 'Logs stay readable after the end where yarn.log-aggregation-enable is true and the history server runs; else for a while on the nodes.'
          : runs
            ? 'Its containers have written nothing yet; try --follow, or --all for files about their start.'
            : 'Its containers have not started yet; try --follow.',
    );
  }
  if (isFinalApplicationState(state)) sayMissing(missing);
  if (flags.list) return listFiles(found, flags.json ?? false);
  if (flags.out !== undefined) return saveFiles(found, flags.out, flags);
  if (flags.json) return printAllAsJson(found, flags);
  // What the work wrote comes before what its master tells of it.
  found.sort((a, b) => Number(a.role === 'master') - Number(b.role === 'master'));
  const shown = flags.all || flags.file !== undefined ? found : found.filter(({ bytes }) => bytes > 0);
  for (const log of shown) {
    if (shown.length > 1) printText(`==> ${log.containerId} ${log.file} <==\n`);
    let last = 10;
    for await (const piece of log.logs.read(log.containerId, log.file, flags.tail)) {
      last = piece.at(-1) ?? last;
      await printContents(piece);
    }
    if (last !== 10) printText('\n');
  }
}

/** @throws CommandFailure for a container that nothing is known of */
async function mustBeOfIt(connection: Connection, id: string, container: string, state: string | undefined): Promise<void> {
  const places = await talk(() => placesOf(connection, id, isFinalApplicationState(state), container));
  if (places.length > 0 && !places.some(({ containerId }) => containerId === container))
    throw new CommandFailure(`${id} has no container ${container}`, `"heddle app containers ${id} --all" shows those it has.`);
}

/** Names of all log files of an application. */
async function filesOf(connection: Connection, id: string, state: string | undefined): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const place of await talk(() => placesOf(connection, id, isFinalApplicationState(state))))
    for (const { file } of (await talk(() => logsOf(place, connection, { all: true }))) ?? []) names.add(file);
  return [...names].sort();
}

/** JSON holds whole files. */
async function printAllAsJson(found: readonly FoundLog[], { tail }: LogFlags): Promise<void> {
  const bytes = found.reduce((sum, log) => sum + Math.min(log.bytes, tail ?? log.bytes), 0);
  if (bytes > longestJsonBytes)
    throw new CommandFailure(
      `the logs have ${bytes} bytes, too many for --json`,
      'Print their ends with --tail BYTES, or leave --json away.',
    );
  const all: { containerId: string; file: string; content: string }[] = [];
  for (const { containerId, file, logs: source } of found) {
    const pieces: Uint8Array[] = [];
    for await (const piece of source.read(containerId, file, tail)) pieces.push(piece);
    all.push({ containerId, file, content: Buffer.concat(pieces).toString() });
  }
  printJson(all);
}

/** Prints pieces of several files, with a heading where another one goes on. */
class Printer {
  #last = '';
  readonly #json: boolean;
  readonly #decoders = new Map<string, TextDecoder>();
  /** `performance.now()` of the last piece. */
  lastMs = performance.now();

  constructor(json: boolean) {
    this.#json = json;
  }

  /** Resolves when more may be printed. */
  async print(containerId: string, file: string, content: Uint8Array): Promise<void> {
    this.lastMs = performance.now();
    const key = `${containerId} ${file}`;
    let shown: string | Uint8Array = content;
    if (this.#json) {
      // A character may come in two pieces.
      const decoder = this.#decoders.get(key) ?? new TextDecoder();
      this.#decoders.set(key, decoder);
      shown = `${JSON.stringify({ containerId, file, content: decoder.decode(content, { stream: true }) })}\n`;
    } else if (key !== this.#last) printText(`==> ${key} <==\n`);
    this.#last = key;
    await printContents(shown);
    this.lastMs = performance.now();
  }
}

/**
 * Follows every file of every container, those that come later too, until the application is over and all is printed. A single container is
 * followed to its own end.
 */
async function followLogs(connection: Connection, id: string, flags: LogFlags): Promise<void> {
  const printer = new Printer(flags.json ?? false);
  const followed = new Map<string, Promise<void>>();
  const aborting = new AbortController();
  let over = false;
  let reading = 0;
  const follow = (containerId: string, file: string): void => {
    const key = `${containerId} ${file}`;
    if (followed.has(key)) return;
    const log = { url: connection.resourceManagerUrl, ...connection.credentials, containerId, file };
    const read = async (): Promise<void> => {
      for await (const piece of streamLog(log, aborting.signal, () => over)) await printer.print(containerId, file, piece);
      reading--;
    };
    reading++;
    followed.set(key, read());
  };
  const look = async (): Promise<void> => {
    for (const place of await placesOf(connection, id, over).catch(() => []))
      for (const { containerId, file } of (await talk(() => logsOf(place, connection, flags))) ?? []) follow(containerId, file);
  };
  for (;;) {
    const { state, finalStatus, logAggregationStatus } = await talkPatiently(() => connection.cluster.application(id));
    over = isFinalApplicationState(state);
    // The log of a container ends with it: what it has written since the last look is found by this one.
    const isContainerOver = flags.container !== undefined && followed.size > 0 && reading === 0;
    await look();
    if (isContainerOver && !over && reading === 0) return;
    if (over) {
      // Containers that came and went between two looks are found where logs are gathered.
      const end = performance.now() + longestGatheringMs;
      for (let status = logAggregationStatus; isGathering(status) && performance.now() < end; ) {
        await new Promise((resolve) => setTimeout(resolve, pollMs));
        status = (await talkPatiently(() => connection.cluster.application(id))).logAggregationStatus;
      }
      await look();
      // Nodes that do not answer any more are not waited for.
      printer.lastMs = performance.now();
      const timer = setInterval(() => {
        if (performance.now() - printer.lastMs > longestGatheringMs) aborting.abort();
      }, pollMs);
      await Promise.all(followed.values());
      clearInterval(timer);
      printNote(`${id} is over: ${state}${finalStatus && finalStatus !== state ? `, ${finalStatus}` : ''}\n`);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
