// Reads the body of a submission: what REST writes as texts, pairs and base64 becomes plain values for the command, which holds the rules.

import { failure } from '../../model/errors.ts';
import { InvalidId, usualApplicationId } from '../../model/ids.ts';
import type { LogAggregationContext } from '../../wire/cluster/container-messages.ts';
import type { LaunchContext, LocalResource } from '../../wire/cluster/launch-context.ts';
import type { localResource, PlainSubmission, SubmissionContext } from '../../wire/cluster/submission.ts';
import type { Shape } from '../../wire/codec/describe.ts';
import { credentialsFile, leadingToken } from '../../wire/files/credentials.ts';
import type { MasterRequest, SubmissionRequest } from '../commands/submission-request.ts';
import type { CommandFile, CommandRequest } from '../commands/submit-command.ts';
import { namedAmount } from './amounts.ts';

type Pairs<T> = Readonly<Record<string, T>> | ReadonlyMap<string, T> | readonly (readonly [string, T])[] | undefined;

/** The pairs of a map member, whichever form the reader gave it. */
function pairs<T>(value: Pairs<T>): [string, T][] {
  if (value === undefined) return [];
  return value instanceof Map ? [...value] : Array.isArray(value) ? value.map(([key, item]) => [key, item]) : Object.entries(value);
}

/** The pairs of a map whose entries need values. @throws Failure BAD_REQUEST */
function valued<T>(value: Pairs<T>, member: string): [string, NonNullable<T>][] {
  return pairs(value).map(([key, item]) => {
    if (item === undefined || item === null) throw failure('BAD_REQUEST', { reason: `${member} has nothing for ${key}` });
    return [key, item];
  });
}

/** What absent texts become: REST's record makes them empty, Hadoop's own protocol leaves them unset. */
export type Absent = 'empty' | 'unset';

/**
 * The request of a body. Read in the order of RMWebServices: the id, then what the master runs.
 * @throws Failure APPLICATION_ID_NOT_PARSABLE, LOCAL_RESOURCE_WITHOUT_URI, LOCAL_RESOURCE_MALFORMED, CREDENTIALS_NOT_PARSABLE
 */
export function readSubmission(body: SubmissionContext | PlainSubmission, absent: Absent = 'empty'): SubmissionRequest {
  const applicationId = parseId(body['application-id'] ?? '');
  const whenAbsent = absent === 'empty' ? '' : undefined;
  const spec = body['am-container-spec'] ?? {};
  const acls = new Map(valued(spec['application-acls'], 'application-acls'));
  const validityIntervalMs = body['attempt-failures-validity-interval'];
  return {
    applicationId,
    launch: parseLaunch(spec, absent),
    name: body['application-name'] ?? whenAbsent,
    queue: body.queue,
    // Submissions by REST always name a priority (ApplicationSubmissionContextInfo).
    priority: body.priority ?? -1,
    type: body['application-type'] ?? whenAbsent,
    tags: body['application-tags'] ?? [],
    unmanaged: body['unmanaged-AM'],
    maximumAttempts: body['max-app-attempts'],
    keepContainers: body['keep-containers-across-application-attempts'],
    failuresValidityIntervalMs: validityIntervalMs === undefined ? undefined : Number(validityIntervalMs),
    resource: body.resource && namedAmount(body.resource),
    masterRequests: (body['am-container-resource-requests'] ?? []).map(readMasterRequest),
    masterBlacklisting: readBlacklisting(body['am-black-listing-requests']),
    viewAcl: acls.get('VIEW_APP'),
    modifyAcl: acls.get('MODIFY_APP'),
    applicationLabelExpression: body['app-node-label-expression'] ?? whenAbsent,
    masterLabelExpression: body['am-container-node-label-expression'],
    logAggregation: parseLogAggregation(body['log-aggregation-context']),
    reservationId: body['reservation-id'],
    timeouts:
      'application-timeouts' in body
        ? new Map(pairs(body['application-timeouts']).map(([type, value]) => [type, Number(value)]))
        : undefined,
  };
}

type BodyRequest = NonNullable<SubmissionContext['am-container-resource-requests']>[number];

const readMasterRequest = ({ resourceName, capability, nodeLabelExpression, relaxLocality }: BodyRequest): MasterRequest => ({
  resourceName,
  capability: capability && namedAmount(capability),
  labelExpression: nodeLabelExpression,
  relaxLocality,
});

function readBlacklisting(asked: SubmissionContext['am-black-listing-requests']): SubmissionRequest['masterBlacklisting'] {
  if (asked === undefined) return undefined;
  const threshold = asked['disable-failure-threshold'];
  return { enabled: asked['am-black-listing-enabled'] ?? false, threshold: threshold === undefined ? undefined : Number(threshold) };
}

function parseId(text: string): string {
  try {
    // However many zeros it was written with: all others name it by this form.
    return usualApplicationId(text);
  } catch (error) {
    if (error instanceof InvalidId) throw failure('APPLICATION_ID_NOT_PARSABLE', { id: text });
    throw error;
  }
}

/** Bytes of base64 of either alphabet, with breaks of lines, filled up or not; null where it is none. */
function bytesOfBase64(text: string): Buffer | null {
  const letters = text.replace(/[\r\n\t ]/g, '').replace(/={1,2}$/, '');
  return letters.length % 4 !== 1 && /^[\w+/-]*$/.test(letters) ? Buffer.from(letters, 'base64') : null;
}

/** What a body wants run; undefined where it has a launch context of its own. @throws Failure BAD_REQUEST */
export function readRun({ run, 'am-container-spec': spec }: PlainSubmission): CommandRequest | undefined {
  if (run === undefined || run === null) return undefined;
  const bad = (reason: string) => failure('BAD_REQUEST', { reason });
  if (spec !== undefined) throw bad('a body has run or am-container-spec, not both');
  const files = pairs(run.files).map(([name, file]): [string, CommandFile] => {
    const { text, base64, uri, archive = false } = file ?? {};
    if (text !== undefined && base64 !== undefined) throw bad(`run.files.${name} must have one of text, base64 and uri`);
    const content = text !== undefined ? Buffer.from(text) : base64 === undefined ? undefined : bytesOfBase64(base64);
    if (content === null) throw bad(`run.files.${name}.base64 is no base64`);
    return [name, { content, uri, isArchive: archive }];
  });
  return {
    command: run.command ?? [],
    instances: run.instances,
    memoryMiB: run.memoryMiB,
    vcores: run.vcores,
    resources: new Map(pairs(run.resources).map(([name, amount]) => [name, amount ?? 0])),
    environment: new Map(pairs(run.environment).map(([name, value]) => [name, value ?? ''])),
    files: new Map(files),
    secrets: new Map(pairs(run.secrets).map(([name, value]) => [name, value ?? ''])),
    retries: run.retries,
    opportunistic: run.opportunistic,
    tags: run.tags,
    constraint: run.constraint,
  };
}

type Spec = NonNullable<SubmissionContext['am-container-spec']>;

/** @throws Failure BAD_REQUEST, LOCAL_RESOURCE_MALFORMED, LOCAL_RESOURCE_WITHOUT_URI, CREDENTIALS_NOT_PARSABLE */
function parseLaunch(spec: Spec, absent: Absent): LaunchContext {
  const serviceData: Record<string, string> = {};
  for (const [name, data] of valued(spec['service-data'], 'service-data'))
    if (data) serviceData[name] = Buffer.from(data, 'base64url').toString('base64');
  const localResources: Record<string, LocalResource> = {};
  for (const [name, file] of pairs(spec['local-resources'])) localResources[name] = parseLocalResource(name, file ?? {}, absent);
  const tokens = parseCredentials(spec.credentials);
  const environment: Record<string, string> = {};
  for (const [name, value] of pairs(spec.environment)) environment[name] = value ?? '';
  return { commands: [...(spec.commands ?? [])], environment, localResources, serviceData, ...(tokens === undefined ? {} : { tokens }) };
}

const resourceKinds = ['FILE', 'ARCHIVE', 'PATTERN'] as const;
const visibilities = ['PUBLIC', 'PRIVATE', 'APPLICATION'] as const;
/** The word of a list that a text is; the usual one where there may be no text. @throws Failure LOCAL_RESOURCE_MALFORMED */
function wordOf<T extends string>(
  words: readonly T[],
  text: string | undefined,
  usual: T | undefined,
  about: { name: string; member: string },
): T {
  if (text === undefined && usual !== undefined) return usual;
  const word = words.find((known) => known === text);
  if (word === undefined) throw failure('LOCAL_RESOURCE_MALFORMED', { ...about, value: text ?? 'null' });
  return word;
}

type BodyFile = Shape<typeof localResource>;

function parseLocalResource(
  name: string,
  { resource, type, visibility, size, timestamp, pattern }: BodyFile,
  absent: Absent,
): LocalResource {
  if (resource === undefined || resource === '') throw failure('LOCAL_RESOURCE_WITHOUT_URI', { name });
  if (/[\s<>"{}|\\^`]/.test(resource) || (/^[a-z][a-z\d+.-]*:\/\//i.test(resource) && !URL.canParse(resource)))
    throw failure('LOCAL_RESOURCE_MALFORMED', { name, member: 'resource', value: resource });
  // Hadoop's own interface needs both.
  const mayBeAbsent = absent === 'unset';
  return {
    resource,
    type: wordOf(resourceKinds, type, mayBeAbsent ? 'FILE' : undefined, { name, member: 'type' }),
    visibility: wordOf(visibilities, visibility, mayBeAbsent ? 'APPLICATION' : undefined, { name, member: 'visibility' }),
    size: Number(size ?? -1),
    timestamp: Number(timestamp ?? -1),
    ...(pattern === undefined ? {} : { pattern }),
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
