// Requests and answers of ApplicationMasterProtocol. Of yarn_service_protos.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated, required } from '../message.ts';
import { FinalApplicationStatusProto } from './applications.ts';
import { ApplicationACLMapProto, ContainerProto, ContainerStatusProto } from './containers.ts';
import {
  ContainerIdProto,
  ExecutionTypeProto,
  NodeIdProto,
  PriorityProto,
  ResourceProfilesProto,
  ResourceProto,
  ResourceTypeInfoProto,
} from './identifiers.ts';
import { NodeReportProto } from './nodes.ts';
import {
  PlacementConstraintMapEntryProto,
  PreemptionMessageProto,
  RejectedSchedulingRequestProto,
  ResourceBlacklistRequestProto,
  ResourceRequestProto,
  SchedulingRequestProto,
} from './placement.ts';
import { TokenProto } from './transport.ts';

export const ContainerUpdateTypeProto = enumeration({
  INCREASE_RESOURCE: 0,
  DECREASE_RESOURCE: 1,
  PROMOTE_EXECUTION_TYPE: 2,
  DEMOTE_EXECUTION_TYPE: 3,
});

export const NMTokenProto = message('hadoop.yarn.NMTokenProto', { nodeId: optional(1, NodeIdProto), token: optional(2, TokenProto) });

export const RegisterApplicationMasterRequestProto = message('hadoop.yarn.RegisterApplicationMasterRequestProto', {
  host: optional(1, 'string'),
  rpc_port: optional(2, 'int32'),
  tracking_url: optional(3, 'string'),
  placement_constraints: repeated(4, PlacementConstraintMapEntryProto),
});

export const RegisterApplicationMasterResponseProto = message('hadoop.yarn.RegisterApplicationMasterResponseProto', {
  maximumCapability: optional(1, ResourceProto),
  client_to_am_token_master_key: optional(2, 'bytes'),
  application_ACLs: repeated(3, ApplicationACLMapProto),
  containers_from_previous_attempts: repeated(4, ContainerProto),
  queue: optional(5, 'string'),
  nm_tokens_from_previous_attempts: repeated(6, NMTokenProto),
  scheduler_resource_types: repeated(7, enumeration({ MEMORY: 0, CPU: 1 })),
  resource_profiles: optional(8, ResourceProfilesProto),
  resource_types: repeated(9, ResourceTypeInfoProto),
});

export const FinishApplicationMasterRequestProto = message('hadoop.yarn.FinishApplicationMasterRequestProto', {
  diagnostics: optional(1, 'string'),
  tracking_url: optional(2, 'string'),
  final_application_status: optional(3, FinalApplicationStatusProto),
});

export const FinishApplicationMasterResponseProto = message('hadoop.yarn.FinishApplicationMasterResponseProto', {
  isUnregistered: defaulted(1, 'bool', false),
});

export const UpdateContainerRequestProto = message('hadoop.yarn.UpdateContainerRequestProto', {
  container_version: required(1, 'int32'),
  container_id: required(2, ContainerIdProto),
  update_type: required(3, ContainerUpdateTypeProto),
  capability: optional(4, ResourceProto),
  execution_type: optional(5, ExecutionTypeProto),
});

export const UpdateContainerErrorProto = message('hadoop.yarn.UpdateContainerErrorProto', {
  reason: optional(1, 'string'),
  update_request: optional(2, UpdateContainerRequestProto),
  current_container_version: optional(3, 'int32'),
});

export const UpdatedContainerProto = message('hadoop.yarn.UpdatedContainerProto', {
  update_type: required(1, ContainerUpdateTypeProto),
  container: required(2, ContainerProto),
});

export const AllocateRequestProto = message('hadoop.yarn.AllocateRequestProto', {
  ask: repeated(1, ResourceRequestProto),
  release: repeated(2, ContainerIdProto),
  blacklist_request: optional(3, ResourceBlacklistRequestProto),
  response_id: optional(4, 'int32'),
  progress: optional(5, 'float'),
  update_requests: repeated(7, UpdateContainerRequestProto),
  scheduling_requests: repeated(10, SchedulingRequestProto),
  tracking_url: optional(11, 'string'),
});

export const EnhancedHeadroomProto = message('hadoop.yarn.EnhancedHeadroomProto', {
  total_pending_count: optional(1, 'int32'),
  total_active_cores: optional(2, 'int32'),
});

export const CollectorInfoProto = message('hadoop.yarn.CollectorInfoProto', {
  collector_addr: optional(1, 'string'),
  collector_token: optional(2, TokenProto),
});

export const AllocateResponseProto = message('hadoop.yarn.AllocateResponseProto', {
  a_m_command: optional(1, enumeration({ AM_RESYNC: 1, AM_SHUTDOWN: 2 })),
  response_id: optional(2, 'int32'),
  allocated_containers: repeated(3, ContainerProto),
  completed_container_statuses: repeated(4, ContainerStatusProto),
  limit: optional(5, ResourceProto),
  updated_nodes: repeated(6, NodeReportProto),
  num_cluster_nodes: optional(7, 'int32'),
  preempt: optional(8, PreemptionMessageProto),
  nm_tokens: repeated(9, NMTokenProto),
  am_rm_token: optional(12, TokenProto),
  application_priority: optional(13, PriorityProto),
  collector_info: optional(14, CollectorInfoProto),
  update_errors: repeated(15, UpdateContainerErrorProto),
  updated_containers: repeated(16, UpdatedContainerProto),
  containers_from_previous_attempts: repeated(17, ContainerProto),
  rejected_scheduling_requests: repeated(18, RejectedSchedulingRequestProto),
  enhanced_headroom: optional(19, EnhancedHeadroomProto),
});
