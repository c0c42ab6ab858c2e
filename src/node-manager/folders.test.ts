import assert from 'node:assert/strict';
import { test } from 'node:test';
import { folderOfUser, NodeFolders } from './folders.ts';

const applicationId = 'application_1700000000000_0001';
const containerId = 'container_1700000000000_0001_01_000002';

test('everything lies below the folders of the settings, in the tree that Hadoop has', () => {
  const folders = new NodeFolders(['/local'], ['/logs'], '/recovery');
  assert.deepEqual(
    [
      folders.publicCache('/local'),
      folders.userCache('/local', 'ann'),
      folders.application('/local', 'ann', applicationId),
      folders.applicationCache('/local', 'ann', applicationId),
      folders.work('ann', applicationId, containerId),
      folders.applicationLogs('/logs', applicationId),
      ...folders.containerLogs(applicationId, containerId),
    ],
    [
      '/local/filecache',
      '/local/usercache/ann',
      `/local/usercache/ann/appcache/${applicationId}`,
      `/local/usercache/ann/appcache/${applicationId}/filecache`,
      `/local/usercache/ann/appcache/${applicationId}/${containerId}`,
      `/logs/${applicationId}`,
      `/logs/${applicationId}/${containerId}`,
    ],
  );
  const separate = new NodeFolders(['/local'], ['/logs'], '/recovery', true);
  assert.equal(separate.applicationCache('/local', 'ann', applicationId), `/local/usercache/ann/appfilecache/${applicationId}`);
});

test('folders may be written with more slashes than they need', () => {
  for (const [written, base] of [
    ['/local/', '/local'],
    ['/a//b/./c/', '/a/b/c'],
    ['/', ''],
  ] as const) {
    const folders = new NodeFolders([written], [written], '/recovery');
    assert.equal(folders.work('ann', applicationId, containerId), `${base}/usercache/ann/appcache/${applicationId}/${containerId}`);
    assert.deepEqual(folders.containerLogs(applicationId, containerId), [`${base}/${applicationId}/${containerId}`]);
  }
});

test('no user and no id leads out of them', () => {
  const folders = new NodeFolders(['/local'], ['/logs'], '/recovery');
  for (const user of ['..', '.', '/etc', 'a/../../b', '../x', 'a\0b', 'ä', `${'x'.repeat(300)}`, '-rf']) {
    const name = folderOfUser(user);
    assert.match(name, /^[A-Za-z0-9_%@-][A-Za-z0-9_%@.-]*$/, user);
    assert.ok(name !== '.' && name !== '..' && name.length <= 240, user);
    assert.equal(folders.userCache('/local', user), `/local/usercache/${name}`);
  }
  for (const id of ['..', '', 'application_1_1/../..', `${applicationId}/..`]) {
    assert.throws(() => folders.application('/local', 'ann', id));
    assert.throws(() => folders.applicationLogs('/logs', id));
    assert.throws(() => folders.work('ann', applicationId, id));
    assert.throws(() => folders.containerLogs(applicationId, id));
  }
});
