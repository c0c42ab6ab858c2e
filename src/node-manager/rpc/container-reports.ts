// What masters are told of containers (ContainerImpl.cloneAndGetContainerStatus, getContainerSubState, ResourceSet.getLocalizationStatuses).
import { exitStatus } from '../../model/exit-status.ts';
import { nodeResourceMessage } from '../../wire/rpc/amounts.ts';
import { containerIdMessage } from '../../wire/rpc/ids.ts';
import type { Encodable } from '../../wire/rpc/message.ts';
import type { GetLocalizationStatusesResponseProto } from '../../wire/rpc/tables/container-service.ts';
import type { ContainerStatusProto } from '../../wire/rpc/tables/containers.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerState } from '../containers/container-states.ts';

type SubState = NonNullable<Encodable<typeof ContainerStatusProto>['container_sub_state']>;

const subStates: Readonly<Record<ContainerState, SubState>> = {
  NEW: 'CSS_SCHEDULED',
  LOCALIZING: 'CSS_SCHEDULED',
  SCHEDULED: 'CSS_SCHEDULED',
  REINITIALIZING_AWAITING_KILL: 'CSS_SCHEDULED',
  RELAUNCHING: 'CSS_SCHEDULED',
  REINITIALIZING: 'CSS_RUNNING',
  PAUSING: 'CSS_RUNNING',
  KILLING: 'CSS_RUNNING',
  RUNNING: 'CSS_RUNNING',
  PAUSED: 'CSS_PAUSED',
  RESUMING: 'CSS_PAUSED',
  LOCALIZATION_FAILED: 'CSS_COMPLETING',
  EXITED_WITH_SUCCESS: 'CSS_COMPLETING',
  EXITED_WITH_FAILURE: 'CSS_COMPLETING',
  CONTAINER_CLEANEDUP_AFTER_KILL: 'CSS_COMPLETING',
  CONTAINER_RESOURCES_CLEANINGUP: 'CSS_COMPLETING',
  DONE: 'CSS_DONE',
};

/** The address and name of the machine that a container runs on (ContainerExecutor.getIpAndHost). */
export interface ContainerPlace {
  readonly address: string;
  readonly host: string;
}

interface StatusParts {
  readonly place: ContainerPlace | undefined;
  readonly unitsOf: (type: string) => string;
}

/** Where a container is reached, once it has run. */
function attributesOf({ pid, ended, exitCode }: Container, place: ContainerPlace | undefined) {
  const hasRun = pid !== undefined || (ended && exitCode !== exitStatus.invalid);
  if (!hasRun || !place) return [];
  return [
    { key: 'IPS', value: place.address },
    { key: 'HOST', value: place.host },
  ];
}

/** The status of a container. It is complete as soon as the resource manager may hear so, though it is still being cleaned up. */
export function containerStatus(container: Container, { place, unitsOf }: StatusParts): Encodable<typeof ContainerStatusProto> {
  const isOver = container.ended && container.endIsSafe;
  return {
    container_id: containerIdMessage(container.id),
    state: isOver ? 'C_COMPLETE' : 'C_RUNNING',
    diagnostics: container.diagnostics,
    exit_status: container.exitCode,
    capability: nodeResourceMessage(container.order.resource, unitsOf),
    executionType: container.executionType,
    container_attributes: attributesOf(container, place),
    container_sub_state: isOver ? 'CSS_DONE' : subStates[container.state],
  };
}

type LocalizationStatuses = NonNullable<Encodable<typeof GetLocalizationStatusesResponseProto>['cntn_localization_statuses']>[number];

/** How far the files of a container are. */
export function localizationStatuses(container: Container): LocalizationStatuses {
  const { state } = container;
  const fetched = state === 'NEW' || state === 'LOCALIZING' ? 'L_PENDING' : state === 'LOCALIZATION_FAILED' ? 'L_FAILED' : 'L_COMPLETED';
  const ofLaunch = Object.keys(container.order.launch.localResources)
    .filter((name) => !container.localizing.has(name) && !container.notLocalized.has(name))
    .map((name) => ({ resource_key: name, localization_state: fetched }) as const);
  const pending = [...container.localizing.keys()].map((name) => ({ resource_key: name, localization_state: 'L_PENDING' }) as const);
  const failed = [...container.notLocalized].map(
    ([name, diagnostics]) => ({ resource_key: name, localization_state: 'L_FAILED', diagnostics }) as const,
  );
  return { container_id: containerIdMessage(container.id), localization_statuses: [...ofLaunch, ...pending, ...failed] };
}
