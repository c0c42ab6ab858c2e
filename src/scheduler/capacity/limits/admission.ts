// Whether a submitted application may enter its queue, and the queue that is made for it.

import type { NewApplication } from '../../entries.ts';
import { ConfigurationRefused, type SchedulerSettings } from '../../policy.ts';
import { CapacityApplication } from '../application.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import { QueueNotCreated, type QueueTree } from '../queues/tree.ts';
import { clusterOptions } from '../settings/cluster-options.ts';
import { refusesPriority } from '../settings/permissions.ts';
import { reservationOptions } from '../settings/queue-options.ts';
import { workflowPriority } from '../settings/workflow-priorities.ts';

/** `created`: the automatic queue that was made for it. */
export type Admitted =
  | { application: CapacityApplication; created: CapacityQueue | undefined }
  | { rejected: string; created?: CapacityQueue | undefined };

const denied = 'org.apache.hadoop.security.AccessControlException: ';

/** Enters the application, or says in Hadoop's words why not (CapacityScheduler.addApplication). */
export function admit(
  tree: QueueTree,
  asked: NewApplication,
  applications: ReadonlyMap<string, CapacityApplication>,
  settings: SchedulerSettings,
  types: number,
  order: number,
): Admitted {
  const id = asked.applicationId;
  const { user } = asked;
  if (!asked.recovering && applications.size >= tree.properties.read(clusterOptions.maximumApplications)) {
    return { rejected: `Maximum system application limit reached,cannot accept submission of application: ${id}` };
  }
  const reserved = reservedName(tree, asked);
  if ('rejected' in reserved) return reserved;
  const { name } = reserved;
  const found = findOrCreate(tree, { ...asked, queue: name });
  if ('rejected' in found) return found;
  const { queue, created } = found;
  if (!queue.leaf) return { rejected: `Application ${id} submitted by user : ${user} to non-leaf queue : ${name}` };
  if (queue.settings.creation === 'dynamicLegacy' && !asked.mapped && !asked.recovering) {
    return {
      rejected: `Application ${id} submission by user : ${user} to specified queue : ${name}  is prohibited. Verify automatic queue mapping for user exists in yarn.scheduler.capacity.queue-mappings`,
      created,
    };
  }
  const { priority, refused } = asked.recovering ? { priority: asked.priority } : priorityOf(tree, queue, asked, settings);
  if (refused !== undefined)
    return { rejected: `Failed to submit application ${id} submitted by user ${user} reason: ${refused}`, created };
  const refusal = asked.recovering ? undefined : refusalOf(queue, id, user);
  if (refusal) return { rejected: denied + refusal, created };
  const owner = queue.leaf.users.obtain(user, queue.settings);
  const application = new CapacityApplication(
    { ...asked, priority: Math.min(priority, settings.maximumPriority) },
    order,
    types,
    queue,
    owner,
  );
  owner.applications++;
  queue.leaf.applications.add(application);
  for (let at: CapacityQueue | undefined = queue; at; at = at.parent) at.applicationCount++;
  return { application, created };
}

/** The priority that the application's workflow has in the queue, where the user may use it; else what was asked for. */
function priorityOf(
  tree: QueueTree,
  queue: CapacityQueue,
  asked: NewApplication,
  settings: SchedulerSettings,
): { priority: number; refused?: string | undefined } {
  const priority = workflowPriority(tree.workflowPriorities, settings.workflowTagPrefix, asked.tags ?? [], queue.path);
  if (priority === undefined) return { priority: asked.priority };
  const { applicationId, user } = asked;
  const wanted = { applicationId, user, groups: settings.groupsOf(user), queue: queue.path, priority };
  return { priority, refused: refusesPriority(tree, settings, wanted) };
}

/** A reservable queue runs what has a reservation in that one's child, everything else in its default child. */
function reservedName(tree: QueueTree, asked: NewApplication): { name: string } | { rejected: string } {
  const { queue, reservationId, applicationId, recovering } = asked;
  const plan = tree.get(queue);
  if (!plan?.settings.isPlan) return { name: queue };
  if (reservationId === undefined) return { name: `${queue}-default` };
  const child = tree.get(reservationId);
  if (!child) {
    if (recovering && tree.properties.read(reservationOptions.movesOnExpiry, { queue: plan.path })) return { name: `${plan.path}-default` };
    return { rejected: `Application ${applicationId} submitted to a reservation which is not currently active: ${reservationId}` };
  }
  if (child.parent === plan) return { name: child.path };
  return {
    rejected: `Application: ${applicationId} submitted to a reservation ${reservationId} which does not belong to the specified queue: ${queue}`,
  };
}

type FoundQueue = { queue: CapacityQueue; created: CapacityQueue | undefined } | { rejected: string };

function findOrCreate(tree: QueueTree, asked: NewApplication): FoundQueue {
  const { applicationId: id, user, queue: name } = asked;
  const existing = tree.get(name);
  if (existing) return { queue: existing, created: undefined };
  if (tree.isAmbiguous(name))
    return { rejected: `Application ${id} submitted by user ${user} to ambiguous queue: ${name} please use full queue path instead.` };
  const unknown = { rejected: `Application ${id} submitted by user ${user} to unknown queue: ${name}` };
  const parts = name.split('.');
  if (parts.length < 2 || parts.some((part) => part === '')) return unknown;
  try {
    const queue = tree.create(name);
    return { queue, created: queue };
  } catch (error) {
    if (!(error instanceof QueueNotCreated || error instanceof ConfigurationRefused)) throw error;
    return asked.mapped
      ? { rejected: `Application ${id} submission by user : ${user} to  queue : ${name} failed : ${error.message}` }
      : unknown;
  }
}

/** States and counts, from the queue upwards; the leaf's own counts first. A queue that drains is STOPPED in Hadoop's words, too. */
function refusalOf(queue: CapacityQueue, id: string, user: string): string | undefined {
  const leaf = queue.leaf!;
  if (queue.state !== 'RUNNING') return `Queue ${queue.path} is STOPPED. Cannot accept submission of application: ${id}`;
  const count = leaf.applications.size;
  if (count >= leaf.maximumApplications)
    return `Queue ${queue.path} already has ${count} applications, cannot accept submission of application: ${id}`;
  // The queue shows every user whose submission came so far, although no application of theirs is in it.
  const ofUser = leaf.users.obtain(user, queue.settings).applications;
  if (ofUser >= leaf.maximumApplicationsPerUser)
    return `Queue ${queue.path} already has ${ofUser} applications from user ${user} cannot accept submission of application: ${id}`;
  for (let at = queue.parent; at; at = at.parent) {
    if (at.state !== 'RUNNING') return `Queue ${at.path} is STOPPED. Cannot accept submission of application: ${id}`;
  }
  return undefined;
}

/** Takes the application out of its queue's counts; a drained queue stops. */
export function forget(application: CapacityApplication): void {
  const { queue, owner } = application;
  const leaf = queue.leaf!;
  if (!leaf.applications.delete(application)) return;
  leaf.users.setAsking(application, false);
  if (--owner.applications <= 0) leaf.users.remove(owner);
  for (let at: CapacityQueue | undefined = queue; at; at = at.parent) {
    at.applicationCount--;
    if (at.state === 'DRAINING' && at.applicationCount === 0) at.state = 'STOPPED';
  }
}
