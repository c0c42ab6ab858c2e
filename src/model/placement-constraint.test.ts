import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ConstraintMalformed, ConstraintTerms, constraintText, parseConstraint, readConstraint } from './placement-constraint.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

test('the language is read as YARN reads it', () => {
  assert.deepEqual(parseConstraint('NOTIN, NODE, zk'), {
    kind: 'tags',
    scope: 'node',
    targets: [{ namespace: { kind: 'self' }, tag: 'zk' }],
    minimum: 0,
    maximum: 0,
  });
  assert.deepEqual(parseConstraint('in,rack,all/hb,app-id/application_1_0001/zk'), {
    kind: 'tags',
    scope: 'rack',
    targets: [
      { namespace: { kind: 'all' }, tag: 'hb' },
      { namespace: { kind: 'app-id', applicationId: 'application_1_0001' }, tag: 'zk' },
    ],
    minimum: 1,
    maximum: Number.POSITIVE_INFINITY,
  });
  assert.deepEqual(parseConstraint('rm.yarn.io/java!=1.7,1.8'), {
    kind: 'attribute',
    name: 'rm.yarn.io/java',
    negated: true,
    values: ['1.7', '1.8'],
  });
});

test('what is read is written again in the same words', () => {
  for (const text of [
    'in,node,zk',
    'notin,rack,not-self/zk,hb',
    'cardinality,node,hb,1,3',
    'and(in,node,zk:or(notin,rack,app-tag/db/x:java=11))',
    'python=2,3',
  ])
    assert.equal(constraintText(parseConstraint(text)), text);
});

test('an object says the same as the language', () => {
  assert.deepEqual(
    readConstraint({
      type: 'and',
      constraints: [
        { type: 'notin', scope: 'node', tags: ['zk'] },
        'java=11',
        { type: 'attribute', name: 'os', operator: '!=', values: ['x'] },
      ],
    }),
    parseConstraint('and(notin,node,zk:java=11:os!=x)'),
  );
  assert.deepEqual(
    readConstraint({ type: 'cardinality', scope: 'rack', tags: ['hb'], minimum: 1, maximum: 3 }),
    parseConstraint('cardinality,rack,hb,1,3'),
  );
});

test('what is none is refused with its reason', () => {
  for (const [text, reason] of [
    ['', /expecting in, notin/],
    ['zk', /expecting in, notin/],
    ['in,host,zk', /expecting scope to node or rack, but met host/],
    ['notin,node', /expecting allocation tags/],
    ['cardinality,node,hb,1', /only 4 is given/],
    ['cardinality,node,hb,x,3', /Expecting an Integer, but get x/],
    ['cardinality,node,hb,3,1', /bounds/],
    ['and()', /inside the brackets/],
    ['and(in,node,zk', /expecting and\(A:B\)/],
    ['and(in,node,zk))', /do not match/],
    ['in,node,some/zk', /Invalid namespace prefix: some/],
    ['java=', /expecting in, notin/],
  ] as const)
    assert.throws(
      () => parseConstraint(text),
      (error) => error instanceof ConstraintMalformed && reason.test(error.message),
      text,
    );
  assert.throws(() => parseConstraint(`${'and('.repeat(50)}a=b${')'.repeat(50)}`), /nested deeper/);
});

test('what says too much is refused before it is read to its end, alone and with others', () => {
  const tooMuch = (work: () => unknown, reason: RegExp) =>
    assert.throws(work, (error) => error instanceof ConstraintMalformed && reason.test(error.message));
  const tags = (count: number) => Array.from({ length: count }, (_, index) => `t${index}`).join(',');
  const anyOf = (count: number) => ({ type: 'or', constraints: Array.from({ length: count }, () => `in,node,${tags(99)}`) });
  const attribute = (count: number) => ({ type: 'attribute', name: 'a', values: Array.from({ length: count }, () => 'b') });
  readConstraint(anyOf(10));
  tooMuch(() => readConstraint(anyOf(11)), /more than 1000 tags, values and brackets in one constraint/);
  tooMuch(() => parseConstraint(`a=${'b,'.repeat(1001)}`), /more than 1000/);
  tooMuch(() => parseConstraint(`and(${'or(a=b):'.repeat(600)})`), /more than 1000/);
  readConstraint(attribute(1000));
  tooMuch(() => readConstraint(attribute(1001)), /more than 1000/);
  const all = new ConstraintTerms(2500);
  readConstraint(attribute(1000), 0, all.ofOne());
  readConstraint(attribute(1000), 0, all.ofOne());
  tooMuch(() => readConstraint(attribute(1000), 0, all.ofOne()), /more than 2500 .* in the constraints of one call/);
});

test('no text and no value breaks the reader', () => {
  const survives = (value: unknown): void => {
    try {
      readConstraint(value);
    } catch (error) {
      assert.ok(error instanceof ConstraintMalformed);
    }
  };
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom('in', 'and', '(', ')', ':', ',', 'node', 'a', '=', '!', '/', ' ') }), survives));
  fc.assert(fc.property(fc.anything(), survives));
  fc.assert(
    fc.property(
      fc.record({
        type: fc.constantFrom('and', 'in', 'cardinality', 'attribute'),
        constraints: fc.anything(),
        tags: fc.anything(),
        scope: fc.anything(),
        minimum: fc.anything(),
        name: fc.anything(),
        values: fc.anything(),
      }),
      survives,
    ),
  );
});
