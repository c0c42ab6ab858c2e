// A right body for every route that reads one; abuses spoil a part of it.
import type { AbusedCluster } from './abused-cluster.ts';

let sequence = 5000;

/** An application id of this cluster that was never handed out before. */
export const freshApplicationId = (running: string): string => `${running.slice(0, running.lastIndexOf('_'))}_${sequence++}`;

/** Right content of the bodies of the resource manager by path below `/ws/v1/cluster`. Submissions are unmanaged: nothing starts. */
export function samplesOf({ running, nodeId }: AbusedCluster): Record<string, () => Record<string, unknown>> {
  const definition = {
    arrival: 1,
    deadline: 2,
    'reservation-requests': {
      'reservation-request-interpreter': 0,
      'reservation-request': [{ duration: 1, 'num-containers': 1, 'min-concurrency': 1, capability: { memory: 1, vCores: 1 } }],
    },
    'reservation-name': 'r',
    priority: 0,
    'recurrence-expression': '0',
  };
  const submission = () => ({
    'application-id': freshApplicationId(running.id),
    'application-name': 'wrong',
    'unmanaged-AM': true,
    queue: 'default',
    priority: 0,
    'max-app-attempts': 1,
    resource: { memory: 128, vCores: 1 },
    'application-tags': { tag: ['one'] },
    'am-container-spec': { commands: { command: 'true' }, environment: { entry: [{ key: 'a', value: 'b' }] } },
    'log-aggregation-context': { 'log-include-pattern': '.*' },
  });
  return {
    '/apps': submission,
    '/api/v1/applications': submission,
    '/apps/:appid/state': () => ({ state: 'RUNNING' }),
    '/apps/:appid/queue': () => ({ queue: 'nowhere' }),
    '/apps/:appid/priority': () => ({ priority: 0 }),
    '/apps/:appid/timeout': () => ({ type: 'LIFETIME', expiryTime: '2001-01-01T00:00:00.000+0000' }),
    '/nodes/:nodeId/resource': () => ({ resource: { memory: 4096, vCores: 8 }, overCommitTimeout: -1 }),
    '/replace-node-to-labels': () => ({ nodeToLabels: [{ nodeId, labels: ['unknown'] }] }),
    '/add-node-labels': () => ({ nodeLabelInfo: [{ name: 'fast', exclusivity: true }] }),
    '/delegation-token': () => ({ renewer: 'bob' }),
    '/reservation/submit': () => ({ queue: 'default', 'reservation-id': 'reservation_1_1', 'reservation-definition': definition }),
    '/reservation/update': () => ({ 'reservation-id': 'reservation_1_1', 'reservation-definition': definition }),
    '/reservation/delete': () => ({ 'reservation-id': 'reservation_1_1' }),
    '/scheduler-conf': () => ({ 'update-queue': [{ 'queue-name': 'root.nowhere', params: { entry: [{ key: 'capacity', value: '5' }] } }] }),
    '/api/v1/queues/what-if': () => ({ properties: { entry: [{ key: 'yarn.scheduler.capacity.root.queues', value: 'default' }] } }),
    '/scheduler-conf/validate': () => ({
      'update-queue': [{ 'queue-name': 'root.default', params: { entry: [{ key: 'capacity', value: '5' }] } }],
    }),
  };
}
