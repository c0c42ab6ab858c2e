import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';
import { ConfigurationRefused } from '../../policy.ts';

const prefix = 'yarn.scheduler.capacity.';
const tree = {
  'root.queues': 'a,b',
  'root.a.capacity': '60',
  'root.b.capacity': '40',
  'root.b.queues': 'x,y',
  'root.b.x.capacity': '50',
  'root.b.y.capacity': '50',
};

/** What a running policy says of the tree with these changes; undefined when it takes them. */
function refusal(changes: Record<string, string>, before: Record<string, string> = tree): string | undefined {
  const { policy } = new Simulator({ queues: before });
  const after = Object.entries({ ...before, ...changes }).map(([key, value]): [string, string] => [prefix + key, value]);
  try {
    policy.queueEditing!.check(new Map(after));
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationRefused) return error.message;
    throw error;
  }
}

describe('queue configurations', () => {
  it('are taken when they are sound', () => {
    assert.equal(refusal({ 'root.a.capacity': '50', 'root.b.capacity': '50' }), undefined);
    assert.equal(refusal({ 'root.b.x.capacity': '0', 'root.b.y.capacity': '0', 'root.b.allow-zero-capacity-sum': 'true' }), undefined);
  });

  it('give the root all of the nodes of every label, whatever it is told', () => {
    const root = { 'root.accessible-node-labels.gpu.maximum-capacity': 'x', 'root.accessible-node-labels.gpu.capacity': '30' };
    assert.equal(refusal({ ...root, 'root.a.accessible-node-labels.gpu.capacity': '100' }), undefined);
  });

  it('are looked at from the leaves upwards', () => {
    assert.match(refusal({ 'root.a.capacity': '1w', 'root.b.x.capacity': '1w' })!, /^Parent queue 'root.b' have children queue used mixed/);
  });

  const refused: [Record<string, string>, RegExp][] = [
    [
      { 'root.b.x.capacity': '0', 'root.b.y.capacity': '0' },
      /for children of queue b for label=\. It is set to 0, but parent percent != 0/,
    ],
    [{ 'root.b.x.capacity': '30' }, /^Illegal capacity sum of 0\.8 for children of queue b /],
    [{ 'root.a.default-application-lifetime': '50', 'root.a.maximum-application-lifetime': '10' }, /^Default lifetime 50 can't exceed/],
    [{ 'root.a.user-settings.ada.weight': '3' }, /^Weight \(3\.0\) for user "ada" must be between 0 and 100 \/ 100\.0/],
    [
      {
        'root.accessible-node-labels': 'gpu',
        'root.a.accessible-node-labels': 'gpu',
        'root.a.accessible-node-labels.gpu.maximum-capacity': '200',
      },
      /^Illegal capacity of 200\.0 for node-label=gpu in queue=root\.a, valid capacity should in range of \[0, 100\]\.$/,
    ],
    [
      { 'root.a.accessible-node-labels': 'gpu', 'root.a.accessible-node-labels.gpu.maximum-capacity': '-1' },
      /^Illegal capacity of -1\.0 for node-label=gpu in queue=root\.a/,
    ],
    [
      { 'root.b.x.accessible-node-labels': 'gpu', 'root.b.x.accessible-node-labels.gpu.capacity': '50' },
      /^Illegal capacity sum of 0\.0 for children of queue root for label=gpu\. It is set to 0/,
    ],
    [{ 'root.accessible-node-labels.gpu.maximum-am-resource-percent': 'x' }, /^For input string: "x"$/],
    [{ 'queue-mappings': 'u:ada:a:b' }, /^Illegal queue mapping u:ada:a:b$/],
    [{ 'root.a.maximum-allocation-mb': '1024' }, /^Trying to reinitialize root\.a the maximum allocation size can not be decreased!/],
    [
      { 'root.b.state': 'STOPPED', 'root.b.x.state': 'RUNNING' },
      /^The parent queue:root\.b cannot be STOPPED as the child queue:root\.b\.x/,
    ],
    [{ 'root.b.ordering-policy': 'fair' }, /^Unable to construct queue ordering policy=fair queue=root\.b$/],
    [{ 'root.a.accessible-node-labels': 'x', 'root.a.default-node-label-expression': 'y' }, /^Invalid default label expression/],
    [
      { 'root.a.auto-create-child-queue.enabled': 'true', 'root.a.auto-create-child-queue.management-policy': 'x' },
      /^Could not instantiate AutoCreatedQueueManagementPolicy: x for queue: root\.a$/,
    ],
    [
      { 'legacy-queue-mode.enabled': 'false', 'root.a.maximum-capacity': '[memory=1w,vcores=1]' },
      /^Resource memory-mb has WEIGHT maximum capacity type, which is not supported$/,
    ],
    [{ 'root.b.auto-create-child-queue.enabled': 'true' }, /^Can not convert parent queue: root\.b to auto create enabled parent queue/],
  ];
  for (const [changes, says] of refused) {
    it(`are refused with ${JSON.stringify(changes)}`, () => {
      assert.match(refusal(changes) ?? '', says);
    });
  }
});
