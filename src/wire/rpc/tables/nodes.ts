// Nodes, their labels and attributes. Of yarn_protos.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated, required } from '../message.ts';
import { NodeIdProto, ResourceProto, ResourceUtilizationProto } from './identifiers.ts';

export const NodeStateProto = enumeration({
  NS_NEW: 1,
  NS_RUNNING: 2,
  NS_UNHEALTHY: 3,
  NS_DECOMMISSIONED: 4,
  NS_LOST: 5,
  NS_REBOOTED: 6,
  NS_DECOMMISSIONING: 7,
  NS_SHUTDOWN: 8,
});

export const NodeUpdateTypeProto = enumeration({ NODE_USABLE: 0, NODE_UNUSABLE: 1, NODE_DECOMMISSIONING: 2 });

export const NodeAttributeTypeProto = enumeration({ STRING: 1 });

export const NodeAttributeKeyProto = message('hadoop.yarn.NodeAttributeKeyProto', {
  attributePrefix: defaulted(1, 'string', 'rm.yarn.io'),
  attributeName: required(2, 'string'),
});

export const NodeAttributeProto = message('hadoop.yarn.NodeAttributeProto', {
  attributeKey: required(1, NodeAttributeKeyProto),
  attributeType: defaulted(2, NodeAttributeTypeProto, 'STRING'),
  attributeValue: defaulted(3, 'string', ''),
});

export const NodeReportProto = message('hadoop.yarn.NodeReportProto', {
  nodeId: optional(1, NodeIdProto),
  httpAddress: optional(2, 'string'),
  rackName: optional(3, 'string'),
  used: optional(4, ResourceProto),
  capability: optional(5, ResourceProto),
  numContainers: optional(6, 'int32'),
  node_state: optional(7, NodeStateProto),
  health_report: optional(8, 'string'),
  last_health_report_time: optional(9, 'int64'),
  node_labels: repeated(10, 'string'),
  containers_utilization: optional(11, ResourceUtilizationProto),
  node_utilization: optional(12, ResourceUtilizationProto),
  decommissioning_timeout: optional(13, 'uint32'),
  node_update_type: optional(14, NodeUpdateTypeProto),
  node_attributes: repeated(15, NodeAttributeProto),
});

export const NodeIdToLabelsProto = message('hadoop.yarn.NodeIdToLabelsProto', {
  nodeId: optional(1, NodeIdProto),
  nodeLabels: repeated(2, 'string'),
});

export const LabelsToNodeIdsProto = message('hadoop.yarn.LabelsToNodeIdsProto', {
  nodeLabels: optional(1, 'string'),
  nodeId: repeated(2, NodeIdProto),
});

export const NodeLabelProto = message('hadoop.yarn.NodeLabelProto', {
  name: optional(1, 'string'),
  isExclusive: defaulted(2, 'bool', true),
});

export const NodeAttributeInfoProto = message('hadoop.yarn.NodeAttributeInfoProto', {
  attributeKey: required(1, NodeAttributeKeyProto),
  attributeType: required(2, NodeAttributeTypeProto),
});

export const NodeToAttributeValueProto = message('hadoop.yarn.NodeToAttributeValueProto', {
  hostname: required(1, 'string'),
  attributeValue: required(2, 'string'),
});

export const AttributeToNodesProto = message('hadoop.yarn.AttributeToNodesProto', {
  nodeAttribute: required(1, NodeAttributeKeyProto),
  nodeValueMap: repeated(2, NodeToAttributeValueProto),
});

export const NodeToAttributesProto = message('hadoop.yarn.NodeToAttributesProto', {
  node: optional(1, 'string'),
  nodeAttributes: repeated(2, NodeAttributeProto),
});
