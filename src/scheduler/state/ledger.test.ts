import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, seededRandom } from '../../lib/random.ts';
import type { Resource } from '../../model/resource.ts';
import { Ledger, type LedgerListener } from './ledger.ts';
import { type OpenRequest, SchedulerApplication, type SchedulerNode } from './model.ts';
import { openRequestOf } from './open-request.ts';

/** What a policy hears, summed up. */
class Sums implements LedgerListener<SchedulerApplication> {
  readonly used = new Map<string, number[]>();
  readonly reserved = new Map<string, number[]>();
  readonly pending = new Map<string, number[]>();
  readonly freed: string[] = [];
  readonly grew: [string, boolean][] = [];

  usedChanged(application: SchedulerApplication, partition: number, resource: Resource, sign: 1 | -1): void {
    add(this.used, application, partition, resource, sign);
  }
  reservedChanged(application: SchedulerApplication, partition: number, resource: Resource, sign: 1 | -1): void {
    add(this.reserved, application, partition, resource, sign);
  }
  pendingChanged(application: SchedulerApplication, partition: number, resource: Resource, count: number): void {
    add(this.pending, application, partition, resource, count);
  }
  reservedNodeFreed(node: SchedulerNode): void {
    this.freed.push(node.nodeId);
  }
  roomGrew(node: SchedulerNode, unreserved: boolean): void {
    this.grew.push([node.nodeId, unreserved]);
  }
}

function add(
  sums: Map<string, number[]>,
  { applicationId }: SchedulerApplication,
  partition: number,
  resource: Resource,
  times: number,
): void {
  const key = `${applicationId} ${partition}`;
  sums.set(
    key,
    (sums.get(key) ?? [0, 0]).map((value, type) => value + resource[type]! * times),
  );
}

const applicationOf = (applicationId: string): SchedulerApplication =>
  new SchedulerApplication(
    { applicationId, user: 'ada', queue: 'q', priority: 0, submitTimeMs: 0, unmanaged: true, labelExpression: undefined },
    0,
    2,
  );
const requestOf = (requestId: string, resource: Resource, count: number, partition = 0): OpenRequest =>
  openRequestOf({ requestId, priority: 1, resource, count }, { applicationId: 'a1', resource, partition, isMaster: false, nowMs: 5 });

function fixture(labels: readonly string[] = ['', '']) {
  const sums = new Sums();
  const ledger = new Ledger<SchedulerApplication>(2, sums);
  const nodes = labels.map((label, i) => ledger.nodes.add({ nodeId: `n${i}:1`, host: `n${i}`, rack: '/r', resource: [4096, 4], label }));
  const application = applicationOf('a1');
  ledger.applications.set('a1', application);
  const attempt = ledger.addAttempt(application, 'a1_1');
  return { sums, ledger, nodes, application, attempt };
}

describe('the ledger', () => {
  it('takes a container from the request, charges node and application, and gives all back', () => {
    const { sums, ledger, nodes, application, attempt } = fixture();
    const request = requestOf('r', [1024, 1], 2);
    ledger.putRequest(attempt, request);
    assert.deepEqual([application.pendingContainers, sums.pending.get('a1 0')], [2, [2048, 2]]);
    const container = ledger.allocate(attempt, request, nodes[0]!, 'c1');
    assert.deepEqual(nodes[0]!.available, [3072, 3]);
    assert.deepEqual([request.count, application.heldContainers, application.pendingContainers], [1, 1, 1]);
    assert.deepEqual([...application.containers], [container]);
    ledger.allocate(attempt, request, nodes[0]!, 'c2');
    assert.equal(attempt.requests.size, 0);
    assert.equal(ledger.release('c1'), container);
    assert.equal(ledger.release('c1'), undefined);
    ledger.release('c2');
    assert.deepEqual(nodes[0]!.available, [4096, 4]);
    assert.deepEqual(
      [sums.used.get('a1 0'), sums.pending.get('a1 0')],
      [
        [0, 0],
        [0, 0],
      ],
    );
    assert.deepEqual(sums.grew, [
      ['n0:1', false],
      ['n0:1', false],
    ]);
  });

  it('replaces a request of the same name, which keeps the time it was first asked', () => {
    const { ledger, application, attempt } = fixture();
    ledger.putRequest(attempt, requestOf('r', [1024, 1], 5));
    const again = { ...requestOf('r', [512, 1], 2), sinceMs: 99 };
    ledger.putRequest(attempt, again);
    assert.deepEqual([application.pendingContainers, again.sinceMs], [2, 5]);
    assert.deepEqual(application.counts.of('pending', 0), [1024, 2]);
    ledger.putRequest(attempt, requestOf('r', [512, 1], 0));
    assert.deepEqual([application.pendingContainers, attempt.requests.size], [0, 0]);
  });

  it('counts applications that wait and run by their current attempts, whatever these leave behind', () => {
    const { ledger, nodes, application, attempt } = fixture();
    const counts = () => [ledger.waitingApplications, ledger.runningApplications, ledger.reservedContainers];
    assert.deepEqual(counts(), [1, 0, 0]);
    const request = requestOf('r', [1024, 1], 2);
    ledger.putRequest(attempt, request);
    ledger.allocate(attempt, request, nodes[0]!, 'c1');
    ledger.reserve(attempt, request, nodes[1]!, '');
    assert.deepEqual(counts(), [0, 1, 1]);
    ledger.removeRequest(attempt, request);
    assert.equal(ledger.removeAttempt(attempt), true);
    assert.equal(ledger.removeAttempt(attempt), false);
    assert.deepEqual(counts(), [0, 0, 0]);
    // The container was kept.
    ledger.addAttempt(application, 'a1_2');
    assert.deepEqual(counts(), [0, 1, 0]);
    ledger.release('c1');
    assert.deepEqual(counts(), [1, 0, 0]);
  });

  it('keeps a node for a request until that is served, withdrawn or its node leaves', () => {
    const { sums, ledger, nodes, application, attempt } = fixture();
    const request = requestOf('r', [3072, 1], 1);
    ledger.putRequest(attempt, request);
    ledger.reserve(attempt, request, nodes[0]!, '');
    assert.equal(nodes[0]!.open, false);
    assert.deepEqual([application.reservedContainers, sums.reserved.get('a1 0')], [1, [3072, 1]]);
    // Serving it elsewhere gives the node back.
    ledger.allocate(attempt, request, nodes[1]!, 'c1');
    assert.equal(nodes[0]!.open, true);
    assert.deepEqual([application.reservedContainers, request.reservations.length, attempt.reservations.size], [0, 0, 0]);
    assert.deepEqual(sums.reserved.get('a1 0'), [0, 0]);
    assert.deepEqual(sums.grew, [['n0:1', true]]);
  });

  it('tells of room on a node that is kept, to those it is kept for alone', () => {
    const { sums, ledger, nodes, attempt } = fixture();
    const small = requestOf('small', [1024, 1], 1);
    const large = requestOf('large', [4096, 1], 1);
    for (const request of [small, large]) ledger.putRequest(attempt, request);
    ledger.allocate(attempt, small, nodes[0]!, 'c1');
    ledger.reserve(attempt, large, nodes[0]!, '');
    ledger.release('c1');
    assert.deepEqual([sums.freed, sums.grew], [['n0:1'], []]);
  });

  it('charges what runs on a node to the label that the node has now', () => {
    const { sums, ledger, nodes, application, attempt } = fixture();
    const request = requestOf('r', [1024, 1], 1);
    ledger.putRequest(attempt, request);
    ledger.allocate(attempt, request, nodes[0]!, 'c1');
    ledger.relabel(nodes[0]!, 'gpu');
    const { index, total } = ledger.nodes.partition('gpu');
    assert.deepEqual(total, [4096, 4]);
    assert.deepEqual(
      [sums.used.get('a1 0'), sums.used.get(`a1 ${index}`)],
      [
        [0, 0],
        [1024, 1],
      ],
    );
    assert.deepEqual(application.counts.of('used', index), [1024, 1]);
    ledger.release('c1');
    assert.deepEqual(sums.used.get(`a1 ${index}`), [0, 0]);
  });

  it('moves everything an application holds and wants between two books', () => {
    const { sums, ledger, nodes, application, attempt } = fixture();
    const held = requestOf('held', [1024, 1], 1);
    const wanted = requestOf('wanted', [2048, 1], 3);
    for (const request of [held, wanted]) ledger.putRequest(attempt, request);
    ledger.allocate(attempt, held, nodes[0]!, 'c1');
    ledger.reserve(attempt, wanted, nodes[1]!, '');
    ledger.rebook(application, () => {
      for (const sum of [sums.used, sums.reserved, sums.pending]) assert.deepEqual(sum.get('a1 0'), [0, 0]);
    });
    assert.deepEqual(
      [sums.used, sums.reserved, sums.pending].map((sum) => sum.get('a1 0')),
      [
        [1024, 1],
        [2048, 1],
        [6144, 3],
      ],
    );
  });

  it('brings a container back after a restart without a request', () => {
    const { ledger, nodes, application, attempt } = fixture();
    ledger.recover(attempt, nodes[1]!, 'c7', [512, 1], 0, true, ['tag']);
    assert.deepEqual([attempt.masterPlaced, application.heldContainers], [true, 1]);
    assert.equal(ledger.nodes.tags.ofNode(nodes[1]!).get('tag'), 1);
    ledger.release('c7');
    assert.equal(ledger.nodes.tags.ofNode(nodes[1]!).size, 0);
  });

  it('says when a tagged container came or went only while a request is bound to where others stand', () => {
    const { ledger, nodes, attempt } = fixture();
    ledger.recover(attempt, nodes[0]!, 'c1', [512, 1], 0, false, ['db']);
    assert.equal(ledger.tagsCame, false);
    const constraint = { kind: 'tags' } as never;
    const bound = { ...requestOf('b', [512, 1], 1), placement: { constraint, applicationId: 'a1', ownTags: [] } };
    ledger.putRequest(attempt, bound);
    ledger.release('c1');
    assert.equal(ledger.tagsCame, true);
  });

  it('agrees with what is there through random changes', () => {
    for (let seed = 1; seed <= 20; seed++) randomHistory(seededRandom(seed), `seed ${seed}`);
  });
});

function randomHistory(random: Random, message: string): void {
  const { sums, ledger, nodes, application, attempt } = fixture(['', '', 'gpu']);
  let number = 0;
  const containers: string[] = [];
  for (let step = 0; step < 120; step++) {
    act();
    check();
  }

  function act(): void {
    const node = nodes[random.int(nodes.length)]!;
    const requests = attempt.requests.inOrder();
    const request = requests[random.int(Math.max(1, requests.length))];
    switch (random.int(7)) {
      case 0:
        return ledger.putRequest(attempt, requestOf(`r${random.int(4)}`, [256 * (1 + random.int(4)), 1], random.int(4), random.int(2)));
      case 1:
        return request && ledger.removeRequest(attempt, request);
      case 2:
      case 3: {
        if (!request) return;
        const containerId = `c${number++}`;
        ledger.allocate(attempt, request, node, containerId);
        containers.push(containerId);
        return;
      }
      case 4:
        if (request && !node.reservation && request.reservations.length < request.count) ledger.reserve(attempt, request, node, '');
        return;
      case 5:
        ledger.release(containers.splice(random.int(Math.max(1, containers.length)), 1)[0] ?? '');
        return;
      default:
        ledger.relabel(node, ['', 'gpu', 'ssd'][random.int(3)]!);
    }
  }

  function check(): void {
    const used = recount([...application.containers].map(({ partition, resource }) => [partition, resource, 1]));
    const pending = recount(attempt.requests.inOrder().map(({ partition, resource, count }) => [partition, resource, count]));
    const reserved = recount([...attempt.reservations].map(({ partition, resource }) => [partition, resource, 1]));
    for (const { index } of ledger.nodes.partitions) {
      assert.deepEqual(application.counts.of('used', index), used(index), message);
      assert.deepEqual(application.counts.of('pending', index), pending(index), message);
      assert.deepEqual(application.counts.of('reserved', index), reserved(index), message);
      assert.deepEqual(sums.used.get(`a1 ${index}`) ?? [0, 0], used(index), message);
      assert.deepEqual(sums.pending.get(`a1 ${index}`) ?? [0, 0], pending(index), message);
      assert.deepEqual(sums.reserved.get(`a1 ${index}`) ?? [0, 0], reserved(index), message);
    }
    assert.equal(application.heldContainers, containers.length, message);
    assert.equal(ledger.containers.size, containers.length, message);
    assert.equal(application.reservedContainers, attempt.reservations.size, message);
    for (const node of nodes) {
      const onNode = [...node.containers];
      assert.equal(onNode.length, node.containers.size, message);
      assert.deepEqual(
        node.used,
        [0, 1].map((type) => onNode.reduce((sum, { resource }) => sum + resource[type]!, 0)),
        message,
      );
    }
  }
}

/** Sums of amounts by partition. */
function recount(amounts: readonly (readonly [number, Resource, number])[]): (partition: number) => number[] {
  return (partition) =>
    [0, 1].map((type) => amounts.reduce((sum, [of, resource, times]) => (of === partition ? sum + resource[type]! * times : sum), 0));
}
