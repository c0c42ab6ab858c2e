// What clients of finished and running jobs ask. mr_service_protos.proto of Hadoop 3.4.2.
import { message, optional, repeated } from '../message.ts';
import {
  CountersProto,
  JobIdProto,
  JobReportProto,
  TaskAttemptCompletionEventProto,
  TaskAttemptIdProto,
  TaskAttemptReportProto,
  TaskIdProto,
  TaskReportProto,
  TaskTypeProto,
} from './jobs.ts';

export const GetJobReportRequestProto = message('hadoop.mapreduce.GetJobReportRequestProto', {
  job_id: optional(1, JobIdProto),
});

export const GetJobReportResponseProto = message('hadoop.mapreduce.GetJobReportResponseProto', {
  job_report: optional(1, JobReportProto),
});

export const GetTaskReportRequestProto = message('hadoop.mapreduce.GetTaskReportRequestProto', {
  task_id: optional(1, TaskIdProto),
});

export const GetTaskReportResponseProto = message('hadoop.mapreduce.GetTaskReportResponseProto', {
  task_report: optional(1, TaskReportProto),
});

export const GetTaskAttemptReportRequestProto = message('hadoop.mapreduce.GetTaskAttemptReportRequestProto', {
  task_attempt_id: optional(1, TaskAttemptIdProto),
});

export const GetTaskAttemptReportResponseProto = message('hadoop.mapreduce.GetTaskAttemptReportResponseProto', {
  task_attempt_report: optional(1, TaskAttemptReportProto),
});

export const GetCountersRequestProto = message('hadoop.mapreduce.GetCountersRequestProto', {
  job_id: optional(1, JobIdProto),
});

export const GetCountersResponseProto = message('hadoop.mapreduce.GetCountersResponseProto', {
  counters: optional(1, CountersProto),
});

export const GetTaskAttemptCompletionEventsRequestProto = message('hadoop.mapreduce.GetTaskAttemptCompletionEventsRequestProto', {
  job_id: optional(1, JobIdProto),
  from_event_id: optional(2, 'int32'),
  max_events: optional(3, 'int32'),
});

export const GetTaskAttemptCompletionEventsResponseProto = message('hadoop.mapreduce.GetTaskAttemptCompletionEventsResponseProto', {
  completion_events: repeated(1, TaskAttemptCompletionEventProto),
});

export const GetTaskReportsRequestProto = message('hadoop.mapreduce.GetTaskReportsRequestProto', {
  job_id: optional(1, JobIdProto),
  task_type: optional(2, TaskTypeProto),
});

export const GetTaskReportsResponseProto = message('hadoop.mapreduce.GetTaskReportsResponseProto', {
  task_reports: repeated(1, TaskReportProto),
});

export const GetDiagnosticsRequestProto = message('hadoop.mapreduce.GetDiagnosticsRequestProto', {
  task_attempt_id: optional(1, TaskAttemptIdProto),
});

export const GetDiagnosticsResponseProto = message('hadoop.mapreduce.GetDiagnosticsResponseProto', {
  diagnostics: repeated(1, 'string'),
});

export const KillJobRequestProto = message('hadoop.mapreduce.KillJobRequestProto', {
  job_id: optional(1, JobIdProto),
});

export const KillJobResponseProto = message('hadoop.mapreduce.KillJobResponseProto', {});

export const KillTaskRequestProto = message('hadoop.mapreduce.KillTaskRequestProto', {
  task_id: optional(1, TaskIdProto),
});

export const KillTaskResponseProto = message('hadoop.mapreduce.KillTaskResponseProto', {});

export const KillTaskAttemptRequestProto = message('hadoop.mapreduce.KillTaskAttemptRequestProto', {
  task_attempt_id: optional(1, TaskAttemptIdProto),
});

export const KillTaskAttemptResponseProto = message('hadoop.mapreduce.KillTaskAttemptResponseProto', {});

export const FailTaskAttemptRequestProto = message('hadoop.mapreduce.FailTaskAttemptRequestProto', {
  task_attempt_id: optional(1, TaskAttemptIdProto),
});

export const FailTaskAttemptResponseProto = message('hadoop.mapreduce.FailTaskAttemptResponseProto', {});
