// What containers and their node used over the last minutes, as `/api/v1` tells it. Memory in MiB, processors in cores: 1.5 is one and a half.
import { fields, type JsonOf, many, number, optional, text, truth, whole } from '../../lib/json-shape.ts';

const amount = number({ minimum: 0 });
/** `timeMs`: ms since the epoch. Memory is physical memory; cores are those of the time since the look before. */
const used = { timeMs: amount, memoryMiB: amount, cpuCores: amount };

/** A container: what it was given, and looks at all its processes, oldest first. */
export const containerUsage = fields({
  containerId: text(),
  running: truth(),
  /** What it was given; absent where only its id is known any more. */
  memoryMiB: optional(amount),
  vcores: optional(amount),
  samples: many(fields(used)),
});
export type ContainerUsage = JsonOf<typeof containerUsage>;

/** A node: what the machine has, and looks at the machine and, in sum, at the containers, oldest first. */
export const nodeUsage = fields({
  nodeId: text(),
  /** What the machine has. */
  memoryMiB: amount,
  cores: amount,
  samples: many(fields({ ...used, containersMemoryMiB: amount, containersCpuCores: amount, containers: amount })),
});
export type NodeUsage = JsonOf<typeof nodeUsage>;

/** Containers that run, in brief: what each was given, and few numbers of its looks, oldest first; those of one place in the lists belong together. */
export const containersUsage = fields({
  containers: many(
    fields({
      containerId: text(),
      memoryMiB: amount,
      vcores: amount,
      timesMs: many(amount),
      usedMemoryMiB: many(amount),
      usedCores: many(amount),
    }),
  ),
  /** How many more there are that nothing is told of: where there are many, and on nodes that do not answer. */
  left: whole({ minimum: 0 }),
});
export type ContainersUsage = JsonOf<typeof containersUsage>;
