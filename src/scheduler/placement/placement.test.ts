// What placement constraints promise, under every policy.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseConstraint } from '../../model/placement-constraint.ts';
import { Simulator, type SimulatorOptions } from '../conformance/simulator.ts';
import type { ResourceRequest } from '../entries.ts';

fc.configureGlobal({ seed: Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_121) });

const attributesOf = (number: number) =>
  new Map([
    ['nm.yarn.io/disk', number % 2 === 0 ? 'ssd' : 'hdd'],
    ['rm.yarn.io/java', String(8 + number)],
  ]);

/** Node n is in rack n mod 2. */
function fresh(options: SimulatorOptions, nodes = 4): Simulator {
  const simulator = new Simulator({ settings: { maximumAllocation: [8192, 8] }, ...options });
  for (let i = 0; i < nodes; i++)
    simulator.policy.addNode({
      nodeId: `node${i}:1`,
      host: `node${i}`,
      rack: `/rack${i % 2}`,
      resource: [8192, 8],
      label: '',
      attributes: attributesOf(i),
    });
  return simulator;
}

const request = (requestId: string, count: number, constraint: string | undefined, ...allocationTags: string[]): ResourceRequest => ({
  requestId,
  priority: 1,
  resource: [1024, 1],
  count,
  allocationTags,
  ...(constraint === undefined ? {} : { placementConstraint: parseConstraint(constraint) }),
});

const placesOf = (simulator: Simulator, applicationId: string): string[] =>
  simulator
    .containersOf(applicationId)
    .map((id) => simulator.containers.get(id)!.nodeId.slice(0, -2))
    .sort();

for (const kind of ['capacity', 'fair', 'fifo'] as const) {
  describe(`${kind}: placement constraints`, () => {
    const options: SimulatorOptions = { kind };

    test('containers that keep apart stand on different nodes, and no more are given than there are nodes', () => {
      const simulator = fresh(options, 3);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(attemptId, [request('a', 5, 'notin,node,zk', 'zk')], []);
      simulator.run();
      assert.deepEqual(placesOf(simulator, applicationId), ['node0', 'node1', 'node2']);
      assert.equal(simulator.policy.usage(applicationId)!.pendingContainers, 2);
    });

    test('when one of them ends, the next takes its place', () => {
      const simulator = fresh(options, 2);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(attemptId, [request('a', 3, 'notin,node,zk', 'zk')], []);
      simulator.run();
      simulator.end(simulator.containersOf(applicationId)[0]!);
      simulator.run();
      assert.deepEqual(placesOf(simulator, applicationId), ['node0', 'node1']);
      assert.equal(simulator.policy.usage(applicationId)!.pendingContainers, 0);
    });

    test('a node that joins, and one that loses what forbade it, take the next', () => {
      const simulator = fresh(options, 1);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(
        attemptId,
        [request('a', 3, 'notin,node,zk', 'zk'), request('b', 1, 'and(disk!=ssd:notin,node,b)', 'b')],
        [],
      );
      simulator.run();
      simulator.policy.updateBlacklist(attemptId, [], ['nobody']);
      simulator.run();
      assert.deepEqual(placesOf(simulator, applicationId), ['node0']);
      simulator.policy.addNode({
        nodeId: 'node1:1',
        host: 'node1',
        rack: '/rack1',
        resource: [8192, 8],
        label: '',
        attributes: attributesOf(0),
      });
      simulator.run();
      assert.deepEqual(placesOf(simulator, applicationId), ['node0', 'node1']);
      simulator.policy.updateNode('node0:1', { attributes: attributesOf(1) });
      simulator.run();
      assert.deepEqual(placesOf(simulator, applicationId), ['node0', 'node0', 'node1']);
    });

    test('keeping apart by rack gives one a rack', () => {
      const simulator = fresh(options, 4);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(attemptId, [request('a', 4, 'notin,rack,zk', 'zk')], []);
      simulator.run();
      const racks = placesOf(simulator, applicationId).map((node) => Number(node.slice(4)) % 2);
      assert.deepEqual(racks.sort(), [0, 1]);
    });

    test('who wants to stand beside others waits for them, and then stands there', () => {
      const simulator = fresh(options);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(attemptId, [request('near', 2, 'in,node,cache')], []);
      simulator.run();
      assert.deepEqual(placesOf(simulator, applicationId), []);
      simulator.policy.updateRequests(attemptId, [{ ...request('cache', 1, undefined, 'cache'), priority: 2, nodes: ['node2'] }], []);
      simulator.run();
      assert.deepEqual(placesOf(simulator, applicationId), ['node2', 'node2', 'node2']);
    });

    test('beside others in a rack means any node of that rack', () => {
      const simulator = fresh(options);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(
        attemptId,
        [{ ...request('cache', 1, undefined, 'cache'), nodes: ['node1'], relaxLocality: false }],
        [],
      );
      simulator.run();
      simulator.policy.updateRequests(attemptId, [request('near', 12, 'in,rack,cache')], []);
      simulator.run();
      assert.deepEqual([...new Set(placesOf(simulator, applicationId))], ['node1', 'node3']);
      assert.equal(simulator.policy.usage(applicationId)!.pendingContainers, 0);
    });

    test('a group that wants to be together begins somewhere and stays there', () => {
      const simulator = fresh(options);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(attemptId, [request('a', 10, 'in,node,worker', 'worker')], []);
      simulator.run();
      assert.equal(new Set(placesOf(simulator, applicationId)).size, 1);
      assert.equal(simulator.policy.usage(applicationId)!.pendingContainers, 2);
    });

    test('cardinality bounds how many stand on a node before the next comes', () => {
      const simulator = fresh(options, 2);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(attemptId, [request('a', 9, 'cardinality,node,hb,0,2', 'hb')], []);
      simulator.run();
      assert.deepEqual(placesOf(simulator, applicationId), ['node0', 'node0', 'node0', 'node1', 'node1', 'node1']);
    });

    test('tags count in their own application unless the constraint says otherwise', () => {
      const simulator = fresh(options, 2);
      const first = simulator.submit({ tags: ['db'] });
      simulator.policy.updateRequests(
        first.attemptId,
        [{ ...request('a', 1, undefined, 'zk'), nodes: ['node0'], relaxLocality: false }],
        [],
      );
      simulator.run();
      const answers = new Map<string, string[]>();
      for (const namespace of ['', 'self/', 'all/', 'not-self/', `app-id/${first.applicationId}/`, 'app-tag/db/', 'app-tag/web/']) {
        const other = simulator.submit({});
        simulator.policy.updateRequests(
          other.attemptId,
          [
            request('a', 1, `notin,node,${namespace}zk`),
            { ...request('b', 1, `notin,node,${namespace}zk`), nodes: ['node0'], relaxLocality: false },
          ],
          [],
        );
        simulator.run();
        answers.set(namespace, [String(placesOf(simulator, other.applicationId).includes('node0'))]);
        simulator.finish(other.applicationId);
      }
      assert.deepEqual(
        [...answers].filter(([, [onNode0]]) => onNode0 === 'true').map(([namespace]) => namespace),
        ['', 'self/', 'app-tag/web/'],
      );
    });

    test('attributes choose nodes, with and without prefix, and follow a change', () => {
      const simulator = fresh(options);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(attemptId, [request('a', 9, 'and(disk=ssd:rm.yarn.io/java!=8)')], []);
      simulator.run();
      assert.deepEqual([...new Set(placesOf(simulator, applicationId))], ['node2']);
      assert.equal(simulator.policy.usage(applicationId)!.pendingContainers, 1);
      simulator.policy.updateNode('node3:1', { attributes: new Map([['nm.yarn.io/disk', 'ssd']]) });
      simulator.run();
      assert.deepEqual([...new Set(placesOf(simulator, applicationId))], ['node2', 'node3']);
    });

    test('either of two constraints is enough under or', () => {
      const simulator = fresh(options);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(attemptId, [request('a', 16, 'or(java=8:java=11)')], []);
      simulator.run();
      assert.deepEqual([...new Set(placesOf(simulator, applicationId))], ['node0', 'node3']);
    });

    test('the tags of a node are told with their numbers, and go with their containers', () => {
      const simulator = fresh(options, 1);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.updateRequests(attemptId, [request('a', 2, undefined, 'zk', 'db')], []);
      simulator.run();
      assert.deepEqual(Object.fromEntries(simulator.policy.nodeUsage('node0:1')!.tags!), { zk: 2, db: 2 });
      for (const id of simulator.containersOf(applicationId)) simulator.end(id);
      assert.equal(simulator.policy.nodeUsage('node0:1')!.tags!.size, 0);
    });

    test('a container brought back after a restart counts with its tags', () => {
      const simulator = fresh(options, 2);
      const { applicationId, attemptId } = simulator.submit({});
      simulator.policy.recoverContainer({
        containerId: 'container_1_0001_01_000009',
        applicationId,
        attemptId,
        nodeId: 'node0:1',
        resource: [1024, 1],
        priority: 1,
        isMaster: false,
        allocationTags: ['zk'],
      });
      simulator.policy.updateRequests(attemptId, [request('a', 2, 'notin,node,zk', 'zk')], []);
      simulator.run();
      assert.deepEqual(placesOf(simulator, applicationId), ['node1']);
    });

    test('random containers that come and go never stand where their constraint forbids', () => {
      fc.assert(
        fc.property(
          fc.array(
            fc.record({
              tag: fc.constantFrom('a', 'b'),
              other: fc.constantFrom('a', 'b'),
              most: fc.integer({ min: 0, max: 2 }),
              end: fc.nat(),
            }),
            {
              minLength: 1,
              maxLength: 25,
            },
          ),
          (steps) => {
            const simulator = fresh(options);
            const { applicationId, attemptId } = simulator.submit({});
            const tags = new Map<string, string>();
            for (const [index, { tag, other, most, end }] of steps.entries()) {
              const before = new Map<string, number>();
              for (const [id, { nodeId }] of simulator.containers)
                if (tags.get(id) === other) before.set(nodeId, (before.get(nodeId) ?? 0) + 1);
              simulator.policy.updateRequests(attemptId, [request(`ask${index}`, 1, `cardinality,node,${other},0,${most}`, tag)], []);
              for (const decision of simulator.run()) {
                if (decision.kind !== 'allocate' || decision.requestId !== `ask${index}`) continue;
                tags.set(decision.containerId, tag);
                assert.ok((before.get(decision.nodeId) ?? 0) <= most);
              }
              simulator.policy.updateRequests(attemptId, [], [`ask${index}`]);
              const held = simulator.containersOf(applicationId);
              if (held.length > 0 && end % 3 === 0) simulator.end(held[end % held.length]!);
            }
          },
        ),
        { numRuns: 40 },
      );
    });
  });
}
