// The submission context: body of `POST /ws/v1/cluster/apps` (ApplicationSubmissionContextInfo of Hadoop 3.4).
import { boolean, holder, int, list, long, map, object, record, type Shape, text } from '../codec/describe.ts';
import { resourceRequest } from './application.ts';
import { resourceInfo } from './resource.ts';

/** A file the container needs. */
export const localResource = object({
  resource: text(),
  type: text(),
  visibility: text(),
  size: long(),
  timestamp: long(),
  pattern: text(),
});

/** What a container runs (ContainerLaunchContextInfo). */
export const launchContext = object({
  'local-resources': map(localResource, { needsKeys: true }),
  environment: map(text(), { needsKeys: true }),
  commands: holder('command', text()),
  'service-data': map(text(), { needsKeys: true }),
  credentials: object({ tokens: map(text(), { needsKeys: true }), secrets: map(text(), { needsKeys: true }) }),
  'application-acls': map(text(), { needsKeys: true }),
});

/** Which logs are gathered (LogAggregationContextInfo). */
export const logAggregationContext = object({
  'log-include-pattern': text(),
  'log-exclude-pattern': text(),
  'rolled-log-include-pattern': text(),
  'rolled-log-exclude-pattern': text(),
  'log-aggregation-policy-class-name': text(),
  'log-aggregation-policy-parameters': text(),
});

const submissionFields = {
  'application-id': text(),
  'application-name': text(),
  queue: text(),
  priority: int(),
  'am-container-spec': launchContext,
  'unmanaged-AM': boolean(),
  'cancel-tokens-when-complete': boolean(),
  'max-app-attempts': int(),
  resource: resourceInfo,
  'application-type': text(),
  'keep-containers-across-application-attempts': boolean(),
  'application-tags': holder('tag', text()),
  'app-node-label-expression': text(),
  'am-container-node-label-expression': text(),
  'log-aggregation-context': logAggregationContext,
  'attempt-failures-validity-interval': long(),
  'reservation-id': text(),
  'am-black-listing-requests': object({ 'am-black-listing-enabled': boolean(), 'disable-failure-threshold': text() }),
  'am-container-resource-requests': list(resourceRequest),
};

/** The whole submission. The last two members are of Hadoop's own client protocol, not of its REST interface. */
export const submissionContext = record('application-submission-context', submissionFields, { json: 'natural', wrapped: false });
export type SubmissionContext = Shape<typeof submissionContext>;

/** A command that Heddle's own master runs in containers, instead of a launch context. */
const run = object({
  /** Words; run as they are, without a shell. */
  command: list(text()),
  instances: int(),
  memoryMiB: int(),
  vcores: int(),
  /** Amounts of further resource types of each instance. */
  resources: map(int()),
  environment: map(text()),
  /** By name: content as text or base64, or an address that nodes read; archives are unpacked to a folder of the name. */
  files: map(object({ text: text(), base64: text(), uri: text(), archive: boolean() })),
  /** Each becomes a file that the variable NAME_FILE names. */
  secrets: map(text()),
  retries: int(),
  opportunistic: boolean(),
  /** Allocation tags of its containers, and where they may stand, in YARN's constraint language. */
  tags: list(text()),
  constraint: text(),
});

/** Body of `POST /api/v1/applications`: the same and, as in Hadoop's own client protocol, timeouts in seconds by their type; a key under which it is taken once; a command to run. */
export const plainSubmission = record(
  'application-submission-context',
  { ...submissionFields, 'application-timeouts': map(long()), 'idempotency-key': text(), run },
  { json: 'natural', wrapped: false },
);
export type PlainSubmission = Shape<typeof plainSubmission>;
