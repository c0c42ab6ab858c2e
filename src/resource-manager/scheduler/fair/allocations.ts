// fair-scheduler.xml: queues with weights, bounds and limits, users' limits, placement rules (Hadoop's AllocationFileLoaderService).

import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Resource, ResourceTypes } from '../../../model/resource.ts';
import { AccessList } from '../capacity/access-list.ts';
import { ConfigurationRefused, under } from '../policy.ts';

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
  /** Holds reservations: what has none runs in its child `{name}-default`. */
  readonly isReservable: boolean;
  /** Who may reserve in it: `aclSubmitReservations`, `aclListReservations`, `aclAdministerReservations`. */
  readonly reservationAccess: ReservationAccess;
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

export type ReservationAccess = Readonly<Record<'SUBMIT_RESERVATIONS' | 'LIST_RESERVATIONS' | 'ADMINISTER_RESERVATIONS', string>>;
export const anybodyReserves: ReservationAccess = { SUBMIT_RESERVATIONS: '*', LIST_RESERVATIONS: '*', ADMINISTER_RESERVATIONS: '*' };

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
  /** What of the file does not count, in sentences. */
  readonly warnings: readonly string[];
  /** How plans of reservable queues are kept: class names of `reservation-agent` and `reservation-policy`. */
  readonly reservations: { readonly agent: string; readonly policy: string };
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
  const top = <T>(name: string, reader: (text: string | undefined) => T): T => under({ key: name }, () => reader(textOf(root, name)));
  const policyDefault =
    under({ key: 'defaultQueueSchedulingPolicy' }, () =>
      policyOf(textOf(root, 'defaultQueueSchedulingPolicy', 'defaultQueueSchedulingMode')),
    ) ?? 'fair';
  const queueMaximumDefault = top('queueMaxAppsDefault', integer) ?? unlimited;
  const amShareDefault = top('queueMaxAMShareDefault', decimal) ?? 0.5;
  const queues: FairQueueSettings[] = [];
  const queueMaximumResourcesDefault = top('queueMaxResourcesDefault', (amount) => amountOf(amount, types));
  const fallback = timeoutsOf(root);
  const defaults = { policyDefault, queueMaximumDefault, queueMaximumResourcesDefault, amShareDefault };
  const context: QueueContext = { types, queues, fallback, ...defaults };
  const tops = [...elements(root['queue']), ...elements(root['pool'])];
  for (const element of tops) readQueue(element, undefined, context);
  refuseDoubles(queues);
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
    userMaximumDefault: top('userMaxAppsDefault', integer) ?? unlimited,
    queueMaximumDefault,
    queueMaximumResourcesDefault,
    amShareDefault,
    policyDefault,
    warnings: leftOut(queues),
    reservations: { agent: textOf(root, 'reservation-agent')?.trim() ?? '', policy: textOf(root, 'reservation-policy')?.trim() ?? '' },
    rules: placement,
  };
}

function rootOf(text: string): Element {
  const repair = 'Repair the XML.';
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) {
    throw new ConfigurationRefused('fair-scheduler.xml must not declare a document type', { key: 'DOCTYPE', remedy: 'Remove it.' });
  }
  const checked = XMLValidator.validate(text);
  if (checked !== true) throw new ConfigurationRefused(checked.err.msg, { key: `line ${checked.err.line}`, remedy: repair });
  let parsed: unknown;
  try {
    parsed = parser.parse(text);
  } catch (error) {
    throw new ConfigurationRefused(`cannot be read: ${(error as Error).message}`, { key: 'allocations', remedy: repair });
  }
  const root = isElement(parsed) ? parsed['allocations'] : undefined;
  if (root === '' || root === undefined) {
    if (isElement(parsed) && 'allocations' in parsed) return {};
    throw new ConfigurationRefused('Bad fair scheduler config file: top-level element not <allocations>', {
      key: 'allocations',
      remedy: 'Put the queues into <allocations>.',
    });
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
  readonly queueMaximumResourcesDefault: ConfigurableAmount | undefined;
  readonly amShareDefault: number;
  readonly queues: FairQueueSettings[];
  readonly fallback: Timeouts;
}

const timeoutsOf = (element: Element): Timeouts => ({
  minimumMs: seconds(textOf(element, 'defaultMinSharePreemptionTimeout')),
  fairMs: seconds(textOf(element, 'defaultFairSharePreemptionTimeout', 'fairSharePreemptionTimeout')),
  threshold: decimal(textOf(element, 'defaultFairSharePreemptionThreshold')),
});

/** A memory-only parent cannot share out for a child that looks at all resources; fifo is for leaves. */
export const mayBeBelow = (parent: SharePolicy, child: SharePolicy): boolean =>
  parent !== 'fifo' && !(parent === 'fair' && child === 'drf');

/** Queues that are left out, as in Hadoop, which says so in its log alone. */
function leftOut(queues: readonly FairQueueSettings[]): string[] {
  const byPath = new Map(queues.map((queue) => [queue.path, queue]));
  return queues.flatMap(({ path, policy }) => {
    const parent = byPath.get(path.slice(0, path.lastIndexOf('.')));
    if (!parent || parent.path === path || mayBeBelow(parent.policy, policy)) return [];
    const remedy =
      parent.policy === 'fifo'
        ? `Let ${parent.path} share by fair or drf: fifo is for queues without children.`
        : `Give it the schedulingPolicy fair or fifo (without one it has the file's default), or let ${parent.path} share by drf.`;
    return [
      `Queue ${path} is left out: it shares by ${policy}, which is not possible below ${parent.path}, which shares by ${parent.policy}. ${remedy}`,
    ];
  });
}

function refuseDoubles(queues: readonly FairQueueSettings[]): void {
  const seen = new Set<string>();
  for (const { path } of queues) {
    if (seen.has(path))
      throw new ConfigurationRefused(`Two queues were named ${path}`, { key: `queue ${path}`, remedy: 'Describe each queue once.' });
    seen.add(path);
  }
}

function readQueue(element: Element, parent: string | undefined, context: QueueContext): void {
  const name = String(element['@name'] ?? '').trim();
  if (name === '' || name.includes('.'))
    throw new ConfigurationRefused(`Bad fair scheduler config file: queue name (${name}) shouldn't contain period or be empty.`, {
      key: `queue ${parent ?? 'root'}`,
      remedy: 'Give each queue a name of its own and put it into its parent.',
    });
  const path = parent === undefined ? (name === 'root' ? 'root' : `root.${name}`) : `${parent}.${name}`;
  const children = [...elements(element['queue']), ...elements(element['pool'])];
  const list = (key: string) => {
    const text = textOf(element, key);
    return text === undefined ? undefined : new AccessList(text);
  };
  const isRoot = path === 'root';
  const isReservable = 'reservation' in element;
  const read = <T>(names: readonly string[], reader: (text: string | undefined) => T): T =>
    under({ key: `queue ${path}, ${names[0]}`, remedy: 'Give it a value of the form that the queue file knows.' }, () =>
      reader(textOf(element, ...names)),
    );
  const amount = (text: string | undefined) => amountOf(text, context.types);
  context.queues.push({
    path,
    isParent: isRoot || children.length > 0 || String(element['@type'] ?? '') === 'parent' || isReservable,
    isReservable,
    reservationAccess: {
      SUBMIT_RESERVATIONS: textOf(element, 'aclSubmitReservations') ?? '*',
      LIST_RESERVATIONS: textOf(element, 'aclListReservations') ?? '*',
      ADMINISTER_RESERVATIONS: textOf(element, 'aclAdministerReservations') ?? '*',
    },
    policy: read(['schedulingPolicy', 'schedulingMode'], policyOf) ?? context.policyDefault,
    weight: read(['weight'], notNegative) ?? 1,
    minimum: read(['minResources'], amount),
    maximum: read(['maxResources'], amount) ?? context.queueMaximumResourcesDefault,
    maximumChild: read(['maxChildResources'], amount),
    maximumContainer: read(['maxContainerAllocation'], amount),
    maximumRunning: read(['maxRunningApps'], integer) ?? context.queueMaximumDefault,
    amShare: read(['maxAMShare'], decimal) ?? context.amShareDefault,
    submit: list('aclSubmitApps'),
    administer: list('aclAdministerApps'),
    preemptable: !isReservable && textOf(element, 'allowPreemptionFrom')?.trim().toLowerCase() !== 'false',
    minimumSharePreemptionTimeoutMs: read(['minSharePreemptionTimeout'], seconds) ?? (isRoot ? context.fallback.minimumMs : undefined),
    fairSharePreemptionTimeoutMs: read(['fairSharePreemptionTimeout'], seconds) ?? (isRoot ? context.fallback.fairMs : undefined),
    fairSharePreemptionThreshold: read(['fairSharePreemptionThreshold'], decimal) ?? (isRoot ? context.fallback.threshold : undefined),
  });
  for (const child of children) readQueue(child, path, context);
}

const ruleNames = new Set([
  'specified',
  'user',
  'primaryGroup',
  'secondaryGroup',
  'secondaryGroupExistingQueue',
  'nestedUserQueue',
  'default',
  'reject',
]);

function ruleOf(element: Element): PlacementRule {
  const [inner] = elements(element['rule']);
  const name = String(element['@name'] ?? '');
  if (!ruleNames.has(name)) {
    throw new ConfigurationRefused(`No rule class found for ${name}`, {
      key: 'queuePlacementPolicy, rule',
      remedy: `The rules are ${[...ruleNames].join(', ')}.`,
    });
  }
  return {
    name,
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
  throw new ConfigurationRefused(`Unknown scheduling policy: ${text}`, { remedy: 'The policies are fair, drf and fifo.' });
}

const integer = (text: string | undefined): number | undefined =>
  checked(text, (trimmed) => (/^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : Number.NaN));
/** Single precision, as Hadoop keeps these: 0.6 of 1260 MiB, rounded up, is 757. */
const decimal = (text: string | undefined): number | undefined => checked(text, (trimmed) => Math.fround(Number(trimmed)));
const notNegative = (text: string | undefined): number | undefined => {
  const value = decimal(text);
  if (value !== undefined && value < 0) throw new ConfigurationRefused(`${text?.trim()} is below 0`);
  return value;
};
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
