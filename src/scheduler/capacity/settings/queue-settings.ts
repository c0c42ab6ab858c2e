// One queue's settings as read from its keys, with what it inherits; nothing here knows the state of a cluster.

import { type AccessList, parseAccessList } from '../../../model/access-list.ts';
import { type Resource, type ResourceTypes, zeros } from '../../../model/resource.ts';
import { ConfigurationRefused, under } from '../../policy.ts';
import { float } from '../../state/calculator.ts';
import { inHashOrder } from '../../state/java-order.ts';
import { type CapacityValue, floatText, parseCapacity, parseFloat32, parseInteger, plain } from './capacity-value.ts';
import { type PriorityGrant, parsePriorityGrants } from './priority-grants.ts';
import { type CapacityProperties, list, parseState, prefix } from './properties.ts';

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

export interface QueueSettings {
  readonly path: string;
  readonly name: string;
  readonly parent: QueueSettings | undefined;
  readonly children: QueueSettings[];
  readonly isLeaf: boolean;
  readonly creation: Creation;
  readonly autoCreation: AutoCreation;
  /** Reservable queue of the reservation system: holds reservations as children. */
  readonly isPlan: boolean;
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
  /** Children may all be promised 0 although the queue is not (`allow-zero-capacity-sum`). */
  readonly allowsZeroSum: boolean;
  readonly sizeBasedWeight: boolean;
  readonly queuePriority: number;
  readonly userLimitPercent: number;
  readonly userLimitFactor: number;
  readonly userWeights: ReadonlyMap<string, number>;
  /** -1 when the queue names none. */
  readonly maximumApplications: number;
  readonly maximumParallelApplications: number;
  readonly defaultPriority: number;
  readonly maximumLifetimeSeconds: number;
  readonly defaultLifetimeSeconds: number;
  /** This queue or one above names a default lifetime. */
  readonly namesDefaultLifetime: boolean;
  readonly maximumAllocation: Resource;
  readonly preemptionDisabled: boolean;
  readonly intraQueuePreemptionDisabled: boolean;
  readonly maximumQueueDepth: number;
  /** An automatic queue that goes when nobody uses it. */
  readonly autoRemoval: boolean;
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

const unlimited = 2_147_483_647;
const templateKeys = {
  common: 'auto-queue-creation-v2.template.',
  parent: 'auto-queue-creation-v2.parent-template.',
  leaf: 'auto-queue-creation-v2.leaf-template.',
};
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
  return { common: collect(templateKeys.common), parent: collect(templateKeys.parent), leaf: collect(templateKeys.leaf) };
}

/** Reads the tree below `root` (statically configured queues). */
export function readQueueTree(properties: CapacityProperties, types: ResourceTypes, global: GlobalSettings): QueueSettings {
  if (properties.childNames('root') === undefined) {
    throw new ConfigurationRefused('Queue configuration missing child queue names for root', {
      key: `${prefix}root.queues`,
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
  const childNames = creation === 'static' ? properties.childNames(path) : undefined;
  const legacy = properties.queueBoolean(path, 'auto-create-child-queue.enabled', false);
  const flexible = properties.queueBoolean(path, 'auto-queue-creation-v2.enabled', asParent);
  const isPlan = properties.queueBoolean(path, 'reservable', false);
  if (isPlan && childNames !== undefined) {
    throw new ConfigurationRefused(`Only Leaf Queues can be reservable for ${path}`, {
      key: `${prefix}${path}.reservable`,
      remedy: 'Make a queue without children reservable.',
    });
  }
  const isLeaf = childNames === undefined && !legacy && !flexible && !asParent && !isPlan;
  const labelsText = properties.queue(path, 'accessible-node-labels');
  const accessibleLabels = parent === undefined ? ['*'] : labelsText === undefined ? parent.accessibleLabels : accessible(labelsText);
  const configuredAmShare = properties.queueFloat(
    path,
    'maximum-am-resource-percent',
    creation === 'dynamicFlexible' && isLeaf ? 1 : properties.globalFloat('maximum-am-resource-percent', 0.1),
  );
  const maximumQueueDepth = properties.queueInteger(
    path,
    'auto-queue-creation-v2.maximum-queue-depth',
    properties.globalInteger('auto-queue-creation-v2.maximum-queue-depth', 2),
  );
  const children: QueueSettings[] = [];
  const lifetimes = readLifetimes(properties, path, parent);
  const settings: QueueSettings = {
    path,
    name,
    parent,
    children,
    isLeaf,
    creation,
    autoCreation: legacy ? 'legacy' : flexible ? 'flexible' : 'off',
    isPlan,
    accessibleLabels,
    defaultLabel: properties.queue(path, 'default-node-label-expression')?.trim() ?? inheritedLabel(accessibleLabels, parent),
    labels: readLabels(properties, types, path, parent, accessibleLabels, configuredAmShare, isLeaf),
    state: under({ key: `${prefix}${path}.state` }, () => parseState(properties.queue(path, 'state'))),
    submit: parseAccessList(properties.queue(path, 'acl_submit_applications') ?? (parent ? ' ' : '*')),
    administer: parseAccessList(properties.queue(path, 'acl_administer_queue') ?? (parent ? ' ' : '*')),
    priorityGrantsText: properties.queue(path, 'acl_application_max_priority')?.trim() || '*',
    priorityGrants: under({ key: `${prefix}${path}.acl_application_max_priority`, remedy: grantsForm }, () =>
      parsePriorityGrants(properties.queue(path, 'acl_application_max_priority')),
    ),
    orderingPolicy: under({ key: `${prefix}${path}.ordering-policy`, remedy: orderings(isLeaf) }, () =>
      readOrdering(properties.queue(path, 'ordering-policy'), isLeaf, path, parent),
    ),
    allowsZeroSum: properties.queueBoolean(path, 'allow-zero-capacity-sum', false),
    sizeBasedWeight: properties.queueBoolean(path, 'ordering-policy.fair.enable-size-based-weight', false),
    queuePriority: properties.queueInteger(path, 'priority', 0),
    userLimitPercent: properties.queueFloat(path, 'minimum-user-limit-percent', properties.globalFloat('minimum-user-limit-percent', 100)),
    userLimitFactor: properties.queueFloat(
      path,
      'user-limit-factor',
      creation === 'dynamicFlexible' ? -1 : properties.globalFloat('user-limit-factor', 1),
    ),
    userWeights: readUserWeights(properties, path, parent),
    maximumApplications: properties.queueInteger(path, 'maximum-applications', -1),
    maximumParallelApplications: properties.queueInteger(
      path,
      'max-parallel-apps',
      properties.globalInteger('max-parallel-apps', unlimited),
    ),
    defaultPriority: properties.queueInteger(path, 'default-application-priority', 0),
    ...lifetimes,
    maximumAllocation: readMaximumAllocation(properties, path, parent, global.maximumAllocation, types),
    preemptionDisabled:
      !global.preemptionEnabled ||
      inherited(properties, path, 'disable_preemption', parent?.preemptionDisabled && global.preemptionEnabled),
    intraQueuePreemptionDisabled:
      !global.preemptionEnabled ||
      !global.intraQueuePreemption ||
      inherited(properties, path, 'intra-queue-preemption.disable_preemption', parent?.intraQueuePreemptionDisabled),
    maximumQueueDepth,
    autoRemoval: properties.queueBoolean(path, 'auto-queue-creation-v2.queue-auto-removal.enable', true),
    leafTemplate: legacy ? properties.under(path, 'leaf-queue-template.') : [],
    templates: isLeaf ? noTemplates : readTemplates(properties, path, maximumQueueDepth),
    configuredAmShare,
  };
  for (const childName of childNames ?? []) {
    if (childName.includes('.')) {
      throw new ConfigurationRefused(`${childName} is not a valid queue name`, {
        key: `${prefix}${path}.queues`,
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
  const ownMaximum = properties.queueInteger(path, 'maximum-application-lifetime', -1);
  const own = properties.queueInteger(path, 'default-application-lifetime', -1);
  const namesDefaultLifetime = own >= 0 || (parent?.namesDefaultLifetime ?? false);
  if (!parent) return { maximumLifetimeSeconds: ownMaximum, defaultLifetimeSeconds: own, namesDefaultLifetime };
  const maximumLifetimeSeconds = ownMaximum >= 0 ? ownMaximum : parent.maximumLifetimeSeconds;
  let usual = own;
  if (usual < 0) usual = namesDefaultLifetime ? Math.min(parent.defaultLifetimeSeconds, maximumLifetimeSeconds) : maximumLifetimeSeconds;
  return { maximumLifetimeSeconds, defaultLifetimeSeconds: usual <= 0 ? maximumLifetimeSeconds : usual, namesDefaultLifetime };
}

/** Without its own key a queue does as its parent. */
function inherited(properties: CapacityProperties, path: string, key: string, parent: boolean | undefined): boolean {
  return properties.queueBoolean(path, key, parent ?? false);
}

/** The default label above, where the queue may use all that the parent may. */
function inheritedLabel(accessibleLabels: readonly string[], parent: QueueSettings | undefined): string | undefined {
  return parent?.accessibleLabels.every((label) => accessibleLabels.includes(label)) ? parent.defaultLabel : undefined;
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
  isLeaf: boolean,
): Map<string, LabelSettings> {
  const labels = new Map<string, LabelSettings>();
  const isRoot = parent === undefined;
  const capacityText = properties.queue(path, 'capacity');
  const maximumText = properties.queue(path, 'maximum-capacity');
  labels.set('', {
    capacity: isRoot ? full(types) : readCapacity(capacityText, types, path, ''),
    maximum: readMaximum(isRoot ? undefined : maximumText, types, `${prefix}${path}.maximum-capacity`),
    amount: isRoot ? amountOf(capacityText, types, `${prefix}${path}.capacity`) : undefined,
    amShare: isLeaf ? amShare : 0,
    configured: true,
  });
  const keyed = new Set<string>();
  for (const [rest] of properties.under(path, 'accessible-node-labels.')) keyed.add(rest.slice(0, rest.lastIndexOf('.')));
  for (const label of keyed) {
    const key = `accessible-node-labels.${label}.`;
    const own = properties.queue(path, `${key}capacity`);
    labels.set(label, {
      capacity: isRoot ? full(types) : readCapacity(own, types, path, label),
      maximum: readMaximum(properties.queue(path, `${key}maximum-capacity`), types, `${prefix}${path}.${key}maximum-capacity`),
      amShare: isLeaf ? properties.queueFloat(path, `${key}maximum-am-resource-percent`, amShare) : 0,
      configured: true,
    });
  }
  for (const label of accessibleLabels) {
    if (label === '*' || labels.has(label)) continue;
    labels.set(label, {
      capacity: { kind: 'percentage', value: 0, entries: [], byType: [] },
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
  return value.kind === 'absolute' ? absolutePart(value, types) : undefined;
}

function readCapacity(text: string | undefined, types: ResourceTypes, path: string, label: string): CapacityValue {
  if (text === undefined) return plain('percentage', 0, types);
  const key = `${prefix}${path}.${label === '' ? 'capacity' : `accessible-node-labels.${label}.capacity`}`;
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
    const where =
      label === '' ? `for queue ${path}` : `for node-label=${label} in queue=${path}, valid capacity should in range of [0, 100].`;
    throw new ConfigurationRefused(`Illegal capacity of ${floatText(value.value)} ${where}`);
  }
  return value;
}

function readMaximum(text: string | undefined, types: ResourceTypes, key: string): CapacityValue {
  if (text === undefined) return full(types);
  const value = under({ key, remedy: 'Give a percentage (80) or amounts ([memory=8192,vcores=8]).' }, () => {
    if (text.trim().endsWith('w')) throw new ConfigurationRefused(`For input string: "${text.trim()}"`);
    return parseCapacity(text, types);
  });
  return value.kind === 'percentage' && value.value === -1 ? full(types) : value;
}

const grantsForm = 'Write [user=ada group=staff max_priority=8 default_priority=2], one after the other.';
const orderings = (isLeaf: boolean): string =>
  isLeaf ? 'A leaf orders its applications by fifo or fair.' : 'A parent orders its queues by utilization or priority-utilization.';

/** Parents do as the parent above them unless they name a policy. */
function readOrdering(text: string | undefined, isLeaf: boolean, path: string, parent: QueueSettings | undefined): string {
  const name = text?.trim();
  if (isLeaf) {
    if (name === undefined || name === '') return 'fifo';
    if (['fifo', 'fair', 'fifo-with-partitions', 'fifo-for-pending-apps'].includes(name) || name.includes('.')) return name;
    throw new ConfigurationRefused(`Unable to construct ordering policy for: ${name}, ${name}`);
  }
  if (name === undefined || name === '') return parent?.orderingPolicy ?? 'utilization';
  if (name === 'utilization' || name === 'priority-utilization') return name;
  throw new ConfigurationRefused(`Unable to construct queue ordering policy=${name} queue=${path}`);
}

function readUserWeights(properties: CapacityProperties, path: string, parent: QueueSettings | undefined): Map<string, number> {
  const weights = new Map(parent?.userWeights);
  for (const [rest, value] of properties.under(path, 'user-settings.')) {
    if (!rest.endsWith('.weight')) continue;
    const weight = under({ key: `${prefix}${path}.user-settings.${rest}`, remedy: 'Give a number.' }, () => parseFloat32(value));
    weights.set(rest.slice(0, -'.weight'.length), weight);
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
  const memory = properties.queue(path, 'maximum-allocation-mb');
  const vcores = properties.queue(path, 'maximum-allocation-vcores');
  const whole = (key: string, text: string): number =>
    under({ key: `${prefix}${path}.${key}`, remedy: 'Give a whole number.' }, () => parseInteger(text));
  const set = (index: number, key: string, text: string): void => {
    const value = whole(key, text);
    // -1 is Hadoop's "not set".
    if (value !== -1) result[index] = value;
  };
  if (memory !== undefined) set(0, 'maximum-allocation-mb', memory);
  if (vcores !== undefined) set(1, 'maximum-allocation-vcores', vcores);
  const vector = properties.queue(path, 'maximum-allocation');
  for (const part of vector?.split(',') ?? []) {
    const [name = '', value = ''] = part.split('=').map((word) => word.trim());
    const index = types.indexOf(name === 'memory' ? 'memory-mb' : name);
    if (index === undefined) {
      throw new ConfigurationRefused(`Unknown resource: ${name}`, {
        key: `${prefix}${path}.maximum-allocation`,
        remedy: `Name registered resources: ${types.types.map((type) => type.name).join(', ')}.`,
      });
    }
    set(index, 'maximum-allocation', value);
  }
  for (let i = 0; i < result.length; i++) {
    if (result[i]! > (cluster[i] ?? Number.POSITIVE_INFINITY)) {
      throw new ConfigurationRefused(
        `Queue maximum allocation cannot be larger than the cluster setting for queue ${path} max allocation per queue: <memory:${result[0]}, vCores:${result[1]}> cluster setting: <memory:${cluster[0]}, vCores:${cluster[1]}>`,
        {
          key: `${prefix}${path}.${vector === undefined ? (i === 0 ? 'maximum-allocation-mb' : 'maximum-allocation-vcores') : 'maximum-allocation'}`,
          remedy: 'Lower it, or raise yarn.scheduler.maximum-allocation-mb and -vcores.',
        },
      );
    }
  }
  return result;
}

/** Properties of an automatic queue: the parent's templates become its own keys. */
export function templateOverlay(path: string, pairs: readonly [string, string][]): Map<string, string> {
  return new Map(pairs.map(([key, value]) => [`${prefix}${path}.${key}`, value]));
}

/** Percent of a plain value as Hadoop keeps it, 0…1 in float32. */
export const fraction = (value: CapacityValue): number => float(value.value / 100);

/** The absolute part of a vector, for `configuredMinResource`; none with a percentage in it or without memory. */
export function absolutePart(value: CapacityValue, types: ResourceTypes): number[] {
  const result = zeros(types.count);
  if (value.byType.some((entry) => entry.unit === 'percentage')) return result;
  value.byType.forEach((entry, i) => {
    if (entry.unit === 'absolute') result[i] = entry.value;
  });
  return result[0] === 0 ? zeros(types.count) : result;
}
