import assert from 'node:assert/strict';
import { chownSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { type AggregatedLogContents, listAggregatedLog, rangeOf, readAggregatedFiles, writeAggregatedLog } from './aggregated-log.ts';
import { readTfileNumber, tfileNumberTail, writeTfileNumber, writeUtf } from './java-data.ts';
import { readTfile, TfileWriter, UnreadableTfile } from './tfile.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const recorded = new URL('../../../test/compatibility/files/', import.meta.url);

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'aggregated-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function contentsOf(path: string, containerId: string, name: string, range = {}): Promise<Buffer | undefined> {
  for await (const { bytes } of readAggregatedFiles(path, containerId, (file) => file.name === name, range))
    return Buffer.concat(await Array.fromAsync(bytes));
  return undefined;
}

/** A file of one record, with its data block and index of blocks as the gz codec leaves them. */
function compressedFile(key: string, value: Buffer): Buffer {
  const n = writeTfileNumber;
  const magic = Buffer.from('d111d36891b5d7b639df414092bae150', 'hex');
  const record = Buffer.concat([n(key.length), Buffer.from(key, 'latin1'), n(value.length), value]);
  const block = deflateSync(record);
  const index = Buffer.concat([n(2), Buffer.from('gz'), n(1), n(16), n(block.length), n(record.length)]);
  const indexAt = 16 + block.length;
  const name = Buffer.from('data:BCFile.index');
  const meta = Buffer.concat([n(1), n(name.length), name, n(4), Buffer.from('none'), n(indexAt), n(index.length), n(index.length)]);
  const at = Buffer.alloc(8);
  at.writeBigInt64BE(BigInt(indexAt + index.length));
  return Buffer.concat([magic, block, index, meta, at, Buffer.from([0, 1, 0, 0]), magic]);
}

test('numbers of the TFile form survive at every width', () => {
  fc.assert(
    fc.property(fc.integer({ min: -32, max: 52 }), fc.integer({ min: -3, max: 3 }), fc.boolean(), (power, near, negative) => {
      const value = Math.trunc((negative ? -1 : 1) * 2 ** Math.max(0, power)) * (power > 40 ? 1 : 5) + near;
      const bytes = writeTfileNumber(value);
      assert.equal(tfileNumberTail(bytes[0]!), bytes.length - 1);
      assert.equal(readTfileNumber(bytes[0]!, bytes.subarray(1)), value);
    }),
  );
  assert.deepEqual([...writeTfileNumber(0x148b)], [0xa8, 0x14, 0x8b]);
});

test('what is aggregated is read back, whatever the names, sizes and blocks', async () => {
  await inFolder(async (folder) => {
    const file = fc.record({
      name: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      size: fc.oneof(fc.nat(50), fc.nat(300_000)),
    });
    const container = fc.uniqueArray(file, { selector: (entry) => entry.name, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(container, { maxLength: 4 }),
        fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 })),
        async (containers, acls) => {
          const path = join(folder, 'log');
          const source = join(folder, 'source');
          writeFileSync(source, Buffer.alloc(300_000, 'all the same bytes, '));
          const contents: AggregatedLogContents = {
            applicationOwner: 'ann',
            acls,
            containers: containers.map((files, at) => ({
              containerId: `container_1_0001_01_00000${at}`,
              files: files.map(({ name, size }) => ({ name, size, path: source })),
            })),
          };
          await writeAggregatedLog(path, contents);
          const listing = await listAggregatedLog(path);
          assert.equal(listing.owner, 'ann');
          assert.deepEqual({ ...listing.acls }, { ...acls });
          for (const { containerId, files } of contents.containers) {
            const listed = listing.containers.find((entry) => entry.containerId === containerId)!;
            assert.deepEqual(
              new Map(listed.files.map((entry) => [entry.name, entry.sizeBytes])),
              new Map(files.map((entry) => [entry.name, entry.size])),
            );
            for (const { name, size } of files)
              assert.ok((await contentsOf(path, containerId, name))?.equals(readFileSync(source).subarray(0, size)));
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

test('parts of a log file are counted from its beginning and its end', async () => {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, 's'), '0123456789');
    const path = join(folder, 'log');
    await writeAggregatedLog(path, {
      applicationOwner: 'u',
      acls: {},
      containers: [
        {
          containerId: 'c',
          files: [
            { name: 's', path: join(folder, 's'), size: 10 },
            { name: 't', path: join(folder, 's'), size: 3 },
          ],
        },
      ],
    });
    for (const [range, expected] of [
      [{}, '0123456789'],
      [{ size: 3 }, '012'],
      [{ size: -3 }, '789'],
      [{ size: 0 }, ''],
      [{ size: 30 }, '0123456789'],
      [{ size: -30 }, '0123456789'],
      [{ start: 2, end: 4 }, '23'],
      [{ start: -4 }, '6789'],
      [{ start: 8, end: 2 }, ''],
    ] as const) {
      assert.equal((await contentsOf(path, 'c', 's', range))?.toString(), expected);
      assert.equal((await contentsOf(path, 'c', 't'))?.toString(), '012');
    }
    assert.deepEqual(rangeOf(10, { start: -100, end: 100 }), { from: 0, to: 10 });
    assert.equal(await contentsOf(path, 'c', 'none'), undefined);
    assert.equal(await contentsOf(path, 'other', 's'), undefined);
  });
});

test('a log that vanished leaves a sentence, one that shrank is filled up', async () => {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, 's'), 'abc');
    const path = join(folder, 'log');
    await writeAggregatedLog(path, {
      applicationOwner: 'u',
      acls: {},
      containers: [
        {
          containerId: 'c',
          files: [
            { name: 'gone', path: join(folder, 'gone'), size: 9 },
            { name: 'short', path: join(folder, 's'), size: 5 },
          ],
        },
      ],
    });
    assert.match(String(await contentsOf(path, 'c', 'gone')), /gone. ENOENT/);
    assert.equal(String(await contentsOf(path, 'c', 'short')), 'abc\0\0');
    assert.deepEqual(readdirSync(folder).toSorted(), ['log', 's']);
  });
});

test('compressed blocks are read', async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 'plain');
    const file = await open(path, 'w+');
    const writer = new TfileWriter(file);
    await writer.append(Buffer.from('key'), [Buffer.alloc(1000, 'x')]);
    await writer.finish();
    await file.close();
    // The same file as the gz codec leaves it.
    writeFileSync(join(folder, 'gz'), compressedFile('key', Buffer.alloc(1000, 'x')));
    const compressed = await open(join(folder, 'gz'));
    const found: string[] = [];
    for await (const { key, value } of readTfile(compressed))
      found.push(`${key} ${(await value.read(1000)).toString() === 'x'.repeat(1000)}`);
    await compressed.close();
    assert.deepEqual(found, ['key true']);
  });
});

test('a small file that tells of millions of logs is refused', async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 'bomb');
    const each = Buffer.concat([writeUtf(''), writeUtf('0')]);
    const told = (logs: number) => Buffer.alloc(logs * each.length, each);
    const key = writeUtf('container_1_1_1_1').toString('latin1');
    const isTold = (error: unknown) => error instanceof UnreadableTfile && /more than 500 logs/.test(error.message);
    writeFileSync(path, compressedFile(key, told(499)));
    assert.equal((await listAggregatedLog(path, undefined, 500)).containers[0]!.files.length, 499);
    writeFileSync(path, compressedFile(key, told(2_000_000)));
    assert.ok(readFileSync(path).length < 50_000);
    await assert.rejects(listAggregatedLog(path, undefined, 500), isTold);
    writeFileSync(path, compressedFile(writeUtf('APPLICATION_ACL').toString('latin1'), told(2000)));
    await assert.rejects(listAggregatedLog(path, undefined, 500), isTold);
  });
});

test('damaged files are refused', async () => {
  await inFolder(async (folder) => {
    writeFileSync(join(folder, 's'), 'abc'.repeat(100));
    const path = join(folder, 'log');
    await writeAggregatedLog(path, {
      applicationOwner: 'u',
      acls: {},
      containers: [{ containerId: 'c', files: [{ name: 's', path: join(folder, 's'), size: 300 }] }],
    });
    const whole = readFileSync(path);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), async (at, byte, cut) => {
        const damaged = Buffer.from(cut ? whole.subarray(0, at) : whole);
        if (!cut) damaged[at] = byte;
        writeFileSync(join(folder, 'damaged'), damaged);
        await listAggregatedLog(join(folder, 'damaged')).catch((error) => assert.ok(error instanceof UnreadableTfile, String(error)));
      }),
      { numRuns: 200 },
    );
  });
});

test('a file that Hadoop wrote is read, and written again with the same bytes', async () => {
  await inFolder(async (folder) => {
    for (const name of readdirSync(recorded).filter((file) => file.endsWith('.tfile'))) {
      const original = readFileSync(new URL(name, recorded));
      const path = join(folder, 'in');
      writeFileSync(path, original);
      const listing = await listAggregatedLog(path);
      const containers: { containerId: string; files: { name: string; path: string; size: number }[] }[] = [];
      for (const { containerId, files } of listing.containers) {
        const entry = { containerId, files: [] as { name: string; path: string; size: number }[] };
        for (const file of files) {
          const source = join(folder, `${containerId}-${file.name}`);
          writeFileSync(source, (await contentsOf(path, containerId, file.name))!);
          entry.files.push({ name: file.name, path: source, size: file.sizeBytes });
        }
        containers.push(entry);
      }
      await writeAggregatedLog(join(folder, 'out'), { applicationOwner: listing.owner, acls: listing.acls, containers });
      assert.ok(readFileSync(join(folder, 'out')).equals(original));
    }
  });
});

test('a file of another user that was linked into the folder of a log is not gathered', {
  skip: process.getuid?.() !== 0 && 'needs root, to own files as others',
}, async () => {
  await inFolder(async (folder) => {
    const [path, secret, logs] = [join(folder, 'gathered'), join(folder, 'secret'), join(folder, 'logs')];
    writeFileSync(secret, 'secret');
    mkdirSync(logs);
    linkSync(secret, join(logs, 'stdout'));
    chownSync(logs, 61_666, 61_666);
    const files = [{ name: 'stdout', path: join(logs, 'stdout'), size: 6, modifiedMs: 0 }];
    await writeAggregatedLog(path, { applicationOwner: 'ann', acls: {}, containers: [{ containerId: 'c', files }] });
    const text = (await contentsOf(path, 'c', 'stdout'))?.toString() ?? '';
    assert.match(text, /^Error aggregating log file\. Log file : stdout\. EPERM/);
  });
});
