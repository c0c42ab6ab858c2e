import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlanQueueView } from '../../abilities.ts';
import { Simulator } from '../../conformance/simulator.ts';
import type { ShownQueue } from '../../explain/description.ts';

const reservable = { 'root.queues': 'a,b', 'root.a.capacity': '50', 'root.b.capacity': '50', 'root.b.reservable': 'true' };
const simulatorOf = (keys: Record<string, string> = {}) =>
  new Simulator({ queues: { ...reservable, ...keys }, settings: { reservationSystem: true } });

function queueOf(simulator: Simulator, path: string): ShownQueue {
  const description = simulator.policy.describe();
  assert.ok(description.kind === 'capacity');
  const find = (queue: ShownQueue): ShownQueue | undefined =>
    queue.path === path ? queue : queue.children.map(find).find((found) => found !== undefined);
  return find(description.root)!;
}

describe('a reservable queue', () => {
  it('tells clients to hide the queues of its reservations unless it is set to show them', () => {
    assert.equal(queueOf(simulatorOf(), 'root.b').hideReservationQueues, true);
    assert.equal(queueOf(simulatorOf(), 'root.a').hideReservationQueues, false);
    const shown = simulatorOf({ 'root.b.show-reservations-as-queues': 'true' });
    assert.equal(queueOf(shown, 'root.b').hideReservationQueues, false);
    const { 'root.b.show-reservations-as-queues': _, ...hidden } = { ...reservable, 'root.b.show-reservations-as-queues': '' };
    shown.policy.queueEditing!.replace(new Map(Object.entries(hidden).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])));
    assert.equal(queueOf(shown, 'root.b').hideReservationQueues, true);
  });

  it('shows its capacity as the float that it goes by, others as it is written', () => {
    const simulator = simulatorOf({ 'root.queues': 'a,b,c', 'root.a.capacity': '30', 'root.b.capacity': '30', 'root.c.capacity': '40' });
    const shownOf = ({ capacities }: ShownQueue) => capacities.map(({ vector }) => [vector.text, vector.entries[0]?.value]);
    const shown = (path: string) => shownOf(queueOf(simulator, path));
    assert.deepEqual(shown('root.a'), [['[memory-mb=30.0%,vcores=30.0%]', '30.0%']]);
    assert.deepEqual(shown('root.b'), [['[memory-mb=30.000001907348633%,vcores=30.000001907348633%]', '30.000001907348633%']]);
    assert.deepEqual(queueOf(simulator, 'root.b').children.flatMap(shownOf), [['[memory-mb=100.0%,vcores=100.0%]', '100.0%']]);
  });

  it('becomes a usual leaf where nothing runs in it, and a plan again only once it is stopped', () => {
    const simulator = simulatorOf();
    const change = (keys: Record<string, string>) => {
      const after = new Map(Object.entries({ ...reservable, ...keys }).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value]));
      simulator.policy.queueEditing!.check(after);
      simulator.policy.queueEditing!.replace(after);
    };
    const facts = () => [queueOf(simulator, 'root.b').isLeaf, queueOf(simulator, 'root.b').children.length];
    assert.deepEqual(facts(), [false, 1]);
    change({ 'root.b.reservable': 'false' });
    assert.deepEqual(facts(), [true, 0]);
    assert.throws(() => change({}), /^Error: Can not convert the leaf queue: root\.b to parent queue/);
    change({ 'root.b.reservable': 'false', 'root.b.state': 'STOPPED' });
    change({ 'root.b.state': 'STOPPED' });
    assert.deepEqual(facts(), [false, 1]);
    change({ 'root.b.reservable': 'false' });
    assert.equal(queueOf(simulator, 'root.b').state, 'RUNNING', 'a queue of another kind is a new one');
  });

  it('says how its plan is kept, parts above 1 read as percent', () => {
    const simulator = simulatorOf({
      'root.b.instantaneous-max-capacity': '50',
      'root.b.average-capacity': '0.25',
      'root.b.reservation-window': '1000',
      'root.b.reservation-agent': 'org.apache.hadoop.yarn.server.resourcemanager.reservation.planning.GreedyReservationAgent',
      'root.b.acl_submit_reservations': 'ada staff',
    });
    simulator.addNodes(2, 4096, 4);
    const [{ compare: _, ...plan }] = simulator.policy.reservable!.list() as [PlanQueueView];
    assert.deepEqual(plan, {
      name: 'b',
      path: 'root.b',
      total: [4096, 4],
      rules: {
        quota: { instantaneous: 0.5, average: 0.25, windowMs: 1000 },
        greedy: true,
        access: { SUBMIT_RESERVATIONS: 'ada staff', LIST_RESERVATIONS: '*', ADMINISTER_RESERVATIONS: '*' },
      },
    });
    const [unbounded] = simulatorOf({ 'root.b.reservation-policy': 'org.example.NoOverCommitPolicy' }).policy.reservable!.list();
    assert.equal(unbounded!.rules!.quota, undefined);
    assert.equal(unbounded!.rules!.greedy, false);
  });

  it('compares amounts as the scheduler does', () => {
    const compared = (calculator: string) => {
      const simulator = simulatorOf({ 'resource-calculator': `org.apache.hadoop.yarn.util.resource.${calculator}` });
      simulator.addNodes(2, 4096, 4);
      return Math.sign(simulator.policy.reservable!.list()[0]!.compare([1024, 2], [512, 3]));
    };
    assert.deepEqual([compared('DefaultResourceCalculator'), compared('DominantResourceCalculator')], [1, -1]);
  });

  it('limits the life of nothing that is submitted to it, as a leaf does', () => {
    const simulator = simulatorOf({ 'root.maximum-application-lifetime': '60' });
    simulator.addNodes(2, 4096, 4);
    simulator.policy.reservable!.follow('root.b', []);
    const limitOf = (queue: string) => {
      const { admission } = simulator.submit({ queue });
      return admission.accepted ? admission.maximumLifetimeSeconds : admission.rejected;
    };
    assert.equal(limitOf('root.b'), -1);
    assert.equal(limitOf('root.a'), 60);
  });

  it('stops its children with itself, and starts them again', () => {
    const simulator = simulatorOf();
    const childState = () => queueOf(simulator, 'root.b').children.map(({ state }) => state);
    for (const [state, expected] of [
      ['STOPPED', 'STOPPED'],
      ['RUNNING', 'RUNNING'],
    ] as const) {
      const after = { ...reservable, 'root.b.state': state };
      simulator.policy.queueEditing!.replace(
        new Map(Object.entries(after).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value])),
      );
      assert.deepEqual(childState(), [expected]);
    }
  });

  it('has a child for each reservation that runs, and moves its applications to the default child when it is over', () => {
    const simulator = simulatorOf();
    simulator.addNodes(2, 4096, 4);
    const { policy } = simulator;
    assert.deepEqual(policy.reservable!.follow('root.b', [{ name: 'r1', resource: [1024, 1], gang: false }]), {
      changed: true,
      mustEnd: [],
    });
    assert.deepEqual(
      queueOf(simulator, 'root.b')
        .children.map(({ path }) => path)
        .sort(),
      ['root.b.r1', 'root.b.root.b-default'],
    );
    const { admission } = simulator.submit({ queue: 'root.b', reservationId: 'r1' });
    assert.ok(admission.accepted && admission.queue === 'root.b');
    assert.deepEqual(policy.applicationsOf('root.b.r1'), ['application_1_0001']);
    assert.deepEqual(policy.reservable!.follow('root.b', []), { changed: true, mustEnd: [] });
    assert.deepEqual(policy.applicationsOf('root.b.root.b-default'), ['application_1_0001']);
    assert.deepEqual(
      queueOf(simulator, 'root.b').children.map(({ path }) => path),
      ['root.b.root.b-default'],
    );
    assert.deepEqual(policy.reservable!.follow('root.b', []), { changed: false, mustEnd: [] });
  });

  it('shows the default child of an application that was moved to it, also after a restart, and itself of one that was submitted to it', () => {
    const simulator = simulatorOf();
    simulator.addNodes(2, 4096, 4);
    const { policy } = simulator;
    const child = 'root.b.root.b-default';
    simulator.submit({ queue: 'root.a' });
    const move = () => policy.moveApplication?.('application_1_0001', 'root.b');
    assert.deepEqual([move(), move()], [{ moved: child }, { moved: child }]);
    assert.deepEqual(policy.applicationsOf(child), ['application_1_0001']);
    for (const [queue, shown] of [
      [child, child],
      ['root.b-default', child],
      ['root.b', 'root.b'],
    ] as const) {
      const { admission } = simulator.submit({ queue });
      assert.deepEqual([admission.accepted, admission.queue], [true, shown]);
    }
  });

  it('shows itself of an application that was moved to the child of a reservation, which goes with that one', () => {
    const simulator = simulatorOf();
    simulator.addNodes(2, 4096, 4);
    const { policy } = simulator;
    policy.reservable!.follow('root.b', [{ name: 'r1', resource: [1024, 1], gang: false }]);
    simulator.submit({ queue: 'root.a' });
    assert.deepEqual(policy.moveApplication?.('application_1_0001', 'root.b.r1'), { moved: 'root.b' });
  });

  it('names the applications that must end with their reservation where they may not move on', () => {
    const simulator = simulatorOf({ 'root.b.reservation-move-on-expiry': 'false' });
    simulator.addNodes(2, 4096, 4);
    const { policy } = simulator;
    policy.reservable!.follow('root.b', [{ name: 'r1', resource: [1024, 1], gang: true }]);
    simulator.submit({ queue: 'root.b', reservationId: 'r1' });
    assert.deepEqual(policy.reservable!.follow('root.b', []).mustEnd, ['application_1_0001']);
  });

  it('refuses applications of a reservation that does not run or is in another queue', () => {
    const simulator = simulatorOf({ 'root.a.reservable': 'true' });
    simulator.addNodes(2, 4096, 4);
    const { policy } = simulator;
    policy.reservable!.follow('root.b', [{ name: 'r1', resource: [1024, 1], gang: false }]);
    const rejected = (queue: string, reservationId: string) => {
      const { admission } = simulator.submit({ queue, reservationId });
      return admission.accepted ? '' : admission.rejected;
    };
    assert.match(rejected('root.b', 'r2'), /submitted to a reservation which is not currently active: r2$/);
    assert.match(rejected('root.a', 'r1'), /submitted to a reservation r1 which does not belong to the specified queue: root\.a$/);
  });
});
