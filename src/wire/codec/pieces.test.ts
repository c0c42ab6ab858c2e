import assert from 'node:assert/strict';
import { test } from 'node:test';
import { any, holder, int, later, list, long, type Member, map, object, polymorphic, record, text } from './describe.ts';
import { writeJson } from './json.ts';
import { jsonPieces, madeOnTheWay, xmlElementPieces, xmlPieces } from './pieces.ts';
import { writeXml, writeXmlElement } from './xml.ts';

const many = Array.from({ length: 1000 }, (_, at) => at);
const item = object({ id: text(), size: long(), parts: list(int()) });
const items = many.map((at) => ({ id: `<${at}>`, size: at, parts: at % 3 === 0 ? [] : [at] }));
const typed = object({ id: text() }, { typeName: 'typed' });
const members = {
  first: text(),
  items: list(item),
  held: holder('one', item),
  some: map(int()),
  named: map(list(text(), { keepEmpty: true })),
  inner: object({ none: list(int()), kept: list(int(), { keepEmpty: true }), numbers: list(int()) }),
  other: polymorphic<unknown>(
    () => [item],
    () => later(() => object({ deep: list(any()) })),
  ),
  typed: list(typed) as Member<readonly { id?: string }[]>,
  last: text(),
};
const values = {
  items: { items },
  'made on the way': { first: 'a', items: madeOnTheWay(many, (at) => items[at]!) },
  held: { held: items, last: 'z' },
  map: { some: Object.fromEntries(many.map((at) => [`k${at}`, at])) },
  'map of pairs': { first: 'a', some: many.map((at) => [`k&${at}`, at] as const), last: 'z' },
  'map of lists': { named: new Map(many.map((at) => [`k${at}`, at % 2 === 0 ? [] : ['v']])) },
  'inner numbers': { inner: { none: [], kept: [], numbers: many } },
  chosen: { other: { deep: many.map((at) => ({ at })) } },
  'with a type': { typed: many.map((at) => ({ id: `${at}` })), items: [items[1]!] },
  all: { first: '"', items, held: items, some: { a: 1 }, named: { a: [] }, inner: { numbers: many }, last: '' },
};

for (const json of ['natural', 'mapped', 'plain'] as const) {
  test(`pieces of JSON (${json}) and XML are the whole text`, () => {
    for (const wrapped of [true, false]) {
      const described = record('root', members, { json, wrapped, xmlAttributes: 'a="$&"' });
      for (const [name, value] of Object.entries(values)) {
        const pieces = [...jsonPieces(described, value)!];
        assert.equal(pieces.join(''), writeJson(described, value), name);
        const elements = [...xmlPieces(described, value)!];
        assert.equal(elements.join(''), writeXml(described, value), name);
        assert.equal([...xmlElementPieces('element', described, value)].join(''), writeXmlElement('element', described, value), name);
        for (const made of [pieces, elements])
          assert.ok(made.length > many.length && Math.max(...made.map(({ length }) => length)) < 3000, name);
      }
    }
  });
}

test('what is short is written at once', () => {
  const described = record('root', members, { json: 'natural' });
  for (const value of [{}, { first: 'a', items: items.slice(0, 200), some: {} }]) {
    assert.equal(jsonPieces(described, value), undefined);
    assert.equal(xmlPieces(described, value), undefined);
    assert.deepEqual([...xmlElementPieces('root', described, value)], [writeXmlElement('root', described, value)]);
  }
});
