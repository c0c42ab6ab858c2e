// Settings of a policy for tests and benches: each names what it needs otherwise.
import type { SchedulerSettings } from '../policy.ts';

export const presetSettings: SchedulerSettings = {
  minimumAllocation: [128, 1],
  maximumAllocation: [8192, 4],
  incrementMemoryMiB: 1024,
  incrementVcores: 1,
  maximumPriority: 10,
  aclEnabled: true,
  adminAcl: 'root admin',
  nodeLabelsEnabled: true,
  reservationSystem: false,
  preemption: undefined,
  heartbeatIntervalMs: 1000,
  deletesQueues: false,
  workflowTagPrefix: 'workflowid:',
  fair: {
    userAsDefaultQueue: true,
    allowUndeclaredPools: true,
    preemption: false,
    preemptionUtilizationThreshold: 0.8,
    waitTimeBeforeKillMs: 15_000,
    updateIntervalMs: 500,
    sizeBasedWeight: false,
    nodeLocality: -1,
    rackLocality: -1,
    assignMultiple: false,
    maximumAssign: -1,
  },
  groupsOf: () => [],
};
