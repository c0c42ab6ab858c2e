// Masters that say nothing more are given up, in whatever state they are (docs/protocol.md, P8).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { running } from './calling.ts';

test('a master that is done and does not go is given up, though it was to be given up while that was written', async () => {
  const { world, master } = await running();
  const { application, attempt } = master;
  world.disk.full = true;
  const refused = world.cluster.unregisterMaster(application, attempt, {
    finalStatus: 'SUCCEEDED',
    diagnostics: 'bye',
    trackingUrl: undefined,
  });
  await assert.rejects(refused!, { code: 'STORE_DISK_FULL' });
  await world.pass(70_000);
  assert.equal(attempt.state, 'FINAL_SAVING');
  world.disk.full = false;
  await world.pass(30_000);
  assert.equal(attempt.state, 'FINISHING', 'its container is there');
  await world.pass(60_000);
  assert.deepEqual([attempt.state, application.state, attempt.exitCode], ['FINISHED', 'FINISHED', -1000]);
  await world.pass(1000);
  assert.equal(world.cluster.view.containerCount, 0);
  world.close();
});
