// `heddle config check`: the queues of the settings, read as a resource manager reads them when it starts.
import type { Configuration } from '../config/load.ts';
import { checkFile } from '../scheduler/capacity/settings/file-checks.ts';
import { createPolicy } from '../scheduler/create-policy.ts';
import { queueWarnings } from '../scheduler/queue-warnings.ts';
import { policyOptions, resourceTypes } from '../scheduler-settings/policy-options.ts';
import { refusable } from '../scheduler-settings/queue-files.ts';

/** Builds the scheduler's queues and throws them away; tells what of their file has no effect. @throws ConfigurationError with file, key and remedy when a resource manager would refuse them */
export function checkQueues(configuration: Configuration): readonly string[] {
  const options = policyOptions(
    configuration,
    resourceTypes(configuration),
    () => [],
    () => 0,
  );
  refusable(options.kind, configuration, () => {
    if (options.kind === 'capacity') checkFile(options.properties, options.types);
    createPolicy(options);
  });
  return queueWarnings(options.kind, options.properties, options.allocations, options.types);
}
