import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { any, boolean, double, float, holder, int, type JsonForm, list, long, type Member, map, object, record, text } from './describe.ts';
import { writeJson } from './json.ts';
import { Schemas } from './json-schema.ts';
import { readBody, readStrictBody } from './read.ts';
import { escapeXml, writeXml, writeXmlElement, xmlDocument } from './xml.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));

/** A description and values of it. A value is what a reader gives back: no empty lists, maps as pairs, nothing absent. */
interface Described {
  readonly member: Member;
  readonly value: fc.Arbitrary<unknown>;
}

const nameOf = fc.stringMatching(/^[a-z][a-zA-Z0-9-]{0,6}$/).filter((name) => name !== 'type' && name !== 'entry');
/** Texts with what has a meaning of its own in JSON or XML. */
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('<', '>', '&', '"', "'", ' ', '\n', '\r', '\t', ']]>', '&amp;', '\\', '/', 'é', '😀'),
    fc.string({ maxLength: 1 }),
  ),
  maxLength: 12,
});
/** XML 1.0 has no form for control characters: they become U+FFFD, and are tested on their own. */
const xmlText = anyText.map((one) => one.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, ''));

function leaves(texts: fc.Arbitrary<string>): fc.Arbitrary<Described> {
  return fc.constantFrom<Described>(
    { member: text(), value: texts },
    { member: int(), value: fc.integer() },
    { member: long(), value: fc.maxSafeInteger() },
    { member: float(), value: fc.integer({ min: -100_000, max: 100_000 }).map((one) => one / 8) },
    { member: double(), value: fc.double({ noNaN: true, noDefaultInfinity: true }) },
    { member: boolean(), value: fc.boolean() },
  );
}

/** Random descriptions of up to three levels, with the values that fit them. */
function described(
  texts: fc.Arbitrary<string>,
): fc.Arbitrary<{ fields: Record<string, Member>; value: fc.Arbitrary<Record<string, unknown>> }> {
  const leaf = leaves(texts);
  const { fields } = fc.letrec<{
    any: Described;
    fields: { fields: Record<string, Member>; value: fc.Arbitrary<Record<string, unknown>> };
  }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      leaf,
      leaf.map(({ member, value }) => ({ member: list(member), value: fc.array(value, { minLength: 1, maxLength: 3 }) })),
      leaf.map(({ member, value }) => ({
        member: map(member),
        value: fc.uniqueArray(fc.tuple(texts, value), { minLength: 1, maxLength: 3, selector: ([key]) => key }),
      })),
      fc
        .tuple(nameOf, leaf)
        .map(([name, { member, value }]) => ({ member: holder(name, member), value: fc.array(value, { minLength: 1, maxLength: 3 }) })),
      tie('fields').map(({ fields: inner, value }) => ({ member: object(inner) as Member, value: value as fc.Arbitrary<unknown> })),
    ),
    fields: fc.uniqueArray(fc.tuple(nameOf, tie('any')), { minLength: 1, maxLength: 4, selector: ([name]) => name }).map((pairs) => ({
      fields: Object.fromEntries(pairs.map(([name, { member }]) => [name, member])),
      value: fc.record(Object.fromEntries(pairs.map(([name, { value }]) => [name, value]))) as fc.Arbitrary<Record<string, unknown>>,
    })),
  }));
  return fields;
}

const recordsAndValues = (texts: fc.Arbitrary<string>, json: JsonForm, wrapped: boolean) =>
  described(texts).chain(({ fields, value }) => fc.tuple(fc.constant(record('root', fields, { json, wrapped })), value));

/** What is compared: signs of zero have no text everywhere. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('what is written is read again', () => {
  it('as JSON of the mapped form, in which every scalar is text and lists of one collapse', () => {
    fc.assert(
      fc.property(recordsAndValues(anyText, 'mapped', false), ([described, value]) => {
        assert.deepEqual(plain(readBody(described, Buffer.from(writeJson(described, value)), 'json')), plain(value));
      }),
      { numRuns: 150 },
    );
  });

  it('as JSON of the mapped form below its root', () => {
    fc.assert(
      fc.property(recordsAndValues(anyText, 'mapped', true), ([described, value]) => {
        assert.deepEqual(plain(readBody(described, Buffer.from(writeJson(described, value)), 'json')), plain(value));
      }),
    );
  });

  it('as JSON of the plain form by the strict reader, which takes plain maps', () => {
    fc.assert(
      fc.property(
        recordsAndValues(
          anyText.filter((one) => !/^(entry|__proto__|\d+)$/.test(one)),
          'plain',
          false,
        ),
        ([described, value]) => {
          assert.deepEqual(plain(readStrictBody(described, Buffer.from(writeJson(described, value)))), plain(value));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('as XML', () => {
    fc.assert(
      fc.property(recordsAndValues(xmlText, 'natural', true), ([described, value]) => {
        assert.deepEqual(plain(readBody(described, Buffer.from(writeXml(described, value)), 'xml')), plain(value));
      }),
      { numRuns: 200 },
    );
  });
});

describe('JSON', () => {
  it('of every form is as its schema says, and nothing else is', () => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const form of ['natural', 'mapped', 'plain'] as const)
      fc.assert(
        fc.property(recordsAndValues(anyText, form, form === 'natural'), ([described, value]) => {
          const schemas = new Schemas();
          const schema = schemas.json(described as never);
          ajv.removeSchema();
          const validate = ajv.compile({ ...schema, components: { schemas: schemas.named } });
          const written = JSON.parse(writeJson(described, value)) as Record<string, unknown>;
          assert.ok(validate(written), ajv.errorsText(validate.errors));
          const inside = (form === 'natural' ? written['root'] : written) as Record<string, unknown>;
          for (const name of Object.keys(inside)) {
            const broken = { ...inside, [name]: [[[]]] };
            assert.ok(!validate(form === 'natural' ? { root: broken } : broken), `${name} may be anything`);
          }
        }),
        { numRuns: 50 },
      );
  });

  it('of every form is JSON, whatever the texts', () => {
    for (const form of ['natural', 'mapped', 'plain'] as const)
      fc.assert(
        fc.property(recordsAndValues(anyText, form, form === 'natural'), ([described, value]) => {
          const parsed = JSON.parse(writeJson(described, value));
          assert.equal(typeof (form === 'natural' ? parsed.root : parsed), 'object');
        }),
      );
  });

  it('leaves out what is undefined or null, and empty lists but those that are kept', () => {
    const described = record(
      'r',
      {
        a: text(),
        b: list(text()),
        c: list(text(), { keepEmpty: true }),
        d: map(text()),
        e: object({ f: text() }),
        g: holder('h', text()),
      },
      { json: 'plain', wrapped: false },
    );
    assert.equal(writeJson(described, {}), '{}');
    assert.equal(writeJson(described, { a: null as never, b: [], c: [], d: {}, e: {}, g: [] }), '{"c":[],"d":{},"e":{},"g":{}}');
  });

  it('writes maps that are given as objects, maps and pairs in the same way', () => {
    const described = record('r', { m: map(long()) }, { json: 'plain', wrapped: false });
    const expected = '{"m":{"b":1,"a":2}}';
    for (const given of [
      { b: 1, a: 2 },
      new Map([
        ['b', 1],
        ['a', 2],
      ]),
      [
        ['b', 1],
        ['a', 2],
      ] as const,
    ])
      assert.equal(writeJson(described, { m: given as never }), expected);
  });

  it('writes any value as it is, and null where there is none to write', () => {
    const described = record('r', { a: list(any()) }, { json: 'plain', wrapped: false });
    assert.equal(writeJson(described, { a: [1, 'x', null, { b: [true] }, undefined] }), '{"a":[1,"x",null,{"b":[true]},null]}');
  });

  it('keeps the entries of a map whose value is absent', () => {
    const pairs = [['a', undefined]] as never;
    const member = { m: map(text()) };
    assert.equal(writeJson(record('r', member, { json: 'natural' }), { m: pairs }), '{"r":{"m":{"entry":{"key":"a"}}}}');
    assert.equal(writeJson(record('r', member, { json: 'mapped', wrapped: false }), { m: pairs }), '{"m":{"entry":{"key":"a"}}}');
    assert.equal(writeXml(record('r', member, { json: 'natural' }), { m: pairs }).slice(55), '<r><m><entry><key>a</key></entry></m></r>');
  });
});

describe('XML', () => {
  it('has no character that XML 1.0 forbids', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (one) => {
        assert.doesNotMatch(escapeXml(one), /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff<>]/);
      }),
    );
    assert.equal(escapeXml('a\0b\x0bc\ufffe'), 'a\ufffdb\ufffdc\ufffd');
    assert.equal(escapeXml('<&>\r\n\t"'), '&lt;&amp;&gt;&#13;\n\t"');
  });

  it('declares the prefix of types once, at the outermost element that has one', () => {
    const leaf = object({ n: int() }, { typeName: 'leaf' });
    const tree = record(
      'tree',
      { top: object({ inner: list(leaf), map: map(leaf) }, { typeName: 'top' }), beside: leaf },
      { json: 'natural' },
    );
    assert.equal(
      writeXml(tree, { top: { inner: [{ n: 1 }, { n: 2 }], map: { k: { n: 3 } } }, beside: { n: 4 } }).slice(55),
      '<tree><top xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="top">' +
        '<inner xsi:type="leaf"><n>1</n></inner><inner xsi:type="leaf"><n>2</n></inner>' +
        '<map><entry><key>k</key><value xsi:type="leaf"><n>3</n></value></entry></map></top>' +
        '<beside xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="leaf"><n>4</n></beside></tree>',
    );
  });

  it('is joined from elements that are written alone', () => {
    const element = writeXmlElement('a', object({ b: text() }), { b: '<' });
    assert.equal(element, '<a><b>&lt;</b></a>');
    assert.match(xmlDocument('list', element + element), /\?><list><a><b>&lt;<\/b><\/a><a><b>&lt;<\/b><\/a><\/list>$/);
    assert.match(xmlDocument('list', ''), /\?><list\/>$/);
  });

  it('puts the attributes of a record at its root alone', () => {
    const described = record('r', { r: text() }, { json: 'natural', xmlAttributes: 'version="1"' });
    assert.equal(writeXml(described, { r: 'x' }).slice(55), '<r version="1"><r>x</r></r>');
  });
});
