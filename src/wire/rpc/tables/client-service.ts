// Requests and answers of ApplicationClientProtocol. Of yarn_service_protos.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated, required } from '../message.ts';
import {
  ApplicationAttemptReportProto,
  ApplicationReportProto,
  ApplicationSubmissionContextProto,
  ApplicationUpdateTimeoutMapProto,
  YarnApplicationStateProto,
  YarnClusterMetricsProto,
} from './applications.ts';
import { ContainerReportProto } from './containers.ts';
import {
  ApplicationAttemptIdProto,
  ApplicationIdProto,
  ContainerIdProto,
  PriorityProto,
  ReservationIdProto,
  ResourceProfilesProto,
  ResourceProto,
  ResourceTypeInfoProto,
} from './identifiers.ts';
import {
  AttributeToNodesProto,
  LabelsToNodeIdsProto,
  NodeAttributeInfoProto,
  NodeAttributeKeyProto,
  NodeIdToLabelsProto,
  NodeLabelProto,
  NodeReportProto,
  NodeStateProto,
  NodeToAttributesProto,
} from './nodes.ts';
import { QueueInfoProto, QueueUserACLInfoProto } from './queues.ts';
import { ReservationAllocationStateProto, ReservationDefinitionProto } from './reservations.ts';

export const SignalContainerCommandProto = enumeration({ OUTPUT_THREAD_DUMP: 1, GRACEFUL_SHUTDOWN: 2, FORCEFUL_SHUTDOWN: 3 });

export const ApplicationsRequestScopeProto = enumeration({ ALL: 0, VIEWABLE: 1, OWN: 2 });

export const GetNewApplicationRequestProto = message('hadoop.yarn.GetNewApplicationRequestProto', {});

export const GetNewApplicationResponseProto = message('hadoop.yarn.GetNewApplicationResponseProto', {
  application_id: optional(1, ApplicationIdProto),
  maximumCapability: optional(2, ResourceProto),
});

export const GetApplicationReportRequestProto = message('hadoop.yarn.GetApplicationReportRequestProto', {
  application_id: optional(1, ApplicationIdProto),
});

export const GetApplicationReportResponseProto = message('hadoop.yarn.GetApplicationReportResponseProto', {
  application_report: optional(1, ApplicationReportProto),
});

export const SubmitApplicationRequestProto = message('hadoop.yarn.SubmitApplicationRequestProto', {
  application_submission_context: optional(1, ApplicationSubmissionContextProto),
});

export const SubmitApplicationResponseProto = message('hadoop.yarn.SubmitApplicationResponseProto', {});

export const FailApplicationAttemptRequestProto = message('hadoop.yarn.FailApplicationAttemptRequestProto', {
  application_attempt_id: optional(1, ApplicationAttemptIdProto),
});

export const FailApplicationAttemptResponseProto = message('hadoop.yarn.FailApplicationAttemptResponseProto', {});

export const KillApplicationRequestProto = message('hadoop.yarn.KillApplicationRequestProto', {
  application_id: optional(1, ApplicationIdProto),
  diagnostics: optional(2, 'string'),
});

export const KillApplicationResponseProto = message('hadoop.yarn.KillApplicationResponseProto', {
  is_kill_completed: defaulted(1, 'bool', false),
});

export const GetClusterMetricsRequestProto = message('hadoop.yarn.GetClusterMetricsRequestProto', {});

export const GetClusterMetricsResponseProto = message('hadoop.yarn.GetClusterMetricsResponseProto', {
  cluster_metrics: optional(1, YarnClusterMetricsProto),
});

export const MoveApplicationAcrossQueuesRequestProto = message('hadoop.yarn.MoveApplicationAcrossQueuesRequestProto', {
  application_id: required(1, ApplicationIdProto),
  target_queue: required(2, 'string'),
});

export const MoveApplicationAcrossQueuesResponseProto = message('hadoop.yarn.MoveApplicationAcrossQueuesResponseProto', {});

export const GetApplicationsRequestProto = message('hadoop.yarn.GetApplicationsRequestProto', {
  application_types: repeated(1, 'string'),
  application_states: repeated(2, YarnApplicationStateProto),
  users: repeated(3, 'string'),
  queues: repeated(4, 'string'),
  limit: optional(5, 'int64'),
  start_begin: optional(6, 'int64'),
  start_end: optional(7, 'int64'),
  finish_begin: optional(8, 'int64'),
  finish_end: optional(9, 'int64'),
  applicationTags: repeated(10, 'string'),
  scope: defaulted(11, ApplicationsRequestScopeProto, 'ALL'),
  name: optional(12, 'string'),
});

export const GetApplicationsResponseProto = message('hadoop.yarn.GetApplicationsResponseProto', {
  applications: repeated(1, ApplicationReportProto),
});

export const GetClusterNodesRequestProto = message('hadoop.yarn.GetClusterNodesRequestProto', {
  nodeStates: repeated(1, NodeStateProto),
});

export const GetClusterNodesResponseProto = message('hadoop.yarn.GetClusterNodesResponseProto', {
  nodeReports: repeated(1, NodeReportProto),
});

export const GetQueueInfoRequestProto = message('hadoop.yarn.GetQueueInfoRequestProto', {
  queueName: optional(1, 'string'),
  includeApplications: optional(2, 'bool'),
  includeChildQueues: optional(3, 'bool'),
  recursive: optional(4, 'bool'),
  subClusterId: optional(5, 'string'),
});

export const GetQueueInfoResponseProto = message('hadoop.yarn.GetQueueInfoResponseProto', {
  queueInfo: optional(1, QueueInfoProto),
});

export const GetQueueUserAclsInfoRequestProto = message('hadoop.yarn.GetQueueUserAclsInfoRequestProto', {});

export const GetQueueUserAclsInfoResponseProto = message('hadoop.yarn.GetQueueUserAclsInfoResponseProto', {
  queueUserAcls: repeated(1, QueueUserACLInfoProto),
});

export const GetNodesToLabelsRequestProto = message('hadoop.yarn.GetNodesToLabelsRequestProto', {});

export const GetNodesToLabelsResponseProto = message('hadoop.yarn.GetNodesToLabelsResponseProto', {
  nodeToLabels: repeated(1, NodeIdToLabelsProto),
});

export const GetLabelsToNodesRequestProto = message('hadoop.yarn.GetLabelsToNodesRequestProto', {
  nodeLabels: repeated(1, 'string'),
});

export const GetLabelsToNodesResponseProto = message('hadoop.yarn.GetLabelsToNodesResponseProto', {
  labelsToNodes: repeated(1, LabelsToNodeIdsProto),
});

export const GetClusterNodeLabelsRequestProto = message('hadoop.yarn.GetClusterNodeLabelsRequestProto', {});

export const GetClusterNodeLabelsResponseProto = message('hadoop.yarn.GetClusterNodeLabelsResponseProto', {
  deprecatedNodeLabels: repeated(1, 'string'),
  nodeLabels: repeated(2, NodeLabelProto),
});

export const GetClusterNodeAttributesRequestProto = message('hadoop.yarn.GetClusterNodeAttributesRequestProto', {});

export const GetClusterNodeAttributesResponseProto = message('hadoop.yarn.GetClusterNodeAttributesResponseProto', {
  nodeAttributes: repeated(1, NodeAttributeInfoProto),
});

export const GetAttributesToNodesRequestProto = message('hadoop.yarn.GetAttributesToNodesRequestProto', {
  nodeAttributes: repeated(1, NodeAttributeKeyProto),
});

export const GetAttributesToNodesResponseProto = message('hadoop.yarn.GetAttributesToNodesResponseProto', {
  attributesToNodes: repeated(1, AttributeToNodesProto),
});

export const GetNodesToAttributesRequestProto = message('hadoop.yarn.GetNodesToAttributesRequestProto', {
  hostnames: repeated(1, 'string'),
});

export const GetNodesToAttributesResponseProto = message('hadoop.yarn.GetNodesToAttributesResponseProto', {
  nodesToAttributes: repeated(1, NodeToAttributesProto),
});

export const UpdateApplicationPriorityRequestProto = message('hadoop.yarn.UpdateApplicationPriorityRequestProto', {
  applicationId: required(1, ApplicationIdProto),
  applicationPriority: required(2, PriorityProto),
});

export const UpdateApplicationPriorityResponseProto = message('hadoop.yarn.UpdateApplicationPriorityResponseProto', {
  applicationPriority: optional(1, PriorityProto),
});

export const SignalContainerRequestProto = message('hadoop.yarn.SignalContainerRequestProto', {
  container_id: required(1, ContainerIdProto),
  command: required(2, SignalContainerCommandProto),
});

export const SignalContainerResponseProto = message('hadoop.yarn.SignalContainerResponseProto', {});

export const UpdateApplicationTimeoutsRequestProto = message('hadoop.yarn.UpdateApplicationTimeoutsRequestProto', {
  applicationId: required(1, ApplicationIdProto),
  application_timeouts: repeated(2, ApplicationUpdateTimeoutMapProto),
});

export const UpdateApplicationTimeoutsResponseProto = message('hadoop.yarn.UpdateApplicationTimeoutsResponseProto', {
  application_timeouts: repeated(1, ApplicationUpdateTimeoutMapProto),
});

export const GetAllResourceProfilesRequestProto = message('hadoop.yarn.GetAllResourceProfilesRequestProto', {});

export const GetAllResourceProfilesResponseProto = message('hadoop.yarn.GetAllResourceProfilesResponseProto', {
  resource_profiles: required(1, ResourceProfilesProto),
});

export const GetResourceProfileRequestProto = message('hadoop.yarn.GetResourceProfileRequestProto', {
  profile: required(1, 'string'),
});

export const GetResourceProfileResponseProto = message('hadoop.yarn.GetResourceProfileResponseProto', {
  resources: required(1, ResourceProto),
});

export const GetAllResourceTypeInfoRequestProto = message('hadoop.yarn.GetAllResourceTypeInfoRequestProto', {});

export const GetAllResourceTypeInfoResponseProto = message('hadoop.yarn.GetAllResourceTypeInfoResponseProto', {
  resource_type_info: repeated(1, ResourceTypeInfoProto),
});

export const GetApplicationAttemptReportRequestProto = message('hadoop.yarn.GetApplicationAttemptReportRequestProto', {
  application_attempt_id: optional(1, ApplicationAttemptIdProto),
});

export const GetApplicationAttemptReportResponseProto = message('hadoop.yarn.GetApplicationAttemptReportResponseProto', {
  application_attempt_report: optional(1, ApplicationAttemptReportProto),
});

export const GetApplicationAttemptsRequestProto = message('hadoop.yarn.GetApplicationAttemptsRequestProto', {
  application_id: optional(1, ApplicationIdProto),
});

export const GetApplicationAttemptsResponseProto = message('hadoop.yarn.GetApplicationAttemptsResponseProto', {
  application_attempts: repeated(1, ApplicationAttemptReportProto),
});

export const GetContainerReportRequestProto = message('hadoop.yarn.GetContainerReportRequestProto', {
  container_id: optional(1, ContainerIdProto),
});

export const GetContainerReportResponseProto = message('hadoop.yarn.GetContainerReportResponseProto', {
  container_report: optional(1, ContainerReportProto),
});

export const GetContainersRequestProto = message('hadoop.yarn.GetContainersRequestProto', {
  application_attempt_id: optional(1, ApplicationAttemptIdProto),
});

export const GetContainersResponseProto = message('hadoop.yarn.GetContainersResponseProto', {
  containers: repeated(1, ContainerReportProto),
});

export const GetNewReservationRequestProto = message('hadoop.yarn.GetNewReservationRequestProto', {});

export const GetNewReservationResponseProto = message('hadoop.yarn.GetNewReservationResponseProto', {
  reservation_id: optional(1, ReservationIdProto),
});

export const ReservationSubmissionRequestProto = message('hadoop.yarn.ReservationSubmissionRequestProto', {
  queue: optional(1, 'string'),
  reservation_definition: optional(2, ReservationDefinitionProto),
  reservation_id: optional(3, ReservationIdProto),
});

export const ReservationSubmissionResponseProto = message('hadoop.yarn.ReservationSubmissionResponseProto', {});

export const ReservationUpdateRequestProto = message('hadoop.yarn.ReservationUpdateRequestProto', {
  reservation_definition: optional(1, ReservationDefinitionProto),
  reservation_id: optional(2, ReservationIdProto),
});

export const ReservationUpdateResponseProto = message('hadoop.yarn.ReservationUpdateResponseProto', {});

export const ReservationDeleteRequestProto = message('hadoop.yarn.ReservationDeleteRequestProto', {
  reservation_id: optional(1, ReservationIdProto),
});

export const ReservationDeleteResponseProto = message('hadoop.yarn.ReservationDeleteResponseProto', {});

export const ReservationListRequestProto = message('hadoop.yarn.ReservationListRequestProto', {
  queue: optional(1, 'string'),
  reservation_id: optional(3, 'string'),
  start_time: optional(4, 'int64'),
  end_time: optional(5, 'int64'),
  include_resource_allocations: optional(6, 'bool'),
});

export const ReservationListResponseProto = message('hadoop.yarn.ReservationListResponseProto', {
  reservations: repeated(1, ReservationAllocationStateProto),
});
