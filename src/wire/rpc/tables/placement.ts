// Requests for containers, constraints, blacklists, preemption. Of yarn_protos.proto of Hadoop 3.4.2.
import { type Decoded, defaulted, enumeration, type Message, message, optional, recursive, repeated, required } from '../message.ts';
import { ContainerIdProto, ExecutionTypeRequestProto, PriorityProto, ResourceProto } from './identifiers.ts';

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

export const ResourceSizingProto = message('hadoop.yarn.ResourceSizingProto', {
  numAllocations: optional(1, 'int32'),
  resources: optional(2, ResourceProto),
});

export const NodeAttributeOpCodeProto = enumeration({ NO_OP: 1, EQ: 2, NE: 3 });

export const PlacementConstraintTargetTypeProto = enumeration({ NODE_ATTRIBUTE: 1, ALLOCATION_TAG: 2, SELF: 3 });

export const PlacementConstraintTargetProto = message('hadoop.yarn.PlacementConstraintTargetProto', {
  targetType: required(1, PlacementConstraintTargetTypeProto),
  targetKey: optional(2, 'string'),
  targetValues: repeated(3, 'string'),
});

export const SimplePlacementConstraintProto = message('hadoop.yarn.SimplePlacementConstraintProto', {
  scope: required(1, 'string'),
  targetExpressions: repeated(2, PlacementConstraintTargetProto),
  minCardinality: optional(3, 'int32'),
  maxCardinality: optional(4, 'int32'),
  attributeOpCode: optional(5, NodeAttributeOpCodeProto),
});

/** A constraint: simple, or made of others. */
export interface ConstraintMessage {
  readonly simpleConstraint?: Decoded<typeof SimplePlacementConstraintProto>;
  readonly compositeConstraint?: {
    readonly compositeType: 'AND' | 'OR' | 'DELAYED_OR';
    readonly childConstraints: readonly ConstraintMessage[];
    readonly timedChildConstraints: readonly { readonly placementConstraint: ConstraintMessage }[];
  };
}

const constraint = recursive<ConstraintMessage>((): Message => PlacementConstraintProto);

export const TimedPlacementConstraintProto = message('hadoop.yarn.TimedPlacementConstraintProto', {
  placementConstraint: required(1, constraint),
  schedulingDelay: required(2, 'int64'),
  delayUnit: defaulted(3, enumeration({ MILLISECONDS: 1, OPPORTUNITIES: 2 }), 'MILLISECONDS'),
});

export const CompositePlacementConstraintProto = message('hadoop.yarn.CompositePlacementConstraintProto', {
  compositeType: required(1, enumeration({ AND: 1, OR: 2, DELAYED_OR: 3 })),
  childConstraints: repeated(2, constraint),
  timedChildConstraints: repeated(3, TimedPlacementConstraintProto),
});

export const PlacementConstraintProto = message('hadoop.yarn.PlacementConstraintProto', {
  simpleConstraint: optional(1, SimplePlacementConstraintProto),
  compositeConstraint: optional(2, CompositePlacementConstraintProto),
});

export const PlacementConstraintMapEntryProto = message('hadoop.yarn.PlacementConstraintMapEntryProto', {
  allocation_tags: repeated(1, 'string'),
  placement_constraint: optional(2, PlacementConstraintProto),
});

export const SchedulingRequestProto = message('hadoop.yarn.SchedulingRequestProto', {
  allocationRequestId: defaulted(1, 'int64', 0),
  priority: optional(2, PriorityProto),
  executionType: optional(3, ExecutionTypeRequestProto),
  allocationTags: repeated(4, 'string'),
  resourceSizing: optional(5, ResourceSizingProto),
  placementConstraint: optional(6, PlacementConstraintProto),
});

export const RejectedSchedulingRequestProto = message('hadoop.yarn.RejectedSchedulingRequestProto', {
  reason: required(1, enumeration({ RRP_COULD_NOT_PLACE_ON_NODE: 1, RRP_COULD_NOT_SCHEDULE_ON_NODE: 2 })),
  request: required(2, SchedulingRequestProto),
});

export const ResourceBlacklistRequestProto = message('hadoop.yarn.ResourceBlacklistRequestProto', {
  blacklist_additions: repeated(1, 'string'),
  blacklist_removals: repeated(2, 'string'),
});

export const PreemptionContainerProto = message('hadoop.yarn.PreemptionContainerProto', { id: optional(1, ContainerIdProto) });

export const StrictPreemptionContractProto = message('hadoop.yarn.StrictPreemptionContractProto', {
  container: repeated(1, PreemptionContainerProto),
});

export const PreemptionContractProto = message('hadoop.yarn.PreemptionContractProto', {
  resource: repeated(1, message('hadoop.yarn.PreemptionResourceRequestProto', { resource: optional(1, ResourceRequestProto) })),
  container: repeated(2, PreemptionContainerProto),
});

export const PreemptionMessageProto = message('hadoop.yarn.PreemptionMessageProto', {
  strictContract: optional(1, StrictPreemptionContractProto),
  contract: optional(2, PreemptionContractProto),
});
