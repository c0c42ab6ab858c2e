// The children of reservable fair queues: one for each reservation that runs now, weighted by its part of the plan, and the default one
// with what they leave (Hadoop's FairReservationSystem and FairSchedulerPlanFollower).

import type { Resource } from '../../model/resource.ts';
import type { PlanQueueView, RunningReservation } from '../abilities.ts';
import { defaultCalculator } from '../state/calculator.ts';
import type { Allocations } from './allocations.ts';
import type { FairApplication, FairQueue } from './queue.ts';
import type { FairTree } from './tree.ts';

/** The child that runs what has no reservation. */
export const defaultChildOf = (plan: FairQueue): string => `${plan.path}.${plan.path.slice(plan.path.lastIndexOf('.') + 1)}-default`;

const dayMs = 86_400_000;

/** Reservable queues with their steady shares, and how their plans are kept. */
export function planQueueViews(tree: FairTree, { reservations }: Allocations, cluster: Resource): PlanQueueView[] {
  return [...tree.root.walk()]
    .filter(({ settings }) => settings.isReservable)
    .map(({ path, steady, parent, settings }) => ({
      name: path.slice('root.'.length),
      path,
      total: planned(steady, parent?.settings.policy === 'drf', cluster),
      // Whatever the policies of its queues are, this scheduler's own calculator is that of memory (FairScheduler.getResourceCalculator).
      compare: (a, b) => defaultCalculator.compare(cluster, a, b),
      rules: {
        quota: reservations.policy.endsWith('NoOverCommitPolicy') ? undefined : { instantaneous: 1, average: 1, windowMs: dayMs },
        greedy: reservations.agent.endsWith('.GreedyReservationAgent'),
        access: settings.reservationAccess,
      },
    }));
}

/** Where only memory is shared out, the plan has the same part of everything else: with nothing of it no reservation would ever be accepted. */
function planned(steady: Resource, byAllTypes: boolean, cluster: Resource): Resource {
  if (byAllTypes) return [...steady];
  const part = cluster[0]! > 0 ? steady[0]! / cluster[0]! : 0;
  return cluster.map((value, i) => (i === 0 ? steady[0]! : Math.trunc(value * part)));
}

/** Brings the children of a plan in line with the reservations of the moment. `move` takes an application to the default child. */
export function followPlan(
  tree: FairTree,
  path: string,
  running: readonly RunningReservation[],
  move: (application: FairApplication, target: FairQueue) => void,
): boolean {
  const plan = tree.get(path);
  if (!plan?.settings.isReservable) return false;
  const weights = weightsOf(plan, running);
  const over = plan.children.filter((child) => !weights.has(child.path));
  let changed = false;
  for (const [child, weight] of [...weights, ...over.map(({ path: gone }) => [gone, 0] as const)])
    changed = tree.entitle(child, weight) || changed;
  const target = tree.get(defaultChildOf(plan));
  for (const child of over) {
    for (const application of [...child.applications]) {
      if (target) move(application, target);
      changed = true;
    }
    if (child.applications.length === 0) changed = tree.remove(child) || changed;
  }
  return changed;
}

/** Parts of the plan by memory, as Hadoop's fair scheduler divides; all shrink alike where the plan has become too small. */
function weightsOf(plan: FairQueue, running: readonly RunningReservation[]): Map<string, number> {
  const total = plan.steady[0]!;
  const shares = running.map(({ resource }) => (total > 0 ? resource[0]! / total : 0));
  const sum = shares.reduce((all, share) => all + share, 0);
  const weights = new Map<string, number>();
  let left = 1;
  running.forEach(({ name }, i) => {
    const share = Math.fround(sum > 1 ? shares[i]! / sum : shares[i]!);
    left -= share;
    weights.set(`${plan.path}.${name}`, share);
  });
  weights.set(defaultChildOf(plan), Math.fround(Math.max(0, left)));
  return weights;
}
