import assert from 'node:assert/strict';
import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { crc32, deflateRawSync } from 'node:zlib';
import { ZipFile } from 'yauzl';
import { LocalizationFailure } from './errors.ts';
import { UnpackBudget } from './limits.ts';
import { unzip } from './zip.ts';

const root = mkdtempSync(join(tmpdir(), 'zip-'));
after(() => rmSync(root, { recursive: true, force: true }));

/** An entry as a test wants it; what is left out is as it should be. */
interface Wanted {
  readonly name: string | Buffer;
  readonly content?: string | Buffer;
  /** 8: deflated. */
  readonly method?: number;
  /** Bit 0: encrypted, 3: data descriptor, 6: strong encryption, 11: the name is UTF-8. */
  readonly flags?: number;
  /** Unix mode, with the kind of file. */
  readonly mode?: number;
  /** Lengths and offset stand in the zip64 field. */
  readonly zip64?: boolean;
  /** Length and sum that the directory names. */
  readonly bytes?: number;
  readonly sum?: number;
  /** Offset of another entry's header. */
  readonly offset?: number;
}

const u16 = (...values: number[]) => {
  const buffer = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt16LE(value, 2 * index);
  return buffer;
};
const u32 = (...values: number[]) => {
  const buffer = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) buffer.writeUInt32LE(value, 4 * index);
  return buffer;
};
const u64 = (...values: number[]) => {
  const buffer = Buffer.alloc(8 * values.length);
  for (const [index, value] of values.entries()) buffer.writeBigUInt64LE(BigInt(value), 8 * index);
  return buffer;
};

/** An archive by APPNOTE 4.3: local headers with contents, the directory, its end; `zip64End`: the long form of the end too. */
function archive(entries: readonly Wanted[], zip64End = false): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { method = 8, flags = 0, mode = 0o100644, zip64 = false } = entry;
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content ?? '');
    const packed = method === 8 ? deflateRawSync(content) : content;
    // What encrypts begins with twelve bytes of its own.
    const data = flags & 1 ? Buffer.concat([Buffer.alloc(12), packed]) : packed;
    const bytes = entry.bytes ?? content.length;
    const sum = entry.sum ?? crc32(content);
    const at = entry.offset ?? offset;
    // With a data descriptor sum and lengths follow the content.
    const described = (flags & 8) !== 0;
    const local = described ? u32(0, 0, 0) : u32(sum, data.length, bytes);
    const descriptor = described ? Buffer.concat([Buffer.from('PK\x07\x08'), u32(sum, data.length, bytes)]) : Buffer.alloc(0);
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), u16(20, flags, method, 0, 0), local, u16(name.length, 0), name]);
    const extra = zip64 ? Buffer.concat([u16(1, 24), u64(bytes, data.length, at)]) : Buffer.alloc(0);
    const full = 0xffffffff;
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02'),
        u16((3 << 8) | 45, 45, flags, method, 0, 0),
        u32(sum, zip64 ? full : data.length, zip64 ? full : bytes),
        u16(name.length, extra.length, 0, 0, 0),
        u32((mode << 16) >>> 0, zip64 ? full : at),
        name,
        extra,
      ]),
    );
    parts.push(header, data, descriptor);
    offset += header.length + data.length + descriptor.length;
  }
  const central = Buffer.concat(directory);
  const long = Buffer.concat([
    Buffer.from('PK\x06\x06'),
    u64(44),
    u16(45, 45),
    u32(0, 0),
    u64(entries.length, entries.length, central.length, offset),
    Buffer.from('PK\x06\x07'),
    u32(0),
    u64(offset + central.length),
    u32(1),
  ]);
  const short = zip64End
    ? Buffer.concat([u16(0, 0, 0xffff, 0xffff), u32(0xffffffff, 0xffffffff)])
    : Buffer.concat([u16(0, 0, entries.length, entries.length), u32(central.length, offset)]);
  return Buffer.concat([...parts, central, ...(zip64End ? [long] : []), Buffer.from('PK\x05\x06'), short, u16(0)]);
}

const generous = { maximumBytes: 1e9, maximumEntries: 1000, maximumRatio: 1000, stallMs: 1000, totalMs: 1000 };
let count = 0;

/** Unpacks bytes; gives the folder. */
async function unpacked(bytes: Buffer, limits: Partial<typeof generous> = {}, signal = new AbortController().signal): Promise<string> {
  const home = join(root, String(++count));
  const target = join(home, 'target');
  mkdirSync(target, { recursive: true });
  const file = join(home, 'a.zip');
  writeFileSync(file, bytes);
  await unzip(file, target, { budget: new UnpackBudget({ ...generous, ...limits }, bytes.length, 'a.zip'), signal });
  return target;
}
const names = (folder: string) => readdirSync(folder, { recursive: true }).map(String).sort();
/** Unpacking is refused with words for the user, and nothing was written beside the target. */
async function refused(bytes: Buffer, reason: RegExp, limits: Partial<typeof generous> = {}): Promise<void> {
  await assert.rejects(unpacked(bytes, limits), (error: Error) => {
    assert.ok(error instanceof LocalizationFailure, String(error));
    assert.match(error.message, reason);
    return true;
  });
  assert.deepEqual(readdirSync(join(root, String(count))).sort(), ['a.zip', 'target']);
}

test('stored and deflated entries, folders, empty files and modes come out as they went in', async () => {
  const folder = await unpacked(
    archive([
      { name: 'folder/', mode: 0o40755, method: 0 },
      { name: 'folder/deflated', content: 'words '.repeat(10_000) },
      { name: 'made/stored', content: 'words', method: 0, mode: 0o100750 },
      { name: 'empty', mode: 0o100600 },
      { name: 'without-mode', content: 'x', mode: 0 },
    ]),
  );
  assert.deepEqual(names(folder), ['empty', 'folder', 'folder/deflated', 'made', 'made/stored', 'without-mode']);
  assert.equal(readFileSync(join(folder, 'folder/deflated'), 'utf8'), 'words '.repeat(10_000));
  const mode = (name: string) => lstatSync(join(folder, name)).mode & 0o777 & ~process.umask();
  assert.deepEqual([mode('made/stored'), mode('empty'), mode('without-mode')], [0o750, 0o600, 0o644 & ~process.umask()]);
});

test('lengths that follow the content, and lengths of 64 bits, are read from the directory', async () => {
  for (const bytes of [
    archive([{ name: 'a', content: 'words', flags: 8 }]),
    archive([{ name: 'a', content: 'words', zip64: true }]),
    archive([{ name: 'a', content: 'words', zip64: true, method: 0 }], true),
  ])
    assert.equal(readFileSync(join(await unpacked(bytes), 'a'), 'utf8'), 'words');
});

test('an entry that leaves the folder is refused, in every writing', async () => {
  for (const name of ['../a', 'b/../../a', '/a', '..\\a', 'b\\..\\..\\a', '..', 'a\0b'])
    for (const flags of [0, 1 << 11]) await refused(archive([{ name, content: 'x', flags }]), /would create file outside of/);
});

test('links become files, so that nothing is written through them', async () => {
  const outside = join(root, 'outside');
  mkdirSync(outside);
  const link = { name: 'link', content: outside, mode: 0o120777, method: 0 };
  const folder = await unpacked(archive([link]));
  assert.ok(lstatSync(join(folder, 'link')).isFile());
  assert.equal(readFileSync(join(folder, 'link'), 'utf8'), outside);
  // A file of the file system's own words, not of the archive's: the link is no folder.
  await assert.rejects(unpacked(archive([link, { name: 'link/a', content: 'x' }])), { syscall: 'mkdir' });
  assert.deepEqual(readdirSync(outside), []);
});

test('of two entries of one name the last stays', async () => {
  const folder = await unpacked(
    archive([
      { name: 'a', content: 'the first, which is longer' },
      { name: 'a', content: 'the last' },
    ]),
  );
  assert.deepEqual(names(folder), ['a']);
  assert.equal(readFileSync(join(folder, 'a'), 'utf8'), 'the last');
});

test('names are UTF-8, marked so or not; others are in the code page of the format; a backslash is a character', async () => {
  const folder = await unpacked(
    archive([{ name: 'größe', flags: 1 << 11 }, { name: '大きさ' }, { name: Buffer.from([0x6d, 0x61, 0xe1]) }, { name: 'back\\slash' }]),
  );
  assert.deepEqual(names(folder), ['back\\slash', 'größe', 'maß', '大きさ'].sort());
});

test('encrypted entries are refused by their name', async () => {
  await refused(archive([{ name: 'secret', content: 'x', flags: 1 }]), /^secret: encrypted entries are not supported$/);
  await refused(archive([{ name: 'secret', content: 'x', flags: 1, method: 0 }]), /^secret: encrypted entries are not supported$/);
  await refused(archive([{ name: 'secret', content: 'x', flags: 0x41 }]), /strong encryption is not supported/);
});

test('a method of compression that there is not is named', async () => {
  await refused(archive([{ name: 'a', content: 'x', method: 12 }]), /^a: compression method 12 is not supported$/);
});

test('content that is not what the directory says is refused: longer, shorter, another', async () => {
  const content = 'words '.repeat(1000);
  for (const method of [0, 8])
    for (const wrong of [{ bytes: content.length - 1 }, { bytes: content.length + 1 }, { sum: 1 }])
      await refused(archive([{ name: 'a', content, method, ...wrong }]), /is not a zip file/);
});

test('an archive that explodes is stopped by entries, bytes and ratio, also where its entries share their content', async () => {
  const zeros = Buffer.alloc(8 * 1024 * 1024);
  const many = archive(Array.from({ length: 20 }, (_, index) => ({ name: `f${index}` })));
  await refused(many, /has more than 10 entries/, { maximumEntries: 10 });
  await refused(archive([{ name: 'zeros', content: zeros }]), /larger than 1000000 bytes unpacked/, { maximumBytes: 1e6 });
  // Each entry points to the content of the first.
  const shared = archive(
    Array.from({ length: 12 }, (_, index) => ({ name: `f${index}`, content: zeros, ...(index > 0 && { offset: 0 }) })),
  );
  await refused(shared, /becomes more than 100 times larger/, { maximumRatio: 100 });
  // Entries that are not wanted count too.
  const file = join(root, 'many.zip');
  writeFileSync(file, many);
  const budget = new UnpackBudget({ ...generous, maximumEntries: 10 }, many.length, 'many.zip');
  const none = { budget, signal: new AbortController().signal, wanted: () => false };
  await assert.rejects(unzip(file, root, none), /more than 10 entries/);
});

test('an archive without a directory, cut off, or with lengths that reach beyond it is none', async () => {
  const whole = archive([{ name: 'a', content: 'words'.repeat(100) }]);
  await refused(Buffer.alloc(0), /is not a zip file/);
  await refused(Buffer.from('no archive'), /is not a zip file/);
  for (const length of [whole.length - 1, whole.length - 30, 40]) await refused(whole.subarray(0, length), /is not a zip file/);
  await refused(archive([{ name: 'a', content: 'x', offset: 1e6 }]), /is not a zip file/);
  await refused(archive([{ name: 'a', content: 'x', offset: 1 }]), /is not a zip file/);
});

test('unpacking ends with the reason of who does not want it any more', async () => {
  const ending = new AbortController();
  ending.abort(new Error('no longer wanted'));
  await assert.rejects(unpacked(archive([{ name: 'a', content: 'x' }]), {}, ending.signal), /no longer wanted/);
  assert.equal(existsSync(join(root, String(count), 'target', 'a')), false);
});

test('an entry that no file can be made for fails the archive and nothing else, however long its content keeps one waiting', async () => {
  const { openReadStreamPromise } = ZipFile.prototype;
  ZipFile.prototype.openReadStreamPromise = async function (entry, options) {
    // Long enough for a file that was opened meanwhile to have failed.
    for (let turn = 0; turn < 20; turn++) await stat(root);
    return openReadStreamPromise.call(this, entry, options);
  };
  try {
    await assert.rejects(unpacked(archive([{ name: 'n'.repeat(300), content: 'x' }])), { code: 'ENAMETOOLONG' });
  } finally {
    ZipFile.prototype.openReadStreamPromise = openReadStreamPromise;
  }
});
