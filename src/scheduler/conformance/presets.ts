// Settings of a policy for tests and benches: the defaults of the settings, with small containers, several priorities, access lists and labels. Each
// test names what it needs otherwise.
import { schedulingDefaults } from '../../model/scheduling-defaults.ts';
import type { PreemptionSettings, SchedulerSettings } from '../policy.ts';

const { incrementMemoryMiB, incrementVcores, maximumMemoryMiB, maximumVcores, heartbeatIntervalMs, workflowTagPrefix } = schedulingDefaults;

export const presetSettings: SchedulerSettings = {
  minimumAllocation: [128, 1],
  maximumAllocation: [maximumMemoryMiB, maximumVcores],
  incrementMemoryMiB,
  incrementVcores,
  maximumPriority: 10,
  aclEnabled: true,
  nodeLabelsEnabled: true,
  reservationSystem: false,
  preemption: undefined,
  heartbeatIntervalMs,
  deletesQueues: false,
  workflowTagPrefix,
  fair: schedulingDefaults.fair,
  groupsOf: () => [],
};

/** Preemption that takes all it may in each of its rounds, every half second. */
export const eagerPreemption: PreemptionSettings = {
  ...schedulingDefaults.preemption,
  monitoringIntervalMs: 500,
  maximumWaitBeforeKillMs: 500,
  totalPerRound: 1,
  naturalTerminationFactor: 1,
  intraQueueMaximumLimit: 1,
};
