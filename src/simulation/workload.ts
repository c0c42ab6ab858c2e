// A cluster and the work that arrives on it, as a simulation sees them. Times are ms from the start.

import type { Resource } from '../model/resource.ts';

export interface WorkloadNode {
  readonly host: string;
  readonly rack: string;
  /** Memory MiB and vcores. */
  readonly resource: Resource;
  /** '' for none. */
  readonly label: string;
}

/** Tasks of one kind: one request, a container for each duration. */
export interface TaskGroup {
  readonly name: string;
  readonly durationsMs: readonly number[];
  readonly resource: Resource;
  readonly priority: number;
  readonly hosts: readonly string[];
  readonly racks: readonly string[];
  readonly relaxLocality: boolean;
  readonly label: string | undefined;
  /** Asked for so long after its stage began. */
  readonly delayMs: number;
}

export interface WorkloadJob {
  readonly name: string;
  readonly user: string;
  /** Undefined: the mapping rules choose. */
  readonly queue: string | undefined;
  /** -1: the queue's. */
  readonly priority: number;
  readonly arrivalMs: number;
  readonly label: string | undefined;
  readonly master: Resource;
  /** One after the other: a stage begins when the one before has ended. */
  readonly stages: readonly (readonly TaskGroup[])[];
}

export interface Workload {
  readonly nodes: readonly WorkloadNode[];
  /** In the order of arrival. */
  readonly jobs: readonly WorkloadJob[];
  /** Labels and whether they are exclusive. */
  readonly labels: ReadonlyMap<string, { exclusive: boolean }>;
  /** The queue file that the workload names, if any. */
  readonly queueFile: string | undefined;
}

/** What readers need beside the file. */
export interface WorkloadContext {
  /** As given on the command line, for messages. */
  readonly file: string;
  readonly seed: number | undefined;
  /** Size of nodes that say none. */
  readonly nodeSize: Resource;
}

/** More than this is refused, so that a slip of the pen does not fill the memory. */
export const mostTasks = 10_000_000;
export const mostNodes = 100_000;

/** Nodes in racks of so many, named `node1`, `node2` … */
export function regularNodes(count: number, perRack: number, resource: Resource): WorkloadNode[] {
  return Array.from({ length: count }, (_, i) => ({
    host: `node${i + 1}`,
    rack: `/rack${Math.floor(i / Math.max(1, perRack)) + 1}`,
    resource,
    label: '',
  }));
}

/** In the order of arrival, equal ones as they stand in the file. */
export const byArrival = (jobs: readonly WorkloadJob[]): WorkloadJob[] =>
  jobs
    .map((job, i) => ({ job, i }))
    .sort((a, b) => a.job.arrivalMs - b.job.arrivalMs || a.i - b.i)
    .map(({ job }) => job);
