// `heddle server log|log-level`: what a server of the cluster writes to its own log, and from which level on.
import { Argument, type Command, Option } from 'commander';
import { HttpClient, Unreachable } from '../client/http.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import { ServerLogClient, type WantedLines } from '../client/server-log.ts';
import { isoTime } from '../lib/iso-time.ts';
import { textOfLine } from '../lib/log-text.ts';
import { logLevels, longestLevelChangeMs, type ServerLog, type ServerLogLine } from '../wire/cluster/server-log.ts';
import { timeMs } from './amounts.ts';
import { baseUrl, type Connection, connect, talk, talkPatiently } from './connection.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, wholeNumber, withClusterOptions } from './options.ts';
import { formatTime, jsonLine, printJson, printNote, printText } from './output.ts';

/** Servers that a cluster has one of, and nodes. */
const roles = ['resource-manager', 'node-manager', 'timeline', 'history', 'proxy'] as const;

/** Which server. */
interface ServerFlags extends ClusterFlags {
  readonly role?: (typeof roles)[number];
  readonly node?: string;
  readonly url?: string;
}

interface LogFlags extends ServerFlags {
  readonly level?: string;
  readonly match?: string;
  readonly request?: string;
  readonly tail: number;
  readonly follow?: boolean;
}

/** How long is waited before a stream that ended is taken up again. */
const againMs = 1000;

/** Registers `heddle server …`. */
export function addServer(program: Command): void {
  const server = program
    .command('server')
    .description("servers of the cluster: what they write to their logs, for the cluster's administrators");
  withServerOptions(server.command('log'))
    .description('print the last lines of the log of a server (default: of the resource manager)')
    .addOption(new Option('--level <level>', 'only lines of this level and above').choices(logLevels))
    .option('--match <text>', 'only lines with this in them, in any case')
    .option('--request <id>', 'only lines about the request of this id (X-Request-Id)')
    .option('--tail <lines>', 'so many lines at most', wholeNumber(1, 2000), 100)
    .option('-f, --follow', 'go on with the lines that come')
    .action(log);
  withServerOptions(
    server.command('log-level').addArgument(new Argument('[level]', 'the new one; without, it is shown').choices([...logLevels, 'silent'])),
  )
    .description('show or change from which level on a server writes lines (default: the resource manager)')
    .option('--for <time>', 'for so long, such as 10m, up to 7d; then it is as it was (default: until the server is started anew)', timeMs)
    .action(level);
}

const withServerOptions = (command: Command): Command =>
  withClusterOptions(command)
    .addOption(new Option('--role <role>', 'the server with this role').choices(roles))
    .option('--node <node>', 'the node manager of this node')
    .option('--url <url>', 'the server at this address');

/** The server that is meant. @throws CommandFailure where it is not clear which */
async function serverOf(flags: ServerFlags): Promise<{ readonly name: string; readonly client: ServerLogClient }> {
  const given = [
    flags.role !== undefined && flags.role !== 'node-manager' && '--role',
    flags.node && '--node',
    flags.url && '--url',
  ].filter(Boolean);
  if (given.length > 1) throw new CommandFailure(`${given.join(' and ')} name two servers`, 'Leave one of them away.', 2);
  const connection = connect(flags);
  const url = await urlOf(connection, flags);
  return { name: url, client: new ServerLogClient(new HttpClient({ url, ...connection.credentials })) };
}

async function urlOf(connection: Connection, { role, node, url }: ServerFlags): Promise<string> {
  if (url !== undefined) return baseUrl(url, '--url');
  if (node !== undefined || role === 'node-manager') return urlOfNode(connection, node);
  if (role === 'timeline') return connection.timelineUrl;
  if (role === 'history') return connection.historyUrl;
  if (role !== 'proxy') return connection.resourceManagerUrl;
  if (connection.proxyUrl !== undefined) return connection.proxyUrl;
  throw new CommandFailure('The cluster has no web proxy of its own', 'The resource manager is the proxy there: leave --role away.');
}

/** Where a node answers: the one that there is, where none is named. */
async function urlOfNode({ cluster, resourceManagerUrl }: Connection, named: string | undefined): Promise<string> {
  const running = named === undefined ? await talk(() => cluster.nodes('RUNNING,UNHEALTHY,DECOMMISSIONING')) : [];
  const id = named ?? (running.length === 1 ? running[0]?.id : undefined);
  if (id === undefined)
    throw new CommandFailure(
      `The cluster has ${running.length === 0 ? 'no node that answers' : `${running.length} nodes`}`,
      running.length === 0
        ? '"heddle node list --all" shows the nodes there are.'
        : 'Say which with --node; "heddle node list" shows them.',
    );
  const { nodeHTTPAddress, state } = await talk(() => cluster.node(id));
  if (!nodeHTTPAddress) throw new CommandFailure(`${id} is ${state}: it cannot be asked`, '"heddle node list --all" shows the nodes.');
  return `${new URL(resourceManagerUrl).protocol}//${nodeHTTPAddress}`;
}

async function log(flags: LogFlags): Promise<void> {
  const { name, client } = await serverOf(flags);
  const wanted: WantedLines = { level: flags.level, text: flags.match, request: flags.request };
  const first = await talk(() => client.lines({ ...wanted, limit: flags.tail }));
  sayLess(first, flags.level);
  for (const line of first.lines) printLine(line, flags);
  if (flags.follow) return follow(client, wanted, first, flags);
  if (first.lines.length === 0) printNote(`heddle: note: no line of the last ones of ${name} is among those asked for\n`);
  else if (first.more) printNote(`heddle: note: there are earlier ones${flags.tail < 2000 ? '; --tail 2000 prints them' : ''}\n`);
}

/** Says so where lines are asked for that are not written. */
function sayLess({ writtenFrom }: ServerLog, level: string | undefined): void {
  const all: readonly string[] = [...logLevels, 'silent'];
  if (level !== undefined && all.indexOf(level) < all.indexOf(writtenFrom))
    printNote(
      `heddle: note: lines are written from ${writtenFrom} on; "heddle server log-level ${level} --for 10m" has all of them written\n`,
    );
}

/** Goes on with what comes, over the end of a stream and a start of the server anew. */
async function follow(client: ServerLogClient, wanted: WantedLines, first: ServerLog, flags: LogFlags): Promise<void> {
  let after = first.lines.at(-1)?.number ?? 0;
  // Where lines were left out, those before are known not to be wanted.
  if (first.lines.length === 0) after = (await talk(() => client.lines({ limit: 1 }))).lines.at(-1)?.number ?? 0;
  const { signal } = new AbortController();
  for (;;) {
    await talkPatiently(async () => {
      try {
        for await (const news of client.follow({ ...wanted, limit: 2000 }, after, signal)) {
          if (!('lines' in news)) continue;
          for (const line of news.lines) printLine(line, flags);
          after = news.upTo;
        }
      } catch (error) {
        // Whoever takes no connections is gone, and begins to count anew.
        if (error instanceof Unreachable && error.code === 'ECONNREFUSED') after = 0;
        if (error instanceof Unreachable || error instanceof RemoteFailure) throw error;
        // Broken off in the midst.
      }
    });
    await new Promise((wake) => setTimeout(wake, againMs));
  }
}

function printLine({ number, time, level: word, message, fields }: ServerLogLine, { json }: ClusterFlags): void {
  const members = fields === '' ? {} : (JSON.parse(fields) as Record<string, unknown>);
  // One a line, so that programs can read them as they come.
  if (json) return printText(jsonLine({ number, time, level: word, message, fields: members }));
  printText(textOfLine(JSON.stringify({ ...members, level: word.toUpperCase(), time, msg: message })));
}

async function level(wanted: string | undefined, flags: ServerFlags & { readonly for?: number }): Promise<void> {
  if (wanted === undefined && flags.for !== undefined)
    throw new CommandFailure('--for says how long a level counts: which?', 'Give one, such as debug.', 2);
  if (flags.for !== undefined && flags.for > longestLevelChangeMs)
    throw new CommandFailure(
      '--for: a level is changed for seven days at most',
      'Without --for it counts until the server is started anew.',
      2,
    );
  const { name, client } = await serverOf(flags);
  // Who may not look hears so before anything is changed.
  const before = await talk(() => client.lines({ limit: 0 }));
  if (wanted !== undefined) await talk(() => client.changeLevel(wanted, flags.for === undefined ? undefined : flags.for / 1000));
  const { writtenFrom, change } = wanted === undefined ? before : await talk(() => client.lines({ limit: 0 }));
  if (flags.json)
    return printJson({ url: name, level: writtenFrom, ...(change && { until: isoTime(change.untilMs), afterwards: change.afterwards }) });
  const until = change
    ? ` until ${formatTime(change.untilMs)}, then ${change.afterwards} again`
    : wanted === undefined
      ? ''
      : ' until it is started anew; --for 10m changes it for ten minutes';
  printText(`${name} writes lines from ${writtenFrom} on${until}.\n`);
}
