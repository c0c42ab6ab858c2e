// What clients ask about jobs of MapReduce: a history server about finished ones (HSClientProtocol, MRClientProtocol.proto).
import {
  FailTaskAttemptRequestProto,
  FailTaskAttemptResponseProto,
  GetCountersRequestProto,
  GetCountersResponseProto,
  GetDiagnosticsRequestProto,
  GetDiagnosticsResponseProto,
  GetJobReportRequestProto,
  GetJobReportResponseProto,
  GetTaskAttemptCompletionEventsRequestProto,
  GetTaskAttemptCompletionEventsResponseProto,
  GetTaskAttemptReportRequestProto,
  GetTaskAttemptReportResponseProto,
  GetTaskReportRequestProto,
  GetTaskReportResponseProto,
  GetTaskReportsRequestProto,
  GetTaskReportsResponseProto,
  KillJobRequestProto,
  KillJobResponseProto,
  KillTaskAttemptRequestProto,
  KillTaskAttemptResponseProto,
  KillTaskRequestProto,
  KillTaskResponseProto,
} from '../tables/job-service.ts';
import {
  CancelDelegationTokenRequestProto,
  CancelDelegationTokenResponseProto,
  GetDelegationTokenRequestProto,
  GetDelegationTokenResponseProto,
  RenewDelegationTokenRequestProto,
  RenewDelegationTokenResponseProto,
} from '../tables/transport.ts';
import type { ProtocolDescription } from './description.ts';

/** What clients ask a history server (port 10020). */
export const historyClientProtocol = {
  name: 'org.apache.hadoop.mapreduce.v2.api.HSClientProtocolPB',
  version: 1,
  methods: {
    getJobReport: [GetJobReportRequestProto, GetJobReportResponseProto],
    getTaskReport: [GetTaskReportRequestProto, GetTaskReportResponseProto],
    getTaskAttemptReport: [GetTaskAttemptReportRequestProto, GetTaskAttemptReportResponseProto],
    getCounters: [GetCountersRequestProto, GetCountersResponseProto],
    getTaskAttemptCompletionEvents: [GetTaskAttemptCompletionEventsRequestProto, GetTaskAttemptCompletionEventsResponseProto],
    getTaskReports: [GetTaskReportsRequestProto, GetTaskReportsResponseProto],
    getDiagnostics: [GetDiagnosticsRequestProto, GetDiagnosticsResponseProto],
    killJob: [KillJobRequestProto, KillJobResponseProto],
    killTask: [KillTaskRequestProto, KillTaskResponseProto],
    killTaskAttempt: [KillTaskAttemptRequestProto, KillTaskAttemptResponseProto],
    failTaskAttempt: [FailTaskAttemptRequestProto, FailTaskAttemptResponseProto],
    getDelegationToken: [GetDelegationTokenRequestProto, GetDelegationTokenResponseProto],
    renewDelegationToken: [RenewDelegationTokenRequestProto, RenewDelegationTokenResponseProto],
    cancelDelegationToken: [CancelDelegationTokenRequestProto, CancelDelegationTokenResponseProto],
  },
} as const satisfies ProtocolDescription;
