// fair-scheduler.xml: queues with weights, bounds and limits, users' limits, placement rules (Hadoop's AllocationFileLoaderService).

import { createRequire } from 'node:module';
import { isObject } from '../../lib/json-shape.ts';
import type { AccessList } from '../../model/access-list.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import { ConfigurationRefused } from '../policy.ts';
import type { ConfigurableAmount } from './amounts.ts';
import {
  childrenOf,
  type ElementValues,
  fileElements,
  queueElements,
  readElements,
  type SharePolicy,
  uselessElements,
  userElements,
  type XmlElement,
} from './elements.ts';
import { checkRules, type PlacementRule, rulesOf } from './placement-rules.ts';

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
const require = createRequire(import.meta.url);
const isRepeated = (name: string): boolean => name === 'queue' || name === 'pool' || name === 'user' || name === 'rule';

/** Reads the file. Without text there is only `root.default`. @throws ConfigurationRefused */
export function parseAllocations(text: string | undefined, types: ResourceTypes): Allocations {
  const root = text?.trim() ? rootOf(text) : {};
  const file = readElements(root, fileElements, types, (key) => ({ key }));
  const queues: FairQueueSettings[] = [];
  const defaults = {
    policyDefault: file.policyDefault ?? ('fair' as const),
    queueMaximumDefault: file.queueMaximumDefault ?? unlimited,
    queueMaximumResourcesDefault: file.queueMaximumResourcesDefault,
    amShareDefault: file.amShareDefault ?? 0.5,
  };
  const context: QueueContext = { types, queues, file, warnings: [], ...defaults };
  for (const element of childrenOf(root, fileElements.queue)) readQueue(element, undefined, context);
  refuseDoubles(queues);
  if (!queues.some(({ path }) => path === 'root')) readQueue({ '@name': 'root' }, undefined, context);
  const userMaximums = new Map<string, number>();
  for (const user of childrenOf(root, fileElements.user)) {
    const name = String(user['@name'] ?? '');
    const { maximumRunning } = readElements(user, userElements, types, (key) => ({ key: `user ${name}, ${key}` }));
    if (maximumRunning !== undefined) userMaximums.set(name, maximumRunning);
    context.warnings.push(...uselessElements(`user ${name}`, user, userElements));
  }
  const policy = root[fileElements.placement.name];
  const rules = isObject(policy) ? rulesOf(policy) : undefined;
  if (rules) checkRules(rules);
  return {
    queues,
    userMaximums,
    userMaximumDefault: file.userMaximumDefault ?? unlimited,
    ...defaults,
    warnings: [...leftOut(queues), ...uselessElements('the file', root, fileElements), ...context.warnings],
    reservations: { agent: file.reservationAgent?.trim() ?? '', policy: file.reservationPolicy?.trim() ?? '' },
    rules,
  };
}

/** `<allocations>`, its elements by their names. @throws ConfigurationRefused where the text holds no such element */
export function rootOf(text: string): XmlElement {
  const repair = 'Repair the XML.';
  if (/<!DOCTYPE|<!ENTITY/i.test(text)) {
    throw new ConfigurationRefused('fair-scheduler.xml must not declare a document type', { key: 'DOCTYPE', remedy: 'Remove it.' });
  }
  // Loaded with the first such file: clusters of other schedulers have none.
  const { XMLParser, XMLValidator } = require('fast-xml-parser') as typeof import('fast-xml-parser');
  const checked = XMLValidator.validate(text);
  if (checked !== true) throw new ConfigurationRefused(checked.err.msg, { key: `line ${checked.err.line}`, remedy: repair });
  let parsed: unknown;
  try {
    parsed = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: '@',
      parseTagValue: false,
      trimValues: false,
      // Numeric references (`&#233;`) are decoded with these only.
      htmlEntities: true,
      isArray: isRepeated,
    }).parse(text);
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

interface QueueContext {
  readonly types: ResourceTypes;
  readonly policyDefault: SharePolicy;
  readonly queueMaximumDefault: number;
  readonly queueMaximumResourcesDefault: ConfigurableAmount | undefined;
  readonly amShareDefault: number;
  readonly queues: FairQueueSettings[];
  /** What the file says for the root. */
  readonly file: ElementValues<typeof fileElements>;
  readonly warnings: string[];
}

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

function readQueue(element: XmlElement, parent: string | undefined, context: QueueContext): void {
  const name = String(element['@name'] ?? '').trim();
  if (name === '' || name.includes('.'))
    throw new ConfigurationRefused(`Bad fair scheduler config file: queue name (${name}) shouldn't contain period or be empty.`, {
      key: `queue ${parent ?? 'root'}`,
      remedy: 'Give each queue a name of its own and put it into its parent.',
    });
  const path = parent === undefined ? (name === 'root' ? 'root' : `root.${name}`) : `${parent}.${name}`;
  const children = childrenOf(element, queueElements.queue);
  const detailsOf = (key: string) => ({
    key: `queue ${path}, ${key}`,
    remedy: 'Give it a value of the form that the queue file knows.',
  });
  const { reservation: isReservable = false, queue: _, ...own } = readElements(element, queueElements, context.types, detailsOf);
  if (isReservable && (children.length > 0 || element['@type'] === 'parent')) {
    throw new ConfigurationRefused(`Queue ${path} has children and <reservation>: its children are its reservations`, {
      key: `queue ${path}, reservation`,
      remedy: 'Put <reservation/> into a queue without children.',
    });
  }
  const isRoot = path === 'root';
  const above = isRoot ? context.file : undefined;
  context.queues.push({
    path,
    isParent: isRoot || children.length > 0 || String(element['@type'] ?? '') === 'parent' || isReservable,
    isReservable,
    reservationAccess: {
      SUBMIT_RESERVATIONS: own.submitReservations ?? '*',
      LIST_RESERVATIONS: own.listReservations ?? '*',
      ADMINISTER_RESERVATIONS: own.administerReservations ?? '*',
    },
    policy: own.policy ?? context.policyDefault,
    weight: own.weight ?? 1,
    minimum: own.minimum,
    maximum: own.maximum ?? context.queueMaximumResourcesDefault,
    maximumChild: own.maximumChild,
    maximumContainer: own.maximumContainer,
    maximumRunning: own.maximumRunning ?? context.queueMaximumDefault,
    amShare: own.amShare ?? context.amShareDefault,
    submit: own.submit,
    administer: own.administer,
    preemptable: !isReservable && (own.preemptable ?? true),
    minimumSharePreemptionTimeoutMs: own.minimumSharePreemptionTimeoutMs ?? above?.minimumSharePreemptionTimeoutMs,
    fairSharePreemptionTimeoutMs: own.fairSharePreemptionTimeoutMs ?? above?.fairSharePreemptionTimeoutMs,
    fairSharePreemptionThreshold: own.fairSharePreemptionThreshold ?? above?.fairSharePreemptionThreshold,
  });
  context.warnings.push(...uselessElements(`queue ${path}`, element, queueElements));
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
