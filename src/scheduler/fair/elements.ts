// The elements of fair-scheduler.xml as tables (Hadoop's AllocationFileParser and AllocationFileQueueParser): the reader, the warnings of unknown
// elements and docs/reference/queue-options.md derive from them.

import { decimalForm, parseInteger } from '../../lib/java-number.ts';
import { isObject } from '../../lib/json-shape.ts';
import { type AccessList, parseAccessList } from '../../model/access-list.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import { ConfigurationRefused, type RefusalDetails, under } from '../policy.ts';
import { amountOf, type ConfigurableAmount, unnamed } from './amounts.ts';

export type SharePolicy = 'fair' | 'drf' | 'fifo';

/** The values that texts are read as; numbers of seconds become ms, numbers with a fraction are of single precision, as Hadoop keeps them. */
interface ValueTypes {
  /** A whole number from 0 on. */
  count: number;
  /** A number from 0 on. */
  weight: number;
  /** A part of something, 0 to 1. */
  part: number;
  /** The same, where -1 sets no limit. */
  limitedPart: number;
  /** Whole seconds from 0 on; the value is in ms. */
  seconds: number;
  /** Amounts or parts of the cluster; what is not named is not limited. */
  maximum: ConfigurableAmount;
  /** The same; what is not named is 0. */
  minimum: ConfigurableAmount;
  sharePolicy: SharePolicy;
  accessList: AccessList;
  /** `true` or `false`. */
  boolean: boolean;
  text: string;
}

/** `element`: it holds other elements, or says something by being there. */
export type ElementType = keyof ValueTypes | 'element';

export interface FairElement {
  readonly name: string;
  /** Another name that is read where the first is absent. */
  readonly olderName?: string;
  readonly type: ElementType;
  /** What counts without it, for the reference page. */
  readonly default: string;
  /** One sentence for the reference page. */
  readonly about: string;
  /** Why it changes nothing here; absent where it counts. */
  readonly inert?: string;
}

export type ElementTable = Readonly<Record<string, FairElement>>;
type ElementValue<Element extends FairElement> = Element['type'] extends keyof ValueTypes ? ValueTypes[Element['type']] : true;

/** The typed values of a table; undefined where an element is absent or empty. */
export type ElementValues<Table extends ElementTable> = { readonly [Name in keyof Table]: ElementValue<Table[Name]> | undefined };

const defineElements = <const Table extends ElementTable>(table: Table): Table => table;

/** Elements of `<queue>`. */
export const queueElements = defineElements({
  queue: {
    name: 'queue',
    olderName: 'pool',
    type: 'element',
    default: '',
    about: 'A queue below this one, with its `name`; `type="parent"` makes one without children a parent.',
  },
  reservation: {
    name: 'reservation',
    type: 'element',
    default: '',
    about: 'The queue holds a plan of reservations; what has none runs in its child NAME-default.',
  },
  weight: { name: 'weight', type: 'weight', default: '1', about: 'Its share among its siblings.' },
  minimum: { name: 'minResources', type: 'minimum', default: 'nothing', about: 'What it gets before others share what is left.' },
  maximum: { name: 'maxResources', type: 'maximum', default: 'queueMaxResourcesDefault', about: 'The most it may hold.' },
  maximumChild: {
    name: 'maxChildResources',
    type: 'maximum',
    default: 'no limit',
    about: 'The most that a child may hold that the file does not name.',
  },
  maximumContainer: { name: 'maxContainerAllocation', type: 'maximum', default: "the parent's", about: 'The largest container.' },
  maximumRunning: {
    name: 'maxRunningApps',
    type: 'count',
    default: 'queueMaxAppsDefault',
    about: 'Most applications that run at a time; others wait.',
  },
  amShare: {
    name: 'maxAMShare',
    type: 'limitedPart',
    default: 'queueMaxAMShareDefault',
    about: 'Part of its fair share that application masters may take; -1 sets no limit.',
  },
  policy: {
    name: 'schedulingPolicy',
    olderName: 'schedulingMode',
    type: 'sharePolicy',
    default: 'defaultQueueSchedulingPolicy',
    about: 'How it shares among what is in it: fair (memory alone), drf (all resources) or fifo (leaves only).',
  },
  submit: {
    name: 'aclSubmitApps',
    type: 'accessList',
    default: "the parent's; the root's is all",
    about: 'Who may submit to it and below it.',
  },
  administer: {
    name: 'aclAdministerApps',
    type: 'accessList',
    default: "the parent's; the root's is all",
    about: 'Who may kill, move and see applications of others in it and below it.',
  },
  submitReservations: { name: 'aclSubmitReservations', type: 'text', default: '*', about: 'Who may reserve in it.' },
  listReservations: { name: 'aclListReservations', type: 'text', default: '*', about: 'Who may see the reservations of others.' },
  administerReservations: {
    name: 'aclAdministerReservations',
    type: 'text',
    default: '*',
    about: 'Who may change and delete the reservations of others.',
  },
  preemptable: {
    name: 'allowPreemptionFrom',
    type: 'boolean',
    default: 'true; false in queues with <reservation/>',
    about: 'Whether others take back what it holds above its share.',
  },
  minimumSharePreemptionTimeoutMs: {
    name: 'minSharePreemptionTimeout',
    type: 'seconds',
    default: "the parent's",
    about: 'How long it is below its minimum before it takes back.',
  },
  fairSharePreemptionTimeoutMs: {
    name: 'fairSharePreemptionTimeout',
    type: 'seconds',
    default: "the parent's",
    about: 'How long it is below its fair share before it takes back.',
  },
  fairSharePreemptionThreshold: {
    name: 'fairSharePreemptionThreshold',
    type: 'part',
    default: "the parent's",
    about: 'The part of its fair share below which that time runs.',
  },
});

/** Elements of `<allocations>`. */
export const fileElements = defineElements({
  queue: {
    name: 'queue',
    olderName: 'pool',
    type: 'element',
    default: '',
    about: 'A queue below the root, or the root itself by that name.',
  },
  user: { name: 'user', type: 'element', default: '', about: 'A user by its `name`, with limits of its own.' },
  placement: {
    name: 'queuePlacementPolicy',
    type: 'element',
    default: 'specified, then user or default',
    about: 'Rules that choose a queue, the first that fits: <rule name="…" create="…">.',
  },
  userMaximumDefault: {
    name: 'userMaxAppsDefault',
    type: 'count',
    default: 'no limit',
    about: 'Most applications of one user that run at a time.',
  },
  queueMaximumDefault: {
    name: 'queueMaxAppsDefault',
    type: 'count',
    default: 'no limit',
    about: 'maxRunningApps of queues that name none.',
  },
  queueMaximumResourcesDefault: {
    name: 'queueMaxResourcesDefault',
    type: 'maximum',
    default: 'no limit',
    about: 'maxResources of queues that name none.',
  },
  amShareDefault: { name: 'queueMaxAMShareDefault', type: 'limitedPart', default: '0.5', about: 'maxAMShare of queues that name none.' },
  policyDefault: {
    name: 'defaultQueueSchedulingPolicy',
    olderName: 'defaultQueueSchedulingMode',
    type: 'sharePolicy',
    default: 'fair',
    about: 'schedulingPolicy of queues that name none.',
  },
  minimumSharePreemptionTimeoutMs: {
    name: 'defaultMinSharePreemptionTimeout',
    type: 'seconds',
    default: 'never',
    about: 'minSharePreemptionTimeout of the root.',
  },
  fairSharePreemptionTimeoutMs: {
    name: 'defaultFairSharePreemptionTimeout',
    olderName: 'fairSharePreemptionTimeout',
    type: 'seconds',
    default: 'never',
    about: 'fairSharePreemptionTimeout of the root.',
  },
  fairSharePreemptionThreshold: {
    name: 'defaultFairSharePreemptionThreshold',
    type: 'part',
    default: '0.5',
    about: 'fairSharePreemptionThreshold of the root.',
  },
  reservationAgent: {
    name: 'reservation-agent',
    type: 'text',
    default: 'AlignedPlannerWithGreedy',
    about: 'Class of what finds the times of reservations; GreedyReservationAgent takes the first that fits.',
  },
  reservationPolicy: {
    name: 'reservation-policy',
    type: 'text',
    default: 'CapacityOverTimePolicy',
    about: 'Class of what bounds users; NoOverCommitPolicy knows the size of the plan alone.',
  },
  reservationPlanner: {
    name: 'reservation-planner',
    type: 'text',
    default: 'SimpleCapacityReplanner',
    about: 'Class of what gives up reservations when the cluster shrinks.',
    inert: 'reservations stay and share what is left',
  },
});

/** Elements of `<user>`. */
export const userElements = defineElements({
  maximumRunning: {
    name: 'maxRunningApps',
    type: 'count',
    default: 'userMaxAppsDefault',
    about: 'Most applications of the user that run at a time.',
  },
});

/** An element of the parsed file: children by name (a list where one may come again), attributes with `@`, its text as `#text`. */
export type XmlElement = Record<string, unknown>;

/** Text of a child element; undefined when it is not there. */
export function textOf(element: XmlElement, { name, olderName }: FairElement): string | undefined {
  for (const key of olderName === undefined ? [name] : [name, olderName]) {
    const value = element[key];
    if (typeof value === 'string') return value;
    if (isObject(value) && typeof value['#text'] === 'string') return value['#text'];
  }
  return undefined;
}

/** Children that may come again. */
export function childrenOf(element: XmlElement, { name, olderName }: FairElement): XmlElement[] {
  const listed = (value: unknown): XmlElement[] => (Array.isArray(value) ? value.map((item) => (isObject(item) ? item : {})) : []);
  return [...listed(element[name]), ...(olderName === undefined ? [] : listed(element[olderName]))];
}

/** Reads the elements of a table. `detailsOf` says where a fault lies. @throws ConfigurationRefused */
export function readElements<Table extends ElementTable>(
  element: XmlElement,
  table: Table,
  types: ResourceTypes,
  detailsOf: (name: string) => RefusalDetails,
): ElementValues<Table> {
  const values = Object.entries(table).map(([member, row]): [string, unknown] => {
    if (row.type === 'element') return [member, row.name in element || undefined];
    const read: (text: string | undefined, types: ResourceTypes) => unknown = readers[row.type];
    return [member, under(detailsOf(row.name), () => read(textOf(element, row), types))];
  });
  return Object.fromEntries(values) as ElementValues<Table>;
}

/** Sentences about elements that are in no row of the table, and about those that change nothing. */
export function uselessElements(where: string, element: XmlElement, table: ElementTable): string[] {
  const rows = Object.values(table);
  return Object.keys(element).flatMap((key) => {
    if (/^[@#]/.test(key)) return [];
    const row = rows.find(({ name, olderName }) => key === name || key === olderName);
    if (!row) return [`<${key}> of ${where} has no effect: there is no such setting.`];
    return row.inert === undefined ? [] : [`<${key}> of ${where} changes nothing here: ${row.inert}.`];
  });
}

const readers: { readonly [Type in keyof ValueTypes]: (text: string | undefined, types: ResourceTypes) => ValueTypes[Type] | undefined } = {
  count: (text) => count(text),
  weight: (text) => notNegative(text),
  part: (text) => part(text),
  limitedPart: (text) => (decimal(text) === -1 ? -1 : part(text)),
  seconds: (text) => {
    const value = count(text);
    return value === undefined ? undefined : value * 1000;
  },
  maximum: (text, types) => amountOf(text, types, unnamed),
  minimum: (text, types) => amountOf(text, types, 0),
  sharePolicy: (text) => sharePolicyOf(text),
  accessList: (text) => (text === undefined ? undefined : parseAccessList(text)),
  boolean: (text) => booleanOf(text),
  text: (text) => text,
};

function sharePolicyOf(text: string | undefined): SharePolicy | undefined {
  const name = text?.trim().toLowerCase();
  if (name === undefined || name === '') return undefined;
  if (name === 'fair' || name.endsWith('fairsharepolicy')) return 'fair';
  if (name === 'fifo' || name.endsWith('fifopolicy')) return 'fifo';
  if (name === 'drf' || name.endsWith('dominantresourcefairnesspolicy')) return 'drf';
  throw new ConfigurationRefused(`Unknown scheduling policy: ${text}`, { remedy: 'The policies are fair, drf and fifo.' });
}

/** Single precision, as Hadoop keeps these: 0.6 of 1260 MiB, rounded up, is 757. */
const decimal = (text: string | undefined): number | undefined =>
  checked(text, (trimmed) => (decimalForm.test(trimmed) ? Math.fround(Number(trimmed.replace(/[fFdD]$/, ''))) : Number.NaN));

function notNegative(text: string | undefined): number | undefined {
  const value = decimal(text);
  if (value !== undefined && value < 0) throw new ConfigurationRefused(`${text?.trim()} is below 0`);
  return value;
}

function part(text: string | undefined): number | undefined {
  const value = notNegative(text);
  if (value !== undefined && value > 1)
    throw new ConfigurationRefused(`${text?.trim()} is above 1`, { remedy: 'Give a part from 0 to 1: 0.5 is one half.' });
  return value;
}

function booleanOf(text: string | undefined): boolean | undefined {
  const word = text?.trim().toLowerCase();
  if (word === undefined || word === '') return undefined;
  if (word === 'true' || word === 'false') return word === 'true';
  throw new ConfigurationRefused(`'${text?.trim()}' is neither true nor false`, { remedy: 'Give true or false.' });
}

function count(text: string | undefined): number | undefined {
  const value = checked(text, (trimmed) => parseInteger(trimmed) ?? Number.NaN);
  if (value !== undefined && value < 0) throw new ConfigurationRefused(`${text?.trim()} is below 0`);
  return value;
}

function checked(text: string | undefined, read: (trimmed: string) => number): number | undefined {
  const trimmed = text?.trim();
  if (trimmed === undefined || trimmed === '') return undefined;
  const value = read(trimmed);
  if (!Number.isFinite(value)) throw new ConfigurationRefused(`For input string: "${trimmed}"`);
  return value;
}
