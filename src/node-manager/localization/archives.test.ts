import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { seededRandom } from '../../lib/random.ts';
import { makeCache, never, owner, root, source, zip } from '../test-support/local-cache.ts';
import { LocalizationFailure } from './errors.ts';
import { unpack } from './unpack.ts';

/** A tar entry: header and content. `kind`: 0 file, 1 hard link, 2 symbolic link, 5 folder. */
function tarEntry(name: string, content: string | Buffer = '', kind = '0', linkTo = ''): Buffer {
  const bytes = Buffer.from(content);
  const header = Buffer.alloc(512);
  const put = (text: string, at: number) => void header.write(text, at, 'latin1');
  put(name, 0);
  put('0000644\0', 100);
  put(`${bytes.length.toString(8).padStart(11, '0')}\0`, 124);
  put('        ', 148);
  put(kind, 156);
  put(linkTo, 157);
  put('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
}
const tar = (...entries: Buffer[]) => Buffer.concat([...entries, Buffer.alloc(1024)]);
const asArchive = (name: string, content: Buffer) => ({ ...source(name, content), type: 'ARCHIVE' as const });

/** All names below a folder. */
const names = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();

test('what GNU tar packs comes out the same: deep folders, long names, links, empty files, in every compression', async () => {
  const from = join(root, 'packed');
  const long = `${'long-folder-name/'.repeat(12)}file-with-a-long-name-${'x'.repeat(90)}.txt`;
  mkdirSync(join(from, long, '..'), { recursive: true });
  writeFileSync(join(from, long), 'long');
  writeFileSync(join(from, 'empty'), '');
  writeFileSync(join(from, 'ünïcode.txt'), 'ü');
  writeFileSync(join(from, 'large.bin'), Buffer.alloc(300_000, 'abc'));
  symlinkSync('large.bin', join(from, 'link'));
  execFileSync('ln', [join(from, 'large.bin'), join(from, 'hard')]);
  for (const format of ['gnu', 'pax'])
    execFileSync('tar', [`--format=${format}`, '-cf', join(root, `${format}.tar`), '-C', from, '.'], { stdio: 'pipe' });
  const plain = readFileSync(join(root, 'gnu.tar'));
  const { cache } = makeCache();
  const archives = [
    asArchive('a-gnu.tar', plain),
    asArchive('a-pax.tar', readFileSync(join(root, 'pax.tar'))),
    asArchive('a.tar.gz', gzipSync(plain)),
    asArchive('a.tgz', gzipSync(plain)),
    asArchive('a.tar.zst', zstdCompressSync(plain)),
  ];
  for (const archive of archives) {
    const folder = await cache.acquire(archive, owner(), never);
    assert.deepEqual(names(folder), names(from), archive.resource);
    assert.equal(readFileSync(join(folder, long), 'utf8'), 'long');
    assert.ok(readFileSync(join(folder, 'hard')).equals(readFileSync(join(from, 'large.bin'))));
    assert.equal(readlinkSync(join(folder, 'link')), 'large.bin');
  }
});

test('a bzip2 archive is unpacked where the program is, else the failure names it', async () => {
  const { cache } = makeCache();
  let packed = Buffer.from('BZh91AY&SY not really');
  try {
    packed = execFileSync('bash', ['-c', 'bzip2 -c'], { input: tar(tarEntry('words.txt', 'words')) });
  } catch {
    // Not installed: only the failure can be looked at.
  }
  const acquired = cache.acquire(asArchive('words.tar.bz2', packed), owner(), never);
  const text = await acquired.then((folder) => readFileSync(join(folder, 'words.txt'), 'utf8')).catch((error: Error) => error.message);
  assert.match(text, /^words$|bzip2 is not installed/);
  await assert.rejects(cache.acquire(asArchive('no.tar.bz2', Buffer.from('nothing')), owner(), never), /Untarring no.tar.bz2 failed: /);
});

test('no entry is written through a link or outside of the folder', async () => {
  const outside = join(root, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
  const { cache } = makeCache();
  const climbing: [string, Buffer, RegExp][] = [
    ['up.tar', tar(tarEntry('../../evil', 'x')), /would create file outside/],
    ['middle.tar', tar(tarEntry('a/../../evil', 'x')), /would create file outside/],
    ['hard-out.tar', tar(tarEntry('x', '', '1', join(outside, 'secret'))), /is no file of the archive/],
    ['through.tar', tar(tarEntry('x', '', '2', outside), tarEntry('x/evil', 'x'), tarEntry('x', '', '2', outside)), /./],
    ['below-link.tar', tar(tarEntry('x', '', '2', outside), tarEntry('x/y', '', '2', 'z')), /is a link and a folder/],
    ['cut.tar', tarEntry('a', 'b'.repeat(5000)).subarray(0, 2000), /cut off/],
    ['none.tar', Buffer.from('no archive'.repeat(200)), /is not a tar archive/],
    ['sum.tar', Buffer.concat([tarEntry('a', 'b').fill('z', 3, 5), Buffer.alloc(1024)]), /is not a tar archive/],
  ];
  for (const [name, bytes, reason] of climbing) {
    const result = await cache.acquire(asArchive(name, bytes), owner(), never).then(
      () => undefined,
      (error: Error) => error,
    );
    if (name !== 'through.tar') assert.match(String(result), reason, name);
  }
  assert.deepEqual(readdirSync(outside), ['secret']);
  assert.equal(existsSync(join(root, 'evil')), false);
  const absolute = await cache.acquire(asArchive('absolute.tar', tar(tarEntry('/etc/evil', 'x'))), owner(), never);
  assert.deepEqual(names(absolute), ['etc', 'etc/evil']);
  const replaced = tar(tarEntry('x', '', '2', join(outside, 'secret')), tarEntry('x', 'mine'));
  const folder = await cache.acquire(asArchive('replaced.tar', replaced), owner(), never);
  assert.ok(lstatSync(join(folder, 'x')).isFile());
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'secret');
});

test('archives that explode are stopped by bytes, entries and ratio, and nothing of them stays', async () => {
  const zeros = Buffer.alloc(100 * 1024 * 1024);
  const bomb = gzipSync(tar(tarEntry('zeros', zeros)));
  const { cache, folder } = makeCache();
  await assert.rejects(cache.acquire(asArchive('bomb.tgz', bomb), owner(), never), /more than 200 times larger/);
  const many = tar(...Array.from({ length: 20 }, (_, index) => tarEntry(`file-${index}`)));
  const small = makeCache({ limits: { maximumEntries: 10, maximumBytes: 50_000 } });
  await assert.rejects(small.cache.acquire(asArchive('many.tar', many), owner(), never), /more than 10 entries/);
  await assert.rejects(
    small.cache.acquire(
      asArchive('many.zip', zip(Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`f${i}`, 'x'])))),
      owner(),
      never,
    ),
    /more than 10 entries/,
  );
  await assert.rejects(
    small.cache.acquire(asArchive('large.tar', tar(tarEntry('x', Buffer.alloc(60_000)))), owner(), never),
    /larger than 50000 bytes unpacked|larger than 50000 bytes/,
  );
  for (const left of [folder, small.folder])
    assert.deepEqual(
      readdirSync(left, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()),
      [],
    );
});

test('names that no disk can hold and a file that is a folder too are told in short words', async () => {
  const { cache } = makeCache();
  const long = asArchive('long.zip', zip({ ['n'.repeat(300)]: 'x' }));
  await assert.rejects(cache.acquire(long, owner(), never), (error: Error) => {
    assert.match(error.message, /long\.zip: a name in it is too long for this node$/);
    return error.message.length < 300;
  });
  const twice = asArchive('twice.zip', zip({ a: 'x', 'a/b': 'y' }));
  await assert.rejects(cache.acquire(twice, owner(), never), /twice\.zip: it holds a file and a folder of the same name$/);
});

test('a zip whose content is not what its directory says is refused', async () => {
  const { cache } = makeCache();
  const bytes = zip({ 'a.txt': 'some words that are long enough to be packed' });
  bytes[40] = bytes[40]! ^ 0xff;
  await assert.rejects(cache.acquire(asArchive('damaged.zip', bytes), owner(), never));
});

test('archives with random damage are unpacked or refused with a reason, and never reach outside', async () => {
  const random = seededRandom(20_251_013);
  const home = join(root, 'damaged');
  mkdirSync(home);
  const tars = tar(
    tarEntry('folder/', '', '5'),
    tarEntry('folder/words.txt', 'words'.repeat(100)),
    tarEntry('folder/link', '', '2', 'words.txt'),
    tarEntry('hard', '', '1', 'folder/words.txt'),
    tarEntry('././@LongLink', `${'deep/'.repeat(30)}name\0`, 'L'),
    tarEntry('short', 'long name'),
    tarEntry('pax', '18 path=pax/name\n', 'x'),
    tarEntry('replaced', 'pax'),
  );
  const zips = zip({ 'folder/words.txt': 'words'.repeat(100), 'other.txt': 'other' });
  const limits = { maximumBytes: 1e6, maximumEntries: 100, maximumRatio: 200, stallMs: 1000, totalMs: 1000 };
  for (let round = 0; round < 200; round++) {
    const [ending, whole] = round % 2 === 0 ? ['tar', tars] : ['zip', zips];
    const bytes = Buffer.from(whole);
    for (let damages = 1 + random.int(4); damages > 0; damages--) bytes[random.int(bytes.length)] = random.int(256);
    const cut = random.int(4) === 0 ? bytes.subarray(0, random.int(bytes.length)) : bytes;
    // The sums of damaged tar headers are mended, so that more than the check of the sum is tried.
    if (ending === 'tar' && random.int(2) === 0) for (let at = 0; at + 512 <= cut.length; at += 512) mendSum(cut.subarray(at, at + 512));
    const fetched = join(home, `part-${round}`);
    const target = join(home, `${round}`, `x.${ending}`);
    mkdirSync(join(home, `${round}`));
    writeFileSync(fetched, cut);
    const resource = { resource: `file://${fetched}`, type: 'ARCHIVE', visibility: 'PRIVATE', size: -1, timestamp: 0 } as const;
    await unpack(resource, fetched, target, { signal: never, limits }).catch((error: Error) => {
      // File systems refuse some names; nothing of our own may break.
      const known = error instanceof LocalizationFailure || (error as NodeJS.ErrnoException).syscall !== undefined;
      assert.ok(known, `round ${round}: ${error.stack}`);
    });
    rmSync(fetched, { force: true });
  }
  assert.deepEqual(readdirSync(home).length, 200);
  for (const name of readdirSync(home))
    assert.ok(
      readdirSync(join(home, name)).every((inner) => inner.startsWith('x.')),
      name,
    );
});

function mendSum(block: Buffer): void {
  if (block.toString('latin1', 257, 262) !== 'ustar') return;
  block.write('        ', 148, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
}
