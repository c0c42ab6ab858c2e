import type { Clock } from '../../src/lib/clock.ts';
import type { ResourceTypes } from '../../src/model/resource.ts';
import { schedulingDefaults } from '../../src/model/scheduling-defaults.ts';
import { presetSettings } from '../../src/scheduler/conformance/presets.ts';
import { createPolicy } from '../../src/scheduler/create-policy.ts';
import type { PolicyKind, SchedulingPolicy } from '../../src/scheduler/policy.ts';

const prefix = 'yarn.scheduler.capacity';
const capacityProperties = new Map([
  [`${prefix}.root.queues`, 'a,b,r'],
  [`${prefix}.root.a.capacity`, '50'],
  [`${prefix}.root.b.capacity`, '30'],
  [`${prefix}.root.r.capacity`, '20'],
  [`${prefix}.root.r.reservable`, 'true'],
  [`${prefix}.root.r.user-limit-factor`, '10'],
  [`${prefix}.root.r.average-capacity`, '100'],
  [`${prefix}.root.r.instantaneous-max-capacity`, '100'],
  [`${prefix}.root.a.queues`, 'a1,a2'],
  [`${prefix}.root.a.a1.capacity`, '50'],
  [`${prefix}.root.a.a2.capacity`, '50'],
  [`${prefix}.root.a.a1.user-limit-factor`, '4'],
  [`${prefix}.root.a.a2.user-limit-factor`, '4'],
  [`${prefix}.root.b.user-limit-factor`, '4'],
  [`${prefix}.root.b.maximum-application-lifetime`, '900'],
  [`${prefix}.root.b.default-application-lifetime`, '600'],
  [`${prefix}.maximum-am-resource-percent`, '0.6'],
  // Partition x is for a alone, y for all queues.
  [`${prefix}.root.accessible-node-labels.x.capacity`, '100'],
  [`${prefix}.root.accessible-node-labels.y.capacity`, '100'],
  [`${prefix}.root.a.accessible-node-labels`, 'x,y'],
  [`${prefix}.root.a.accessible-node-labels.x.capacity`, '100'],
  [`${prefix}.root.a.accessible-node-labels.y.capacity`, '50'],
  [`${prefix}.root.b.accessible-node-labels`, 'y'],
  [`${prefix}.root.b.accessible-node-labels.y.capacity`, '50'],
  [`${prefix}.root.a.a1.accessible-node-labels.x.capacity`, '50'],
  [`${prefix}.root.a.a1.accessible-node-labels.y.capacity`, '30'],
  [`${prefix}.root.a.a2.accessible-node-labels.x.capacity`, '50'],
  [`${prefix}.root.a.a2.accessible-node-labels.y.capacity`, '70'],
]);

/** What the fair queues may become; the first is what they are at first. */
export const fairAllocations = [
  `<?xml version="1.0"?><allocations>
  <queue name="a"><weight>3</weight><queue name="a1"/><queue name="a2"><fairSharePreemptionTimeout>5</fairSharePreemptionTimeout></queue></queue>
  <queue name="b"><weight>2</weight><minResources>2048 mb, 2 vcores</minResources></queue><queue name="r"><reservation/></queue>
</allocations>`,
  `<allocations>
  <queue name="a"><queue name="a1"><maxRunningApps>1</maxRunningApps></queue><queue name="a2"><schedulingPolicy>fifo</schedulingPolicy></queue></queue>
  <queue name="b"><minResources>4096 mb, 4 vcores</minResources><minSharePreemptionTimeout>4</minSharePreemptionTimeout></queue>
</allocations>`,
  `<allocations>
  <queue name="a"><schedulingPolicy>drf</schedulingPolicy><queue name="a1"><weight>9</weight></queue><queue name="a2"><maxResources>1024 mb, 1 vcores</maxResources></queue></queue>
  <queue name="b"><allowPreemptionFrom>false</allowPreemptionFrom></queue><queue name="c"/>
</allocations>`,
  // Queues that are no longer named stay for as long as they hold applications.
  `<allocations><queue name="b"><maxAMShare>0.2</maxAMShare></queue></allocations>`,
];

/** The keys of the capacity scheduler with some laid over them. */
export const capacityQueues = (over: ReadonlyMap<string, string>): Map<string, string> => new Map([...capacityProperties, ...over]);

/** A policy with a small tree of queues and preemption on; `properties` are the capacity scheduler's. */
export function smallPolicy(
  kind: PolicyKind,
  types: ResourceTypes,
  clock: Clock,
  properties: ReadonlyMap<string, string>,
): SchedulingPolicy {
  return createPolicy({
    kind,
    properties: kind === 'capacity' ? properties : new Map(),
    allocations: kind === 'fair' ? fairAllocations[0] : undefined,
    types,
    clock,
    settings: {
      ...presetSettings,
      maximumAllocation: [4096, 4],
      incrementMemoryMiB: 128,
      aclEnabled: false,
      reservationSystem: true,
      preemption: { ...schedulingDefaults.preemption, maximumWaitBeforeKillMs: 6000, totalPerRound: 0.5, naturalTerminationFactor: 1 },
      fair: { ...presetSettings.fair, preemption: true, preemptionUtilizationThreshold: 0.5, waitTimeBeforeKillMs: 5000 },
    },
  });
}
