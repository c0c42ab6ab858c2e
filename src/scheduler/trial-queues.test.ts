// What a trial says of a submission is what the submission comes to right after, in queues of all kinds: limits of users and masters, most
// applications, stopped queues, lifetimes, labels, nodes of any size.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Random, seededRandom } from '../lib/random.ts';
import { Simulator } from './conformance/simulator.ts';
import type { Admission, ResourceRequest } from './entries.ts';
import type { Explanation } from './explain/explanation.ts';
import type { PolicyKind } from './policy.ts';
import { tryApplication } from './trial.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_130);
const worlds = Number(process.env['HEDDLE_TEST_RUNS'] ?? 150);
const users = ['ada', 'bob', 'eve'];
const labels = ['', 'fast', 'large'];

const pick = <T>(random: Random, values: readonly T[]): T => values[random.int(values.length)]!;
const chance = (random: Random, percent: number): boolean => random.int(100) < percent;

/** Leaves of one world, with queues that take nothing or are none. */
const queuesOf: Readonly<Record<PolicyKind, readonly string[]>> = {
  capacity: ['root.a.x', 'root.a.y', 'root.b', 'root.c', 'root.a', 'root.none', 'x', 'default'],
  fair: ['root.a.x', 'root.a.y', 'root.b', 'root.c', 'root.a', 'root.none', 'b'],
  fifo: ['default', 'root.default', 'root.none'],
};

function capacityQueues(random: Random): Record<string, string> {
  const [a, x] = [20 + random.int(50), 10 + random.int(80)];
  const b = random.int(100 - a);
  const of: Record<string, string> = {
    'root.queues': 'a,b,c',
    'root.a.queues': 'x,y',
    'root.a.capacity': String(a),
    'root.b.capacity': String(b),
    'root.c.capacity': String(100 - a - b),
    'root.a.x.capacity': String(x),
    'root.a.y.capacity': String(100 - x),
    'maximum-am-resource-percent': pick(random, ['0.1', '0.3', '1']),
    'maximum-applications': pick(random, ['10000', '12']),
    'root.accessible-node-labels': '*',
  };
  const shares = { 'root.a': [50, 30], 'root.b': [30, 20], 'root.c': [20, 50] } as const;
  labels.slice(1).forEach((label, index) => {
    of[`root.accessible-node-labels.${label}.capacity`] = '100';
    for (const [queue, share] of Object.entries(shares)) of[`${queue}.accessible-node-labels.${label}.capacity`] = String(share[index]);
    of[`root.a.x.accessible-node-labels.${label}.capacity`] = '100';
    of[`root.a.y.accessible-node-labels.${label}.capacity`] = '0';
  });
  for (const queue of ['root.a.x', 'root.a.y', 'root.b', 'root.c']) {
    if (chance(random, 20)) of[`${queue}.state`] = 'STOPPED';
    if (chance(random, 30)) of[`${queue}.user-limit-factor`] = pick(random, ['0.2', '1', '4']);
    if (chance(random, 30)) of[`${queue}.minimum-user-limit-percent`] = pick(random, ['10', '50', '100']);
    if (chance(random, 30)) of[`${queue}.maximum-applications`] = String(1 + random.int(4));
    if (chance(random, 30)) of[`${queue}.maximum-am-resource-percent`] = pick(random, ['0.05', '0.5', '1']);
    if (chance(random, 30)) of[`${queue}.maximum-application-lifetime`] = String(60 * (1 + random.int(9)));
    if (chance(random, 30)) of[`${queue}.default-application-lifetime`] = '60';
    if (chance(random, 20)) of[`${queue}.max-parallel-apps`] = String(1 + random.int(3));
    if (chance(random, 20)) of[`${queue}.maximum-capacity`] = '100';
    if (chance(random, 20)) of[`${queue}.ordering-policy`] = 'fair';
    if (chance(random, 20)) of[`${queue}.default-application-priority`] = '2';
  }
  return of;
}

function fairQueues(random: Random): string {
  const limits = () =>
    [
      chance(random, 40) ? `<maxRunningApps>${1 + random.int(4)}</maxRunningApps>` : '',
      chance(random, 40) ? `<maxAMShare>${pick(random, ['0.1', '0.5', '1.0'])}</maxAMShare>` : '',
      chance(random, 40) ? `<weight>${1 + random.int(5)}</weight>` : '',
      chance(random, 30) ? `<maxResources>${1024 * (1 + random.int(12))} mb, ${2 + random.int(8)} vcores</maxResources>` : '',
      chance(random, 30) ? `<schedulingPolicy>${pick(random, ['fifo', 'fair', 'drf'])}</schedulingPolicy>` : '',
    ].join('');
  const leaf = (name: string) => `<queue name="${name}">${limits()}</queue>`;
  const userMost = chance(random, 30) ? `<userMaxAppsDefault>${1 + random.int(3)}</userMaxAppsDefault>` : '';
  return `<allocations><queue name="a">${leaf('x')}${leaf('y')}</queue>${leaf('b')}${leaf('c')}${userMost}</allocations>`;
}

function worldOf(kind: PolicyKind, random: Random): Simulator {
  const simulator = new Simulator({
    kind,
    queues: kind === 'capacity' ? capacityQueues(random) : {},
    ...(kind === 'fair' && { allocations: fairQueues(random) }),
    settings: { nodeLabelsEnabled: kind === 'capacity' },
  });
  simulator.policy.labels?.setPartitions(
    new Map([
      ['fast', { exclusive: true }],
      ['large', { exclusive: false }],
    ]),
  );
  for (const label of kind === 'capacity' ? labels : ['']) {
    const count = label === '' ? 1 + random.int(4) : random.int(3);
    simulator.addNodes(count, 1024 * (1 + random.int(12)), 1 + random.int(12), label);
  }
  return simulator;
}

/** What is asked for, for a master and by it. */
function askedBy(kind: PolicyKind, random: Random) {
  const label = kind === 'capacity' && chance(random, 30) ? pick(random, labels) : undefined;
  const labelled = label === undefined ? {} : { labelExpression: label };
  const masterRequest: ResourceRequest = {
    ...{ requestId: 'master', priority: 0, resource: [128 * (1 + random.int(16)), 1 + random.int(2)], count: 1 },
    ...labelled,
  };
  const request: ResourceRequest = {
    ...{ requestId: 'instances', priority: 20, resource: [256 * (1 + random.int(12)), 1 + random.int(3)], count: 1 + random.int(6) },
    ...labelled,
  };
  const application = {
    ...{ queue: pick(random, queuesOf[kind]), user: pick(random, users), priority: pick(random, [-1, -1, 0, 3]) },
    ...{ unmanaged: false, labelExpression: label },
  };
  return { application, masterRequest, request };
}

/** What can be told of an outcome: whether and how it was taken in, where the master stands, how many further ones, and what the rest waits for. */
const words = (admission: Admission, masterNodeId: string | undefined, placed: number, explanation: Explanation | undefined): string =>
  JSON.stringify({
    admission,
    masterNodeId,
    placed,
    held: explanation?.application?.rule,
    waits: explanation?.requests.map(({ requestId, count, waitingReasons: [first] }) => [requestId, count, first.rule]),
  });

/** What is promised of one application in a world, and what comes. */
function compared(kind: PolicyKind, worldSeed: number): { promised: string; came: string } {
  const random = seededRandom(worldSeed);
  const simulator = worldOf(kind, random);
  const { policy } = simulator;
  let sequence = 0;
  const enter = (asked: ReturnType<typeof askedBy>, addsToPlaced: (nodeId: string, isMaster: boolean) => void) => {
    const number = String(++sequence).padStart(4, '0');
    const [applicationId, attemptId] = [`application_1_${number}`, `appattempt_1_${number}_000001`];
    const application = { ...asked.application, applicationId, submitTimeMs: simulator.nowMs };
    const admission = policy.addApplication(application);
    if (!admission.accepted) return { admission, applicationId };
    policy.addAttempt({ applicationId, attemptId, masterRequest: asked.masterRequest });
    for (let rounds = 0; rounds < 3; rounds++)
      for (const decision of simulator.run(1)) {
        if (decision.kind !== 'allocate' || decision.applicationId !== applicationId) continue;
        addsToPlaced(decision.nodeId, decision.isMaster);
        if (decision.isMaster) policy.updateRequests(attemptId, [asked.request], []);
      }
    return { admission, applicationId };
  };
  const there: string[] = [];
  for (let count = random.int(12); count > 0; count--) {
    const { admission, applicationId } = enter(askedBy(kind, random), () => undefined);
    if (admission.accepted) there.push(applicationId);
    simulator.nowMs += 1000;
    if (there.length > 0 && chance(random, 25)) simulator.finish(there.splice(random.int(there.length), 1)[0]!);
    simulator.run();
  }
  const asked = askedBy(kind, random);
  const number = String(sequence + 1).padStart(4, '0');
  const tried = {
    application: { ...asked.application, applicationId: `application_1_${number}`, submitTimeMs: simulator.nowMs },
    attemptId: `appattempt_1_${number}_000001`,
    ...{ masterRequest: asked.masterRequest, request: asked.request },
  };
  const before = JSON.stringify([policy.describe(), policy.metrics()]);
  const outcome = tryApplication(policy, tried, simulator.nowMs);
  assert.equal(JSON.stringify([policy.describe(), policy.metrics()]), before, 'trying changes nothing');
  const further = [...outcome.placed.values()].reduce((sum, each) => sum + each, 0);
  let masterNodeId: string | undefined;
  let placed = 0;
  const { admission, applicationId } = enter(asked, (nodeId, isMaster) => {
    if (isMaster) masterNodeId = nodeId;
    else placed++;
  });
  return {
    promised: words(outcome.admission, outcome.masterNodeId, further, outcome.explanation),
    came: words(admission, masterNodeId, placed, admission.accepted ? policy.explanation(applicationId) : undefined),
  };
}

describe('a submission that is tried in random queues', () => {
  for (const kind of ['capacity', 'fair', 'fifo'] as const)
    it(`comes to what was promised (${kind}, HEDDLE_TEST_SEED=${seed})`, () => {
      const missed: string[] = [];
      const kinds = { refused: 0, waits: 0, runs: 0 };
      for (let world = 0; world < worlds; world++) {
        const { promised, came } = compared(kind, seed + world);
        if (promised !== came) missed.push(`world ${seed + world}:\n  promised ${promised}\n  came     ${came}`);
        const { admission, masterNodeId } = JSON.parse(came) as { admission: Admission; masterNodeId?: string };
        kinds[!admission.accepted ? 'refused' : masterNodeId === undefined ? 'waits' : 'runs']++;
      }
      assert.deepEqual(missed, []);
      // That of one queue takes in whatever comes.
      const expected = kind === 'fifo' ? (['waits', 'runs'] as const) : (['refused', 'waits', 'runs'] as const);
      for (const name of expected) assert.ok(kinds[name] > worlds / 50, `${name}: ${JSON.stringify(kinds)}`);
    });
});
