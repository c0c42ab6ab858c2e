import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareKeyValue,
  compareMetric,
  holds,
  parseConfigFilter,
  parseEventFilter,
  parseInfoFilter,
  parseMetricFilter,
  parsePrefixes,
  parseRelationFilter,
  relationHolds,
} from './filters.ts';
import { brokenEscape, joinParts, splitParts } from './uid.ts';

type Facts = Record<string, string | number | boolean>;
const info = (text: string, facts: Facts) => holds(parseInfoFilter(text)!, (one) => compareKeyValue(one, facts[one.key]));
const metric = (text: string, facts: Record<string, number>) =>
  holds(parseMetricFilter(text)!, (one) => compareMetric(one, facts[one.key]));
const events = (text: string, ids: string[]) => holds(parseEventFilter(text)!, ({ item, present }) => ids.includes(item) === present);
const relations = (text: string, related: Record<string, string[]>) =>
  holds(parseRelationFilter(text)!, (one) => relationHolds(one, related[one.item.type]));

test('comparisons are typed, ne holds without the key, ene does not', () => {
  assert.equal(info('a eq 5', { a: 5 }), true);
  assert.equal(info('a eq 5', { a: '5' }), false);
  assert.equal(info('a eq "5"', { a: '5' }), true);
  assert.equal(info('a EQ text', { a: 'text' }), true);
  assert.equal(info('a ne 5', {}), true);
  assert.equal(info('a ene 5', {}), false);
  assert.equal(info('a ene 5', { a: 6 }), true);
});

test('expressions are read from left to right, brackets group', () => {
  const facts = { a: 1, b: 2, c: 3 };
  assert.equal(info('a eq 1 or b eq 0 and c eq 0', facts), false);
  assert.equal(info('a eq 1 or (b eq 0 and c eq 0)', facts), true);
  assert.equal(info('(a eq 0 or b eq 2) AND (c eq 3)', facts), true);
  assert.equal(info('((a eq 0 or b eq 2) and c eq 0) or a eq 1', facts), true);
  assert.equal(parseInfoFilter('  '), undefined);
});

test('metrics compare as numbers, negative ones too', () => {
  assert.equal(metric('m gt 70', { m: 71 }), true);
  assert.equal(metric('m lt 0', { m: -3 }), true);
  assert.equal(metric('m le 70', {}), false);
  assert.equal(metric('m ne 70', {}), true);
  const big = (text: string) => compareMetric({ key: 'm', operator: 'eq', value: BigInt(text) }, 9_007_199_254_740_993n);
  assert.deepEqual([big('9007199254740993'), big('9007199254740992')], [true, false]);
  assert.throws(() => parseMetricFilter('m eq many'), /Value cannot be parsed\./);
  assert.throws(() => parseMetricFilter('m eq 1.5'), /Value is not a number\./);
});

test('events must be present, or absent inside !( )', () => {
  assert.equal(events('A,B', ['A', 'B']), true);
  assert.equal(events('A,B', ['A']), false);
  assert.equal(events('!(A,B)', ['C']), true);
  assert.equal(events('!(A,B)', ['B']), false);
  assert.equal(events('(A,B) OR (C)', ['C']), true);
  assert.equal(events('A and !(B)', ['A']), true);
  for (const nameless of ['()', 'A,,B', '(,A)', '(A,,A)']) assert.equal(events(nameless, ['A', 'B']), false, nameless);
  // Behind brackets without a last name another name is read.
  assert.deepEqual([events('(A,)B', ['A', 'B']), events('(A,)B', ['A'])], [true, false]);
  assert.deepEqual([events('!()', ['A']), events('A,', ['A']), events('(A,)', ['A'])], [true, true, true]);
});

test('relations need all ids, and the type even where ids must be absent', () => {
  assert.equal(relations('T:a:b', { T: ['a', 'b', 'c'] }), true);
  assert.equal(relations('T:a:b', { T: ['a'] }), false);
  assert.equal(relations('T:a:', { T: ['a'] }), true);
  assert.equal(relations('!(T:b)', { T: ['a'] }), true);
  assert.equal(relations('!(T:b)', {}), false);
  assert.equal(relations('T:a,U:x', { T: ['a'], U: ['x'] }), true);
});

test('what cannot be read is refused in the known words', () => {
  const cases: [() => unknown, string][] = [
    [() => parseInfoFilter('name is first'), 'Compare op cannot be parsed for Config/Info Filter.'],
    [() => parseInfoFilter('size gt 5'), 'TimelineCompareOp for kv-filter should be EQUAL or NOT_EQUAL'],
    [() => parseInfoFilter('(name eq first'), 'Encountered improper brackets while parsing Config/Info Filter.'],
    [() => parseInfoFilter('name eq first)'), 'Encountered unexpected closing bracket while parsing Config/Info Filter.'],
    [() => parseInfoFilter('name eq a (b eq c)'), 'Encountered unexpected opening bracket while parsing Config/Info Filter.'],
    [() => parseInfoFilter('name'), 'Invalid expression provided for Config/Info Filter'],
    [() => parseConfigFilter('name eq'), 'Compare op cannot be parsed for Config/Info Filter.'],
    [() => parseMetricFilter('a gt 5 XOR b lt 9'), 'Operator cannot be parsed for Metric Filter.'],
    [() => parseEventFilter('!!START'), 'Invalid Event Filterexpression'],
    [() => parseEventFilter(',A'), 'Invalid Event Filterexpression.'],
    [() => parseEventFilter('A)'), 'Encountered unexpected closing bracket while parsing Event Filter.'],
    [() => parseRelationFilter('STEP'), 'Invalid relation filter expression'],
    [() => parseInfoFilter('!(a eq b)'), 'Encountered unexpected opening bracket while parsing Config/Info Filter.'],
    [() => parseMetricFilter('a eq x'), 'Value cannot be parsed.'],
    [() => parseMetricFilter('a eq "5"'), 'Value is not a number.'],
    [() => parseMetricFilter('a eq 5.0'), 'Value is not a number.'],
    [() => parseMetricFilter('a eq 9223372036854775808'), 'Value is not a number.'],
    [() => parseRelationFilter('A:'), 'Invalid relation filter expression'],
    [() => parseRelationFilter('A: 1'), 'Invalid relation filter expression'],
    [() => parsePrefixes('!(a'), 'Invalid config/metric to retrieve expression'],
    [() => parsePrefixes('!a'), 'Invalid config/metric to retrieve expression'],
    [() => parsePrefixes('a,(b'), 'CompareOp for prefix filter should be EQUAL or NOT_EQUAL'],
    [() => parseEventFilter('() and B'), 'Operator cannot be parsed for Event Filter.'],
  ];
  for (const [parse, message] of cases) assert.throws(parse, { message });
});

test('prefixes choose names, or exclude them', () => {
  assert.equal(parsePrefixes('a,b.')!('b.c'), true);
  assert.equal(parsePrefixes('(a)')!('b'), false);
  assert.equal(parsePrefixes('!(a,b)')!('c'), true);
  for (const nothing of ['', ' ', '()', '!()', '! ( )']) assert.equal(parsePrefixes(nothing), undefined, nothing);
  assert.deepEqual([parsePrefixes('(a')!('ab'), parsePrefixes('(a')!('(ab'), parsePrefixes('a)')!('ab')], [false, true, false]);
  assert.deepEqual([parsePrefixes('a,')!('b'), parsePrefixes(',a')!('b')], [false, true]);
});

test('parts survive joining', () => {
  const parts = ['a!b', 'c*', '', '*!'];
  assert.deepEqual(splitParts(joinParts(parts)), parts);
  assert.equal(splitParts('a*b'), undefined);
  assert.equal(brokenEscape('a**b*'), 'Escape char not properly escaped.');
  assert.equal(brokenEscape('a*b*'), 'Escape char or delimiter char not properly escaped.');
});
