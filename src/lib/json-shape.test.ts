import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import {
  checked,
  closedFields,
  faultOf,
  fields,
  fieldsAmong,
  type JsonOf,
  type JsonShape,
  many,
  mapOf,
  number,
  optional,
  orNull,
  tagged,
  text,
  truth,
  tuple,
  whole,
  word,
} from './json-shape.ts';

it('objects that are closed have no further members', () => {
  const closed = closedFields({ name: text(), count: optional(whole()) });
  const known = 'is unknown: known are name, count';
  assert.deepEqual(
    [{ name: 'a' }, { name: 'a', cuont: 1 }, { cuont: 1 }, 'a', { constructor: 1 }].map((value) => faultOf(closed, value)),
    [...[undefined, `/cuont ${known}`, `/cuont ${known}`, 'the body is not an object', `/constructor ${known}`]],
  );
  assert.equal(new Ajv2020().validate(closed.schema(), { name: 'a', cuont: 1 }), false);
});

const order = fields({
  name: text({ minLength: 1, maxLength: 5 }),
  kind: optional(word('A', 'B')),
  items: many(fields({ count: whole({ minimum: 1, maximum: 9 }), weight: optional(number({ minimum: 0 })) }), { maxItems: 2 }),
  labels: optional(mapOf(text())),
  paid: optional(truth()),
});

/** A shape and its schema judge each value alike. */
function judgesAll(shape: JsonShape<unknown>, cases: readonly (readonly [value: unknown, fault: string | undefined])[]): void {
  const isOfSchema = new Ajv2020({ strict: false, ownProperties: true }).compile(shape.schema());
  for (const [value, fault] of cases) {
    assert.equal(faultOf(shape, value), fault, JSON.stringify(value));
    assert.equal(isOfSchema(value), fault === undefined, `the schema, of ${JSON.stringify(value)}`);
  }
}

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
  judgesAll(order, cases);
});

it('tells kinds of objects apart by a member', () => {
  const shape = tagged('type', { moved: { to: text(), at: optional(number()) }, gone: {} });
  const moved: JsonOf<typeof shape> = { type: 'moved', to: 'x' };
  const cases: [unknown, string | undefined][] = [
    [moved, undefined],
    [{ type: 'gone', to: 7 }, undefined],
    [{ type: 'moved' }, '/to is missing'],
    [{ type: 'moved', to: 'x', at: 'now' }, '/at is not a number'],
    [{ to: 'x' }, '/type is missing'],
    [{ type: 'toString' }, '/type is not one of moved, gone'],
    [Object.create({ type: 'gone' }), '/type is missing'],
    [['gone'], 'the body is not an object'],
  ];
  judgesAll(shape, cases);
});

it('describes lists whose items have an order', () => {
  const shape = tuple(text(), whole());
  const cases: [unknown, string | undefined][] = [
    [['a', 1], undefined],
    [['a'], 'the body has not 2 items'],
    [['a', 1, 2], 'the body has not 2 items'],
    [[1, 'a'], '/0 is not a text'],
    [{ 0: 'a', 1: 1 }, 'the body is not a list'],
  ];
  judgesAll(shape, cases);
});

it('takes null only where it is described', () => {
  const shape = many(orNull(fields({ count: whole() })));
  judgesAll(shape, [
    [[null, { count: 1 }], undefined],
    [[null, { count: null }], '/1/count is not a whole number'],
    [[null, []], '/1 is not an object'],
  ]);
});

it('describes named members among others of one shape', () => {
  const shape = fieldsAmong({ memory: whole() }, number());
  const amounts: JsonOf<typeof shape> = { memory: 1, gpu: 0.5 };
  const cases: [unknown, string | undefined][] = [
    [amounts, undefined],
    [{ gpu: 1 }, '/memory is missing'],
    [{ memory: 1.5 }, '/memory is not a whole number'],
    [{ memory: 1, gpu: '1' }, '/gpu is not a number'],
  ];
  judgesAll(shape, cases);
});

it('gives a value the type of its shape, or a fault in its place', () => {
  const value: unknown = JSON.parse('{"count":1}');
  const good = checked(fields({ count: whole() }), value);
  assert.equal(good.value, value);
  assert.equal(good.fault, undefined);
  assert.deepEqual(checked(fields({ count: text() }), value), { fault: '/count is not a text' });
});
