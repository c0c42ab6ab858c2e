import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  const separate = new NodeFolders(['/local'], ['/logs'], '/recovery', { separateUsers: true });
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

test('where containers have fewer rights than this process, no link that one left leads it out of them', async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'folders-')));
  try {
    const [local, logs, elsewhere] = ['local', 'logs', 'elsewhere'].map((name) => join(root, name)) as [string, string, string];
    const folders = new NodeFolders([local], [logs], join(root, 'recovery'), { isGuarded: true });
    const work = folders.work('ann', applicationId, containerId);
    {
      using held = await folders.hold(join(work, 'tmp'), 0o710);
      writeFileSync(join(held.path, 'file'), '');
    }
    assert.deepEqual(readdirSync(join(work, 'tmp')), ['file']);
    mkdirSync(join(elsewhere, 'tmp', 'deep'), { recursive: true });
    writeFileSync(join(elsewhere, 'tmp', 'theirs'), '');
    // Something else stands under its name by the time it is removed.
    await folders.remove(work);
    assert.equal(existsSync(work), false);
    symlinkSync(elsewhere, work);
    await assert.rejects(folders.hold(join(work, 'tmp'), 0o710), { code: 'ENOTDIR' });
    await assert.rejects(folders.hold(work), { code: 'ENOTDIR' });
    await folders.remove(work);
    assert.equal(existsSync(work), false);
    mkdirSync(join(work, 'a', 'b'), { recursive: true });
    symlinkSync(elsewhere, join(work, 'a', 'link'));
    await folders.remove(work);
    assert.equal(existsSync(work), false);
    assert.deepEqual(readdirSync(join(elsewhere, 'tmp')), ['deep', 'theirs']);
    // What containers mostly leave needs no other program.
    const programs = process.env['PATH'];
    process.env['PATH'] = elsewhere;
    try {
      const application = folders.application(local, 'ann', applicationId);
      mkdirSync(join(work, '.secrets'), { recursive: true });
      mkdirSync(join(work, 'tmp'));
      for (const name of ['launch_container.sh', '.secrets/token']) writeFileSync(join(work, name), '');
      for (const path of [work, application, application]) await folders.remove(path);
      assert.equal(existsSync(application), false);
    } finally {
      process.env['PATH'] = programs;
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});
