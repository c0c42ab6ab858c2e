// The table of policies.

import { CapacityPolicy } from './capacity/policy.ts';
import type { PolicyOptions, SchedulingPolicy } from './policy.ts';

/** The policy of a kind. Throws ConfigurationRefused when its queues are configured badly. */
export function createPolicy(options: PolicyOptions): SchedulingPolicy {
  return new CapacityPolicy(options);
}
