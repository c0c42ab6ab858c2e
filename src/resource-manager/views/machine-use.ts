// What the machines of the nodes really use.
import type { Node } from '../nodes/node.ts';

/** Memory in MiB. */
export interface MachineUse {
  readonly memoryMiB: number;
  readonly cores: number;
}

/**
 * Each node tells what the whole machine uses. Those on one host are on one machine, which counts once, by what says most: what they tell is of
 * different moments.
 */
export function useOfMachines(nodes: Iterable<Pick<Node, 'host' | 'state' | 'usage'>>): MachineUse {
  const machines = new Map<string, { memoryMiB: number; cores: number }>();
  for (const { host, state, usage } of nodes) {
    if (state !== 'RUNNING' && state !== 'DECOMMISSIONING') continue;
    const { physicalMemoryMiB, cpuCores } = usage.node;
    const machine = machines.get(host);
    if (machine === undefined) machines.set(host, { memoryMiB: physicalMemoryMiB, cores: cpuCores });
    else {
      machine.memoryMiB = Math.max(machine.memoryMiB, physicalMemoryMiB);
      machine.cores = Math.max(machine.cores, cpuCores);
    }
  }
  let memoryMiB = 0;
  let cores = 0;
  for (const machine of machines.values()) {
    memoryMiB += machine.memoryMiB;
    cores += machine.cores;
  }
  return { memoryMiB, cores };
}
