// The capacity policy's queues as clients see them.

import { accessListText } from '../../../model/access-list.ts';
import { type Resource, sum, zeros } from '../../../model/resource.ts';
import type {
  CapacityDescription,
  NamedText,
  ShownAttempts,
  ShownCapacities,
  ShownOperation,
  ShownQueue,
  ShownQueueUsage,
  ShownUser,
  ShownVector,
} from '../../explain/description.ts';
import { float } from '../../state/calculator.ts';
import { inHashOrder } from '../../state/java-order.ts';
import type { Ledger } from '../../state/ledger.ts';
import { type CapacityApplication, passedBy } from '../application.ts';
import { limitInputs } from '../limits/user.ts';
import { templateCapacity } from '../queues/capacities.ts';
import { type CapacityQueue, type QueueShare, usedCapacities } from '../queues/queue.ts';
import type { QueueTree } from '../queues/tree.ts';
import type { User } from '../queues/users.ts';
import { doubleText } from '../settings/capacity-value.ts';

interface Happening {
  nodeId: string;
  containerId: string;
  queue: string;
}

/** The last thing of each kind that happened. */
export interface Health {
  lastRunMs: number;
  allocation: Happening | undefined;
  release: Happening | undefined;
  preemption: Happening | undefined;
  reservation: Happening | undefined;
}

interface View {
  readonly tree: QueueTree;
  readonly ledger: Ledger<CapacityApplication>;
  readonly maximumAllocation: Resource;
  readonly types: number;
}

export function describeCapacity(
  tree: QueueTree,
  ledger: Ledger<CapacityApplication>,
  health: Health,
  maximumAllocation: Resource,
): CapacityDescription {
  const view: View = { tree, ledger, maximumAllocation, types: ledger.nodes.total.length };
  return {
    kind: 'capacity',
    root: describeQueue(tree.root, view),
    health: {
      lastRunMs: health.lastRunMs,
      operations: [
        operation('last-allocation', health.allocation),
        operation('last-release', health.release),
        operation('last-preemption', health.preemption),
        operation('last-reservation', health.reservation),
      ],
    },
  };
}

const operation = (name: string, happening: Happening | undefined): ShownOperation => ({
  operation: name,
  nodeId: happening?.nodeId ?? 'N/A',
  containerId: happening?.containerId ?? 'N/A',
  queue: happening?.queue ?? 'N/A',
});

const percent = (fraction: number): number => float(fraction * 100);
const named = (pairs: readonly [string, string][]): NamedText => pairs.map(([name, value]) => ({ name, value }));

function describeQueue(queue: CapacityQueue, view: View): ShownQueue {
  const { settings } = queue;
  const legacy = settings.autoCreation === 'legacy';
  const mode = modeOf(queue, view);
  const own = queue.share(0);
  return {
    path: queue.path,
    name: settings.name,
    isLeaf: queue.isLeaf,
    capacities: shownPartitions(queue, view).map((partition) => describeCapacities(queue, partition, view)),
    usage: usagePartitions(queue, view).map((partition) => describeUsage(queue, partition, view)),
    applications: queue.applicationCount,
    maximumParallelApplications: settings.maximumParallelApplications,
    isAbsolute: mode === 'absolute',
    state: queue.state,
    children: queue.children.map((child) => describeQueue(child, view)),
    used: [...own.used],
    hideReservationQueues: settings.isPlan && !settings.showsReservations,
    nodeLabels: settings.accessibleLabels,
    allocatedContainers: own.allocatedContainers,
    reservedContainers: own.reservedContainers,
    pendingContainers: own.pendingContainers,
    maximumAllocation: settings.maximumAllocation,
    acls: [
      { type: 'ADMINISTER_QUEUE', list: accessListText(settings.administer) },
      { type: 'APPLICATION_MAX_PRIORITY', list: settings.priorityGrantsText },
      { type: 'SUBMIT_APP', list: accessListText(settings.submit) },
    ],
    priority: settings.queuePriority,
    orderingPolicy: settings.orderingPolicy,
    legacyAutoCreation: legacy,
    leafTemplate: named(settings.leafTemplate).map(({ name, value }) => ({ name: `leaf-queue-template.${name}`, value })),
    mode,
    creation: settings.creation,
    autoCreation: settings.autoCreation,
    defaultLabel: settings.defaultLabel,
    templates: { common: named(settings.templates.common), parent: named(settings.templates.parent), leaf: named(settings.templates.leaf) },
    ...(queue.leaf && { leaf: describeLeaf(queue, view) }),
  };
}

/** How the queue's default partition is configured. */
function modeOf(queue: CapacityQueue, { tree }: View): string {
  const settings = queue.settings.labels.get('');
  if (!settings) return 'unknown';
  if (settings.amount) return 'absolute';
  const { kind, legacyKind, entries } = settings.capacity;
  if (tree.sizing.legacyMode) return legacyKind;
  if (entries.length === 0) return 'unknown';
  return kind === 'vector' ? 'mixed' : kind;
}

/** Default partition, the labels the queue names and those where it had containers. */
function shownPartitions(queue: CapacityQueue, view: View): number[] {
  const charged = view.ledger.nodes.partitions.filter(({ index }) => queue.shares[index]?.charged).map(({ name }) => name);
  return inMapOrder(new Set([...queue.settings.labels.keys(), ...charged]), view);
}

function usagePartitions(queue: CapacityQueue, view: View): number[] {
  const touched = view.ledger.nodes.partitions.filter(({ index }) => index === 0 || queue.shares[index]?.touched);
  return inMapOrder(new Set(touched.map(({ name }) => name)), view);
}

/** The partitions of these names in the order of Hadoop's maps. */
function inMapOrder(labels: ReadonlySet<string>, view: View): number[] {
  return inHashOrder([...labels], (label) => label).map((label) => view.ledger.nodes.partition(label).index);
}

/** An automatic leaf without a promise of its own is measured by its template's. */
function insteadOfNothing(queue: CapacityQueue, share: QueueShare, partition: number, view: View): Resource | undefined {
  const absolute = templateCapacity(queue, share, partition, view.tree.sizing);
  if (absolute === 0) return undefined;
  return view.ledger.nodes.partitions[partition]!.total.map((value) => Math.trunc(value * absolute));
}

/** An automatic leaf of the older kind that came when all of its parent was promised. */
const gotNothing = (queue: CapacityQueue, share: QueueShare): boolean =>
  queue.settings.creation === 'dynamicLegacy' && share.absoluteCapacity === 0;

function describeCapacities(queue: CapacityQueue, partition: number, view: View): ShownCapacities {
  const share = queue.share(partition);
  const { name, total } = view.ledger.nodes.partitions[partition]!;
  const { used, absoluteUsed } = usedCapacities(
    share,
    view.tree.calculator,
    total,
    view.tree.sizing.minimumAllocation,
    insteadOfNothing(queue, share, partition, view),
  );
  return {
    partition: name,
    fractions: {
      capacity: share.capacity,
      used,
      maximum: share.maximumCapacity,
      absolute: share.absoluteCapacity,
      absoluteMaximum: share.absoluteMaximumCapacity,
    },
    vector: describeVector(share, queue.settings.isPlan),
    capacity: percent(share.capacity),
    usedCapacity: percent(used),
    maximumCapacity: maximumPercent(share.maximumCapacity),
    absoluteCapacity: clamped(share.absoluteCapacity),
    absoluteUsedCapacity: clamped(absoluteUsed),
    absoluteMaximumCapacity: clamped(share.absoluteMaximumCapacity),
    amLimitPercentage: percent(share.amShare),
    weight: share.weight,
    normalizedWeight: share.normalizedWeight,
    configuredMinimum: share.configuredMinimum
      ? { amount: share.configuredMinimum }
      : { amount: zeros(view.types), bounded: !gotNothing(queue, share) },
    configuredMaximum: share.configuredMaximum ? { amount: share.configuredMaximum } : { amount: zeros(view.types), bounded: true },
    effectiveMinimum: { amount: [...share.effectiveMinimum], bounded: !share.effectiveKnown },
    // The root shows all there is, whatever its maximum leaves free.
    effectiveMaximum: { amount: [...(queue.parent ? share.effectiveMaximum : total)], bounded: !share.effectiveKnown },
  };
}

const maximumPercent = (fraction: number): number => (fraction <= 1e-8 ? 100 : Math.min(percent(fraction), 100));
const clamped = (fraction: number): number => percent(Math.min(Math.max(fraction, 0), 1));

function describeVector(share: QueueShare, isPlan: boolean): ShownVector {
  const entries = share.vector.map(({ name, value, unit }) => {
    // A plan goes by the part that it is of its parent, a float (PlanQueue); others keep what is written.
    const shown = isPlan && unit === 'percentage' ? Math.fround(Math.fround(value / 100) * 100) : value;
    return { name, value: `${doubleText(shown)}${unit === 'percentage' ? '%' : unit === 'weight' ? 'w' : ''}` };
  });
  return { text: `[${entries.map(({ name, value }) => `${name}=${value}`).join(',')}]`, entries };
}

function describeUsage(queue: CapacityQueue, partition: number, view: View): ShownQueueUsage {
  const share = queue.share(partition);
  const usage = {
    partition: view.ledger.nodes.partitions[partition]!.name,
    used: [...share.used],
    reserved: [...share.reserved],
    pending: [...share.pending],
    allocatedContainers: share.allocatedContainers,
    reservedContainers: share.reservedContainers,
    pendingContainers: share.pendingContainers,
  };
  return queue.leaf ? { ...usage, amUsed: [...share.amUsed], amLimit: share.amLimit, userAmLimit: share.userAmLimit } : usage;
}

function describeLeaf(queue: CapacityQueue, view: View): NonNullable<ShownQueue['leaf']> {
  const leaf = queue.leaf!;
  const { settings } = queue;
  const share = queue.share(0);
  refreshLimits(queue, view);
  const users = inHashOrder([...leaf.users.byName.values()], (user) => user.name);
  const first = users[0];
  return {
    containers: queue.containers,
    activeApplications: leaf.active.size,
    pendingApplications: leaf.waiting.length,
    attempts: () => countAttempts(leaf.applications),
    maximumApplications: gotNothing(queue, share) ? 0 : leaf.maximumApplications,
    maximumApplicationsPerUser: gotNothing(queue, share) ? 0 : leaf.maximumApplicationsPerUser,
    userLimit: settings.userLimitPercent,
    users: users.map((user) => describeUser(user, view)),
    userLimitFactor: settings.userLimitFactor,
    configuredAmShare: settings.configuredAmShare,
    amLimit: share.amLimit,
    amUsed: [...share.amUsed],
    userAmLimit: first ? (first.amLimit[0] ?? zeros(view.types)) : share.amLimit,
    preemptionDisabled: settings.preemptionDisabled,
    intraQueuePreemptionDisabled: settings.intraQueuePreemptionDisabled,
    defaultPriority: settings.defaultPriority,
    isLegacyAutoCreated: settings.creation === 'dynamicLegacy',
    maximumLifetimeSeconds: settings.maximumLifetimeSeconds,
    defaultLifetimeSeconds: settings.defaultLifetimeSeconds,
  };
}

/** Attempts by whether they have a container (AppsRunning and AppsPending of Hadoop's QueueMetrics), and applications that ask for some. */
function countAttempts(applications: Iterable<CapacityApplication>): ShownAttempts {
  const counts = { running: 0, waiting: 0, unmanagedRunning: 0, unmanagedWaiting: 0, asking: 0 };
  for (const { attempt, heldContainers, unmanaged, asksFor } of applications) {
    if (!attempt) continue;
    counts[heldContainers > 0 ? 'running' : 'waiting']++;
    if (unmanaged) counts[heldContainers > 0 ? 'unmanagedRunning' : 'unmanagedWaiting']++;
    if (asksFor) counts.asking++;
  }
  return counts;
}

/** A queue that waits is read again and again, and so are the limits of its users. */
function refreshLimits(queue: CapacityQueue, view: View): void {
  const everyRound = !queue.settings.preemptionDisabled || view.tree.hasMonitor;
  refreshPassed(queue, view);
  for (const partition of view.ledger.nodes.partitions) {
    if (partition.nodes === 0) continue;
    const waits = queue.share(partition.index).pending.some((value) => value > 0);
    if (!waits && !(everyRound && partition.index === 0)) continue;
    const { users } = queue.leaf!;
    const inputs = limitInputs(queue, partition, view.tree, false);
    for (const user of users.byName.values()) if (user.activeApplications > 0) users.limitOf(user, inputs);
  }
}

/** Users of whom nothing was worked out yet (their applications were moved here) are seen once others are served behind them. */
function refreshPassed(queue: CapacityQueue, view: View): void {
  const { users, active, lastServing } = queue.leaf!;
  const isUnseen = ({ activeApplications, shownLimit }: User): boolean =>
    activeApplications > 0 && shownLimit.every((value) => value === 0);
  if (!lastServing || ![...users.byName.values()].some(isUnseen)) return;
  const inputs = limitInputs(queue, view.ledger.nodes.partitions[lastServing.partition]!, view.tree, false);
  for (const application of active) if (isUnseen(application.owner) && passedBy(application)) users.limitOf(application.owner, inputs);
}

function describeUser(user: User, view: View): ShownUser {
  const used = user.used.reduce<number[]>((total, amount) => (amount ? sum(total, amount) : total), zeros(view.types));
  const labels = view.ledger.nodes.partitions
    .filter(({ index }) => index === 0 || user.used[index] || user.amUsed[index])
    .map(({ name }) => name);
  return {
    name: user.name,
    used,
    pendingApplications: user.waitingApplications,
    activeApplications: user.activeApplications,
    amUsed: [...(user.amUsed[0] ?? zeros(view.types))],
    limit: user.shownLimit,
    usage: inHashOrder(labels, (label) => label).map((label) => {
      const { index } = view.ledger.nodes.partition(label);
      return {
        partition: label,
        used: [...(user.used[index] ?? zeros(view.types))],
        reserved: zeros(view.types),
        pending: zeros(view.types),
        amUsed: [...(user.amUsed[index] ?? zeros(view.types))],
        amLimit: user.amLimit[index] ?? zeros(view.types),
        userAmLimit: zeros(view.types),
      };
    }),
    weight: user.weight,
    isActive: user.isActive,
  };
}
