import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
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

async function published(options: { version1: boolean; version2: boolean; containers: boolean }): Promise<Record<string, string[]>> {
  const seen: Record<string, string[]> = {};
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const path = (request.url ?? '').split('?')[0] ?? '';
      const { entities, writes } = JSON.parse(body) as { entities?: { entitytype: string }[]; writes?: { entities: { type: string }[] }[] };
      const types =
        entities?.map((entity) => entity.entitytype) ?? writes?.flatMap((write) => write.entities.map(({ type }) => type)) ?? [];
      seen[path] = [...(seen[path] ?? []), ...types];
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"errors":[]}');
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const publisher = new SystemMetricsPublisher({ url, user: 'rm', clock: systemClock, logger: silentLogger, ...options });
  publisher.applicationCreated(created);
  publisher.containerCreated(container);
  await publisher.flush();
  await publisher.close();
  server.closeAllConnections();
  server.close();
  return seen;
}

test('each version that is on gets its own', async () => {
  const types = ['YARN_APPLICATION', 'YARN_CONTAINER'];
  assert.deepEqual(await published({ version1: true, version2: true, containers: true }), {
    '/ws/v1/timeline': types,
    '/api/v1/timeline/system': types,
  });
  assert.deepEqual(await published({ version1: true, version2: false, containers: true }), { '/ws/v1/timeline': types });
});

test('containers are left out where they are not wanted', async () => {
  assert.deepEqual(await published({ version1: true, version2: false, containers: false }), { '/ws/v1/timeline': ['YARN_APPLICATION'] });
});
