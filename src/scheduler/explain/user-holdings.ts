// What users have in a scheduler that keeps no account of users itself.
import type { Resource } from '../../model/resource.ts';
import type { SchedulerApplication } from '../state/model.ts';

/** What a user has, over all queues. */
export interface UserHolding {
  readonly name: string;
  /** In all partitions. */
  readonly used: Resource;
  /** With containers, and without. */
  readonly runningApplications: number;
  readonly pendingApplications: number;
}

/** Of each user who has an application that runs or waits. */
export function userHoldings(applications: Iterable<SchedulerApplication>): UserHolding[] {
  const byName = new Map<string, { used: number[]; runningApplications: number; pendingApplications: number }>();
  for (const { user, attempt, counts, heldContainers } of applications) {
    if (!attempt) continue;
    const used = counts.total('used');
    const sum = byName.get(user) ?? { used: used.map(() => 0), runningApplications: 0, pendingApplications: 0 };
    byName.set(user, sum);
    sum.used = sum.used.map((amount, index) => amount + used[index]!);
    if (heldContainers > 0) sum.runningApplications++;
    else sum.pendingApplications++;
  }
  return [...byName].map(([name, { used, ...applications }]) => ({ name, used: used as Resource, ...applications }));
}
