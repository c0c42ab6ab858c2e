// `GET /ws/v1/node` and `/info`: NodeInfo of the node manager's REST interface.
import { boolean, long, record, text } from '../codec/describe.ts';

export const nodeInfo = record(
  'nodeInfo',
  {
    healthReport: text(),
    totalVmemAllocatedContainersMB: long(),
    totalPmemAllocatedContainersMB: long(),
    totalVCoresAllocatedContainers: long(),
    vmemCheckEnabled: boolean(),
    pmemCheckEnabled: boolean(),
    lastNodeUpdateTime: long(),
    resourceTypes: text(),
    nodeHealthy: boolean(),
    nodeManagerVersion: text(),
    nodeManagerBuildVersion: text(),
    nodeManagerVersionBuiltOn: text(),
    hadoopVersion: text(),
    hadoopBuildVersion: text(),
    hadoopVersionBuiltOn: text(),
    id: text(),
    nodeHostName: text(),
    nmStartupTime: long(),
  },
  { json: 'natural' },
);
