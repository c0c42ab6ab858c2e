import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonPiecesOf } from './json-pieces.ts';
import { seededRandom } from './random.ts';

const many = Array.from({ length: 1000 }, (_, at) => at);

test('pieces are the text of JSON.stringify, and none of them is long', () => {
  const values = [
    many,
    { a: 1, b: many, c: [] },
    [{ values: Object.fromEntries(many.map((at) => [`k"${at}`, { at }])) }, 'x'],
    { a: { b: { c: many } } },
    Object.fromEntries(many.map((at) => [at, null])),
  ];
  for (const value of values) {
    const pieces = [...jsonPiecesOf(value)];
    assert.equal(pieces.join(''), JSON.stringify(value));
    assert.ok(pieces.every(({ length }) => length < 100));
  }
});

test('what is short is one piece', () => {
  for (const value of [null, 'a', 1, [], {}, { a: [1, 2], b: { c: null } }, many.slice(0, 200)])
    assert.deepEqual([...jsonPiecesOf(value)], [JSON.stringify(value)]);
});

test('any value is written as JSON.stringify writes it', (t) => {
  const seed = Date.now();
  t.diagnostic(`seed ${seed}`);
  const random = seededRandom(seed);
  const under = (most: number) => random.int(most);
  const value = (depth: number): unknown => {
    const kind = under(depth > 5 ? 3 : 6);
    if (kind === 0) return under(1e9);
    if (kind === 1) return `"${under(99)}\\`;
    if (kind === 2) return null;
    const length = random.next() < 0.1 && depth > 3 ? 300 : under(4);
    if (kind === 3) return Array.from({ length }, () => value(depth + 1));
    return Object.fromEntries(Array.from({ length }, (_, at) => [`m${at}`, value(depth + 1)]));
  };
  for (let round = 0; round < 300; round++) {
    const made = value(0);
    assert.equal([...jsonPiecesOf(made)].join(''), JSON.stringify(made), `seed ${seed}`);
  }
});
