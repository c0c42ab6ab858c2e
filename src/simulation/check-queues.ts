// `heddle config check`: the queues of the settings, read as a resource manager reads them when it starts.
import type { Configuration } from '../config/load.ts';
import { refusable } from '../resource-manager/queue-files.ts';
import { checkFile } from '../resource-manager/scheduler/capacity/file-checks.ts';
import { createPolicy } from '../resource-manager/scheduler/create-policy.ts';
import { queueWarnings } from '../resource-manager/scheduler/queue-warnings.ts';
import { policyOptions, resourceTypes } from '../resource-manager/scheduler-settings.ts';

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
