// fair-scheduler.xml: queues with weights, bounds and limits, users' limits, placement rules (Hadoop's AllocationFileLoaderService).

import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { isObject } from '../../lib/json-shape.ts';
import { type AccessList, parseAccessList } from '../../model/access-list.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import { ConfigurationRefused, under } from '../policy.ts';
import { amountOf, type ConfigurableAmount, unnamed } from './amounts.ts';

export type SharePolicy = 'fair' | 'drf' | 'fifo';

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
  // Numeric references (`&#233;`) are decoded with these only.
  htmlEntities: true,
  isArray: (name) => name === 'queue' || name === 'pool' || name === 'user' || name === 'rule',
});

type Element = Record<string, unknown>;

/** Text of a child element; undefined when it is not there. */
function textOf(element: Element, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = element[name];
    if (typeof value === 'string') return value;
    if (isObject(value) && typeof value['#text'] === 'string') return value['#text'];
  }
  return undefined;
}

const elements = (value: unknown): Element[] => (Array.isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : []);

/** Reads the file. Without text there is only `root.default`. @throws ConfigurationRefused */
export function parseAllocations(text: string | undefined, types: ResourceTypes): Allocations {
  const root = text?.trim() ? rootOf(text) : {};
  const top = <T>(name: string, reader: (text: string | undefined) => T): T => under({ key: name }, () => reader(textOf(root, name)));
  const policyDefault =
    under({ key: 'defaultQueueSchedulingPolicy' }, () =>
      policyOf(textOf(root, 'defaultQueueSchedulingPolicy', 'defaultQueueSchedulingMode')),
    ) ?? 'fair';
  const queueMaximumDefault = top('queueMaxAppsDefault', count) ?? unlimited;
  const amShareDefault = top('queueMaxAMShareDefault', masterShare) ?? 0.5;
  const queues: FairQueueSettings[] = [];
  const queueMaximumResourcesDefault = top('queueMaxResourcesDefault', (amount) => amountOf(amount, types, unnamed));
  const fallback = timeoutsOf(root);
  const defaults = { policyDefault, queueMaximumDefault, queueMaximumResourcesDefault, amShareDefault };
  const context: QueueContext = { types, queues, fallback, warnings: [], ...defaults };
  const tops = [...elements(root['queue']), ...elements(root['pool'])];
  for (const element of tops) readQueue(element, undefined, context);
  refuseDoubles(queues);
  if (!queues.some(({ path }) => path === 'root')) readQueue({ '@name': 'root' }, undefined, context);
  const userMaximums = new Map<string, number>();
  for (const user of elements(root['user'])) {
    const most = under({ key: `user ${String(user['@name'] ?? '')}, maxRunningApps` }, () => count(textOf(user, 'maxRunningApps')));
    if (most !== undefined) userMaximums.set(String(user['@name'] ?? ''), most);
  }
  const placement = isObject(root['queuePlacementPolicy']) ? elements(root['queuePlacementPolicy']['rule']).map(ruleOf) : undefined;
  if (placement) checkRules(placement);
  return {
    queues,
    userMaximums,
    userMaximumDefault: top('userMaxAppsDefault', count) ?? unlimited,
    queueMaximumDefault,
    queueMaximumResourcesDefault,
    amShareDefault,
    policyDefault,
    warnings: [...leftOut(queues), ...unknownElements('the file', root, topElements), ...context.warnings],
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
  const root = isObject(parsed) ? parsed['allocations'] : undefined;
  if (root === '' || root === undefined) {
    if (isObject(parsed) && 'allocations' in parsed) return {};
    throw new ConfigurationRefused('Bad fair scheduler config file: top-level element not <allocations>', {
      key: 'allocations',
      remedy: 'Put the queues into <allocations>.',
    });
  }
  return isObject(root) ? root : {};
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
  readonly warnings: string[];
}

const topElements = new Set([
  ...['queue', 'pool', 'user', 'queuePlacementPolicy', 'userMaxAppsDefault', 'queueMaxAppsDefault', 'queueMaxAMShareDefault'],
  ...['queueMaxResourcesDefault', 'defaultQueueSchedulingPolicy', 'defaultQueueSchedulingMode', 'fairSharePreemptionTimeout'],
  ...['defaultFairSharePreemptionTimeout', 'defaultMinSharePreemptionTimeout', 'defaultFairSharePreemptionThreshold'],
  ...['reservation-agent', 'reservation-policy', 'reservation-planner'],
]);
const queueElements = new Set([
  ...['queue', 'pool', 'reservation', 'weight', 'minResources', 'maxResources', 'maxChildResources', 'maxContainerAllocation'],
  ...['maxRunningApps', 'maxAMShare', 'schedulingPolicy', 'schedulingMode', 'allowPreemptionFrom', 'aclSubmitApps', 'aclAdministerApps'],
  ...['aclSubmitReservations', 'aclListReservations', 'aclAdministerReservations'],
  ...['minSharePreemptionTimeout', 'fairSharePreemptionTimeout', 'fairSharePreemptionThreshold'],
]);

const unknownElements = (where: string, element: Element, known: ReadonlySet<string>): string[] =>
  Object.keys(element)
    .filter((name) => !/^[@#]/.test(name) && !known.has(name))
    .map((name) => `<${name}> of ${where} has no effect: there is no such setting.`);

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
  if ('reservation' in element && (children.length > 0 || element['@type'] === 'parent')) {
    throw new ConfigurationRefused(`Queue ${path} has children and <reservation>: its children are its reservations`, {
      key: `queue ${path}, reservation`,
      remedy: 'Put <reservation/> into a queue without children.',
    });
  }
  const list = (key: string) => {
    const text = textOf(element, key);
    return text === undefined ? undefined : parseAccessList(text);
  };
  const isRoot = path === 'root';
  const isReservable = 'reservation' in element;
  const read = <T>(names: readonly string[], reader: (text: string | undefined) => T): T =>
    under({ key: `queue ${path}, ${names[0]}`, remedy: 'Give it a value of the form that the queue file knows.' }, () =>
      reader(textOf(element, ...names)),
    );
  const amount = (text: string | undefined) => amountOf(text, context.types, unnamed);
  const promised = (text: string | undefined) => amountOf(text, context.types, 0);
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
    minimum: read(['minResources'], promised),
    maximum: read(['maxResources'], amount) ?? context.queueMaximumResourcesDefault,
    maximumChild: read(['maxChildResources'], amount),
    maximumContainer: read(['maxContainerAllocation'], amount),
    maximumRunning: read(['maxRunningApps'], count) ?? context.queueMaximumDefault,
    amShare: read(['maxAMShare'], masterShare) ?? context.amShareDefault,
    submit: list('aclSubmitApps'),
    administer: list('aclAdministerApps'),
    preemptable: !isReservable && textOf(element, 'allowPreemptionFrom')?.trim().toLowerCase() !== 'false',
    minimumSharePreemptionTimeoutMs: read(['minSharePreemptionTimeout'], seconds) ?? (isRoot ? context.fallback.minimumMs : undefined),
    fairSharePreemptionTimeoutMs: read(['fairSharePreemptionTimeout'], seconds) ?? (isRoot ? context.fallback.fairMs : undefined),
    fairSharePreemptionThreshold: read(['fairSharePreemptionThreshold'], decimal) ?? (isRoot ? context.fallback.threshold : undefined),
  });
  context.warnings.push(...unknownElements(`queue ${path}`, element, queueElements));
  refuseContradiction(context.queues.at(-1)!, context.types);
  for (const child of children) readQueue(child, path, context);
}

/** Hadoop only warns of a maximum below the minimum. */
function refuseContradiction({ path, minimum, maximum }: FairQueueSettings, types: ResourceTypes): void {
  const [least, most] = [minimum?.absolute, maximum?.absolute];
  const wrong = least && most ? types.types.find((_, i) => (least[i] ?? 0) > (most[i] ?? 0)) : undefined;
  if (!wrong) return;
  throw new ConfigurationRefused(`Queue ${path} has a minimum of ${wrong.name} above its maximum`, {
    key: `queue ${path}, minResources`,
    remedy: 'Lower minResources or raise maxResources.',
  });
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

/** Whether the rule places everybody (Hadoop's QueuePlacementPolicy). */
const placesAll = ({ name, create }: PlacementRule): boolean =>
  name === 'reject' || (create && ['default', 'user', 'primaryGroup', 'nestedUserQueue'].includes(name));

function checkRules(rules: readonly PlacementRule[]): void {
  const key = 'queuePlacementPolicy';
  const first = rules.findIndex(placesAll);
  if (first >= 0 && first < rules.length - 1) {
    throw new ConfigurationRefused(`Rules after rule ${first + 1} in queue placement policy can never be reached`, {
      key,
      remedy: `Put ${rules[first]!.name} last, or give it create="false".`,
    });
  }
  if (first < 0 && rules.length > 0) {
    throw new ConfigurationRefused('Could get past last queue placement rule without assigning', {
      key,
      remedy: 'End with a rule that always places: default or reject.',
    });
  }
  for (const rule of rules) {
    if (rule.name === 'nestedUserQueue' && !rule.parent)
      throw new ConfigurationRefused('The rule nestedUserQueue has no rule inside', {
        key,
        remedy: 'Put the rule for the parent queue into it.',
      });
  }
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
/** How many, from 0 on. */
const count = (text: string | undefined): number | undefined => {
  const value = integer(text);
  if (value !== undefined && value < 0) throw new ConfigurationRefused(`${text?.trim()} is below 0`);
  return value;
};
/** -1 sets no limit. */
const masterShare = (text: string | undefined): number | undefined => (decimal(text) === -1 ? -1 : notNegative(text));
const seconds = (text: string | undefined): number | undefined => {
  const value = count(text);
  return value === undefined ? undefined : value * 1000;
};

function checked(text: string | undefined, read: (trimmed: string) => number): number | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === '') return undefined;
  const value = read(trimmed);
  if (!Number.isFinite(value)) throw new ConfigurationRefused(`For input string: "${trimmed}"`);
  return value;
}
