import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as v1 from './system-entities.ts';
import * as v2 from './system-entities-v2.ts';
import type {
  ApplicationCreated,
  ApplicationFinished,
  AttemptFinished,
  AttemptRegistered,
  ContainerCreated,
  ContainerFinished,
} from './system-facts.ts';
import { applicationNames, attemptNames, containerNames } from './system-names.ts';

const created = (more: Partial<ApplicationCreated> = {}): ApplicationCreated => ({
  applicationId: 'application_7_0003',
  name: 'a job',
  type: 'BATCH',
  user: 'ann',
  queue: 'root.default',
  submittedTimeMs: 100,
  createdTimeMs: 110,
  tags: ['x', 'y'],
  unmanaged: false,
  priority: -1,
  ...more,
});
const finished = (more: Partial<ApplicationFinished> = {}): ApplicationFinished => ({
  applicationId: 'application_7_0003',
  finishedTimeMs: 900,
  diagnostics: 'done',
  finalStatus: 'SUCCEEDED',
  state: 'FINISHED',
  memoryMiBSeconds: 2048,
  vcoreSeconds: 2,
  ...more,
});
const registered = (more: Partial<AttemptRegistered> = {}): AttemptRegistered => ({
  applicationId: 'application_7_0003',
  attemptId: 'appattempt_7_0003_000002',
  registeredTimeMs: 300,
  trackingUrl: 'http://proxy/',
  originalTrackingUrl: 'http://node:1/',
  host: 'node',
  rpcPort: 5,
  masterContainerId: 'container_7_0003_02_000001',
  masterNodeAddress: 'node:8042',
  masterNodeId: 'node:45454',
  ...more,
});
const attemptEnd: AttemptFinished = {
  applicationId: 'application_7_0003',
  attemptId: 'appattempt_7_0003_000002',
  finishedTimeMs: 800,
  diagnostics: 'gone',
  finalStatus: 'FAILED',
  state: 'FAILED',
};
const allocated: ContainerCreated = {
  containerId: 'container_7_0003_02_000004',
  attemptId: 'appattempt_7_0003_000002',
  createdTimeMs: 400,
  memoryMiB: 512,
  vcores: 1,
  host: 'node',
  port: 45454,
  priority: 20,
  nodeHttpAddress: 'http://node:8042',
};
const completed = (exitStatus: number): ContainerFinished => ({
  containerId: 'container_7_0003_02_000004',
  attemptId: 'appattempt_7_0003_000002',
  finishedTimeMs: 700,
  diagnostics: '',
  exitStatus,
  state: 'COMPLETE',
  host: 'node',
  port: 45454,
});

describe('label expressions', () => {
  it('say where none was set, and where the default partition was meant', () => {
    assert.deepEqual([undefined, '', ' ', 'gpu'].map(v1.labelExpressionText), [
      '<Not set>',
      '<DEFAULT_PARTITION>',
      '<DEFAULT_PARTITION>',
      'gpu',
    ]);
  });
});

describe('what version 1 is told', () => {
  it('of an application: its facts when it was created', () => {
    assert.deepEqual(v1.applicationCreated(created({ amNodeLabelExpression: 'gpu', launchCommands: ['run', 'it'] })), {
      entity: 'application_7_0003',
      entitytype: 'YARN_APPLICATION',
      events: [{ timestamp: 110, eventtype: 'YARN_APPLICATION_CREATED', eventinfo: {} }],
      otherinfo: {
        YARN_APPLICATION_NAME: 'a job',
        YARN_APPLICATION_TYPE: 'BATCH',
        YARN_APPLICATION_USER: 'ann',
        YARN_APPLICATION_QUEUE: 'root.default',
        YARN_APPLICATION_SUBMITTED_TIME: 100,
        YARN_APPLICATION_TAGS: ['x', 'y'],
        YARN_APPLICATION_UNMANAGED_APPLICATION: false,
        YARN_APPLICATION_PRIORITY: -1,
        YARN_APP_NODE_LABEL_EXPRESSION: '<Not set>',
        YARN_AM_NODE_LABEL_EXPRESSION: 'gpu',
        YARN_APPLICATION_STATE: 'NEW_SAVING',
        YARN_AM_CONTAINER_LAUNCH_COMMAND: ['run', 'it'],
      },
    });
  });

  it('of an application: an event for each change', () => {
    const events = [
      v1.applicationLaunched('a', 1),
      v1.applicationUpdated('a', 'root.q', 3, 2),
      v1.applicationStateUpdated('a', 'RUNNING', 3),
      v1.applicationAclsUpdated('a', 'bob', 4),
    ];
    assert.deepEqual(
      events.map(({ events: [event] = [] }) => [event?.eventtype, event?.timestamp, event?.eventinfo]),
      [
        ['YARN_APPLICATION_LAUNCHED', 1, {}],
        ['YARN_APPLICATION_UPDATED', 2, { YARN_APPLICATION_QUEUE: 'root.q', YARN_APPLICATION_PRIORITY: 3 }],
        ['YARN_APPLICATION_STATE_UPDATED', 3, { YARN_APPLICATION_STATE: 'RUNNING' }],
        ['YARN_APPLICATION_ACLS_UPDATED', 4, {}],
      ],
    );
    assert.deepEqual(events[3]?.otherinfo, { YARN_APPLICATION_VIEW_ACLS: 'bob' });
  });

  it('of an application: its end, with what it used', () => {
    const end = v1.applicationFinished(finished({ latestAttemptId: 'appattempt_7_0003_000002', preemptedVcoreSeconds: 4 }));
    assert.deepEqual(end.events?.[0]?.eventinfo, {
      YARN_APPLICATION_DIAGNOSTICS_INFO: 'done',
      YARN_APPLICATION_FINAL_STATUS: 'SUCCEEDED',
      YARN_APPLICATION_STATE: 'FINISHED',
      YARN_APPLICATION_LATEST_APP_ATTEMPT: 'appattempt_7_0003_000002',
    });
    assert.deepEqual(end.otherinfo, {
      YARN_APPLICATION_CPU: 2,
      YARN_APPLICATION_MEMORY: 2048,
      YARN_APPLICATION_CPU_PREEMPT_METRIC: 4,
      YARN_APPLICATION_MEM_PREEMPT_METRIC: 0,
    });
    assert.equal('YARN_APPLICATION_LATEST_APP_ATTEMPT' in (v1.applicationFinished(finished()).events?.[0]?.eventinfo ?? {}), false);
  });

  it('of an attempt: that it belongs to its application, where its master is, how it ended', () => {
    const start = v1.attemptRegistered(registered());
    assert.deepEqual(start.primaryfilters, { YARN_APPLICATION_ATTEMPT_PARENT: ['application_7_0003'] });
    assert.deepEqual(start.events?.[0]?.eventinfo, {
      YARN_APPLICATION_ATTEMPT_TRACKING_URL: 'http://proxy/',
      YARN_APPLICATION_ATTEMPT_ORIGINAL_TRACKING_URL: 'http://node:1/',
      YARN_APPLICATION_ATTEMPT_HOST: 'node',
      YARN_APPLICATION_ATTEMPT_RPC_PORT: 5,
      YARN_APPLICATION_ATTEMPT_MASTER_CONTAINER: 'container_7_0003_02_000001',
    });
    const unmanaged = v1.attemptRegistered(registered({ masterContainerId: undefined as never }));
    assert.equal('YARN_APPLICATION_ATTEMPT_MASTER_CONTAINER' in (unmanaged.events?.[0]?.eventinfo ?? {}), false);
    assert.deepEqual(v1.attemptFinished(attemptEnd).events?.[0]?.eventinfo, {
      YARN_APPLICATION_ATTEMPT_DIAGNOSTICS_INFO: 'gone',
      YARN_APPLICATION_ATTEMPT_FINAL_STATUS: 'FAILED',
      YARN_APPLICATION_ATTEMPT_STATE: 'FAILED',
    });
  });

  it('of a container: what it got and where, and how it exited', () => {
    const start = v1.containerCreated(allocated);
    assert.deepEqual(start.primaryfilters, { YARN_CONTAINER_PARENT: ['appattempt_7_0003_000002'] });
    assert.deepEqual(start.otherinfo, {
      YARN_CONTAINER_ALLOCATED_MEMORY: 512,
      YARN_CONTAINER_ALLOCATED_VCORE: 1,
      YARN_CONTAINER_ALLOCATED_HOST: 'node',
      YARN_CONTAINER_ALLOCATED_PORT: 45454,
      YARN_CONTAINER_ALLOCATED_PRIORITY: 20,
      YARN_CONTAINER_ALLOCATED_HOST_HTTP_ADDRESS: 'http://node:8042',
    });
    const end = v1.containerFinished(completed(1));
    assert.deepEqual(end.events?.[0], {
      timestamp: 700,
      eventtype: 'YARN_CONTAINER_FINISHED',
      eventinfo: { YARN_CONTAINER_DIAGNOSTICS_INFO: '', YARN_CONTAINER_EXIT_STATUS: 1, YARN_CONTAINER_STATE: 'COMPLETE' },
    });
  });
});

describe('the flow of an application', () => {
  it('is its name, version 1 and its start, where its tags do not say', () => {
    assert.deepEqual(v2.flowOf(created()), { user: 'ann', flow: 'a job', version: '1', run: 110 });
    assert.equal(v2.flowOf(created({ name: ' ' })).flow, 'flow_7_3');
  });

  it('is what its tags say, in any case; tags without a value say nothing', () => {
    const tags = ['TIMELINE_FLOW_NAME_TAG:nightly', 'timeline_flow_version_tag:2', 'timeline_flow_run_id_tag:77'];
    assert.deepEqual(v2.flowOf(created({ tags })), { user: 'ann', flow: 'nightly', version: '2', run: 77 });
    assert.deepEqual(v2.flowOf(created({ tags: ['timeline_flow_name_tag:', 'timeline_flow_run_id_tag:soon'] })), {
      user: 'ann',
      flow: 'a job',
      version: '1',
      run: 110,
    });
  });
});

describe('what version 2 is told', () => {
  it('of an application: facts, configuration and its first event', () => {
    const entity = v2.applicationCreatedV2(created({ launchCommands: ['run'] }));
    assert.deepEqual([entity.type, entity.id, entity.createdtime], ['YARN_APPLICATION', 'application_7_0003', 110]);
    assert.deepEqual(entity.info?.['YARN_AM_CONTAINER_LAUNCH_COMMAND'], ['run']);
    assert.equal(entity.info?.['YARN_APPLICATION_STATE'], 'NEW_SAVING');
    assert.deepEqual(entity.configs, { YARN_AM_NODE_LABEL_EXPRESSION: '<Not set>', YARN_APP_NODE_LABEL_EXPRESSION: '<Not set>' });
    assert.deepEqual(entity.events, [{ id: 'YARN_APPLICATION_CREATED', timestamp: 110, info: {} }]);
    assert.equal('YARN_AM_CONTAINER_LAUNCH_COMMAND' in (v2.applicationCreatedV2(created()).info ?? {}), false);
  });

  it('of an application: what changed, as information beside the event', () => {
    assert.deepEqual(v2.applicationLaunchedV2('a', 1).events, [{ id: 'YARN_APPLICATION_LAUNCHED', timestamp: 1, info: {} }]);
    assert.deepEqual(v2.applicationUpdatedV2('a', 'root.q', 3, 2).info, { YARN_APPLICATION_QUEUE: 'root.q', YARN_APPLICATION_PRIORITY: 3 });
    assert.deepEqual(v2.applicationStateUpdatedV2('a', 'RUNNING', 3).info, { YARN_APPLICATION_STATE: 'RUNNING' });
    assert.deepEqual(v2.applicationAclsUpdatedV2('a', 'bob', 4).info, { YARN_APPLICATION_VIEW_ACLS: 'bob' });
  });

  it('of an application: a metric for each thing that it used', () => {
    const { metrics = [], info } = v2.applicationFinishedV2(finished({ preemptedOtherContainers: 5 }));
    assert.equal(metrics.length, 8);
    for (const metric of metrics) assert.deepEqual([metric.type, Object.keys(metric.values ?? {})], ['SINGLE_VALUE', ['900']]);
    const metricOf = (id: string) => metrics.find((metric) => metric.id === id)?.values?.['900'];
    assert.deepEqual(
      [
        'YARN_APPLICATION_CPU',
        'YARN_APPLICATION_MEMORY',
        'YARN_APPLICATION_NON_AM_CONTAINER_PREEMPTED',
        'YARN_APPLICATION_AM_CONTAINER_PREEMPTED',
      ].map(metricOf),
      [2, 2048, 5, 0],
    );
    assert.deepEqual(Object.keys(info ?? {}), [
      'YARN_APPLICATION_DIAGNOSTICS_INFO',
      'YARN_APPLICATION_FINAL_STATUS',
      'YARN_APPLICATION_STATE',
    ]);
  });

  it('of attempts and containers: the newest sort first', () => {
    const prefix = (entity: { idprefix?: unknown }) => BigInt(String(entity.idprefix));
    const first = prefix(v2.attemptRegisteredV2(registered({ attemptId: 'appattempt_7_0003_000001' })));
    const second = prefix(v2.attemptRegisteredV2(registered()));
    assert.ok(second < first);
    assert.equal(first, 9_223_372_036_854_775_806n);
    assert.equal(prefix(v2.containerCreatedV2(allocated)), 9_223_372_036_854_775_803n);
    assert.equal(prefix(v2.attemptFinishedV2(attemptEnd)), second);
  });

  it('of an attempt: where its master runs, as far as that is known', () => {
    const { info } = v2.attemptRegisteredV2(registered());
    assert.deepEqual(
      [info?.['YARN_APPLICATION_ATTEMPT_MASTER_NODE_ADDRESS'], info?.['YARN_APPLICATION_ATTEMPT_MASTER_NODE_ID']],
      ['node:8042', 'node:45454'],
    );
    const unmanaged = v2.attemptRegisteredV2(registered({ masterContainerId: undefined as never, masterNodeAddress: undefined as never }));
    assert.equal(Object.values(unmanaged.info ?? {}).includes(undefined as never), false);
  });

  it('of a container: both its own and the resource manager’s events, and whether it was stopped', () => {
    const start = v2.containerCreatedV2(allocated);
    assert.deepEqual(
      start.events?.map(({ id }) => id),
      ['YARN_RM_CONTAINER_CREATED', 'YARN_CONTAINER_CREATED'],
    );
    assert.deepEqual(
      [start.info?.['YARN_CONTAINER_ALLOCATED_PRIORITY'], start.info?.['YARN_CONTAINER_ALLOCATED_HOST_HTTP_ADDRESS']],
      ['20', 'node:8042'],
    );
    const ids = (exitStatus: number) => v2.containerFinishedV2(completed(exitStatus)).events?.map(({ id }) => id);
    assert.deepEqual(ids(0), ['YARN_CONTAINER_FINISHED', 'YARN_RM_CONTAINER_FINISHED']);
    assert.deepEqual(ids(1), ids(0));
    // Killed by its master, by the resource manager, after the end of the application (ContainerExitStatus).
    for (const status of [-105, -106, -107]) assert.deepEqual(ids(status)?.[0], 'YARN_CONTAINER_KILLED', String(status));
    assert.equal(v2.containerFinishedV2(completed(0)).info?.['YARN_CONTAINER_FINISHED_TIME'], 700);
  });
});

describe('names', () => {
  it('are never the same for two things of an entity', () => {
    for (const names of [applicationNames, attemptNames, containerNames]) {
      const values = Object.values(names);
      assert.equal(new Set(values).size, values.length);
      for (const name of values) assert.match(name, /^YARN_[A-Z_]+$/);
    }
  });
});
