import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../model/resource.ts';
import { ConfigurationRefused } from '../policy.ts';
import { parseAllocations } from './allocations.ts';
import { FairApplication } from './queue.ts';
import { FairTree } from './tree.ts';

const types = new ResourceTypes();
const allocationsOf = (inside: string) => parseAllocations(`<allocations>${inside}</allocations>`, types);

function treeOf(inside: string) {
  const clock = { nowMs: 0 };
  const tree = new FairTree(allocationsOf(inside), { types, sizeBasedWeight: false, cluster: () => [8192, 8] }, () => clock.nowMs);
  return { tree, clock };
}
const paths = (tree: FairTree): string[] => [...tree.root.walk()].map(({ path }) => path).sort();

/** Puts an application into the queue, so that the queue is in use. */
function occupy(tree: FairTree, path: string): void {
  const queue = tree.get(path)!;
  const application = {
    applicationId: 'a1',
    user: 'ada',
    queue: path,
    priority: 0,
    submitTimeMs: 0,
    unmanaged: true,
    labelExpression: undefined,
  };
  queue.applications.push(new FairApplication(application, 0, 2, queue, 0));
}

describe('the tree of fair queues', () => {
  it('has the queues of the file, or the default one', () => {
    assert.deepEqual(paths(treeOf('').tree), ['root', 'root.default']);
    assert.deepEqual(paths(treeOf('<queue name="a"><queue name="x"/></queue><queue name="b"/>').tree), [
      'root',
      'root.a',
      'root.a.x',
      'root.b',
    ]);
  });

  it('finds queues with and without the root in front', () => {
    const { tree } = treeOf('<queue name="a"><queue name="x"/></queue>');
    assert.equal(tree.get('a.x'), tree.get('root.a.x'));
    assert.equal(tree.get('x'), undefined);
  });

  it('makes queues that are submitted to, with their parents, but not below leaves', () => {
    const { tree } = treeOf('<queue name="a"/><queue name="b" type="parent"/>');
    assert.equal(tree.obtain('root.b.ada.jobs', true)?.isLeaf, true);
    assert.equal(tree.get('root.b.ada')!.isLeaf, false);
    assert.equal(tree.obtain('root.a.x', true), undefined);
    assert.equal(tree.obtain('elsewhere', true), undefined);
  });

  it('leaves out queues whose policy their parent does not allow', () => {
    const { tree } = treeOf('<queue name="a"><queue name="x"><schedulingPolicy>drf</schedulingPolicy></queue></queue>');
    assert.deepEqual(paths(tree), ['root', 'root.a']);
  });

  it('gives undeclared queues the limits that their parent has for its children', () => {
    const { tree } = treeOf(
      '<queue name="b" type="parent"><maxChildResources>1024 mb, 1 vcores</maxChildResources></queue><queueMaxAppsDefault>4</queueMaxAppsDefault>',
    );
    const { settings } = tree.obtain('root.b.ada', true)!;
    assert.deepEqual([settings.maximum, settings.maximumRunning, settings.weight], [{ absolute: [1024, 1] }, 4, 1]);
  });

  it('forgets undeclared queues that were empty for ten seconds, and their empty parents', () => {
    const { tree, clock } = treeOf('<queue name="b" type="parent"/>');
    tree.obtain('root.b.ada.jobs', true);
    assert.equal(tree.forgetUnused(9999), false);
    clock.nowMs = 10_000;
    assert.equal(tree.forgetUnused(10_000), true);
    assert.equal(tree.get('root.b.ada.jobs'), undefined);
    tree.forgetUnused(30_000);
    assert.deepEqual(paths(tree), ['root', 'root.b']);
  });

  it('does not forget queues that hold something', () => {
    const { tree } = treeOf('<queue name="b" type="parent"/>');
    tree.obtain('root.b.ada', true);
    occupy(tree, 'root.b.ada');
    assert.equal(tree.forgetUnused(60_000), false);
  });

  it('takes over another file: queues come, go and change their settings', () => {
    const { tree } = treeOf('<queue name="a"/><queue name="b"><weight>2</weight></queue>');
    const before = tree.get('b');
    tree.replace(allocationsOf('<queue name="b"><weight>5</weight></queue><queue name="c"/>'));
    assert.deepEqual(paths(tree), ['root', 'root.b', 'root.c']);
    assert.equal(tree.get('b'), before);
    assert.equal(tree.get('b')!.settings.weight, 5);
  });

  it('refuses a file without a queue that is in use, and changes nothing then', () => {
    const { tree } = treeOf('<queue name="a"/><queue name="b"/>');
    occupy(tree, 'root.a');
    const refused = (inside: string, sentence: RegExp) =>
      assert.throws(
        () => tree.replace(allocationsOf(inside)),
        (error: unknown) => error instanceof ConfigurationRefused && sentence.test(error.message),
      );
    refused('<queue name="c"/>', /^Queue root\.a is no longer there, but has 1 applications$/);
    refused('<queue name="a"><queue name="x"/></queue>', /^Queue root\.a changes between leaf and parent/);
    refused(
      '<queue name="a"><schedulingPolicy>drf</schedulingPolicy></queue>',
      /^Queue root\.a has the policy drf, which its parent's does not allow/,
    );
    assert.deepEqual(paths(tree), ['root', 'root.a', 'root.b']);
  });

  it('weighs the children of reservable queues by what the plan gives them', () => {
    const { tree } = treeOf('<queue name="plan"><reservation/></queue>');
    assert.equal(tree.entitle('root.plan.r1', 0.25), true);
    assert.equal(tree.entitle('root.plan.r1', 0.25), false);
    assert.equal(tree.get('root.plan.r1')!.settings.weight, 0.25);
    assert.equal(tree.forgetUnused(60_000), false);
    tree.remove(tree.get('root.plan.r1')!);
    assert.equal(tree.get('root.plan.r1'), undefined);
  });
});
