// Nodes, their labels and attributes as Hadoop's client protocol reports them (BuilderUtils.newNodeReport, ClientRMService).

import { nodeIdMessage } from '../../wire/rpc/ids.ts';
import type { Encodable } from '../../wire/rpc/message.ts';
import type { NodeAttributeProto, NodeReportProto } from '../../wire/rpc/tables/nodes.ts';
import type { Node, NodeAttribute, UsageFigures } from '../nodes/node.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import type { Parts } from '../views/parts.ts';
import { resourceMessage } from './values.ts';

const utilization = ({ physicalMemoryMiB, virtualMemoryMiB, cpuCores }: UsageFigures) => ({
  pmem: Math.trunc(physicalMemoryMiB),
  vmem: Math.trunc(virtualMemoryMiB),
  cpu: cpuCores,
});

/** What reports of nodes are made of. */
export interface NodeReportParts extends Pick<Parts, 'cluster' | 'policy' | 'types'> {
  readonly labels: Pick<Parts['labels'], 'labelOf'>;
}

/** The report of a node; of one that has left the cluster, no use. */
export function nodeReport({ cluster, policy, types, labels }: NodeReportParts, node: Node): Encodable<typeof NodeReportProto> {
  const usage = isInactiveNode[node.state] ? undefined : policy.nodeUsage(node.id);
  const label = labels.labelOf(node.id);
  return {
    nodeId: nodeIdMessage(node.id),
    httpAddress: node.httpAddress,
    rackName: node.rack,
    used: resourceMessage(usage?.used ?? [], types),
    capability: resourceMessage(node.resource, types),
    numContainers: usage && usage.containers > 0 ? usage.containers : undefined,
    node_state: `NS_${node.state}`,
    health_report: node.healthReport,
    last_health_report_time: node.lastHealthUpdateMs,
    node_labels: label === '' ? [] : [label],
    containers_utilization: utilization(node.usage.containers),
    node_utilization: utilization(node.usage.node),
    node_attributes: cluster.attributesOf(node).map(attributeMessage),
  };
}

/** An attribute as all messages have it. */
export const attributeMessage = ({ prefix, name, value }: NodeAttribute): Encodable<typeof NodeAttributeProto> => ({
  attributeKey: { attributePrefix: prefix, attributeName: name },
  attributeType: 'STRING',
  attributeValue: value,
});
