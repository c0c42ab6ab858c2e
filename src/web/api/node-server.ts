// What the pages of a node ask their own server.
import { queryOptions } from '@tanstack/react-query';
import { getJson, queryText, request } from './http.ts';

/** `/ws/v1/node/info`. */
export interface NodeFacts {
  readonly id: string;
  readonly healthReport: string;
  readonly nodeHealthy: boolean;
  readonly totalPmemAllocatedContainersMB: number;
  readonly totalVCoresAllocatedContainers: number;
  readonly lastNodeUpdateTime: number;
  readonly nodeManagerVersion: string;
  readonly resourceTypes: string;
  readonly nmStartupTime: number;
}

/** A container of `/ws/v1/node/containers`. */
export interface NodeContainer {
  readonly id: string;
  readonly state: string;
  readonly exitCode: number;
  readonly diagnostics: string;
  readonly user: string;
  readonly totalMemoryNeededMB: number;
  readonly totalVCoresNeeded: number;
  readonly executionType: string;
  readonly containerLogFiles?: readonly string[];
}

export const nodeFactsQuery = queryOptions({
  queryKey: ['node-server', 'info'],
  queryFn: async ({ signal }) => (await getJson<{ nodeInfo: NodeFacts }>('ws/v1/node/info', signal)).nodeInfo,
});

export const ownContainersQuery = queryOptions({
  queryKey: ['node-server', 'containers'],
  queryFn: async ({ signal }): Promise<readonly NodeContainer[]> => {
    const { containers } = await getJson<{ containers: { container?: readonly NodeContainer[] } | null }>('ws/v1/node/containers', signal);
    return containers?.container ?? [];
  },
});

/** A log of a container. */
export interface LogFile {
  readonly name: string;
  readonly bytes: number;
}

type OneOrMany<T> = T | readonly T[];
interface ReadLogs {
  readonly containerLogInfo?: OneOrMany<{ readonly fileName: string; readonly fileSize: string }>;
}

/** The logs of a container that lie on this node, also of one that ended. */
export const containerLogsQuery = (id: string) =>
  queryOptions({
    queryKey: ['node-server', 'logs', id],
    queryFn: async ({ signal }): Promise<readonly LogFile[]> => {
      const found = await getJson<{ containerLogsInfo?: OneOrMany<ReadLogs> }>(
        `ws/v1/node/containers/${encodeURIComponent(id)}/logs`,
        signal,
      );
      return [found.containerLogsInfo ?? []]
        .flat()
        .flatMap(({ containerLogInfo = [] }) => [containerLogInfo].flat())
        .map(({ fileName, fileSize }) => ({ name: fileName, bytes: Number(fileSize) }));
    },
  });

/** So much of the end of a log is shown. */
export const shownBytes = 262_144;

/** The end of a log. */
export const logTextQuery = (id: string, file: string) =>
  queryOptions({
    queryKey: ['node-server', 'log', id, file],
    queryFn: async ({ signal }): Promise<string> => {
      const path = `ws/v1/node/containerlogs/${encodeURIComponent(id)}/${encodeURIComponent(file)}${queryText({ size: -shownBytes })}`;
      return logContents(await (await request(path, { accept: 'text/plain', signal })).text());
    },
  });

/** What a log itself says, without what stands around it in the answer. */
export function logContents(text: string): string {
  const begin = text.indexOf('LogContents:\n');
  const content = begin === -1 ? text : text.slice(begin + 'LogContents:\n'.length);
  const end = content.lastIndexOf('\nEnd of LogType:');
  return end === -1 ? content : content.slice(0, end);
}
