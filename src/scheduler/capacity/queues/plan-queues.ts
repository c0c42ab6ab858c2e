// The children of reservable queues: one for each reservation that runs now, and the default one with what they leave (Hadoop's
// AbstractSchedulerPlanFollower and CapacitySchedulerPlanFollower).

import type { FollowedPlan, PlanQueueView, RunningReservation } from '../../abilities.ts';
import type { CapacityApplication } from '../application.ts';
import { reservationOptions } from '../settings/queue-options.ts';
import type { CapacityQueue } from './queue.ts';
import type { Entitlement, QueueTree } from './tree.ts';

/** Reservable queues and how their plans are kept. */
export function planQueueViews(tree: QueueTree): PlanQueueView[] {
  const { properties, calculator } = tree;
  return [...tree.root.walk()]
    .filter(({ settings }) => settings.isPlan)
    .map((queue) => {
      const { path } = queue;
      const values = properties.readAll(reservationOptions, { queue: path });
      const total = [...queue.share(0).effectiveMinimum];
      const overTime = !values.reservationPolicy.endsWith('NoOverCommitPolicy');
      return {
        name: queue.settings.name,
        path,
        total,
        compare: (a, b) => calculator.compare(total, a, b),
        rules: {
          quota: overTime
            ? {
                instantaneous: partOf(values.instantaneousCapacity),
                average: partOf(values.averageCapacity),
                windowMs: values.reservationWindowMs,
              }
            : undefined,
          greedy: values.reservationAgent.endsWith('.GreedyReservationAgent'),
          access: {
            SUBMIT_RESERVATIONS: values.submitReservations,
            LIST_RESERVATIONS: values.listReservations,
            ADMINISTER_RESERVATIONS: values.administerReservations,
          },
        },
      };
    });
}

/** A part of the plan, 0…1; above 1 it is in percent. */
const partOf = (value: number): number => (value > 1 ? value / 100 : value);

/** Brings the children of a plan in line with the reservations of the moment. `move` takes an application to the default child. */
export function followPlan(
  tree: QueueTree,
  path: string,
  running: readonly RunningReservation[],
  move: (application: CapacityApplication, target: CapacityQueue) => void,
): FollowedPlan {
  const plan = tree.byPath(path);
  if (!plan?.settings.isPlan) return { changed: false, mustEnd: [] };
  const entitlements = entitlementsOf(tree, plan, running);
  const defaultName = `${path}-default`;
  const over = plan.children.filter(({ name }) => name !== defaultName && !entitlements.has(name));
  for (const { name } of over) entitlements.set(name, { share: 0, maximum: 0 });
  let changed = [...entitlements].some(([name, entitlement]) => !same(tree, `${path}.${name}`, entitlement));
  if (changed) tree.entitle(plan, entitlements);
  const mustEnd: string[] = [];
  const target = tree.byPath(`${path}.${defaultName}`);
  const moves = tree.properties.read(reservationOptions.movesOnExpiry, { queue: path });
  for (const queue of over) {
    for (const application of [...queue.leaf!.applications]) {
      if (moves && target) move(application, target);
      else mustEnd.push(application.applicationId);
      changed = true;
    }
    if (queue.leaf!.applications.size > 0) continue;
    tree.remove(queue);
    changed = true;
  }
  return { changed, mustEnd };
}

const same = (tree: QueueTree, path: string, { share, maximum }: Entitlement): boolean => {
  const now = tree.entitlementOf(path);
  return tree.byPath(path) !== undefined && now.share === share && now.maximum === maximum;
};

/** Each reservation's part of the plan; all shrink alike where the plan has become too small; the rest is the default child's. */
function entitlementsOf(tree: QueueTree, plan: CapacityQueue, running: readonly RunningReservation[]): Map<string, Entitlement> {
  const { calculator } = tree;
  const total = plan.share(0).effectiveMinimum;
  const empty = calculator.empty(total) || total[0] === 0;
  const shares = running.map(({ resource }) => (empty ? 0 : finitePart(calculator.divide(total, resource, total))));
  const sum = shares.reduce((all, share) => all + share, 0);
  const entitlements = new Map<string, Entitlement>();
  let left = 1;
  running.forEach(({ name, gang }, i) => {
    const share = Math.fround(sum > 1 ? shares[i]! / sum : shares[i]!);
    left -= share;
    entitlements.set(name, { share, maximum: gang ? share : 1 });
  });
  entitlements.set(`${plan.path}-default`, { share: Math.fround(Math.max(0, left)), maximum: 1 });
  return entitlements;
}

/** A plan that has none of a resource is whole for a reservation that has some of it, and nothing for one that has none. */
const finitePart = (share: number): number => (Number.isNaN(share) ? 0 : share === Number.POSITIVE_INFINITY ? 1 : share);

/**
 * The queue that clients are told an application is in: they know the reservable queue, not the child of it that runs the application. Of the
 * default child those are told who named it, or to whom it was named: who moves an application into a reservable queue hears of the child
 * (CapacityScheduler.moveApplication), and still does after a restart.
 */
export function shownPath({ path, parent }: CapacityQueue, isNamed: boolean): string {
  if (!parent?.settings.isPlan) return path;
  return isNamed && path === defaultChildPath(parent) ? path : parent.path;
}

/** The child that runs what has no reservation. */
export const defaultChildPath = ({ path }: CapacityQueue): string => `${path}.${path}-default`;
