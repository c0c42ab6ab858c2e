// What containers and the node used over the last minutes: looks of the usage monitor, in memory, bounded.
import type { UsageFigures } from '../../wire/cluster/node-channel.ts';
import type { ContainersUsage, ContainerUsage, NodeUsage } from '../../wire/node/usage.ts';
import type { ContainerUsed } from '../../wire/timeline/system-facts.ts';

/** Looks that are kept of each container and of the node: ten minutes with the usual interval of looks. */
const mostSamples = 200;
/** Containers that are kept, those that were looked at last: some 8 MB. */
const mostContainers = 1000;
/** Numbers that tell of a container in brief. */
const briefSamples = 30;
/** Looks closer to each other than this are left out. */
const closestMs = 2500;
const bytesOfMiB = 1024 * 1024;

/** Rows of numbers, the first of each its time; the oldest give way. */
class Rows {
  readonly #width: number;
  readonly #values: number[] = [];
  #begin = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(width: number) {
    this.#width = width;
  }

  add(...row: readonly [timeMs: number, ...figures: number[]]): void {
    if (row[0] - this.#lastMs < closestMs) return;
    this.#lastMs = row[0];
    if (this.#values.length < mostSamples * this.#width) {
      this.#values.push(...row);
      return;
    }
    for (let i = 0; i < this.#width; i++) this.#values[this.#begin + i] = row[i]!;
    this.#begin = (this.#begin + this.#width) % this.#values.length;
  }

  /** Oldest first. */
  *[Symbol.iterator](): Generator<readonly number[]> {
    const { length } = this.#values;
    for (let i = 0; i < length; i += this.#width) {
      const at = (this.#begin + i) % length;
      yield this.#values.slice(at, at + this.#width);
    }
  }
}

/** Keeps the looks of one usage monitor. */
export class UsageRecord {
  /** The one that was looked at last comes last. */
  readonly #containers = new Map<string, Rows>();
  readonly #node = new Rows(6);

  /** Containers as a look found them. */
  addContainers(looks: readonly ContainerUsed[]): void {
    for (const { containerId, atMs, memoryBytes, cpuPercent } of looks) {
      const rows = this.#containers.get(containerId) ?? new Rows(3);
      this.#containers.delete(containerId);
      this.#containers.set(containerId, rows);
      rows.add(atMs, memoryBytes / bytesOfMiB, cpuPercent / 100);
    }
    for (const id of this.#containers.keys()) {
      if (this.#containers.size <= mostContainers) break;
      this.#containers.delete(id);
    }
  }

  /** The machine, and all containers together. */
  addNode(timeMs: number, machine: UsageFigures, containers: UsageFigures, running: number): void {
    this.#node.add(timeMs, machine.physicalMemoryMiB, machine.cpuCores, containers.physicalMemoryMiB, containers.cpuCores, running);
  }

  /** Looks at a container, also at one that ended since; none at one that nobody looked at twice. */
  ofContainer(containerId: string): ContainerUsage['samples'] {
    return [...(this.#containers.get(containerId) ?? [])].map(([timeMs = 0, memoryMiB = 0, cpuCores = 0]) => ({
      timeMs,
      memoryMiB: rounded(memoryMiB),
      cpuCores: rounded(cpuCores),
    }));
  }

  /** The same in few numbers: of several looks the most of each, which is what is looked for, and the latest look as it is. */
  briefOf(containerId: string): Pick<ContainersUsage['containers'][number], 'timesMs' | 'usedMemoryMiB' | 'usedCores'> {
    const looks = [...(this.#containers.get(containerId) ?? [])];
    const several = Math.ceil(Math.max(0, looks.length - 1) / (briefSamples - 1));
    const [timesMs, usedMemoryMiB, usedCores]: [number[], number[], number[]] = [[], [], []];
    // Counted from the latest, so that a number changes where it is drawn, and no other.
    for (let end = looks.length; end > 0; end -= end === looks.length ? 1 : several) {
      const few = looks.slice(Math.max(0, end === looks.length ? end - 1 : end - several), end);
      timesMs.unshift(few.at(-1)![0]!);
      usedMemoryMiB.unshift(rounded(Math.max(...few.map(([, memoryMiB = 0]) => memoryMiB))));
      usedCores.unshift(rounded(Math.max(...few.map(([, , cpuCores = 0]) => cpuCores))));
    }
    return { timesMs, usedMemoryMiB, usedCores };
  }

  /** Looks at the node. */
  ofNode(): NodeUsage['samples'] {
    return [...this.#node].map(
      ([timeMs = 0, memoryMiB = 0, cpuCores = 0, containersMemoryMiB = 0, containersCpuCores = 0, containers = 0]) => ({
        timeMs,
        memoryMiB: rounded(memoryMiB),
        cpuCores: rounded(cpuCores),
        containersMemoryMiB: rounded(containersMemoryMiB),
        containersCpuCores: rounded(containersCpuCores),
        containers,
      }),
    );
  }
}

const rounded = (value: number): number => Math.round(value * 1000) / 1000;
