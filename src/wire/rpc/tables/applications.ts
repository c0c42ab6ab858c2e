// Applications and attempts: what is submitted, what is reported. Of yarn_protos.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated, required } from '../message.ts';
import { ContainerLaunchContextProto } from './containers.ts';
import {
  ApplicationAttemptIdProto,
  ApplicationIdProto,
  ContainerIdProto,
  PriorityProto,
  ReservationIdProto,
  ResourceProto,
  StringLongMapProto,
  StringStringMapProto,
} from './identifiers.ts';
import { ResourceRequestProto } from './placement.ts';
import { TokenProto } from './transport.ts';

export const YarnApplicationStateProto = enumeration({
  NEW: 1,
  NEW_SAVING: 2,
  SUBMITTED: 3,
  ACCEPTED: 4,
  RUNNING: 5,
  FINISHED: 6,
  FAILED: 7,
  KILLED: 8,
});

export const YarnApplicationAttemptStateProto = enumeration({
  APP_ATTEMPT_NEW: 1,
  APP_ATTEMPT_SUBMITTED: 2,
  APP_ATTEMPT_SCHEDULED: 3,
  APP_ATTEMPT_ALLOCATED_SAVING: 4,
  APP_ATTEMPT_ALLOCATED: 5,
  APP_ATTEMPT_LAUNCHED: 6,
  APP_ATTEMPT_FAILED: 7,
  APP_ATTEMPT_RUNNING: 8,
  APP_ATTEMPT_FINISHING: 9,
  APP_ATTEMPT_FINISHED: 10,
  APP_ATTEMPT_KILLED: 11,
});

export const FinalApplicationStatusProto = enumeration({ APP_UNDEFINED: 0, APP_SUCCEEDED: 1, APP_FAILED: 2, APP_KILLED: 3, APP_ENDED: 4 });

export const LogAggregationStatusProto = enumeration({
  LOG_DISABLED: 1,
  LOG_NOT_START: 2,
  LOG_RUNNING: 3,
  LOG_SUCCEEDED: 4,
  LOG_FAILED: 5,
  LOG_TIME_OUT: 6,
  LOG_RUNNING_WITH_FAILURE: 7,
});

export const ApplicationTimeoutTypeProto = enumeration({ APP_TIMEOUT_LIFETIME: 1 });

export const ApplicationResourceUsageReportProto = message('hadoop.yarn.ApplicationResourceUsageReportProto', {
  num_used_containers: optional(1, 'int32'),
  num_reserved_containers: optional(2, 'int32'),
  used_resources: optional(3, ResourceProto),
  reserved_resources: optional(4, ResourceProto),
  needed_resources: optional(5, ResourceProto),
  memory_seconds: optional(6, 'int64'),
  vcore_seconds: optional(7, 'int64'),
  queue_usage_percentage: optional(8, 'float'),
  cluster_usage_percentage: optional(9, 'float'),
  preempted_memory_seconds: optional(10, 'int64'),
  preempted_vcore_seconds: optional(11, 'int64'),
  application_resource_usage_map: repeated(12, StringLongMapProto),
  application_preempted_resource_usage_map: repeated(13, StringLongMapProto),
});

export const ApplicationTimeoutProto = message('hadoop.yarn.ApplicationTimeoutProto', {
  application_timeout_type: required(1, ApplicationTimeoutTypeProto),
  expire_time: optional(2, 'string'),
  remaining_time: optional(3, 'int64'),
});

export const AppTimeoutsMapProto = message('hadoop.yarn.AppTimeoutsMapProto', {
  application_timeout_type: optional(1, ApplicationTimeoutTypeProto),
  application_timeout: optional(2, ApplicationTimeoutProto),
});

export const ApplicationReportProto = message('hadoop.yarn.ApplicationReportProto', {
  applicationId: optional(1, ApplicationIdProto),
  user: optional(2, 'string'),
  queue: optional(3, 'string'),
  name: optional(4, 'string'),
  host: optional(5, 'string'),
  rpc_port: optional(6, 'int32'),
  client_to_am_token: optional(7, TokenProto),
  yarn_application_state: optional(8, YarnApplicationStateProto),
  trackingUrl: optional(9, 'string'),
  diagnostics: defaulted(10, 'string', 'N/A'),
  startTime: optional(11, 'int64'),
  finishTime: optional(12, 'int64'),
  final_application_status: optional(13, FinalApplicationStatusProto),
  app_resource_Usage: optional(14, ApplicationResourceUsageReportProto),
  originalTrackingUrl: optional(15, 'string'),
  currentApplicationAttemptId: optional(16, ApplicationAttemptIdProto),
  progress: optional(17, 'float'),
  applicationType: optional(18, 'string'),
  am_rm_token: optional(19, TokenProto),
  applicationTags: repeated(20, 'string'),
  log_aggregation_status: optional(21, LogAggregationStatusProto),
  unmanaged_application: defaulted(22, 'bool', false),
  priority: optional(23, PriorityProto),
  appNodeLabelExpression: optional(24, 'string'),
  amNodeLabelExpression: optional(25, 'string'),
  appTimeouts: repeated(26, AppTimeoutsMapProto),
  launchTime: optional(27, 'int64'),
  submitTime: optional(28, 'int64'),
  rmClusterId: optional(29, 'string'),
});

export const ApplicationAttemptReportProto = message('hadoop.yarn.ApplicationAttemptReportProto', {
  application_attempt_id: optional(1, ApplicationAttemptIdProto),
  host: optional(2, 'string'),
  rpc_port: optional(3, 'int32'),
  tracking_url: optional(4, 'string'),
  diagnostics: defaulted(5, 'string', 'N/A'),
  yarn_application_attempt_state: optional(6, YarnApplicationAttemptStateProto),
  am_container_id: optional(7, ContainerIdProto),
  original_tracking_url: optional(8, 'string'),
  startTime: optional(9, 'int64'),
  finishTime: optional(10, 'int64'),
});

export const LogAggregationContextProto = message('hadoop.yarn.LogAggregationContextProto', {
  include_pattern: defaulted(1, 'string', '.*'),
  exclude_pattern: defaulted(2, 'string', ''),
  rolled_logs_include_pattern: defaulted(3, 'string', ''),
  rolled_logs_exclude_pattern: defaulted(4, 'string', '.*'),
  log_aggregation_policy_class_name: optional(5, 'string'),
  log_aggregation_policy_parameters: optional(6, 'string'),
});

export const ApplicationTimeoutMapProto = message('hadoop.yarn.ApplicationTimeoutMapProto', {
  application_timeout_type: optional(1, ApplicationTimeoutTypeProto),
  timeout: optional(2, 'int64'),
});

export const ApplicationSubmissionContextProto = message('hadoop.yarn.ApplicationSubmissionContextProto', {
  application_id: optional(1, ApplicationIdProto),
  application_name: defaulted(2, 'string', 'N/A'),
  queue: defaulted(3, 'string', 'default'),
  priority: optional(4, PriorityProto),
  am_container_spec: optional(5, ContainerLaunchContextProto),
  cancel_tokens_when_complete: defaulted(6, 'bool', true),
  unmanaged_am: defaulted(7, 'bool', false),
  maxAppAttempts: defaulted(8, 'int32', 0),
  resource: optional(9, ResourceProto),
  applicationType: defaulted(10, 'string', 'YARN'),
  keep_containers_across_application_attempts: defaulted(11, 'bool', false),
  applicationTags: repeated(12, 'string'),
  attempt_failures_validity_interval: defaulted(13, 'int64', -1),
  log_aggregation_context: optional(14, LogAggregationContextProto),
  reservation_id: optional(15, ReservationIdProto),
  node_label_expression: optional(16, 'string'),
  am_container_resource_request: repeated(17, ResourceRequestProto),
  application_timeouts: repeated(18, ApplicationTimeoutMapProto),
  application_scheduling_properties: repeated(19, StringStringMapProto),
});

export const ApplicationUpdateTimeoutMapProto = message('hadoop.yarn.ApplicationUpdateTimeoutMapProto', {
  application_timeout_type: optional(1, ApplicationTimeoutTypeProto),
  expire_time: optional(2, 'string'),
});

export const YarnClusterMetricsProto = message('hadoop.yarn.YarnClusterMetricsProto', {
  num_node_managers: optional(1, 'int32'),
  num_decommissioned_nms: optional(2, 'int32'),
  num_active_nms: optional(3, 'int32'),
  num_lost_nms: optional(4, 'int32'),
  num_unhealthy_nms: optional(5, 'int32'),
  num_rebooted_nms: optional(6, 'int32'),
  num_decommissioning_nms: optional(7, 'int32'),
  num_shutdown_nms: optional(8, 'int32'),
});
