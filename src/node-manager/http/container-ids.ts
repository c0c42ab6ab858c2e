// Container ids in paths of the node's interface.
import { failure } from '../../model/errors.ts';
import { applicationIdOfContainer, parseContainerId } from '../../model/ids.ts';

/** The id of the application of a container's id. @throws Failure NODE_CONTAINER_ID_INVALID for a malformed id */
export function applicationOf(containerId: string): string {
  try {
    parseContainerId(containerId);
    return applicationIdOfContainer(containerId);
  } catch {
    throw failure('NODE_CONTAINER_ID_INVALID', { id: containerId });
  }
}
