// What the scheduler is told where the settings say nothing (yarn-default.xml): the table of settings and a scheduler that is built without settings
// take it from here.

/** Defaults by the names that the scheduler's code uses; sizes in MiB, times in ms, parts from 0 to 1. */
export const schedulingDefaults = {
  minimumMemoryMiB: 1024,
  minimumVcores: 1,
  maximumMemoryMiB: 8192,
  maximumVcores: 4,
  incrementMemoryMiB: 1024,
  incrementVcores: 1,
  heartbeatIntervalMs: 1000,
  workflowTagPrefix: 'workflowid:',
  preemption: {
    monitoringIntervalMs: 3000,
    maximumWaitBeforeKillMs: 15_000,
    totalPerRound: 0.1,
    maximumIgnoredOverCapacity: 0.1,
    naturalTerminationFactor: 0.2,
    observeOnly: false,
    balanceSatisfiedQueues: false,
    intraQueue: false,
    intraQueueMinimumThreshold: 0.5,
    intraQueueMaximumLimit: 0.2,
    intraQueueOrder: 'userlimit_first',
  },
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
  },
} as const;
