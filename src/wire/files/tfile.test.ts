import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { writeTfileNumber } from './java-data.ts';
import { readTfile, TfileWriter, UnreadableTfile } from './tfile.ts';

const folder = mkdtempSync(join(tmpdir(), 'heddle-tfile-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'file');

async function write(records: readonly (readonly [key: string, parts: readonly Buffer[]])[]): Promise<Buffer> {
  const file = await open(path, 'w+');
  try {
    const writer = new TfileWriter(file);
    for (const [key, parts] of records) await writer.append(Buffer.from(key), parts);
    await writer.finish();
  } finally {
    await file.close();
  }
  return readFileSync(path);
}

/** Everything in a file: keys, and values as `use` reads them. */
async function read<Value>(bytes: Buffer, use: (value: import('./tfile.ts').TfileValue) => Promise<Value>): Promise<[string, Value][]> {
  writeFileSync(path, bytes);
  const file = await open(path);
  try {
    const found: [string, Value][] = [];
    for await (const { key, value } of readTfile(file)) found.push([key.toString(), await use(value)]);
    return found;
  } finally {
    await file.close();
  }
}
const whole = async (value: import('./tfile.ts').TfileValue): Promise<number> => {
  let length = 0;
  while (!(await value.ended())) length += (await value.some(1 << 20)).length;
  return length;
};
const refused = (bytes: Buffer, message: RegExp) =>
  assert.rejects(read(bytes, whole), (error) => error instanceof UnreadableTfile && message.test(error.message));

describe('a TFile', () => {
  it('without records has none', async () => {
    assert.deepEqual(await read(await write([]), whole), []);
  });

  it('has records in their order, with empty keys and values too, and keys given twice', async () => {
    const bytes = await write([
      ['', []],
      ['a', [Buffer.from('x')]],
      ['a', [Buffer.alloc(0), Buffer.from('yz')]],
    ]);
    assert.deepEqual(await read(bytes, async (value) => (await value.ended()) || (await value.read(1)).toString()), [
      ['', true],
      ['a', 'x'],
      ['a', 'y'],
    ]);
  });

  it('has values of many chunks, and blocks as they grow', async () => {
    const part = Buffer.alloc(400_000, 'p');
    const bytes = await write([
      ['large', [part, part, part, part, part, part]],
      ['chunk', [Buffer.alloc(1024 * 1024, 'c')]],
      ['small', [Buffer.from('s')]],
    ]);
    assert.deepEqual(await read(bytes, whole), [
      ['large', 2_400_000],
      ['chunk', 1_048_576],
      ['small', 1],
    ]);
  });

  it('has values that may be read in part, passed over in part, or not at all', async () => {
    const bytes = await write([
      ['one', [Buffer.from('0123456789')]],
      ['two', [Buffer.from('abc')]],
      ['three', [Buffer.from('xyz')]],
    ]);
    const found = await read(bytes, async (value) => {
      const first = (await value.read(1)).toString();
      if (first === '0') {
        await value.skip(4);
        return first + (await value.read(2)).toString();
      }
      return first;
    });
    assert.deepEqual(found, [
      ['one', '056'],
      ['two', 'a'],
      ['three', 'x'],
    ]);
  });

  it('refuses to read beyond the end of a value', async () => {
    const bytes = await write([['one', [Buffer.from('abc')]]]);
    await assert.rejects(
      read(bytes, (value) => value.read(4)),
      UnreadableTfile,
    );
    await assert.rejects(
      read(bytes, (value) => value.skip(4)),
      UnreadableTfile,
    );
    await assert.rejects(
      read(bytes, async (value) => {
        await value.skipRest();
        return value.some(1);
      }),
      UnreadableTfile,
    );
  });
});

describe('what is no TFile', () => {
  it('is refused where it is too short or has another end', async () => {
    const good = await write([['a', [Buffer.from('x')]]]);
    for (const bytes of [
      Buffer.alloc(0),
      Buffer.alloc(20),
      Buffer.alloc(500),
      good.subarray(0, good.length - 1),
      Buffer.concat([good, Buffer.from('x')]),
    ])
      await refused(bytes, /Not a valid BCFile\./);
    const otherVersion = Buffer.from(good);
    otherVersion[otherVersion.length - 19] = 9;
    await refused(otherVersion, /Not a valid BCFile\./);
    const beyond = Buffer.from(good);
    beyond.writeBigInt64BE(BigInt(good.length), good.length - 28);
    await refused(beyond, /Not a valid BCFile\./);
  });

  it('is refused where its index is missing or its blocks lie elsewhere', async () => {
    const magic = Buffer.from('d111d36891b5d7b639df414092bae150', 'hex');
    const n = writeTfileNumber;
    const named = (text: string) => Buffer.concat([n(Buffer.byteLength(text)), Buffer.from(text)]);
    const fileOf = (compression: string, regions: readonly number[], metaName = 'data:BCFile.index'): Buffer => {
      const index = Buffer.concat([named(compression), n(regions.length / 3), ...regions.map((value) => n(value))]);
      const meta = Buffer.concat([n(1), named(metaName), named('none'), n(16), n(index.length), n(index.length)]);
      const at = Buffer.alloc(8);
      at.writeBigInt64BE(BigInt(16 + index.length));
      return Buffer.concat([magic, index, meta, at, Buffer.from([0, 1, 0, 0]), magic]);
    };
    assert.deepEqual(await read(fileOf('none', []), whole), []);
    await refused(fileOf('none', [], 'data:Other.index'), /The index of blocks is missing/);
    await refused(fileOf('none', [10_000, 5, 5]), /lies outside of the file/);
    await refused(fileOf('none', [-5, 5, 5]), /lies outside of the file/);
    await refused(fileOf('none', [16, -1, 5]), /lies outside of the file/);
    await refused(fileOf('none', Array(300).fill([16, 5, 5]).flat()), /blocks of the file are longer than the file/);
    await refused(fileOf('lzo', [16, 5, 5]), /Blocks compressed with lzo cannot be read/);
    await refused(fileOf('gz', [16, 5, 5]), /cannot be expanded|ends inside a record|A length of/);
  });
});
