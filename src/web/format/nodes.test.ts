import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byPartition, complaintsOf, filterNodes, givenOf, nodeChoices, nodeOf, nodeTypes, type ReadNode, shortNames } from './nodes.ts';

const node = (id: string, more: Partial<ReadNode> = {}) =>
  nodeOf({
    ...{
      id,
      rack: '/rack1',
      state: 'RUNNING',
      nodeHostName: id.split(':')[0]!,
      nodeHTTPAddress: '',
      lastHealthUpdate: 1,
      numContainers: 0,
    },
    usedResource: { memory: 256, vCores: 1 },
    totalResource: { memory: 1024, vCores: 2 },
    ...more,
  });

describe('nodes', () => {
  it('have amounts by type, their label and attributes in one text each', () => {
    const found = node('a:1', {
      nodeLabels: ['gpu'],
      nodeAttributesInfo: { nodeAttributeInfo: [{ prefix: 'rm.yarn.io', name: 'os', type: 'STRING', value: 'linux' }] },
    });
    assert.deepEqual([found.label, found.isAway, found.attributes], ['gpu', false, ['rm.yarn.io/os=linux']]);
    assert.equal(givenOf(found, 'memory-mb'), 0.25);
    assert.equal(givenOf(found, 'yarn.io/gpu'), 0);
  });

  it('that are away have given nothing away', () => {
    const { usedResource: _, ...left } = node('a:1', { state: 'LOST' });
    assert.deepEqual([nodeOf(left).isAway, givenOf(nodeOf(left), 'memory-mb')], [true, 0]);
  });

  it('are found by any of their words, by state and by label', () => {
    const nodes = [node('host1:1'), node('host2:1', { rack: '/east', state: 'LOST' }), node('other:1', { nodeLabels: ['gpu'] })];
    const found = (filter: Parameters<typeof filterNodes>[1]) => filterNodes(nodes, filter).map(({ nodeHostName }) => nodeHostName);
    assert.deepEqual(found({}), ['host1', 'host2', 'other']);
    assert.deepEqual(found({ name: 'HOST' }), ['host1', 'host2']);
    assert.deepEqual(found({ name: 'east' }), ['host2']);
    assert.deepEqual(found({ state: 'away' }), ['host2']);
    assert.deepEqual(found({ state: 'here', label: '' }), ['host1']);
    assert.deepEqual(found({ state: 'LOST', label: 'gpu' }), []);
  });

  it('are counted by label and rack as the list would have them with the other filters', () => {
    const nodes = [
      node('a:1', { nodeLabels: ['gpu'], rack: '/r1' }),
      node('b:1', { nodeLabels: ['gpu'], rack: '/r2' }),
      node('c:1', { rack: '/r2' }),
    ];
    assert.deepEqual(nodeChoices(nodes, { rack: '/r2' }, 'rack'), [
      { name: '/r2', count: 2 },
      { name: '/r1', count: 1 },
    ]);
    assert.deepEqual(nodeChoices(nodes, { rack: '/r2', label: 'gpu' }, 'label'), [{ name: 'gpu', count: 1 }]);
    assert.deepEqual(
      filterNodes(nodes, { rack: '/r2' }).map(({ id }) => id),
      ['b:1', 'c:1'],
    );
  });

  it('stand on the map by label, those without one first, in the order of their numbers', () => {
    const nodes = [node('n10:1'), node('n2:1'), node('x:1', { nodeLabels: ['gpu'] })];
    assert.deepEqual(
      byPartition(nodes).map(([label, list]) => [label, list.map(({ nodeHostName }) => nodeHostName)]),
      [
        ['', ['n2', 'n10']],
        ['gpu', ['x']],
      ],
    );
  });

  it('name the types that any of them has', () => {
    const gpus = { resourceInformations: { resourceInformation: [{ name: 'yarn.io/gpu', value: 2 }] } };
    assert.deepEqual(nodeTypes([node('a:1'), node('b:1', { totalResource: gpus })]), ['memory-mb', 'vcores', 'yarn.io/gpu']);
  });

  it('are called by their hosts where those are their own, else by the whole id', () => {
    const nodes = [node('a:1'), node('b:1'), node('b:2')];
    assert.deepEqual(nodes.map(shortNames(nodes)), ['a', 'b:1', 'b:2']);
  });

  it('that are unhealthy are put together by what they complain of, the most first', () => {
    const ill = (id: string, healthReport?: string) =>
      node(id, { state: 'UNHEALTHY', ...(healthReport !== undefined && { healthReport }) });
    const found = complaintsOf([node('w:1', { healthReport: 'fine' }), ill('a:1'), ill('b:1', 'disk'), ill('c:1', 'disk\n')]);
    assert.deepEqual(
      found.map(([report, nodes]) => [report, nodes.map(({ id }) => id)]),
      [
        ['disk', ['b:1', 'c:1']],
        ['', ['a:1']],
      ],
    );
  });
});
