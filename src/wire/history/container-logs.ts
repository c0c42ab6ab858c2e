// Listings of container logs (ContainerLogsInfo, RemoteLogPaths of Hadoop's yarn-server-common), which the history server, the
// application history and the node managers answer.
import { list, object, record, type Shape, text } from '../codec/describe.ts';
import { type ContainerLogs, javaDateText } from '../files/aggregated-log-folder.ts';

/** The log files of one container: sizes and times are texts. */
export const containerLogsMember = object({
  containerLogInfo: list(object({ fileName: text(), fileSize: text(), lastModifiedTime: text() })),
  logAggregationType: text(),
  containerId: text(),
  nodeId: text(),
});
export type ContainerLogsInfo = Shape<typeof containerLogsMember>;

/** A list of them; JSON has no root. An empty list is written `null` by the servers, not by this description. */
export const containerLogsList = record(
  'containerLogsInfoes',
  { containerLogsInfo: list(containerLogsMember) },
  { json: 'mapped', wrapped: false },
);

/** Where aggregated logs lie, by controller. */
export const remoteLogPaths = record(
  'remoteLogDirPathResult',
  { paths: list(object({ fileController: text(), path: text() })) },
  { json: 'mapped', wrapped: false },
);

/** A container's aggregated logs; `times` `text` shows dates, `number` milliseconds since the epoch. */
export const aggregatedLogsView = (logs: ContainerLogs, times: 'text' | 'number' = 'text'): ContainerLogsInfo => ({
  containerLogInfo: logs.files.map(({ name, sizeBytes }) => ({
    fileName: name,
    fileSize: String(sizeBytes),
    lastModifiedTime: times === 'text' ? javaDateText(logs.nodeFile.modifiedMs) : String(Math.trunc(logs.nodeFile.modifiedMs)),
  })),
  logAggregationType: 'AGGREGATED',
  containerId: logs.containerId,
  nodeId: logs.nodeFile.name,
});

/** Stands for the logs that a running container still has on its node. */
export const localLogsPlaceholder = (containerId: string, node: string): ContainerLogsInfo => ({
  logAggregationType: 'LOCAL',
  containerId,
  nodeId: node,
});
