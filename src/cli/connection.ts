// From a command's options to clients of a running cluster.
import { believeAuthorities } from '../client/authorities.ts';
import { ClusterClient } from '../client/cluster-client.ts';
import { type Authorize, bearing, ProofMissing, readTokenFile } from '../client/credentials.ts';
import { Unreachable } from '../client/http.ts';
import { RemoteFailure } from '../client/remote-failure.ts';
import { operatorAuthorization } from '../client/server-credentials.ts';
import { ticketAuthorization } from '../client/tickets.ts';
import { isLoopback } from '../config/exposure.ts';
import type { Configuration } from '../config/load.ts';
import { resourceManagerRpc } from '../config/rpc-ports.ts';
import { commonSettings } from '../config/settings/common.ts';
import { securitySettings } from '../config/settings/security.ts';
import { parseAddress } from '../config/values.ts';
import { type ServerAddress, serverAddress } from '../config/web-addresses.ts';
import { ownUserName } from '../lib/own-user.ts';
import { systemErrorText } from '../lib/system-error.ts';
import { withoutTrailing } from '../lib/trailing.ts';
import { awaitClusterFile, type ClusterFile, startedClusterFile } from './cluster-file.ts';
import { contextOf, isContextName } from './contexts.ts';
import { CommandFailure } from './failure.ts';
import { type ClusterFlags, configurationOf, dataDirectory } from './options.ts';
import { formatDuration, printNote } from './output.ts';

/** A running cluster, as a command reaches it. */
export interface Connection {
  readonly cluster: ClusterClient;
  readonly resourceManagerUrl: string;
  /** `HOST:PORT` of its port for clients over Hadoop RPC. */
  readonly resourceManagerRpc: string;
  readonly historyUrl: string;
  readonly timelineUrl: string;
  /** Where version 2 of the timeline is read. */
  readonly readerUrl: string;
  /** The web proxy, where the settings name one of its own. */
  readonly proxyUrl: string | undefined;
  /** How long a resource manager is waited for that has not answered yet; undefined: without end. */
  readonly firstPatienceMs: number | undefined;
  readonly user: string;
  /** Who calls and how that is proved, as clients take it. */
  readonly credentials: Credentials;
}

/** Whom a command acts as. */
export interface Credentials {
  readonly user: string;
  /** Undefined: the name alone. */
  readonly authorize: Authorize | undefined;
}

/** The base URL that a text names, with or without a scheme; `source` gave it. @throws CommandFailure */
export function baseUrl(text: string, source: string): string {
  const withScheme = /^https?:\/\//.test(text) ? text : `http://${text}`;
  const address = /^https?:\/\/([^/]+)/.exec(withScheme)?.[1];
  if (!URL.canParse(withScheme) || !address || !parseAddress(address, 80)) {
    throw new CommandFailure(`${source}: '${text}' is no address`, 'Give for example http://127.0.0.1:8088.', 2);
  }
  const { origin, pathname } = new URL(withScheme);
  // A gateway may have the server below a prefix. Addresses of pages are taken, too.
  return `${origin}${withoutTrailing(pathname.replace(/\/(?:ui|cluster)(?:\/.*)?$/, ''), '/')}`;
}

/** An address to connect to: who listens everywhere is reached on loopback. */
function reachable({ address, scheme }: Pick<ServerAddress, 'address' | 'scheme'>): string {
  const parsed = parseAddress(address, 80);
  if (!parsed) return `${scheme}://${address}`;
  const host = parsed.host === '0.0.0.0' || parsed.host === '::' ? '127.0.0.1' : parsed.host;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${parsed.port}`;
}

/**
 * Where a server is looked for: where the settings say, or, of a cluster that was named by its address alone, on the machine of its resource manager.
 * Who is spoken to by TLS is not left for a server in clear text.
 */
function placeOf(configuration: Configuration, server: 'history' | 'timeline' | 'reader', namedUrl: string | undefined): string {
  const found = serverAddress(configuration, server);
  const place = reachable(found);
  if (namedUrl === undefined || configuration.origin(found.key) !== undefined) return place;
  const [url, named] = [new URL(place), new URL(namedUrl)];
  if (!isLoopback(url.hostname.replace(/^\[|\]$/g, '')) || named.protocol !== url.protocol) return place;
  url.hostname = named.hostname;
  return url.origin;
}

/** Whether the settings, not only their defaults, say where the resource manager answers. */
const saysWhere = (configuration: Configuration): boolean =>
  ['yarn.resourcemanager.webapp.address', 'yarn.resourcemanager.webapp.https.address', 'yarn.resourcemanager.hostname'].some(
    (key) => configuration.origin(key) !== undefined,
  );

/** A data folder that is named counts over settings: ports that `heddle up --ports auto` took stand in no file of theirs. */
const namesFolder = ({ data, conf }: ClusterFlags): boolean =>
  data !== undefined || (conf === undefined && process.env['HEDDLE_DATA'] !== undefined);

/**
 * Where the cluster answers: `--cluster` or `HEDDLE_CLUSTER`, an address or a name; else, where no folder is named, the current context; else the
 * cluster that runs on a data folder that is named; else the resource manager's address where a file of `--conf` names one; else the cluster on
 * the usual data folder; else YARN's port.
 */
export const connect = (given: ClusterFlags): Connection => connection(given, { clusterFile: awaitClusterFile });

/** The same for who has no time: a cluster that is starting is not waited for, and the signal ends each call of `cluster`. */
export const connectSoon = (given: ClusterFlags, signal: AbortSignal): Connection =>
  connection(given, { clusterFile: startedClusterFile, signal });

interface ConnectionWays {
  readonly clusterFile: (dataDir: string) => ClusterFile | undefined;
  readonly signal?: AbortSignal;
}

function connection(given: ClusterFlags, { clusterFile, signal }: ConnectionWays): Connection {
  const context = contextOf(given);
  const flags: ClusterFlags = context ? { ...context, ...withoutCluster(given) } : given;
  const configuration = configurationOf(flags);
  const proxy = serverAddress(configuration, 'proxy');
  const named = flags.cluster ?? (context ? undefined : process.env['HEDDLE_CLUSTER']);
  const mayRun = named === undefined && (namesFolder(flags) || !saysWhere(configuration));
  const running = mayRun ? clusterFile(dataDirectory(flags)) : undefined;
  const addressOf = (role: string): string | undefined => running?.addresses[role]?.['web'];
  // Those that the settings name, or else those of the cluster that runs on the data folder.
  believeAuthorities(configuration, running?.authorityFile);
  const user = flags.user ?? process.env['HADOOP_USER_NAME'] ?? ownUserName();
  const resourceManagerUrl =
    named !== undefined
      ? baseUrl(named, flags.cluster === undefined ? 'HEDDLE_CLUSTER' : '--cluster')
      : (addressOf('resource-manager') ?? reachable(serverAddress(configuration, 'resource-manager')));
  const { connectMaximumWaitMs } = configuration.values(commonSettings);
  const credentials = { user, authorize: authorizationOf(flags, configuration, user, resourceManagerUrl, clusterFile) };
  const placeOfServer = (server: 'history' | 'timeline' | 'reader') =>
    placeOf(configuration, server, named === undefined ? undefined : resourceManagerUrl);
  return {
    // What is printed as JSON is for programs, which count with it.
    cluster: new ClusterClient({ url: resourceManagerUrl, ...credentials, signal, isExact: flags.json ?? false }),
    credentials,
    resourceManagerUrl,
    resourceManagerRpc: running?.addresses['resource-manager']?.['rpc'] ?? configuration.get(resourceManagerRpc.rpc.key) ?? '',
    historyUrl: context?.history ?? addressOf('history') ?? placeOfServer('history'),
    timelineUrl: context?.timeline ?? addressOf('timeline') ?? placeOfServer('timeline'),
    readerUrl: running?.addresses['timeline']?.['reader'] ?? placeOfServer('reader'),
    proxyUrl: proxy.address === '' ? undefined : reachable(proxy),
    firstPatienceMs: connectMaximumWaitMs < 0 ? undefined : connectMaximumWaitMs,
    user,
  };
}

/** Without what named the context. */
const withoutCluster = ({ cluster: _, ...flags }: ClusterFlags): ClusterFlags => flags;

/** A token where one is given; else what the user may prove who runs the cluster of the data folder; else a ticket where the settings ask for one. */
function authorizationOf(
  flags: ClusterFlags,
  configuration: Configuration,
  user: string,
  url: string,
  clusterFile: ConnectionWays['clusterFile'],
): Authorize | undefined {
  const { tokenFile: configured } = configuration.values(securitySettings);
  const path = flags.tokenFile ?? process.env['HEDDLE_TOKEN_FILE'] ?? configured;
  if (path !== undefined) {
    try {
      return bearing(readTokenFile(path));
    } catch (error) {
      throw new CommandFailure(systemErrorText(error), 'Give --token-file a file with what "heddle token create" printed.', 2);
    }
  }
  const isOwn = clusterFile(dataDirectory(flags))?.addresses['resource-manager']?.['web'] === url;
  return (isOwn ? operatorAuthorization(configuration, user) : undefined) ?? ticketAuthorization(configuration);
}

/** Runs a command's work; turns failures of the network and refusals into one clear line with a remedy. */
export async function talk<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProofMissing)
      throw new CommandFailure(error.message, 'Get one with kinit, or give a token with --token-file FILE.');
    if (error instanceof Unreachable) {
      throw Object.assign(new CommandFailure(error.message, remedyOfSilence(error.message)), { cause: error });
    }
    if (error instanceof RemoteFailure) throw new CommandFailure(error.message, remedyOf(error));
    throw error;
  }
}

/** A word alone that `--cluster` gave is the name of a cluster, or else of a host. */
function remedyOfSilence(message: string): string {
  const word = /^http:\/\/([^/:.]+) does not answer/.exec(message)?.[1];
  if (word !== undefined && isContextName(word))
    return `No cluster is called ${word} ("heddle context list" shows those that are), and no machine of that name answers.`;
  return 'Is the cluster running ("heddle up")? Name it with --cluster URL or NAME, --conf DIR or --data DIR.';
}

const patienceMs = 120_000;
const retryMs = 250;

/** How it looks from outside when a server is being restarted. */
const restartCodes: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** As `talk`, for who follows something: waits two minutes for a resource manager that is being restarted. */
export const talkPatiently = <Value>(work: () => Promise<Value>): Promise<Value> => talkFor(patienceMs, work, () => true, 'still trying');

/**
 * As `talk`, for the first call of a command that brings work: the resource manager may just be restarting. What does not look like that (no such
 * machine, another certificate) is told at once. @throws CommandFailure
 */
export function talkAtFirst<Value>(
  { firstPatienceMs = Number.POSITIVE_INFINITY }: Pick<Connection, 'firstPatienceMs'>,
  work: () => Promise<Value>,
): Promise<Value> {
  const howLong = firstPatienceMs === Number.POSITIVE_INFINITY ? '' : ` for ${formatDuration(firstPatienceMs)}`;
  return talkFor(firstPatienceMs, work, ({ code }) => restartCodes.has(code), `trying${howLong}, in case it is being restarted`);
}

/** As `talk`, again and again for a time where nothing answers in a way that may pass. */
async function talkFor<Value>(
  forMs: number,
  work: () => Promise<Value>,
  mayPass: (silence: Unreachable) => boolean,
  whatIsDone: string,
): Promise<Value> {
  const endMs = performance.now() + forMs;
  for (let told = false; ; told = true) {
    try {
      return await talk(work);
    } catch (error) {
      const isSilence = error instanceof CommandFailure && error.cause instanceof Unreachable && mayPass(error.cause);
      if (!isSilence || performance.now() >= endMs) throw error;
      if (!told) printNote(`heddle: ${error.message}; ${whatIsDone}\n`);
      await new Promise((wake) => setTimeout(wake, retryMs));
    }
  }
}

function remedyOf(error: RemoteFailure): string | undefined {
  const ofToken = remediesOfTokens.find(([words]) => words.test(error.message))?.[1];
  if (ofToken !== undefined) return ofToken;
  if (error.status === 401) return 'Say who you are with --user NAME, or prove it with --token-file FILE.';
  const scope = /^The token of .* needs the scope (\w+)\.$/.exec(error.message)?.[1];
  if (scope !== undefined) return `Give another with --token-file: "heddle token create NAME --scope ${scope}" makes one.`;
  if (/^A webhook may not go to /.test(error.message))
    return 'heddle.webhooks.allowed-hosts names hosts and networks that are not public and may be reached all the same.';
  if (error.status === 403) return 'Act as a user who may do this with --user NAME, or ask an administrator.';
  if (/ the right server\?$|^There is nothing at /.test(error.message))
    return 'Name the cluster with --cluster URL or NAME, --conf DIR or --data DIR; an address is that of its resource manager.';
  if (error.status === 404 && (error.url.includes('/apps/') || error.url.includes('/applications/')))
    return '"heddle app list" shows the applications there are.';
  if (error.status === 404 && error.url.includes('/nodes/')) return '"heddle node list --all" shows the nodes there are.';
  const owned = /^You have no (schedule|token|webhook) /.exec(error.message)?.[1];
  if (owned !== undefined) return `"heddle ${owned} list" shows those there are.`;
  return remedyByWords(error.message);
}

/** What helps against a refusal in Hadoop's words, which may also come as the diagnostics of an application. */
export const remedyByWords = (text: string): string | undefined => remediesByWords.find(([words]) => words.test(text))?.[1];

/** What helps where the token, or whose the connection is, is what is refused, and no other name of the caller would do. */
const remediesOfTokens: readonly (readonly [words: RegExp, remedy: string])[] = [
  [
    /^Callers need not prove their names here, so on loopback only/,
    'A name does not help. Have who is served make you a token ("heddle token create NAME --user YOU --out FILE"), and give it with --token-file.',
  ],
  [
    /^Callers of this cluster prove who they are with a bearer token/,
    'Give yours with --token-file FILE. Whoever runs the cluster makes one on its machine ("heddle token create NAME --scope submit --out FILE"), and acts there with --user NAME.',
  ],
  [/^The bearer token does not count/, 'Give another with --token-file: "heddle token create NAME" makes one.'],
  [/^The token of \S+ does not reach /, 'Give another with --token-file: "heddle token create NAME --queue QUEUE" makes one.'],
  [
    /with a bearer token of the scope admin for all queues, or without a token\.$/,
    'Leave --token-file away, or give one that was made with --scope admin.',
  ],
];

/** What shows the names that a refusal in Hadoop's words is about. */
const remediesByWords: readonly (readonly [words: RegExp, remedy: string])[] = [
  [
    /^Job commit from a prior MRAppMaster attempt/,
    'A master died while it put the output in its place: some of it may be missing. Remove the output folder and submit the job again; with -D mapreduce.fileoutputcommitter.algorithm.version=2 the next master goes on with a commit.',
  ],
  [
    /: it lies on a disk that cannot be written$/m,
    'If you can write there yourself: containers of a cluster that root started may not write in the folder of --data, in those of the system or in hidden ones of root. Name another folder.',
  ],
  [
    /\bqueue: \S+ (?:doesn't exist|is not a Leaf Queue)|^Unknown queue: |^there is no queue /i,
    '"heddle queue list" shows the queues there are.',
  ],
  [/Invalid ApplicationId\b/, 'An id is such as application_1700000000000_0001; "heddle app list" shows those there are.'],
  [
    /Invalid ContainerId\b/,
    'An id is such as container_1700000000000_0001_01_000002; "heddle app containers ID" shows those of an application.',
  ],
  [/^You have a schedule .* already/, '--replace puts this one in its place.'],
  [/ has a token named .* already$/, 'Take another name, or end that one with "heddle token revoke NAME".'],
  [/ is no cron expression\b/, "Write one such as '30 2 * * 1-5' (at 2:30 from Monday to Friday), or @daily."],
  [
    /^Reservation is not enabled/,
    'yarn.resourcemanager.reservation-system.enable=true turns reservations on, for queues that are reservable.',
  ],
  [/node label not enabled|Node-label-based scheduling is disabled/, 'yarn.node-labels.enabled=true turns labels on.'],
  [
    /^Timeline entity .* is not found$/,
    '"heddle timeline types" shows the types there are, "heddle timeline list TYPE" the entities of one.',
  ],
  [
    /reservation id is invalid|reservation with ID: .* is unknown|does not exist in the plan|reservation which is not currently active/i,
    '"heddle reservation list QUEUE" shows those there are.',
  ],
  [
    /The request cannot be satisfied$/,
    'Ask for less, or give it more time with --until; "heddle queue show QUEUE" says how much the queue has.',
  ],
  [/equal to the minimum resource duration/, 'Give a later --until, or a shorter duration.'],
  [/^Exclusivity cannot be modified/, '"heddle label remove" takes it away; then it can be added anew.'],
  [/Illegal capacity of /, 'Give a percentage from 0 to 100.'],
  [/^Incomplete entity without entity id\/type/, 'Each entity has a member entity (its id) and a member entitytype.'],
  [/ has no programs to look at its files/, 'Add them to the image, or look with "heddle container exec ID -- COMMAND" and what it has.'],
  [
    /^There is no .* in container /,
    '"heddle container files ID" lists its folder; what it writes to stdout and stderr is in "heddle container logs ID".',
  ],
  [/absent container/, '"heddle app containers ID" shows the containers of an application.'],
  [/Invalid NodeId\b/, '"heddle node list --all" shows the nodes there are.'],
  [/\bto (?:unknown|non-leaf) queue ?:/, '"heddle queue list" shows the queues there are; work runs in those that have none below them.'],
  [
    /is more than the largest allowed \(|greater than maximum allowed allocation/,
    'Ask for less with --memory and --vcores; "heddle cluster status" shows what there is.',
  ],
  [
    /is not managed by reservation system/,
    '"heddle queue list" shows the queues there are; one is reservable by yarn.scheduler.capacity.QUEUE.reservable=true.',
  ],
  [/to be removed doesn't existed in cluster node labels/, '"heddle label list" shows the labels there are.'],
  [
    /cluster do not contain , label=|Not all labels being replaced/,
    '"heddle label list" shows the labels there are, "heddle label add" adds one.',
  ],
];
