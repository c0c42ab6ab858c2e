// Reasons in words: which numbers and names each sentence has.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ResourceTypes } from '../../model/resource.ts';
import type { WaitingReason, WaitingRule } from './explanation.ts';
import { amountText, wordsOf } from './explanation-words.ts';

const types = new ResourceTypes();
const amounts = { asked: [1024, 1], used: [3072, 3], limit: [3584, 4] };
const node = { partition: '', asked: [1024, 1] };

/** A reason of each rule, and what its sentence says of it. */
const reasons: Record<WaitingRule, [Omit<WaitingReason, 'rule'>, RegExp]> = {
  QUEUE_MASTER_LIMIT: [
    { queue: 'root.a', ...amounts },
    /root\.a hold 3072 MiB and 3 vcores.* 1024 MiB and 1 vcore .* 3584 MiB and 4 vcores/,
  ],
  USER_MASTER_LIMIT: [{ queue: 'root.a', user: 'ada', ...amounts }, /user ada in queue root\.a hold 3072 MiB.*limit of 3584 MiB/],
  QUEUE_PARALLEL_LIMIT: [{ queue: 'root.a', running: 2, maximum: 2 }, /^2 applications run in queue root\.a, which runs 2 at once/],
  USER_PARALLEL_LIMIT: [{ user: 'ada', running: 2, maximum: 2 }, /^2 applications of user ada run/],
  QUEUE_MAXIMUM: [{ queue: 'root.a', ...amounts }, /^queue root\.a holds 3072 MiB.*1024 MiB and 1 vcore more.*maximum of 3584 MiB/],
  ANCESTOR_MAXIMUM: [{ queue: 'root', ...amounts }, /^queue root, above its own, holds 3072 MiB.*maximum of 3584 MiB/],
  USER_LIMIT: [{ queue: 'root.a', user: 'ada', ...amounts }, /^user ada holds 3072 MiB and 3 vcores in queue root\.a/],
  ROOM_KEPT_FOR_QUEUE: [{ queue: 'root', used: [1024, 1], other: 'root.b' }, /below queue root, 1024 MiB and 1 vcore are kept for root\.b/],
  BEHIND_APPLICATION: [{ queue: 'root.a', other: 'application_1_0002' }, /^application_1_0002, which comes first in queue root\.a/],
  BEHIND_REQUEST: [{ other: 'maps' }, /an earlier request of the application \(maps\)/],
  LABEL_NOT_ACCESSIBLE: [{ queue: 'root.a', partition: 'gpu' }, /^queue root\.a may not use nodes with the label gpu/],
  NO_SHARE_OF_LABEL: [{ queue: 'root.a', partition: 'gpu' }, /^queue root\.a has no share of the nodes with the label gpu/],
  NO_NODE_WITH_LABEL: [{ partition: 'gpu' }, /^no node of the cluster has the label gpu/],
  NO_NODE_WITHOUT_LABEL: [{ other: 'gpu, ssd' }, /^every node of the cluster has a label \(gpu, ssd\)/],
  NO_NODES: [{}, /^the cluster has no nodes in service/],
  NO_NODE_LARGE_ENOUGH: [
    { ...node, limit: [512, 8] },
    /^no node is large enough for 1024 MiB and 1 vcore; the largest have 512 MiB and 8 vcores/,
  ],
  OWN_MASTER_IN_THE_WAY: [
    { ...node, nodeId: 'n0:1', used: [512, 1], limit: [768, 3] },
    /^its own master holds 512 MiB and 1 vcore on n0:1, which leaves 768 MiB and 3 vcores there at most, and no other node/,
  ],
  NODES_FULL: [{ ...node, nodeId: 'n0:1', missing: [512, 0] }, /^no node has 1024 MiB and 1 vcore free; closest is n0:1, where 512 MiB /],
  NODES_RESERVED: [node, /^every node that could hold 1024 MiB and 1 vcore is kept for another request/],
  NODES_UNSCHEDULABLE: [node, /^every node that could hold 1024 MiB and 1 vcore takes no new containers/],
  NODES_BLACKLISTED: [node, /^the application excludes every node that could hold 1024 MiB/],
  NODES_CONSTRAINED: [{ ...node, partition: 'gpu' }, /allows no node with the label gpu that could hold 1024 MiB/],
  PREFERRED_PLACES: [{ ...node, other: 'n0, /a' }, /^it wants 1024 MiB and 1 vcore on n0, \/a only/],
  LOCALITY_WAIT: [{ ...node, other: 'n0' }, /^it wants 1024 MiB and 1 vcore on n0 and waits a little/],
  OPPORTUNISTIC_QUEUES_FULL: [node, /as many opportunistic containers waiting/],
  RESERVED: [
    { ...node, nodeId: 'n0:1', missing: [0, 2] },
    /^node n0:1 is kept for it; 2 vcores must still be freed there for its 1024 MiB and 1 vcore/,
  ],
  NOT_YET_LOOKED_AT: [{}, /^nothing holds it back/],
};

describe('the sentence of a reason', () => {
  for (const [rule, [reason, expected]] of Object.entries(reasons) as [WaitingRule, [Omit<WaitingReason, 'rule'>, RegExp]][])
    it(`of ${rule} has its names and numbers`, () => {
      const { sentence, remedy } = wordsOf({ rule, ...reason }, types);
      assert.match(sentence, expected);
      for (const text of [sentence, remedy]) {
        assert.doesNotMatch(text, /undefined|NaN|null/);
        assert.match(text, /\.$/);
      }
    });

  for (const rule of ['QUEUE_MAXIMUM', 'ANCESTOR_MAXIMUM'] as const)
    it(`of ${rule} has the maximum as it was set, and what whole steps leave of it`, () => {
      const reason = { rule, queue: 'root.a', asked: [1024, 1], used: [0, 0], limit: [0, 4], unroundedLimit: [819, 4] };
      assert.match(wordsOf(reason, types).sentence, /maximum of 819 MiB and 4 vcores, of which whole steps come to 0 MiB\.$/);
      const both = { ...reason, limit: [1024, 0], unroundedLimit: [1819, 1] };
      assert.match(wordsOf(both, types).sentence, /of 1819 MiB and 1 vcore, of which whole steps come to 1024 MiB and 0 vcores\.$/);
    });

  it('awaits no end of containers in a queue that holds none', () => {
    const reason = { rule: 'QUEUE_MAXIMUM', queue: 'root.a', ...amounts } as const;
    assert.match(wordsOf(reason, types).remedy, /when containers of root\.a end, or/);
    assert.equal(
      wordsOf({ ...reason, used: [0, 0] }, types).remedy,
      'It goes on with a larger maximum of root.a, or where it asks for less.',
    );
  });

  it('awaits no end of containers where the maximum is below what is asked for', () => {
    for (const rule of ['QUEUE_MAXIMUM', 'ANCESTOR_MAXIMUM'] as const) {
      const { remedy } = wordsOf({ rule, queue: 'root.a', asked: [2048, 1], used: [640, 1], limit: [1536, 8] }, types);
      assert.equal(remedy, 'It goes on with a larger maximum of root.a, or where it asks for less.');
    }
  });

  it('names no child of a reservable queue by the path of its parent and once more that path', () => {
    const reason = { rule: 'ROOM_KEPT_FOR_QUEUE', queue: 'root', used: [1024, 1], other: 'root.night.root.night-default' } as const;
    assert.match(wordsOf(reason, types).sentence, /are kept for root\.night \(without a reservation\), whose turn/);
    const own = { rule: 'USER_LIMIT', queue: 'root.night.root.night-default', user: 'ada', ...amounts } as const;
    assert.match(wordsOf(own, types).sentence, /in queue root\.night \(without a reservation\), above/);
  });

  it('counts one application as one', () => {
    const { sentence } = wordsOf({ rule: 'QUEUE_PARALLEL_LIMIT', queue: 'root.a', running: 1, maximum: 1 }, types);
    assert.match(sentence, /^1 application runs/);
  });
});

describe('an amount in words', () => {
  it('leaves out types of which there is nothing, but not the only one', () => {
    assert.equal(amountText([2048, 1], types), '2048 MiB and 1 vcore');
    assert.equal(amountText([2048, 0], types), '2048 MiB');
    assert.equal(amountText([0, 2], types), '2 vcores');
    assert.equal(amountText([0, 0], types), '0 MiB');
    assert.equal(amountText(undefined, types), 'nothing');
  });
});
