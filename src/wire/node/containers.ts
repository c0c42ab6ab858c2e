// Containers on the node manager's REST interface: ContainerInfo, ContainersInfo.
import { int, list, long, object, record, rooted, type Shape, text } from '../codec/describe.ts';

const container = object({
  id: text(),
  state: text(),
  exitCode: int(),
  diagnostics: text(),
  user: text(),
  totalMemoryNeededMB: long(),
  totalVCoresNeeded: long(),
  executionType: text(),
  containerLogsLink: text(),
  nodeId: text(),
  containerLogFiles: list(text()),
});
/** `GET /containers/{containerid}`. */
export const nodeContainer = rooted('container', container, { json: 'natural' });
export type NodeContainer = Shape<typeof nodeContainer>;
/** `GET /containers`. */
export const nodeContainers = record('containers', { container: list(container) }, { json: 'natural' });
