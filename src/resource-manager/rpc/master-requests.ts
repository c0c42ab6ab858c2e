// Calls of masters in Hadoop's messages, as the commands take them.
import { RpcException } from '../../rpc/exceptions.ts';
import { containerIdText } from '../../wire/rpc/ids.ts';
import type { Decoded } from '../../wire/rpc/message.ts';
import type { ResourceProto } from '../../wire/rpc/tables/identifiers.ts';
import type {
  AllocateRequestProto,
  RegisterApplicationMasterRequestProto,
  UpdateContainerRequestProto,
} from '../../wire/rpc/tables/master-service.ts';
import type { ResourceRequestProto, SchedulingRequestProto } from '../../wire/rpc/tables/placement.ts';
import type { ContainerRequest } from '../commands/allocate.ts';
import type { RegistrationRequest } from '../commands/register.ts';
import { yarn } from './failures.ts';
import { type Ask, anywhere, askIdOf, type NamedAmounts } from './master-asks.ts';
import { readConstraintMessage } from './placement-constraints.ts';
import { namedAmount } from './values.ts';

type AllocateMessage = Decoded<typeof AllocateRequestProto>;
export type SchedulingRequest = Decoded<typeof SchedulingRequestProto>;
export type UpdateRequest = Decoded<typeof UpdateContainerRequestProto>;

/** What binds the containers of a scheduling request. */
export type Binding = Pick<ContainerRequest, 'allocationTags' | 'placementConstraint'>;

/** Where a master says that it is reached, and what binds its requests by their tags. */
export const readRegistration = (message: Decoded<typeof RegisterApplicationMasterRequestProto>): RegistrationRequest => ({
  host: message.host,
  rpcPort: message.rpc_port,
  trackingUrl: message.tracking_url,
  constraints: message.placement_constraints.map(({ allocation_tags: sourceTags, placement_constraint: constraint }) => ({
    sourceTags,
    constraint: readConstraintMessage(constraint ?? {}).constraint,
  })),
  heardEnds: [],
  registrationId: undefined,
});

function amountsOf(message: Decoded<typeof ResourceProto> | undefined): NamedAmounts {
  const { memoryMiB, vcores, others } = namedAmount(message) ?? { memoryMiB: 0, vcores: 0, others: new Map<string, number>() };
  const further = [...others].filter(([name]) => name !== 'memory-mb' && name !== 'vcores');
  return { memoryMiB, vcores, ...Object.fromEntries(further) };
}

/** A request for containers at one place. @throws RpcException where it says not of which size, or not where */
export function readAsk(message: Decoded<typeof ResourceRequestProto>): Ask {
  const { resource_name: place, capability } = message;
  if (place === undefined || capability === undefined)
    throw new RpcException(
      yarn('InvalidResourceRequestException'),
      `Invalid resource request! It has no ${place === undefined ? 'resource name' : 'capability'}.`,
    );
  const key = {
    priority: message.priority?.priority ?? 0,
    allocationRequestId: message.allocation_request_id,
    executionType: message.execution_type_request?.execution_type ?? 'GUARANTEED',
    resource: amountsOf(capability),
  };
  return {
    ...key,
    askId: askIdOf(key),
    place,
    count: message.num_containers ?? 0,
    relaxLocality: message.relax_locality,
    labelExpression: message.node_label_expression,
  };
}

/** The name of a scheduling request. */
export const schedulingAskId = (priority: number, allocationRequestId: number): string => `scheduling ${priority}/${allocationRequestId}`;

/** A request whose places a constraint chooses. A later one of the same priority and number replaces it. */
export function readSchedulingRequest(message: SchedulingRequest): { readonly ask: Ask; readonly binding: Binding } {
  const { allocationRequestId, executionType, allocationTags, resourceSizing, placementConstraint } = message;
  const priority = message.priority?.priority ?? 0;
  const read = placementConstraint && readConstraintMessage(placementConstraint);
  const ask = {
    askId: schedulingAskId(priority, allocationRequestId),
    priority,
    allocationRequestId,
    executionType: executionType?.execution_type ?? 'GUARANTEED',
    resource: amountsOf(resourceSizing?.resources),
    place: anywhere,
    count: resourceSizing?.numAllocations ?? 0,
    relaxLocality: true,
    labelExpression: read?.labelExpression,
  };
  const constraint = read?.constraint === undefined ? {} : { placementConstraint: read.constraint };
  return { ask, binding: { allocationTags, ...constraint } };
}

/** The rest of a call, which needs no table. */
export function readCall(message: AllocateMessage) {
  const { blacklist_request: blacklist } = message;
  return {
    // NaN and what is below 0 are made 0 by the command's rule.
    progress: message.progress ?? 0,
    releases: message.release.map((id) => containerIdText(id)),
    blacklistAdditions: blacklist?.blacklist_additions ?? [],
    blacklistRemovals: blacklist?.blacklist_removals ?? [],
    updates: message.update_requests.map(readUpdate),
    ...(message.tracking_url ? { trackingUrl: message.tracking_url } : {}),
  };
}

const readUpdate = ({ container_id: id, container_version: version, update_type: updateType, capability }: UpdateRequest) => ({
  containerId: containerIdText(id),
  version,
  updateType,
  ...(capability ? { resource: amountsOf(capability) } : {}),
});
