// The table of policies: how each is built, what a file of its queues is refused for, and what of it changes nothing.

import type { ResourceTypes } from '../model/resource.ts';
import type { QueueFileContents } from './abilities.ts';
import { CapacityPolicy } from './capacity/policy.ts';
import { checkFile } from './capacity/settings/file-checks.ts';
import { uselessKeys } from './capacity/settings/useless-keys.ts';
import { parseAllocations } from './fair/allocations.ts';
import { FairPolicy } from './fair/policy.ts';
import { FifoPolicy } from './fifo/policy.ts';
import type { PolicyKind, PolicyOptions, SchedulingPolicy } from './policy.ts';

interface PolicyType {
  create(options: PolicyOptions): SchedulingPolicy;
  /** @throws ConfigurationRefused for what only a file is refused for; building the policy refuses the rest */
  checkFile?(files: QueueFileContents, types: ResourceTypes): void;
  /** Sentences about what changes nothing. @throws ConfigurationRefused */
  warnings?(files: QueueFileContents, types: ResourceTypes): readonly string[];
  /** Its queues are changed key by key while they run (the policy has `queueEditing`). */
  readonly isEditable: boolean;
}

const policies: Record<PolicyKind, PolicyType> = {
  capacity: {
    create: (options) => new CapacityPolicy(options),
    checkFile: ({ properties }, types) => checkFile(properties, types),
    warnings: ({ properties }) => uselessKeys(properties),
    isEditable: true,
  },
  fair: {
    create: (options) => new FairPolicy(options),
    warnings: ({ allocations }, types) => parseAllocations(allocations, types).warnings,
    isEditable: false,
  },
  fifo: { create: (options) => new FifoPolicy(options), isEditable: false },
};

/** The policy of a kind. @throws ConfigurationRefused when its queues are configured badly */
export function createPolicy(options: PolicyOptions): SchedulingPolicy {
  return policies[options.kind].create(options);
}

/** What a queue file is refused for beside what building the policy refuses. @throws ConfigurationRefused */
export function checkQueueFile(kind: PolicyKind, files: QueueFileContents, types: ResourceTypes): void {
  policies[kind].checkFile?.(files, types);
}

/** What of a queue file is read and changes nothing, in sentences; none for a file of which everything counts. @throws ConfigurationRefused */
export function queueWarnings(kind: PolicyKind, files: QueueFileContents, types: ResourceTypes): readonly string[] {
  return policies[kind].warnings?.(files, types) ?? [];
}

/** The same of some keys of a capacity-scheduler.xml; the others say which queues there are. */
export const warningsOfKeys = (properties: ReadonlyMap<string, string>, asked: ReadonlySet<string>): readonly string[] =>
  uselessKeys(properties, asked);

/** Whether queues of that policy are changed key by key, and so may be kept in a store instead of a file. */
export const hasEditableQueues = (kind: PolicyKind): boolean => policies[kind].isEditable;
