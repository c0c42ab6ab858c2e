// Jobs of MapReduce. mr_protos.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated } from '../message.ts';
import { ApplicationAttemptIdProto, ApplicationIdProto, ContainerIdProto, PriorityProto } from './identifiers.ts';

export const TaskTypeProto = enumeration({ MAP: 1, REDUCE: 2 });

export const TaskStateProto = enumeration({ TS_NEW: 1, TS_SCHEDULED: 2, TS_RUNNING: 3, TS_SUCCEEDED: 4, TS_FAILED: 5, TS_KILLED: 6 });

export const PhaseProto = enumeration({ P_STARTING: 1, P_MAP: 2, P_SHUFFLE: 3, P_SORT: 4, P_REDUCE: 5, P_CLEANUP: 6 });

export const TaskAttemptStateProto = enumeration({
  TA_NEW: 1,
  TA_STARTING: 2,
  TA_RUNNING: 3,
  TA_COMMIT_PENDING: 4,
  TA_SUCCEEDED: 5,
  TA_FAILED: 6,
  TA_KILLED: 7,
});

export const JobStateProto = enumeration({ J_NEW: 1, J_INITED: 2, J_RUNNING: 3, J_SUCCEEDED: 4, J_FAILED: 5, J_KILLED: 6, J_ERROR: 7 });

export const TaskAttemptCompletionEventStatusProto = enumeration({
  TACE_FAILED: 1,
  TACE_KILLED: 2,
  TACE_SUCCEEDED: 3,
  TACE_OBSOLETE: 4,
  TACE_TIPFAILED: 5,
});

export const JobIdProto = message('hadoop.mapreduce.JobIdProto', {
  app_id: optional(1, ApplicationIdProto),
  id: optional(2, 'int32'),
});

export const TaskIdProto = message('hadoop.mapreduce.TaskIdProto', {
  job_id: optional(1, JobIdProto),
  task_type: optional(2, TaskTypeProto),
  id: optional(3, 'int32'),
});

export const TaskAttemptIdProto = message('hadoop.mapreduce.TaskAttemptIdProto', {
  task_id: optional(1, TaskIdProto),
  id: optional(2, 'int32'),
});

export const CounterProto = message('hadoop.mapreduce.CounterProto', {
  name: optional(1, 'string'),
  display_name: optional(2, 'string'),
  value: optional(3, 'exact64'),
});

export const StringCounterMapProto = message('hadoop.mapreduce.StringCounterMapProto', {
  key: optional(1, 'string'),
  value: optional(2, CounterProto),
});

export const CounterGroupProto = message('hadoop.mapreduce.CounterGroupProto', {
  name: optional(1, 'string'),
  display_name: optional(2, 'string'),
  counters: repeated(3, StringCounterMapProto),
});

export const StringCounterGroupMapProto = message('hadoop.mapreduce.StringCounterGroupMapProto', {
  key: optional(1, 'string'),
  value: optional(2, CounterGroupProto),
});

export const CountersProto = message('hadoop.mapreduce.CountersProto', {
  counter_groups: repeated(1, StringCounterGroupMapProto),
});

export const TaskReportProto = message('hadoop.mapreduce.TaskReportProto', {
  task_id: optional(1, TaskIdProto),
  task_state: optional(2, TaskStateProto),
  progress: optional(3, 'float'),
  start_time: optional(4, 'int64'),
  finish_time: optional(5, 'int64'),
  counters: optional(6, CountersProto),
  running_attempts: repeated(7, TaskAttemptIdProto),
  successful_attempt: optional(8, TaskAttemptIdProto),
  diagnostics: repeated(9, 'string'),
});

export const TaskAttemptReportProto = message('hadoop.mapreduce.TaskAttemptReportProto', {
  task_attempt_id: optional(1, TaskAttemptIdProto),
  task_attempt_state: optional(2, TaskAttemptStateProto),
  progress: optional(3, 'float'),
  start_time: optional(4, 'int64'),
  finish_time: optional(5, 'int64'),
  counters: optional(6, CountersProto),
  diagnostic_info: optional(7, 'string'),
  state_string: optional(8, 'string'),
  phase: optional(9, PhaseProto),
  shuffle_finish_time: optional(10, 'int64'),
  sort_finish_time: optional(11, 'int64'),
  node_manager_host: optional(12, 'string'),
  node_manager_port: optional(13, 'int32'),
  node_manager_http_port: optional(14, 'int32'),
  container_id: optional(15, ContainerIdProto),
});

export const AMInfoProto = message('hadoop.mapreduce.AMInfoProto', {
  application_attempt_id: optional(1, ApplicationAttemptIdProto),
  start_time: optional(2, 'int64'),
  container_id: optional(3, ContainerIdProto),
  node_manager_host: optional(4, 'string'),
  node_manager_port: optional(5, 'int32'),
  node_manager_http_port: optional(6, 'int32'),
});

export const JobReportProto = message('hadoop.mapreduce.JobReportProto', {
  job_id: optional(1, JobIdProto),
  job_state: optional(2, JobStateProto),
  map_progress: optional(3, 'float'),
  reduce_progress: optional(4, 'float'),
  cleanup_progress: optional(5, 'float'),
  setup_progress: optional(6, 'float'),
  start_time: optional(7, 'int64'),
  finish_time: optional(8, 'int64'),
  user: optional(9, 'string'),
  jobName: optional(10, 'string'),
  trackingUrl: optional(11, 'string'),
  diagnostics: optional(12, 'string'),
  jobFile: optional(13, 'string'),
  am_infos: repeated(14, AMInfoProto),
  submit_time: optional(15, 'int64'),
  is_uber: defaulted(16, 'bool', false),
  jobPriority: optional(17, PriorityProto),
  historyFile: optional(18, 'string'),
});

export const TaskAttemptCompletionEventProto = message('hadoop.mapreduce.TaskAttemptCompletionEventProto', {
  attempt_id: optional(1, TaskAttemptIdProto),
  status: optional(2, TaskAttemptCompletionEventStatusProto),
  map_output_server_address: optional(3, 'string'),
  attempt_run_time: optional(4, 'int32'),
  event_id: optional(5, 'int32'),
});
