import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type RequestRow, requestRows } from './request-rows.ts';

const all = { mostRows: 100, mostRead: 100 };
const row = (resourceName: string, count: number, more: Partial<RequestRow> = {}): RequestRow => ({
  ...{ priority: 20, allocationRequestId: -1, resource: [1024, 1], relaxLocality: true, labelExpression: '' },
  ...{ resourceName, count },
  ...more,
});
const shown = (rows: readonly RequestRow[]) => rows.map(({ priority, resourceName, count }) => `${priority} ${resourceName} ${count}`);

it('makes one row of requests that differ in nothing, with the sum of their containers', () => {
  const maps = Array.from({ length: 30 }, () => row('*', 1, { resource: [1024, 1] }));
  assert.deepEqual(shown(requestRows([row('*', 2, { priority: 10 }), ...maps], all)), ['10 * 2', '20 * 30']);
  assert.equal(maps[0]!.count, 1, 'what is given stays as it was');
});

it('keeps apart what differs in priority, id, size, partition or locality, and scheduling requests', () => {
  const apart = [
    row('*', 1),
    row('*', 2, { resource: [2048, 1] }),
    row('*', 3, { labelExpression: 'gpu' }),
    row('*', 4, { relaxLocality: false }),
    row('*', 5, { scheduling: { allocationTags: ['web'], placementConstraint: undefined } }),
    row('*', 6, { scheduling: { allocationTags: ['web'], placementConstraint: undefined } }),
    row('*', 7, { allocationRequestId: 1 }),
    row('*', 8, { allocationRequestId: 2 }),
    row('*', 9, { priority: 21 }),
  ];
  assert.deepEqual(
    requestRows(apart, all).map(({ count }) => count),
    [1, 2, 3, 4, 5, 6, 7, 8, 9],
  );
});

it('adds up place by place, and lists places as the hash map of YARN does', () => {
  const places = [row('localhost', 1), row('/default-rack', 1), row('*', 1), row('other', 1), row('/default-rack', 1), row('*', 1)];
  // As Java's ConcurrentHashMap of these four lists them.
  assert.deepEqual(shown(requestRows(places, all)), ['20 localhost 1', '20 other 1', '20 /default-rack 2', '20 * 2']);
});

it('shows and reads no more than it is told, however many there are', () => {
  const hosts = Array.from({ length: 50 }, (_, index) => row(`h${index}`, 1));
  assert.equal(requestRows([...hosts, ...hosts], { mostRows: 20, mostRead: 100 }).length, 20);
  assert.deepEqual(
    requestRows([...hosts, ...hosts], { mostRows: 20, mostRead: 70 }).reduce((sum, { count }) => sum + count, 0),
    40,
  );
  let taken = 0;
  const endless = (function* () {
    for (;;) yield row('*', ++taken && 1);
  })();
  assert.deepEqual(shown(requestRows(endless, { mostRows: 20, mostRead: 70 })), ['20 * 70']);
  assert.equal(taken, 71);
});
