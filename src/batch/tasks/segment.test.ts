// Segments of map output: the form is Hadoop's IFile, and damage of any kind is found.
import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { append, type Pair, recordsOf } from '../test-support/map-outputs.ts';
import type { BlockCodec } from './block-codec.ts';
import { codecClasses, mapOutputCodecOf } from './input/compression.ts';
import { JobConfiguration } from './job-configuration.ts';
import { type SegmentPlace, SegmentReader, SegmentWriter } from './segment.ts';
import { CorruptSegment } from './segment-bytes.ts';
import { decodeIndex, encodeIndex } from './segment-index.ts';
import type { WritableKind } from './writables.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122) });

const scratch = mkdtempSync(join(tmpdir(), 'heddle-segments-'));
after(() => rmSync(scratch, { recursive: true }));
let serial = 0;

/** Writes segments of records to a file; gives their places. */
function written(
  segments: readonly (readonly Pair[])[],
  kinds: readonly [WritableKind, WritableKind] = ['text', 'text'],
  codec?: BlockCodec,
) {
  const path = join(scratch, String(++serial));
  const file = openSync(path, 'w');
  const writer = new SegmentWriter(file, ...kinds, codec);
  const places = segments.map((pairs) => {
    for (const pair of pairs) append(writer, pair);
    return writer.endSegment();
  });
  closeSync(file);
  return { path, places, bytes: readFileSync(path), writer };
}

/** The records of one segment, read from its file. */
function inFile(path: string, place: SegmentPlace, kinds: readonly [WritableKind, WritableKind] = ['text', 'text']): Pair[] {
  const file = openSync(path, 'r');
  let closed = 0;
  const reader = SegmentReader.inFile(file, place, ...kinds, () => closed++);
  try {
    return recordsOf(reader);
  } finally {
    reader.close();
    assert.equal(closed, 1);
    closeSync(file);
  }
}

const bytes = (maxLength: number) => fc.uint8Array({ maxLength, size: 'max' }).map((array) => Buffer.from(array).toString('latin1'));
const sizes = fc.oneof({ weight: 5, arbitrary: bytes(12) }, { weight: 1, arbitrary: bytes(400) });

test('records are read as they were written, from files and from memory, in every segment of a file', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(sizes, sizes), { maxLength: 8 }), { minLength: 1, maxLength: 4 }), (segments) => {
      const { path, places, bytes: all } = written(segments);
      for (const [i, place] of places.entries()) {
        assert.deepEqual(inFile(path, place), segments[i]);
        const part = all.subarray(place.offset, place.offset + place.partLength);
        assert.deepEqual(recordsOf(SegmentReader.inMemory(part, 'text', 'text')), segments[i]);
      }
      assert.equal(
        places.reduce((sum, place) => sum + place.partLength, 0),
        all.length,
        'segments lie one after the other without gaps',
      );
    }),
    { numRuns: 80 },
  );
});

test('records larger than every buffer are read as they were written', () => {
  const pairs: Pair[] = [
    ['small', 'x'],
    ['k'.repeat(70_000), 'v'.repeat(3_000_000)],
    ['after', 'y'],
  ];
  const { path, places } = written([pairs]);
  assert.deepEqual(inFile(path, places[0]!), pairs);
});

test('a segment is laid out as Hadoop’s IFile', () => {
  const { bytes: all, places, writer } = written([[['ab', 'c']], []]);
  // Lengths of key and value, each with the length of its text; the text; two end marks; CRC-32.
  const records = Buffer.from('0302026162' + '0163' + 'ffff', 'hex');
  assert.equal(all.subarray(0, records.length).toString('hex'), records.toString('hex'));
  assert.equal(all.readUInt32BE(records.length), crc32(records));
  const first = { offset: 0, rawLength: records.length, partLength: records.length + 4 };
  assert.deepEqual(places, [first, { offset: first.partLength, rawLength: 2, partLength: 6 }]);
  assert.equal(writer.records, 1);
  assert.equal(writer.position, all.length);
});

test('integers and nothing at all have no length of their own', () => {
  const { bytes: all, path, places } = written([[['\0\0\0\x07', '']]], ['int', 'null']);
  assert.equal(all.subarray(0, -4).toString('hex'), '040000000007ffff');
  assert.deepEqual(inFile(path, places[0]!, ['int', 'null']), [['\0\0\0\x07', '']]);
});

describe('a compressed segment', () => {
  /** By each codec that maps can use. */
  const codecs = codecClasses.map((name) => {
    const settings = { 'mapreduce.map.output.compress': 'true', 'mapreduce.map.output.compress.codec': name };
    return [name.split('.').at(-1)!, mapOutputCodecOf(new JobConfiguration(Object.entries(settings)))!] as const;
  });
  const long = Array.from({ length: 9000 }, (_, i): Pair => [`key ${i}`, `value ${'x'.repeat(i % 40)}`]);
  const segments: Pair[][] = [[['one', 'record']], [], long, [['large', 'y'.repeat(300_000)]]];

  for (const [name, codec] of codecs)
    test(`by ${name}: holds the same records, in a file and in memory, and says how long it is`, () => {
      const plain = written(segments);
      const { path, places, bytes: all } = written(segments, ['text', 'text'], codec);
      assert.deepEqual(
        places.map(({ rawLength }) => rawLength),
        plain.places.map(({ rawLength }) => rawLength),
      );
      assert.ok(all.length < plain.bytes.length / 3);
      const file = openSync(path, 'r');
      for (const [i, place] of places.entries()) {
        const { offset, partLength, rawLength } = place;
        assert.deepEqual(recordsOf(SegmentReader.inFile(file, place, 'text', 'text', undefined, codec)), segments[i]);
        const part = all.subarray(offset, offset + partLength);
        assert.deepEqual(recordsOf(SegmentReader.inMemory(part, 'text', 'text', { codec, rawLength })), segments[i]);
      }
      closeSync(file);
    });

  test('whose bytes are not what was written is found damaged, also where its checksum was made to fit', () => {
    for (const [, codec] of codecs) {
      const { bytes: all, places } = written([long.slice(0, 50)], ['text', 'text'], codec);
      const { rawLength } = places[0]!;
      fc.assert(
        fc.property(fc.nat(all.length - 5), fc.integer({ min: 1, max: 255 }), fc.boolean(), (at, change, fits) => {
          const damaged = Buffer.from(all);
          damaged[at]! ^= change;
          if (fits) damaged.writeUInt32BE(crc32(damaged.subarray(0, -4)), damaged.length - 4);
          let records: Pair[] | undefined;
          try {
            records = recordsOf(SegmentReader.inMemory(damaged, 'text', 'text', { codec, rawLength }));
          } catch (error) {
            assert.ok(error instanceof CorruptSegment || error instanceof RangeError, String(error));
          }
          // A format may have several ways to write the same.
          if (!fits) assert.equal(records, undefined);
        }),
        { numRuns: 100 },
      );
    }
  });
});

describe('damage', () => {
  const pairs: Pair[] = Array.from({ length: 20 }, (_, i) => [`key ${i}`, `value ${i}`]);
  const isDamage = (error: unknown) => error instanceof CorruptSegment || error instanceof RangeError;

  test('of any byte is found in memory', () => {
    const { bytes: all } = written([pairs]);
    fc.assert(
      fc.property(fc.nat(all.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(all);
        damaged[at]! ^= change;
        assert.throws(() => SegmentReader.inMemory(damaged, 'text', 'text'), { message: 'checksum of a segment in memory is wrong' });
      }),
    );
  });

  test('of any byte is found in a file, at the latest at its end', () => {
    const { path, places, bytes: all } = written([pairs]);
    fc.assert(
      fc.property(fc.nat(all.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(all);
        damaged[at]! ^= change;
        writeFileSync(path, damaged);
        assert.throws(() => inFile(path, places[0]!), isDamage);
      }),
      { numRuns: 200 },
    );
  });

  test('of a file that ends early is found', () => {
    const { path, places, bytes: all } = written([pairs]);
    fc.assert(
      fc.property(fc.nat(all.length - 1), (length) => {
        writeFileSync(path, all.subarray(0, length));
        assert.throws(() => inFile(path, places[0]!), isDamage);
      }),
      { numRuns: 60 },
    );
  });

  test('of a segment in memory that is shorter than any is found', () => {
    for (const length of [0, 5])
      assert.throws(() => SegmentReader.inMemory(Buffer.alloc(length), 'text', 'text'), {
        message: 'segment is shorter than its end marks',
      });
  });

  test('of lengths is found although the checksum is right', () => {
    const sealed = (content: Buffer) => {
      const sum = Buffer.alloc(4);
      sum.writeUInt32BE(crc32(content));
      return Buffer.concat([content, sum]);
    };
    for (const [content, message] of [
      [Buffer.from([0x05, 0x01, 0x61, 0xff, 0xff]), /reaches beyond its segment/],
      [Buffer.from([0xfe, 0x01, 0x61, 0xff, 0xff]), /negative length/],
      [Buffer.from([0x02, 0x02, 0x01, 0x61, 0x01, 0x62]), /before its end marks/],
    ] as const) {
      const reader = SegmentReader.inMemory(sealed(content), 'text', 'text');
      assert.throws(() => recordsOf(reader), message);
    }
  });
});

describe('the index of an output', () => {
  const place = fc.record({ offset: fc.nat(), rawLength: fc.nat(), partLength: fc.nat() }).map((one) => ({ ...one }));

  test('is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(place, { maxLength: 10 }), (places) => {
        const encoded = encodeIndex(places);
        assert.equal(encoded.length, 24 * places.length + 8);
        assert.deepEqual(decodeIndex(encoded), places);
      }),
    );
  });

  test('that is damaged or of an odd length is refused', () => {
    const encoded = encodeIndex([{ offset: 0, rawLength: 10, partLength: 14 }]);
    for (let at = 0; at < encoded.length; at++) {
      const damaged = Buffer.from(encoded);
      damaged[at]! ^= 1;
      assert.throws(() => decodeIndex(damaged), { message: 'checksum of an index is wrong' });
    }
    for (const length of [0, 7, 9, 31]) assert.throws(() => decodeIndex(Buffer.alloc(length)), { message: /odd length/ });
  });
});
