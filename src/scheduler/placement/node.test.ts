// One set of checks decides and explains: what the search finds against what each node says, in random clusters.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { PlacementConstraint } from '../../model/placement-constraint.ts';
import type { ResourceRequest } from '../entries.ts';
import type { OpenRequest, Reservation } from '../state/model.ts';
import { NodeTable } from '../state/nodes.ts';
import { openRequestOf } from '../state/open-request.ts';
import { nodeRefusal, refusesBlacklisted, refusesReach } from './node.ts';
import { pickNode, pickNodeToReserve } from './node-choice.ts';
import { viewNodes } from './node-refusals.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122);
const places = ['h0', 'h1', 'h2', 'h0:1', 'h1:2'];
const amount = (most: number) => fc.tuple(fc.integer({ min: 0, max: most }), fc.integer({ min: 0, max: most }));

const nodes = fc.uniqueArray(
  fc.record({
    host: fc.constantFrom('h0', 'h1', 'h2', 'h3'),
    port: fc.integer({ min: 1, max: 3 }),
    rack: fc.constantFrom('/a', '/b'),
    resource: amount(4),
    used: amount(2),
    label: fc.constantFrom('', '', 'gpu'),
    isSchedulable: fc.integer({ min: 0, max: 3 }).map((value) => value > 0),
    isReserved: fc.integer({ min: 0, max: 3 }).map((value) => value === 0),
    disk: fc.constantFrom('ssd', 'hdd'),
  }),
  { minLength: 2, maxLength: 8, size: 'max', selector: ({ host, port }) => `${host}:${port}` },
);

const onSsd: PlacementConstraint = { kind: 'attribute', name: 'rm.yarn.io/disk', values: ['ssd'], negated: false };
const constraints: fc.Arbitrary<PlacementConstraint | undefined> = fc.constantFrom(undefined, onSsd, { ...onSsd, negated: true });

const requests = fc.record({
  resource: amount(3),
  nodes: fc.uniqueArray(fc.constantFrom(...places), { maxLength: 2 }),
  racks: fc.uniqueArray(fc.constantFrom('/a', '/b'), { maxLength: 1 }),
  relaxLocality: fc.boolean(),
  reach: fc.constantFrom('node', 'rack', 'any'),
  placementConstraint: constraints,
});

const worlds = fc.record({
  nodes,
  request: requests,
  label: fc.constantFrom('', 'gpu'),
  counted: fc.constantFrom(1, 2),
  blacklist: fc.uniqueArray(fc.constantFrom('/a', 'h0', 'h1:1'), { maxLength: 2 }),
});
type Drawn = typeof worlds extends fc.Arbitrary<infer World> ? World : never;

/** The cluster, and the request in it. */
function built({ nodes: drawn, request, label, counted, blacklist }: Drawn) {
  const table = new NodeTable(2);
  table.counted = counted;
  const partition = table.partition(label);
  for (const { host, port, rack, resource, used, isSchedulable, isReserved, disk, label: own } of drawn) {
    const attributes = new Map([['rm.yarn.io/disk', disk]]);
    const node = table.add({ nodeId: `${host}:${port}`, host, rack, resource, label: own, attributes });
    node.charge(used);
    node.schedulable = isSchedulable;
    if (isReserved) node.reservation = { node, partition: node.partition, containerId: '' } satisfies Partial<Reservation> as Reservation;
    table.refresh(node);
  }
  const { reach, placementConstraint, ...more } = request;
  const asked: ResourceRequest = { requestId: 'a', priority: 1, count: 1, ...more, ...(placementConstraint && { placementConstraint }) };
  const how = { applicationId: 'application_1_0001', resource: asked.resource, isMaster: false, nowMs: 0, partition: partition.index };
  const open: OpenRequest = { ...openRequestOf(asked, how), reach };
  return { table, partition, request: open, blacklist: new Set(blacklist) as ReadonlySet<string> };
}

const isKeepable = (refusal: string | undefined): boolean => refusal === undefined || refusal === 'FULL';

describe('the checks of a node', () => {
  it(`refuse no request on just those nodes that the search may find (seed ${seed})`, () => {
    let found = 0;
    let missed = 0;
    const property = fc.property(worlds, (drawn) => {
      const { table, partition, request, blacklist } = built(drawn);
      const willing = [...table.byId.values()].filter((node) => !nodeRefusal(node, partition, request, blacklist, table));
      const node = pickNode(table, partition, request, blacklist);
      assert.equal(node !== undefined, willing.length > 0);
      assert.ok(!node || willing.includes(node));
      if (node) found++;
      else missed++;
    });
    fc.assert(property, { seed, numRuns: 3000 });
    assert.ok(found > 300 && missed > 300, `${found} found, ${missed} not`);
  });

  it(`allow a reservation on just the nodes that are too full alone (seed ${seed})`, () => {
    let found = 0;
    const property = fc.property(worlds, (drawn) => {
      const { table, partition, request, blacklist } = built(drawn);
      const keepable = [...table.byId.values()].filter((node) => isKeepable(nodeRefusal(node, partition, request, blacklist, table)));
      const node = pickNodeToReserve(partition, request, blacklist, false);
      if (request.placement || request.reach !== 'any') {
        assert.equal(node, undefined);
        return;
      }
      assert.equal(node !== undefined, keepable.length > 0);
      assert.ok(!node || keepable.includes(node));
      if (node) found++;
    });
    fc.assert(property, { seed, numRuns: 2000 });
    assert.ok(found > 50, `${found} found`);
  });

  it(`are what the nodes of the partition are grouped by (seed ${seed})`, () => {
    const property = fc.property(worlds, (drawn) => {
      const { table, partition, request, blacklist } = built(drawn);
      const told = new Map<string, number>();
      for (const node of table.byId.values()) {
        const refusal = nodeRefusal(node, partition, request, blacklist, table) ?? 'FITS';
        if (refusal !== 'OTHER_PARTITION') told.set(refusal, (told.get(refusal) ?? 0) + 1);
      }
      const { groups } = viewNodes(table, partition, request, blacklist);
      assert.deepEqual(new Map(groups.map(({ why, count }) => [why, count])), told);
    });
    fc.assert(property, { seed, numRuns: 500 });
  });

  it('know a place by its id, its host and its rack', () => {
    const node = new NodeTable(2).add({ nodeId: 'h0:1', host: 'h0', rack: '/a', resource: [1, 1], label: '' });
    for (const place of ['h0:1', 'h0', '/a']) assert.equal(refusesBlacklisted(node, new Set([place])), 'BLACKLISTED');
    assert.equal(refusesBlacklisted(node, new Set(['h1', '/b'])), undefined);
    const base = openRequestOf(
      { requestId: 'a', priority: 1, count: 1, resource: [1, 1], nodes: ['h1'], racks: ['/a'] },
      { applicationId: 'application_1_0001', resource: [1, 1], isMaster: false, nowMs: 0 },
    );
    assert.equal(refusesReach(node, { ...base, reach: 'node' }), 'ELSEWHERE');
    assert.equal(refusesReach(node, { ...base, reach: 'rack' }), undefined);
    assert.equal(refusesReach(node, { ...base, racks: [], reach: 'rack' }), 'ELSEWHERE');
    assert.equal(refusesReach(node, { ...base, racks: [], reach: 'any' }), undefined);
    assert.equal(refusesReach(node, { ...base, racks: [], reach: 'any', relaxLocality: false }), 'ELSEWHERE');
  });
});
