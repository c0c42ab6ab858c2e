// A random history of a cluster: what may happen, how often, and the calm end in which everything must come to rest.
import assert from 'node:assert/strict';
import { parseContainerId } from '../../src/model/ids.ts';
import { type Application, currentAttempt } from '../../src/resource-manager/applications/application.ts';
import { isCompletedState, isFinalState } from '../../src/resource-manager/applications/application-states.ts';
import { isInactiveNode } from '../../src/resource-manager/nodes/node-states.ts';
import type { PolicyKind } from '../../src/scheduler/policy.ts';
import { changeLabels, changeNodes, changeQueues, changeReservations } from './administration.ts';
import { checkCluster } from './invariants.ts';
import { type Served, SimulatedMaster } from './simulated-master.ts';
import { submissionOf, World, WriteFailed } from './world.ts';

const exitCodes = [0, 0, 1, 7, 137, 143, -100, -101, -102, -103, -104, -105, -106, -107, -1000];
const statuses = ['SUCCEEDED', 'FAILED', 'KILLED', 'ENDED', 'UNDEFINED'] as const;
const queues = ['a1', 'a2', 'b', 'a1', 'root.b', 'root.a.a2', 'a2', 'b', 'a3', undefined];

type Action = (world: World) => unknown;

const pick = <T>(world: World, from: readonly T[]): T | undefined => from[world.random.int(from.length)];
const liveApplications = (world: World): Application[] => [...world.cluster.view.applications()];

/** A reservation that runs now, where there is one, or any. */
function reservationFor(world: World): string | undefined {
  const { cluster, reservations, clock, random } = world;
  const plans = cluster.policy.reservable?.list() ?? [];
  const running = plans.flatMap(({ path }) => reservations?.activeAt(path, clock.now()).map(({ reservation }) => reservation.id) ?? []);
  return running.length > 0 && random.int(4) > 0 ? pick(world, running) : pick(world, [undefined, ...world.knownReservations]);
}

/** A queue, or the queue of reservations with one of them. */
const placeOf = (world: World) =>
  world.random.int(world.knownReservations.length > 1 ? 4 : 16) === 0 && world.reservations
    ? { queue: 'r', reservationId: reservationFor(world) }
    : { queue: pick(world, queues) };

function submit(world: World): unknown {
  const { random, cluster } = world;
  if (cluster.view.containerCount > 40 || cluster.sizes().waiting > 12) return undefined;
  const known = [...world.acknowledged.submitted];
  const id = random.int(8) === 0 && known.length > 0 ? pick(world, known)! : cluster.newApplicationId();
  return world.submit(
    submissionOf(id, {
      ...placeOf(world),
      priority: random.int(4) - 1,
      unmanaged: random.int(8) === 0,
      maximumAttempts: random.int(4),
      keepContainers: random.int(3) === 0,
      failuresValidityIntervalMs: random.int(4) === 0 ? 20_000 : -1,
      resource: [128 * (1 + random.int(12)), 1],
      lifetimeSeconds: random.int(8) === 0 ? 1 + random.int(200) : undefined,
      applicationLabelExpression: pick(world, ['', '', '', 'x', 'y'])!,
      masterLabelExpression: pick(world, ['', '', '', 'x', 'y'])!,
    }),
    pick(world, ['ada', 'ben', 'eve'])!,
  );
}

function changeApplication(world: World): unknown {
  const { random, cluster } = world;
  const application = pick(world, liveApplications(world));
  if (!application || isCompletedState[application.state]) return undefined;
  if (random.int(3) === 0 && (application.state === 'ACCEPTED' || application.state === 'RUNNING')) {
    const found = cluster.policy.resolveQueue(pick(world, ['a1', 'a2', 'b', 'a3', 'r'])!);
    return typeof found === 'object' ? cluster.move(application, found.queue) : undefined;
  }
  if (!application.admitted) return undefined;
  if (random.int(2) === 0) return cluster.setPriority(application, random.int(10));
  return cluster.setLifetime(application, random.int(3) === 0 ? undefined : world.clock.now() + random.int(300_000));
}

/** Masters that were not launched come by themselves. */
function unmanagedMaster(world: World): unknown {
  for (const application of liveApplications(world)) {
    const attempt = currentAttempt(application);
    if (!application.submission.unmanaged || attempt?.state !== 'LAUNCHED') continue;
    if (world.masters.some(({ attemptId }) => attemptId === attempt.id)) continue;
    const master = new SimulatedMaster(application.id, attempt.id, attempt.token, undefined, world.served);
    world.masters.push(master);
    return master.register(world.cluster);
  }
  return undefined;
}

function masterActs(world: World): unknown {
  const { random, cluster } = world;
  const master = pick(
    world,
    world.masters.filter(({ alive, busy }) => alive && !busy),
  );
  if (!master) return undefined;
  if (master.state === 'new') return master.register(cluster);
  const start = master.toStart.shift();
  if (start) {
    if (random.int(4) > 0)
      world.nodes
        .find(({ id }) => id === start.nodeId)
        ?.start(start.containerId, master.applicationId, { memoryMiB: 128, vcores: 1 }, start.executionType);
    return undefined;
  }
  if (random.int(40) === 0) return finish(world, master);
  return master.allocate(cluster, random, random.int(4) === 0 ? 5000 : 0);
}

async function finish(world: World, master: SimulatedMaster): Promise<void> {
  const done = await master.finish(world.cluster, pick(world, statuses)!);
  if (done) world.acknowledge(master.applicationId);
}

function containerActs(world: World): void {
  const node = pick(world, world.nodes);
  const container = node && pick(world, [...node.containers.values()]);
  if (!node || !container) return;
  if (container.state === 'NEW') node.run(container);
  else if (world.random.int(world.masters.some(({ containerId }) => containerId === container.id) ? 12 : 3) === 0)
    node.complete(container, pick(world, exitCodes)!);
}

function nodeChanges(world: World): unknown {
  const { random, cluster } = world;
  const node = pick(world, world.nodes)!;
  const known = cluster.view.node(node.id);
  switch (random.int(10)) {
    case 0:
      if (known && !isInactiveNode[known.state]) cluster.decommissionNode(known, random.int(2) === 0 ? undefined : 20);
      return undefined;
    case 1:
      return known && cluster.resumeNode(known);
    case 2:
      if (known && !isInactiveNode[known.state])
        return cluster.resizeNode(known, [1024 * (1 + random.int(5)), 1 + random.int(8)], pick(world, [undefined, 0, 5000, -1]));
      return undefined;
    case 3:
      if (node.connected) node.health(random.int(2) === 0);
      return undefined;
    case 4:
      if (node.connected) node.leave();
      return undefined;
    case 5:
      return node.connection(random.int(2) === 0);
    case 6:
      return node.loseSession(random.int(2) === 0);
    case 7:
      // The node manager is killed: its containers go on, or the machine went with them.
      if (random.int(3) === 0) node.stopAll();
      return node.register(cluster);
    default:
      if (!node.connected || node.refused) node.register(cluster);
      return undefined;
  }
}

function kill(world: World): unknown {
  const application = pick(world, liveApplications(world));
  return application && world.killApplication(application);
}

function restart(world: World): void {
  world.kill();
  world.start();
  for (const node of world.nodes) if (world.random.int(4) > 0) node.register(world.cluster);
}

/** How often each happens in a history of the common kind; `always` in every history. */
const actions: readonly (readonly [weight: number, action: Action, always?: 'always'])[] = [
  [14, submit, 'always'],
  [6, changeApplication],
  [6, unmanagedMaster],
  [60, masterActs, 'always'],
  [24, containerActs],
  [6, nodeChanges],
  [1, kill],
  [2, restart],
  [2, changeQueues],
  [2, changeLabels],
  [2, changeNodes],
  [4, changeReservations],
  [20, (world) => pick(world, world.nodes)!.work(1 + world.random.int(4)), 'always'],
  [20, (world) => pick(world, world.nodes)!.speak(1 + world.random.int(4)), 'always'],
  [8, (world) => world.exchange(), 'always'],
  [4, (world) => world.clock.advance(world.random.int(8000))],
  [1, (world) => world.clock.advance(world.random.int(90_000))],
];

/** Each history has its own mind: some things are common in it and others never happen. */
function swarm({ random }: World): () => Action {
  const own = actions.map(([weight, action, always]) => [weight * [always ? 1 : 0, 1, 1, 3][random.int(4)]!, action] as const);
  const total = own.reduce((sum, [weight]) => sum + weight, 0);
  return () => {
    let at = random.int(total);
    return own.find(([weight]) => (at -= weight) < 0)![1];
  };
}

/** Plays `steps` random steps, lets everything come to rest, and checks all the way. Returns what masters got. */
export async function play(kind: PolicyKind, seed: number, steps: number): Promise<Served> {
  const world = new World(kind, seed);
  const failures: unknown[] = [];
  const watch = (result: unknown) => {
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (!(error instanceof WriteFailed)) failures.push(error);
      });
  };
  try {
    const nodes = 1 + world.random.int(4);
    for (let i = 0; i < nodes; i++) world.addNode(`n${i}:45454`);
    const next = swarm(world);
    // In some histories nearly everything meets changes that are not yet stored.
    const calm = 1 + world.random.int(6);
    // In some, now and then a change cannot be stored.
    world.failingWrites = [0, 0, 0, 20, 4][world.random.int(5)]!;
    for (let step = 0; step < steps; step++) {
      watch(next()(world));
      if (world.random.int(7) < calm) await world.settle(1 + world.random.int(4));
      if (failures.length > 0) throw failures[0];
      checkCluster(world);
      if (step % 16 === 0) world.checkPromises();
    }
    world.failingWrites = 0;
    await rest(world, watch);
    if (failures.length > 0) throw failures[0];
    return world.served;
  } finally {
    world.close();
  }
}

/** A master that asks in peace knows the end of every container whose end can be known. */
async function checkHeard(world: World, master: SimulatedMaster): Promise<void> {
  const { cluster, nodes } = world;
  for (let i = 0; i < 3 && master.alive; i++) await master.listen(cluster);
  const found = cluster.view.attempt(master.attemptId);
  if (master.state !== 'registered' || !found) return;
  for (const [id, nodeId] of master.held) {
    const known = parseContainerId(id).epoch === cluster.epoch || nodes.some((node) => node.id === nodeId && node.containers.has(id));
    assert.ok(!known || found.attempt.containers.has(id), `${master.attemptId} was never told that ${id} ended`);
  }
}

/** Every node is there again, healthy and of its first size, and has heard and told everything. */
async function reconnect(world: World): Promise<void> {
  const { nodes } = world;
  for (const node of nodes) {
    const known = world.cluster.view.node(node.id);
    node.healthy = true;
    if (known) await world.cluster.resumeNode(known);
    if (!node.connected || node.refused || (known && known.state !== 'RUNNING')) node.register(world.cluster);
    if (known) await world.cluster.resizeNode(known, [4096, 8], -1);
    node.connection(true);
    while (node.busy) {
      node.work(100);
      node.speak(100);
      await world.settle();
    }
  }
}

/** Faults stop, masters finish, nodes return: every application must end, and nothing of it may stay behind. */
async function rest(world: World, watch: (result: unknown) => void): Promise<void> {
  const { clock, nodes } = world;
  const open = () => liveApplications(world).filter(({ state }) => !isFinalState[state] || state === 'FINISHING');
  for (let round = 0; round < 60 && open().length > 0; round++) {
    await reconnect(world);
    watch(unmanagedMaster(world));
    for (const master of [...world.masters]) {
      if (master.state === 'new') watch(master.register(world.cluster));
      await world.settle();
      if (master.state === 'registered' && !master.busy) await checkHeard(world, master);
      if (master.state === 'registered') watch(finish(world, master));
      await world.settle();
    }
    for (const node of nodes) for (const container of node.containers.values()) node.complete(container, 0);
    // What waits for room that no node has ends by its user's hand.
    if (round > 15)
      for (const application of open()) {
        const { state } = currentAttempt(application) ?? {};
        if (state === 'SCHEDULED' || application.submission.unmanaged) watch(world.killApplication(application));
      }
    await world.settle();
    checkCluster(world);
    clock.advance(5000);
  }
  await world.settle();
  world.checkPromises();
  assert.deepEqual(
    open().map((application) => `${application.id} ${application.state} ${currentAttempt(application)?.state}`),
    [],
    'applications are stuck',
  );
  await reconnect(world);
  clock.advance(1_300_000);
  await world.settle();
  checkEmpty(world);
}

function checkEmpty({ cluster, nodes, store, acknowledged }: World): void {
  const { nodes: _nodes, ...kept } = cluster.sizes();
  const nothing = Object.fromEntries(Object.keys(kept).map((kind) => [kind, 0]));
  assert.deepEqual(kept, nothing, 'what is kept in memory');
  assert.deepEqual(store.liveApplications(), [], 'live applications in the store');
  for (const id of acknowledged.submitted) assert.ok(store.finished(id), `${id} is not among the ended`);
  const metrics = cluster.policy.metrics();
  assert.deepEqual([metrics.containersAllocated, metrics.containersReserved, metrics.containersPending], [0, 0, 0]);
  for (const node of cluster.view.nodes()) assert.equal(node.applications.size, 0, `applications of ${node.id}`);
  for (const node of nodes) {
    const running = [...node.containers.values()].filter(({ state }) => state !== 'COMPLETE');
    assert.deepEqual(running, [], `${node.id} runs containers of ended applications`);
  }
}
