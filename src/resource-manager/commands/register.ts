// A master registers, again after a restart of either side (ApplicationMasterService.registerApplicationMaster).
import { failure } from '../../model/errors.ts';
import type { PlacementConstraint } from '../../model/placement-constraint.ts';
import type { Resource } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import type { RegisteredAnew } from '../cluster/masters.ts';
import { type ApplicationEnds, type CallingMaster, refuseMaster } from './calling-master.ts';
import { type ConstraintPorts, registeredConstraints, type TaggedConstraint } from './placement-constraints.ts';

/** Where a master is reached. */
export interface RegistrationRequest {
  readonly host: string | undefined;
  readonly rpcPort: number | undefined;
  readonly trackingUrl: string | undefined;
  readonly constraints: readonly TaggedConstraint[];
  /** Containers of whose end it has heard in the last answer that it got: it is not told again. */
  readonly heardEnds: readonly string[];
  /** By which the same registration is known when it comes again; undefined: each is another one. */
  readonly registrationId: string | undefined;
}

export interface RegisterPorts extends ConstraintPorts {
  readonly masters: ApplicationEnds & {
    /** Undefined where the attempt's state does not take it. */
    register(
      application: Application,
      attempt: Attempt,
      at: {
        readonly host: string;
        readonly rpcPort: number;
        readonly trackingUrl: string | undefined;
        readonly constraints: ReadonlyMap<string, PlacementConstraint>;
        readonly heardEnds: readonly string[];
        readonly registrationId: string | undefined;
      },
    ): RegisteredAnew | undefined;
    /** Whether the master has registered anew since a registration of that name. */
    isSupersededRegistration(attempt: Attempt, registrationId: string): boolean;
    /** What a master shows to the container's node. */
    tokenOf(application: Application, container: Container): string;
    /** What the application's masters had kept so far, the earliest first. */
    notesOf(applicationId: string): readonly string[];
  };
  readonly policy: Pick<SchedulingPolicy, 'maximumAllocation' | 'minimumAllocation'>;
}

/** What a registered master is told. */
export interface Registration {
  /** The most and the least that one container gets in the application's queue. */
  readonly maximumResource: Resource;
  readonly minimumResource: Resource;
  /** Its containers of an earlier attempt or process, each with what it shows to the node: they run, or it will be told their end. */
  readonly containers: readonly { readonly container: Container; readonly token: string }[];
  /** Those that are over, which the next answer says. */
  readonly over: RegisteredAnew['over'];
  /** The number of its first call to allocate. */
  readonly responseId: number;
  readonly notes: readonly string[];
}

/**
 * Registers a master; resolves when that is durable. What it asked for before is forgotten: it asks anew. The same registration again (it
 * has the same name) is answered again, an earlier one is refused: neither changes anything.
 * @throws Failure PLACEMENT_CONSTRAINTS_DISABLED, PLACEMENT_CONSTRAINT_REFUSED, MASTER_NOT_EXPECTED, REGISTRATION_SUPERSEDED, STORE_…
 */
export async function register(
  ports: RegisterPorts,
  master: CallingMaster,
  { host = '', rpcPort = -1, trackingUrl, constraints, heardEnds, registrationId }: RegistrationRequest,
): Promise<Registration> {
  const { masters, policy } = ports;
  const { application, attempt } = master;
  const byTag = registeredConstraints(ports, attempt.id, constraints);
  if (registrationId !== undefined && masters.isSupersededRegistration(attempt, registrationId))
    throw failure('REGISTRATION_SUPERSEDED', { attemptId: attempt.id, registrationId });
  const registered = masters.register(application, attempt, { host, rpcPort, trackingUrl, constraints: byTag, heardEnds, registrationId });
  if (!registered) return refuseMaster(masters, master);
  await registered.durable;
  return {
    maximumResource: policy.maximumAllocation(application.queue),
    minimumResource: policy.minimumAllocation(),
    containers: registered.held.map((container) => ({ container, token: masters.tokenOf(application, container) })),
    over: registered.over,
    responseId: registered.responseId,
    notes: masters.notesOf(application.id),
  };
}
