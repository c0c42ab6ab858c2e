import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventBeans } from '../http/event-beans.ts';
import { TracedCluster } from '../test-support/traced-cluster.ts';
import { EventFigures, type EventReceiver, eventNames } from './event-figures.ts';

const counted = (events: EventFigures, receiver: EventReceiver) =>
  Object.fromEntries(
    eventNames[receiver].map((name) => [name, events.of(receiver, name as never).count]).filter(([, count]) => count !== 0),
  );

/** What Hadoop 3.4.2 counted of an application that was killed while its master ran, its only one; APP_RUNNING_ON_NODE counts heartbeats there, too. */
const ofKilled = {
  application: {
    START: 1,
    KILL: 1,
    APP_ACCEPTED: 1,
    ATTEMPT_KILLED: 1,
    ATTEMPT_LAUNCHED: 1,
    APP_RUNNING_ON_NODE: 1,
    APP_NEW_SAVED: 1,
    APP_UPDATE_SAVED: 1,
  },
  attempt: {
    START: 1,
    KILL: 1,
    LAUNCHED: 1,
    CONTAINER_ALLOCATED: 1,
    CONTAINER_FINISHED: 1,
    ATTEMPT_NEW_SAVED: 1,
    ATTEMPT_UPDATE_SAVED: 1,
    ATTEMPT_ADDED: 1,
  },
  nodeList: { NODE_USABLE: 1 },
  scheduler: {
    NODE_ADDED: 1,
    NODE_LABELS_UPDATE: 1,
    APP_ADDED: 1,
    APP_REMOVED: 1,
    APP_ATTEMPT_ADDED: 1,
    APP_ATTEMPT_REMOVED: 1,
  },
};

describe('events', () => {
  it('are counted as Hadoop counts them, of an application that is killed', async () => {
    using world = new TracedCluster();
    world.addNode();
    const events = world.cluster.eventFigures;
    const application = await world.submit();
    await world.settle();
    await world.cluster.kill(application, 'enough');
    await world.settle();
    for (const [receiver, expected] of Object.entries(ofKilled))
      assert.deepEqual(counted(events, receiver as EventReceiver), expected, receiver);
    assert.deepEqual(counted(events, 'node'), { STARTED: 1, CLEANUP_APP: 1, CLEANUP_CONTAINER: 1 });
  });

  it('of a node tell applications where it is of use no longer, or again', () => {
    const events = new EventFigures({ steadyMs: () => 0 });
    events.ofNode('registered', 'NEW', 'RUNNING', 0);
    events.ofNode('unhealthy', 'RUNNING', 'UNHEALTHY', 2);
    events.ofNode('healthy', 'UNHEALTHY', 'RUNNING', 2);
    events.ofNode('registered', 'RUNNING', 'RUNNING', 2);
    events.ofNode('decommissionGracefully', 'RUNNING', 'DECOMMISSIONING', 2);
    events.ofNode('drained', 'DECOMMISSIONING', 'DECOMMISSIONED', 1);
    events.ofNode('registered', 'DECOMMISSIONED', 'RUNNING', 0);
    events.ofNode('expire', 'RUNNING', 'LOST', 0);
    events.ofNode('decommission', 'LOST', 'DECOMMISSIONED', 0);
    assert.deepEqual(counted(events, 'nodeList'), { NODE_USABLE: 3, NODE_UNUSABLE: 3, NODE_DECOMMISSIONING: 1 });
    assert.deepEqual(counted(events, 'node'), { STARTED: 2, DECOMMISSION: 1, GRACEFUL_DECOMMISSION: 1, RECONNECTED: 1, EXPIRE: 1 });
    assert.deepEqual(counted(events, 'application'), { NODE_UPDATE: 7 });
  });

  it('of commands to nodes are as many as these are about', () => {
    const events = new EventFigures({ steadyMs: () => 0 });
    events.sent({ type: 'finishApplications', applicationIds: ['application_1_0001', 'application_1_0002'] });
    events.sent({ type: 'signalContainers', containers: [{ containerId: 'c', command: 'FORCEFUL_SHUTDOWN' }] });
    events.sent({ type: 'stopContainers', containers: [] });
    events.sent({ type: 'resync' });
    assert.deepEqual(counted(events, 'node'), { CLEANUP_APP: 2, SIGNAL_CONTAINER: 1 });
  });

  it('stand in beans with how long they took, what nodes say among them', () => {
    using world = new TracedCluster();
    const { node } = world.addNode();
    world.cluster.takeNodeMessage(node, { type: 'health', healthy: true, report: '', time: 1 });
    const events = new EventFigures({ steadyMs: () => 0 });
    events.add('node', 'EXPIRE', 2, 7.6);
    const beans = eventBeans('host', events, world.cluster.schedulingFigures);
    assert.deepEqual(
      beans.map(({ name }) => name.split('org.apache.hadoop.yarn.server.resourcemanager.')[1]),
      [
        'rmapp.RMAppEventType',
        'rmapp.attempt.RMAppAttemptEventType',
        'rmnode.RMNodeEventType',
        'NodesListManagerEventType',
        'scheduler.event.SchedulerEventType',
      ],
    );
    const [, , ofNode, , ofScheduler] = beans.map(({ attributes }) => attributes);
    assert.deepEqual([ofNode!['EXPIRE_event_count'], ofNode!['EXPIRE_processing_time']], [2, 8]);
    assert.deepEqual([ofNode!['STATUS_UPDATE_event_count'], ofScheduler!['NODE_UPDATE_event_count']], [1, 1]);
  });
});
