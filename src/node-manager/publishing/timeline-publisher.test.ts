import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import type { SystemWrite } from '../../wire/timeline/v2-entity.ts';
import { NodeTimelinePublisher } from './timeline-publisher.ts';

const containerId = 'container_7_0003_01_000004';
const report = (state: ContainerReport['state'], more: Partial<ContainerReport> = {}): ContainerReport => ({
  containerId,
  state,
  exitCode: -1000,
  diagnostics: '',
  resource: { memoryMiB: 512, vcores: 2 },
  priority: 20,
  createdTime: 100,
  ...more,
});

function published(tellsLives: boolean) {
  const writes: SystemWrite[] = [];
  const node = { host: 'node', port: 45454, http: 'node:8042' };
  const publisher = new NodeTimelinePublisher({ line: { push: (more) => void writes.push(...more) }, tellsLives, node });
  const told = () => writes.map(({ entities: [entity] }) => entity?.events?.map(({ id, timestamp }) => `${id} ${timestamp}`) ?? []);
  return { publisher, writes, told };
}

describe('a node tells the timeline', () => {
  it('what a container uses: its memory in bytes and whole percents of a processor, to be added up', () => {
    const { publisher, writes } = published(false);
    publisher.containersUsed([{ containerId, atMs: 9, memoryBytes: 4096, cpuPercent: 150.6 }]);
    assert.deepEqual(writes, [
      {
        applicationId: 'application_7_0003',
        entities: [
          {
            type: 'YARN_CONTAINER',
            id: containerId,
            idprefix: '9223372036854775803',
            info: { SYSTEM_INFO_PARENT_ENTITY: { type: 'YARN_APPLICATION_ATTEMPT', id: 'appattempt_7_0003_000001' } },
            metrics: [
              { id: 'MEMORY', type: 'SINGLE_VALUE', aggregationOp: 'SUM', values: { 9: 4096 } },
              { id: 'CPU', type: 'SINGLE_VALUE', aggregationOp: 'SUM', values: { 9: 151 } },
            ],
          },
        ],
      },
    ]);
  });

  it('nothing of the lives of containers where the resource manager tells them', () => {
    const { publisher, writes } = published(false);
    publisher.containerChanged(report('RUNNING'));
    publisher.containerChanged(report('COMPLETE'));
    assert.deepEqual(writes, []);
  });

  it('each beginning and each end once, whatever states come between', () => {
    const { publisher, told, writes } = published(true);
    publisher.containerChanged(report('NEW'));
    publisher.containerChanged(report('RUNNING'));
    publisher.containerChanged(report('COMPLETE', { exitCode: -105, finishedTime: 300, diagnostics: 'stopped' }));
    assert.deepEqual(told(), [['YARN_CONTAINER_CREATED 100'], ['YARN_CONTAINER_KILLED 300', 'YARN_CONTAINER_FINISHED 300']]);
    const [begun, ended] = writes.map(({ entities }) => entities[0]);
    assert.equal(begun?.createdtime, 100);
    assert.equal(begun?.info?.['YARN_CONTAINER_ALLOCATED_HOST_HTTP_ADDRESS'], 'node:8042');
    assert.deepEqual([ended?.info?.['YARN_CONTAINER_EXIT_STATUS'], ended?.info?.['YARN_CONTAINER_DIAGNOSTICS_INFO']], [-105, 'stopped']);
  });

  it('both of a container that was never seen before its end', () => {
    const { publisher, told } = published(true);
    publisher.containerChanged(report('COMPLETE', { exitCode: 0, finishedTime: 300 }));
    assert.deepEqual(told(), [['YARN_CONTAINER_CREATED 100'], ['YARN_CONTAINER_FINISHED 300']]);
  });
});
