// What limits of users refuse, in numbers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../../model/resource.ts';
import { presetSettings } from '../../conformance/presets.ts';
import { Counts } from '../../state/counts.ts';
import { NodeTable } from '../../state/nodes.ts';
import type { CapacityApplication } from '../application.ts';
import { QueueTree } from '../queues/tree.ts';
import type { User } from '../queues/users.ts';
import { userLimitRefusal } from './refusal.ts';
import { refusesUser, userLimit } from './user.ts';

/** One node of 10 GiB and 10 vcores; queue `root.a` may have half of it. `more`: keys without their prefix. */
function fixture(more: Record<string, string> = {}) {
  const keys = {
    'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
    'root.queues': 'a,b',
    'root.a.capacity': '50',
    'root.a.maximum-capacity': '50',
    'root.b.capacity': '50',
    ...more,
  };
  const nodes = new NodeTable(2);
  nodes.add({ nodeId: 'n0:1', host: 'n0', rack: '/a', resource: [10_240, 10], label: '' });
  const properties = new Map(Object.entries(keys).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value]));
  const tree = new QueueTree(properties, new ResourceTypes(), presetSettings, nodes);
  return { tree, partition: nodes.partitions[0]!, queue: tree.get('root.a')! };
}

function holding(used: readonly number[] | undefined, reserved: readonly number[]): CapacityApplication {
  const counts = new Counts(2);
  counts.add('reserved', 0, reserved, 1);
  const owner = { used: used ? [[...used]] : [] } satisfies Pick<User, 'used'> as User;
  const reservedContainers = reserved.some((value) => value > 0) ? 1 : 0;
  return { counts, owner, reservedContainers } satisfies Pick<
    CapacityApplication,
    'counts' | 'owner' | 'reservedContainers'
  > as CapacityApplication;
}

describe('the limit of a user', () => {
  it('refuses who is above it already: the container that crosses it is the last one', () => {
    const { tree, partition } = fixture();
    const refused = (used: readonly number[] | undefined) => refusesUser(holding(used, [0, 0]), partition, [2048, 4], tree);
    assert.equal(refused(undefined), undefined);
    assert.equal(refused([2048, 2]), undefined);
    assert.equal(refused([2048, 4]), undefined);
    assert.equal(refused([2048, 5]), userLimitRefusal);
    assert.equal(refused([5120, 1]), userLimitRefusal);
  });

  it('counts out what the application could give up', () => {
    const { tree, partition } = fixture();
    const refused = (reserved: readonly number[]) => refusesUser(holding([5120, 5], reserved), partition, [4096, 4], tree);
    assert.equal(refused([0, 0]), userLimitRefusal);
    assert.equal(refused([512, 1]), userLimitRefusal);
    assert.equal(refused([1024, 1]), undefined);
  });

  it('is read without being shown to clients', () => {
    const { tree, partition, queue } = fixture({ 'root.a.user-limit-factor': '0.5' });
    const user = queue.leaf!.users.obtain('ada', queue.settings);
    const shown = [...user.shownLimit];
    assert.deepEqual(userLimit(queue, user, partition, tree), [2560, 2]);
    assert.deepEqual(user.shownLimit, shown);
  });
});
