// What a policy tells about its queues: numbers and vectors in the policy's own shape. Views turn it into wire records.

/** Grows per policy; discriminated by `kind`. */
export type SchedulerDescription = { kind: 'capacity' } | { kind: 'fair' } | { kind: 'fifo' };
