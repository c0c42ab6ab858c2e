// Container logs from node managers and from the history server, which both answer in the form of Hadoop's log web services.
import { many } from './cluster-client.ts';
import { HttpClient, RemoteFailure } from './http.ts';

/** A log file of a container. */
export interface LogFile {
  readonly name: string;
  /** Bytes when it was listed. */
  readonly sizeBytes: number;
}

/** A piece of a log file. */
export interface LogPiece {
  /** Bytes of the whole file when it was opened; undefined where the answer does not say. */
  readonly lengthBytes: number | undefined;
  readonly content: Buffer;
}

interface ContainerLogsInfo {
  readonly containerLogInfo?: unknown;
  readonly containerId?: string;
}

/** Where logs are read: a node manager (`node`) or the history server (`history`). */
export type LogSource = 'node' | 'history';

const filesPath: Record<LogSource, (containerId: string) => string> = {
  node: (containerId) => `/ws/v1/node/containers/${containerId}/logs`,
  history: (containerId) => `/ws/v1/history/containers/${containerId}/logs`,
};
const contentPath: Record<LogSource, (containerId: string, file: string) => string> = {
  node: (containerId, file) => `/ws/v1/node/containers/${containerId}/logs/${encodeURIComponent(file)}`,
  history: (containerId, file) => `/ws/v1/history/containerlogs/${containerId}/${encodeURIComponent(file)}`,
};

/** Reads logs of containers from one server. */
export class LogClient {
  readonly #http: HttpClient;
  readonly #source: LogSource;

  constructor(source: LogSource, url: string, user: string) {
    this.#source = source;
    this.#http = new HttpClient({ url, user });
  }

  /** The log files of a container; empty where the server has none. @throws Unreachable */
  async files(containerId: string): Promise<LogFile[]> {
    try {
      return filesOf(await this.#http.json<unknown>('GET', filesPath[this.#source](containerId)));
    } catch (error) {
      if (error instanceof RemoteFailure) return [];
      throw error;
    }
  }

  /** The containers with aggregated logs of an application; the history server alone knows them. @throws Unreachable */
  async containersOf(applicationId: string): Promise<string[]> {
    try {
      const answer = await this.#http.json<unknown>('GET', '/ws/v1/history/aggregatedlogs', { query: { appid: applicationId } });
      return [...new Set(logInfos(answer).flatMap((info) => (info.containerId === undefined ? [] : [info.containerId])))].sort();
    } catch (error) {
      if (error instanceof RemoteFailure) return [];
      throw error;
    }
  }

  /** The last `bytes` bytes of a file, or all of it. Undefined where there is no such file (any more). @throws Unreachable */
  async tail(containerId: string, file: string, bytes?: number): Promise<LogPiece | undefined> {
    const answer = await this.#http.request('GET', contentPath[this.#source](containerId, file), {
      headers: { accept: '*/*' },
      query: { size: bytes === undefined ? undefined : -bytes },
    });
    const body = Buffer.from(await answer.arrayBuffer());
    return answer.ok ? contentOf(body, file) : undefined;
  }
}

function logInfos(answer: unknown): ContainerLogsInfo[] {
  const infos = Array.isArray(answer) ? answer : many((answer as { containerLogsInfo?: unknown } | undefined)?.containerLogsInfo);
  return infos as ContainerLogsInfo[];
}

function filesOf(answer: unknown): LogFile[] {
  const files = new Map<string, LogFile>();
  for (const info of logInfos(answer)) {
    for (const file of many(info.containerLogInfo) as { fileName?: string; fileSize?: string | number }[]) {
      if (file.fileName !== undefined) files.set(file.fileName, { name: file.fileName, sizeBytes: Number(file.fileSize ?? 0) });
    }
  }
  return [...files.values()];
}

/** Takes the file's own bytes out of the header and footer lines that Hadoop writes around them. */
export function contentOf(body: Buffer, file: string): LogPiece | undefined {
  const opening = Buffer.from('LogContents:\n');
  const start = body.indexOf(opening);
  if (start < 0) return body.subarray(0, 19).toString() === 'Can not find logs f' ? undefined : { lengthBytes: undefined, content: body };
  const length = /^LogLength:\s*(\d+)$/m.exec(body.subarray(0, start).toString());
  const lengthBytes = length ? Number(length[1]) : undefined;
  const end = body.lastIndexOf(`End of LogType:${file}`);
  let content = body.subarray(start + opening.length, end < 0 ? body.length : end);
  // Aggregated logs end in a line break that is not the file's.
  if (lengthBytes !== undefined && content.length > lengthBytes) content = content.subarray(0, lengthBytes);
  return { lengthBytes, content };
}
