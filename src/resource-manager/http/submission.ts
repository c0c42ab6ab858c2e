// Reads a submission and checks it, rule by rule in the order of RMWebServices and RMAppManager. Nothing is changed here.
import { failure } from '../../model/errors.ts';
import { formatApplicationId, InvalidId, parseApplicationId } from '../../model/ids.ts';
import { longMaximum, type Resource, type ResourceTypes, resourceText } from '../../model/resource.ts';
import type { LaunchContext, LocalResource, LogAggregationContext } from '../../wire/cluster/node-channel.ts';
import type { PlainSubmission, SubmissionContext } from '../../wire/cluster/submission.ts';
import { credentialsFile, leadingToken } from '../../wire/files/credentials.ts';
import type { MasterBlacklisting, MasterPlaces, Submission } from '../applications/application.ts';
import { parseReservationId } from '../reservations/reservation-system.ts';

/** Limits a submission is held against. */
export interface SubmissionLimits {
  /** `yarn.scheduler.maximum-allocation-vcores`, `-mb` as configured. */
  readonly configuredMaximum: Resource;
  /** Number of tags and length of one. */
  readonly maximumTags: number;
  readonly maximumTagLength: number;
  /** `…application-tag-based-placement.force-lowercase`. */
  readonly lowerCaseTags: boolean;
  readonly types: ResourceTypes;
}

const longestType = 20;

type Pairs<T> = Readonly<Record<string, T>> | ReadonlyMap<string, T> | readonly (readonly [string, T])[] | undefined;

/** The pairs of a map member, whichever form the reader gave it. */
function pairs<T>(value: Pairs<T>): [string, T][] {
  if (value === undefined) return [];
  return value instanceof Map ? [...value] : Array.isArray(value) ? value.map(([key, item]) => [key, item]) : Object.entries(value);
}

/** What absent texts become: REST's record makes them empty, Hadoop's own protocol leaves them unset. */
export type Absent = 'empty' | 'unset';

/** The submission of a body, every default filled in. @throws Failure naming the first rule broken */
export function parseSubmission(body: SubmissionContext | PlainSubmission, limits: SubmissionLimits, absent: Absent = 'empty'): Submission {
  const applicationId = parseId(body['application-id'] ?? '');
  const isEmpty = absent === 'empty';
  const spec = body['am-container-spec'] ?? {};
  const launch = parseLaunch(spec);
  const master = parseMasterRequests(body['am-container-resource-requests']);
  const resource = parseResource(master?.capability ?? body.resource, limits);
  const reservationId = body['reservation-id'] ? parseReservationId(body['reservation-id']) : undefined;
  const tags = parseTags(body['application-tags'] ?? [], limits);
  const acls = new Map(pairs(spec['application-acls']));
  return {
    applicationId,
    name: body['application-name'] ?? (isEmpty ? '' : 'N/A'),
    queue: body.queue,
    priority: body.priority ?? -1,
    type: (body['application-type'] ?? (isEmpty ? '' : 'YARN')).slice(0, longestType),
    tags,
    unmanaged: body['unmanaged-AM'] ?? false,
    maximumAttempts: body['max-app-attempts'] ?? 0,
    keepContainers: body['keep-containers-across-application-attempts'] ?? false,
    failuresValidityIntervalMs: Number(body['attempt-failures-validity-interval'] ?? -1),
    resource,
    ...(master?.places === undefined ? {} : { masterPlaces: master.places }),
    ...parseBlacklisting(body['am-black-listing-requests']),
    launch,
    viewAcl: acls.get('VIEW_APP'),
    modifyAcl: acls.get('MODIFY_APP'),
    applicationLabelExpression: body['app-node-label-expression'] ?? (isEmpty ? '' : undefined),
    masterLabelExpression: master?.labelExpression ?? body['am-container-node-label-expression'] ?? '',
    logAggregation: parseLogAggregation(body['log-aggregation-context']),
    reservationId,
    lifetimeSeconds: 'application-timeouts' in body ? parseTimeouts(body['application-timeouts']) : undefined,
  };
}

const anywhere = '*';

/** The requests for the master's container: one for anywhere, which rules, and others that name hosts and racks. @throws Failure SUBMISSION_REFUSED */
function parseMasterRequests(requests: SubmissionContext['am-container-resource-requests']) {
  if (requests === undefined || requests.length === 0) return undefined;
  const refuse = (reason: string) => failure('SUBMISSION_REFUSED', { reason: `Invalid resource request, ${reason}` });
  const [rules, ...others] = requests.filter(({ resourceName }) => (resourceName ?? anywhere) === anywhere);
  if (rules === undefined) throw refuse(`no resource request specified with ${anywhere}`);
  if (others.length > 0) throw refuse(`only one resource request with ${anywhere} is allowed`);
  const names = requests.map(({ resourceName }) => resourceName ?? anywhere).filter((name) => name !== anywhere);
  const places: MasterPlaces = {
    nodes: names.filter((name) => !name.startsWith('/')),
    racks: names.filter((name) => name.startsWith('/')),
    relaxed: rules.relaxLocality ?? true,
  };
  return { capability: rules.capability, labelExpression: rules.nodeLabelExpression, places: names.length === 0 ? undefined : places };
}

/** Whether masters avoid nodes on which one died. @throws Failure SUBMISSION_REFUSED */
function parseBlacklisting(asked: SubmissionContext['am-black-listing-requests']): { masterBlacklisting?: MasterBlacklisting } {
  if (asked === undefined) return {};
  const enabled = asked['am-black-listing-enabled'] ?? false;
  const threshold = Number(asked['disable-failure-threshold'] ?? Number.NaN);
  // Hadoop's own client protocol falls back to the cluster's share as well.
  return { masterBlacklisting: threshold >= 0 && threshold <= 1 ? { enabled, threshold } : { enabled } };
}

/** The lifetime among timeouts. @throws Failure SUBMISSION_REFUSED */
function parseTimeouts(timeouts: PlainSubmission['application-timeouts']): number | undefined {
  let seconds: number | undefined;
  for (const [type, value] of pairs(timeouts)) {
    if (type.toUpperCase() !== 'LIFETIME') throw failure('SUBMISSION_REFUSED', { reason: `${type} is not a timeout; there is LIFETIME` });
    seconds = Number(value);
    if (!(seconds > 0)) throw failure('SUBMISSION_REFUSED', { reason: 'the timeout LIFETIME must be a number of seconds above 0' });
  }
  return seconds;
}

function parseId(text: string): string {
  try {
    // However many zeros it was written with: everybody else names it by this form.
    return formatApplicationId(parseApplicationId(text));
  } catch (error) {
    if (error instanceof InvalidId) throw failure('APPLICATION_ID_NOT_PARSABLE', { id: text });
    throw error;
  }
}

type Spec = NonNullable<SubmissionContext['am-container-spec']>;

function parseLaunch(spec: Spec): LaunchContext {
  const serviceData: Record<string, string> = {};
  for (const [name, data] of pairs(spec['service-data'])) if (data) serviceData[name] = Buffer.from(data, 'base64url').toString('base64');
  const localResources: Record<string, LocalResource> = {};
  for (const [name, file] of pairs(spec['local-resources'])) localResources[name] = parseLocalResource(name, file as never);
  const tokens = parseCredentials(spec.credentials);
  const environment: Record<string, string> = {};
  for (const [name, value] of pairs(spec.environment)) environment[name] = value ?? '';
  return { commands: [...(spec.commands ?? [])], environment, localResources, serviceData, ...(tokens === undefined ? {} : { tokens }) };
}

const resourceKinds = ['FILE', 'ARCHIVE', 'PATTERN'] as const;
const visibilities = ['PUBLIC', 'PRIVATE', 'APPLICATION'] as const;
const oneOf = <T extends string>(words: readonly T[], text: string | undefined, standard: T): T =>
  words.includes(text as T) ? (text as T) : standard;

function parseLocalResource(
  name: string,
  file: NonNullable<Exclude<Pairs<object>, undefined>> & Record<string, string | number | undefined>,
): LocalResource {
  const { resource, type, visibility, size, timestamp, pattern } = file ?? {};
  if (resource === undefined || resource === '') throw failure('LOCAL_RESOURCE_WITHOUT_URI', { name });
  if (/[\s<>"{}|\\^`]/.test(String(resource)))
    throw failure('LOCAL_RESOURCE_MALFORMED', { name, member: 'resource', value: String(resource) });
  if (type !== undefined && !resourceKinds.includes(type as never))
    throw failure('LOCAL_RESOURCE_MALFORMED', { name, member: 'type', value: String(type) });
  if (visibility !== undefined && !visibilities.includes(visibility as never))
    throw failure('LOCAL_RESOURCE_MALFORMED', { name, member: 'visibility', value: String(visibility) });
  return {
    resource: String(resource),
    type: oneOf(resourceKinds, type as string | undefined, 'FILE'),
    visibility: oneOf(visibilities, visibility as string | undefined, 'APPLICATION'),
    size: Number(size ?? -1),
    timestamp: Number(timestamp ?? -1),
    ...(pattern === undefined ? {} : { pattern: String(pattern) }),
  };
}

/** Credentials as the file a container finds (Hadoop's token storage, version 0), base64; undefined for none. */
function parseCredentials(credentials: Spec['credentials']): string | undefined {
  const tokens = pairs(credentials?.tokens).map(([alias, text]): [string, Buffer] => [alias, tokenBytes(text)]);
  const secrets = pairs(credentials?.secrets).map(([alias, text]): [string, Buffer] => [alias, Buffer.from(text ?? '', 'base64url')]);
  if (tokens.length === 0 && secrets.length === 0) return undefined;
  return credentialsFile(tokens, secrets).toString('base64');
}

/** The bytes of an url-safe token: identifier, password, kind, service. @throws Failure CREDENTIALS_NOT_PARSABLE */
function tokenBytes(text: string | undefined): Buffer {
  try {
    return leadingToken(Buffer.from(text ?? '', 'base64url'));
  } catch {
    throw failure('CREDENTIALS_NOT_PARSABLE', { reason: 'null' });
  }
}

function parseResource(asked: SubmissionContext['resource'], { configuredMaximum, types }: SubmissionLimits): Resource {
  const memory = Math.max(-longMaximum, Number(asked?.memory ?? 0));
  const vcores = Number(asked?.vCores ?? 0);
  if (vcores > (configuredMaximum[1] ?? 0)) throw failure('TOO_MANY_CORES');
  if (memory > (configuredMaximum[0] ?? 0)) throw failure('TOO_MUCH_MEMORY');
  const resource = types.types.map(() => 0);
  resource[0] = memory;
  resource[1] = vcores;
  for (const { name, value } of asked?.resourceInformations ?? []) {
    const index = name === undefined ? undefined : types.indexOf(name);
    if (index !== undefined && index > 1) resource[index] = Number(value ?? 0);
  }
  return resource;
}

function parseTags(given: readonly string[], limits: SubmissionLimits): string[] {
  const tags = [...new Set(given)];
  if (tags.length > limits.maximumTags) throw failure('TOO_MANY_TAGS', { limit: limits.maximumTags });
  for (const tag of tags) {
    if (tag.length > limits.maximumTagLength) throw failure('TAG_TOO_LONG', { tag, limit: limits.maximumTagLength });
    if (!/^[\x20-\x7e]*$/.test(tag)) throw failure('TAG_NOT_ASCII', { tag });
  }
  return [...new Set(tags.map((tag) => (limits.lowerCaseTags ? tag.toLowerCase() : tag)))].sort();
}

function parseLogAggregation(context: SubmissionContext['log-aggregation-context']): LogAggregationContext | undefined {
  if (context === undefined) return undefined;
  return {
    includePattern: context['log-include-pattern'],
    excludePattern: context['log-exclude-pattern'],
    rolledLogsIncludePattern: context['rolled-log-include-pattern'],
    rolledLogsExcludePattern: context['rolled-log-exclude-pattern'],
    policyClassName: context['log-aggregation-policy-class-name'],
    policyParameters: context['log-aggregation-policy-parameters'],
  };
}

/** A master's size against what the scheduler gives now. @throws Failure SUBMISSION_REFUSED */
export function checkMasterResource(resource: Resource, maximum: Resource, configuredMaximum: Resource, types: ResourceTypes): void {
  const shown = (amount: Resource) => resourceText(amount, types);
  types.types.forEach(({ name }, index) => {
    const asked = resource[index] ?? 0;
    if (asked < 0) {
      const reason = `Invalid resource request! Cannot allocate containers as requested resource is less than 0! Requested resource type=[${name}], Requested resource=${shown(resource)}`;
      throw failure('SUBMISSION_REFUSED', { reason });
    }
    if (asked > (maximum[index] ?? 0)) {
      const reason = `Invalid resource request! Cannot allocate containers as requested resource is greater than maximum allowed allocation. Requested resource type=[${name}], Requested resource=${shown(resource)}, maximum allowed allocation=${shown(maximum)}, please note that maximum allowed allocation is calculated by scheduler based on maximum resource of registered NodeManagers, which might be less than configured maximum allocation=${shown(configuredMaximum)}`;
      throw failure('SUBMISSION_REFUSED', { reason });
    }
  });
}
