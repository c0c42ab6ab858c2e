// The tree in which nodes leave the aggregated logs of applications, and what may be read from it:
// <root>/<user>/bucket-<suffix>/<number mod 10000, four digits>/<application>/<host>_<port>
// (LogAggregationUtils and LogAggregationTFileController of Hadoop 3.4; <suffix> is `logs-tfile`).
// The log endpoints of the history server and of the application history share what is here.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { attemptIdOfContainer, parseApplicationId } from '../../model/ids.ts';
import { type AggregatedFile, type AggregatedRange, listAggregatedLog, readAggregatedFiles } from './aggregated-log.ts';
import { UnreadableTfile } from './tfile.ts';

/** Where aggregated logs lie. */
export interface AggregatedLogTree {
  /** `yarn.nodemanager.remote-app-log-dir`. */
  readonly root: string;
  /** `yarn.nodemanager.remote-app-log-dir-suffix` with the controller's name, `logs-tfile`. */
  readonly suffix: string;
  /** Copies an application's logs to this tree from where they lie; absent: they lie here. */
  readonly bring?: (applicationId: string, owner: string | undefined) => Promise<void>;
}

/** The name under which this format is known to clients. */
export const logFileController = 'TFile';

/** The tree of the settings: the suffix carries the controller's name. */
export const aggregatedLogTree = (root: string, suffix: string): AggregatedLogTree => ({
  root,
  suffix: `${suffix}-${logFileController.toLowerCase()}`,
});

/** `<root>/<user>/bucket-<suffix>`. The user comes from the cluster, not from a caller: it is not checked here. */
export const userLogFolder = (tree: AggregatedLogTree, user: string): string => `${tree.root}/${user}/bucket-${tree.suffix}`;

/** The folder of an application's aggregated logs. @throws InvalidId */
export function applicationLogFolder(tree: AggregatedLogTree, user: string, applicationId: string): string {
  const bucket = String(parseApplicationId(applicationId).sequence % 10_000).padStart(4, '0');
  return `${userLogFolder(tree, user)}/${bucket}/${applicationId}`;
}

/** The folder in which releases before 3.3 kept an application's logs; Hadoop's sentences name it where nothing is found. */
export const olderApplicationLogFolder = (tree: AggregatedLogTree, user: string, applicationId: string): string =>
  `${tree.root}/${user}/${tree.suffix}/${applicationId}`;

/** The name of a node's file: `host_port`. */
export const nodeFileName = (nodeId: string): string => nodeId.replace(':', '_');

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

/** An application's folder, whichever user owns it; undefined where it has none. @throws InvalidId */
export async function findApplicationLogs(
  tree: AggregatedLogTree,
  applicationId: string,
  owner?: string,
): Promise<{ readonly owner: string; readonly folder: string } | undefined> {
  const isName = owner !== undefined && owner !== '' && !/^\.{1,2}$|\//.test(owner);
  parseApplicationId(applicationId);
  await tree.bring?.(applicationId, isName ? owner : undefined);
  return findInTree(tree, applicationId, isName ? owner : undefined);
}

async function findInTree(
  tree: AggregatedLogTree,
  applicationId: string,
  owner: string | undefined,
): Promise<{ readonly owner: string; readonly folder: string } | undefined> {
  const users = owner !== undefined ? [owner] : await namesIn(tree.root);
  for (const user of users) {
    for (const folder of [applicationLogFolder(tree, user, applicationId), olderApplicationLogFolder(tree, user, applicationId)])
      if (await isFolder(folder)) return { owner: user, folder };
  }
  return owner === undefined ? undefined : findInTree(tree, applicationId, undefined);
}

/** A node's file in an application's folder. */
export interface NodeLogFile {
  /** `host_port`, as clients see the node of aggregated logs. */
  readonly name: string;
  readonly path: string;
  readonly modifiedMs: number;
}

/** The complete files in an application's folder, by name. */
export async function nodeLogFiles(folder: string): Promise<NodeLogFile[]> {
  const files: NodeLogFile[] = [];
  for (const name of (await namesIn(folder)).sort()) {
    if (name.endsWith('.tmp') || name.startsWith('.')) continue;
    const path = join(folder, name);
    const facts = await stat(path).catch(() => undefined);
    if (facts?.isFile()) files.push({ name, path, modifiedMs: facts.mtimeMs });
  }
  return files;
}

/** The log files of one container on one node. */
export interface ContainerLogs {
  readonly containerId: string;
  readonly nodeFile: NodeLogFile;
  readonly files: readonly AggregatedFile[];
  /** Who owns the application and who may see it, as the file says. */
  readonly owner: string;
  readonly acls: Readonly<Record<string, string>>;
}

/** What is looked for in an application's folder; absent: everything. */
export interface ContainerLogsFilter {
  readonly attemptId?: string;
  readonly containerId?: string;
  readonly node?: (nodeFileName: string) => boolean;
}

/** The containers in an application's folder and their log files. Files that cannot be read are passed over. */
export async function listContainerLogs(folder: string, filter: ContainerLogsFilter = {}): Promise<ContainerLogs[]> {
  const found: ContainerLogs[] = [];
  for (const nodeFile of await nodeLogFiles(folder)) {
    if (filter.node && !filter.node(nodeFile.name)) continue;
    const listing = await listAggregatedLog(nodeFile.path, filter.containerId).catch(ignoreUnreadable);
    for (const { containerId, files } of listing?.containers ?? []) {
      if (filter.attemptId !== undefined && !belongsTo(containerId, filter.attemptId)) continue;
      found.push({ containerId, nodeFile, files, owner: listing!.owner, acls: listing!.acls });
    }
  }
  return found;
}

function belongsTo(containerId: string, attemptId: string): boolean {
  try {
    return attemptIdOfContainer(containerId) === attemptId;
  } catch {
    return false;
  }
}

function ignoreUnreadable(error: unknown): undefined {
  if (error instanceof UnreadableTfile || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}

/** Java's `EEE MMM dd HH:mm:ss Z yyyy` in the server's time zone, as log listings show times. */
export function javaDateText(timeMs: number): string {
  const date = new Date(timeMs);
  const two = (value: number) => String(value).padStart(2, '0');
  const [day, month] = date.toDateString().split(' ');
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  return `${day} ${month} ${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone} ${date.getFullYear()}`;
}

/** What stands in front of a log file's contents. `type`: AGGREGATED or LOCAL. */
export function logTextHead(facts: {
  containerId: string;
  node: string;
  type: string;
  file: string;
  modifiedMs: number;
  sizeBytes: number;
}): string {
  const first = `Container: ${facts.containerId} on ${facts.node}`;
  return `${first}\nLogAggregationType: ${facts.type}\n${'='.repeat(first.length)}\nLogType:${facts.file}\nLogLastModifiedTime:${javaDateText(facts.modifiedMs)}\nLogLength:${facts.sizeBytes}\nLogContents:\n`;
}

/** What stands behind a log file's contents. */
export function logTextTail(file: string, note = ''): string {
  const line = `End of LogType:${file}${note}`;
  return `\n${line}\n${'*'.repeat(`End of LogType:${file}`.length + 50)}\n\n`;
}

/**
 * A log file of a container as text with its head and tail, from every node file in the application's folder that has it.
 * Nothing is given where there is none.
 */
export async function* containerLogText(
  folder: string,
  containerId: string,
  wanted: (file: AggregatedFile) => boolean,
  range: AggregatedRange = {},
): AsyncGenerator<string | Buffer> {
  for (const nodeFile of await nodeLogFiles(folder)) {
    try {
      for await (const { file, bytes } of readAggregatedFiles(nodeFile.path, containerId, wanted, range)) {
        yield logTextHead({
          containerId,
          node: nodeFile.name,
          type: 'AGGREGATED',
          file: file.name,
          modifiedMs: nodeFile.modifiedMs,
          sizeBytes: file.sizeBytes,
        });
        yield* bytes;
        yield logTextTail(file.name);
      }
    } catch (error) {
      ignoreUnreadable(error);
    }
  }
}

/** A log file's place in one node file; one that was rolled away while it was written has several, the oldest first. */
export interface LogPiece {
  readonly path: string;
  readonly bytes: number;
}

/** The pieces of the log file `name`. */
export const piecesOf = (logs: readonly ContainerLogs[], name: string): LogPiece[] =>
  logs.flatMap(({ files, nodeFile }) =>
    files.filter((file) => file.name === name).map(({ sizeBytes }) => ({ path: nodeFile.path, bytes: sizeBytes })),
  );

/** Bytes `from` to `to` (exclusive) of a log file that lies in several pieces. */
export async function* readPieces(
  pieces: readonly LogPiece[],
  { containerId, name, from, to }: { readonly containerId: string; readonly name: string; readonly from: number; readonly to: number },
): AsyncGenerator<Buffer> {
  let start = 0;
  for (const { path, bytes } of pieces) {
    const range = { start: Math.max(0, from - start), end: Math.min(bytes, to - start) };
    start += bytes;
    if (range.start >= range.end) continue;
    for await (const found of readAggregatedFiles(path, containerId, (file) => file.name === name, range)) yield* found.bytes;
  }
}

/** What is answered where a container has no such log. */
export const noLogsText = (containerId: string): string => `Can not find logs for container:${containerId}`;
