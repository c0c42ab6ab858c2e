// How many containers a second the capacity policy places on one core, with queue limits and user limits on.
import { Simulator } from '../src/resource-manager/scheduler/simulator.ts';
import type { Measure } from './measure.ts';

interface Load {
  nodes: number;
  parents: number;
  leaves: number;
  applications: number;
  asks: number;
}

/** Queues two levels deep with equal parts, three users each. */
function queuesOf({ parents, leaves }: Load): Record<string, string> {
  const names = Array.from({ length: parents }, (_, i) => `p${i}`);
  const queues: Record<string, string> = {
    'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
    'maximum-am-resource-percent': '1',
    'maximum-applications': '1000000',
    'root.queues': names.join(','),
    'legacy-queue-mode.enabled': 'true',
  };
  for (const name of names) {
    queues[`root.${name}.capacity`] = '1w';
    queues[`root.${name}.queues`] = Array.from({ length: leaves }, (_, i) => `l${name}x${i}`).join(',');
    for (let i = 0; i < leaves; i++) {
      const path = `root.${name}.l${name}x${i}`;
      queues[`${path}.capacity`] = '1w';
      queues[`${path}.minimum-user-limit-percent`] = '25';
      queues[`${path}.user-limit-factor`] = '2';
      queues[`${path}.maximum-capacity`] = '100';
    }
  }
  return queues;
}

/** Fills an empty cluster and then replaces containers that end. */
function measure(load: Load): { fill: number; steady: number; placed: number } {
  const simulator = new Simulator({ queues: queuesOf(load), settings: { minimumAllocation: [512, 1] } });
  simulator.addNodes(load.nodes, 256 * 1024, 128);
  const leaves = Array.from({ length: load.parents }, (_, p) =>
    Array.from({ length: load.leaves }, (_, l) => `root.p${p}.lp${p}x${l}`),
  ).flat();
  for (let i = 0; i < load.applications; i++) {
    const { attemptId } = simulator.submit({ queue: leaves[i % leaves.length]!, user: `user${i % 3}` });
    simulator.policy.updateAsks(
      attemptId,
      [{ askId: 'tasks', priority: 1, resource: [2048 + 512 * (i % 3), 1 + (i % 2)], count: load.asks }],
      [],
    );
  }
  let number = 0;
  const containers: string[] = [];
  const place = (): number => {
    let placed = 0;
    for (;;) {
      const decisions = simulator.policy.schedule(1000, () => `container_1_0001_01_${++number}`);
      for (const decision of decisions) {
        if (decision.kind !== 'allocate') continue;
        placed++;
        containers.push(decision.containerId);
      }
      if (!simulator.policy.hasWork()) return placed;
    }
  };
  const began = performance.now();
  const placed = place();
  const fill = placed / ((performance.now() - began) / 1000);
  const steadyBegan = performance.now();
  let again = 0;
  let oldest = 0;
  for (let round = 0; round < 50; round++) {
    for (let i = 0; i < 1000 && oldest < containers.length; i++) simulator.policy.containerEnded(containers[oldest++]!);
    again += place();
  }
  return { fill, steady: again / ((performance.now() - steadyBegan) / 1000), placed };
}

const loads: [string, Load][] = [
  ['5,000 nodes, 500 queues', { nodes: 5000, parents: 20, leaves: 25, applications: 5000, asks: 60 }],
  ['20,000 nodes, 10,000 queues', { nodes: 20_000, parents: 100, leaves: 100, applications: 20_000, asks: 40 }],
];

export async function scheduler(): Promise<Measure[]> {
  const results: Measure[] = [];
  for (const [name, load] of loads) {
    const { fill, steady, placed } = measure(load);
    results.push({ name: `${name}: filling (${placed} containers)`, value: fill, unit: 'placements/s' });
    results.push({ name: `${name}: 1,000 end, 1,000 start`, value: steady, unit: 'placements/s' });
  }
  return results;
}
