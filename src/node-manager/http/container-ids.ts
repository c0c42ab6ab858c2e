// Container ids in paths of the node's interface.
import { failure } from '../../model/errors.ts';
import { applicationIdOfContainer, parseContainerId, usualContainerId } from '../../model/ids.ts';

/** The id of the application of a container's id. @throws Failure NODE_CONTAINER_ID_INVALID for a malformed id */
export function applicationOf(containerId: string): string {
  try {
    parseContainerId(containerId);
    return applicationIdOfContainer(containerId);
  } catch {
    throw failure('NODE_CONTAINER_ID_INVALID', { id: containerId });
  }
}

/** The form in which ids are kept: `container_e0_1_1_1_1` names `container_1_0001_01_000001`. @throws Failure NODE_CONTAINER_ID_INVALID */
export function keptContainerId(containerId: string): string {
  applicationOf(containerId);
  return usualContainerId(containerId);
}
