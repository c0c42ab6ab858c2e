// Placement constraints in the master protocol: read, or refused where their handler is off (DisabledPlacementProcessor).
import { failure } from '../../../model/errors.ts';
import { ConstraintMalformed, type PlacementConstraint, readConstraint } from '../../../model/placement-constraint.ts';
import type { AllocateRequest, RegisterRequest } from '../../../wire/cluster/master-protocol.ts';
import type { Attempt } from '../../applications/application.ts';
import type { Cluster } from '../../cluster.ts';

function read(value: unknown): PlacementConstraint {
  try {
    return readConstraint(value);
  } catch (error) {
    if (error instanceof ConstraintMalformed) throw failure('PLACEMENT_CONSTRAINT_REFUSED', { reason: error.message });
    throw error;
  }
}

function mustBeHandled({ settings }: Cluster, { id }: Attempt, what: string, operation: string): void {
  if (!settings.placementConstraints) throw failure('PLACEMENT_CONSTRAINTS_DISABLED', { attemptId: id, what, operation });
}

/** The constraints of a registration by the tag they are for. @throws Failure */
export function registeredConstraints(
  { placementConstraints = [] }: RegisterRequest,
  attempt: Attempt,
  cluster: Cluster,
): ReadonlyMap<string, PlacementConstraint> {
  const constraints = new Map<string, PlacementConstraint>();
  if (placementConstraints.length === 0) return constraints;
  mustBeHandled(cluster, attempt, 'placement constraints map in RegisterApplicationMasterRequest', 'registerApplicationMaster');
  for (const { sourceTags, constraint } of placementConstraints) {
    const [tag] = sourceTags;
    if (sourceTags.length !== 1 || tag === undefined)
      throw failure('PLACEMENT_CONSTRAINT_REFUSED', {
        reason: `Only a single allocation tag is supported as source of a constraint, but found [${sourceTags.join(', ')}]`,
      });
    constraints.set(tag, read(constraint));
  }
  return constraints;
}

/** The constraint of an ask. Asks with tags or a constraint are scheduling requests. @throws Failure */
export function askedConstraint(
  { allocationTags, placementConstraint }: NonNullable<AllocateRequest['asks']>[number],
  attempt: Attempt,
  cluster: Cluster,
): PlacementConstraint | undefined {
  if (placementConstraint === undefined && (allocationTags ?? []).length === 0) return undefined;
  mustBeHandled(cluster, attempt, 'SchedulingRequest in AllocateRequest', 'allocate');
  return placementConstraint === undefined ? undefined : read(placementConstraint);
}
