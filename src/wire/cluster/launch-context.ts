// What a container runs (ContainerLaunchContext): as masters send it, with a request to the resource manager or with a token to the node, and
// with all its parts, as it is kept and sent on.
import { fields, type JsonOf, many, mapOf, number, optional, text, whole, word } from '../../lib/json-shape.ts';

const name = text({ maxLength: 4096 });

const resourceType = word('FILE', 'ARCHIVE', 'PATTERN');
const visibility = word('PUBLIC', 'PRIVATE', 'APPLICATION');

/** One file, archive or pattern to be brought to the container's folder. */
export const localResource = fields({
  /** URI (`file:`, `http:`, `https:`) or plain path. */
  resource: text(),
  type: resourceType,
  visibility,
  /** Bytes; -1 means not checked. */
  size: number(),
  /** ms since the epoch; must equal the source's; -1 means not checked. */
  timestamp: number(),
  pattern: optional(text()),
});
export type LocalResource = JsonOf<typeof localResource>;

/** Whether a container that fails is started again on its node (ContainerRetryContext). */
const retryContext = fields({
  policy: word('NEVER_RETRY', 'RETRY_ON_ALL_ERRORS', 'RETRY_ON_SPECIFIC_ERROR_CODES'),
  /** Exit codes, for the last of the policies. */
  errorCodes: optional(many(whole(), { maxItems: 256 })),
  /** Starts after the first; -1: for ever. Default 0. */
  maximumRetries: optional(whole({ minimum: -1 })),
  /** Time between an end and the next start, ms; the node has a minimum. Default 0. */
  intervalMs: optional(number({ minimum: 0 })),
  /** Failures longer ago do not count, ms; -1: all count. Default -1. */
  failuresValidityIntervalMs: optional(number()),
});
export type RetryContext = JsonOf<typeof retryContext>;

/** What masters may leave out is there; how long the parts may be was checked where they came in. */
export const launchContext = fields({
  commands: many(text()),
  environment: mapOf(text()),
  localResources: mapOf(localResource),
  /** Auxiliary service → base64. */
  serviceData: mapOf(text()),
  /** Hadoop credentials file content, base64. */
  tokens: optional(text()),
  /** Each becomes a file that only the container's user reads; its variable NAME_FILE names it. Never in scripts or logs. */
  secretEnvironment: optional(mapOf(text())),
  retry: optional(retryContext),
});
export type LaunchContext = JsonOf<typeof launchContext>;

const sentLocalResource = fields({
  resource: name,
  type: optional(resourceType),
  visibility: optional(visibility),
  size: optional(number()),
  timestamp: optional(number()),
  pattern: optional(name),
});

/** A launch context as masters send it; parts that are empty may be left out. */
export const launchShape = fields({
  commands: many(text({ maxLength: 131_072 }), { maxItems: 64 }),
  environment: optional(mapOf(text())),
  localResources: optional(mapOf(sentLocalResource)),
  serviceData: optional(mapOf(text())),
  tokens: optional(text()),
  secretEnvironment: optional(mapOf(text())),
  retry: optional(retryContext),
});

/** The launch context with every part. */
export function completeLaunch(launch: JsonOf<typeof launchShape>): LaunchContext {
  const localResources = Object.fromEntries(
    Object.entries(launch.localResources ?? {}).map(([name, resource]): [string, LocalResource] => [
      name,
      {
        ...resource,
        resource: resource.resource,
        type: resource.type ?? 'FILE',
        visibility: resource.visibility ?? 'APPLICATION',
        size: resource.size ?? -1,
        timestamp: resource.timestamp ?? -1,
      },
    ]),
  );
  return {
    ...launch,
    commands: launch.commands,
    environment: launch.environment ?? {},
    localResources,
    serviceData: launch.serviceData ?? {},
  };
}
