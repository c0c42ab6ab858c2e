import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { loadConfiguration } from './load.ts';
import { collectorAddress } from './timeline-versions.ts';

test('the collector is told of where others reach it, and only where it is served', () => {
  const on = { 'yarn.timeline-service.enabled': 'true', 'yarn.timeline-service.versions': '1.5,2.0' };
  const of = (set: Record<string, string>) => collectorAddress(loadConfiguration({ dataDir: tmpdir(), set }));
  const [host, ports] = ['yarn.timeline-service.collector.bind-host', 'yarn.timeline-service.collector.bind-port-ranges'];
  assert.equal(of(on), '127.0.0.1:8199');
  assert.equal(of({ ...on, [ports]: '50000-50010', [host]: 'timeline.example' }), 'timeline.example:50000');
  assert.equal(of({ ...on, [host]: '0.0.0.0', 'yarn.timeline-service.webapp.address': 'timeline.example:8188' }), 'timeline.example:8199');
  assert.equal(of({ ...on, [ports]: '0' }), undefined);
  assert.equal(of({ ...on, 'yarn.timeline-service.enabled': 'false' }), undefined);
  for (const key of ['yarn.system-metrics-publisher.enabled', 'yarn.resourcemanager.system-metrics-publisher.enabled'])
    assert.equal(of({ ...on, [key]: 'false' }), undefined, key);
  assert.equal(of({ 'yarn.timeline-service.enabled': 'true', 'yarn.timeline-service.version': '1.5' }), undefined);
});
