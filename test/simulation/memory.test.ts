// The memory of the resource manager does not grow with the number of applications that ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endManyApplications, sizesOf } from './many-applications.ts';

test('3,000 applications that ended leave nothing in memory', async () => {
  using world = await endManyApplications(3000);
  const { cluster, store } = world;
  assert.equal(store.finishedCount(), 3000);
  assert.deepEqual(sizesOf(cluster), {
    applications: 0,
    containers: 0,
    waiting: 0,
    submissions: 0,
    endings: 0,
    attempts: 0,
    lastContacts: 0,
    earlyReports: 0,
    toldBefore: 0,
    sessions: 0,
    expected: 0,
    applicationsOfNodes: 0,
    placed: 0,
  });
});
