import assert from 'node:assert/strict';
import { it } from 'node:test';
import { faultOf, fields, many, mapOf, number, optional, text, truth, whole, word } from './json-shape.ts';

const order = fields({
  name: text({ minLength: 1, maxLength: 5 }),
  kind: optional(word('A', 'B')),
  items: many(fields({ count: whole({ minimum: 1, maximum: 9 }), weight: optional(number({ minimum: 0 })) }), { maxItems: 2 }),
  labels: optional(mapOf(text())),
  paid: optional(truth()),
});

it('describes JSON values and names the first fault', () => {
  const cases: [unknown, string | undefined][] = [
    [{ name: 'x', items: [] }, undefined],
    [{ name: 'x', kind: 'B', items: [{ count: 3, weight: 0.5 }], labels: { a: 'b' }, paid: true, more: 1 }, undefined],
    [[], 'the body is not an object'],
    [null, 'the body is not an object'],
    [{ items: [] }, '/name is missing'],
    [{ name: '', items: [] }, '/name is empty'],
    [{ name: 'longer', items: [] }, '/name is longer than 5 characters'],
    [{ name: 'x', kind: 'C', items: [] }, '/kind is not one of A, B'],
    [{ name: 'x', items: {} }, '/items is not a list'],
    [{ name: 'x', items: [{ count: 1 }, { count: 1.5 }] }, '/items/1/count is not a whole number'],
    [{ name: 'x', items: [{ count: 0 }] }, '/items/0/count is less than 1'],
    [{ name: 'x', items: [{ count: 10 }] }, '/items/0/count is more than 9'],
    [{ name: 'x', items: [{ count: 1, weight: '1' }] }, '/items/0/weight is not a number'],
    [{ name: 'x', items: [{ count: 1 }, { count: 1 }, { count: 1 }] }, '/items has more than 2 items'],
    [{ name: 'x', items: [], labels: { a: 1 } }, '/labels/a is not a text'],
    [{ name: 'x', items: [], paid: 'yes' }, '/paid is not true or false'],
    [JSON.parse('{"__proto__": {"name": "x"}, "items": []}'), '/name is missing'],
  ];
  for (const [value, fault] of cases) assert.equal(faultOf(order, value), fault, JSON.stringify(value));
});
