// What masters speak with nodes (containermanagement_protocol.proto).
import { SignalContainerRequestProto, SignalContainerResponseProto } from '../tables/client-service.ts';
import {
  CommitResponseProto,
  ContainerUpdateRequestProto,
  ContainerUpdateResponseProto,
  GetContainerStatusesRequestProto,
  GetContainerStatusesResponseProto,
  GetLocalizationStatusesRequestProto,
  GetLocalizationStatusesResponseProto,
  IncreaseContainersResourceRequestProto,
  IncreaseContainersResourceResponseProto,
  ReInitializeContainerRequestProto,
  ReInitializeContainerResponseProto,
  ResourceLocalizationRequestProto,
  ResourceLocalizationResponseProto,
  RestartContainerResponseProto,
  RollbackResponseProto,
  StartContainersRequestProto,
  StartContainersResponseProto,
  StopContainersRequestProto,
  StopContainersResponseProto,
} from '../tables/container-service.ts';
import { ContainerIdProto } from '../tables/identifiers.ts';
import type { ProtocolDescription } from './description.ts';

/** What masters of applications speak with a node (`yarn.nodemanager.address`). */
export const containerManagementProtocol = {
  name: 'org.apache.hadoop.yarn.api.ContainerManagementProtocolPB',
  version: 1,
  methods: {
    startContainers: [StartContainersRequestProto, StartContainersResponseProto],
    stopContainers: [StopContainersRequestProto, StopContainersResponseProto],
    getContainerStatuses: [GetContainerStatusesRequestProto, GetContainerStatusesResponseProto],
    increaseContainersResource: [IncreaseContainersResourceRequestProto, IncreaseContainersResourceResponseProto],
    updateContainer: [ContainerUpdateRequestProto, ContainerUpdateResponseProto],
    signalToContainer: [SignalContainerRequestProto, SignalContainerResponseProto],
    localize: [ResourceLocalizationRequestProto, ResourceLocalizationResponseProto],
    reInitializeContainer: [ReInitializeContainerRequestProto, ReInitializeContainerResponseProto],
    restartContainer: [ContainerIdProto, RestartContainerResponseProto],
    rollbackLastReInitialization: [ContainerIdProto, RollbackResponseProto],
    commitLastReInitialization: [ContainerIdProto, CommitResponseProto],
    getLocalizationStatuses: [GetLocalizationStatusesRequestProto, GetLocalizationStatusesResponseProto],
  },
} as const satisfies ProtocolDescription;
