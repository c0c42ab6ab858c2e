// What the scheduler hears of nodes, attempts and ends, each counted as the event that it is in Hadoop (SchedulerEventType).
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { EventFigures } from './event-figures.ts';

/** What of the scheduler is passed on, changed or not. */
type Passed = Pick<
  SchedulingPolicy,
  | 'addNode'
  | 'removeNode'
  | 'updateNode'
  | 'nodeUsage'
  | 'addAttempt'
  | 'removeAttempt'
  | 'removeApplication'
  | 'updateBlacklist'
  | 'normalize'
>;

/** The same scheduler, whose events are counted. What a node's label is comes with the node: that is an event of its own in Hadoop. */
export const countedPolicy = (policy: Passed, events: EventFigures): Passed => ({
  addNode: (node) => {
    events.timed('scheduler', 'NODE_ADDED', () => policy.addNode(node));
    events.add('scheduler', 'NODE_LABELS_UPDATE');
  },
  removeNode: (nodeId) => events.timed('scheduler', 'NODE_REMOVED', () => policy.removeNode(nodeId)),
  updateNode: (nodeId, change) => policy.updateNode(nodeId, change),
  nodeUsage: (nodeId) => policy.nodeUsage(nodeId),
  addAttempt: (attempt) => events.timed('scheduler', 'APP_ATTEMPT_ADDED', () => policy.addAttempt(attempt)),
  removeAttempt: (attemptId, keepContainers) =>
    events.timed('scheduler', 'APP_ATTEMPT_REMOVED', () => policy.removeAttempt(attemptId, keepContainers)),
  removeApplication: (applicationId) => events.timed('scheduler', 'APP_REMOVED', () => policy.removeApplication(applicationId)),
  updateBlacklist: (attemptId, add, remove) => policy.updateBlacklist(attemptId, add, remove),
  normalize: (resource, queue) => policy.normalize(resource, queue),
});
