// How the reasons of one attempt's requests are put together, with rules of a policy that the test brings.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceRequest } from '../entries.ts';
import { type HeldContainer, SchedulerApplication, SchedulerAttempt } from '../state/model.ts';
import { NodeTable } from '../state/nodes.ts';
import { openRequestOf } from '../state/open-request.ts';
import { explainRequests, type RequestRules } from './explain-requests.ts';
import { mostNodesNamed, mostRequests, type WaitingReason } from './explanation.ts';

const applicationId = 'application_1_0001';

const anApplication = { applicationId, queue: 'a', user: 'ada', priority: 0, submitTimeMs: 0, unmanaged: true, labelExpression: undefined };

/** Nodes of 4 GiB and 4 vcores, all free, and an attempt without requests. */
function fixture(nodes = 1) {
  const table = new NodeTable(2);
  for (let i = 0; i < nodes; i++) table.add({ nodeId: `n${i}:1`, host: `n${i}`, rack: '/a', resource: [4096, 4], label: '' });
  const application = new SchedulerApplication(anApplication, 0, 2);
  const attempt = new SchedulerAttempt('appattempt_1_0001_000001', application);
  const put = (requestId: string, memoryMiB: number, more: Partial<ResourceRequest> = {}) => {
    const request: ResourceRequest = { requestId, priority: 1, count: 1, resource: [memoryMiB, 1], ...more };
    const open = openRequestOf(request, { applicationId, resource: request.resource, isMaster: false, nowMs: 7 });
    attempt.requests.put(open);
    return open;
  };
  const explain = (more: Partial<RequestRules> = {}) =>
    explainRequests(attempt, table, { rules: () => [], turn: () => undefined, onNodes: (request) => request, ...more });
  const rulesOf = (more: Partial<RequestRules> = {}) =>
    explain(more).requests.map(({ waitingReasons }) => waitingReasons.map(({ rule }) => rule));
  return { table, attempt, put, explain, rulesOf };
}

const userLimit: WaitingReason = { rule: 'USER_LIMIT', queue: 'a', user: 'ada', used: [9, 9], limit: [1, 1] };
const rootLimit: WaitingReason = { rule: 'ANCESTOR_MAXIMUM', queue: 'root' };
const behind: WaitingReason = { rule: 'BEHIND_REQUEST', other: 'before' };

describe('the reasons of a request', () => {
  it('are limits first, then the nodes', () => {
    const { put, rulesOf } = fixture();
    put('a', 5000);
    assert.deepEqual(rulesOf({ rules: () => [undefined, userLimit] }), [['USER_LIMIT', 'NO_NODE_LARGE_ENOUGH']]);
  });

  it('leave out the maximum of the root where nodes say more', () => {
    const { put, rulesOf } = fixture();
    put('large', 5000);
    assert.deepEqual(rulesOf({ rules: () => [rootLimit] }), [['NO_NODE_LARGE_ENOUGH']]);
    const roomy = fixture();
    roomy.put('small', 1024);
    assert.deepEqual(roomy.rulesOf({ rules: () => [rootLimit] }), [['ANCESTOR_MAXIMUM']]);
  });

  it('begin with what holds the whole application back', () => {
    const { put, rulesOf } = fixture();
    put('a', 5000);
    const held: WaitingReason = { rule: 'QUEUE_PARALLEL_LIMIT', queue: 'a', running: 1, maximum: 1 };
    assert.deepEqual(rulesOf({ held, rules: () => [userLimit] }), [['QUEUE_PARALLEL_LIMIT', 'NO_NODE_LARGE_ENOUGH']]);
  });

  it('begin with the node that is kept for it', () => {
    const { table, attempt, put, explain } = fixture();
    const request = put('a', 3072);
    const node = table.byId.get('n0:1')!;
    node.charge([2048, 2]);
    table.refresh(node);
    const { application } = attempt;
    request.reservations.push({ application, request, node, resource: request.resource, partition: 0, containerId: '' });
    const [first] = explain().requests[0]!.waitingReasons;
    assert.deepEqual(first, { rule: 'RESERVED', partition: '', asked: [3072, 1], nodeId: 'n0:1', missing: [1024, 0] });
  });

  it('begin with the missing nodes of a partition without any, before limits that are all 0 there', () => {
    const { put, rulesOf } = fixture(0);
    put('a', 1024);
    assert.deepEqual(rulesOf({ rules: () => [userLimit] }), [['NO_NODES', 'USER_LIMIT']]);
  });

  it('name the labels where every node has one and none is asked for', () => {
    const { table, put, explain } = fixture(0);
    for (const [nodeId, label] of [
      ['n0:1', 'ssd'],
      ['n1:1', 'gpu'],
      ['n2:1', 'gpu'],
    ] as const)
      table.add({ nodeId, host: nodeId, rack: '/a', resource: [4096, 4], label });
    put('a', 1024);
    const [first] = explain().requests[0]!.waitingReasons;
    assert.deepEqual(first, { rule: 'NO_NODE_WITHOUT_LABEL', partition: '', asked: [1024, 1], other: 'gpu, ssd' });
  });

  it('name the own master where nothing else that ends makes room', () => {
    const { table, attempt, put, explain } = fixture();
    const node = table.byId.get('n0:1')!;
    const hold = (memoryMiB: number, more: Partial<HeldContainer> = {}): void => {
      const held = { application: attempt.application, node, resource: [memoryMiB, 1], isMaster: false, ...more };
      node.containers.add(held as HeldContainer);
      node.charge(held.resource);
      table.refresh(node);
    };
    const reason = (wanted = 'large') => explain().requests.find(({ requestId }) => requestId === wanted)!.waitingReasons[0];
    put('large', 3500);
    put('smaller', 3000);
    hold(1024);
    assert.equal(reason().rule, 'NODES_FULL', 'another container of it may end');
    hold(1024, { isMaster: true, application: new SchedulerApplication({ ...anApplication, applicationId: 'application_1_0002' }, 0, 2) });
    assert.equal(reason().rule, 'NODES_FULL', 'a master of another application may end');
    hold(1024, { isMaster: true });
    assert.deepEqual(reason(), {
      rule: 'OWN_MASTER_IN_THE_WAY',
      partition: '',
      asked: [3500, 1],
      nodeId: 'n0:1',
      used: [1024, 1],
      limit: [3072, 3],
    });
    assert.equal(reason('smaller').rule, 'NODES_FULL', 'beside the master there may be room');
    table.add({ nodeId: 'n1:1', host: 'n1', rack: '/a', resource: [3600, 4], label: '' });
    const other = table.byId.get('n1:1')!;
    other.charge([1024, 1]);
    table.refresh(other);
    assert.equal(reason().rule, 'NODES_FULL', 'on another node there may be room');
  });

  it('are the turn of another where nothing else holds it back, and never none', () => {
    const { put, rulesOf } = fixture();
    put('a', 1024);
    assert.deepEqual(rulesOf({ turn: () => behind }), [['BEHIND_REQUEST']]);
    assert.deepEqual(rulesOf(), [['NOT_YET_LOOKED_AT']]);
    assert.deepEqual(rulesOf({ rules: () => [userLimit], turn: () => behind }), [['USER_LIMIT']]);
  });

  it('are told of the first requests alone, with the number of the others', () => {
    const { put, explain } = fixture();
    for (let i = 0; i < mostRequests + 3; i++) put(`r${i}`, 1024);
    const { requests, further } = explain();
    assert.deepEqual([requests.length, further], [mostRequests, 3]);
    assert.equal(requests[0]!.sinceMs, 7);
  });
});

describe('what the nodes say', () => {
  it('is counted in groups, the largest first, a few of each named, with the node on which the least is missing', () => {
    const { table, put, explain } = fixture(8);
    for (const [i, node] of [...table.byId.values()].entries()) {
      if (i < 6) node.charge([2048 + 128 * i, 1]);
      else node.schedulable = false;
      table.refresh(node);
    }
    put('a', 3072);
    const { nodes } = explain().requests[0]!;
    assert.equal(nodes.count, 8);
    assert.deepEqual(
      nodes.groups.map(({ why, count, nodeIds }) => [why, count, nodeIds.length]),
      [
        ['FULL', 6, mostNodesNamed],
        ['UNSCHEDULABLE', 2, 2],
      ],
    );
    assert.deepEqual(nodes.closest, { nodeId: 'n0:1', available: [2048, 3], total: [4096, 4], missing: [1024, 0] });
  });

  it('is worked out once for requests of one shape', () => {
    const { put, explain } = fixture();
    put('a', 1024);
    put('b', 1024);
    put('c', 2048);
    const [a, b, c] = explain().requests;
    assert.equal(a!.nodes, b!.nodes);
    assert.notEqual(a!.nodes, c!.nodes);
  });

  it('is of the request as nodes are asked for it', () => {
    const { put, rulesOf } = fixture();
    put('a', 1024, { nodes: ['n9'], racks: ['/a'] });
    assert.deepEqual(rulesOf({ onNodes: (request) => ({ ...request, reach: 'node' }) }), [['LOCALITY_WAIT']]);
    assert.deepEqual(rulesOf({ onNodes: (request) => ({ ...request, reach: 'rack' }) }), [['NOT_YET_LOOKED_AT']]);
  });
});
