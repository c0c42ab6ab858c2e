// Builds the scheduler's policy from the settings, the queue files and the queue changes of earlier processes.

import type { GroupsOf } from '../../auth/access-lists.ts';
import { resourceTypes } from '../../config/resource-types.ts';
import { schedulerSettings } from '../../config/settings/scheduler.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { PolicyKind, QueueFileContents } from '../../scheduler/abilities.ts';
import { checkQueueFile, createPolicy, hasEditableQueues, queueWarnings } from '../../scheduler/create-policy.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { policyOptions, withRulesFile } from '../../scheduler-settings/policy-options.ts';
import { refusable } from '../../scheduler-settings/queue-files.ts';
import { type StoredQueues, storedQueues } from '../queue-configuration.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { Starting } from './starting.ts';

/** What was built. */
export interface BuiltScheduler {
  /** Which policy the settings name. */
  readonly kind: PolicyKind;
  readonly policy: SchedulingPolicy;
  readonly types: ResourceTypes;
  /** `yarn.cluster.max-application-priority`, for applications from here on. */
  readonly useMaximumPriority: (maximum: number) => void;
  /** What changes by REST have made of the queues; undefined where the file counts. */
  readonly stored: StoredQueues | undefined;
  /** Refuses files that no policy takes, and warns of what is useless in them. @throws ConfigurationError, ConfigurationRefused */
  readonly checkFiles: (files: QueueFileContents) => void;
}

/** Builds it. @throws ConfigurationError for queues that the policy refuses: the resource manager does not start with them */
export function buildScheduler(
  { configuration, clock, logger }: Starting,
  store: ResourceManagerStore,
  groupsOf: GroupsOf,
): BuiltScheduler {
  const types = resourceTypes(configuration);
  const options = policyOptions(configuration, types, groupsOf, clock);
  const stored = storedQueues(hasEditableQueues(options.kind), configuration.values(schedulerSettings).configurationStoreClass, store);
  const checkFiles = (files: QueueFileContents): void => {
    checkQueueFile(options.kind, files, types);
    for (const warning of queueWarnings(options.kind, files, types)) logger.warn(warning);
  };
  const policy = refusable(options.kind, configuration, () => {
    checkFiles(options);
    return createPolicy(stored ? { ...options, properties: withRulesFile(stored.properties, configuration) } : options);
  });
  const useMaximumPriority = (maximum: number): void => {
    options.settings.maximumPriority = maximum;
  };
  return { kind: options.kind, policy, types, useMaximumPriority, stored, checkFiles };
}
