// From settings and the size of the partitions to what each queue is promised: shares, effective amounts, application counts.
// Legacy mode: one unit per level (percentages, weights or absolute amounts). Otherwise each resource of a queue has its own unit.

import { type Resource, type ResourceTypes, zeros } from '../../../model/resource.ts';
import { type Calculator, float, isNothing, multiplyTruncated, roundDown, smaller } from '../../state/calculator.ts';
import type { NodeTable, Partition } from '../../state/nodes.ts';
import type { Unit, VectorEntry } from '../settings/capacity-value.ts';
import { parseCapacity } from '../settings/capacity-value.ts';
import { clusterOptions } from '../settings/cluster-options.ts';
import type { CapacityProperties } from '../settings/properties.ts';
import { fraction, type LabelSettings } from '../settings/queue-settings.ts';
import type { CapacityQueue, QueueShare } from './queue.ts';

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
    sizeRoot(root, partition, sizing);
    sizeChildren(root, partition, sizing);
  }
  for (const queue of root.walk()) if (queue.leaf) countApplications(queue, sizing);
}

/** The root is promised everything; its maximum keeps the rest of the cluster empty. A partition that no queue names is promised to nobody. */
function sizeRoot(root: CapacityQueue, partition: Partition, { calculator }: Sizing): void {
  const share = root.share(partition.index);
  const settings = root.settings.labels.get(partition.name);
  const isNamed = partition.name === '' || settings !== undefined;
  share.capacity = isNamed ? 1 : 0;
  share.absoluteCapacity = share.capacity;
  share.amShare = settings?.amShare ?? 0;
  share.vector = settings?.capacity.entries ?? [];
  share.configuredMinimum = settings?.amount && !isNothing(settings.amount) ? settings.amount : undefined;
  share.effectiveMinimum = isNamed ? [...partition.total] : zeros(partition.total.length);
  share.configuredMaximum = settings?.maximum.amounts;
  const maximum = settings?.configured && settings.maximum.kind === 'percentage' ? fraction(settings.maximum) : 1;
  share.effectiveMaximum = share.configuredMaximum
    ? [...smaller(calculator, partition.total, share.configuredMaximum, partition.total)]
    : multiplyTruncated(partition.total, maximum);
  share.maximumCapacity = share.configuredMaximum ? part(calculator, partition.total, share.effectiveMaximum, partition.total) : maximum;
  if (!isNamed) share.maximumCapacity = 0;
  share.absoluteMaximumCapacity = share.maximumCapacity;
  share.effectiveKnown ||= partition.name === '' || partition.nodes > 0;
}

function sizeChildren(parent: CapacityQueue, partition: Partition, sizing: Sizing): void {
  for (const child of parent.children) {
    const share = child.share(partition.index);
    const settings = child.settings.labels.get(partition.name);
    share.amShare = settings?.amShare ?? 0;
    share.vector = settings?.capacity.entries ?? [];
    share.configuredMinimum = settings?.capacity.amounts;
    share.configuredMaximum = settings?.maximum.amounts ?? (share.configuredMinimum && parent.share(partition.index).configuredMaximum);
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
    if (settings.capacity.legacyKind === 'absolute') {
      sizeAbsolute(share, above, sums, partition.total, sizing.calculator);
      continue;
    }
    if (settings.capacity.legacyKind === 'weight') {
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
  share.maximumCapacity = 0;
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
  for (let i = 0; i < sizing.types.count; i++) sizeResource(i, above, shares, settings, partition.total[i]!);
  shares.forEach((share, place) => {
    const own = settings[place];
    if (!own?.configured) return;
    share.capacity = partOrNaN(sizing.calculator, partition.total, share.effectiveMinimum, above.effectiveMinimum);
    share.absoluteCapacity = float(above.absoluteCapacity * share.capacity);
    share.maximumCapacity = partOrNaN(sizing.calculator, partition.total, share.effectiveMaximum, above.effectiveMaximum);
    share.absoluteMaximumCapacity = float(above.absoluteMaximumCapacity * share.maximumCapacity);
    share.normalizedWeight = 0;
  });
}

function partOrNaN(calculator: Calculator, total: Resource, a: Resource, b: Resource): number {
  const part = calculator.empty(total) ? 0 : calculator.divide(total, a, b);
  return Number.isFinite(part) || Number.isNaN(part) ? part : 0;
}

/** One resource of all children; none gets more than what is left, than its maximum, or anything without memory. */
function sizeResource(
  i: number,
  above: QueueShare,
  shares: readonly QueueShare[],
  settings: readonly (LabelSettings | undefined)[],
  whole: number,
): void {
  const guaranteed = above.effectiveMinimum[i]!;
  const most = above.effectiveMaximum[i]!;
  const entries = settings.map((own) => (own?.configured ? own.capacity.byType[i] : undefined));
  const sumOf = (unit: Unit) => entries.reduce((sum, entry) => (entry?.unit === unit ? sum + entry.value : sum), 0);
  const absolutes = Math.trunc(sumOf('absolute'));
  const weights = sumOf('weight');
  const shrink = absolutes === 0 ? 1 : float(Math.min(guaranteed, absolutes) / absolutes);
  /** What queues of the kinds before left, and what is left now. */
  let before = guaranteed;
  let left = guaranteed;
  const wanted: Record<Unit, (value: number) => number> = {
    absolute: (value) => shrink * (before / guaranteed) * value,
    percentage: (value) => whole * (((guaranteed / whole) * (before / guaranteed) * value) / 100),
    weight: (value) => (value / weights === 1 ? before : whole * ((guaranteed / whole) * (before / guaranteed) * (value / weights))),
  };
  for (const unit of ['absolute', 'percentage', 'weight'] as const) {
    entries.forEach((entry, place) => {
      if (entry?.unit !== unit) return;
      const share = shares[place]!;
      const maximum = maximumOf(settings[place]!.maximum.byType[i], most, whole);
      const exact = wanted[unit](entry.value);
      let minimum = unit === 'weight' ? Math.round(exact) : Math.floor(exact);
      if (i > 0 && share.effectiveMinimum[0] === 0) minimum = 0;
      minimum = Math.min(minimum, maximum, left) || 0;
      share.effectiveMinimum[i] = minimum;
      share.effectiveMaximum[i] = maximum;
      left -= minimum;
    });
    before = left;
  }
}

function maximumOf(entry: VectorEntry | undefined, most: number, whole: number): number {
  let own = 0;
  if (entry?.unit === 'absolute') own = Math.floor(entry.value);
  if (entry?.unit === 'percentage') own = Math.floor(whole * (((most / whole) * entry.value) / 100)) || 0;
  return own === 0 ? most : Math.min(own, most);
}

// ---- counts

/** `maximum-applications` of the queue, or its part of the cluster's (Hadoop's LeafQueue.updateMaximumApplications). */
function countApplications(queue: CapacityQueue, sizing: Sizing): void {
  const leaf = queue.leaf!;
  const system = sizing.properties.read(clusterOptions.maximumApplications);
  const perQueue = sizing.properties.read(clusterOptions.maximumApplicationsPerQueue);
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
          Math.trunc(
            float(base * (share.absoluteCapacity || templateCapacity(queue, share, sizing.nodes.partition(label).index, sizing))),
          ) || 0,
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
export function templateCapacity(queue: CapacityQueue, share: QueueShare, partition: number, sizing: Sizing): number {
  if (queue.settings.creation !== 'dynamicLegacy' || share.absoluteCapacity !== 0 || !queue.parent) return 0;
  const { types, calculator, nodes } = sizing;
  const template = parseCapacity(new Map(queue.parent.settings.leafTemplate).get('capacity') ?? '0', types);
  if (template.kind !== 'absolute') return float(queue.parent.share(partition).absoluteCapacity * fraction(template));
  const { total } = nodes.partitions[partition]!;
  return calculator.empty(total) ? 0 : float(calculator.divide(total, template.amounts ?? zeros(types.count), total));
}

/** min(parent's limit − parent's use + own use, own maximum), in whole steps (Hadoop's getResourceLimitsOfChild). */
export function limitOfChild(child: CapacityQueue, parentLimit: Resource, partition: number, total: Resource, sizing: Sizing): number[] {
  const parent = child.parent!;
  const above = parent.share(partition);
  const share = child.share(partition);
  const cap = smaller(sizing.calculator, total, parentLimit, above.effectiveMaximum);
  const limit = cap.map((value, i) => value - above.used[i]! + share.used[i]!);
  const { calculator, minimumAllocation } = sizing;
  const most = roundDown(calculator, share.effectiveMaximum, minimumAllocation);
  return roundDown(calculator, smaller(calculator, total, limit, most), minimumAllocation);
}

/** How far the queue could reach in the default partition while the others hold what they hold. */
export function reachOf(queue: CapacityQueue, total: Resource, sizing: Sizing): Resource {
  return queue.parent ? limitOfChild(queue, reachOf(queue.parent, total, sizing), 0, total, sizing) : total;
}

/**
 * Whether how far the queue could reach differs from what a cycle lets it have: that is the smaller amount of each resource, the other one of two
 * whole amounts. It cannot where memory alone counts, or nothing but the cluster is a maximum.
 */
export function comparesWholeAmounts(queue: CapacityQueue, total: Resource, calculator: Calculator): boolean {
  if (calculator.kind === 'default') return false;
  for (let at: CapacityQueue | undefined = queue; at; at = at.parent) {
    const { effectiveMaximum } = at.share(0);
    for (let i = 0; i < total.length; i++) if (effectiveMaximum[i]! < total[i]!) return true;
  }
  return false;
}
