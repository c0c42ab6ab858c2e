// Placement constraints that masters send: read, or refused where their handler is off (DisabledPlacementProcessor).
import { failure } from '../../model/errors.ts';
import { ConstraintMalformed, ConstraintTerms, type PlacementConstraint, readConstraint } from '../../model/placement-constraint.ts';

export interface ConstraintPorts {
  /** `yarn.resourcemanager.placement-constraints.handler` is not `disabled`. */
  readonly handlesConstraints: boolean;
}

/** A constraint for every request whose containers have the tag. */
export interface TaggedConstraint {
  readonly sourceTags: readonly string[];
  /** The constraint language as a text, or an object of the same meaning (`readConstraint`). */
  readonly constraint: unknown;
}

/** Reading is work that nobody else is served meanwhile. */
const mostTermsOfCall = 20_000;

/** How much the constraints of one call may say together. */
export const termsOfCall = (): ConstraintTerms => new ConstraintTerms(mostTermsOfCall);

function read(value: unknown, terms: ConstraintTerms): PlacementConstraint {
  try {
    return readConstraint(value, 0, terms.ofOne());
  } catch (error) {
    if (error instanceof ConstraintMalformed) throw failure('PLACEMENT_CONSTRAINT_REFUSED', { reason: error.message });
    throw error;
  }
}

function mustBeHandled({ handlesConstraints }: ConstraintPorts, attemptId: string, what: string, operation: string): void {
  if (!handlesConstraints) throw failure('PLACEMENT_CONSTRAINTS_DISABLED', { attemptId, what, operation });
}

/** The constraints of a registration by their tag. @throws Failure PLACEMENT_CONSTRAINTS_DISABLED, PLACEMENT_CONSTRAINT_REFUSED */
export function registeredConstraints(
  ports: ConstraintPorts,
  attemptId: string,
  tagged: readonly TaggedConstraint[],
): ReadonlyMap<string, PlacementConstraint> {
  const constraints = new Map<string, PlacementConstraint>();
  const terms = termsOfCall();
  if (tagged.length === 0) return constraints;
  mustBeHandled(ports, attemptId, 'placement constraints map in RegisterApplicationMasterRequest', 'registerApplicationMaster');
  for (const { sourceTags, constraint } of tagged) {
    const [tag] = sourceTags;
    if (sourceTags.length !== 1 || tag === undefined)
      throw failure('PLACEMENT_CONSTRAINT_REFUSED', {
        reason: `Only a single allocation tag is supported as source of a constraint, but found [${sourceTags.join(', ')}]`,
      });
    constraints.set(tag, read(constraint, terms));
  }
  return constraints;
}

/**
 * The constraint of a request; `terms` are those of its call. Requests with tags or a constraint are scheduling requests.
 * @throws Failure as `registeredConstraints`
 */
export function requestedConstraint(
  ports: ConstraintPorts,
  attemptId: string,
  request: { readonly allocationTags?: readonly string[] | undefined; readonly placementConstraint?: unknown },
  terms = termsOfCall(),
): PlacementConstraint | undefined {
  const { allocationTags = [], placementConstraint } = request;
  if (placementConstraint === undefined && allocationTags.length === 0) return undefined;
  mustBeHandled(ports, attemptId, 'SchedulingRequest in AllocateRequest', 'allocate');
  return placementConstraint === undefined ? undefined : read(placementConstraint, terms);
}
