// Nodes as clients see them (NodeInfo).
import { type ResourceTypes, zeros } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { NodeInfo } from '../../wire/cluster/node.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import type { Node, NodeAttribute } from '../nodes/node.ts';
import { isInactiveNode } from '../nodes/node-states.ts';

/** What the view of a node depends on. */
export interface NodeViewOptions {
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  readonly labelOf: (nodeId: string) => string;
  /** Whether the empty label is the node's by its name. */
  readonly isNamedDefault: (nodeId: string) => boolean;
  readonly attributesOf: (node: Node) => readonly NodeAttribute[];
}

const percent = (used: number, of: number): number => (of > 0 ? Math.fround((used * 100) / of) : 0);

/** NodeInfo. */
export function nodeInfo(node: Node, { policy, types, labelOf, isNamedDefault, attributesOf }: NodeViewOptions): NodeInfo {
  const inactive = isInactiveNode[node.state];
  const usage = inactive ? undefined : policy.nodeUsage(node.id);
  const label = labelOf(node.id);
  const reported = node.usage;
  const { opportunistic } = node;
  // What is on its way out has nothing left to give: it counts for what it holds (AbstractYarnScheduler.nodeUpdate).
  const isLeaving = node.state === 'DECOMMISSIONING';
  const used = usage?.used ?? [];
  const available = isLeaving ? zeros(types.count) : (usage?.available ?? []);
  return {
    rack: node.rack,
    state: node.state,
    id: node.id,
    nodeHostName: node.host,
    nodeHTTPAddress: inactive ? '' : node.httpAddress,
    lastHealthUpdate: node.lastHealthUpdateMs,
    version: node.version || undefined,
    healthReport: node.healthReport,
    numContainers: usage?.containers ?? 0,
    usedMemoryMB: used[0] ?? 0,
    availMemoryMB: available[0] ?? 0,
    usedVirtualCores: used[1] ?? 0,
    availableVirtualCores: available[1] ?? 0,
    memUtilization: inactive ? 0 : percent(reported.node.physicalMemoryMiB, node.physicalMemoryMiB || (used[0] ?? 0) + (available[0] ?? 0)),
    cpuUtilization: inactive ? 0 : percent(reported.node.cpuCores, node.physicalCores || 1),
    numRunningOpportContainers: inactive ? 0 : opportunistic.running,
    usedMemoryOpportGB: inactive ? 0 : Math.floor(opportunistic.memoryMiB / 1024),
    usedVirtualCoresOpport: inactive ? 0 : opportunistic.vcores,
    numQueuedContainers: inactive ? 0 : opportunistic.waiting,
    nodeLabels: label === '' && !isNamedDefault(node.id) ? undefined : [label],
    allocationTags: [...(usage?.tags ?? [])].map(([allocationTag, allocationsCount]) => ({ allocationTag, allocationsCount })),
    resourceUtilization: {
      nodePhysicalMemoryMB: Math.trunc(reported.node.physicalMemoryMiB),
      nodeVirtualMemoryMB: Math.trunc(reported.node.virtualMemoryMiB),
      nodeCPUUsage: reported.node.cpuCores,
      aggregatedContainersPhysicalMemoryMB: Math.trunc(reported.containers.physicalMemoryMiB),
      aggregatedContainersVirtualMemoryMB: Math.trunc(reported.containers.virtualMemoryMiB),
      containersCPUUsage: reported.containers.cpuCores,
    },
    usedResource: usage && resourceInfoOf(used, types),
    availableResource: usage && resourceInfoOf(available, types),
    nodeAttributesInfo: [...attributesOf(node)],
    totalResource: resourceInfoOf(isLeaving ? used : node.resource, types),
  };
}
