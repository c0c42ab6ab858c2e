import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSameValue } from './same-value.ts';

class Point {
  readonly x: number;

  constructor(x: number) {
    this.x = x;
  }
}

test('values with the same content are the same, whatever they are nested in', () => {
  for (const make of [
    () => 1,
    () => 'text',
    () => null,
    () => undefined,
    () => Number.NaN,
    () => 5n,
    () => [],
    () => ({}),
    () => ({ a: [1, { b: null, c: undefined }], d: 'e' }),
  ])
    assert.ok(isSameValue(make(), make()), String(make()));
});

test('what differs anywhere differs', () => {
  const all: readonly unknown[] = [
    0,
    '0',
    0n,
    null,
    undefined,
    Number.NaN,
    '',
    [],
    {},
    [0],
    [[0]],
    ['0'],
    { a: 0 },
    { a: '0' },
    { b: 0 },
    { a: undefined },
    { a: 0, b: 0 },
    { b: 0, a: 0 },
    { 0: 0 },
    { a: { a: 0 } },
    { a: [0] },
  ];
  all.forEach((left, at) => {
    all.forEach((right, place) => {
      assert.equal(isSameValue(left, right), at === place, `${String(left)} ${String(right)}`);
    });
  });
});

test('of what is not plain nothing is known but that it is itself', () => {
  const map = new Map([[1, 2]]);
  assert.ok(isSameValue(map, map));
  assert.ok(!isSameValue(map, new Map([[1, 2]])));
  assert.ok(!isSameValue(new Point(1), new Point(1)));
  assert.ok(!isSameValue(new Date(0), new Date(0)));
});
