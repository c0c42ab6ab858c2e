// Container logs by the one address that the resource manager gives them before and after a container's end; a node and the history
// server answer below the same path.
import type { ContainerInfo } from '../wire/cluster/attempt.ts';
import { many } from './cluster-client.ts';
import { HttpClient, type HttpClientOptions, Unreachable } from './http.ts';
import { RemoteFailure } from './remote-failure.ts';

/** A log file of a container. */
export interface LogFile {
  readonly name: string;
  /** Bytes when it was listed. */
  readonly sizeBytes: number;
}

/** Reads logs of containers from one server, and from where it leads to. */
export class ContainerLogs {
  readonly #http: HttpClient;

  constructor(server: HttpClientOptions) {
    this.#http = new HttpClient({ ...server, leadsWithin: true });
  }

  /** The log files of a container; empty where there are none or no server can be asked. @throws RemoteFailure where the caller may not see them */
  async files(containerId: string): Promise<LogFile[]> {
    try {
      const { files } = await this.#http.json<{ files?: { name: string; bytes: number }[] }>('GET', pathOf(containerId));
      return (files ?? []).map(({ name, bytes }) => ({ name, sizeBytes: bytes }));
    } catch (error) {
      if (error instanceof RemoteFailure && (error.status === 401 || error.status === 403)) throw error;
      if (error instanceof RemoteFailure || error instanceof Unreachable) return [];
      throw error;
    }
  }

  /** The bytes of a file, or its last `lastBytes` ones; nothing where there is no such file (any more). */
  async *read(containerId: string, file: string, lastBytes?: number): AsyncGenerator<Uint8Array> {
    const headers = { accept: '*/*', ...(lastBytes === undefined ? {} : { range: `bytes=-${lastBytes}` }) };
    const reading = new AbortController();
    const answer = await this.#http.request('GET', `${pathOf(containerId)}/${encodeURIComponent(file)}`, {
      headers,
      signal: reading.signal,
    });
    try {
      if (answer.ok) for await (const chunk of answer.body ?? []) yield chunk as Uint8Array;
    } finally {
      reading.abort();
    }
  }
}

const pathOf = (containerId: string) => `/api/v1/containers/${encodeURIComponent(containerId)}/logs`;

/** The containers of an attempt, as application history remembers them: none where it is off, undefined where nothing answers. */
export async function endedContainers(
  timeline: HttpClientOptions,
  applicationId: string,
  attemptId: string,
): Promise<readonly ContainerInfo[] | undefined> {
  const path = `/ws/v1/applicationhistory/apps/${encodeURIComponent(applicationId)}/appattempts/${encodeURIComponent(attemptId)}/containers`;
  try {
    const answer = await new HttpClient(timeline).json<{ container?: ContainerInfo[] } | null>('GET', path);
    return many(answer?.container);
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    if (error instanceof RemoteFailure) return [];
    throw error;
  }
}

/** The containers of an application whose logs are gathered, as the history server knows them; none where it does not answer. */
export async function gatheredContainers(history: HttpClientOptions, applicationId: string): Promise<string[]> {
  try {
    const answer = await new HttpClient(history).json<unknown>('GET', '/ws/v1/history/aggregatedlogs', { query: { appid: applicationId } });
    const infos = Array.isArray(answer) ? answer : many((answer as { containerLogsInfo?: unknown } | undefined)?.containerLogsInfo);
    const ids = (infos as { containerId?: string }[]).flatMap(({ containerId }) => (containerId === undefined ? [] : [containerId]));
    return [...new Set(ids)].sort();
  } catch (error) {
    if (error instanceof RemoteFailure || error instanceof Unreachable) return [];
    throw error;
  }
}
