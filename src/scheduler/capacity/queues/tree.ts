// The tree of queues: built from settings, looked up by path or short name, extended by automatic queues, replaced as a whole.

import { type ResourceTypes, zeros } from '../../../model/resource.ts';
import type { Found, SchedulerSettings } from '../../policy.ts';
import { type Calculator, calculatorFor } from '../../state/calculator.ts';
import { inHashOrder } from '../../state/java-order.ts';
import type { NodeTable } from '../../state/nodes.ts';
import { type CapacityValue, parseCapacity } from '../settings/capacity-value.ts';
import { clusterOptions } from '../settings/cluster-options.ts';
import { checkTemplates } from '../settings/file-checks.ts';
import { checkMappings } from '../settings/mapping-checks.ts';
import { optionsOf } from '../settings/options.ts';
import { CapacityProperties } from '../settings/properties.ts';
import { automaticOptions } from '../settings/queue-options.ts';
import {
  type Creation,
  type GlobalSettings,
  type QueueSettings,
  readQueue,
  readQueueTree,
  templateOverlay,
} from '../settings/queue-settings.ts';
import { checkChange, checkTree, stateOf, usesWeights, walk } from '../settings/validation.ts';
import { checkValues } from '../settings/value-checks.ts';
import { readWorkflowPriorities, type WorkflowPriorities } from '../settings/workflow-priorities.ts';
import { resize, type Sizing } from './capacities.ts';
import { CapacityQueue } from './queue.ts';
import { UserTable } from './users.ts';

/** A queue could not be made; `message` is Hadoop's reason. */
export class QueueNotCreated extends Error {}

/** Parts of a reservable queue, 0…1. */
export interface Entitlement {
  readonly share: number;
  readonly maximum: number;
}

export class QueueTree {
  root: CapacityQueue;
  properties: CapacityProperties;
  sizing: Sizing;
  workflowPriorities: WorkflowPriorities;
  readonly #types: ResourceTypes;
  readonly #settings: SchedulerSettings;
  readonly #nodes: NodeTable;
  /** From the first change on, default children of reservable queues are found by their plan's short name too, as in Hadoop. */
  #replaced = false;
  /** What the plan gives the children of reservable queues, by path; all of it without an entry. */
  readonly #entitlements = new Map<string, Entitlement>();
  #leaves: CapacityQueue[] = [];
  readonly #byPath = new Map<string, CapacityQueue>();
  readonly #byName = new Map<string, CapacityQueue[]>();

  constructor(all: ReadonlyMap<string, string>, types: ResourceTypes, settings: SchedulerSettings, nodes: NodeTable) {
    this.#types = types;
    this.#settings = settings;
    this.#nodes = nodes;
    this.properties = new CapacityProperties(all);
    const read = this.#read(this.properties);
    this.sizing = this.#sizingOf(this.properties);
    this.workflowPriorities = readWorkflowPriorities(this.properties);
    this.#checkTree(read, this.sizing);
    checkMappings(read, this.properties);
    this.root = this.#build(read, undefined);
    this.#settle();
  }

  /** A preemption monitor checks all queues all the time. */
  get hasMonitor(): boolean {
    return this.#settings.preemption !== undefined;
  }

  get calculator(): Calculator {
    return this.sizing.calculator;
  }

  /** Takes over other properties, keeping what queues hold. Throws ConfigurationRefused and changes nothing when they are bad. */
  replace(all: ReadonlyMap<string, string>): void {
    const properties = new CapacityProperties(all);
    const read = this.#read(properties);
    // The calculator is the one the cluster began with.
    const sizing = { ...this.#sizingOf(properties), calculator: this.calculator };
    this.#checkTree(read, sizing);
    checkValues(all, this.properties.all);
    checkChange(this.root, read, all, this.#types);
    checkMappings(read, properties);
    const workflowPriorities = readWorkflowPriorities(properties);
    const automatic = this.#readAutomatic(read, properties);
    this.workflowPriorities = workflowPriorities;
    this.properties = properties;
    this.sizing = sizing;
    this.#adopt(this.root, read, automatic);
    this.#replaced = true;
    this.#settle();
  }

  /** Throws what `replace` would throw. */
  check(all: ReadonlyMap<string, string>): void {
    const properties = new CapacityProperties(all);
    const read = this.#read(properties);
    this.#checkTree(read, this.#sizingOf(properties));
    checkValues(all, this.properties.all);
    checkChange(this.root, read, all, this.#types);
    checkMappings(read, properties);
    readWorkflowPriorities(properties);
    this.#readAutomatic(read, properties);
  }

  byPath(path: string): CapacityQueue | undefined {
    return this.#byPath.get(path);
  }

  /** By full path, or by a short name that only one queue has (a leaf's wins nothing: Hadoop counts all queues). */
  get(name: string): CapacityQueue | undefined {
    const exact = this.#byPath.get(name);
    if (exact) return exact;
    const named = this.#byName.get(name);
    return named?.length === 1 ? named[0] : undefined;
  }

  isAmbiguous(name: string): boolean {
    return !this.#byPath.has(name) && (this.#byName.get(name)?.length ?? 0) > 1;
  }

  resolve(name: string): Found {
    const queue = this.get(name);
    if (queue) return { queue: queue.path };
    return this.isAmbiguous(name) ? 'ambiguous' : 'unknown';
  }

  leaves(): readonly CapacityQueue[] {
    return this.#leaves;
  }

  /** After nodes came or went. */
  resize(): void {
    resize(this.root, this.sizing);
  }

  /** Makes the queue and the missing ones above it (both kinds of automatic creation). Throws QueueNotCreated. */
  create(path: string): CapacityQueue {
    const above = path.slice(0, path.lastIndexOf('.'));
    const parent = this.get(above);
    if (parent?.settings.autoCreation === 'legacy') return this.#createLegacy(parent, `${parent.path}${path.slice(above.length)}`);
    const missing = this.#missingAbove(path, above);
    const [first = path] = missing;
    let at = this.get(first.slice(0, first.lastIndexOf('.')))!;
    for (const next of [...missing, path]) {
      this.#checkRoom(at, next);
      at = this.#createFlexible(at, `${at.path}${next.slice(next.lastIndexOf('.'))}`, next === path);
    }
    this.#settle();
    return at;
  }

  /** Parents that must be made first, from the top (Hadoop's determineMissingParents). */
  #missingAbove(path: string, above: string): string[] {
    if (this.isAmbiguous(above))
      throw new QueueNotCreated(`Could not auto-create queue ${path} due to ParentQueue ${above} being ambiguous.`);
    const missing: string[] = [];
    let candidate = above;
    let distance = 1;
    let existing = this.get(candidate);
    let fixed = existing;
    while (fixed?.settings.creation !== 'static' && candidate !== '') {
      distance++;
      if (!existing) missing.unshift(candidate);
      candidate = candidate.slice(0, Math.max(candidate.lastIndexOf('.'), 0));
      fixed = this.get(candidate);
      existing ??= fixed;
    }
    if (!existing || !fixed) throw new QueueNotCreated(`Could not auto-create queue ${path} parent queue does not exist.`);
    if (distance > fixed.settings.maximumQueueDepth) {
      throw new QueueNotCreated(
        `Could not auto create queue ${path}. The distance of the LeafQueue from the first static ParentQueue is ${distance}, which is above the limit.`,
      );
    }
    if (existing.isLeaf) throw new QueueNotCreated(`Could not auto create hierarchy of ${path}. Queue ${above} is not a ParentQueue.`);
    if (existing.settings.autoCreation !== 'flexible')
      throw new QueueNotCreated(`Auto creation of queue ${path} is not enabled under parent ${existing.path}`);
    return missing;
  }

  /** Automatic children come up to a number, and in legacy mode only among weights. */
  #checkRoom(parent: CapacityQueue, path: string): void {
    const most = this.properties.read(automaticOptions.mostQueues, { queue: parent.path });
    if (parent.children.length >= most) {
      throw new QueueNotCreated(
        `Cannot auto create queue ${path}. Max Child Queue limit exceeded which is configured as: ${most} and number of child queues is: ${parent.children.length}`,
      );
    }
    if (!this.sizing.legacyMode || usesWeights(parent)) return;
    throw new QueueNotCreated(
      `Trying to create new queue=${path} but not all the queues under parent=${parent.path} are using weight-based capacity. Failed to created queue`,
    );
  }

  /** The child that applications of a reservable queue run in without a reservation. */
  #createPlanDefault(plan: CapacityQueue): void {
    const child = this.#planChild(plan, `${plan.path}-default`);
    if (this.#replaced) this.#byName.set(`${plan.settings.name}-default`, [child]);
  }

  /** A child of a reservable queue with what it is entitled to; made where it is missing. */
  #planChild(plan: CapacityQueue, name: string): CapacityQueue {
    const path = `${plan.path}.${name}`;
    const known = this.#byPath.get(path);
    const { share, maximum } = this.#entitlements.get(path) ?? { share: 1, maximum: 1 };
    const overlay = templateOverlay(path, [
      ['capacity', String(share * 100)],
      ['maximum-capacity', String(maximum * 100)],
      ['maximum-am-resource-percent', '1'],
    ]);
    const { userLimitPercent, userLimitFactor } = plan.settings;
    const settings: QueueSettings = {
      ...readQueue(new CapacityProperties(this.properties.all, overlay), this.#types, this.#global(), path, plan.settings, 'static'),
      ...{ name, userLimitPercent, userLimitFactor, isLeaf: true, isPlan: false },
    };
    const defaultLabel = settings.labels.get('');
    const isDefault = name === `${plan.path}-default`;
    if (defaultLabel && isDefault) (settings.labels as Map<string, typeof defaultLabel>).set('', { ...defaultLabel, amShare: 0 });
    if (!known) return this.#addChild(plan, settings);
    known.settings = settings;
    if (plan.state === 'RUNNING') known.state = 'RUNNING';
    else stop(known);
    return known;
  }

  /** Parts of the plan for its children, by name: the missing ones are made. What the others get is in `entitlements` too. */
  entitle(plan: CapacityQueue, entitlements: ReadonlyMap<string, Entitlement>): void {
    for (const [name, entitlement] of entitlements) {
      this.#entitlements.set(`${plan.path}.${name}`, entitlement);
      this.#planChild(plan, name);
    }
    this.#settle();
  }

  entitlementOf(path: string): Entitlement {
    return this.#entitlements.get(path) ?? { share: 1, maximum: 1 };
  }

  /** Has every queue of another tree of the same properties, as it is there: what was made by itself, what plans gave. */
  obtainAll(other: QueueTree): void {
    for (const [path, entitlement] of other.#entitlements) this.#entitlements.set(path, entitlement);
    for (const { path, parent, settings } of other.root.walk()) {
      const known = this.#byPath.get(path);
      if (known) known.settings = settings;
      else this.#addChild(this.#byPath.get(parent!.path)!, settings);
    }
    this.#settle();
  }

  /** Drops an automatic queue that holds nothing. */
  remove(queue: CapacityQueue): void {
    const { parent } = queue;
    if (!parent) return;
    parent.children = parent.children.filter((child) => child !== queue);
    for (const share of parent.shares) {
      share?.askingChildren?.remove(queue);
      share?.parkedChildren?.delete(queue);
    }
    this.#entitlements.delete(queue.path);
    this.#settle();
  }

  #createLegacy(parent: CapacityQueue, path: string): CapacityQueue {
    const most = this.properties.read(automaticOptions.mostLeaves, { queue: parent.path });
    if (parent.children.length >= most) {
      throw new QueueNotCreated(
        `Cannot auto create leaf queue ${path}.Max Child Queue limit exceeded which is configured as : ${most} and number of child queues is : ${parent.children.length}`,
      );
    }
    const text = parent.settings.leafTemplate.find(([key]) => key === 'capacity')?.[1] ?? '0';
    const hasPart = this.#hasPartFor(parent, parseCapacity(text, this.#types));
    if (!hasPart) {
      if (this.properties.read(automaticOptions.failsBeyondCapacity, { queue: parent.path })) {
        throw new QueueNotCreated(
          `Cannot auto create leaf queue ${path}. Child queues capacities have reached parent queue : ${parent.path}'s guaranteed capacity`,
        );
      }
    }
    const child = this.#addChild(parent, this.#legacySettings(this.properties, parent.settings, path, !hasPart));
    this.#settle();
    return child;
  }

  /** The parent's template; with nothing to give its capacity stays on show alone. */
  #legacySettings(properties: CapacityProperties, parent: QueueSettings, path: string, empty: boolean): QueueSettings {
    const template = new Map(parent.leafTemplate);
    const text = template.get('capacity') ?? '0';
    const wanted = parseCapacity(text, this.#types);
    if (empty) template.set('capacity', wanted.kind === 'absolute' ? nothingOf(this.#types) : '0');
    const settings = this.#automaticSettings(properties, parent, path, [...template], 'dynamicLegacy', false);
    if (empty) showCapacity(settings, wanted);
    return settings;
  }

  /** What the parent is promised holds one more automatic leaf beside those it has. */
  #hasPartFor(parent: CapacityQueue, wanted: CapacityValue): boolean {
    const held = parent.children.map((child) => child.settings.labels.get('')?.capacity);
    if (wanted.kind !== 'absolute') return held.reduce((sum, capacity) => sum + (capacity?.value ?? 0), wanted.value) <= 100;
    const { total } = this.#nodes.partitions[0]!;
    const { calculator } = this.sizing;
    if (calculator.empty(total)) return true;
    const part = (capacity: CapacityValue | undefined): number =>
      capacity ? calculator.divide(total, capacity.amounts ?? zeros(this.#types.count), total) : 0;
    const { absoluteCapacity } = parent.share(0);
    return held.reduce((sum, capacity) => sum + part(capacity), part(wanted)) <= absoluteCapacity + 1e-5;
  }

  #createFlexible(parent: CapacityQueue, path: string, leaf: boolean): CapacityQueue {
    return this.#addChild(parent, this.#flexibleSettings(this.properties, parent.settings, path, leaf));
  }

  /** The parent's templates, under what the file says of the queue itself. */
  #flexibleSettings(properties: CapacityProperties, parent: QueueSettings, path: string, leaf: boolean): QueueSettings {
    const { common, parent: forParents, leaf: forLeaves } = parent.templates;
    const pairs: [string, string][] = [['capacity', '1w'], ...common, ...(leaf ? forLeaves : forParents)];
    if (!leaf) pairs.push(['auto-queue-creation-v2.enabled', 'true']);
    return this.#automaticSettings(properties, parent, path, pairs, 'dynamicFlexible', !leaf);
  }

  #automaticSettings(
    properties: CapacityProperties,
    parent: QueueSettings,
    path: string,
    pairs: readonly [string, string][],
    creation: Creation,
    asParent: boolean,
  ): QueueSettings {
    const overlay = templateOverlay(path, pairs);
    if (creation === 'dynamicFlexible') for (const key of overlay.keys()) if (properties.all.has(key)) overlay.delete(key);
    return readQueue(new CapacityProperties(properties.all, overlay), this.#types, this.#global(), path, parent, creation, asParent);
  }

  /** What automatic queues become under other properties: the templates count for those that are there, too. @throws ConfigurationRefused */
  #readAutomatic(read: QueueSettings, properties: CapacityProperties): Map<string, QueueSettings> {
    const after = new Map([...walk(read)].map((settings) => [settings.path, settings]));
    const automatic = new Map<string, QueueSettings>();
    for (const { path, parent, isLeaf, settings } of this.root.walk()) {
      if (settings.creation === 'static' || after.has(path)) continue;
      const above = after.get(parent!.path);
      if (!above || above.isPlan) continue;
      const found =
        settings.creation === 'dynamicLegacy'
          ? this.#legacySettings(properties, above, path, !hasCapacity(settings))
          : this.#flexibleSettings(properties, above, path, isLeaf);
      after.set(path, found);
      automatic.set(path, found);
    }
    return automatic;
  }

  #addChild(parent: CapacityQueue, settings: QueueSettings): CapacityQueue {
    const child = this.#build(settings, parent);
    parent.children.push(child);
    this.#index(child);
    return child;
  }

  #checkTree(read: QueueSettings, { calculator, legacyMode }: Sizing): void {
    checkTree(read, this.#types, legacyMode, (a, b) => calculator.compare(this.#nodes.total, a, b));
  }

  /** The queues as configured, their templates tried. @throws ConfigurationRefused */
  #read(properties: CapacityProperties): QueueSettings {
    const read = readQueueTree(properties, this.#types, this.#global());
    checkTemplates(read, properties, this.#types, this.#global());
    return read;
  }

  #global(): GlobalSettings {
    return {
      maximumAllocation: this.#settings.maximumAllocation,
      preemptionEnabled: this.#settings.preemption !== undefined,
      intraQueuePreemption: this.#settings.preemption?.intraQueue ?? false,
      reservationSystem: this.#settings.reservationSystem,
    };
  }

  #legacyMode(properties: CapacityProperties): boolean {
    return properties.read(clusterOptions.legacyQueueMode);
  }

  #sizingOf(properties: CapacityProperties): Sizing {
    // Numbers that are read only when something happens are tried now, so that a bad one is refused.
    for (const option of optionsOf('cluster')) properties.read(option);
    return {
      types: this.#types,
      calculator: calculatorFor(properties.read(clusterOptions.resourceCalculator)),
      nodes: this.#nodes,
      properties,
      legacyMode: this.#legacyMode(properties),
      minimumAllocation: this.#settings.minimumAllocation,
    };
  }

  #build(settings: QueueSettings, parent: CapacityQueue | undefined): CapacityQueue {
    const queue = new CapacityQueue(settings, parent, this.#types.count);
    queue.state = settings.creation === 'static' ? stateOf(settings) : (settings.state ?? parent?.state ?? 'RUNNING');
    if (settings.isLeaf) queue.leaf = newLeaf(this.#types.count);
    queue.children = settings.children.map((child) => this.#build(child, queue));
    return queue;
  }

  /** Lays new settings over an existing queue; automatic children stay, others come and go. */
  #adopt(queue: CapacityQueue, settings: QueueSettings, automatic: ReadonlyMap<string, QueueSettings>): void {
    const { state: stateBefore, isLeaf: wasLeaf } = queue.settings;
    queue.settings = settings;
    // A queue of another kind is a new one, which nobody stopped.
    if (settings.isLeaf === wasLeaf) this.#adoptState(queue, stateBefore);
    else queue.state = stateOf(settings);
    if (settings.isLeaf && !queue.leaf) queue.leaf = newLeaf(this.#types.count);
    if (!settings.isLeaf && queue.leaf) queue.leaf = undefined;
    queue.leaf?.users.reweigh(settings);
    const before = new Map(queue.children.map((child) => [child.path, child]));
    const after: CapacityQueue[] = [];
    for (const childSettings of settings.children) {
      const child = before.get(childSettings.path);
      before.delete(childSettings.path);
      if (child) {
        this.#adopt(child, childSettings, automatic);
        after.push(child);
      } else after.push(this.#build(childSettings, queue));
    }
    for (const child of before.values()) {
      if (child.settings.creation === 'static' && !settings.isPlan) continue;
      const own = automatic.get(child.path);
      if (own) this.#adopt(child, { ...own, parent: settings }, automatic);
      else child.settings = { ...child.settings, parent: settings };
      after.push(child);
    }
    queue.replaceChildren(inHashOrder(after, (child) => child.path));
  }

  /** A stopped parent stops its children; started again it leaves them stopped. */
  #adoptState(queue: CapacityQueue, before: 'RUNNING' | 'STOPPED' | undefined): void {
    const { state } = queue.settings;
    if (state === undefined) {
      if (queue.parent?.state === 'STOPPED' || queue.parent?.state === 'DRAINING') stop(queue);
      return;
    }
    if (state === 'STOPPED') stop(queue);
    else if (before !== state || queue.state !== 'STOPPED') queue.state = 'RUNNING';
  }

  #settle(): void {
    this.#byPath.clear();
    this.#byName.clear();
    for (const queue of this.root.walk()) this.#index(queue);
    if (this.#settings.reservationSystem)
      for (const queue of [...this.root.walk()]) if (queue.settings.isPlan) this.#createPlanDefault(queue);
    this.#leaves = [...this.root.walk()].filter((queue) => queue.isLeaf);
    this.resize();
  }

  #index(queue: CapacityQueue): void {
    this.#byPath.set(queue.path, queue);
    const named = this.#byName.get(queue.settings.name);
    if (!named) this.#byName.set(queue.settings.name, [queue]);
    else if (!named.includes(queue)) named.push(queue);
  }
}

/** What the template promises stays on show where nothing was left to give. */
const nothingOf = (types: ResourceTypes): string => `[${types.types.map(({ name }) => `${name}=0`).join(',')}]`;

const hasCapacity = ({ labels }: QueueSettings): boolean => {
  const capacity = labels.get('')?.capacity;
  return capacity !== undefined && (capacity.value > 0 || capacity.byType.some(({ value }) => value > 0));
};

function showCapacity(settings: QueueSettings, { entries }: CapacityValue): void {
  const own = settings.labels.get('');
  if (own) (settings.labels as Map<string, typeof own>).set('', { ...own, capacity: { ...own.capacity, entries } });
}

function stop(queue: CapacityQueue): void {
  queue.state = queue.applicationCount > 0 ? 'DRAINING' : 'STOPPED';
}

const newLeaf = (types: number): NonNullable<CapacityQueue['leaf']> => ({
  users: new UserTable(types),
  applications: new Set(),
  waiting: [],
  active: new Set(),
  heldBack: [],
  maximumApplications: 0,
  maximumApplicationsPerUser: 0,
  currentLimit: zeros(types),
  reachable: zeros(types),
  servings: 0,
  lastServing: undefined,
});
