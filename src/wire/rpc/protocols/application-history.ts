// What clients ask about applications that the resource manager no longer knows (application_history_client.proto).
import {
  GetApplicationAttemptReportRequestProto,
  GetApplicationAttemptReportResponseProto,
  GetApplicationAttemptsRequestProto,
  GetApplicationAttemptsResponseProto,
  GetApplicationReportRequestProto,
  GetApplicationReportResponseProto,
  GetApplicationsRequestProto,
  GetApplicationsResponseProto,
  GetContainerReportRequestProto,
  GetContainerReportResponseProto,
  GetContainersRequestProto,
  GetContainersResponseProto,
} from '../tables/client-service.ts';
import {
  CancelDelegationTokenRequestProto,
  CancelDelegationTokenResponseProto,
  GetDelegationTokenRequestProto,
  GetDelegationTokenResponseProto,
  RenewDelegationTokenRequestProto,
  RenewDelegationTokenResponseProto,
} from '../tables/transport.ts';
import type { ProtocolDescription } from './description.ts';

/** What clients ask the application history (port 10200). */
export const applicationHistoryProtocol = {
  name: 'org.apache.hadoop.yarn.api.ApplicationHistoryProtocolPB',
  version: 1,
  methods: {
    getApplicationReport: [GetApplicationReportRequestProto, GetApplicationReportResponseProto],
    getApplications: [GetApplicationsRequestProto, GetApplicationsResponseProto],
    getApplicationAttemptReport: [GetApplicationAttemptReportRequestProto, GetApplicationAttemptReportResponseProto],
    getApplicationAttempts: [GetApplicationAttemptsRequestProto, GetApplicationAttemptsResponseProto],
    getContainerReport: [GetContainerReportRequestProto, GetContainerReportResponseProto],
    getContainers: [GetContainersRequestProto, GetContainersResponseProto],
    getDelegationToken: [GetDelegationTokenRequestProto, GetDelegationTokenResponseProto],
    renewDelegationToken: [RenewDelegationTokenRequestProto, RenewDelegationTokenResponseProto],
    cancelDelegationToken: [CancelDelegationTokenRequestProto, CancelDelegationTokenResponseProto],
  },
} as const satisfies ProtocolDescription;
