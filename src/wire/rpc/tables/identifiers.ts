// Names and amounts that most messages mention. Of yarn_protos.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated, required } from '../message.ts';

export const ResourceTypesProto = enumeration({ COUNTABLE: 0 });

export const ExecutionTypeProto = enumeration({ GUARANTEED: 1, OPPORTUNISTIC: 2 });

export const ApplicationIdProto = message('hadoop.yarn.ApplicationIdProto', {
  id: optional(1, 'int32'),
  cluster_timestamp: optional(2, 'int64'),
});

export const ApplicationAttemptIdProto = message('hadoop.yarn.ApplicationAttemptIdProto', {
  application_id: optional(1, ApplicationIdProto),
  attemptId: optional(2, 'int32'),
});

export const ContainerIdProto = message('hadoop.yarn.ContainerIdProto', {
  app_id: optional(1, ApplicationIdProto),
  app_attempt_id: optional(2, ApplicationAttemptIdProto),
  id: optional(3, 'exact64'),
});

export const StringStringMapProto = message('hadoop.yarn.StringStringMapProto', {
  key: optional(1, 'string'),
  value: optional(2, 'string'),
});

export const ResourceInformationProto = message('hadoop.yarn.ResourceInformationProto', {
  key: required(1, 'string'),
  value: optional(2, 'int64'),
  units: optional(3, 'string'),
  type: optional(4, ResourceTypesProto),
  tags: repeated(5, 'string'),
  attributes: repeated(6, StringStringMapProto),
});

export const ResourceTypeInfoProto = message('hadoop.yarn.ResourceTypeInfoProto', {
  name: required(1, 'string'),
  units: optional(2, 'string'),
  type: optional(3, ResourceTypesProto),
});

export const ResourceProto = message('hadoop.yarn.ResourceProto', {
  memory: optional(1, 'int64'),
  virtual_cores: optional(2, 'int32'),
  resource_value_map: repeated(3, ResourceInformationProto),
});

export const StringFloatMapProto = message('hadoop.yarn.StringFloatMapProto', {
  key: required(1, 'string'),
  value: required(2, 'float'),
});

export const ResourceUtilizationProto = message('hadoop.yarn.ResourceUtilizationProto', {
  pmem: optional(1, 'int32'),
  vmem: optional(2, 'int32'),
  cpu: optional(3, 'float'),
  customResources: repeated(4, StringFloatMapProto),
});

export const ResourceProfileEntry = message('hadoop.yarn.ResourceProfileEntry', {
  name: required(1, 'string'),
  resources: required(2, ResourceProto),
});

export const ResourceProfilesProto = message('hadoop.yarn.ResourceProfilesProto', {
  resource_profiles_map: repeated(1, ResourceProfileEntry),
});

export const PriorityProto = message('hadoop.yarn.PriorityProto', {
  priority: optional(1, 'int32'),
});

export const NodeIdProto = message('hadoop.yarn.NodeIdProto', {
  host: optional(1, 'string'),
  port: optional(2, 'int32'),
});

export const URLProto = message('hadoop.yarn.URLProto', {
  scheme: optional(1, 'string'),
  host: optional(2, 'string'),
  port: optional(3, 'int32'),
  file: optional(4, 'string'),
  userInfo: optional(5, 'string'),
});

export const StringLongMapProto = message('hadoop.yarn.StringLongMapProto', {
  key: required(1, 'string'),
  value: required(2, 'int64'),
});

export const ExecutionTypeRequestProto = message('hadoop.yarn.ExecutionTypeRequestProto', {
  execution_type: defaulted(1, ExecutionTypeProto, 'GUARANTEED'),
  enforce_execution_type: defaulted(2, 'bool', false),
});

export const StringBytesMapProto = message('hadoop.yarn.StringBytesMapProto', {
  key: optional(1, 'string'),
  value: optional(2, 'bytes'),
});

export const ReservationIdProto = message('hadoop.yarn.ReservationIdProto', {
  id: optional(1, 'int64'),
  cluster_timestamp: optional(2, 'int64'),
});
