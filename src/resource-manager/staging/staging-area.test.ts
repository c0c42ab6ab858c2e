import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, test } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { StagingArea } from './staging-area.ts';

const root = mkdtempSync(join(tmpdir(), 'staging-'));
after(() => rmSync(root, { recursive: true, force: true }));
const id = 'application_1700000000000_0001';
const place = (name: string, user = 'ada', applicationId = id) => ({ user, applicationId, name });
let count = 0;

function makeArea(
  limits: { maximumFileBytes?: number; userQuotaBytes?: number; totalQuotaBytes?: number; endedRetentionMs?: number } = {},
  {
    folder = join(root, String(++count)),
    applications = new Map<string, { user: string; endedMs: number | undefined }>(),
    clock = new ManualClock(Date.now()),
  } = {},
) {
  const area = new StagingArea({
    folder,
    clock,
    logger: silentLogger,
    maximumFileBytes: 1000,
    userQuotaBytes: 3000,
    totalQuotaBytes: 1_000_000,
    unusedRetentionMs: 60_000,
    endedRetentionMs: 0,
    applicationOf: (applicationId) => applications.get(applicationId),
    ...limits,
  });
  return { area, folder, applications, clock };
}
async function* bytes(...pieces: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    if (piece instanceof Error) throw piece;
    yield Buffer.from(piece);
  }
}
const contentOf = async (area: StagingArea, of: ReturnType<typeof place>) =>
  Buffer.concat(await (await area.read(of)).open().toArray()).toString();
const filesIn = (folder: string) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());

test('a file comes back as it was left, under the address for local resources, with its sum', async () => {
  const { area } = makeArea();
  const sha256 = createHash('sha256').update('some words').digest('hex');
  const staged = await area.put(place('a b#ü.txt'), bytes('some ', 'words'), { bytes: 10, sha256 });
  assert.deepEqual(staged, { uri: `staging:/ada/${id}/a%20b%23%C3%BC.txt`, bytes: 10, sha256 });
  assert.equal(await contentOf(area, place('a b#ü.txt')), 'some words');
  await assert.rejects(area.read(place('other')), { code: 'STAGING_ABSENT' });
  await assert.rejects(area.read(place('a b#ü.txt', 'bob')), { code: 'STAGING_ABSENT' });
});

test('a file that finds the disk full is refused by the name of the disk, and nothing of it stays', async () => {
  const { area, folder } = makeArea();
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  await assert.rejects(area.put(place('a'), bytes('some', full)), {
    code: 'STAGING_DISK_FULL',
    message: `The disk of ${folder} is full: the file was not taken.`,
  });
  assert.deepEqual(filesIn(folder), []);
});

test('a file of which the disk takes less at once than it is given is there whole', async (test) => {
  const { area } = makeArea();
  const probe = await open(join(root, 'probe'), 'w');
  const files = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const write = files.write as (this: FileHandle, bytes: Uint8Array, at: number, length: number) => Promise<unknown>;
  test.mock.method(files, 'write', function (this: FileHandle, bytes: Uint8Array, at = 0) {
    return write.call(this, bytes, at, Math.min(3, bytes.length - at));
  });
  await area.put(place('a'), bytes('some ', 'words'));
  assert.equal(await contentOf(area, place('a')), 'some words');
});

test('what was left before a long file comes is not swept while it does', async () => {
  const { area, clock } = makeArea();
  await area.put(place('short'), bytes('short'));
  let go = () => {};
  const long = (async function* () {
    yield Buffer.from('begins');
    await new Promise<void>((resolve) => {
      go = resolve;
    });
    yield Buffer.from(' and ends');
  })();
  const put = area.put(place('long'), long);
  while (go.toString() === '() => {}') await new Promise((resolve) => setImmediate(resolve));
  clock.advance(120_000);
  await area.sweep();
  go();
  await put;
  assert.deepEqual([await contentOf(area, place('short')), await contentOf(area, place('long'))], ['short', 'begins and ends']);
  clock.advance(120_000);
  await area.sweep();
  await assert.rejects(area.read(place('short')), { code: 'STAGING_ABSENT' });
});

test('a body that breaks off, is too long or damaged leaves nothing', async () => {
  const { area, folder } = makeArea();
  await assert.rejects(area.put(place('x'), bytes('half', new Error('gone'))), /gone/);
  await assert.rejects(area.put(place('x'), bytes('x'.repeat(1001))), { code: 'STAGING_TOO_LARGE' });
  await assert.rejects(area.put(place('x'), bytes(''), { bytes: 1001 }), { code: 'STAGING_TOO_LARGE' });
  await assert.rejects(area.put(place('x'), bytes('x'), { sha256: '0'.repeat(64) }), { code: 'STAGING_DIGEST' });
  assert.deepEqual(filesIn(folder), []);
});

test('a user has so many bytes, those on their way included; another one has bytes of their own', async () => {
  const { area } = makeArea();
  for (const name of ['1', '2', '3']) await area.put(place(name), bytes('x'.repeat(900)));
  await assert.rejects(area.put(place('4'), bytes('x'.repeat(500))), { code: 'STAGING_QUOTA' });
  await area.put(place('4', 'bob'), bytes('x'.repeat(900)));
  await area.remove('ada', id);
  const results = await Promise.allSettled(
    ['1', '2', '3', '4', '5'].map((name) => area.put(place(name), bytes('x'.repeat(500), 'y'.repeat(400)))),
  );
  assert.ok(results.filter(({ status }) => status === 'fulfilled').length <= 3);
  assert.ok(results.some((result) => result.status === 'rejected' && result.reason.code === 'STAGING_QUOTA'));
});

test('all users together have so many bytes, however many names there are', async () => {
  const { area } = makeArea({ totalQuotaBytes: 2000 });
  await area.put(place('1', 'ghost1'), bytes('x'.repeat(900)));
  await area.put(place('1', 'ghost2'), bytes('x'.repeat(900)));
  await assert.rejects(area.put(place('1', 'ghost3'), bytes('x'.repeat(900))), { code: 'STAGING_FULL' });
  await assert.rejects(area.put(place('1', 'ghost3'), bytes(''), { bytes: 900 }), { code: 'STAGING_FULL' });
  await area.put(place('1', 'ghost2'), bytes('x'.repeat(100)));
  await area.remove('ghost1', id);
  await area.put(place('1', 'ghost3'), bytes('x'.repeat(900)));
  const results = await Promise.allSettled(
    ['a', 'b', 'c'].map((name) => area.put(place('1', name), bytes('x'.repeat(300), 'y'.repeat(300)))),
  );
  assert.ok(results.filter(({ status }) => status === 'fulfilled').length <= 1);
});

test('files that begin to come together and end one after the other are no more than may lie here', async () => {
  const { area, folder } = makeArea({ userQuotaBytes: 2000, totalQuotaBytes: 3000 });
  /** Files that are whole but for their end, which comes when it is let. */
  const begun = ['1', '2', '3', '4', '5'].map((name) => {
    const end = Promise.withResolvers<void>();
    async function* content() {
      yield Buffer.from('x');
      await end.promise;
      yield Buffer.from(name.repeat(899));
    }
    // What the first bytes find is room for all of them.
    return { end, put: area.put(place(name, Number(name) > 3 ? 'bob' : 'ada'), content()) };
  });
  const ends: string[] = [];
  for (const { end, put } of begun) {
    end.resolve();
    ends.push(
      await put.then(
        () => 'kept',
        ({ code }) => code,
      ),
    );
    // That others remove theirs makes nobody forget what came.
    await area.remove('eve', id);
  }
  assert.deepEqual(ends, ['kept', 'kept', 'STAGING_QUOTA', 'kept', 'STAGING_FULL']);
  assert.equal(filesIn(folder).length, 3);
});

test('what is replaced, repeated, removed or swept makes room for as much as it was', async () => {
  const { area, folder, applications, clock } = makeArea({ userQuotaBytes: 2000, maximumFileBytes: 2000 });
  const other = 'application_1700000000000_0002';
  const fills = async () => {
    await assert.rejects(area.put(place('more'), bytes('x'.repeat(101))), { code: 'STAGING_QUOTA' });
    await area.put(place('more'), bytes('x'.repeat(100)));
    await area.put(place('more'), bytes(''));
  };
  await area.put(place('1'), bytes('a'.repeat(1500)));
  await area.put(place('1'), bytes('b'.repeat(500)));
  await area.put(place('1'), bytes('b'.repeat(500)));
  await area.put(place('2', 'ada', other), bytes('c'.repeat(1400)));
  await fills();
  await area.remove('ada', other);
  await area.put(place('3'), bytes('d'.repeat(1400)));
  await fills();
  clock.advance(120_000);
  for (const folderOf of readdirSync(join(folder, 'u-ada'))) utimesSync(join(folder, 'u-ada', folderOf), 1, 1);
  applications.clear();
  await area.sweep();
  await area.put(place('4'), bytes('e'.repeat(1900)));
  await fills();
});

test('a file may be replaced until its application is submitted, and repeated always', async () => {
  const { area, applications } = makeArea();
  await area.put(place('x'), bytes('first'));
  await area.put(place('x'), bytes('second'));
  assert.equal(await contentOf(area, place('x')), 'second');
  applications.set(id, { user: 'ada', endedMs: undefined });
  await area.put(place('x'), bytes('second'));
  await assert.rejects(area.put(place('x'), bytes('third')), { code: 'STAGING_CHANGED' });
  assert.equal(await contentOf(area, place('x')), 'second');
  await assert.rejects(area.put(place('y', 'bob'), bytes('of another')), { code: 'STAGING_ENDED' });
  applications.set(id, { user: 'ada', endedMs: 1 });
  await assert.rejects(area.put(place('y'), bytes('late')), { code: 'STAGING_ENDED' });
});

test('names never leave the folder', async () => {
  const { area, folder } = makeArea();
  for (const name of ['..', '.', '', 'a/b', '../x', 'a\0b', 'x'.repeat(201)])
    await assert.rejects(area.put(place(name), bytes('x')), { code: 'STAGING_NAME_BAD' }, name);
  for (const application of ['..', 'x', 'application_1_1', '', '../../x', 'application_1700000000000_0001/..'])
    await assert.rejects(area.put(place('x', 'ada', application), bytes('x')), { code: 'STAGING_NAME_BAD' }, application);
  for (const user of ['..', '.', '.incoming', 'a/../..', '../evil', 'ü\0']) await area.put(place('x', user), bytes('of a strange user'));
  assert.ok(filesIn(folder).every((entry) => entry.parentPath.startsWith(`${folder}/u-`)));
  await assert.rejects(area.put(place('x', ''), bytes('x')), { code: 'STAGING_NAME_BAD' });
});

test('what is left of ended and never submitted applications goes, also after a restart; half files go at once', async () => {
  const { area, folder, applications, clock } = makeArea();
  const ids = ['0001', '0002', '0003', '0004'].map((number) => `application_1700000000000_${number}`);
  for (const applicationId of ids) await area.put(place('x', 'ada', applicationId), bytes('x'));
  mkdirSync(join(folder, '.incoming'), { recursive: true });
  writeFileSync(join(folder, '.incoming/half'), 'x');
  applications.set(ids[0]!, { user: 'ada', endedMs: undefined });
  applications.set(ids[1]!, { user: 'ada', endedMs: 1 });
  const old = (clock.now() - 61_000) / 1000;
  for (const applicationId of [ids[0]!, ids[2]!]) utimesSync(join(folder, 'u-ada', applicationId), old, old);
  await area.begin();
  void area.close();
  await area.sweep();
  assert.deepEqual(
    ids.map((applicationId) => existsSync(join(folder, 'u-ada', applicationId))),
    [true, false, false, true],
  );
  assert.equal(existsSync(join(folder, '.incoming')), false);
});

test('files of ended applications stay for a while, also after a restart, and as long as there is room', async () => {
  const { area, folder, applications, clock } = makeArea({ endedRetentionMs: 100_000 });
  const ids = ['0001', '0002', '0003'].map((number) => `application_1700000000000_${number}`);
  const [first = '', second = '', living = ''] = ids;
  for (const applicationId of ids) {
    await area.put(place('x', 'ada', applicationId), bytes('x'.repeat(900)));
    applications.set(applicationId, { user: 'ada', endedMs: undefined });
  }
  const end = async (applicationId: string) => {
    applications.set(applicationId, { user: 'ada', endedMs: clock.now() });
    await area.applicationEnded('ada', applicationId, clock.now());
  };
  const there = () => ids.map((applicationId) => existsSync(join(folder, 'u-ada', applicationId)));
  await end(first);
  clock.advance(60_000);
  await end(second);
  assert.equal(await contentOf(area, place('x', 'ada', first)), 'x'.repeat(900));
  await assert.rejects(area.put(place('y', 'ada', first), bytes('late')), { code: 'STAGING_ENDED' });
  clock.advance(39_000);
  await area.sweep();
  assert.deepEqual(there(), [true, true, true]);
  clock.advance(1000);
  await area.sweep();
  assert.deepEqual(there(), [false, true, true]);
  const again = makeArea({ endedRetentionMs: 100_000 }, { folder, applications, clock }).area;
  await again.sweep();
  assert.deepEqual(there(), [false, true, true]);
  // Of 3,000 bytes 1,800 are taken: what has ended goes for what is new.
  await again.put(place('y', 'ada', living), bytes('y'.repeat(1000)));
  assert.deepEqual(there(), [false, true, true]);
  await again.put(place('z', 'ada', living), bytes('z'.repeat(1000)));
  assert.deepEqual(there(), [false, false, true]);
  await assert.rejects(again.put(place('full', 'ada', living), bytes('f'.repeat(1000))), { code: 'STAGING_QUOTA' });
});

test('a folder that is swapped for a link while a file comes leads no byte out of the area, nor what is removed', async () => {
  for (const swapped of ['u-ada', join('u-ada', id), join('u-ada', id, 'a')]) {
    const { area, folder, clock } = makeArea();
    const outside = mkdtempSync(join(root, 'outside-'));
    mkdirSync(join(outside, id, 'a'), { recursive: true });
    writeFileSync(join(outside, 'mine'), 'stays');
    writeFileSync(join(outside, id, 'mine'), 'stays');
    await area.put(place('a'), bytes('first'));
    const source = (async function* () {
      yield Buffer.from('second, ');
      rmSync(join(folder, swapped), { recursive: true });
      symlinkSync(outside, join(folder, swapped));
      yield Buffer.from('which goes on');
    })();
    await assert.rejects(area.put(place('a'), source), /ELOOP|ENOTDIR/, swapped);
    const before = ['mine', join(id, 'mine')];
    const left = () => filesIn(outside).map(({ parentPath, name }) => relative(outside, join(parentPath, name)));
    assert.deepEqual(left().sort(), before.sort(), swapped);
    for (const file of filesIn(outside)) utimesSync(join(file.parentPath, file.name), 0, 0);
    clock.advance(120_000_000);
    await area.sweep();
    await area.remove('ada', id).catch(() => undefined);
    assert.deepEqual(left().sort(), before.sort(), `${swapped}, removed`);
    assert.deepEqual(filesIn(join(folder, '.incoming')), []);
  }
});
