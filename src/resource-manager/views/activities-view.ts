// Scheduler activities as the wire shows them.

import type { ActivityCycle, ActivityEntry, ApplicationActivity } from '../../scheduler/explain/activities.ts';
import type { Activities, ActivityNode, ApplicationAllocation } from '../../wire/cluster/activities.ts';

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (value: number) => String(value).padStart(2, '0');

/** Java's Date.toString, `Sat Nov 21 00:17:20 UTC 2026`, in the machine's zone. */
export function dateTimeOf(ms: number): string {
  const date = new Date(ms);
  const zone =
    new Intl.DateTimeFormat('en-US', { timeZoneName: 'short' }).formatToParts(date).find(({ type }) => type === 'timeZoneName')?.value ??
    'UTC';
  return `${days[date.getDay()]} ${months[date.getMonth()]} ${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone} ${date.getFullYear()}`;
}

/** One cycle. `grouped`: nodes with the same state and sentence become one entry. */
export function cycleActivities(cycle: ActivityCycle, grouped: boolean): Activities {
  return {
    nodeId: cycle.nodeId,
    timestamp: cycle.timeMs,
    dateTime: dateTimeOf(cycle.timeMs),
    allocations: [{ partition: cycle.partition, finalAllocationState: cycle.state, root: entryOf(cycle.root, grouped) }],
  };
}

function entryOf(entry: ActivityEntry, grouped: boolean): ActivityNode {
  const children = childrenOf(entry.children, grouped);
  return {
    name: entry.name,
    appPriority: entry.applicationPriority,
    requestPriority: entry.requestPriority,
    allocationRequestId: entry.allocationRequestId,
    allocationState: entry.state,
    diagnostic: entry.diagnostic,
    nodeId: entry.nodeId,
    ...(children.length > 0 && { children }),
  };
}

function childrenOf(entries: readonly ActivityEntry[], grouped: boolean): ActivityNode[] {
  if (!grouped || !entries.some(({ nodeId }) => nodeId !== undefined)) return entries.map((entry) => entryOf(entry, grouped));
  const groups = new Map<string, { entry: ActivityEntry; nodeIds: string[] }>();
  for (const entry of entries) {
    const key = `${entry.state} ${entry.diagnostic ?? ''}`;
    const group = groups.get(key) ?? { entry, nodeIds: [] };
    if (entry.nodeId) group.nodeIds.push(entry.nodeId);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ entry, nodeIds }) => ({
    allocationState: entry.state,
    diagnostic: entry.diagnostic,
    count: nodeIds.length,
    nodeIds,
  }));
}

/** One record about an application; undefined when none of its requests is asked about. Empty sets ask about all. */
export function applicationAllocation(
  activity: ApplicationActivity,
  priorities: ReadonlySet<number>,
  requestIds: ReadonlySet<number>,
  grouped: boolean,
  summarized: boolean,
): ApplicationAllocation | undefined {
  const requests = activity.requests.filter(
    ({ requestPriority, allocationRequestId }) =>
      (priorities.size === 0 || (requestPriority !== undefined && priorities.has(requestPriority))) &&
      (requestIds.size === 0 || (allocationRequestId !== undefined && requestIds.has(allocationRequestId))),
  );
  if (requests.length === 0) return undefined;
  return {
    nodeId: summarized ? undefined : activity.nodeId,
    timestamp: activity.timeMs,
    dateTime: dateTimeOf(activity.timeMs),
    queueName: activity.queueName,
    appPriority: activity.priority,
    allocationState: activity.state,
    children: requests.map((request) => ({
      requestPriority: request.requestPriority,
      allocationRequestId: request.allocationRequestId,
      allocationState: request.state,
      diagnostic: request.diagnostic,
      ...(request.children.length > 0 && { children: childrenOf(request.children, grouped) }),
    })),
  };
}
