// What masters ask nodes for, and what they are answered. Of yarn_service_protos.proto and yarn_protos.proto of Hadoop 3.4.2.
import { defaulted, enumeration, message, optional, repeated } from '../message.ts';
import { ContainerLaunchContextProto, ContainerStatusProto, StringLocalResourceMapProto } from './containers.ts';
import { ContainerIdProto, StringBytesMapProto } from './identifiers.ts';
import { TokenProto } from './transport.ts';

/** An exception about one of several containers. Its cause (field 4) is never sent. */
export const SerializedExceptionProto = message('hadoop.yarn.SerializedExceptionProto', {
  message: optional(1, 'string'),
  trace: optional(2, 'string'),
  class_name: optional(3, 'string'),
});

export const ContainerExceptionMapProto = message('hadoop.yarn.ContainerExceptionMapProto', {
  container_id: optional(1, ContainerIdProto),
  exception: optional(2, SerializedExceptionProto),
});

const StartContainerRequestProto = message('hadoop.yarn.StartContainerRequestProto', {
  container_launch_context: optional(1, ContainerLaunchContextProto),
  container_token: optional(2, TokenProto),
});

export const StartContainersRequestProto = message('hadoop.yarn.StartContainersRequestProto', {
  start_container_request: repeated(1, StartContainerRequestProto),
});

export const StartContainersResponseProto = message('hadoop.yarn.StartContainersResponseProto', {
  services_meta_data: repeated(1, StringBytesMapProto),
  succeeded_requests: repeated(2, ContainerIdProto),
  failed_requests: repeated(3, ContainerExceptionMapProto),
});

export const StopContainersRequestProto = message('hadoop.yarn.StopContainersRequestProto', {
  container_id: repeated(1, ContainerIdProto),
});

export const StopContainersResponseProto = message('hadoop.yarn.StopContainersResponseProto', {
  succeeded_requests: repeated(1, ContainerIdProto),
  failed_requests: repeated(2, ContainerExceptionMapProto),
});

export const GetContainerStatusesRequestProto = message('hadoop.yarn.GetContainerStatusesRequestProto', {
  container_id: repeated(1, ContainerIdProto),
});

export const GetContainerStatusesResponseProto = message('hadoop.yarn.GetContainerStatusesResponseProto', {
  status: repeated(1, ContainerStatusProto),
  failed_requests: repeated(2, ContainerExceptionMapProto),
});

export const IncreaseContainersResourceRequestProto = message('hadoop.yarn.IncreaseContainersResourceRequestProto', {
  increase_containers: repeated(1, TokenProto),
});

export const IncreaseContainersResourceResponseProto = message('hadoop.yarn.IncreaseContainersResourceResponseProto', {
  succeeded_requests: repeated(1, ContainerIdProto),
  failed_requests: repeated(2, ContainerExceptionMapProto),
});

export const ContainerUpdateRequestProto = message('hadoop.yarn.ContainerUpdateRequestProto', {
  update_container_token: repeated(1, TokenProto),
});

export const ContainerUpdateResponseProto = message('hadoop.yarn.ContainerUpdateResponseProto', {
  succeeded_requests: repeated(1, ContainerIdProto),
  failed_requests: repeated(2, ContainerExceptionMapProto),
});

export const ResourceLocalizationRequestProto = message('hadoop.yarn.ResourceLocalizationRequestProto', {
  container_id: optional(1, ContainerIdProto),
  local_resources: repeated(2, StringLocalResourceMapProto),
});

export const ResourceLocalizationResponseProto = message('hadoop.yarn.ResourceLocalizationResponseProto', {});

export const ReInitializeContainerRequestProto = message('hadoop.yarn.ReInitializeContainerRequestProto', {
  container_id: optional(1, ContainerIdProto),
  container_launch_context: optional(2, ContainerLaunchContextProto),
  auto_commit: defaulted(3, 'bool', true),
});

export const ReInitializeContainerResponseProto = message('hadoop.yarn.ReInitializeContainerResponseProto', {});

export const RestartContainerResponseProto = message('hadoop.yarn.RestartContainerResponseProto', {});

export const RollbackResponseProto = message('hadoop.yarn.RollbackResponseProto', {});

export const CommitResponseProto = message('hadoop.yarn.CommitResponseProto', {});

export const LocalizationStateProto = enumeration({ L_PENDING: 1, L_COMPLETED: 2, L_FAILED: 3 });

const LocalizationStatusProto = message('hadoop.yarn.LocalizationStatusProto', {
  resource_key: optional(1, 'string'),
  localization_state: optional(2, LocalizationStateProto),
  diagnostics: optional(3, 'string'),
});

const ContainerLocalizationStatusesProto = message('hadoop.yarn.ContainerLocalizationStatusesProto', {
  container_id: optional(1, ContainerIdProto),
  localization_statuses: repeated(2, LocalizationStatusProto),
});

export const GetLocalizationStatusesRequestProto = message('hadoop.yarn.GetLocalizationStatusesRequestProto', {
  container_id: repeated(1, ContainerIdProto),
});

export const GetLocalizationStatusesResponseProto = message('hadoop.yarn.GetLocalizationStatusesResponseProto', {
  cntn_localization_statuses: repeated(1, ContainerLocalizationStatusesProto),
  failed_requests: repeated(2, ContainerExceptionMapProto),
});
