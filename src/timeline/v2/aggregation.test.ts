import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EntityV2 } from '../../wire/timeline/v2-entity.ts';
import { MetricAggregation } from './aggregation.ts';

const context = { cluster: 'c', user: 'ann', flow: 'f', run: 1, application: 'application_1_0001' };
const other = { ...context, application: 'application_1_0002' };
const entity = (id: string, aggregationOp: string, values: Record<string, number | null>, type = 'STEP'): EntityV2 => ({
  type,
  id,
  metrics: [{ id: 'm', aggregationOp, values } as never],
});

function told(entities: readonly EntityV2[], maximum = 100) {
  const aggregation = new MetricAggregation(maximum);
  for (const one of entities) aggregation.add(context, one);
  return aggregation.take()[0]?.metrics[0]?.values;
}

describe('metrics of entities', () => {
  it('become one by their operation, of each entity the newest, at the newest time', () => {
    const values = (operation: string) => [
      entity('a', operation, { 1: 90, 5: 3 }),
      entity('b', operation, { 4: 8 }),
      entity('c', operation, { 2: 1 }),
    ];
    assert.deepEqual(told(values('SUM')), { 5: 12 });
    assert.deepEqual(told(values('MAX')), { 5: 8 });
    assert.deepEqual(told(values('REPLACE')), { 5: 3 });
  });
  it('stay with their entity where no operation is said, or one that there is none of', () => {
    assert.equal(
      told([
        entity('a', 'NOP', { 1: 1 }),
        entity('b', 'AVG', { 1: 1 }),
        { type: 'STEP', id: 'c', metrics: [{ id: 'm', values: { 1: 1 } }] },
      ]),
      undefined,
    );
  });
  it('of the application itself are left alone, and values that are no numbers', () => {
    assert.equal(told([entity('a', 'SUM', { 1: 1 }, 'YARN_APPLICATION'), entity('a', 'SUM', { x: 1, 2: null })]), undefined);
  });
  it('that come late do not replace newer ones', () => {
    assert.deepEqual(told([entity('a', 'SUM', { 9: 1 }), entity('a', 'SUM', { 3: 50 })]), { 9: 1 });
  });
  it('are told once, each to its application', () => {
    const aggregation = new MetricAggregation(100);
    aggregation.add(context, entity('a', 'SUM', { 1: 1 }));
    aggregation.add(other, entity('a', 'SUM', { 1: 2 }));
    assert.deepEqual(
      aggregation.take().map(({ context: { application }, metrics }) => [application, metrics[0]?.values]),
      [
        [context.application, { 1: 1 }],
        [other.application, { 1: 2 }],
      ],
    );
    assert.deepEqual(aggregation.take(), []);
  });
  it('are held up to a number; what is held goes on being followed', () => {
    const aggregation = new MetricAggregation(2);
    for (const id of ['a', 'b', 'c', 'd']) aggregation.add(context, entity(id, 'SUM', { 1: 1 }));
    aggregation.add(context, entity('b', 'SUM', { 2: 5 }));
    assert.equal(aggregation.leftOut, 2);
    assert.deepEqual(aggregation.take()[0]?.metrics[0]?.values, { 2: 6 });
    assert.equal(aggregation.leftOut, 0);
    aggregation.add(context, entity('c', 'SUM', { 1: 1 }));
    assert.equal(aggregation.take().length, 1);
  });
});
