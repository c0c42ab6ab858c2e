import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseExact } from '../timeline/exact-json.ts';
import { AvroEnd, AvroError, type AvroSchema, type AvroType, BinaryEncoder, fromAvroJson, readSchema, toAvroJson } from './avro.ts';
import { BinaryDecoder } from './avro-decoder.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

function encoded(type: AvroType, value: unknown): Buffer {
  const encoder = new BinaryEncoder();
  encoder.write(type, value);
  return encoder.take();
}
const hexOf = (schema: AvroSchema, value: unknown): string => encoded(readSchema(schema), value).toString('hex');

/** A schema with an arbitrary of its values. Names are numbered, so that no two types share one. */
interface Described {
  readonly schema: AvroSchema;
  readonly value: fc.Arbitrary<unknown>;
}
const anyText = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => text.isWellFormed());
const leaf: fc.Arbitrary<Described> = fc.constantFrom<Described>(
  { schema: 'boolean', value: fc.boolean() },
  { schema: 'int', value: fc.integer() },
  { schema: 'long', value: fc.maxSafeInteger() },
  { schema: 'string', value: anyText },
  { schema: ['null', 'string'], value: fc.option(anyText) },
  { schema: ['null', 'long'], value: fc.option(fc.maxSafeInteger()) },
);
const { any: anySchema } = fc.letrec<{ any: Described }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    tie('any').map(({ schema, value }) => ({
      schema: { type: 'array' as const, items: schema },
      value: fc.array(value, { maxLength: 4 }),
    })),
    tie('any').map(({ schema, value }) => ({
      schema: { type: 'map' as const, values: schema },
      value: fc.dictionary(anyText, value, { maxKeys: 4, noNullPrototype: true }),
    })),
    fc.tuple(fc.nat(), fc.uniqueArray(fc.stringMatching(/^[A-Z]{1,5}$/), { minLength: 1, maxLength: 5 })).map(([number, symbols]) => ({
      schema: { type: 'enum' as const, name: `E${number}`, symbols },
      value: fc.constantFrom(...symbols),
    })),
    fc.tuple(fc.nat(), fc.array(tie('any'), { minLength: 1, maxLength: 4 })).map(([number, members]) => ({
      schema: {
        type: 'record' as const,
        name: `R${number}`,
        fields: members.map(({ schema }, index) => ({ name: `f${index}`, type: schema })),
      },
      value: fc.record(Object.fromEntries(members.map(({ value }, index) => [`f${index}`, value])), { noNullPrototype: true }),
    })),
  ),
}));
const schemaAndValue = anySchema.chain(({ schema, value }) => fc.tuple(fc.constant(schema), value));

describe('values', () => {
  it('survive the binary encoding, whatever their schema', () => {
    fc.assert(
      fc.property(schemaAndValue, ([schema, value]) => {
        const type = readSchema(schema);
        const decoder = new BinaryDecoder(encoded(type, value));
        assert.deepEqual(decoder.read(type), value);
        assert.ok(decoder.ended);
      }),
      { numRuns: 300 },
    );
  });

  it('of records that are put off are read when they are looked at, and fail where others would', () => {
    fc.assert(
      fc.property(schemaAndValue, fc.nat(), ([schema, value], cut) => {
        const outer = readSchema({
          type: 'record',
          name: 'Outer',
          fields: [
            { name: 'late', type: { type: 'record', name: 'Late', fields: [{ name: 'value', type: schema }] } },
            { name: 'next', type: 'long' },
          ],
        });
        const bytes = encoded(outer, { late: { value }, next: 7 });
        const decoder = new BinaryDecoder(Buffer.concat([bytes, bytes]), 0, { deferred: 'Late' });
        const [first, second] = [decoder.read(outer), decoder.read(outer)] as { late: { value: unknown }; next: number }[];
        assert.ok(decoder.ended);
        for (const read of [second!, first!]) assert.deepEqual([read.late.value, read.next], [value, 7]);
        assert.throws(() => new BinaryDecoder(bytes.subarray(0, cut % bytes.length), 0, { deferred: 'Late' }).read(outer), AvroEnd);
      }),
      { numRuns: 300 },
    );
  });

  it('that nobody wants are stepped over, whatever their schema', () => {
    fc.assert(
      fc.property(schemaAndValue, fc.nat(), ([schema, value], cut) => {
        const type = readSchema({
          type: 'record',
          name: 'Outer',
          fields: [
            { name: 'first', type: 'long' },
            { name: 'unwanted', type: schema },
            { name: 'last', type: 'string' },
          ],
        });
        const bytes = encoded(type, { first: 7, unwanted: value, last: 'end' });
        const options = { without: new Map([['Outer', ['unwanted']]]) };
        const decoder = new BinaryDecoder(Buffer.concat([bytes, bytes]), 0, options);
        for (const read of [decoder.read(type), decoder.read(type)]) assert.deepEqual(read, { first: 7, last: 'end' });
        assert.ok(decoder.ended);
        assert.throws(() => new BinaryDecoder(bytes.subarray(0, cut % bytes.length), 0, options).read(type), AvroEnd);
      }),
      { numRuns: 300 },
    );
  });

  it('that nobody wants are stepped over in arrays of records with texts and whole numbers', () => {
    const counter = {
      type: 'record',
      name: 'Counter',
      fields: [
        { name: 'name', type: 'string' },
        { name: 'value', type: 'long' },
        { name: 'rank', type: 'int' },
      ],
    } as const;
    const type = readSchema({
      type: 'record',
      name: 'Outer',
      fields: [
        { name: 'unwanted', type: { type: 'array', items: counter } },
        { name: 'last', type: 'long' },
      ],
    });
    const options = { without: new Map([['Outer', ['unwanted']]]) };
    const read = (bytes: Buffer) => new BinaryDecoder(bytes, 0, options).read(type);
    const texts = ['', 'a', 'é'.repeat(31), 'x'.repeat(63), 'x'.repeat(64), 'x'.repeat(9000)];
    const unwanted = texts.flatMap((name) => [0, -1, 63, 64, -65, 2 ** 50].map((value) => ({ name, value, rank: -7 })));
    const bytes = encoded(type, { unwanted, last: 5 });
    assert.deepEqual(read(bytes), { last: 5 });
    for (let length = 0; length < bytes.length; length += length < 500 ? 1 : 997)
      assert.throws(() => read(bytes.subarray(0, length)), AvroEnd, `${length} bytes`);
    // An array of one record: its text has a length below zero, its number no end.
    assert.throws(() => read(Buffer.from([0x02, 0x03, 0x00, 0x00, 0x00, 0x00])), /Length is negative: -2/);
    assert.throws(() => read(Buffer.from([0x02, 0x00, ...Array.from({ length: 11 }, () => 0xff)])), /Invalid long encoding/);
  });

  it('that are whole numbers keep each of their bits that a number has', () => {
    const type = readSchema('long');
    for (let bit = 0; bit < 53; bit++)
      for (const value of [2 ** bit, 2 ** bit - 1, -(2 ** bit), -(2 ** bit) + 1, 2 ** bit + 1].filter(Number.isSafeInteger))
        assert.equal(new BinaryDecoder(encoded(type, value)).read(type), value || 0);
  });

  it('that are longs keep all of their bits in the records that want it, and are the nearest number in others', () => {
    const type = readSchema({ type: 'record', name: 'Exact', fields: [{ name: 'value', type: 'long' }] });
    for (const value of [2n ** 63n - 1n, 2n ** 63n - 2n, -(2n ** 63n), 2n ** 53n + 1n]) {
      const bytes = encoded(type, { value });
      assert.deepEqual(new BinaryDecoder(bytes, 0, { exact: 'Exact' }).read(type), { value });
      assert.deepEqual(new BinaryDecoder(bytes).read(type), { value: Number(value) });
      const json = parseExact(JSON.stringify(toAvroJson(type, { value })));
      assert.deepEqual(fromAvroJson(type, json, 'Exact'), { value });
      assert.deepEqual(fromAvroJson(type, json), { value: Number(value) });
    }
  });

  it('survive the JSON encoding, whatever their schema', () => {
    fc.assert(
      fc.property(schemaAndValue, ([schema, value]) => {
        const type = readSchema(schema);
        assert.deepEqual(fromAvroJson(type, JSON.parse(JSON.stringify(toAvroJson(type, value)))), value);
      }),
      { numRuns: 300 },
    );
  });

  it('follow each other without a mark between them', () => {
    const type = readSchema({
      type: 'record',
      name: 'R',
      fields: [
        { name: 'a', type: 'string' },
        { name: 'b', type: 'long' },
      ],
    });
    const encoder = new BinaryEncoder();
    const values = Array.from({ length: 500 }, (_, index) => ({ a: 'x'.repeat(index), b: index * 1e9 }));
    for (const value of values) encoder.write(type, value);
    const decoder = new BinaryDecoder(encoder.take());
    for (const value of values) assert.deepEqual(decoder.read(type), value);
    assert.ok(decoder.ended);
    assert.equal(encoder.take().length, 0);
  });

  it('that end early are told from those that make no sense', () => {
    const type = readSchema({ type: 'array', items: 'string' });
    const bytes = encoded(type, ['abc', 'def']);
    for (let length = 0; length < bytes.length; length++)
      assert.throws(() => new BinaryDecoder(bytes.subarray(0, length)).read(type), AvroEnd, `${length} bytes`);
    assert.throws(() => new BinaryDecoder(Buffer.from([0x01])).read(readSchema('string')), /Length is negative: -1/);
    assert.throws(() => new BinaryDecoder(Buffer.alloc(11, 0xff)).read(readSchema('long')), /Invalid long encoding/);
    assert.throws(() => new BinaryDecoder(Buffer.from([0x04])).read(readSchema(['null', 'int'])), /Union branch out of range/);
    assert.throws(
      () => new BinaryDecoder(Buffer.from([0x04])).read(readSchema({ type: 'enum', name: 'E', symbols: ['A'] })),
      /Enumeration out of range of E/,
    );
  });

  it('of a map have any key, one that JavaScript gives a meaning too', () => {
    const type = readSchema({ type: 'map', values: 'string' });
    const value = JSON.parse('{"__proto__":"a","constructor":"b","":"c"}') as unknown;
    const read = new BinaryDecoder(encoded(type, value)).read(type);
    assert.deepEqual(Object.entries(read as object), Object.entries(value as object));
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
  });

  it('of a count that the bytes cannot hold are refused before anything is allocated', () => {
    const type = readSchema({ type: 'array', items: 'int' });
    const count = encoded(readSchema('long'), 2 ** 40);
    assert.throws(() => new BinaryDecoder(Buffer.concat([count, Buffer.alloc(10)])).read(type), AvroEnd);
  });
});

describe('the binary encoding', () => {
  it('has the bytes of the specification', () => {
    const longs: [number, string][] = [
      [0, '00'],
      [-1, '01'],
      [1, '02'],
      [-64, '7f'],
      [64, '8001'],
      [2 ** 31, '8080808010'],
      [-(2 ** 40), 'ffffffffff3f'],
    ];
    for (const [value, hex] of longs) assert.equal(hexOf('long', value), hex, String(value));
    assert.equal(hexOf('string', 'foo'), '06666f6f');
    assert.equal(hexOf({ type: 'array', items: 'long' }, [3, 27]), '04063600');
    assert.equal(hexOf({ type: 'array', items: 'long' }, []), '00');
    assert.equal(hexOf(['null', 'string'], null), '00');
    assert.equal(hexOf(['null', 'string'], 'a'), '020261');
    const record = {
      type: 'record',
      name: 'test',
      fields: [
        { name: 'a', type: 'long' },
        { name: 'b', type: 'string' },
      ],
    } as const;
    assert.equal(hexOf(record, { a: 27, b: 'foo' }), '3606666f6f');
    assert.equal(hexOf('boolean', true), '01');
    assert.equal(hexOf({ type: 'map', values: 'int' }, { a: 1 }), '0202610200');
  });

  it('is read in blocks with sizes too, as other writers leave them', () => {
    const type = readSchema({ type: 'array', items: 'long' });
    // Two blocks: minus one item of one byte, then one item.
    assert.deepEqual(new BinaryDecoder(Buffer.from([0x01, 0x02, 0x06, 0x02, 0x36, 0x00])).read(type), [3, 27]);
  });

  it('has floats and bytes, which are read', () => {
    const float = Buffer.alloc(4);
    float.writeFloatLE(1.5);
    assert.equal(new BinaryDecoder(float).read(readSchema('float')), 1.5);
    const double = Buffer.alloc(8);
    double.writeDoubleLE(-2.25);
    assert.equal(new BinaryDecoder(double).read(readSchema('double')), -2.25);
    assert.deepEqual(new BinaryDecoder(Buffer.from([0x04, 1, 2])).read(readSchema('bytes')), Buffer.from([1, 2]));
  });

  it('refuses what does not fit', () => {
    const refused: [AvroSchema, unknown, RegExp][] = [
      ['int', 'x', /Not a number: x/],
      ['long', Number.NaN, /Not a number/],
      ['string', 5, /Not a text: 5/],
      [{ type: 'enum', name: 'E', symbols: ['A'] }, 'B', /Unknown symbol in enum B/],
      [['string'], null, /null of a union without null/],
      [['int', 'string'], { branch: 'long', value: 1 }, /Unknown union branch long/],
      ['double', 1, /Cannot write double/],
    ];
    for (const [schema, value, message] of refused)
      assert.throws(
        () => hexOf(schema, value),
        (error) => error instanceof AvroError && message.test(error.message),
      );
  });
});

describe('unions of several branches', () => {
  const schema: AvroSchema = [
    { type: 'record', name: 'A', namespace: 'n', fields: [{ name: 'x', type: 'int' }] },
    { type: 'record', name: 'B', namespace: 'n', fields: [{ name: 'y', type: 'string' }] },
  ];

  it('name the branch that they hold, in full', () => {
    const type = readSchema(schema);
    const value = { branch: 'n.B', value: { y: 'z' } };
    assert.deepEqual(new BinaryDecoder(encoded(type, value)).read(type), value);
    assert.deepEqual(toAvroJson(type, { branch: 'A', value: { x: 1 } }), { 'n.A': { x: 1 } });
    assert.deepEqual(fromAvroJson(type, { 'n.A': { x: 1 } }), { branch: 'n.A', value: { x: 1 } });
  });

  it('refuse branches that they do not have', () => {
    const type = readSchema(schema);
    for (const json of [{ 'n.C': {} }, {}, { 'n.A': { x: 1 }, 'n.B': { y: '' } }, null, 'n.A', [1]])
      assert.throws(() => fromAvroJson(type, json), AvroError, JSON.stringify(json));
  });
});

describe('schemas', () => {
  it('refer to types by their names, with and without the namespace', () => {
    const type = readSchema({
      type: 'record',
      name: 'Outer',
      namespace: 'n',
      fields: [
        { name: 'a', type: { type: 'enum', name: 'Colour', symbols: ['RED'] } },
        { name: 'b', type: 'Colour' },
        { name: 'c', type: 'n.Colour' },
        { name: 'more', type: ['null', 'Outer'] },
      ],
    });
    const value = { a: 'RED', b: 'RED', c: 'RED', more: { a: 'RED', b: 'RED', c: 'RED', more: null } };
    assert.deepEqual(new BinaryDecoder(encoded(type, value)).read(type), value);
  });

  it('may wrap a primitive type', () => {
    assert.deepEqual(readSchema({ type: 'string' } as never), { kind: 'string' });
  });

  it('that make no sense are refused', () => {
    for (const schema of ['Unknown', { type: 'nothing' }, null, 5, { type: 'array', items: 'Unknown' }, [null]])
      assert.throws(() => readSchema(schema as never), AvroError, JSON.stringify(schema));
  });
});

describe('the JSON encoding', () => {
  it('refuses values of another type', () => {
    const refused: [AvroSchema, unknown][] = [
      ['null', 1],
      ['boolean', 'true'],
      ['int', '1'],
      ['long', null],
      ['string', 1],
      [{ type: 'enum', name: 'E', symbols: ['A'] }, 'B'],
      [{ type: 'array', items: 'int' }, {}],
      [{ type: 'array', items: 'int' }, ['x']],
      [{ type: 'map', values: 'int' }, []],
      [{ type: 'record', name: 'R', fields: [{ name: 'a', type: 'int' }] }, {}],
      [['int', 'string'], 5],
    ];
    for (const [schema, json] of refused)
      assert.throws(() => fromAvroJson(readSchema(schema), json), AvroError, JSON.stringify([schema, json]));
  });

  it('does not write a value that is missing', () => {
    const type = readSchema({ type: 'record', name: 'R', fields: [{ name: 'a', type: 'int' }] });
    assert.throws(() => toAvroJson(type, {}), /A int is missing/);
  });
});

describe('arbitrary bytes', () => {
  it('are a value or an error of this reader, never another', () => {
    fc.assert(
      fc.property(anySchema, fc.uint8Array({ maxLength: 60 }), ({ schema }, bytes) => {
        const type = readSchema(schema);
        try {
          new BinaryDecoder(Buffer.from(bytes)).read(type);
        } catch (error) {
          assert.ok(error instanceof AvroError, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});
