// Nodes on the resource manager's REST interface (NodeInfo, NodesInfo of Hadoop 3.4).
import { double, float, holder, int, list, long, object, record, rooted, type Shape, text } from '../codec/describe.ts';
import { resourceInfo } from './resource.ts';

/** ResourceUtilizationInfo: what the node last reported; zeros when it did not. */
export const resourceUtilization = object({
  nodePhysicalMemoryMB: int(),
  nodeVirtualMemoryMB: int(),
  nodeCPUUsage: double(),
  aggregatedContainersPhysicalMemoryMB: int(),
  aggregatedContainersVirtualMemoryMB: int(),
  containersCPUUsage: double(),
});

/** NodeInfo inside its list. `usedResource` and `availableResource` are left out for inactive nodes. */
export const nodeInList = object({
  rack: text(),
  state: text(),
  id: text(),
  nodeHostName: text(),
  nodeHTTPAddress: text(),
  lastHealthUpdate: long(),
  version: text(),
  healthReport: text(),
  numContainers: int(),
  usedMemoryMB: long(),
  availMemoryMB: long(),
  usedVirtualCores: long(),
  availableVirtualCores: long(),
  memUtilization: float(),
  cpuUtilization: float(),
  numRunningOpportContainers: int(),
  usedMemoryOpportGB: long(),
  usedVirtualCoresOpport: long(),
  numQueuedContainers: int(),
  nodeLabels: list(text()),
  allocationTags: holder('allocationTagInfo', object({ allocationTag: text(), allocationsCount: long() })),
  resourceUtilization,
  usedResource: resourceInfo,
  availableResource: resourceInfo,
  nodeAttributesInfo: holder('nodeAttributeInfo', object({ prefix: text(), name: text(), type: text(), value: text() })),
  totalResource: resourceInfo,
});
export type NodeInfo = Shape<typeof nodeInList>;

/** `GET /nodes/{nodeId}`. */
export const node = rooted('node', nodeInList, { json: 'natural' });
/** `GET /nodes`. */
export const nodes = record('nodes', { node: list(nodeInList) }, { json: 'natural' });
