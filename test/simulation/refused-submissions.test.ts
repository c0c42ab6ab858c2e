// A submission that was refused because the disk failed comes to nothing, also where it had been written by then (docs/protocol.md, P1 and P17).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SubmissionKeys } from '../../src/resource-manager/applications/submission-keys.ts';
import { submissionOf } from './submissions.ts';
import { World } from './world.ts';

/** A cluster whose disk is slow enough to fail after it wrote. */
const worldWithDisk = (): World => new World('capacity', 1, { slowestSyncMs: () => 5 });

/** Lets time pass, and what is left for the next turn before and after it. */
async function after(world: World, ms: number): Promise<void> {
  await world.settle();
  await world.pass(ms);
  await world.settle();
}

const kept = (world: World) => ({
  live: world.store.liveApplications().map(({ id }) => id),
  keys: world.store.submissionKeys().map(({ applicationId }) => applicationId),
});

/** Submits under a key; the write fails after it was made where `fails`, and `failed` is called then. */
async function submit(world: World, keys: SubmissionKeys, fails: boolean, failed = () => {}): Promise<string> {
  const { cluster, clock, disk } = world;
  const applicationId = cluster.newApplicationId();
  const key = keys.take({ key: 'once', digest: 'd'.repeat(43), user: 'ada', applicationId, takenMs: clock.now() });
  if (fails) disk.failOnce('after', failed);
  const submitted = cluster.submit({ submission: submissionOf(applicationId), user: 'ada', queue: 'root.b', mapped: false, key });
  const outcome = submitted.then(
    () => true,
    () => key.undo(),
  );
  await after(world, 10);
  assert.equal(await outcome, fails ? undefined : true);
  return applicationId;
}

test('a refused submission that had been written is taken out of the store again', async () => {
  const world = worldWithDisk();
  const refused = await submit(world, new SubmissionKeys(), true);
  assert.equal(world.cluster.view.application(refused), undefined);
  await after(world, 2000);
  assert.deepEqual(kept(world), { live: [], keys: [] });
  world.kill();
  world.start();
  assert.equal(world.cluster.view.application(refused), undefined);
  world.close();
});

test('what is submitted after it is durable only together with that it is gone', async () => {
  const world = worldWithDisk();
  const keys = new SubmissionKeys();
  const first = await submit(world, keys, true, () => {
    world.disk.full = true;
  });
  assert.deepEqual(kept(world), { live: [first], keys: [first] });
  world.disk.full = false;
  const second = await submit(world, keys, false);
  assert.deepEqual(kept(world), { live: [second], keys: [second] });
  world.close();
});

test('however long the disk takes nothing, and whatever else is refused meanwhile, in the end nothing of it is kept', async () => {
  const world = worldWithDisk();
  const keys = new SubmissionKeys();
  const fill = () => {
    world.disk.full = true;
  };
  const first = await submit(world, keys, true, fill);
  await submit(world, new SubmissionKeys(), true, fill);
  await after(world, 1500);
  assert.deepEqual(kept(world).live, [first]);
  world.disk.full = false;
  await after(world, 2000);
  assert.deepEqual(kept(world), { live: [], keys: [] });
  world.close();
});

test('the same id again is kept, however late the refused one would be taken out', async () => {
  const world = worldWithDisk();
  const { cluster, disk } = world;
  const applicationId = cluster.newApplicationId();
  const again = () => cluster.submit({ submission: submissionOf(applicationId), user: 'ada', queue: 'root.b', mapped: false });
  disk.failOnce('after', () => undefined);
  const first = assert.rejects(again());
  await after(world, 10);
  await first;
  disk.full = true;
  const second = assert.rejects(again());
  await after(world, 1500);
  await second;
  disk.full = false;
  const third = again();
  await after(world, 10);
  await third;
  await after(world, 3000);
  assert.deepEqual(kept(world).live, [applicationId]);
  world.close();
});

test('while the disk is full what is refused leaves nothing that observers wait for', async () => {
  const world = worldWithDisk();
  world.disk.full = true;
  const told: string[] = [];
  world.cluster.observe({
    applicationCreated: ({ id }) => void told.push(`created ${id}`),
    submissionRefused: ({ id }) => void told.push(`refused ${id}`),
  });
  const applicationId = world.cluster.newApplicationId();
  const submitted = world.cluster.submit({ submission: submissionOf(applicationId), user: 'ada', queue: 'root.b', mapped: false });
  const refused = assert.rejects(submitted);
  await after(world, 10);
  await refused;
  assert.deepEqual(told, [`created ${applicationId}`, `refused ${applicationId}`]);
  world.close();
});
