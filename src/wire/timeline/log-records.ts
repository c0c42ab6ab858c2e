// Lists of log files as the application history writes them (ContainerLogsInfo): a bare array in JSON, a root of its own in XML.
import { list, object, record, type Shape, text } from '../codec/describe.ts';

/** The log files of a container in one place. */
export const containerLogs = object({
  containerLogInfo: list(object({ fileName: text(), fileSize: text(), lastModifiedTime: text() }), { keepEmpty: true }),
  logAggregationType: text(),
  containerId: text(),
  nodeId: text(),
});

export type ContainerLogsInfo = Shape<typeof containerLogs>;

/** The logs of a container, one element for each node and place. */
export const containerLogsInfoes = record(
  'containerLogsInfoes',
  { containerLogsInfo: list(containerLogs, { keepEmpty: true }) },
  { json: 'plain', wrapped: false },
);
