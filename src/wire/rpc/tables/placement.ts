// Requests for containers, constraints, blacklists, preemption. Of yarn_protos.proto of Hadoop 3.4.2.
import { defaulted, message, optional } from '../message.ts';
import { ExecutionTypeRequestProto, PriorityProto, ResourceProto } from './identifiers.ts';

export const ResourceRequestProto = message('hadoop.yarn.ResourceRequestProto', {
  priority: optional(1, PriorityProto),
  resource_name: optional(2, 'string'),
  capability: optional(3, ResourceProto),
  num_containers: optional(4, 'int32'),
  relax_locality: defaulted(5, 'bool', true),
  node_label_expression: optional(6, 'string'),
  execution_type_request: optional(7, ExecutionTypeRequestProto),
  allocation_request_id: defaulted(8, 'int64', -1),
});
