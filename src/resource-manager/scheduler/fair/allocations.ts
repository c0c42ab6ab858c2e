// fair-scheduler.xml: queues with weights, bounds and limits, users' limits, placement rules (Hadoop's AllocationFileLoaderService).

import { XMLParser } from 'fast-xml-parser';
import type { Resource, ResourceTypes } from '../../../model/resource.ts';
import { AccessList } from '../capacity/access-list.ts';
import { ConfigurationRefused } from '../policy.ts';

export type SharePolicy = 'fair' | 'drf' | 'fifo';

/** An amount that may be given as parts of the cluster. */
export interface ConfigurableAmount {
  readonly absolute?: Resource;
  /** Fractions of the cluster per type. */
  readonly parts?: readonly number[];
}

export interface FairQueueSettings {
  readonly path: string;
  readonly isParent: boolean;
  readonly policy: SharePolicy;
  readonly weight: number;
  readonly minimum: ConfigurableAmount | undefined;
  readonly maximum: ConfigurableAmount | undefined;
  readonly maximumChild: ConfigurableAmount | undefined;
  readonly maximumContainer: ConfigurableAmount | undefined;
  readonly maximumRunning: number;
  /** -1: no AM limit. */
  readonly amShare: number;
  readonly submit: AccessList | undefined;
  readonly administer: AccessList | undefined;
  readonly preemptable: boolean;
  readonly minimumSharePreemptionTimeoutMs: number | undefined;
  readonly fairSharePreemptionTimeoutMs: number | undefined;
  readonly fairSharePreemptionThreshold: number | undefined;
}

export interface PlacementRule {
  readonly name: string;
  readonly create: boolean;
  readonly queue: string | undefined;
  readonly parent: PlacementRule | undefined;
}

export interface Allocations {
  readonly queues: readonly FairQueueSettings[];
  readonly userMaximums: ReadonlyMap<string, number>;
  readonly userMaximumDefault: number;
  readonly queueMaximumDefault: number;
  readonly queueMaximumResourcesDefault: ConfigurableAmount | undefined;
  readonly amShareDefault: number;
  readonly policyDefault: SharePolicy;
  /** Undefined: the rules that `yarn.scheduler.fair.*` ask for. */
  readonly rules: readonly PlacementRule[] | undefined;
}

const unlimited = 2_147_483_647;
const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'queue' || name === 'pool' || name === 'user' || name === 'rule',
});

type Element = Record<string, unknown>;

const isElement = (value: unknown): value is Element => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Text of a child element; undefined when it is not there. */
function textOf(element: Element, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = element[name];
    if (typeof value === 'string') return value;
    if (isElement(value) && typeof value['#text'] === 'string') return value['#text'];
  }
  return undefined;
}

const elements = (value: unknown): Element[] => (Array.isArray(value) ? value.map((item) => (isElement(item) ? item : {})) : []);

/** Reads the file. Without text there is only `root.default`. @throws ConfigurationRefused */
export function parseAllocations(text: string | undefined, types: ResourceTypes): Allocations {
  const root = text?.trim() ? rootOf(text) : {};
  const policyDefault = policyOf(textOf(root, 'defaultQueueSchedulingPolicy', 'defaultQueueSchedulingMode')) ?? 'fair';
  const queueMaximumDefault = integer(textOf(root, 'queueMaxAppsDefault')) ?? unlimited;
  const amShareDefault = decimal(textOf(root, 'queueMaxAMShareDefault')) ?? 0.5;
  const queues: FairQueueSettings[] = [];
  const context: QueueContext = { types, policyDefault, queueMaximumDefault, amShareDefault, queues, fallback: timeoutsOf(root) };
  const tops = [...elements(root['queue']), ...elements(root['pool'])];
  for (const top of tops) readQueue(top, undefined, context);
  if (!queues.some(({ path }) => path === 'root')) readQueue({ '@name': 'root' }, undefined, context);
  const userMaximums = new Map<string, number>();
  for (const user of elements(root['user'])) {
    const most = integer(textOf(user, 'maxRunningApps'));
    if (most !== undefined) userMaximums.set(String(user['@name'] ?? ''), most);
  }
  const placement = isElement(root['queuePlacementPolicy']) ? elements(root['queuePlacementPolicy']['rule']).map(ruleOf) : undefined;
  return {
    queues,
    userMaximums,
    userMaximumDefault: integer(textOf(root, 'userMaxAppsDefault')) ?? unlimited,
    queueMaximumDefault,
    queueMaximumResourcesDefault: amountOf(textOf(root, 'queueMaxResourcesDefault'), types),
    amShareDefault,
    policyDefault,
    rules: placement,
  };
}

function rootOf(text: string): Element {
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) throw new ConfigurationRefused('fair-scheduler.xml must not declare a document type');
  let parsed: unknown;
  try {
    parsed = parser.parse(text);
  } catch (error) {
    throw new ConfigurationRefused(`fair-scheduler.xml cannot be read: ${(error as Error).message}`);
  }
  const root = isElement(parsed) ? parsed['allocations'] : undefined;
  if (root === '' || root === undefined) {
    if (isElement(parsed) && 'allocations' in parsed) return {};
    throw new ConfigurationRefused('Bad fair scheduler config file: top-level element not <allocations>');
  }
  return isElement(root) ? root : {};
}

interface Timeouts {
  readonly minimumMs: number | undefined;
  readonly fairMs: number | undefined;
  readonly threshold: number | undefined;
}

interface QueueContext {
  readonly types: ResourceTypes;
  readonly policyDefault: SharePolicy;
  readonly queueMaximumDefault: number;
  readonly amShareDefault: number;
  readonly queues: FairQueueSettings[];
  readonly fallback: Timeouts;
}

const timeoutsOf = (element: Element): Timeouts => ({
  minimumMs: seconds(textOf(element, 'defaultMinSharePreemptionTimeout')),
  fairMs: seconds(textOf(element, 'defaultFairSharePreemptionTimeout', 'fairSharePreemptionTimeout')),
  threshold: decimal(textOf(element, 'defaultFairSharePreemptionThreshold')),
});

function readQueue(element: Element, parent: string | undefined, context: QueueContext): void {
  const name = String(element['@name'] ?? '').trim();
  if (name === '' || name.includes('.'))
    throw new ConfigurationRefused(`Bad fair scheduler config file: queue name (${name}) shouldn't contain period or be empty.`);
  const path = parent === undefined ? (name === 'root' ? 'root' : `root.${name}`) : `${parent}.${name}`;
  const children = [...elements(element['queue']), ...elements(element['pool'])];
  const list = (key: string) => {
    const text = textOf(element, key);
    return text === undefined ? undefined : new AccessList(text);
  };
  const isRoot = path === 'root';
  context.queues.push({
    path,
    isParent: isRoot || children.length > 0 || String(element['@type'] ?? '') === 'parent',
    policy: policyOf(textOf(element, 'schedulingPolicy', 'schedulingMode')) ?? context.policyDefault,
    weight: decimal(textOf(element, 'weight')) ?? 1,
    minimum: amountOf(textOf(element, 'minResources'), context.types),
    maximum: amountOf(textOf(element, 'maxResources'), context.types),
    maximumChild: amountOf(textOf(element, 'maxChildResources'), context.types),
    maximumContainer: amountOf(textOf(element, 'maxContainerAllocation'), context.types),
    maximumRunning: integer(textOf(element, 'maxRunningApps')) ?? context.queueMaximumDefault,
    amShare: decimal(textOf(element, 'maxAMShare')) ?? context.amShareDefault,
    submit: list('aclSubmitApps'),
    administer: list('aclAdministerApps'),
    preemptable: textOf(element, 'allowPreemptionFrom')?.trim().toLowerCase() !== 'false',
    minimumSharePreemptionTimeoutMs:
      seconds(textOf(element, 'minSharePreemptionTimeout')) ?? (isRoot ? context.fallback.minimumMs : undefined),
    fairSharePreemptionTimeoutMs: seconds(textOf(element, 'fairSharePreemptionTimeout')) ?? (isRoot ? context.fallback.fairMs : undefined),
    fairSharePreemptionThreshold:
      decimal(textOf(element, 'fairSharePreemptionThreshold')) ?? (isRoot ? context.fallback.threshold : undefined),
  });
  for (const child of children) readQueue(child, path, context);
}

function ruleOf(element: Element): PlacementRule {
  const [inner] = elements(element['rule']);
  return {
    name: String(element['@name'] ?? ''),
    create: String(element['@create'] ?? 'true') !== 'false',
    queue: element['@queue'] === undefined ? undefined : String(element['@queue']),
    parent: inner ? ruleOf(inner) : undefined,
  };
}

function policyOf(text: string | undefined): SharePolicy | undefined {
  const name = text?.trim().toLowerCase();
  if (name === undefined || name === '') return undefined;
  if (name === 'fair' || name.endsWith('fairsharepolicy')) return 'fair';
  if (name === 'fifo' || name.endsWith('fifopolicy')) return 'fifo';
  if (name === 'drf' || name.endsWith('dominantresourcefairnesspolicy')) return 'drf';
  throw new ConfigurationRefused(`Unknown scheduling policy: ${text}`);
}

const integer = (text: string | undefined): number | undefined =>
  checked(text, (trimmed) => (/^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN));
const decimal = (text: string | undefined): number | undefined => checked(text, Number);
const seconds = (text: string | undefined): number | undefined => {
  const value = integer(text);
  return value === undefined ? undefined : value * 1000;
};

function checked(text: string | undefined, read: (trimmed: string) => number): number | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === '') return undefined;
  const value = read(trimmed);
  if (Number.isNaN(value)) throw new ConfigurationRefused(`For input string: "${trimmed}"`);
  return value;
}

/** `1024 mb, 4 vcores`, `50% memory, 25% cpu`, `40%`, `memory-mb=1024, vcores=4`. */
export function amountOf(text: string | undefined, types: ResourceTypes): ConfigurableAmount | undefined {
  const trimmed = text?.trim().toLowerCase();
  if (!trimmed) return undefined;
  if (trimmed.includes('%')) return { parts: partsOf(trimmed, types) };
  if (trimmed.includes('=')) {
    const amounts = types.types.map(() => 0);
    for (const piece of trimmed.split(',')) {
      const [key = '', value = ''] = piece.split('=').map((word) => word.trim());
      const index = types.indexOf(key === 'memory' ? 'memory-mb' : key);
      if (index === undefined || Number.isNaN(Number.parseFloat(value)))
        throw new ConfigurationRefused(`Error reading resource config: ${text}`);
      amounts[index] = Math.trunc(Number.parseFloat(value));
    }
    return { absolute: amounts };
  }
  const memory = /(-?\d+)(?:\.\d*)?\s*mb/.exec(trimmed) ?? /^(-?\d+)\s*,/.exec(trimmed);
  const vcores = /(-?\d+)(?:\.\d*)?\s*vcores/.exec(trimmed) ?? /,\s*(-?\d+)$/.exec(trimmed);
  if (!memory || !vcores) throw new ConfigurationRefused(`Error reading resource config--invalid resource definition: ${text}`);
  return { absolute: [Number(memory[1]), Number(vcores[1]), ...types.types.slice(2).map(() => 0)] };
}

function partsOf(text: string, types: ResourceTypes): number[] {
  const whole = /^\s*(-?[\d.]+)\s*%\s*$/.exec(text);
  if (whole) return types.types.map(() => Number(whole[1]) / 100);
  return types.types.map(({ name }, i) => {
    const names = i === 0 ? 'memory(?:-mb)?' : i === 1 ? 'cpu|vcores' : name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const found = new RegExp(`(-?[\\d.]+)\\s*%\\s*(?:${names})|(?:${names})\\s*=\\s*(-?[\\d.]+)\\s*%`).exec(text);
    return found ? Number(found[1] ?? found[2]) / 100 : 0;
  });
}

/** The amount in a cluster of this size. */
export function resolveAmount(amount: ConfigurableAmount, cluster: Resource): number[] {
  return amount.parts ? amount.parts.map((part, i) => Math.trunc(part * (cluster[i] ?? 0))) : [...amount.absolute!];
}
