// One cluster under one load: queues two levels deep with equal parts and limits of users, some nodes behind a label.
import { existsSync, openSync, readSync } from 'node:fs';
import { decisionsPerCall, decisionsPerSlice, sliceMs } from '../../src/resource-manager/cluster/scheduling.ts';
import { Simulator, type SimulatorOptions } from '../../src/scheduler/conformance/simulator.ts';

/** CPU milliseconds of this thread: what else runs on the machine does not count. */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** The kernel's count of how long this thread has waited for a processor (Linux): the second number, in nanoseconds. */
const waits = existsSync('/proc/thread-self/schedstat') ? openSync('/proc/thread-self/schedstat', 'r') : undefined;
const text = Buffer.alloc(100);

/** Milliseconds that count for a slice: the clock's, without waits for a processor. CPU time moves in ticks as long as a slice. */
function ownMs(): number {
  if (waits === undefined) return performance.now();
  const length = readSync(waits, text, 0, text.length, 0);
  return performance.now() - Number(text.toString('latin1', 0, length).split(' ')[1]) / 1e6;
}

export interface Load {
  kind?: 'capacity' | 'fair';
  nodes: number;
  /** Of one node. */
  memoryMiB: number;
  vcores: number;
  parents: number;
  leaves: number;
  applications: number;
  /** Containers that each application wants. */
  requests: number;
  /** Times that containers are replaced. */
  rounds?: number;
  /** Every tenth node and application is in the partition `gpu`. */
  labels: boolean;
}

function capacityQueues({ parents, leaves, labels }: Load): Record<string, string> {
  const names = Array.from({ length: parents }, (_, i) => `p${i}`);
  const queues: Record<string, string> = {
    'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
    'maximum-am-resource-percent': '1',
    'maximum-applications': '1000000',
    'root.queues': names.join(','),
    'legacy-queue-mode.enabled': 'true',
  };
  const label = (path: string): void => {
    if (!labels) return;
    queues[`root.accessible-node-labels`] = '*';
    queues[`root.accessible-node-labels.gpu.capacity`] = '100';
    queues[`${path}.accessible-node-labels`] = 'gpu';
    queues[`${path}.accessible-node-labels.gpu.capacity`] = '1w';
  };
  for (const name of names) {
    queues[`root.${name}.capacity`] = '1w';
    queues[`root.${name}.queues`] = Array.from({ length: leaves }, (_, i) => `l${name}x${i}`).join(',');
    label(`root.${name}`);
    for (let i = 0; i < leaves; i++) {
      const path = `root.${name}.l${name}x${i}`;
      queues[`${path}.capacity`] = '1w';
      queues[`${path}.minimum-user-limit-percent`] = '25';
      queues[`${path}.user-limit-factor`] = '2';
      queues[`${path}.maximum-capacity`] = '100';
      label(path);
    }
  }
  return queues;
}

function fairQueues({ parents, leaves }: Load): string {
  const leaf = (p: number, l: number) => `<queue name="lp${p}x${l}"><weight>${1 + (l % 3)}</weight></queue>`;
  const parent = (p: number) => `<queue name="p${p}">${Array.from({ length: leaves }, (_, l) => leaf(p, l)).join('')}</queue>`;
  return `<allocations>${Array.from({ length: parents }, (_, p) => parent(p)).join('')}</allocations>`;
}

/** The policy with its nodes, queues and applications, nothing placed yet. */
export class Loaded {
  readonly simulator: Simulator;
  /** Ids of containers in the order in which they were given. */
  readonly containers: string[] = [];
  /** Milliseconds of each slice. */
  readonly slices: number[] = [];
  #numbers = 0;
  #oldest = 0;

  constructor(load: Load) {
    const options: SimulatorOptions = { kind: load.kind ?? 'capacity', settings: { minimumAllocation: [512, 1] } };
    if (load.kind === 'fair') options.allocations = fairQueues(load);
    else options.queues = capacityQueues(load);
    this.simulator = new Simulator(options);
    const { policy } = this.simulator;
    const labelled = load.labels ? Math.floor(load.nodes / 10) : 0;
    if (labelled > 0) policy.labels?.setPartitions(new Map([['gpu', { exclusive: true }]]));
    this.simulator.addNodes(load.nodes - labelled, load.memoryMiB, load.vcores);
    this.simulator.addNodes(labelled, load.memoryMiB, load.vcores, 'gpu');
    const queues = load.parents * load.leaves;
    for (let i = 0; i < load.applications; i++) {
      const at = i % queues;
      const p = Math.floor(at / load.leaves);
      const queue = `root.p${p}.lp${p}x${at % load.leaves}`;
      // Users meet in their queue, whatever the number of queues.
      const { attemptId } = this.simulator.submit({ queue, user: `user${Math.floor(i / queues) % 3}` });
      const labelExpression = labelled > 0 && Math.floor(i / queues) % 10 === 9 ? 'gpu' : '';
      const resource = [2048 + 512 * (i % 3), 1 + (i % 2)];
      policy.updateRequests(attemptId, [{ requestId: 'tasks', priority: 1, resource, count: load.requests, labelExpression }], []);
    }
  }

  /** Slices until the policy has no more work, as the resource manager runs them. */
  place(): number {
    const { policy } = this.simulator;
    const next = (): string => `container_1_0001_01_${++this.#numbers}`;
    let placed = 0;
    do {
      const began = ownMs();
      const beganMs = performance.now();
      let made = 0;
      do {
        const decisions = policy.schedule(decisionsPerCall, next);
        made += decisions.length;
        for (const decision of decisions) {
          if (decision.kind !== 'allocate') continue;
          placed++;
          this.containers.push(decision.containerId);
        }
      } while (made < decisionsPerSlice && performance.now() - beganMs < sliceMs && policy.hasWork());
      this.slices.push(ownMs() - began);
    } while (policy.hasWork());
    return placed;
  }

  /** The oldest containers end; how many there were. */
  end(count: number): number {
    const { policy } = this.simulator;
    let ended = 0;
    for (; ended < count && this.#oldest < this.containers.length; ended++) policy.containerEnded(this.containers[this.#oldest++]!);
    return ended;
  }
}

export interface Rates {
  placed: number;
  fillPerSecond: number;
  /** Many end between two looks, few end between two looks: placements a second, ends included. */
  manyPerSecond: number;
  fewPerSecond: number;
  sliceP99Ms: number;
  sliceWorstMs: number;
}

/** Fills the cluster, then replaces containers that end. */
export function measure(load: Load): Rates {
  const loaded = new Loaded(load);
  const timed = (work: () => number): { count: number; perSecond: number } => {
    const began = cpuMs();
    const count = work();
    return { count, perSecond: count / ((cpuMs() - began) / 1000) };
  };
  const fill = timed(() => loaded.place());
  const replace = (rounds: number, count: number) => (): number => {
    let again = 0;
    for (let round = 0; round < rounds; round++) {
      loaded.end(count);
      again += loaded.place();
    }
    return again;
  };
  const many = timed(replace(load.rounds ?? 50, 1000));
  const few = timed(replace(10 * (load.rounds ?? 50), 20));
  const sorted = loaded.slices.toSorted((a, b) => a - b);
  return {
    placed: fill.count,
    fillPerSecond: fill.perSecond,
    manyPerSecond: many.perSecond,
    fewPerSecond: few.perSecond,
    sliceP99Ms: sorted[Math.floor(sorted.length * 0.99)]!,
    sliceWorstMs: sorted.at(-1)!,
  };
}
