// `GET /containers/{containerid}/logs`: ContainerLogsInfo, ContainerLogFileInfo. Not of the natural kind: lists of one collapse.
import { list, object, record, text } from '../codec/describe.ts';

const logs = object({
  containerLogInfo: list(object({ fileName: text(), fileSize: text(), lastModifiedTime: text() })),
  logAggregationType: text(),
  containerId: text(),
  nodeId: text(),
});
export const containerLogsInfoes = record('containerLogsInfoes', { containerLogsInfo: list(logs) }, { json: 'mapped', wrapped: false });
