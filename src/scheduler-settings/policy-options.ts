// The scheduler's options from the settings and files.
import { resolve } from 'node:path';
import type { GroupsOf } from '../auth/access-lists.ts';
import { readOptionalFile } from '../config/hadoop-xml.ts';
import type { Configuration } from '../config/load.ts';
import { settingFault } from '../config/setting-fault.ts';
import { commonSettings } from '../config/settings/common.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import { schedulerSettings } from '../config/settings/scheduler.ts';
import type { ResourceType, ResourceTypes } from '../model/resource.ts';
import { ConfigurationRefused, type PolicyKind, type PolicyOptions } from '../scheduler/policy.ts';
import { type QueueFiles, queueFilePath, refusable } from './queue-files.ts';

/** The queues of a cluster that configures none: one, open to all, whose masters may take half of it. */
const defaultQueues = new Map([
  ['yarn.scheduler.capacity.root.queues', 'default'],
  ['yarn.scheduler.capacity.root.default.capacity', '100'],
  ['yarn.scheduler.capacity.root.default.user-limit-factor', '1'],
  ['yarn.scheduler.capacity.root.default.maximum-capacity', '100'],
  ['yarn.scheduler.capacity.maximum-am-resource-percent', '0.5'],
  ['yarn.scheduler.capacity.resource-calculator', 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator'],
]);

/** What lies in the queue files: the keys of capacity-scheduler.xml (or the default queues), the text of fair-scheduler.xml. */
export function queueFiles(configuration: Configuration): QueueFiles {
  return { properties: capacityProperties(configuration), allocations: allocationsOf(configuration) };
}

/** The file of `yarn.scheduler.fair.allocation.file`, or fair-scheduler.xml. @throws ConfigurationError where a named file is missing */
function allocationsOf(configuration: Configuration): string | undefined {
  const named = configuration.get('yarn.scheduler.fair.allocation.file')?.trim();
  if (!named || named === 'fair-scheduler.xml') return configuration.rawFile('fair-scheduler.xml');
  const path = queueFilePath('fair', configuration);
  const text = path === undefined ? undefined : readOptionalFile(path);
  if (text !== undefined) return text;
  throw settingFault(
    configuration,
    'yarn.scheduler.fair.allocation.file',
    `there is no file ${path ?? named}`,
    'Name the file with the queues, or leave the setting out for fair-scheduler.xml in --conf.',
  );
}

/** The capacity scheduler's properties: its file, or the default queues. */
function capacityProperties(configuration: Configuration): Map<string, string> {
  const properties = configuration.file('capacity-scheduler.xml');
  const named = properties.has('yarn.scheduler.capacity.root.queues');
  return named ? properties : new Map([...defaultQueues, ...properties]);
}

/** `mapping-rule-json-file`: its text counts as `mapping-rule-json`. @throws ConfigurationRefused where it is missing */
export function withRulesFile(properties: ReadonlyMap<string, string>, configuration: Configuration): ReadonlyMap<string, string> {
  const key = 'yarn.scheduler.capacity.mapping-rule-json-file';
  const name = properties.get(key)?.trim();
  if (!name || properties.get('yarn.scheduler.capacity.mapping-rule-json')?.trim()) return properties;
  const text = readOptionalFile(resolve(configuration.confDir ?? configuration.dataDir, name));
  if (text === undefined) throw new ConfigurationRefused(name, { key, remedy: 'There is no such file: name the file with the rules.' });
  return new Map([...properties, ['yarn.scheduler.capacity.mapping-rule-json', text]]);
}

const kinds: readonly (readonly [string, PolicyKind])[] = [
  ['FairScheduler', 'fair'],
  ['FifoScheduler', 'fifo'],
];

/** Which scheduler the settings ask for. */
export function policyKind(configuration: Configuration): PolicyKind {
  const { schedulerClass } = configuration.values(schedulerSettings);
  return kinds.find(([suffix, short]) => schedulerClass.endsWith(suffix) || schedulerClass === short)?.[1] ?? 'capacity';
}

/** A smallest container above the largest lets nothing run (CapacityScheduler.validateConf). @throws ConfigurationError */
function refuseBounds(configuration: Configuration, minimumKey: string, maximumKey: string): void {
  const [minimum, maximum] = [minimumKey, maximumKey].map((key) => Number(configuration.get(key)?.trim()));
  if (minimum! <= maximum!) return;
  const key = configuration.origin(minimumKey) === undefined ? maximumKey : minimumKey;
  const problem = `the smallest allocation (${minimum}) is above the largest (${maximum})`;
  throw settingFault(configuration, key, problem, `Let ${minimumKey} be at most ${maximumKey}.`);
}

/** Everything a policy is built from. */
export function policyOptions(
  configuration: Configuration,
  types: ResourceTypes,
  groupsOf: GroupsOf,
  clock: PolicyOptions['clock'],
): PolicyOptions {
  const common = configuration.values(commonSettings);
  const own = configuration.values(schedulerSettings);
  const manager = configuration.values(resourceManagerSettings);
  const kind = policyKind(configuration);
  refuseBounds(configuration, schedulerSettings.minimumMemoryMiB.key, schedulerSettings.maximumMemoryMiB.key);
  refuseBounds(configuration, schedulerSettings.minimumVcores.key, schedulerSettings.maximumVcores.key);
  const further = (pick: (type: ResourceType) => number) => types.types.slice(2).map(pick);
  return {
    kind,
    properties: refusable(kind, configuration, () => withRulesFile(capacityProperties(configuration), configuration)),
    ...(kind === 'fair' ? { allocations: allocationsOf(configuration) } : {}),
    types,
    clock,
    settings: {
      minimumAllocation: [own.minimumMemoryMiB, own.minimumVcores, ...further((type) => type.minimumAllocation)],
      maximumAllocation: [own.maximumMemoryMiB, own.maximumVcores, ...further((type) => type.maximumAllocation)],
      incrementMemoryMiB: own.incrementMemoryMiB,
      incrementVcores: own.incrementVcores,
      maximumPriority: manager.maximumApplicationPriority,
      aclEnabled: common.aclEnabled,
      nodeLabelsEnabled: manager.nodeLabelsEnabled,
      reservationSystem: manager.reservationSystemEnabled,
      heartbeatIntervalMs: manager.nodeHeartbeatIntervalMs,
      deletesQueues: own.monitorEnabled && own.monitorPolicies.some((name) => name.endsWith('AutoCreatedQueueDeletionPolicy')),
      workflowTagPrefix: own.workflowTagPrefix,
      preemption: own.monitorEnabled
        ? {
            monitoringIntervalMs: own.preemptionMonitoringIntervalMs,
            maximumWaitBeforeKillMs: own.preemptionMaximumWaitMs,
            totalPerRound: own.preemptionTotalPerRound,
            maximumIgnoredOverCapacity: own.preemptionMaximumIgnoredOverCapacity,
            naturalTerminationFactor: own.preemptionNaturalTerminationFactor,
            observeOnly: own.preemptionObserveOnly,
            balanceSatisfiedQueues: own.preemptionBalance,
            intraQueue: own.preemptionIntraQueueEnabled,
            intraQueueMinimumThreshold: own.preemptionIntraQueueMinimumThreshold,
            intraQueueMaximumLimit: own.preemptionIntraQueueMaximumLimit,
            intraQueueOrder: own.preemptionIntraQueuePolicy === 'priority_first' ? 'priority_first' : 'userlimit_first',
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
        nodeLocality: own.fairNodeLocality,
        rackLocality: own.fairRackLocality,
      },
      groupsOf,
    },
  };
}
