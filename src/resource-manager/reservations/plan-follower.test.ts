import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { Failure } from '../../model/errors.ts';
import { Simulator } from '../../scheduler/conformance/simulator.ts';
import type { CapacityDescription, ShownQueue } from '../../scheduler/explain/description.ts';
import type { ReservationDefinition } from './definition.ts';
import { PlanFollower } from './plan-follower.ts';
import { ReservationSystem } from './reservation-system.ts';

const queues = {
  'resource-calculator': 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  'maximum-am-resource-percent': '1',
  'user-limit-factor': '10',
  'root.queues': 'default,plan',
  'root.default.capacity': '50',
  'root.plan.capacity': '50',
  'root.plan.maximum-capacity': '50',
  'root.plan.reservable': 'true',
  'root.plan.user-limit-factor': '10',
};
const nowMs = 1_000_000_000;

function cluster(
  more: Record<string, string> = {},
  fresh = new ManualClock(nowMs),
  records = new Map<string, string>(),
  lists = false,
  allocations?: string,
) {
  const kind = allocations === undefined ? {} : ({ kind: 'fair', allocations } as const);
  const simulator = new Simulator({ queues: { ...queues, ...more }, settings: { reservationSystem: true }, nowMs, ...kind });
  simulator.addNodes(1, 20_480, 64);
  const { policy } = simulator;
  const ended: string[] = [];
  const store = {
    records: () => records,
    putRecord: async (_kind: string, key: string, value: string) => void records.set(key, value),
    dropRecord: async (_kind: string, key: string) => void records.delete(key),
  };
  let follower: PlanFollower | undefined;
  const reservations = new ReservationSystem({
    store,
    clock: fresh,
    clusterTimestamp: 7,
    planQueues: () => policy.reservable!.list(),
    maximumAllocation: () => policy.maximumAllocation(),
    maximumPeriodicityMs: 86_400_000,
    changed: () => follower?.follow(),
    ...(lists ? { allows: (user, plan, acl) => plan.rules!.access[acl].split(',').includes(user) || plan.rules!.access[acl] === '*' } : {}),
  });
  follower = new PlanFollower({
    reservations,
    policy,
    clock: fresh,
    logger: silentLogger,
    stepMs: 1000,
    end: (id) => ended.push(id),
    followed: () => {},
  });
  follower.run();
  const pass = (ms: number): void => {
    fresh.advance(ms);
    simulator.nowMs = fresh.now();
    simulator.run();
  };
  const capacities = (): Record<string, number> => {
    const find = (queue: ShownQueue): ShownQueue[] => [queue, ...queue.children.flatMap(find)];
    const all = find((policy.describe() as CapacityDescription).root).filter(({ path }) => path.startsWith('root.plan.'));
    return Object.fromEntries(all.map((queue) => [queue.path.slice('root.plan.'.length), Math.round(queue.capacities[0]!.capacity)]));
  };
  return { simulator, reservations, pass, capacities, ended, records };
}

/** `memoryMiB` for a minute between two moments, in containers of 1024 MiB. */
const definition = (fromMs: number, toMs: number, memoryMiB: number, more: Partial<ReservationDefinition> = {}): ReservationDefinition => ({
  arrivalMs: nowMs + fromMs,
  deadlineMs: nowMs + toMs,
  interpreter: 'ANY',
  requests: [{ capability: [1024, 1], containers: memoryMiB / 1024, concurrency: 1, durationMs: 60_000 }],
  name: undefined,
  recurrence: '0',
  ...more,
});
const first = 'reservation_7_0001';
const second = 'reservation_7_0002';
const none = { 'root.plan-default': 100 };
const planOnly = (reason: RegExp) => (error: unknown) => error instanceof Failure && reason.test(error.message);

describe('the plan is followed', () => {
  it('gives a reservation a queue of its size while it runs, and the default child the rest', async () => {
    const { reservations, pass, capacities, records } = cluster();
    await reservations.submit(first, 'plan', 'ada', definition(10_000, 70_000, 4096));
    await reservations.submit(second, 'plan', 'bob', definition(40_000, 100_000, 2048));
    assert.deepEqual(capacities(), none);
    pass(10_000);
    assert.deepEqual(capacities(), { 'root.plan-default': 60, [first]: 40 });
    pass(30_000);
    assert.deepEqual(capacities(), { 'root.plan-default': 40, [first]: 40, [second]: 20 });
    pass(30_000);
    assert.deepEqual(capacities(), { 'root.plan-default': 80, [second]: 20 });
    pass(31_000);
    assert.deepEqual(capacities(), none);
    assert.equal(records.size, 0);
  });

  it('gives a reservation all of a plan that has none of a resource any more', async () => {
    const { simulator, reservations, pass, capacities } = cluster();
    await reservations.submit(first, 'plan', 'ada', definition(10_000, 70_000, 4096));
    // Half a vcore is none.
    simulator.policy.updateNode('node0:1', { resource: [20_480, 1] });
    pass(10_000);
    assert.deepEqual(capacities(), { 'root.plan-default': 0, [first]: 100 });
  });

  it('runs applications in their reservation, shows them in the reservable queue, and moves them on when it is over', async () => {
    const { simulator, reservations, pass, ended } = cluster();
    await reservations.submit(first, 'plan', 'ada', definition(0, 60_000, 6144));
    pass(1000);
    const inside = simulator.submit({ queue: 'root.plan', reservationId: first, masterMiB: 1024 });
    assert.deepEqual([inside.admission.accepted, 'queue' in inside.admission && inside.admission.queue], [true, 'root.plan']);
    assert.deepEqual(simulator.policy.applicationsOf(first), [inside.applicationId]);
    pass(60_000);
    assert.equal(simulator.policy.resolveQueue(first), 'unknown');
    assert.deepEqual(simulator.policy.applicationsOf('root.plan'), [inside.applicationId]);
    assert.equal(simulator.containersOf(inside.applicationId).length, 1);
    assert.deepEqual(ended, []);
  });

  it('ends them where they may not move on', async () => {
    const { simulator, reservations, pass, ended } = cluster({ 'root.plan.reservation-move-on-expiry': 'false' });
    await reservations.submit(first, 'plan', 'ada', definition(0, 60_000, 6144));
    pass(1000);
    const inside = simulator.submit({ queue: 'root.plan', reservationId: first, masterMiB: 1024 });
    pass(60_000);
    assert.deepEqual([...new Set(ended)], [inside.applicationId]);
    simulator.finish(inside.applicationId);
    pass(1000);
    assert.equal(simulator.policy.resolveQueue(first), 'unknown');
  });

  it('refuses applications of a reservation that does not run, or of another queue', async () => {
    const { simulator, reservations, pass } = cluster({
      'root.queues': 'default,plan,other',
      'root.default.capacity': '25',
      'root.other.capacity': '25',
      'root.other.reservable': 'true',
    });
    await reservations.submit(first, 'plan', 'ada', definition(30_000, 90_000, 4096));
    const early = simulator.submit({ queue: 'root.plan', reservationId: first }).admission;
    assert.ok(!early.accepted && /submitted to a reservation which is not currently active: reservation_7_0001$/.test(early.rejected));
    pass(30_000);
    const astray = simulator.submit({ queue: 'root.other', reservationId: first }).admission;
    assert.ok(!astray.accepted && /which does not belong to the specified queue: root\.other$/.test(astray.rejected));
  });

  it('shrinks all alike when the plan has become too small, and deletes at once', async () => {
    const { simulator, reservations, pass, capacities } = cluster();
    await reservations.submit(first, 'plan', 'ada', definition(0, 60_000, 6144));
    await reservations.submit(second, 'plan', 'bob', definition(0, 60_000, 4096));
    simulator.policy.updateNode('node0:1', { resource: [10_240, 64] });
    pass(1000);
    assert.deepEqual(capacities(), { 'root.plan-default': 0, [first]: 60, [second]: 40 });
    await reservations.delete(first, 'ada');
    assert.deepEqual(capacities(), { 'root.plan-default': 20, [second]: 80 });
  });

  it('comes again after a restart', async () => {
    const clock = new ManualClock(nowMs);
    const before = cluster({}, clock);
    await before.reservations.submit(first, 'plan', 'ada', definition(0, 60_000, 4096));
    const after = cluster({}, clock, before.records);
    assert.deepEqual(after.capacities(), { 'root.plan-default': 60, [first]: 40 });
    const recovering = after.simulator.submit({ queue: 'root.plan', reservationId: second, recovering: true }).admission;
    assert.equal(recovering.accepted, true);
  });

  it('survives a change of the queue configuration', async () => {
    const { simulator, reservations, pass, capacities } = cluster();
    await reservations.submit(first, 'plan', 'ada', definition(0, 60_000, 4096));
    pass(1000);
    const changed = new Map(
      Object.entries({ ...queues, 'root.plan.maximum-capacity': '60' }).map(([key, value]) => [`yarn.scheduler.capacity.${key}`, value]),
    );
    simulator.policy.queueEditing!.replace(changed);
    assert.deepEqual(capacities(), { 'root.plan-default': 60, [first]: 40 });
  });
});

describe('plans', () => {
  it('bound what one user reserves at a moment and on average', async () => {
    const { reservations } = cluster({ 'root.plan.instantaneous-max-capacity': '0.5' });
    await reservations.submit(first, 'plan', 'ada', definition(0, 60_000, 5120));
    await assert.rejects(
      reservations.submit(second, 'plan', 'ada', definition(0, 60_000, 1024)),
      planOnly(/The request cannot be satisfied/),
    );
    await reservations.submit(second, 'plan', 'bob', definition(0, 60_000, 1024));
    const average = cluster({ 'root.plan.average-capacity': '0.5', 'root.plan.reservation-window': '120000' }).reservations;
    await average.submit(first, 'plan', 'ada', definition(0, 60_000, 10_240));
    await assert.rejects(
      average.submit(second, 'plan', 'ada', definition(60_000, 120_000, 1024)),
      planOnly(/PlanningQuotaException: Integral \(avg over time\) quota capacity 0\.5/),
    );
    const free = cluster({
      'root.plan.instantaneous-max-capacity': '0.5',
      'root.plan.reservation-policy': 'org.apache.hadoop.NoOverCommitPolicy',
    }).reservations;
    await free.submit(first, 'plan', 'ada', definition(0, 60_000, 10_240));
  });

  it('spread what is reserved over the least loaded times, or take the earliest with the greedy agent', async () => {
    const at = async (agent: Record<string, string>) => {
      const { reservations } = cluster(agent);
      await reservations.submit(first, 'plan', 'ada', definition(30_000, 330_000, 2048));
      await reservations.submit(second, 'plan', 'ada', definition(30_000, 330_000, 1024));
      return [first, second].map((id) =>
        reservations.reservation(id)!.allocations.map(({ startMs, endMs, resource }) => [startMs - nowMs, endMs - nowMs, resource[0]]),
      );
    };
    assert.deepEqual(await at({}), [[[30_000, 150_000, 1024]], [[150_000, 210_000, 1024]]]);
    assert.deepEqual(
      await at({
        'root.plan.reservation-agent': 'org.apache.hadoop.yarn.server.resourcemanager.reservation.planning.GreedyReservationAgent',
      }),
      [[[30_000, 90_000, 2048]], [[30_000, 90_000, 1024]]],
    );
  });

  it('keep room for what comes again', async () => {
    const { reservations, pass, capacities } = cluster();
    await reservations.submit(first, 'plan', 'ada', definition(0, 60_000, 8192, { recurrence: '3600000' }));
    await assert.rejects(
      reservations.submit(second, 'plan', 'bob', definition(3_600_000, 3_660_000, 4096)),
      planOnly(/cannot be satisfied/),
    );
    await reservations.submit(second, 'plan', 'bob', definition(3_660_000, 3_720_000, 4096));
    pass(3_600_000);
    assert.deepEqual(capacities(), { 'root.plan-default': 20, [first]: 80 });
    await assert.rejects(
      reservations.submit(
        'reservation_7_0003',
        'plan',
        'eve',
        definition(60_000 + 3_600_000, 120_000 + 3_600_000, 8192, { recurrence: '7200000' }),
      ),
      planOnly(/cannot be satisfied/),
    );
  });

  it('are open to the users that their lists name, and a reservation to its owner', async () => {
    const access = {
      'root.plan.acl_submit_reservations': 'ada,bob',
      'root.plan.acl_list_reservations': 'bob',
      'root.plan.acl_administer_reservations': 'eve',
    };
    const { reservations } = cluster(access, new ManualClock(nowMs), new Map(), true);
    const denied = (acl: string) => planOnly(new RegExp(`User kim cannot perform operation ${acl} on queue plan$`));
    await assert.rejects(reservations.submit(first, 'plan', 'kim', definition(0, 60_000, 1024)), denied('SUBMIT_RESERVATIONS'));
    await reservations.submit(first, 'plan', 'ada', definition(0, 60_000, 1024));
    assert.throws(() => reservations.list('plan', 0, -1, 'kim'), denied('LIST_RESERVATIONS'));
    assert.equal(reservations.list('plan', 0, -1, 'bob').length, 1);
    assert.equal(reservations.list('plan', 0, -1, 'ada', first).length, 1);
    await assert.rejects(reservations.delete(first, 'kim'), denied('ADMINISTER_RESERVATIONS'));
    await reservations.update(first, definition(0, 120_000, 1024), 'ada');
    await reservations.delete(first, 'eve');
  });
});

describe('reservable queues of the fair scheduler', () => {
  const allocations = `<allocations><defaultQueueSchedulingPolicy>drf</defaultQueueSchedulingPolicy>
    <queue name="plan"><weight>3</weight><reservation/></queue><queue name="other"><weight>1</weight></queue></allocations>`;
  const begun = () => cluster({}, new ManualClock(nowMs), new Map(), false, allocations);

  it('hold plans of the size of their steady share', async () => {
    const { simulator, reservations } = begun();
    assert.deepEqual(
      simulator.policy.reservable!.list().map(({ name, path, total }) => [name, path, total]),
      [['plan', 'root.plan', [15_360, 48]]],
    );
    await reservations.submit(first, 'root.plan', 'ada', definition(0, 60_000, 15_360));
    await assert.rejects(reservations.submit(second, 'plan', 'ada', definition(0, 60_000, 1024)), planOnly(/cannot be satisfied/));
    await assert.rejects(reservations.submit(second, 'other', 'ada', definition(0, 60_000, 1024)), planOnly(/not managed/));
  });

  it('run what has a reservation in its queue, until it is over, and everything else in the default child', async () => {
    const { simulator, reservations, pass } = begun();
    await reservations.submit(first, 'plan', 'ada', definition(60_000, 120_000, 7168));
    const early = simulator.submit({ queue: 'plan', reservationId: first }).admission;
    assert.ok(
      !early.accepted &&
        /submitted to a reservation which is not yet currently active: root\.plan\.reservation_7_0001$/.test(early.rejected),
    );
    pass(61_000);
    const inside = simulator.submit({ queue: 'root.plan', reservationId: first });
    const outside = simulator.submit({ queue: 'root.plan' });
    const queueOf = ({ applicationId }: { applicationId: string }) =>
      ['root.plan.reservation_7_0001', 'root.plan.plan-default'].filter((queue) =>
        simulator.policy.applicationsOf(queue).includes(applicationId),
      );
    assert.deepEqual([queueOf(inside), queueOf(outside)], [['root.plan.reservation_7_0001'], ['root.plan.plan-default']]);
    simulator.policy.reload!({ properties: new Map(), allocations: allocations });
    assert.deepEqual(queueOf(inside), ['root.plan.reservation_7_0001']);
    pass(60_000);
    assert.deepEqual(queueOf(inside), ['root.plan.plan-default']);
    assert.equal(simulator.policy.resolveQueue('root.plan.reservation_7_0001'), 'unknown');
  });
});
