import assert from 'node:assert/strict';
import { totalmem } from 'node:os';
import { test } from 'node:test';
import { loadConfiguration } from '../config/load.ts';
import { ConfigurationError } from '../config/table.ts';
import { configuredResource, NodeCapacity } from './capacity.ts';

function configured(set: Record<string, string>) {
  return configuredResource(loadConfiguration({ dataDir: '/nowhere', set }));
}
const memory = 'yarn.nodemanager.resource.memory-mb';
const vcores = 'yarn.nodemanager.resource.cpu-vcores';
const detect = 'yarn.nodemanager.resource.detect-hardware-capabilities';

test('a node offers what its settings say, and Hadoop’s 8 GiB and 8 cores where they say nothing', () => {
  assert.deepEqual(configured({ [memory]: '1234', [vcores]: '3' }), { memoryMiB: 1234, vcores: 3 });
  assert.deepEqual(configured({}), { memoryMiB: 8192, vcores: 8 });
});

test('a node that looks at its machine keeps what the system needs', () => {
  const machineMiB = Math.floor(totalmem() / 2 ** 20);
  const { memoryMiB, vcores: found } = configured({ [detect]: 'true', 'yarn.nodemanager.resource.system-reserved-memory-mb': '100' });
  assert.equal(memoryMiB, machineMiB - 100);
  assert.ok(found! >= 1);
  // Without a number a fifth is reserved; what is said beats what is found.
  assert.equal(configured({ [detect]: 'true' }).memoryMiB, machineMiB - Math.floor(machineMiB * 0.2));
  assert.deepEqual(configured({ [detect]: 'true', [memory]: '512', [vcores]: '2' }), { memoryMiB: 512, vcores: 2 });
});

test('further types are counted in the unit of the cluster', () => {
  const units = { 'yarn.resource-types': 'disk,gpu', 'yarn.resource-types.disk.units': 'M' };
  const given = { 'yarn.nodemanager.resource-type.disk': '2G', 'yarn.nodemanager.resource-type.gpu': '4' };
  assert.deepEqual(configured({ ...units, ...given }), { memoryMiB: 8192, vcores: 8, disk: 2000, gpu: 4 });
});

test('an amount that is none is refused with its key', () => {
  assert.throws(
    () => configured({ 'yarn.nodemanager.resource-type.gpu': 'many' }),
    (error: Error) =>
      error instanceof ConfigurationError && /resource-type\.gpu/.test(error.message) && /many is no amount/.test(error.message),
  );
});

test('the resource manager gives a node another size', () => {
  const capacity = new NodeCapacity({ memoryMiB: 1024, vcores: 2 });
  capacity.change({ memoryMiB: 512, vcores: 1 });
  assert.deepEqual(capacity.current, { memoryMiB: 512, vcores: 1 });
});
