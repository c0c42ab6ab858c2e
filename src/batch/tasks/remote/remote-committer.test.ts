// Output that goes to stores: nothing of it is seen before the commit of the job, and all of it after; whoever dies meanwhile.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startS3Fixture } from '../../../client/test-support/s3-fixture.ts';
import { startFileServers } from '../../test-support/file-servers.ts';
import { RemoteCommitter } from './remote-committer.ts';

const scratch = mkdtempSync(join(tmpdir(), 'heddle-remote-committer-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;
const task = (index: number) => `task_1700000000000_0001_r_00000${index}`;
const attempt = (index: number, number = 0) => `attempt_1700000000000_0001_r_00000${index}_${number}`;

/** A store of each kind, with what is seen in it below `/out`. */
async function stores() {
  const objects = await startS3Fixture();
  const servers = await startFileServers();
  const text = (entries: Iterable<readonly [string, Buffer]>) =>
    Object.fromEntries([...entries].filter(([path]) => path.startsWith('out/')).map(([path, body]) => [path.slice(4), body.toString()]));
  return {
    kinds: [
      {
        address: 's3a://logs/out',
        seen: () => text([...objects.objects].map(([key, { body }]) => [key, body] as const)),
        left: () => objects.uploadsLeft(),
        break: (broken: boolean) => {
          objects.broken = broken;
        },
      },
      {
        address: `${servers.nameNode}/out`,
        seen: () => text([...servers.files].filter(([path]) => !path.includes('_temporary')).map(([path, body]) => [path.slice(1), body])),
        left: () => [...servers.files.keys()].filter((path) => path.includes('_temporary')).length,
        break: undefined,
      },
    ],
    settings: objects.settings,
    async [Symbol.asyncDispose]() {
      await objects[Symbol.asyncDispose]();
      await servers[Symbol.asyncDispose]();
    },
  };
}

function aJob(address: string, settings: Readonly<Record<string, string>>) {
  const stagingFolder = join(scratch, `staging${++serial}`);
  const localFolder = join(scratch, `local${serial}`);
  const committer = (generation: number) =>
    new RemoteCommitter({
      ...{ address, stagingFolder, localFolder, generation, markSuccess: true },
      reader: { property: (name) => settings[name], user: 'ann' },
    });
  const write = (of: RemoteCommitter, attemptId: string, files: Readonly<Record<string, string>>) => {
    for (const [name, body] of Object.entries(files)) {
      const path = join(of.workFolder(attemptId)!, name);
      mkdirSync(join(path, '..'), { recursive: true });
      writeFileSync(path, body);
    }
  };
  return { committer, write, stagingFolder };
}

test('output is seen when its job is committed, and not before, the marker of success last', async () => {
  await using all = await stores();
  for (const { address, seen, left } of all.kinds) {
    const { committer, write } = aJob(address, all.settings);
    const commits = committer(1);
    assert.throws(() => commits.checkSeen(), /is not on/);
    commits.setupJob();
    commits.checkSeen();
    assert.equal(commits.needsTaskCommit(attempt(0)), false);
    write(commits, attempt(0), { 'part-00000': 'zero\n', 'deep/side': '' });
    write(commits, attempt(1), { 'part-00001': 'one\n' });
    for (const index of [0, 1]) {
      assert.equal(commits.needsTaskCommit(attempt(index)), true);
      await commits.commitTask(attempt(index));
      assert.ok(!existsSync(commits.workFolder(attempt(index))!), 'what was sent is not kept');
    }
    assert.deepEqual(seen(), {}, address);
    assert.equal(left(), 3);
    await commits.commitJob();
    assert.deepEqual(seen(), { 'part-00000': 'zero\n', 'deep/side': '', 'part-00001': 'one\n', _SUCCESS: '' });
    assert.equal(left(), 0);
  }
});

test('a commit that is repeated, by this master or the next, leaves the same', async () => {
  await using all = await stores();
  for (const { address, seen, left } of all.kinds) {
    const { committer, write } = aJob(address, all.settings);
    const first = committer(1);
    assert.equal(first.commitRepeatable, true);
    first.setupJob();
    for (const index of [0, 1]) {
      write(first, attempt(index), { [`part-0000${index}`]: `${index}` });
      await first.commitTask(attempt(index));
    }
    const next = committer(2);
    for (const index of [0, 1, 2]) next.recoverTask(task(index));
    await next.commitJob();
    await next.commitJob();
    assert.deepEqual(seen(), { 'part-00000': '0', 'part-00001': '1', _SUCCESS: '' }, address);
    assert.equal(left(), 0);
  }
});

test('an attempt that commits a task again replaces what the first one sent; what a lost attempt sent is removed', async () => {
  await using all = await stores();
  for (const { address, seen, left } of all.kinds) {
    const { committer, write } = aJob(address, all.settings);
    const commits = committer(1);
    commits.setupJob();
    for (const number of [0, 1]) {
      write(commits, attempt(0, number), { 'part-00000': `attempt ${number}` });
      await commits.commitTask(attempt(0, number));
      assert.equal(left(), 1);
    }
    // One that died behind its sending, before its list was written.
    const { openWriter, remoteParts } = await import('./store.ts');
    const { root, path } = remoteParts(address);
    const writer = await openWriter(root, path, { property: (name) => (all.settings as Record<string, string>)[name], user: 'ann' });
    const orphan = join(scratch, 'orphan');
    writeFileSync(orphan, 'orphan');
    await writer.upload(orphan, `${path}/part-00001`);
    assert.equal(left(), 2);
    await commits.commitJob();
    assert.deepEqual(seen(), { 'part-00000': 'attempt 1', _SUCCESS: '' }, address);
    assert.equal(left(), 0);
  }
});

test('a job that fails leaves nothing; tasks of an earlier master that are not taken over are not committed', async () => {
  await using all = await stores();
  for (const { address, seen, left } of all.kinds) {
    const { committer, write } = aJob(address, all.settings);
    const first = committer(1);
    first.setupJob();
    write(first, attempt(0), { 'part-00000': 'x' });
    await first.commitTask(attempt(0));
    await committer(1).abortJob();
    assert.deepEqual([seen(), left()], [{}, 0], address);
    const second = committer(2);
    second.setupJob();
    await second.commitJob();
    assert.deepEqual(seen(), { _SUCCESS: '' });
  }
});

test('a store that refuses fails the task, which has committed nothing then', async () => {
  await using all = await stores();
  for (const { address, seen, break: breakIt } of all.kinds) {
    if (breakIt === undefined) continue;
    const { committer, write } = aJob(address, all.settings);
    const commits = committer(1);
    commits.setupJob();
    write(commits, attempt(0), { 'part-00000': 'x' });
    breakIt(true);
    await assert.rejects(commits.commitTask(attempt(0)), { name: 'java.nio.file.AccessDeniedException', message: /Access Denied/ });
    breakIt(false);
    assert.ok(commits.needsTaskCommit(attempt(0)));
    await commits.commitJob();
    assert.deepEqual(seen(), { _SUCCESS: '' });
  }
});
