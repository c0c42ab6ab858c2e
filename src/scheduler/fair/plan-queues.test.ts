import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Simulator } from '../conformance/simulator.ts';
import type { FairQueueDescription } from '../explain/description.ts';

const allocations = (inside = '', file = '') =>
  `<allocations><queue name="plain"/><queue name="plan"><reservation/><weight>3</weight>${inside}</queue>${file}` +
  '<defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy></allocations>';

function fixture(inside = '', file = ''): Simulator {
  const simulator = new Simulator({ kind: 'fair', allocations: allocations(inside, file), settings: { reservationSystem: true } });
  simulator.addNodes(1, 8192, 8);
  return simulator;
}
const running = (name: string, memoryMiB: number, vcores: number) => ({ name, resource: [memoryMiB, vcores], gang: false });
const shown = (simulator: Simulator): string[] => {
  const description = simulator.policy.describe();
  assert.ok(description.kind === 'fair');
  const names: string[] = [];
  const visit = (queue: FairQueueDescription): void => {
    names.push(queue.name);
    queue.children.forEach(visit);
  };
  visit(description.root);
  return names.sort();
};

describe('a reservable fair queue', () => {
  it('holds a plan of its steady share', () => {
    const [plan, ...others] = fixture().policy.reservable!.list();
    assert.deepEqual(others, []);
    assert.deepEqual([plan!.name, plan!.path, plan!.total], ['plan', 'root.plan', [6144, 6]]);
    assert.deepEqual(plan!.rules!.quota, { instantaneous: 1, average: 1, windowMs: 86_400_000 });
    assert.equal(plan!.rules!.greedy, false);
  });

  it('keeps its plan as the file says', () => {
    const reservation = 'org.apache.hadoop.yarn.server.resourcemanager.reservation';
    const file =
      `<reservation-policy>${reservation}.NoOverCommitPolicy</reservation-policy>` +
      `<reservation-agent>${reservation}.planning.GreedyReservationAgent</reservation-agent>`;
    const [plan] = fixture('<aclListReservations>ada</aclListReservations>', file).policy.reservable!.list();
    assert.deepEqual([plan!.rules!.quota, plan!.rules!.greedy], [undefined, true]);
    assert.deepEqual(plan!.rules!.access, { SUBMIT_RESERVATIONS: '*', LIST_RESERVATIONS: 'ada', ADMINISTER_RESERVATIONS: '*' });
  });

  it('runs what has a reservation in that one’s child, everything else in its default child', () => {
    const simulator = fixture();
    const { policy } = simulator;
    assert.deepEqual(policy.reservable!.follow('root.plan', [running('r1', 3072, 3)]), { changed: true, mustEnd: [] });
    const reserved = simulator.submit({ queue: 'root.plan', reservationId: 'r1' });
    const other = simulator.submit({ queue: 'root.plan' });
    assert.ok(reserved.admission.accepted && other.admission.accepted);
    assert.deepEqual([reserved.admission.queue, other.admission.queue], ['root.plan.r1', 'root.plan.plan-default']);
    const late = simulator.submit({ queue: 'root.plan', reservationId: 'r9' }).admission;
    assert.ok(!late.accepted);
    assert.match(late.rejected, /submitted to a reservation which is not yet currently active: root\.plan\.r9$/);
  });

  it('moves applications to its default child when their reservation is over, and changes nothing twice', () => {
    const simulator = fixture();
    const { policy } = simulator;
    const plans = policy.reservable!;
    plans.follow('root.plan', [running('r1', 3072, 3)]);
    assert.equal(plans.follow('root.plan', [running('r1', 3072, 3)]).changed, false);
    const { applicationId } = simulator.submit({ queue: 'root.plan', reservationId: 'r1' });
    assert.deepEqual(plans.follow('root.plan', []), { changed: true, mustEnd: [] });
    assert.deepEqual(policy.applicationsOf('root.plan.plan-default'), [applicationId]);
    assert.equal(policy.resolveQueue('root.plan.r1'), 'unknown');
    assert.equal(plans.follow('root.plan', []).changed, false);
    assert.deepEqual(plans.follow('root.plain', [running('r1', 1, 1)]), { changed: false, mustEnd: [] });
  });

  it('shows clients none of its children', () => {
    const simulator = fixture();
    simulator.policy.reservable!.follow('root.plan', [running('r1', 3072, 3)]);
    assert.deepEqual(shown(simulator), ['root', 'root.plain', 'root.plan']);
  });
});
