// The table of policies.

import { CapacityPolicy } from './capacity/policy.ts';
import { FairPolicy } from './fair/policy.ts';
import { FifoPolicy } from './fifo/policy.ts';
import type { PolicyKind, PolicyOptions, SchedulingPolicy } from './policy.ts';

const policies: Record<PolicyKind, (options: PolicyOptions) => SchedulingPolicy> = {
  capacity: (options) => new CapacityPolicy(options),
  fair: (options) => new FairPolicy(options),
  fifo: (options) => new FifoPolicy(options),
};

/** The policy of a kind. Throws ConfigurationRefused when its queues are configured badly. */
export function createPolicy(options: PolicyOptions): SchedulingPolicy {
  return policies[options.kind](options);
}
