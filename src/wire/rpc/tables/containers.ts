// Containers: what is launched, what a node or the resource manager says of it. Of yarn_protos.proto of Hadoop 3.4.2.
import { exitStatus } from '../../../model/exit-status.ts';
import { defaulted, enumeration, message, optional, repeated } from '../message.ts';
import {
  ContainerIdProto,
  ExecutionTypeProto,
  NodeIdProto,
  PriorityProto,
  ResourceProto,
  StringBytesMapProto,
  StringStringMapProto,
  URLProto,
} from './identifiers.ts';
import { TokenProto } from './transport.ts';

export const LocalResourceVisibilityProto = enumeration({ PUBLIC: 1, PRIVATE: 2, APPLICATION: 3 });

export const LocalResourceTypeProto = enumeration({ ARCHIVE: 1, FILE: 2, PATTERN: 3 });

export const LocalResourceProto = message('hadoop.yarn.LocalResourceProto', {
  resource: optional(1, URLProto),
  size: optional(2, 'int64'),
  timestamp: optional(3, 'int64'),
  type: optional(4, LocalResourceTypeProto),
  visibility: optional(5, LocalResourceVisibilityProto),
  pattern: optional(6, 'string'),
  should_be_uploaded_to_shared_cache: optional(7, 'bool'),
});

export const StringLocalResourceMapProto = message('hadoop.yarn.StringLocalResourceMapProto', {
  key: optional(1, 'string'),
  value: optional(2, LocalResourceProto),
});

export const ContainerStateProto = enumeration({ C_NEW: 1, C_RUNNING: 2, C_COMPLETE: 3 });

export const ContainerSubStateProto = enumeration({ CSS_SCHEDULED: 1, CSS_RUNNING: 2, CSS_PAUSED: 3, CSS_COMPLETING: 4, CSS_DONE: 5 });

export const ApplicationAccessTypeProto = enumeration({ APPACCESS_VIEW_APP: 1, APPACCESS_MODIFY_APP: 2 });

export const ContainerRetryPolicyProto = enumeration({ NEVER_RETRY: 0, RETRY_ON_ALL_ERRORS: 1, RETRY_ON_SPECIFIC_ERROR_CODES: 2 });

export const ContainerProto = message('hadoop.yarn.ContainerProto', {
  id: optional(1, ContainerIdProto),
  nodeId: optional(2, NodeIdProto),
  node_http_address: optional(3, 'string'),
  resource: optional(4, ResourceProto),
  priority: optional(5, PriorityProto),
  container_token: optional(6, TokenProto),
  execution_type: defaulted(7, ExecutionTypeProto, 'GUARANTEED'),
  allocation_request_id: defaulted(8, 'int64', -1),
  version: defaulted(9, 'int32', 0),
  allocation_tags: repeated(10, 'string'),
  exposed_ports: optional(11, 'string'),
});

export const ContainerStatusProto = message('hadoop.yarn.ContainerStatusProto', {
  container_id: optional(1, ContainerIdProto),
  state: optional(2, ContainerStateProto),
  diagnostics: defaulted(3, 'string', 'N/A'),
  exit_status: defaulted(4, 'int32', exitStatus.invalid),
  capability: optional(5, ResourceProto),
  executionType: defaulted(6, ExecutionTypeProto, 'GUARANTEED'),
  container_attributes: repeated(7, StringStringMapProto),
  container_sub_state: optional(8, ContainerSubStateProto),
});

export const ContainerReportProto = message('hadoop.yarn.ContainerReportProto', {
  container_id: optional(1, ContainerIdProto),
  resource: optional(2, ResourceProto),
  node_id: optional(3, NodeIdProto),
  priority: optional(4, PriorityProto),
  creation_time: optional(5, 'int64'),
  finish_time: optional(6, 'int64'),
  diagnostics_info: defaulted(7, 'string', 'N/A'),
  log_url: optional(8, 'string'),
  container_exit_status: optional(9, 'int32'),
  container_state: optional(10, ContainerStateProto),
  node_http_address: optional(11, 'string'),
  executionType: defaulted(12, ExecutionTypeProto, 'GUARANTEED'),
  exposed_ports: optional(13, 'string'),
});

export const ApplicationACLMapProto = message('hadoop.yarn.ApplicationACLMapProto', {
  accessType: optional(1, ApplicationAccessTypeProto),
  acl: defaulted(2, 'string', ' '),
});

export const ContainerRetryContextProto = message('hadoop.yarn.ContainerRetryContextProto', {
  retry_policy: defaulted(1, ContainerRetryPolicyProto, 'NEVER_RETRY'),
  error_codes: repeated(2, 'int32'),
  max_retries: defaulted(3, 'int32', 0),
  retry_interval: defaulted(4, 'int32', 0),
  failures_validity_interval: defaulted(5, 'int64', -1),
});

export const ContainerLaunchContextProto = message('hadoop.yarn.ContainerLaunchContextProto', {
  localResources: repeated(1, StringLocalResourceMapProto),
  tokens: optional(2, 'bytes'),
  service_data: repeated(3, StringBytesMapProto),
  environment: repeated(4, StringStringMapProto),
  command: repeated(5, 'string'),
  application_ACLs: repeated(6, ApplicationACLMapProto),
  container_retry_context: optional(7, ContainerRetryContextProto),
  tokens_conf: optional(8, 'bytes'),
});
