import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import type { LocalResource } from '../../wire/cluster/node-channel.ts';
import { NodeFolders } from '../folders.ts';
import { LocalCache, type LocalizedRecord } from './cache.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'cache-')));
after(() => rmSync(root, { recursive: true, force: true }));
chmodSync(root, 0o755);
const owner = (number = 1, user = 'ada') => ({
  containerId: `container_1_0001_01_00000${number}`,
  applicationId: 'application_1_0001',
  user,
});
const never = new AbortController().signal;
let count = 0;

function makeCache(options: { targetBytes?: number; maximumBytes?: number } = {}) {
  const folder = join(root, `node-${++count}`);
  const records = new Map<number, LocalizedRecord>();
  const store = {
    saveLocalized: (record: LocalizedRecord) => void records.set(record.id, record),
    removeLocalized: (id: number) => void records.delete(id),
  };
  const make = () =>
    new LocalCache(
      {
        folders: new NodeFolders([join(folder, 'local')], [join(folder, 'logs')], folder),
        store,
        clock: new ManualClock(),
        logger: silentLogger,
        targetBytes: options.targetBytes ?? 1e9,
        maximumBytes: options.maximumBytes ?? 1e9,
        concurrentFetches: 2,
      },
      [...records.values()],
    );
  return { cache: make(), again: make, records };
}

function source(name: string, content: string | Buffer): LocalResource {
  const path = join(root, name);
  writeFileSync(path, content);
  chmodSync(path, 0o644);
  return {
    resource: `file://${path}`,
    type: 'FILE',
    visibility: 'APPLICATION',
    size: content.length,
    timestamp: Math.floor(statSync(path).mtimeMs),
  };
}

/** A zip archive of deflated files. */
function zip(files: Record<string, string>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = deflateRawSync(content);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(8, 4);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(data.length, 14);
    header.writeUInt32LE(content.length, 18);
    header.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), header, Buffer.from(name), data]);
    const attributes = Buffer.alloc(16);
    attributes.writeUInt32LE(offset, 12);
    const central = Buffer.alloc(46 - 6 - 16 - 4);
    header.copy(central, 0, 0, 20);
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02\x14\x00'),
        header.subarray(0, 24),
        Buffer.alloc(2),
        attributes.subarray(2),
        Buffer.from(name),
      ]),
    );
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\x05\x06'), end]);
}

test('a file is brought once for all containers of an application, and anew for another user', async () => {
  const { cache } = makeCache();
  const resource = source('shared file.txt', 'words');
  const [first, second] = await Promise.all([cache.acquire(resource, owner(1), never), cache.acquire(resource, owner(2), never)]);
  assert.equal(first, second);
  assert.equal(readFileSync(first, 'utf8'), 'words');
  const other = await cache.acquire({ ...resource, visibility: 'PRIVATE' }, owner(3, 'bob'), never);
  assert.match(other, /usercache\/bob\/filecache\//);
});

test('a file that changed since is refused in Hadoop words', async () => {
  const { cache } = makeCache();
  const resource = source('changed.txt', 'words');
  await assert.rejects(
    cache.acquire({ ...resource, timestamp: 1000 }, owner(), never),
    /^LocalizationFailure: Resource file:\/\S+changed\.txt changed on src filesystem - expected: "1970-01-01T\d\d:\d\d:01\.000[+-]\d{4}", was: "/,
  );
});

test('a public resource must be readable by everybody', async () => {
  const { cache } = makeCache();
  const resource = source('private.txt', 'words');
  chmodSync(join(root, 'private.txt'), 0o600);
  await assert.rejects(
    cache.acquire({ ...resource, visibility: 'PUBLIC' }, owner(), never),
    /is not publicly accessible and as such cannot be part/,
  );
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
  const bomb = makeCache({ maximumBytes: 1000 });
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
  const { cache } = makeCache({ maximumBytes: 1000 });
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

test('a successor knows the entries and drops files that nobody remembers', async () => {
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

test('an aborted request stops a download that nobody else wants', async () => {
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
