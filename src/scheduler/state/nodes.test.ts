import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NodeTable } from './nodes.ts';

const view = (number: number, label = '', resource = [4096, 4]) => ({
  nodeId: `n${number}:1`,
  host: `n${number}`,
  rack: `/r${number % 2}`,
  resource,
  label,
});

describe('the table of nodes', () => {
  it('finds nodes by id, host and rack, and forgets those that leave', () => {
    const table = new NodeTable(2);
    const [first, second] = [table.add(view(0)), table.add(view(2))];
    assert.equal(table.byId.get('n0:1'), first);
    assert.deepEqual([...table.byHost.get('n2')!], [second]);
    assert.deepEqual([...table.byRack.get('/r0')!], [first, second]);
    table.remove(first);
    table.remove(second);
    assert.deepEqual([table.byId.size, table.byHost.size, table.byRack.size], [0, 0, 0]);
  });

  it('sums up each partition and the whole', () => {
    const table = new NodeTable(2);
    const node = table.add(view(0));
    table.add(view(1, 'gpu', [1024, 1]));
    assert.deepEqual(table.total, [5120, 5]);
    assert.deepEqual(
      [table.partition('').total, table.partition('gpu').total],
      [
        [4096, 4],
        [1024, 1],
      ],
    );
    table.resize(node, [2048, 2]);
    assert.deepEqual(
      [table.total, table.partition('').total],
      [
        [3072, 3],
        [2048, 2],
      ],
    );
    table.relabel(node, 'gpu');
    assert.deepEqual([table.partition('').total, table.partition('gpu').total, table.partition('gpu').nodes], [[0, 0], [3072, 3], 2]);
  });

  it('keeps what is given away through a change of size, also below nothing', () => {
    const table = new NodeTable(2);
    const node = table.add(view(0));
    node.charge([3072, 3]);
    table.resize(node, [2048, 2]);
    assert.deepEqual(
      [node.available, node.used],
      [
        [-1024, -1],
        [3072, 3],
      ],
    );
    table.resize(node, [8192, 8]);
    assert.deepEqual(node.available, [5120, 5]);
  });

  it('knows the largest container that any node would hold, resource by resource', () => {
    const table = new NodeTable(2);
    assert.equal(table.largest(), undefined);
    const wide = table.add(view(0, '', [8192, 1]));
    table.add(view(1, 'gpu', [1024, 16]));
    assert.deepEqual(table.largest(), [8192, 16]);
    table.remove(wide);
    assert.deepEqual(table.largest(), [1024, 16]);
  });

  it('gives each label one partition, exclusive until told otherwise', () => {
    const table = new NodeTable(2);
    assert.equal(table.partition('gpu'), table.partition('gpu'));
    assert.deepEqual(
      table.partitions.map(({ index, name, exclusive }) => [index, name, exclusive]),
      [
        [0, '', true],
        [1, 'gpu', true],
      ],
    );
  });

  it('counts memory alone where that is all that limits', () => {
    const table = new NodeTable(2);
    const node = table.add(view(0));
    const { rooms } = table.partition('');
    assert.equal(rooms.find([1024, 99]), undefined);
    table.counted = 1;
    assert.equal(rooms.find([1024, 99]), node);
    assert.equal(table.partition('gpu').rooms.counted, 1);
  });

  it('moves on what constraints look at with tags, attributes and nodes', () => {
    const table = new NodeTable(2);
    const versions = new Set([table.placementVersion]);
    const node = table.add(view(0));
    versions.add(table.placementVersion);
    table.tags.change(node, 'a1', ['db'], 1);
    versions.add(table.placementVersion);
    table.attributes.set(node, new Map([['rm.example/os', 'linux']]));
    versions.add(table.placementVersion);
    table.relabel(node, 'gpu');
    versions.add(table.placementVersion);
    assert.equal(versions.size, 5);
  });
});
