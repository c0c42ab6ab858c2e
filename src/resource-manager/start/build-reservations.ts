// Reservations and what makes queues follow them, where the settings have them.
import { type GroupsOf, isAllowed } from '../../auth/access-lists.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { parseAccessList } from '../../model/access-list.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Cluster } from '../cluster.ts';
import { PlanFollower } from '../reservations/plan-follower.ts';
import { ReservationSystem } from '../reservations/reservation-system.ts';
import type { OpenedState } from './open-state.ts';
import type { Starting } from './starting.ts';

/** What was built; `follow` begins to let queues follow the plans. */
export interface BuiltReservations {
  readonly system: ReservationSystem;
  readonly follow: () => void;
}

/** Builds both; undefined where reservations are off or the policy has no queues for them. */
export function buildReservations(
  { configuration, clock, logger, closer }: Starting,
  { store, startedMs }: OpenedState,
  policy: SchedulingPolicy,
  cluster: Cluster,
  groupsOf: GroupsOf,
): BuiltReservations | undefined {
  const { aclEnabled } = configuration.values(commonSettings);
  const own = configuration.values(resourceManagerSettings);
  const { reservable } = policy;
  if (!own.reservationSystemEnabled || !reservable) return undefined;
  const system: ReservationSystem = new ReservationSystem({
    store,
    clock,
    clusterTimestamp: startedMs,
    planQueues: () => reservable.list(),
    maximumAllocation: () => policy.maximumAllocation(),
    maximumPeriodicityMs: own.reservationMaximumPeriodicityMs,
    late: !own.reservationFavorsEarly,
    changed: () => follower.follow(),
    ...(own.reservationAclEnabled && aclEnabled
      ? { allows: (user, plan, acl) => isAllowed(parseAccessList(plan.rules?.access[acl] ?? '*'), user, groupsOf) }
      : {}),
  });
  const follower = new PlanFollower({
    reservations: system,
    policy,
    clock,
    logger,
    stepMs: own.reservationPlanFollowerStepMs,
    end(id, diagnostics) {
      const application = cluster.view.application(id);
      if (application) void cluster.kill(application, diagnostics);
    },
    followed: () => cluster.scheduleSoon(),
  });
  closer.add('plan follower', () => follower.close());
  return { system, follow: () => follower.run() };
}
