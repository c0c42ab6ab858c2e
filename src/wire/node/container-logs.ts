// `GET /containers/{containerid}/logs`: ContainerLogsInfo, ContainerLogFileInfo. Not of the natural kind: lists of one collapse.
import { list, object, record, type Shape, text } from '../codec/describe.ts';

const logs = object({
  containerLogInfo: list(object({ fileName: text(), fileSize: text(), lastModifiedTime: text() })),
  logAggregationType: text(),
  containerId: text(),
  nodeId: text(),
});
export type ContainerLogsInfo = Shape<typeof logs>;
export const containerLogsInfoes = record('containerLogsInfoes', { containerLogsInfo: list(logs) }, { json: 'mapped', wrapped: false });
