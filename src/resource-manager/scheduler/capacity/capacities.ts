// From settings and the size of the partitions to what each queue is promised: shares, effective amounts, application counts.
// Legacy mode: one unit per level (percentages, weights or absolute amounts). Otherwise each resource of a queue has its own unit.

import { type Resource, type ResourceTypes, zeros } from '../../../model/resource.ts';
import { type Calculator, componentwiseMin, float, isNothing, multiplyTruncated, roundDown, smaller } from '../calculator.ts';
import type { NodeTable, Partition } from '../nodes.ts';
import type { CapacityProperties } from './properties.ts';
import type { CapacityQueue, QueueShare } from './queue.ts';
import { absolutePart, fraction, type LabelSettings } from './queue-settings.ts';

export interface Sizing {
  readonly types: ResourceTypes;
  readonly calculator: Calculator;
  readonly nodes: NodeTable;
  readonly properties: CapacityProperties;
  readonly legacyMode: boolean;
  readonly minimumAllocation: Resource;
}

/** Recomputes every queue from the root down. */
export function resize(root: CapacityQueue, sizing: Sizing): void {
  for (const queue of root.walk()) {
    for (const label of queue.settings.labels.keys()) sizing.nodes.partition(label);
  }
  for (const partition of sizing.nodes.partitions) {
    sizeRoot(root, partition);
    sizeChildren(root, partition, sizing);
  }
  for (const queue of root.walk()) if (queue.leaf) countApplications(queue, sizing);
}

function sizeRoot(root: CapacityQueue, partition: Partition): void {
  const share = root.share(partition.index);
  const settings = root.settings.labels.get(partition.name);
  share.capacity = 1;
  share.maximumCapacity = 1;
  share.absoluteCapacity = 1;
  share.absoluteMaximumCapacity = 1;
  share.vector = settings?.capacity.entries ?? [];
  share.effectiveMinimum = [...partition.total];
  share.effectiveMaximum = [...partition.total];
  share.effectiveKnown = partition.name === '';
}

function sizeChildren(parent: CapacityQueue, partition: Partition, sizing: Sizing): void {
  for (const child of parent.children) {
    const share = child.share(partition.index);
    const settings = child.settings.labels.get(partition.name);
    share.amShare = settings?.amShare ?? 0;
    share.vector = settings?.capacity.entries ?? [];
    const absolute = settings ? absolutePart(settings.capacity, sizing.types) : [];
    share.configuredMinimum = isNothing(absolute) ? undefined : absolute;
    const absoluteMaximum = settings ? absolutePart(settings.maximum, sizing.types) : [];
    share.configuredMaximum = isNothing(absoluteMaximum)
      ? share.configuredMinimum && parent.share(partition.index).configuredMaximum
      : absoluteMaximum;
    share.weight = settings?.capacity.kind === 'weight' ? float(settings.capacity.value || settings.capacity.byType[0]!.value) : -1;
    share.effectiveKnown = settings?.configured ?? false;
  }
  if (sizing.legacyMode) sizeLegacy(parent, partition, sizing);
  else sizeVectors(parent, partition, sizing);
  for (const child of parent.children) sizeChildren(child, partition, sizing);
}

// ---- legacy mode

function sizeLegacy(parent: CapacityQueue, partition: Partition, sizing: Sizing): void {
  const above = parent.share(partition.index);
  let weights = 0;
  const sums = zeros(sizing.types.count);
  for (const child of parent.children) {
    const share = child.shares[partition.index]!;
    if (share.weight > 0) weights = float(weights + share.weight);
    for (let i = 0; i < sums.length; i++) sums[i]! += share.configuredMinimum?.[i] ?? 0;
  }
  for (const child of parent.children) {
    const share = child.shares[partition.index]!;
    const settings = child.settings.labels.get(partition.name);
    if (!settings?.configured) {
      nothing(share);
      continue;
    }
    share.maximumCapacity = settings.maximum.kind === 'percentage' ? fraction(settings.maximum) : 1;
    if (settings.capacity.kind === 'absolute' || settings.capacity.kind === 'vector') {
      sizeAbsolute(share, above, sums, partition.total, sizing.calculator);
      continue;
    }
    if (settings.capacity.kind === 'weight') {
      share.capacity = 0;
      share.normalizedWeight = weights > 1e-6 ? float(share.weight / weights) : 0;
      share.absoluteCapacity = float(above.absoluteCapacity * share.normalizedWeight);
    } else {
      share.capacity = fraction(settings.capacity);
      share.normalizedWeight = 0;
      share.absoluteCapacity = float(above.absoluteCapacity * share.capacity);
    }
    share.absoluteMaximumCapacity = float(above.absoluteMaximumCapacity * share.maximumCapacity);
    share.effectiveMinimum = multiplyTruncated(partition.total, share.absoluteCapacity);
    share.effectiveMaximum = multiplyTruncated(partition.total, share.absoluteMaximumCapacity);
  }
}

/** More promised than the parent holds: all siblings shrink alike, per resource. */
function sizeAbsolute(share: QueueShare, above: QueueShare, sums: Resource, total: Resource, calculator: Calculator): void {
  const minimum = share.configuredMinimum ?? zeros(total.length);
  share.effectiveMinimum = minimum.map((value, i) => {
    const available = above.effectiveMinimum[i]!;
    return sums[i]! > available ? Math.trunc(value * float(available / sums[i]!)) : value;
  });
  share.effectiveMaximum = share.configuredMaximum
    ? [...smaller(calculator, total, share.configuredMaximum, above.effectiveMaximum)]
    : [...above.effectiveMaximum];
  share.normalizedWeight = 0;
  share.capacity = part(calculator, total, share.effectiveMinimum, above.effectiveMinimum);
  share.maximumCapacity = part(calculator, total, share.effectiveMaximum, above.effectiveMaximum);
  share.absoluteCapacity = float(above.absoluteCapacity * share.capacity);
  share.absoluteMaximumCapacity = float(above.absoluteMaximumCapacity * share.maximumCapacity);
}

const part = (calculator: Calculator, total: Resource, a: Resource, b: Resource): number =>
  calculator.empty(total) || isNothing(b) ? 0 : calculator.divide(total, a, b);

function nothing(share: QueueShare): void {
  share.capacity = 0;
  share.maximumCapacity = 1;
  share.absoluteCapacity = 0;
  share.absoluteMaximumCapacity = 0;
  share.normalizedWeight = 0;
  share.effectiveMinimum = share.effectiveMinimum.map(() => 0);
  share.effectiveMaximum = share.effectiveMaximum.map(() => 0);
}

// ---- a unit per resource

/** Absolute amounts come first, then percentages of what they leave, then weights share the rest (rounded to the nearest). */
function sizeVectors(parent: CapacityQueue, partition: Partition, sizing: Sizing): void {
  const above = parent.share(partition.index);
  const shares = parent.children.map((child) => child.shares[partition.index]!);
  const settings = parent.children.map((child) => child.settings.labels.get(partition.name));
  shares.forEach((share, place) => {
    if (!settings[place]?.configured) nothing(share);
    share.effectiveMinimum = zeros(sizing.types.count);
    share.effectiveMaximum = zeros(sizing.types.count);
  });
  for (let i = 0; i < sizing.types.count; i++) sizeResource(i, above, shares, settings);
  // Without memory nothing can run, so such a queue is promised nothing at all.
  for (const share of shares) if (share.effectiveMinimum[0] === 0) share.effectiveMinimum.fill(0);
  shares.forEach((share, place) => {
    const own = settings[place];
    if (!own?.configured) return;
    share.effectiveMaximum = share.effectiveMaximum.map((value, i) => Math.max(value, 0) || above.effectiveMaximum[i]!);
    share.effectiveMaximum = componentwiseMin(share.effectiveMaximum, above.effectiveMaximum);
    share.capacity = partOrNaN(sizing.calculator, partition.total, share.effectiveMinimum, above.effectiveMinimum);
    share.absoluteCapacity = float(above.absoluteCapacity * share.capacity);
    share.maximumCapacity = partOrNaN(sizing.calculator, partition.total, share.effectiveMaximum, above.effectiveMaximum);
    share.absoluteMaximumCapacity = float(above.absoluteMaximumCapacity * share.maximumCapacity);
    share.normalizedWeight = 0;
  });
}

const partOrNaN = (calculator: Calculator, total: Resource, a: Resource, b: Resource): number =>
  calculator.empty(total) ? 0 : calculator.divide(total, a, b);

function sizeResource(i: number, above: QueueShare, shares: readonly QueueShare[], settings: readonly (LabelSettings | undefined)[]): void {
  let absolutes = 0;
  let weights = 0;
  for (const own of settings) {
    const entry = own?.capacity.byType[i];
    if (entry?.unit === 'absolute') absolutes += entry.value;
    if (entry?.unit === 'weight') weights = float(weights + entry.value);
  }
  const available = above.effectiveMinimum[i]!;
  const shrink = absolutes > available ? available / absolutes : 1;
  let left = available;
  shares.forEach((share, place) => {
    const entry = settings[place]?.capacity.byType[i];
    if (entry?.unit === 'absolute') {
      share.effectiveMinimum[i] = Math.floor(entry.value * shrink);
      left -= share.effectiveMinimum[i]!;
    }
    const maximum = settings[place]?.maximum.byType[i];
    if (maximum?.unit === 'absolute') share.effectiveMaximum[i] = Math.floor(maximum.value);
    else if (maximum?.unit === 'percentage') share.effectiveMaximum[i] = Math.floor(above.effectiveMaximum[i]! * (maximum.value / 100));
  });
  const afterAbsolutes = left;
  shares.forEach((share, place) => {
    const entry = settings[place]?.capacity.byType[i];
    if (entry?.unit !== 'percentage') return;
    share.effectiveMinimum[i] = Math.max(0, Math.min(left, Math.floor(afterAbsolutes * (entry.value / 100))));
    left -= share.effectiveMinimum[i]!;
  });
  const afterPercentages = left;
  shares.forEach((share, place) => {
    const entry = settings[place]?.capacity.byType[i];
    if (entry?.unit === 'weight' && weights > 0) share.effectiveMinimum[i] = Math.round(afterPercentages * float(entry.value / weights));
  });
}

// ---- counts

/** `maximum-applications` of the queue, or its part of the cluster's (Hadoop's LeafQueue.updateMaximumApplications). */
function countApplications(queue: CapacityQueue, sizing: Sizing): void {
  const leaf = queue.leaf!;
  const system = sizing.properties.globalInteger('maximum-applications', 10_000);
  const perQueue = sizing.properties.globalInteger('global-queue-max-application', -1);
  let most = queue.settings.maximumApplications;
  if (most < 0) {
    if (perQueue > 0 && queue.settings.labels.get('')?.capacity.kind !== 'absolute') most = Math.min(perQueue, system);
    else {
      const base = perQueue > 0 ? Math.min(perQueue, system) : system;
      for (const [label, settings] of queue.settings.labels) {
        if (!settings.configured) continue;
        const share = queue.share(sizing.nodes.partition(label).index);
        most = Math.max(
          most,
          Math.trunc(float(base * (share.absoluteCapacity || templateCapacity(queue, share, sizing.nodes.partition(label).index)))) || 0,
        );
      }
    }
  }
  leaf.maximumApplications = most;
  const { userLimitPercent, userLimitFactor } = queue.settings;
  leaf.maximumApplicationsPerUser =
    userLimitFactor === -1 ? most : Math.min(most, Math.trunc(float(float(most * float(userLimitPercent / 100)) * userLimitFactor)));
}

/** What an automatic leaf that got no part was to have by its template. */
export function templateCapacity(queue: CapacityQueue, share: QueueShare, partition: number): number {
  if (queue.settings.creation !== 'dynamicLegacy' || share.absoluteCapacity !== 0 || !queue.parent) return 0;
  const template = Number(new Map(queue.parent.settings.leafTemplate).get('capacity') ?? 0);
  return float(queue.parent.share(partition).absoluteCapacity * float(template / 100));
}

/** min(parent's limit − parent's use + own use, own maximum), in whole steps (Hadoop's getResourceLimitsOfChild). */
export function limitOfChild(child: CapacityQueue, parentLimit: Resource, partition: number, total: Resource, sizing: Sizing): number[] {
  const parent = child.parent!;
  const above = parent.share(partition);
  const share = child.share(partition);
  const cap = smaller(sizing.calculator, total, parentLimit, above.effectiveMaximum);
  const limit = cap.map((value, i) => value - above.used[i]! + share.used[i]!);
  return roundDown(
    smaller(sizing.calculator, total, limit, roundDown(share.effectiveMaximum, sizing.minimumAllocation)),
    sizing.minimumAllocation,
  );
}
