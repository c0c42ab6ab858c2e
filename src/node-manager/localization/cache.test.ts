import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { syncedBy } from '../../lib/test-support/synced-files.ts';
import type { LocalResource } from '../../wire/cluster/launch-context.ts';
import { NodeFolders } from '../folders.ts';
import { makeCache, never, owner, root, source, zip } from '../test-support/local-cache.ts';
import type { LocalizedRecord } from './cache.ts';
import { LocalizationCounts } from './localization-counts.ts';

test('a file is brought once for all containers of an application, and anew for another user', async () => {
  const { cache } = makeCache();
  const resource = source('shared file.txt', 'words');
  const [first, second] = await Promise.all([cache.acquire(resource, owner(1), never), cache.acquire(resource, owner(2), never)]);
  assert.equal(first, second);
  assert.equal(readFileSync(first, 'utf8'), 'words');
  const other = await cache.acquire({ ...resource, visibility: 'PRIVATE' }, owner(3, 'bob'), never);
  assert.match(other, /usercache\/bob\/filecache\//);
});

test('a container is told what was fetched for it and what was here', async () => {
  const clock = new ManualClock();
  const { cache } = makeCache({ clock });
  const [one, two] = [source('one.txt', 'words'), source('two.txt', 'more words')];
  const brought = async (number: number, files: readonly LocalResource[]) => {
    const counts = new LocalizationCounts(clock);
    await counts.during(async () => {
      for (const file of files) await cache.acquire(file, owner(number), never, counts);
      clock.advance(7);
    });
    return counts.text;
  };
  assert.equal(await brought(1, [one]), '5,0,1,0,7');
  assert.equal(await brought(2, [one, two]), '10,5,1,1,7');
  assert.equal(new LocalizationCounts(clock).text, '0,0,0,0,0');
});

test('a file that changed since is refused in Hadoop words', async () => {
  const { cache } = makeCache();
  const resource = source('changed.txt', 'words');
  await assert.rejects(
    cache.acquire({ ...resource, timestamp: 1000 }, owner(), never),
    /^LocalizationFailure: Resource file:\/\S+changed\.txt changed on src filesystem - expected: "1970-01-01T\d\d:\d\d:01\.000[+-]\d{4}", was: "/,
  );
});

test('a time in whole seconds is that of its second, as Java 8 tells it', async () => {
  const { cache } = makeCache();
  const resource = source('second.txt', 'words');
  const path = join(root, 'second.txt');
  utimesSync(path, 1_700_000_000.345, 1_700_000_000.345);
  const at = (timestamp: number, number: number) => cache.acquire({ ...resource, timestamp }, owner(number), never);
  for (const timestamp of [1_700_000_000_345, 1_700_000_000_000]) assert.ok(await at(timestamp, timestamp % 7));
  for (const timestamp of [1_700_000_000_344, 1_700_000_001_000, 1_699_999_999_000])
    await assert.rejects(at(timestamp, 1), /changed on src filesystem/);
});

test('a file of another length than the submitter saw is refused; one without a length is taken', async () => {
  const server = createServer((_request, response) => void response.end('words'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const web = `http://127.0.0.1:${(server.address() as AddressInfo).port}/words.txt`;
  const { cache } = makeCache();
  for (const resource of [source('length.txt', 'words'), { ...source('x', 'words'), resource: web, timestamp: 0 }]) {
    await assert.rejects(
      cache.acquire({ ...resource, size: 6 }, owner(), never),
      /changed on src filesystem - expected: 6 bytes, was: 5 bytes/,
    );
    for (const [number, size] of [5, 0, -1].entries())
      assert.equal(readFileSync(await cache.acquire({ ...resource, size }, owner(number), never), 'utf8'), 'words');
  }
  server.close();
});

test('a public resource must be readable by all users', async () => {
  const { cache } = makeCache();
  const resource = source('private.txt', 'words');
  chmodSync(join(root, 'private.txt'), 0o600);
  await assert.rejects(
    cache.acquire({ ...resource, visibility: 'PUBLIC' }, owner(), never),
    /is not publicly accessible and as such cannot be part/,
  );
});

test('a public folder is brought where all users may read everything in it', async () => {
  const { cache } = makeCache();
  const folder = join(root, 'all');
  mkdirSync(join(folder, 'in'), { recursive: true });
  writeFileSync(join(folder, 'in/a.txt'), 'a');
  const resource = { ...source('here.txt', ''), resource: `file://${folder}`, timestamp: Math.floor(statSync(folder).mtimeMs), size: 0 };
  const bring = (number: number) => cache.acquire({ ...resource, visibility: 'PUBLIC' }, owner(number), never);
  for (const [path, closed, open] of [
    ['in/a.txt', 0o600, 0o644],
    ['in', 0o754, 0o755],
    ['', 0o750, 0o755],
  ] as const) {
    chmodSync(join(folder, path), closed);
    await assert.rejects(bring(1), /is not publicly accessible and as such cannot be part/, path);
    chmodSync(join(folder, path), open);
  }
  assert.equal(readFileSync(join(await bring(2), 'in/a.txt'), 'utf8'), 'a');
});

test('archives are unpacked by their names: zip, tar.gz; a pattern takes part of a jar and keeps the jar', async () => {
  const { cache } = makeCache();
  const zipped = source('a.zip', zip({ 'in/x.txt': 'x', 'y.class': 'y' }));
  const folder = await cache.acquire({ ...zipped, type: 'ARCHIVE' }, owner(), never);
  assert.equal(readFileSync(join(folder, 'in/x.txt'), 'utf8'), 'x');
  const jar = source('job.jar', zip({ 'lib/z.jar': 'z', 'y.class': 'y' }));
  const parts = await cache.acquire({ ...jar, type: 'PATTERN', pattern: '(?:classes/|lib/).*' }, owner(), never);
  assert.equal(readFileSync(join(parts, 'lib/z.jar'), 'utf8'), 'z');
  assert.equal(existsSync(join(parts, 'y.class')), false);
  assert.equal(existsSync(join(parts, 'job.jar')), true);
  mkdirSync(join(root, 'tar/deep'), { recursive: true });
  writeFileSync(join(root, 'tar/deep/t.txt'), 't');
  execFileSync('tar', ['-czf', join(root, 't.tar.gz'), '-C', join(root, 'tar'), '.']);
  const tar = source('t2.tgz', readFileSync(join(root, 't.tar.gz')));
  assert.equal(readFileSync(join(await cache.acquire({ ...tar, type: 'ARCHIVE' }, owner(), never), 'deep/t.txt'), 'utf8'), 't');
});

test('an archive whose entries leave their folder is refused, and so is a broken one', async () => {
  const { cache } = makeCache();
  const climbing = source('climb.zip', zip({ '../evil.txt': 'x' }));
  await assert.rejects(cache.acquire({ ...climbing, type: 'ARCHIVE' }, owner(), never), /would create file outside/);
  const broken = source('broken.zip', 'PK nothing');
  await assert.rejects(cache.acquire({ ...broken, type: 'ARCHIVE' }, owner(), never), /is not a zip file/);
  const bomb = makeCache({ limits: { maximumBytes: 1000 } });
  const large = source('large.zip', zip({ 'zeros.txt': '0'.repeat(5000) }));
  await assert.rejects(bomb.cache.acquire({ ...large, type: 'ARCHIVE' }, owner(), never), /larger than 1000 bytes/);
});

test('http resources are downloaded; missing and too large ones are refused', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/words.txt') response.end('words');
    else if (request.url === '/large') response.end('x'.repeat(5000));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { cache } = makeCache({ limits: { maximumBytes: 1000 } });
  const at = (path: string): LocalResource => ({ resource: base + path, type: 'FILE', visibility: 'PRIVATE', size: -1, timestamp: 0 });
  assert.equal(readFileSync(await cache.acquire(at('/words.txt'), owner(), never), 'utf8'), 'words');
  await assert.rejects(cache.acquire(at('/none'), owner(), never), { javaClass: 'java.io.FileNotFoundException' });
  await assert.rejects(cache.acquire(at('/large'), owner(), never), /larger than 1000 bytes/);
  await assert.rejects(cache.acquire({ ...at(''), resource: 'hdfs://a/b' }, owner(), never), /No FileSystem for scheme "hdfs"/);
  server.close();
});

test('unused entries go when the cache is above its size, used ones stay', async () => {
  const { cache } = makeCache({ targetBytes: 6 });
  const used = await cache.acquire({ ...source('one.txt', '12345'), visibility: 'PRIVATE' }, owner(1), never);
  const unused = await cache.acquire({ ...source('two.txt', '12345'), visibility: 'PRIVATE' }, owner(2), never);
  cache.release(owner(2).containerId);
  await cache.evict();
  assert.equal(existsSync(used), true);
  assert.equal(existsSync(unused), false);
});

test('the longest unused entry goes first, over a restart too', async () => {
  const clock = new ManualClock();
  const { cache, again } = makeCache({ targetBytes: 11, clock });
  const resources = ['first.txt', 'second.txt', 'third.txt'].map((name) => ({ ...source(name, '12345'), visibility: 'PRIVATE' as const }));
  const paths: string[] = [];
  for (const [index, resource] of resources.entries()) {
    clock.advance(1000);
    paths.push(await cache.acquire(resource, owner(index), never));
    cache.release(owner(index).containerId);
  }
  clock.advance(1000);
  await cache.acquire(resources[0]!, owner(4), never);
  cache.release(owner(4).containerId);
  const successor = again();
  await successor.verify();
  await successor.evict();
  assert.deepEqual(paths.map(existsSync), [true, false, true]);
});

test('a file that was deleted from the cache is brought again', async () => {
  const { cache } = makeCache();
  const resource = { ...source('again.txt', 'words'), visibility: 'PUBLIC' as const };
  const path = await cache.acquire(resource, owner(1), never);
  execFileSync('rm', ['-rf', join(path, '..')]);
  assert.equal(readFileSync(await cache.acquire(resource, owner(2), never), 'utf8'), 'words');
});

test('a successor knows the entries and drops files without an entry', async () => {
  const { cache, again, records } = makeCache();
  const resource = { ...source('kept.txt', 'kept'), visibility: 'PRIVATE' as const };
  const path = await cache.acquire(resource, owner(), never);
  const stray = join(path, '../../999/stray.txt');
  mkdirSync(join(stray, '..'), { recursive: true });
  writeFileSync(stray, 'x');
  const successor = again();
  await successor.verify();
  assert.equal(existsSync(stray), false);
  utimesSync(path, new Date(), new Date());
  assert.equal(await successor.acquire(resource, owner(), never), path);
  assert.equal(records.size, 1);
});

test('a file that lost what was in it, as when the power goes before it was on the disk, is brought again', async () => {
  const { cache, again } = makeCache();
  const resource = { ...source('lost.txt', 'words'), visibility: 'PRIVATE' as const };
  const empty = { ...source('empty.txt', ''), visibility: 'PRIVATE' as const };
  const path = await cache.acquire(resource, owner(1), never);
  const kept = await cache.acquire(empty, owner(1), never);
  chmodSync(path, 0o700);
  truncateSync(path, 0);
  const successor = again();
  await successor.verify();
  assert.equal(readFileSync(await successor.acquire(resource, owner(2), never), 'utf8'), 'words');
  assert.equal(await successor.acquire(empty, owner(2), never), kept);
});

test('what was not known to be on the disk when the machine was started anew is brought again, what was is not', async () => {
  const { cache, again, records } = makeCache();
  const saved: (string | undefined)[] = [];
  const set = records.set.bind(records);
  records.set = (id, record) => {
    saved.push(record.boot);
    return set(id, record);
  };
  const [whole, short] = ['whole.txt', 'short.txt'].map((name) => ({ ...source(name, 'words'), visibility: 'PRIVATE' as const }));
  const path = await cache.acquire(whole!, owner(1), never);
  await cache.synced();
  const lost = await cache.acquire(short!, owner(1), never);
  await cache.synced();
  assert.deepEqual(saved, ['this boot', undefined, 'this boot', undefined], 'containers do not wait for the disk');
  // A process that was killed before that.
  const [[id, record]] = [...records].filter(([, { path: of }]) => of === lost) as [[number, LocalizedRecord]];
  records.set(id, { ...record, boot: 'this boot' });
  const inThisBoot = again();
  await inThisBoot.verify();
  assert.equal(await inThisBoot.acquire(short!, owner(1), never), lost);
  await inThisBoot.synced();
  assert.equal(records.get(id)?.boot, undefined, 'the next process brings it to the disk');
  records.set(id, { ...record, boot: 'this boot' });
  // As when the power goes: its beginning alone was written.
  chmodSync(lost, 0o700);
  truncateSync(lost, 2);
  const inNext = again('next boot');
  await inNext.verify();
  assert.equal(existsSync(lost), false);
  assert.equal(await inNext.acquire(whole!, owner(2), never), path);
  assert.equal(readFileSync(await inNext.acquire(short!, owner(2), never), 'utf8'), 'words');
  await inNext.synced();
  assert.deepEqual(
    [...records.values()].map(({ boot }) => boot),
    [undefined, undefined],
  );
});

test('what cannot be brought to the disk is there for this boot alone, and what follows is brought to it', async () => {
  const { cache, records } = makeCache();
  await syncedBy(async () => {
    await cache.acquire({ ...source('fails.txt', 'words'), visibility: 'PRIVATE' }, owner(1), never);
    await cache.synced();
  }, new Error('the disk fails'));
  await cache.acquire({ ...source('next.txt', 'words'), visibility: 'PRIVATE' }, owner(1), never);
  await cache.synced();
  assert.deepEqual(
    [...records.values()].map(({ boot }) => boot),
    ['this boot', undefined],
  );
});

test('an aborted request stops a download that no other container wants', async () => {
  let closed: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = createServer((request, response) => {
    request.on('close', closed);
    response.write('begin');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { cache } = makeCache();
  const aborting = new AbortController();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/endless`;
  const fetching = cache.acquire({ resource: url, type: 'FILE', visibility: 'PUBLIC', size: -1, timestamp: 0 }, owner(), aborting.signal);
  server.once('request', () => setImmediate(() => aborting.abort()));
  await assert.rejects(fetching);
  await gone;
  server.close();
});

test('what the cache drops goes as what containers left does: they may own it, and put links there meanwhile', async () => {
  const removed: string[] = [];
  const careful = (home: string) =>
    new (class extends NodeFolders {
      override async remove(path: string): Promise<void> {
        removed.push(relative(home, path));
        await super.remove(path);
      }
    })([join(home, 'local')], [join(home, 'logs')], home, { separateUsers: true });
  const { cache, folder } = makeCache({ targetBytes: 0, folders: careful });
  const path = await cache.acquire({ ...source('dropped.txt', 'words'), visibility: 'PRIVATE' }, owner(), never);
  cache.release(owner().containerId);
  await cache.evict();
  assert.equal(existsSync(path), false);
  assert.deepEqual(removed, [relative(folder, dirname(path))]);
});

test('what is brought goes through no link that a container left in the place of a folder', async () => {
  const folders = (home: string) => new NodeFolders([join(home, 'local')], [join(home, 'logs')], home, { isGuarded: true });
  const { cache, folder } = makeCache({ folders });
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(elsewhere, { recursive: true });
  const resource: LocalResource = { ...source('guarded.txt', 'words'), visibility: 'PRIVATE' };
  const path = await cache.acquire(resource, owner(1, 'ann'), never);
  assert.equal(readFileSync(path, 'utf8'), 'words');
  const filecache = dirname(dirname(path));
  // The next entry has its place taken, by a link and by a folder.
  symlinkSync(elsewhere, join(filecache, '11'));
  mkdirSync(join(filecache, '12', 'theirs'), { recursive: true });
  for (const name of ['second.txt', 'third.txt']) {
    const next = await cache.acquire({ ...source(name, name), visibility: 'PRIVATE' }, owner(2, 'ann'), never);
    assert.deepEqual(readdirSync(dirname(next)), [name]);
  }
  renameSync(filecache, `${filecache}.moved`);
  symlinkSync(elsewhere, filecache);
  await assert.rejects(cache.acquire({ ...source('fourth.txt', 'words'), visibility: 'PRIVATE' }, owner(3, 'ann'), never));
  assert.deepEqual(readdirSync(elsewhere), []);
  assert.deepEqual(readdirSync(join(folder, 'local/bringing')), []);
});
