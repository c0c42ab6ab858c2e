// One queue's settings as read from its keys, with what it inherits; nothing here knows the state of a cluster.

import { type AccessList, parseAccessList } from '../../../model/access-list.ts';
import { type Resource, type ResourceTypes, zeros } from '../../../model/resource.ts';
import { ConfigurationRefused, under } from '../../policy.ts';
import { float } from '../../state/calculator.ts';
import { inHashOrder } from '../../state/java-order.ts';
import {
  type CapacityValue,
  floatText,
  parseCapacity,
  parseConfiguredInteger,
  parseFloat32,
  parseLongInteger,
  plain,
} from './capacity-value.ts';
import { type KeyNames, keyOf, type OptionTable, type OptionValues, prefix, type QueueOption } from './option.ts';
import { type PriorityGrant, parsePriorityGrants } from './priority-grants.ts';
import { type CapacityProperties, list, parseState } from './properties.ts';
import { automaticOptions, inertQueueOptions, joinedOptions, plainOptions, reservationOptions } from './queue-options.ts';

export type AutoCreation = 'off' | 'legacy' | 'flexible';
export type Creation = 'static' | 'dynamicLegacy' | 'dynamicFlexible';

/** What a queue was promised in one partition. */
export interface LabelSettings {
  readonly capacity: CapacityValue;
  readonly maximum: CapacityValue;
  /** Of the root alone, which has all there is whatever it names: the amount it names. */
  readonly amount?: Resource | undefined;
  /** Share of the AM limit, 0…1. */
  readonly amShare: number;
  /** Has keys of its own (or is the default partition). */
  readonly configured: boolean;
}

export interface TemplateProperties {
  readonly common: [string, string][];
  readonly parent: [string, string][];
  readonly leaf: [string, string][];
}

/** The settings of a queue: its plain options by their names in the table, and what is joined from several keys. */
export interface QueueSettings extends OptionValues<typeof plainOptions> {
  readonly path: string;
  readonly name: string;
  readonly parent: QueueSettings | undefined;
  readonly children: QueueSettings[];
  readonly isLeaf: boolean;
  readonly creation: Creation;
  readonly autoCreation: AutoCreation;
  /** '*' or names. */
  readonly accessibleLabels: readonly string[];
  readonly defaultLabel: string | undefined;
  readonly labels: ReadonlyMap<string, LabelSettings>;
  readonly state: 'RUNNING' | 'STOPPED' | undefined;
  readonly submit: AccessList;
  readonly administer: AccessList;
  readonly priorityGrants: readonly PriorityGrant[];
  /** As configured; '*' when nothing is. */
  readonly priorityGrantsText: string;
  readonly orderingPolicy: string;
  readonly userLimitFactor: number;
  readonly userWeights: ReadonlyMap<string, number>;
  readonly maximumLifetimeSeconds: number;
  readonly defaultLifetimeSeconds: number;
  /** This queue or one above names a default lifetime. */
  readonly namesDefaultLifetime: boolean;
  readonly maximumAllocation: Resource;
  readonly preemptionDisabled: boolean;
  readonly intraQueuePreemptionDisabled: boolean;
  readonly leafTemplate: [string, string][];
  readonly templates: TemplateProperties;
  readonly configuredAmShare: number;
}

export interface GlobalSettings {
  readonly maximumAllocation: Resource;
  readonly preemptionEnabled: boolean;
  readonly intraQueuePreemption: boolean;
  readonly reservationSystem: boolean;
}

/** Numbers that are read when a queue is made or a plan is followed: tried with all others, so that a bad one is refused in time. */
const laterNumbers = [automaticOptions, reservationOptions].flatMap((table: OptionTable) =>
  Object.values(table).filter(({ type }) => type === 'integer' || type === 'float'),
);
const noTemplates: TemplateProperties = { common: [], parent: [], leaf: [] };

/**
 * What automatic children of the queue are made of: its own keys, then those of ever wider wildcards (`root.a.*`, `root.*.*`), as many
 * levels up as automatic queues go down (Hadoop's AutoCreatedQueueTemplate).
 */
function readTemplates(properties: CapacityProperties, path: string, depth: number): TemplateProperties {
  const parts = path.split('.');
  const paths = [path];
  for (let level = 1; level <= Math.min(parts.length - 1, depth); level++) {
    parts[parts.length - level] = '*';
    paths.push(parts.join('.'));
  }
  const collect = (start: string): [string, string][] => {
    const found = new Map<string, string>();
    for (const source of paths) for (const [key, value] of properties.under(source, start)) if (!found.has(key)) found.set(key, value);
    return inHashOrder([...found], ([key]) => key);
  };
  const { template, parentTemplate, leafTemplate } = automaticOptions;
  return { common: collect(template.key), parent: collect(parentTemplate.key), leaf: collect(leafTemplate.key) };
}

/** Reads the tree below `root` (statically configured queues). */
export function readQueueTree(properties: CapacityProperties, types: ResourceTypes, global: GlobalSettings): QueueSettings {
  if (properties.childNames('root') === undefined) {
    throw new ConfigurationRefused('Queue configuration missing child queue names for root', {
      key: keyOf(joinedOptions.queues, { queue: 'root' }),
      remedy: 'Name the queues below root, for example "default".',
    });
  }
  return readQueue(properties, types, global, 'root', undefined, 'static');
}

/** Reads one queue and, for static parents, those below it; automatic queues bring their own properties (with the template laid over). */
export function readQueue(
  properties: CapacityProperties,
  types: ResourceTypes,
  global: GlobalSettings,
  path: string,
  parent: QueueSettings | undefined,
  creation: Creation,
  asParent = false,
): QueueSettings {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const queue = { queue: path };
  const childNames = creation === 'static' ? properties.childNames(path) : undefined;
  const values = properties.readAll(plainOptions, queue);
  for (const option of laterNumbers) properties.read(option, queue);
  checkNodeOrder(properties, path);
  const legacy = properties.read(automaticOptions.makesLeaves, queue);
  const flexible = properties.read(automaticOptions.makesQueues, queue, asParent);
  if (values.isPlan && childNames !== undefined) {
    throw new ConfigurationRefused(`Only Leaf Queues can be reservable for ${path}`, {
      key: keyOf(plainOptions.isPlan, queue),
      remedy: 'Make a queue without children reservable.',
    });
  }
  if (legacy) checkManagementPolicy(properties, path);
  const isLeaf = childNames === undefined && !legacy && !flexible && !asParent && !values.isPlan;
  const labelsText = properties.text(joinedOptions.accessibleLabels, queue);
  const accessibleLabels = parent === undefined ? ['*'] : labelsText === undefined ? parent.accessibleLabels : accessible(labelsText);
  const configuredAmShare = properties.read(joinedOptions.amShare, queue, creation === 'dynamicFlexible' && isLeaf ? 1 : undefined);
  const children: QueueSettings[] = [];
  const underKey = <T>(option: QueueOption, read: (text: string | undefined) => T, remedy?: string): T =>
    under({ key: keyOf(option, queue), ...(remedy !== undefined && { remedy }) }, () => read(properties.text(option, queue)));
  const accessList = (option: QueueOption) => parseAccessList(properties.text(option, queue) ?? (parent ? ' ' : '*'));
  const settings: QueueSettings = {
    ...values,
    path,
    name,
    parent,
    children,
    isLeaf,
    creation,
    autoCreation: legacy ? 'legacy' : flexible ? 'flexible' : 'off',
    accessibleLabels,
    defaultLabel: properties.text(joinedOptions.defaultLabel, queue)?.trim() ?? inheritedLabel(accessibleLabels, parent),
    labels: readLabels(properties, types, path, parent, accessibleLabels, configuredAmShare),
    state: underKey(joinedOptions.state, parseState),
    submit: accessList(joinedOptions.submit),
    administer: accessList(joinedOptions.administer),
    priorityGrantsText: properties.text(joinedOptions.priorityGrants, queue)?.trim() || '*',
    priorityGrants: underKey(joinedOptions.priorityGrants, parsePriorityGrants, grantsForm),
    orderingPolicy: underKey(joinedOptions.orderingPolicy, (text) => readOrdering(text, isLeaf, path, parent), orderings(isLeaf)),
    userLimitFactor: properties.read(joinedOptions.userLimitFactor, queue, creation === 'dynamicFlexible' ? -1 : undefined),
    userWeights: readUserWeights(properties, path, parent),
    ...readLifetimes(properties, path, parent),
    maximumAllocation: readMaximumAllocation(properties, path, parent, global.maximumAllocation, types),
    preemptionDisabled:
      !global.preemptionEnabled ||
      properties.read(joinedOptions.preemptionDisabled, queue, (parent?.preemptionDisabled && global.preemptionEnabled) ?? false),
    intraQueuePreemptionDisabled:
      !global.preemptionEnabled ||
      !global.intraQueuePreemption ||
      properties.read(joinedOptions.intraQueuePreemptionDisabled, queue, parent?.intraQueuePreemptionDisabled ?? false),
    leafTemplate: properties.under(path, automaticOptions.leafQueueTemplate.key),
    templates: isLeaf ? noTemplates : readTemplates(properties, path, values.maximumQueueDepth),
    configuredAmShare,
  };
  for (const childName of childNames ?? []) {
    if (childName.includes('.')) {
      throw new ConfigurationRefused(`${childName} is not a valid queue name`, {
        key: keyOf(joinedOptions.queues, queue),
        remedy: 'Give the names of the children alone, without their path.',
      });
    }
    children.push(readQueue(properties, types, global, `${path}.${childName}`, settings, 'static'));
  }
  return settings;
}

type Lifetimes = Pick<QueueSettings, 'maximumLifetimeSeconds' | 'defaultLifetimeSeconds' | 'namesDefaultLifetime'>;

/** Longest and usual lifetime in seconds, -1 without; what is not named comes from above (Hadoop's QueueAppLifetimeAndLimitSettings). */
function readLifetimes(properties: CapacityProperties, path: string, parent: QueueSettings | undefined): Lifetimes {
  const ownMaximum = properties.read(joinedOptions.maximumLifetimeSeconds, { queue: path });
  const own = properties.read(joinedOptions.defaultLifetimeSeconds, { queue: path });
  const namesDefaultLifetime = own >= 0 || (parent?.namesDefaultLifetime ?? false);
  if (!parent) return { maximumLifetimeSeconds: ownMaximum, defaultLifetimeSeconds: own, namesDefaultLifetime };
  const maximumLifetimeSeconds = ownMaximum >= 0 ? ownMaximum : parent.maximumLifetimeSeconds;
  let usual = own;
  if (usual < 0) usual = namesDefaultLifetime ? Math.min(parent.defaultLifetimeSeconds, maximumLifetimeSeconds) : maximumLifetimeSeconds;
  return { maximumLifetimeSeconds, defaultLifetimeSeconds: usual <= 0 ? maximumLifetimeSeconds : usual, namesDefaultLifetime };
}

/** The default label above, where the queue may use all that the parent may. */
function inheritedLabel(accessibleLabels: readonly string[], parent: QueueSettings | undefined): string | undefined {
  const own = new Set(accessibleLabels);
  return parent?.accessibleLabels.every((label) => own.has(label)) ? parent.defaultLabel : undefined;
}

function accessible(text: string): string[] {
  const names = list(text);
  return names.includes('*') ? ['*'] : names;
}

function readLabels(
  properties: CapacityProperties,
  types: ResourceTypes,
  path: string,
  parent: QueueSettings | undefined,
  accessibleLabels: readonly string[],
  amShare: number,
): Map<string, LabelSettings> {
  const labels = new Map<string, LabelSettings>();
  const isRoot = parent === undefined;
  const { capacity, maximumCapacity, accessibleLabels: labelsOption, labelCapacity, labelMaximumCapacity, labelAmShare } = joinedOptions;
  const maximum = (option: QueueOption, names: KeyNames) => readMaximum(properties.text(option, names), types, keyOf(option, names));
  const own = { queue: path };
  labels.set('', {
    capacity: isRoot ? full(types) : readCapacity(properties.text(capacity, own), types, path, ''),
    maximum: maximum(maximumCapacity, own),
    amount: isRoot ? amountOf(properties.text(capacity, own), types, keyOf(capacity, own)) : undefined,
    amShare,
    configured: true,
  });
  const keyed = new Set<string>();
  for (const [rest] of properties.under(path, `${labelsOption.key}.`)) keyed.add(rest.slice(0, rest.lastIndexOf('.')));
  // The root has all of every label that a queue anywhere has keys of (ConfiguredNodeLabels.getAllConfiguredLabels).
  if (isRoot) for (const label of labelsWithKeys(properties)) keyed.add(label);
  for (const label of keyed) {
    const names = { queue: path, label };
    const ownAmShare = properties.read(labelAmShare, names, amShare);
    labels.set(label, {
      capacity: isRoot ? full(types) : readCapacity(properties.text(labelCapacity, names), types, path, label),
      maximum: isRoot ? full(types) : readLabelMaximum(properties.text(labelMaximumCapacity, names), types, path, label),
      amount: isRoot ? amountOf(properties.text(labelCapacity, names), types, keyOf(labelCapacity, names)) : undefined,
      amShare: ownAmShare,
      configured: true,
    });
  }
  for (const label of accessibleLabels) {
    if (label === '*' || labels.has(label)) continue;
    labels.set(label, {
      capacity: { ...plain('percentage', 0, types), entries: [], byType: [] },
      maximum: full(types),
      amShare: 0,
      configured: false,
    });
  }
  return labels;
}

const full = (types: ResourceTypes): CapacityValue => plain('percentage', 100, types);

/** The amount that the root names as its capacity. */
function amountOf(text: string | undefined, types: ResourceTypes, key: string): Resource | undefined {
  if (!text?.trim().startsWith('[')) return undefined;
  const value = under({ key, remedy: 'Give amounts ([memory=4096,vcores=4]), or leave it out.' }, () => parseCapacity(text, types));
  return value.legacyKind === 'absolute' ? (value.amounts ?? zeros(types.count)) : undefined;
}

function readCapacity(text: string | undefined, types: ResourceTypes, path: string, label: string): CapacityValue {
  if (text === undefined) return { ...plain('percentage', 0, types), entries: [] };
  const key = keyOf(label === '' ? joinedOptions.capacity : joinedOptions.labelCapacity, { queue: path, label });
  const remedy = 'Give a percentage from 0 to 100 (25), a weight (3w) or amounts ([memory=4096,vcores=4]).';
  return under({ key, remedy }, () => checkedCapacity(text, types, path, label));
}

function checkedCapacity(text: string, types: ResourceTypes, path: string, label: string): CapacityValue {
  const value = parseCapacity(text, types);
  if (value.kind === 'weight' && ((value.value < -1e-6 && Math.abs(value.value + 1) > 1e-6) || value.value > 10_000)) {
    throw new ConfigurationRefused(
      `Illegal weight=${floatText(value.value)} for queue=${path}label=${label}. Acceptable values: [0, 10000], -1 is same as not set`,
    );
  }
  if (value.kind === 'percentage' && (value.value < 0 || value.value > 100)) {
    const where = label === '' ? `for queue ${path}` : ofLabel(path, label);
    throw new ConfigurationRefused(`Illegal capacity of ${floatText(value.value)} ${where}`);
  }
  return value;
}

const labelKey = new RegExp(`^${prefix.replaceAll('.', '\\.')}.+\\.${joinedOptions.accessibleLabels.key}\\.([^.]+)\\.`);

/** The labels that keys of any queue name. */
function labelsWithKeys({ all }: CapacityProperties): Set<string> {
  const found = new Set<string>();
  for (const key of all.keys()) {
    const label = labelKey.exec(key)?.[1];
    if (label !== undefined) found.add(label);
  }
  return found;
}

function readMaximum(text: string | undefined, types: ResourceTypes, key: string): CapacityValue {
  if (text === undefined) return full(types);
  const value = parseMaximum(text, types, key);
  return value.kind === 'percentage' && value.value === -1 ? full(types) : value;
}

function parseMaximum(text: string, types: ResourceTypes, key: string): CapacityValue {
  return under({ key, remedy: 'Give a percentage (80) or amounts ([memory=8192,vcores=8]).' }, () => {
    if (text.trim().endsWith('w')) throw new ConfigurationRefused(`For input string: "${text.trim()}"`);
    return parseCapacity(text, types);
  });
}

/** Of the nodes of a label a queue may have all at most; of the other nodes more, and -1, count as all. */
function readLabelMaximum(text: string | undefined, types: ResourceTypes, path: string, label: string): CapacityValue {
  if (text === undefined) return full(types);
  const key = keyOf(joinedOptions.labelMaximumCapacity, { queue: path, label });
  const maximum = parseMaximum(text, types, key);
  if (maximum.kind !== 'percentage' || (maximum.value >= 0 && maximum.value <= 100)) return maximum;
  throw new ConfigurationRefused(`Illegal capacity of ${floatText(maximum.value)} ${ofLabel(path, label)}`, {
    key,
    remedy: 'Give a percentage from 0 to 100.',
  });
}

const ofLabel = (path: string, label: string): string =>
  `for node-label=${label} in queue=${path}, valid capacity should in range of [0, 100].`;

const grantsForm = 'Write [user=ada group=staff max_priority=8 default_priority=2], one after the other.';
const orderings = (isLeaf: boolean): string =>
  isLeaf ? 'A leaf orders its applications by fifo or fair.' : 'A parent orders its queues by utilization or priority-utilization.';

const policyPackage = 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.policy.';
/** Leaves' orders, by their short names and by those of Hadoop's classes. */
const leafOrderings = new Map(
  [
    ['fifo', 'FifoOrderingPolicy'],
    ['fair', 'FairOrderingPolicy'],
    ['fifo-with-partitions', 'FifoOrderingPolicyWithExclusivePartitions'],
    ['fifo-for-pending-apps', 'FifoOrderingPolicyForPendingApps'],
  ].flatMap(([name = '', type = '']) => [[name, name] as const, [policyPackage + type, name] as const]),
);

/** Parents do as the parent above them unless they name a policy. */
function readOrdering(text: string | undefined, isLeaf: boolean, path: string, parent: QueueSettings | undefined): string {
  if (text === undefined || text === '') return isLeaf ? 'fifo' : (parent?.orderingPolicy ?? 'utilization');
  const name = text.trim();
  if (isLeaf) {
    const ordering = leafOrderings.get(name);
    if (ordering !== undefined) return ordering;
    throw new ConfigurationRefused(`Unable to construct ordering policy for: ${text}, ${text}`);
  }
  if (name === 'utilization' || name === 'priority-utilization') return name;
  throw new ConfigurationRefused(`Unable to construct queue ordering policy=${text} queue=${path}`);
}

function readUserWeights(properties: CapacityProperties, path: string, parent: QueueSettings | undefined): Map<string, number> {
  const weights = new Map(parent?.userWeights);
  const option = joinedOptions.userWeight;
  const [start = '', end = ''] = option.key.split('<user>');
  for (const [rest, value] of properties.under(path, start)) {
    if (!rest.endsWith(end)) continue;
    const user = rest.slice(0, -end.length);
    const weight = under({ key: keyOf(option, { queue: path, user }), remedy: 'Give a number.' }, () => parseFloat32(value));
    weights.set(user, weight);
  }
  return weights;
}

/** `maximum-allocation-mb`, `-vcores` or the vector `maximum-allocation`, never above the cluster's. */
function readMaximumAllocation(
  properties: CapacityProperties,
  path: string,
  parent: QueueSettings | undefined,
  cluster: Resource,
  types: ResourceTypes,
): Resource {
  const result = [...(parent?.maximumAllocation ?? cluster)];
  const queue = { queue: path };
  const { maximumMemoryMiB, maximumVcores, maximumAllocation } = joinedOptions;
  const set = (index: number, option: QueueOption, text: string | undefined): void => {
    if (text === undefined) return;
    const value = under({ key: keyOf(option, queue), remedy: 'Give a whole number.' }, () => parseConfiguredInteger(text));
    // -1 is Hadoop's "not set".
    if (value !== -1) result[index] = value;
  };
  set(0, maximumMemoryMiB, properties.text(maximumMemoryMiB, queue));
  set(1, maximumVcores, properties.text(maximumVcores, queue));
  const vector = properties.text(maximumAllocation, queue);
  if (vector !== undefined && vector.trim() !== '')
    result.splice(0, result.length, ...under({ key: keyOf(maximumAllocation, queue) }, () => readAmounts(vector, types)));
  for (let i = 0; i < result.length; i++) {
    if (result[i]! > (cluster[i] ?? Number.POSITIVE_INFINITY)) {
      throw new ConfigurationRefused(
        `Queue maximum allocation cannot be larger than the cluster setting for queue ${path} max allocation per queue: <memory:${result[0]}, vCores:${result[1]}> cluster setting: <memory:${cluster[0]}, vCores:${cluster[1]}>`,
        {
          key: keyOf(vector === undefined ? (i === 0 ? maximumMemoryMiB : maximumVcores) : maximumAllocation, queue),
          remedy: 'Lower it, or raise yarn.scheduler.maximum-allocation-mb and -vcores.',
        },
      );
    }
  }
  return result;
}

/** Amounts such as `memory-mb=4g,vcores=4`; what is not named is 0 (ResourceUtils.createResourceFromString). */
function readAmounts(vector: string, types: ResourceTypes): Resource {
  const result: number[] = types.types.map(() => 0);
  for (const part of vector.trim().split(',')) {
    const pair = part.trim();
    const [, name, digits, unit = ''] = /^([^=]+)=(\d+)\s?([A-Za-z_]*)$/.exec(pair) ?? [];
    if (name === undefined || digits === undefined)
      throw new ConfigurationRefused(
        `"${pair}" is not a valid resource type/amount pair. Please provide key=amount pairs separated by commas.`,
        {
          remedy: 'Write, for example, memory-mb=4096,vcores=4.',
        },
      );
    const factor = unitFactors[unit];
    if (factor === undefined)
      throw new ConfigurationRefused('Acceptable units are M/G or empty', { remedy: 'Give memory in M or G, all else without a unit.' });
    const index = types.indexOf(name === 'memory' ? 'memory-mb' : name);
    if (index === undefined)
      throw new ConfigurationRefused(`Unknown resource: ${name}`, {
        remedy: `Name registered resources: ${types.types.map((type) => type.name).join(', ')}.`,
      });
    result[index] = parseLongInteger(digits) * (index === 0 ? factor : 1);
  }
  return result;
}

const unitFactors: Readonly<Record<string, number>> = { '': 1, M: 1, m: 1, G: 1024, g: 1024 };

/** The order of nodes that a queue names needs a class, although nodes are always found by what they have left. @throws ConfigurationRefused */
function checkNodeOrder(properties: CapacityProperties, path: string): void {
  const { multiNodeSorting } = inertQueueOptions;
  const own = properties.text(multiNodeSorting, { queue: path });
  const name = (own ?? properties.text(multiNodeSorting))?.trim();
  if (!name || properties.all.get(`${keyOf(multiNodeSorting)}.${name}.class`)?.trim()) return;
  throw new ConfigurationRefused(
    `${name} Class is not configured or not an instance of org.apache.hadoop.yarn.server.resourcemanager.scheduler.placement.MultiNodeLookupPolicy`,
    {
      key: own === undefined ? keyOf(multiNodeSorting) : keyOf(multiNodeSorting, { queue: path }),
      remedy: 'Leave it out: nodes are found by what they have left.',
    },
  );
}

/** Queues that make leaves do it by one policy; a name without a package is the class of none. @throws ConfigurationRefused */
function checkManagementPolicy(properties: CapacityProperties, path: string): void {
  const option = automaticOptions.managementPolicy;
  const name = properties.read(option, { queue: path }).trim();
  if (name === '' || name.includes('.')) return;
  throw new ConfigurationRefused(`Could not instantiate AutoCreatedQueueManagementPolicy: ${name} for queue: ${path}`, {
    key: keyOf(option, { queue: path }),
    remedy: 'Leave it out: there is one policy.',
  });
}

/** Properties of an automatic queue: the parent's templates become its own keys. */
export function templateOverlay(path: string, pairs: readonly [string, string][]): Map<string, string> {
  return new Map(pairs.map(([key, value]) => [`${prefix}${path}.${key}`, value]));
}

/** Percent of a plain value as Hadoop keeps it, 0…1 in float32. */
export const fraction = (value: CapacityValue): number => float(value.value / 100);

/** The queue may use the nodes of the label (`accessible-node-labels`); nodes without one ('') are open to all queues. */
export const mayUseLabel = ({ accessibleLabels }: Pick<QueueSettings, 'accessibleLabels'>, label: string): boolean =>
  label === '' || accessibleLabels.includes('*') || accessibleLabels.includes(label);
