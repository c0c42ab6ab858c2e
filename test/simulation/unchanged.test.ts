// Who asks for what is so already is answered when that is durable, too (docs/protocol.md, P1).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { running } from './calling.ts';

test('that an application has a priority is answered when it is durable, not while it is being written', async () => {
  const { world, master } = await running();
  const { cluster, disk } = world;
  const before = master.application.priority;
  disk.full = true;
  const changed = assert.rejects(cluster.setPriority(master.application, 5));
  assert.equal(master.application.priority, 5);
  const same = assert.rejects(cluster.settled(master.application));
  await world.settle();
  await Promise.all([changed, same]);
  assert.equal(master.application.priority, before);
  // What was refused is written as it was before; until then that is not certain.
  await assert.rejects(cluster.settled(master.application));
  disk.full = false;
  await cluster.settled(master.application);
  world.kill();
  world.start();
  assert.equal(master.application.priority, before);
  world.close();
});

test('that a label is there is answered when it is durable, not while it is being written', async () => {
  const { world } = await running();
  const { labels } = world.manager;
  world.disk.full = true;
  const both = [1, 2].map(() => assert.rejects(labels.add([{ name: 'z', exclusive: true }])));
  await world.settle();
  await Promise.all(both);
  world.disk.full = false;
  await labels.add([{ name: 'z', exclusive: true }]);
  world.kill();
  world.start();
  assert.ok(world.manager.labels.label('z'));
  world.close();
});
