import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dominantCalculator } from './calculator.ts';
import { NodeTable } from './nodes.ts';
import { PendingSizes } from './pending-sizes.ts';

describe('the sizes that are asked for', () => {
  it('are kept once each', () => {
    const sizes = new PendingSizes();
    const first = sizes.share([1024, 1]);
    assert.equal(sizes.share([1024, 1]), first);
    assert.notEqual(sizes.share([1024, 2]), first);
  });

  it('count by partition, until none is wanted', () => {
    const nodes = new NodeTable(2);
    nodes.add({ nodeId: 'n:1', host: 'n', rack: '/r', resource: [8192, 8], label: 'gpu' });
    const sizes = new PendingSizes();
    const size = sizes.share([1024, 1]);
    sizes.change(1, size, 3);
    const mayServe = (partition: number, left: number[]) => sizes.mayServe(nodes.partitions[partition]!, left, dominantCalculator, false);
    assert.deepEqual([mayServe(1, [1024, 1]), mayServe(1, [1023, 9]), mayServe(0, [4096, 4])], [true, false, false]);
    sizes.change(1, size, -3);
    assert.equal(mayServe(1, [4096, 4]), false);
  });

  it('tell what keeps them from nodes: too little left, or no node', () => {
    const nodes = new NodeTable(2);
    nodes.add({ nodeId: 'n:1', host: 'n', rack: '/r', resource: [2048, 2], label: '' });
    const partition = nodes.partition('');
    const sizes = new PendingSizes();
    const small = sizes.share([1024, 1]);
    sizes.change(0, small, 1);
    sizes.change(0, sizes.share([4096, 1]), 1);
    assert.equal(sizes.mayServe(partition, [512, 8], dominantCalculator, true), false);
    assert.deepEqual([sizes.isShort, sizes.isWithoutNode, sizes.roomy], [true, false, [small]]);
    sizes.change(0, small, -1);
    assert.equal(sizes.mayServe(partition, [8192, 8], dominantCalculator, true), false);
    assert.deepEqual([sizes.isShort, sizes.isWithoutNode, sizes.roomy], [false, true, []]);
  });

  it('tell whether some node has room for one, or could be kept for it', () => {
    const nodes = new NodeTable(2);
    const node = nodes.add({ nodeId: 'n:1', host: 'n', rack: '/r', resource: [2048, 2], label: '' });
    const partition = nodes.partition('');
    const sizes = new PendingSizes();
    sizes.change(0, sizes.share([4096, 1]), 1);
    assert.equal(sizes.anyFits(partition), false);
    const fitting = sizes.share([2048, 1]);
    sizes.change(0, fitting, 1);
    assert.equal(sizes.anyFits(partition), true);
    node.charge([1024, 1]);
    nodes.refresh(node);
    assert.equal(sizes.anyFits(partition), true);
    assert.equal(
      sizes.anyFits(partition, (size) => size !== fitting),
      false,
    );
  });

  it('are not looked through where they are many: then some node may always have room', () => {
    const nodes = new NodeTable(2);
    const sizes = new PendingSizes();
    for (let i = 0; i < 65; i++) sizes.change(0, sizes.share([1_000_000 + i, 1]), 1);
    assert.equal(sizes.anyFits(nodes.partition('')), true);
    assert.equal(sizes.mayServe(nodes.partition(''), [1, 1], dominantCalculator, false), true);
  });
});
