// What a submission says and what it becomes: its own rules, in the order of RMWebServices, RMAppManager and
// ApplicationSubmissionContextPBImpl. What depends on queues and on who submits is held by `admission.ts`.
import { failure } from '../../model/errors.ts';
import { longMaximum, type Resource, type ResourceTypes } from '../../model/resource.ts';
import type { MasterBlacklisting, MasterPlaces, Submission } from '../applications/submission.ts';
import { parseReservationId } from '../reservations/reservation-system.ts';
import { amountOf, type NamedAmount } from './amounts.ts';

/** One request for the master's container. */
export interface MasterRequest {
  /** A host, `/rack`, or `*`; absent: `*`. */
  readonly resourceName: string | undefined;
  readonly capability: NamedAmount | undefined;
  readonly labelExpression: string | undefined;
  readonly relaxLocality: boolean | undefined;
}

/** A submission as its caller wrote it: what is undefined was not said. */
export interface SubmissionRequest {
  /** In its canonical form. */
  readonly applicationId: string;
  readonly name: string | undefined;
  readonly queue: string | undefined;
  readonly priority: number | undefined;
  readonly type: string | undefined;
  readonly tags: readonly string[];
  readonly unmanaged: boolean | undefined;
  readonly maximumAttempts: number | undefined;
  readonly keepContainers: boolean | undefined;
  readonly failuresValidityIntervalMs: number | undefined;
  readonly resource: NamedAmount | undefined;
  /** Instead of `resource`, where there are any. */
  readonly masterRequests: readonly MasterRequest[];
  /** `threshold` outside 0…1 counts as absent. */
  readonly masterBlacklisting: MasterBlacklisting | undefined;
  readonly launch: Submission['launch'];
  readonly viewAcl: string | undefined;
  readonly modifyAcl: string | undefined;
  readonly applicationLabelExpression: string | undefined;
  readonly masterLabelExpression: string | undefined;
  readonly logAggregation: Submission['logAggregation'];
  readonly reservationId: string | undefined;
  /** Seconds by the type of timeout. */
  readonly timeouts: ReadonlyMap<string, number> | undefined;
}

/** Limits a submission is held against. */
export interface SubmissionLimits {
  /** The most that one container may have, as configured (`yarn.scheduler.maximum-allocation-mb`, `-vcores`). */
  readonly configuredMaximum: Resource;
  /** Number of tags, and characters of one. */
  readonly maximumTags: number;
  readonly maximumTagLength: number;
  /** `yarn.resourcemanager.application-tag-based-placement.force-lowercase`. */
  readonly lowerCaseTags: boolean;
  readonly types: ResourceTypes;
}

/** Characters of an application type that are kept (YarnConfiguration.APPLICATION_TYPE_LENGTH). */
const longestType = 20;
const anywhere = '*';

/** A submission before it is known which queue takes it; without a priority it gets that queue's. */
export type AskedSubmission = Omit<Submission, 'priority'> & { readonly priority: number | undefined };

/** The submission of a request, every default filled in but that of the queue. @throws Failure naming the first rule broken */
export function checkedSubmission(request: SubmissionRequest, limits: SubmissionLimits): AskedSubmission {
  const { masterRequests, masterBlacklisting, timeouts, ...rest } = request;
  // Nobody gives a container to a master that runs elsewhere.
  const master = request.unmanaged ? undefined : checkedMasterRequests(masterRequests);
  const resource = master?.capability ? amount(master.capability, limits) : checkedResource(request.resource, limits);
  const reservationId = request.reservationId ? parseReservationId(request.reservationId) : undefined;
  const tags = checkedTags(request.tags, limits);
  return {
    ...rest,
    name: request.name ?? 'N/A',
    type: (request.type ?? 'YARN').slice(0, longestType),
    tags,
    unmanaged: request.unmanaged ?? false,
    maximumAttempts: request.maximumAttempts ?? 0,
    keepContainers: request.keepContainers ?? false,
    failuresValidityIntervalMs: request.failuresValidityIntervalMs ?? -1,
    resource,
    ...(master?.places === undefined ? {} : { masterPlaces: master.places }),
    ...(masterBlacklisting === undefined ? {} : { masterBlacklisting: withinShare(masterBlacklisting) }),
    masterLabelExpression: (master?.labelExpression ?? request.masterLabelExpression ?? '').trim(),
    reservationId,
    lifetimeSeconds: timeouts === undefined ? undefined : checkedLifetime(timeouts),
  };
}

/** The requests for the master's container: one for anywhere, which rules, and others that name hosts and racks. @throws Failure SUBMISSION_REFUSED */
function checkedMasterRequests(requests: readonly MasterRequest[]) {
  if (requests.length === 0) return undefined;
  const exception = 'InvalidResourceRequestException';
  const refuse = (reason: string) => failure('SUBMISSION_REFUSED', { reason: `Invalid resource request, ${reason}`, exception });
  const [rules, ...others] = requests.filter(({ resourceName }) => (resourceName ?? anywhere) === anywhere);
  if (rules === undefined) throw refuse(`no resource request specified with ${anywhere}`);
  if (others.length > 0) throw refuse(`only one resource request with ${anywhere} is allowed`);
  const names = requests.map(({ resourceName }) => resourceName ?? anywhere).filter((name) => name !== anywhere);
  const places: MasterPlaces = {
    nodes: names.filter((name) => !name.startsWith('/')),
    racks: names.filter((name) => name.startsWith('/')),
    relaxed: rules.relaxLocality ?? true,
  };
  return { capability: rules.capability, labelExpression: rules.labelExpression, places: names.length === 0 ? undefined : places };
}

/** Hadoop's own client protocol falls back to the cluster's share for a share outside 0…1. */
const withinShare = ({ enabled, threshold }: MasterBlacklisting): MasterBlacklisting =>
  threshold !== undefined && threshold >= 0 && threshold <= 1 ? { enabled, threshold } : { enabled };

/**
 * The master's size that is named beside the requests for its container (RMWebServices.createAppSubmissionContextResource); that of a request is
 * held against what the scheduler gives, with every other. @throws Failure TOO_MANY_CORES, TOO_MUCH_MEMORY
 */
function checkedResource(asked: NamedAmount | undefined, limits: SubmissionLimits): Resource {
  const named = asked ?? { memoryMiB: 0, vcores: 0, others: new Map<string, number>() };
  if (named.vcores > (limits.configuredMaximum[1] ?? 0)) throw failure('TOO_MANY_CORES');
  if (named.memoryMiB > (limits.configuredMaximum[0] ?? 0)) throw failure('TOO_MUCH_MEMORY');
  return amount(named, limits);
}

const amount = (named: NamedAmount, { types }: SubmissionLimits): Resource =>
  amountOf({ ...named, memoryMiB: Math.max(-longMaximum, named.memoryMiB) }, types);

/** Tags without duplicates, sorted. @throws Failure TOO_MANY_TAGS, TAG_TOO_LONG, TAG_NOT_ASCII */
function checkedTags(given: readonly string[], limits: SubmissionLimits): string[] {
  const tags = [...new Set(given)];
  if (tags.length > limits.maximumTags) throw failure('TOO_MANY_TAGS', { limit: limits.maximumTags });
  for (const tag of tags) {
    if (tag.length > limits.maximumTagLength) throw failure('TAG_TOO_LONG', { tag, limit: limits.maximumTagLength });
    if (!/^[\x20-\x7e]*$/.test(tag)) throw failure('TAG_NOT_ASCII', { tag });
  }
  return [...new Set(tags.map((tag) => (limits.lowerCaseTags ? tag.toLowerCase() : tag)))].sort();
}

/** The lifetime among timeouts, in seconds. @throws Failure SUBMISSION_REFUSED */
function checkedLifetime(timeouts: ReadonlyMap<string, number>): number | undefined {
  let lifetimeSeconds: number | undefined;
  for (const [type, seconds] of timeouts) {
    if (type.toUpperCase() !== 'LIFETIME') throw failure('SUBMISSION_REFUSED', { reason: `${type} is not a timeout; there is LIFETIME` });
    if (!(seconds > 0)) throw failure('SUBMISSION_REFUSED', { reason: `Invalid application timeout, value=${seconds} for type=LIFETIME` });
    lifetimeSeconds = seconds;
  }
  return lifetimeSeconds;
}
