// What a container runs as masters send it: with an ask to the resource manager, or with a token to the node.
import { fields, type JsonOf, many, mapOf, number, optional, text, whole, word } from '../../lib/json-shape.ts';
import type { LaunchContext, LocalResource } from './node-channel.ts';

const name = text({ maxLength: 4096 });
const localResource = fields({
  resource: name,
  type: optional(word('FILE', 'ARCHIVE', 'PATTERN')),
  visibility: optional(word('PUBLIC', 'PRIVATE', 'APPLICATION')),
  size: optional(number()),
  timestamp: optional(number()),
  pattern: optional(name),
});
const retry = fields({
  policy: word('NEVER_RETRY', 'RETRY_ON_ALL_ERRORS', 'RETRY_ON_SPECIFIC_ERROR_CODES'),
  errorCodes: optional(many(whole(), { maxItems: 256 })),
  maximumRetries: optional(whole({ minimum: -1 })),
  intervalMs: optional(number({ minimum: 0 })),
  failuresValidityIntervalMs: optional(number()),
});

/** A launch context; parts that are empty may be left out. */
export const launchShape = fields({
  commands: many(text({ maxLength: 131_072 }), { maxItems: 64 }),
  environment: optional(mapOf(text())),
  localResources: optional(mapOf(localResource)),
  serviceData: optional(mapOf(text())),
  tokens: optional(text()),
  secretEnvironment: optional(mapOf(text())),
  retry: optional(retry),
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
