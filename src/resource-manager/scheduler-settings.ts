// The scheduler's options from the settings and files.
import type { GroupsOf } from '../auth/access-lists.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import { schedulerSettings } from '../config/settings/scheduler.ts';
import { longMaximum, type ResourceType, ResourceTypes } from '../model/resource.ts';
import type { PolicyKind, PolicyOptions } from './scheduler/policy.ts';

/** The registered resource types: memory and vcores, then those of `yarn.resource-types`. */
export function resourceTypes(configuration: Configuration): ResourceTypes {
  const names = (configuration.get('yarn.resource-types') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'memory-mb' && name !== 'vcores');
  const number = (key: string, otherwise: number) => {
    const text = configuration.get(key);
    return text !== undefined && /^\d+$/.test(text.trim()) ? Number(text) : otherwise;
  };
  return new ResourceTypes(
    names.map(
      (name): ResourceType => ({
        name,
        units: configuration.get(`yarn.resource-types.${name}.units`) ?? '',
        minimumAllocation: number(`yarn.resource-types.${name}.minimum-allocation`, 0),
        maximumAllocation: number(`yarn.resource-types.${name}.maximum-allocation`, longMaximum),
      }),
    ),
  );
}

/** The queues of a cluster that configures none: one, open to all, whose masters may take half of it. */
const defaultQueues = new Map([
  ['yarn.scheduler.capacity.root.queues', 'default'],
  ['yarn.scheduler.capacity.root.default.capacity', '100'],
  ['yarn.scheduler.capacity.root.default.user-limit-factor', '1'],
  ['yarn.scheduler.capacity.root.default.maximum-capacity', '100'],
  ['yarn.scheduler.capacity.maximum-am-resource-percent', '0.5'],
  ['yarn.scheduler.capacity.resource-calculator', 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator'],
]);

/** The capacity scheduler's properties: its file, or the default queues. */
function capacityProperties(configuration: Configuration): Map<string, string> {
  const properties = configuration.file('capacity-scheduler.xml');
  const named = [...properties.keys()].some((key) => key === 'yarn.scheduler.capacity.root.queues');
  return named ? properties : new Map([...defaultQueues, ...properties]);
}

const kinds: readonly (readonly [string, PolicyKind])[] = [
  ['FairScheduler', 'fair'],
  ['FifoScheduler', 'fifo'],
];

/** Everything a policy is built from. */
export function policyOptions(configuration: Configuration, types: ResourceTypes, groupsOf: GroupsOf, now: () => number): PolicyOptions {
  const common = configuration.values(commonSettings);
  const own = configuration.values(schedulerSettings);
  const manager = configuration.values(resourceManagerSettings);
  const kind = kinds.find(([suffix]) => own.schedulerClass.endsWith(suffix))?.[1] ?? 'capacity';
  const further = (pick: (type: ResourceType) => number) => types.types.slice(2).map(pick);
  return {
    kind,
    properties: capacityProperties(configuration),
    allocations: configuration.rawFile('fair-scheduler.xml'),
    types,
    now,
    settings: {
      minimumAllocation: [own.minimumMemoryMiB, own.minimumVcores, ...further((type) => type.minimumAllocation)],
      maximumAllocation: [own.maximumMemoryMiB, own.maximumVcores, ...further((type) => type.maximumAllocation)],
      incrementMemoryMiB: own.incrementMemoryMiB,
      incrementVcores: own.incrementVcores,
      maximumPriority: manager.maximumApplicationPriority,
      aclEnabled: common.aclEnabled,
      adminAcl: common.adminAcl,
      nodeLabelsEnabled: manager.nodeLabelsEnabled,
      reservationSystem: manager.reservationSystemEnabled,
      preemption: own.monitorEnabled
        ? {
            monitoringIntervalMs: own.preemptionMonitoringIntervalMs,
            maximumWaitBeforeKillMs: own.preemptionMaximumWaitMs,
            totalPerRound: own.preemptionTotalPerRound,
            maximumIgnoredOverCapacity: own.preemptionMaximumIgnoredOverCapacity,
            naturalTerminationFactor: own.preemptionNaturalTerminationFactor,
            observeOnly: own.preemptionObserveOnly,
            intraQueue: own.preemptionIntraQueueEnabled,
          }
        : undefined,
      fair: {
        userAsDefaultQueue: own.fairUserAsDefaultQueue,
        allowUndeclaredPools: own.fairAllowUndeclaredPools,
        preemption: own.fairPreemption,
        preemptionUtilizationThreshold: own.fairPreemptionUtilizationThreshold,
        waitTimeBeforeKillMs: own.fairWaitTimeBeforeKillMs,
        updateIntervalMs: own.fairUpdateIntervalMs,
        sizeBasedWeight: own.fairSizeBasedWeight,
        assignMultiple: own.fairAssignMultiple,
        maximumAssign: -1,
      },
      groupsOf,
    },
  };
}
