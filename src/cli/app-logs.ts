// `heddle app logs [--follow]`: what the containers of an application wrote, from the nodes while it runs, afterwards from where logs are gathered.
import type { Command } from 'commander';
import { Unreachable } from '../client/http.ts';
import { streamLog } from '../client/log-stream.ts';
import { LogClient } from '../client/node-client.ts';
import { isOver } from './app-state.ts';
import { type Connection, connect, talk, talkPatiently } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, wholeNumber, withClusterOptions } from './options.ts';
import { printJson } from './output.ts';

interface LogFlags extends ClusterFlags {
  readonly container?: string;
  readonly file?: string;
  readonly tail?: number;
  readonly follow?: boolean;
  readonly all?: boolean;
}

interface Place {
  readonly containerId: string;
  readonly client: LogClient;
}

const pollMs = 300;
/** How long is waited for logs to be gathered after the end. */
const longestGatheringMs = 10_000;
const isGathering = (status: string | undefined): boolean => ['NOT_START', 'RUNNING', 'RUNNING_WITH_FAILURE'].includes(status ?? '');
/** Files about the start of a container: shown when asked for. */
const startFiles = new Set(['directory.info', 'launch_container.sh', 'prelaunch.out', 'prelaunch.err']);

/** Whether a file is among those wanted. */
function isWanted(file: string, flags: LogFlags): boolean {
  return flags.file === undefined ? flags.all || !startFiles.has(file) : flags.file === file;
}

/** Registers `heddle app logs`. */
export function addApplicationLogs(app: Command): void {
  withClusterOptions(app.command('logs').argument('<application>', 'its id'))
    .description('print the logs of its containers')
    .option('--container <id>', 'only this container')
    .option('--file <name>', 'only this file, such as stdout')
    .option('--tail <bytes>', 'only the end of each file', wholeNumber(1))
    .option('--all', 'also files about the start of containers, and empty ones')
    .option('-f, --follow', 'go on until the application is over')
    .action(logs);
}

/** Containers and where their logs are: on nodes for those that the cluster still knows, else in the history. */
async function placesOf(connection: Connection, id: string, over: boolean): Promise<Place[]> {
  const { cluster, user } = connection;
  const places = new Map<string, Place>();
  const addNode = (containerId: string | undefined, address: string | undefined): void => {
    if (!containerId || !address || places.has(containerId)) return;
    const url = /^https?:/.test(address) ? address : `http://${address}`;
    places.set(containerId, { containerId, client: new LogClient('node', url, user) });
  };
  if (!over) {
    for (const attempt of await cluster.attempts(id)) {
      addNode(attempt.containerId, attempt.nodeHttpAddress);
      if (!attempt.appAttemptId) continue;
      for (const container of await cluster.containers(id, attempt.appAttemptId)) addNode(container.containerId, container.nodeHttpAddress);
    }
    return [...places.values()];
  }
  const history = new LogClient('history', connection.historyUrl, user);
  const gathered = await history.containersOf(id).catch(() => []);
  for (const containerId of gathered) places.set(containerId, { containerId, client: history });
  // What was not gathered may still lie on the node.
  for (const attempt of await cluster.attempts(id).catch(() => [])) addNode(attempt.containerId, attempt.nodeHttpAddress);
  return [...places.values()];
}

async function logs(id: string, flags: LogFlags): Promise<void> {
  const connection = connect(flags);
  let state = (await talk(() => connection.cluster.application(id))).state;
  if (flags.follow && !isOver(state)) return followLogs(connection, id, flags);
  const collected: { containerId: string; file: string; content: string }[] = [];
  const end = Date.now() + longestGatheringMs;
  for (;;) {
    for (const { containerId, client } of await talk(() => placesOf(connection, id, isOver(state)))) {
      if (flags.container !== undefined && flags.container !== containerId) continue;
      for (const file of await filesOf(client, containerId)) {
        if (!isWanted(file.name, flags)) continue;
        const piece = await talk(() => client.tail(containerId, file.name, flags.tail));
        if (piece) collected.push({ containerId, file: file.name, content: piece.content.toString() });
      }
    }
    // Gathering may not have finished when the application has.
    const gathering = isOver(state) && isGathering((await connection.cluster.application(id)).logAggregationStatus);
    if (collected.length > 0 || !gathering || Date.now() > end) break;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    state = (await talk(() => connection.cluster.application(id))).state;
  }
  if (flags.json) return printJson(collected);
  if (collected.length === 0) {
    throw new CommandFailure(
      flags.container === undefined && flags.file === undefined ? `there are no logs of ${id}` : `there is no such log of ${id}`,
      isOver(state)
        ? 'Logs stay readable after the end where yarn.log-aggregation-enable is true and the history server runs.'
        : 'Its containers have not started yet; try --follow.',
    );
  }
  const shown = flags.all || flags.file !== undefined ? collected : collected.filter(({ content }) => content !== '');
  for (const { containerId, file, content } of shown) {
    if (shown.length > 1) process.stdout.write(`==> ${containerId} ${file} <==\n`);
    process.stdout.write(content.endsWith('\n') || content === '' ? content : `${content}\n`);
  }
}

async function filesOf(client: LogClient, containerId: string): Promise<{ name: string }[]> {
  try {
    return await client.files(containerId);
  } catch (error) {
    if (error instanceof Unreachable) return [];
    throw error;
  }
}

/** Prints pieces of several files, with a heading where another one goes on. */
class Printer {
  #last = '';
  readonly #json: boolean;

  constructor(json: boolean) {
    this.#json = json;
  }

  print(containerId: string, file: string, content: Uint8Array): void {
    if (this.#json) {
      process.stdout.write(`${JSON.stringify({ containerId, file, content: Buffer.from(content).toString() })}\n`);
      return;
    }
    const key = `${containerId} ${file}`;
    if (key !== this.#last) process.stdout.write(`==> ${key} <==\n`);
    this.#last = key;
    process.stdout.write(content);
  }
}

/** Follows every file of every container, those that come later too, until the application is over and all is printed. */
async function followLogs(connection: Connection, id: string, flags: LogFlags): Promise<void> {
  const printer = new Printer(flags.json ?? false);
  const followed = new Map<string, Promise<void>>();
  const aborting = new AbortController();
  let over = false;
  const follow = (containerId: string, file: string): void => {
    const key = `${containerId} ${file}`;
    if (followed.has(key)) return;
    const log = { url: connection.resourceManagerUrl, user: connection.user, containerId, file };
    const reading = async (): Promise<void> => {
      for await (const piece of streamLog(log, aborting.signal, () => over)) printer.print(containerId, file, piece);
    };
    followed.set(key, reading());
  };
  const look = async (): Promise<void> => {
    for (const { containerId, client } of await placesOf(connection, id, over).catch(() => [])) {
      if (flags.container !== undefined && flags.container !== containerId) continue;
      for (const file of await filesOf(client, containerId)) if (isWanted(file.name, flags)) follow(containerId, file.name);
    }
  };
  for (;;) {
    const { state, finalStatus, logAggregationStatus } = await talkPatiently(() => connection.cluster.application(id));
    over = isOver(state);
    await look();
    if (over) {
      // Containers that came and went between two looks are found where logs are gathered.
      const end = performance.now() + longestGatheringMs;
      for (let status = logAggregationStatus; isGathering(status) && performance.now() < end; ) {
        await new Promise((resolve) => setTimeout(resolve, pollMs));
        status = (await talkPatiently(() => connection.cluster.application(id))).logAggregationStatus;
      }
      await look();
      const timer = setTimeout(() => aborting.abort(), longestGatheringMs);
      await Promise.all(followed.values());
      clearTimeout(timer);
      process.stderr.write(`${id} is over: ${state}${finalStatus && finalStatus !== state ? `, ${finalStatus}` : ''}\n`);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
