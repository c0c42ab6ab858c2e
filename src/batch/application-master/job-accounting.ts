// The job's own counters: launches, ends, time and resources used (JobCounter of Hadoop).
import { hostOfNodeId } from '../../model/ids.ts';
import type { Counters } from '../counters/counters.ts';
import { jobCounterGroup } from '../counters/names.ts';
import type { AssignedContainer, Attempt, Locality } from './attempt.ts';
import type { JobRules } from './job-rules.ts';
import type { Task } from './task.ts';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '::1']);

/** How near a container is to its task's input; the master's own is near none. Files of the local file system count as lying on the node that runs beside them. */
export function localityOf(task: Task, container: AssignedContainer, uberized = false): Locality {
  if (uberized) return 'OFF_SWITCH';
  const hosts = task.split?.hosts ?? [];
  if (task.kind === 'REDUCE' || hosts.length === 0) return 'OFF_SWITCH';
  const host = hostOfNodeId(container.nodeId);
  if (hosts.includes(host) || (loopbackHosts.has(host) && hosts.some((one) => loopbackHosts.has(one)))) return 'NODE_LOCAL';
  return container.rack === '/default-rack' ? 'RACK_LOCAL' : 'OFF_SWITCH';
}

/** An attempt began. */
export function countLaunch(counters: Counters, attempt: Attempt, task: Task, uberized: boolean): void {
  if (uberized) {
    counters.increment(jobCounterGroup, 'TOTAL_LAUNCHED_UBERTASKS');
    counters.increment(jobCounterGroup, task.kind === 'MAP' ? 'NUM_UBER_SUBMAPS' : 'NUM_UBER_SUBREDUCES');
  }
  counters.increment(jobCounterGroup, attempt.kind === 'MAP' ? 'TOTAL_LAUNCHED_MAPS' : 'TOTAL_LAUNCHED_REDUCES');
}

/** A map's attempt was given a container. */
export function countPlace(counters: Counters, attempt: Attempt, task: Task): void {
  if (task.kind === 'REDUCE') return;
  // What is tried again after a failure is asked for anywhere (RMContainerAllocator.assignToFailedMap).
  const near = task.failedAttempts > 0 ? 'OFF_SWITCH' : attempt.locality;
  counters.increment(
    jobCounterGroup,
    { NODE_LOCAL: 'DATA_LOCAL_MAPS', RACK_LOCAL: 'RACK_LOCAL_MAPS', OFF_SWITCH: 'OTHER_LOCAL_MAPS' }[near],
  );
}

/** An attempt ended; times need both a start and an end. */
export function countAttemptEnd(
  counters: Counters,
  attempt: Attempt,
  { rules, uberized }: { readonly rules: JobRules; readonly uberized: boolean },
  how: 'SUCCEEDED' | 'FAILED' | 'KILLED',
): void {
  const kind = attempt.kind === 'MAP' ? 'MAPS' : 'REDUCES';
  if (how !== 'SUCCEEDED') counters.increment(jobCounterGroup, `NUM_${how}_${kind}`);
  if (!attempt.launched) return;
  const milliseconds = Math.max(0, attempt.finishTimeMs - attempt.startTimeMs);
  const memoryMiB = uberized ? 0 : rules.memoryMiB[attempt.kind];
  counters.increment(jobCounterGroup, `SLOTS_MILLIS_${kind}`, Math.ceil(memoryMiB / rules.minimumAllocationMiB) * milliseconds);
  counters.increment(jobCounterGroup, `MILLIS_${kind}`, milliseconds);
  counters.increment(jobCounterGroup, `VCORES_MILLIS_${kind}`, milliseconds * (uberized ? 0 : rules.vcores[attempt.kind]));
  counters.increment(jobCounterGroup, `MB_MILLIS_${kind}`, milliseconds * memoryMiB);
}
