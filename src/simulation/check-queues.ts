// `heddle config check`: the queues of the settings, read as a resource manager reads them when it starts.

import type { Configuration } from '../config/load.ts';
import { resourceTypes } from '../config/resource-types.ts';
import { checkQueueFile, createPolicy, queueWarnings, warningsOfKeys } from '../scheduler/create-policy.ts';
import { policyKind, policyOptions } from '../scheduler-settings/policy-options.ts';
import { queueFilePath, refusable } from '../scheduler-settings/queue-files.ts';

/** Builds the scheduler's queues and throws them away; tells what of their file has no effect. @throws ConfigurationError with file, key and remedy when a resource manager would refuse them */
export function checkQueues(configuration: Configuration): readonly string[] {
  const options = policyOptions(configuration, resourceTypes(configuration), () => [], { now: () => 0, steadyMs: () => 0 });
  refusable(options.kind, configuration, () => {
    checkQueueFile(options.kind, options, options.types);
    createPolicy(options);
  });
  return queueWarnings(options.kind, options, options.types);
}

/** Where the queues of the settings' scheduler lie; undefined where it has no file, or there is no folder of settings. */
export const ownQueueFile = (configuration: Configuration): string | undefined => queueFilePath(policyKind(configuration), configuration);

/** `heddle queue set` and `add`: what of the keys that they change would have no effect, in sentences. */
export const warningsOfChange = (keys: ReadonlyMap<string, string>, changed: ReadonlySet<string>): readonly string[] =>
  warningsOfKeys(keys, changed);
