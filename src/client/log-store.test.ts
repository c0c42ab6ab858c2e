import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { applicationLogFolder, findApplicationLogs } from '../wire/files/aggregated-log-folder.ts';
import { openLogStore } from './log-store.ts';
import { type S3Fixture, startS3Fixture } from './test-support/s3-fixture.ts';

const root = mkdtempSync(join(tmpdir(), 'log-store-'));
let fixture: S3Fixture;
before(async () => {
  fixture = await startS3Fixture();
});
after(async () => {
  await fixture[Symbol.asyncDispose]();
  rmSync(root, { recursive: true });
});

let count = 0;
const open = () =>
  openLogStore({
    remoteDirectory: 's3a://logs/of/cluster',
    suffix: 'logs',
    copies: join(root, String(++count)),
    property: (key) => fixture.settings[key],
    clock: new ManualClock(Date.now()),
    logger: silentLogger,
  });
const id = 'application_1700000000000_0042';

test('what one server publishes another one finds, whoever owns it; only what is new is copied again', async () => {
  const [writer, reader] = [await open(), await open()];
  const folder = applicationLogFolder(writer.tree, 'ada', id);
  mkdirSync(folder, { recursive: true });
  for (const name of ['node_1', 'node_2 ü']) {
    writeFileSync(join(folder, name), `logs of ${name}`);
    await writer.publish(join(folder, name));
  }
  assert.deepEqual(readdirSync(folder), []);
  assert.deepEqual([...fixture.objects.keys()][0], `of/cluster/ada/bucket-logs-tfile/0042/${id}/node_1`);
  assert.deepEqual((await writer.names(folder)).sort(), ['node_1', 'node_2 ü']);
  for (const owner of ['ada', undefined, 'bob']) {
    const found = await findApplicationLogs(reader.tree, id, owner);
    assert.equal(found?.owner, 'ada');
    assert.deepEqual(
      readdirSync(found!.folder).map((name) => readFileSync(join(found!.folder, name), 'utf8')),
      ['logs of node_1', 'logs of node_2 ü'],
    );
  }
  assert.equal(fixture.asked.filter((line) => line.startsWith('GET of/')).length, 2);
  await writer.remove(join(folder, 'node_1'));
  assert.deepEqual(await writer.names(folder), ['node_2 ü']);
  assert.equal(await findApplicationLogs(reader.tree, 'application_1700000000000_0043'), undefined);
});

test('a store that refuses is told with its reason, and nothing is left half', async () => {
  const store = await open();
  const folder = applicationLogFolder(store.tree, 'ada', id);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'node_9');
  writeFileSync(path, 'x');
  fixture.broken = true;
  try {
    await assert.rejects(store.publish(path), /s3a:\/\/logs\/of\/cluster\/ada\/.*node_9: Access Denied \(AccessDenied\)/);
    assert.equal(existsSync(path), false);
    await assert.rejects(findApplicationLogs(store.tree, id), { code: 'UNAVAILABLE' });
  } finally {
    fixture.broken = false;
  }
});

test('what is no bucket is refused with key and remedy', async () => {
  const rest = { suffix: 'logs', copies: join(root, 'unused'), property: () => undefined, clock: new ManualClock(), logger: silentLogger };
  await assert.rejects(
    openLogStore({ remoteDirectory: 's3a://b', ...rest }),
    /remote-app-log-dir: 'b' is no name of a bucket\. Name a folder/,
  );
});

test('a folder is used as it is', async () => {
  const remoteDirectory = join(root, 'shared');
  const store = await openLogStore({
    remoteDirectory,
    suffix: 'logs',
    copies: join(root, 'unused'),
    property: () => undefined,
    clock: new ManualClock(),
    logger: silentLogger,
  });
  assert.deepEqual([store.gathered, store.tree.root, store.tree.bring], [undefined, remoteDirectory, undefined]);
});
