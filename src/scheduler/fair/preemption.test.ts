import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '../../lib/random.ts';
import { presetSettings } from '../conformance/presets.ts';
import { Simulator } from '../conformance/simulator.ts';
import type { FairSettings } from '../policy.ts';

const fair: FairSettings = { ...presetSettings.fair, preemption: true, waitTimeBeforeKillMs: 1000 };

function build(queues: string, more: Partial<FairSettings> = {}, nodes = 4): Simulator {
  const allocations = `<allocations><queueMaxAMShareDefault>-1.0</queueMaxAMShareDefault><defaultFairSharePreemptionTimeout>2</defaultFairSharePreemptionTimeout><defaultMinSharePreemptionTimeout>2</defaultMinSharePreemptionTimeout>${queues}</allocations>`;
  const simulator = new Simulator({ kind: 'fair', allocations, settings: { fair: { ...fair, ...more } } });
  simulator.addNodes(nodes, 8192, 64);
  return simulator;
}

function request(simulator: Simulator, queue: string, count = 100): { applicationId: string; held: () => number } {
  const { applicationId, attemptId } = simulator.submit({ queue });
  simulator.policy.updateRequests(attemptId, [{ requestId: 'a', priority: 1, resource: [1024, 1], count }], []);
  simulator.run();
  return { applicationId, held: () => simulator.containersOf(applicationId).length };
}

function pass(simulator: Simulator, seconds: number): number {
  let taken = 0;
  for (let i = 0; i < seconds * 2; i++) {
    simulator.nowMs += 500;
    taken += simulator.run().filter(({ kind }) => kind === 'preempt').length;
  }
  return taken;
}

describe('preemption of the fair policy', () => {
  it('gives a starving queue the part of its fair share that its threshold names, then rests', () => {
    const simulator = build(
      '<queue name="a"/><queue name="b"/><defaultFairSharePreemptionThreshold>0.8</defaultFairSharePreemptionThreshold>',
    );
    const first = request(simulator, 'root.a');
    const second = request(simulator, 'root.b');
    assert.deepEqual([first.held(), second.held()], [32, 0]);
    assert.equal(pass(simulator, 1), 0);
    pass(simulator, 60);
    assert.ok(second.held() >= 12 && second.held() <= 16, `${second.held()}`);
    assert.equal(pass(simulator, 20), 0);
  });

  it('gives a queue its minimum share, and takes nothing from one that forbids it', () => {
    const simulator = build(
      '<queue name="a"/><queue name="b"><minResources>4096 mb, 4 vcores</minResources><fairSharePreemptionTimeout>100000</fairSharePreemptionTimeout></queue>',
    );
    request(simulator, 'root.a');
    const poor = request(simulator, 'root.b');
    pass(simulator, 30);
    assert.ok(poor.held() >= 4, `${poor.held()}`);
    const closed = build('<queue name="a"><allowPreemptionFrom>false</allowPreemptionFrom></queue><queue name="b"/>');
    request(closed, 'root.a');
    const waits = request(closed, 'root.b');
    assert.equal(pass(closed, 30), 0);
    assert.equal(waits.held(), 0);
  });

  it('brings every starving queue of a random cluster to half its fair share, then rests', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = seededRandom(seed);
      const weights = Array.from({ length: 2 + random.int(3) }, () => 1 + random.int(4));
      const simulator = build(weights.map((weight, i) => `<queue name="q${i}"><weight>${weight}</weight></queue>`).join(''));
      const order = weights.map((_, i) => i).sort(() => random.next() - 0.5);
      const held = new Map<number, (() => number)[]>();
      for (const i of order)
        held.set(
          i,
          Array.from({ length: 1 + random.int(2) }, () => request(simulator, `root.q${i}`).held),
        );
      pass(simulator, 90);
      const sum = weights.reduce((all, weight) => all + weight, 0);
      for (const [i, parts] of held) {
        const due = Math.floor((32 * weights[i]!) / sum / 2);
        const has = parts.reduce((all, part) => all + part(), 0);
        assert.ok(has >= due, `seed ${seed}: q${i} holds ${has} of ${due}`);
      }
      assert.equal(pass(simulator, 20), 0, `seed ${seed}: containers are taken for ever`);
    }
  });
});

it('with size-based weights the larger application gets more of its queue', () => {
  const shares = (sizeBasedWeight: boolean): number[] => {
    const simulator = build('<queue name="a"/>', { preemption: false, sizeBasedWeight }, 0);
    const small = request(simulator, 'root.a', 20);
    const large = request(simulator, 'root.a', 2000);
    simulator.addNodes(2, 8192, 64);
    simulator.run();
    return [small.held(), large.held()];
  };
  assert.deepEqual(shares(false), [8, 8]);
  const [small, large] = shares(true);
  assert.ok(small! < large! && small! > 0, `${small} and ${large}`);
});
