import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SystemMetricsPublisher } from './system-metrics-publisher.ts';

const created = {
  applicationId: 'application_1_0001',
  name: '',
  type: '',
  user: 'ann',
  queue: 'root.q',
  submittedTimeMs: 1,
  createdTimeMs: 2,
  tags: [],
  unmanaged: false,
  priority: -1,
};
const container = {
  containerId: 'container_1_0001_01_000001',
  attemptId: 'appattempt_1_0001_000001',
  createdTimeMs: 3,
  memoryMiB: 1,
  vcores: 1,
  host: 'h',
  port: 1,
  priority: 0,
  nodeHttpAddress: 'http://h:2',
};

function published(on: { version1: boolean; version2: boolean; containers: boolean }): Record<string, string[]> {
  const seen: Record<string, string[]> = {};
  const line = <Message>(name: string, typesOf: (message: Message) => string[]) => ({
    push: (messages: readonly Message[]) => void (seen[name] = [...(seen[name] ?? []), ...messages.flatMap(typesOf)]),
  });
  const publisher = new SystemMetricsPublisher({
    version1: on.version1 ? line('version 1', ({ entitytype }) => [entitytype]) : undefined,
    version2: on.version2 ? line('version 2', ({ entities }) => entities.map(({ type }) => type)) : undefined,
    containers: on.containers,
  });
  publisher.applicationCreated(created);
  publisher.containerCreated(container);
  return seen;
}

test('each version that is on gets its own', () => {
  const types = ['YARN_APPLICATION', 'YARN_CONTAINER'];
  assert.deepEqual(published({ version1: true, version2: true, containers: true }), {
    'version 1': types,
    'version 2': types,
  });
  assert.deepEqual(published({ version1: true, version2: false, containers: true }), { 'version 1': types });
});

test('containers are left out where they are not wanted', () => {
  assert.deepEqual(published({ version1: true, version2: false, containers: false }), { 'version 1': ['YARN_APPLICATION'] });
});
