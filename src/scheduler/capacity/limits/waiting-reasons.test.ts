// Cases in which an explanation once said less, or something else, than what the policy goes by.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../../conformance/simulator.ts';

const dominant = { 'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator' };

function asking(simulator: Simulator, queue: string, resource: [number, number], count = 1): string {
  const { attemptId, applicationId } = simulator.submit({ queue, user: 'ada' });
  simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource, count }], []);
  return applicationId;
}

describe('what holds a request back', () => {
  it('is the ancestor that has too little memory left, also where the queue has the smaller maximum of vcores', () => {
    const simulator = new Simulator({
      queues: {
        ...dominant,
        'root.queues': 'a,b',
        'root.a.queues': 'x,y',
        'root.a.capacity': '60',
        'root.a.maximum-capacity': '60',
        'root.b.capacity': '40',
        'root.a.x.capacity': '80',
        'root.a.y.capacity': '20',
        'root.a.y.maximum-capacity': '80',
        'root.a.y.user-limit-factor': '10',
      },
    });
    simulator.addNodes(1, 10_240, 10);
    asking(simulator, 'root.a.x', [4096, 1]);
    simulator.run();
    const waiting = asking(simulator, 'root.a.y', [3072, 1]);
    simulator.run();
    const [request] = simulator.policy.explanation(waiting)!.requests;
    assert.deepEqual(request!.waitingReasons[0], {
      rule: 'ANCESTOR_MAXIMUM',
      queue: 'root.a',
      partition: '',
      asked: [3072, 1],
      used: [4096, 1],
      limit: [6144, 6],
    });
  });

  it('is a maximum as it was set, beside the whole steps that are left of it', () => {
    const simulator = new Simulator({
      queues: { 'root.queues': 'a,b', 'root.a.capacity': '10', 'root.a.maximum-capacity': '10', 'root.b.capacity': '90' },
    });
    simulator.addNodes(1, 8192, 8);
    const waiting = asking(simulator, 'root.a', [1024, 1]);
    simulator.run();
    const [request] = simulator.policy.explanation(waiting)!.requests;
    const { rule, queue, used, limit, unroundedLimit } = request!.waitingReasons[0];
    assert.deepEqual([rule, queue, used, limit, unroundedLimit], ['QUEUE_MAXIMUM', 'root.a', [0, 0], [768, 0], [819, 0]]);
  });
});
