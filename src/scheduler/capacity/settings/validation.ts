// What a queue configuration must satisfy before it is taken over; refusals in Hadoop's words.

import { addInto, fits, type Resource, type ResourceTypes, resourceText, zeros } from '../../../model/resource.ts';
import { ConfigurationRefused, type RefusalDetails, under } from '../../policy.ts';
import { float } from '../../state/calculator.ts';
import { inHashOrder } from '../../state/java-order.ts';
import type { CapacityQueue } from '../queues/queue.ts';
import { floatText } from './capacity-value.ts';
import { keyOf, type QueueOption } from './option.ts';
import { automaticOptions, joinedOptions } from './queue-options.ts';
import { fraction, type LabelSettings, mayUseLabel, type QueueSettings } from './queue-settings.ts';

/** How a refusal compares two amounts: by the cluster's calculator. */
export type Compare = (a: Resource, b: Resource) => number;

/** Every queue for itself, then (children first, as Hadoop builds the tree) what the queues of one level promise together. */
export function checkTree(root: QueueSettings, types: ResourceTypes, legacyMode: boolean, compare: Compare): void {
  checkQueue(root, types, compare, legacyMode);
}

function checkQueue(queue: QueueSettings, types: ResourceTypes, compare: Compare, legacyMode: boolean): void {
  const key = (option: QueueOption): string => keyOf(option, { queue: queue.path });
  under({ key: key(joinedOptions.accessibleLabels), remedy: 'Name only labels that its parent may use.' }, () => checkLabels(queue));
  checkAmounts(queue, types, compare);
  under({ key: key(joinedOptions.state), remedy: 'Stop it too, or let its parent run.' }, () => checkState(queue));
  if (legacyMode) {
    const remedy = 'Give its capacity in every partition as a percentage or weight, or in every one as amounts.';
    under({ key: key(joinedOptions.capacity), remedy }, () => checkKinds(queue));
  } else checkMaximumKinds(queue);
  under({ key: key(joinedOptions.defaultLifetimeSeconds), remedy: 'Lower it to the maximum lifetime.' }, () => checkLifetime(queue));
  if (queue.isLeaf) checkLeaf(queue, key);
  under({ key: key(joinedOptions.queues), remedy: 'Name each child once.' }, () => checkName(queue));
  for (const child of queue.children) checkQueue(child, types, compare, legacyMode);
  if (queue.children.length > 0 && legacyMode) checkLevel(queue, types, compare);
}

function capacityKey({ path }: QueueSettings, label: string, kind: 'capacity' | 'maximum'): string {
  const { capacity, maximumCapacity, labelCapacity, labelMaximumCapacity } = joinedOptions;
  const [own, labelled] = kind === 'capacity' ? [capacity, labelCapacity] : [maximumCapacity, labelMaximumCapacity];
  return keyOf(label === '' ? own : labelled, { queue: path, label });
}

function checkName(queue: QueueSettings): void {
  const names = new Set<string>();
  for (const child of queue.children) {
    if (names.has(child.name)) throw new ConfigurationRefused(`Two queues were named ${child.path}`);
    names.add(child.name);
  }
}

export function* walk(queue: QueueSettings): Generator<QueueSettings> {
  yield queue;
  for (const child of queue.children) yield* walk(child);
}

type Unit = 'percentage' | 'weight' | 'absolute';

/** An absolute promise; without memory it counts as none. */
function amount(settings: LabelSettings | undefined, part: 'capacity' | 'maximum'): Resource | undefined {
  if (!settings?.configured) return undefined;
  const found = part === 'capacity' && settings.amount ? settings.amount : settings[part].amounts;
  return found?.[0] === 0 ? undefined : found;
}

const labelsOf = (queue: QueueSettings): string[] =>
  inHashOrder(
    [...queue.labels].filter(([, settings]) => settings.configured).map(([label]) => label),
    (label) => label,
  );

/** Percentages that are set stay "set" for the queues after them, in the words of the refusal too (Hadoop's way of looking). */
function unitOf(parent: QueueSettings, queues: readonly QueueSettings[]): Unit {
  let percentage = false;
  let weight = false;
  let absolute = false;
  let details = '';
  for (const queue of queues) {
    for (const label of labelsOf(parent)) {
      const tell = (unit: Unit) => {
        details += `{Queue=${queue.path}, label=${label} uses ${unit} mode}. `;
      };
      const settings = queue.labels.get(label);
      const value = settings?.configured ? settings.capacity : undefined;
      if (value?.legacyKind === 'percentage' && value.value > 0) percentage = true;
      if (value?.legacyKind === 'weight') {
        weight = true;
        tell('weight');
      }
      if (amount(settings, 'capacity')) {
        absolute = true;
        percentage = false;
        tell('absolute');
      }
      if (percentage) tell('percentage');
    }
  }
  if (queues[0]!.parent !== undefined && [percentage, weight, absolute].filter(Boolean).length > 1) {
    throw new ConfigurationRefused(
      `Parent queue '${parent.path}' have children queue used mixed of  weight mode, percentage and absolute mode, it is not allowed, please double check, details:${details}`,
      {
        key: keyOf(joinedOptions.queues, { queue: parent.path }),
        remedy: `Give all queues below ${parent.path} percentages, or all weights, or all amounts.`,
      },
    );
  }
  return weight ? 'weight' : absolute ? 'absolute' : 'percentage';
}

/** Whether all promises among the queue's children are weights (or it has none). */
export function usesWeights(parent: CapacityQueue): boolean {
  if (parent.children.length === 0) return true;
  try {
    return (
      unitOf(
        parent.settings,
        parent.children.map((child) => child.settings),
      ) === 'weight'
    );
  } catch (error) {
    if (error instanceof ConfigurationRefused) return false;
    throw error;
  }
}

function checkLevel(parent: QueueSettings, types: ResourceTypes, compare: Compare): void {
  const below = unitOf(parent, parent.children);
  const own = unitOf(parent, [parent]);
  if (below === 'absolute' || own === 'absolute') {
    if (below !== own && parent.parent !== undefined) {
      throw new ConfigurationRefused(
        `Parent=${parent.path}: When absolute minResource is used, we must make sure both parent and child all use absolute minResource`,
        { key: keyOf(joinedOptions.capacity, { queue: parent.path }), remedy: 'Give it and its children amounts, or none of them.' },
      );
    }
    checkAbsolute(parent, types, compare);
  }
  if (below === 'percentage') checkSums(parent, own);
}

const tolerance = 0.0005;

function checkSums(parent: QueueSettings, own: Unit): void {
  for (const label of labelsOf(parent)) {
    let sum = 0;
    for (const child of parent.children) {
      const value = child.labels.get(label)?.capacity;
      if (value?.kind === 'percentage') sum = float(sum + fraction(value));
    }
    const mine = parent.parent === undefined ? 1 : fraction(parent.labels.get(label)!.capacity);
    const refuse = (reason: string) => {
      const where = `for children of queue ${parent.name} for label=${label}`;
      const parts = parent.children.map((child) => `${child.name} ${floatText(child.labels.get(label)?.capacity.value ?? 0)}`);
      throw new ConfigurationRefused(`Illegal capacity sum of ${floatText(sum)} ${where}. ${reason}`, {
        key: capacityKey(parent.children[0]!, label, 'capacity'),
        remedy: `Let the percentages below ${parent.path} add up to 100: ${parts.join(', ')}.`,
      });
    };
    if (Math.abs(1 - sum) > tolerance) {
      if (Math.abs(sum) > tolerance) refuse('It should be either 0 or 1.0');
      if (own === 'percentage' && mine > tolerance && !parent.allowsZeroSum)
        refuse(`It is set to 0, but parent percent != 0, and doesn't allow children capacity to set to 0`);
    } else if (own === 'percentage' && mine === 0 && !parent.allowsZeroSum) {
      refuse(`queue=${parent.name} has zero capacity, but childqueues have positive capacities`);
    }
  }
}

function checkAbsolute(parent: QueueSettings, types: ResourceTypes, compare: Compare): void {
  for (const label of labelsOf(parent)) {
    const available = amount(parent.labels.get(label), 'capacity');
    if (!available) continue;
    const sum = zeros(types.count);
    for (const child of parent.children) {
      const own = amount(child.labels.get(label), 'capacity');
      if (own) addInto(sum, own);
    }
    if (compare(available, sum) < 0) {
      throw new ConfigurationRefused(
        `Parent Queues capacity: ${resourceText(available, types)} is less than to its children:${resourceText(sum, types)} for queue:${parent.name}`,
        { key: capacityKey(parent, label, 'capacity'), remedy: 'Raise it, or lower what its children are promised.' },
      );
    }
  }
}

/** An absolute promise is not above its maximum, nor that above the parent's. */
function checkAmounts(queue: QueueSettings, types: ResourceTypes, compare: Compare): void {
  const text = (resource: Resource | undefined) => resourceText(resource ?? zeros(types.count), types);
  for (const label of labelsOf(queue)) {
    const minimum = amount(queue.labels.get(label), 'capacity');
    let maximum = amount(queue.labels.get(label), 'maximum');
    const above = amount(queue.parent?.labels.get(label), 'maximum');
    if (above && maximum && compare(maximum, above) > 0) {
      throw new ConfigurationRefused(
        `Max resource configuration ${text(maximum)} is greater than parents max value:${text(above)} in queue:${queue.path}`,
        { key: capacityKey(queue, label, 'maximum'), remedy: "Lower it to the parent's, or raise the parent's." },
      );
    }
    if (!maximum && minimum) maximum = above;
    if (minimum && maximum && compare(minimum, maximum) > 0) {
      throw new ConfigurationRefused(
        `Min resource configuration ${text(minimum)} is greater than its max value:${text(maximum)} in queue:${queue.path}`,
        { key: capacityKey(queue, label, 'maximum'), remedy: 'Raise the maximum or lower the capacity.' },
      );
    }
  }
}

function checkLabels({ accessibleLabels, parent }: QueueSettings): void {
  if (!parent || parent.accessibleLabels.includes('*')) return;
  if (accessibleLabels.includes('*'))
    throw new ConfigurationRefused(`Parent's accessible queue is not ANY(*), but child's accessible queue is *`);
  const above = new Set(parent.accessibleLabels);
  const others = accessibleLabels.filter((label) => !above.has(label));
  if (others.length > 0) {
    throw new ConfigurationRefused(
      `Some labels of child queue is not a subset of parent queue, these labels=[${inHashOrder(others, (label) => label).join(',')}]`,
    );
  }
}

/** In legacy mode all partitions of a queue are promised in the same way. */
function checkKinds(queue: QueueSettings): void {
  const kinds = new Set(labelsOf(queue).map((label) => queue.labels.get(label)!.capacity.legacyKind === 'absolute'));
  if (!queue.parent || kinds.size < 2) return;
  throw new ConfigurationRefused(`Queue '${queue.path}' should use either percentage based capacity configuration or absolute resource.`);
}

/** No resource has a weight for its maximum (CapacitySchedulerQueueCapacityHandler). */
function checkMaximumKinds(queue: QueueSettings): void {
  for (const label of labelsOf(queue)) {
    const weighed = queue.labels.get(label)!.maximum.byType.find(({ unit }) => unit === 'weight');
    if (weighed)
      throw new ConfigurationRefused(`Resource ${weighed.name} has WEIGHT maximum capacity type, which is not supported`, {
        key: capacityKey(queue, label, 'maximum'),
        remedy: 'Give amounts or percentages ([memory=8192,vcores=50%]).',
      });
  }
}

function checkState(queue: QueueSettings): void {
  if (queue.state !== 'RUNNING' || !queue.parent || stateOf(queue.parent) === 'RUNNING') return;
  throw new ConfigurationRefused(
    `The parent queue:${queue.parent.path} cannot be STOPPED as the child queue:${queue.path} is in RUNNING state.`,
  );
}

/** The state a queue has when it is made new: its own, else that of those above. */
export function stateOf(queue: QueueSettings): 'RUNNING' | 'STOPPED' {
  return queue.state ?? (queue.parent ? stateOf(queue.parent) : 'RUNNING');
}

function checkLifetime({ maximumLifetimeSeconds: maximum, defaultLifetimeSeconds: usual }: QueueSettings): void {
  if (maximum > 0 && usual > maximum) throw new ConfigurationRefused(`Default lifetime ${usual} can't exceed maximum lifetime ${maximum}`);
}

function checkLeaf(queue: QueueSettings, key: (option: QueueOption) => string): void {
  if (!mayUseLabel(queue, queue.defaultLabel ?? '')) {
    throw new ConfigurationRefused(
      `Invalid default label expression of  queue=${queue.path} doesn't have permission to access all labels in default label expression. labelExpression of resource request=${queue.defaultLabel}. Queue labels=${queue.accessibleLabels.join(',')}`,
      { key: key(joinedOptions.defaultLabel), remedy: 'Name a label that the queue may use.' },
    );
  }
  const limit = Math.min(100, queue.userLimitPercent);
  for (const [user, weight] of queue.userWeights) {
    if (weight >= 0 && weight <= float(100 / limit)) continue;
    throw new ConfigurationRefused(
      `Weight (${floatText(weight)}) for user "${user}" must be between 0 and 100 / ${floatText(limit)} (= ${floatText(100 / limit)}, the number of concurrent active users in ${queue.path})`,
      { key: keyOf(joinedOptions.userWeight, { queue: queue.path, user }), remedy: 'Give a weight between these.' },
    );
  }
}

/**
 * What may not happen to queues that exist: vanish or change their kind while they run. `properties` are those that `after` was read from.
 * A queue that nothing is in may go at once where they stop it, although nobody lists it any more (CapacitySchedulerQueueManager.validateQueueHierarchy).
 */
export function checkChange(
  before: CapacityQueue,
  after: QueueSettings,
  properties: ReadonlyMap<string, string>,
  types: ResourceTypes,
): void {
  const next = new Map([...walk(after)].map((queue) => [queue.path, queue]));
  for (const queue of before.walk()) {
    const settings = next.get(queue.path);
    if (!settings) {
      const automatic = queue.settings.creation !== 'static' || queue.parent?.settings.isPlan;
      const adopted = queue.parent && next.get(queue.parent.path) && !next.get(queue.parent.path)!.isLeaf;
      if ((automatic && (adopted || queue.applicationCount === 0)) || hasAutomaticAncestor(queue, next)) continue;
      const isStopped = queue.applicationCount === 0 && properties.get(keyOf(joinedOptions.state, { queue: queue.path })) === 'STOPPED';
      if (queue.state !== 'STOPPED' && !isStopped) {
        throw new ConfigurationRefused(
          `${queue.path} cannot be deleted from the capacity scheduler configuration, as the queue is not yet in stopped state. Current State : ${queue.state}`,
          stopFirst(queue, keyOf(joinedOptions.queues, { queue: queue.parent?.path ?? 'root' })),
        );
      }
      continue;
    }
    checkKind(queue, settings);
    if (queue.isLeaf && !settings.isLeaf && queue.state !== 'STOPPED' && stateOf(settings) !== 'STOPPED') {
      throw new ConfigurationRefused(
        `Can not convert the leaf queue: ${queue.path} to parent queue since it is not yet in stopped state. Current State : ${queue.state}`,
        stopFirst(queue, keyOf(joinedOptions.queues, { queue: queue.path })),
      );
    }
  }
  for (const queue of before.walk()) {
    const settings = next.get(queue.path);
    if (!queue.isLeaf || !settings?.isLeaf || fits(queue.settings.maximumAllocation, settings.maximumAllocation)) continue;
    const text = (resource: Resource) => resourceText(resource, types);
    throw new ConfigurationRefused(
      `Trying to reinitialize ${queue.path} the maximum allocation size can not be decreased! Current setting: ${text(queue.settings.maximumAllocation)}, trying to set it to: ${text(settings.maximumAllocation)}`,
      {
        key: keyOf(joinedOptions.maximumMemoryMiB, { queue: queue.path }),
        remedy: 'Keep it at least as large, or restart the resource manager.',
      },
    );
  }
}

/** A parent with automatic leaves of the older kind stays one, and no other becomes one. */
function checkKind(queue: CapacityQueue, settings: QueueSettings): void {
  if (queue.isLeaf || queue.settings.isPlan) return;
  const was = queue.settings.autoCreation === 'legacy';
  const is = settings.autoCreation === 'legacy';
  if (!was && is) {
    throw new ConfigurationRefused(
      `Can not convert parent queue: ${queue.path} to auto create enabled parent queue since it could have other pre-configured queues which is not supported`,
      { key: keyOf(automaticOptions.makesLeaves, { queue: queue.path }), remedy: 'Leave it false.' },
    );
  }
  if (was && !is) {
    throw new ConfigurationRefused(
      `Cannot convert auto create enabled parent queue: ${queue.path} to leaf queue. Please check  parent queue's configuration auto-create-child-queue.enabled is set to true`,
      { key: keyOf(automaticOptions.makesLeaves, { queue: queue.path }), remedy: 'Leave it true.' },
    );
  }
}

const stopFirst = (queue: CapacityQueue, key: string): RefusalDetails => ({
  key,
  remedy: `Set ${keyOf(joinedOptions.state, { queue: queue.path })} to STOPPED, wait for its ${queue.applicationCount} applications to end, then change it.`,
});

function hasAutomaticAncestor(queue: CapacityQueue, next: ReadonlyMap<string, QueueSettings>): boolean {
  for (let at: CapacityQueue | undefined = queue; at; at = at.parent) {
    if (at.settings.creation !== 'static' && at.parent && next.has(at.parent.path)) return true;
  }
  return false;
}
