// The calm end of a history: faults stop, everybody is there and has heard everything. Everything must come to rest by itself.
import assert from 'node:assert/strict';
import { type Application, currentAttempt } from '../../src/resource-manager/applications/application.ts';
import { isFinalState } from '../../src/resource-manager/applications/application-states.ts';
import { resize, resume } from './administration.ts';
import type { Weather } from './conditions.ts';
import { checkCluster } from './invariants.ts';
import { checkPromises } from './promises.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { liveApplications, unmanagedMaster } from './workload.ts';
import type { World } from './world.ts';

const roundMs = 5000;
/** Longer than everything that anybody waits for: expiries, the longest container, the lifetimes in between. */
const rounds = 300;
/** Whatever was slow before the calm has arrived by then. */
const fewestRounds = 5;

/** Every node is there, healthy, wanted, and of its first size; the resource manager can write. */
function calm(world: World): void {
  const { disk, nodes, crashes, conditions, masters } = world;
  crashes.end();
  (conditions as Weather).calm();
  disk.heal();
  disk.slowestMs = 5;
  for (const { link } of nodes) while (link.isParted) link.mend();
  for (const master of masters) master.calm();
}

/** What an administrator does at the end: every node is healthy, wanted, and of its first size. What cannot be stored yet is said again. */
function tend(world: World, watch: (result: unknown) => void): void {
  for (const node of world.nodes) {
    node.start();
    if (!node.healthy) node.health(true);
    const known = world.cluster.view.node(node.id);
    if (!known) continue;
    if (world.ledger.drained.get(node.id) !== false || known.state === 'DECOMMISSIONING') watch(resume(world, known));
    if (known.resource[0] !== 4096) watch(resize(world, known, 4096, -1));
  }
  for (const master of world.masters) master.calm();
  unmanagedMaster(world);
}

const isUsed = ({ cluster }: World, { id, link }: SimulatedNode): boolean => cluster.view.node(id)?.state === 'RUNNING' && link.isReached;

const open = (world: World): Application[] => liveApplications(world).filter(({ state }) => !isFinalState[state] || state === 'FINISHING');

/** Running on nodes, and not known to the resource manager. */
const strays = (world: World): string[] =>
  world.nodes.flatMap(({ containers }) =>
    [...containers.keys()].filter((id) => world.ledger.isRunning(id) && !world.cluster.view.container(id)),
  );

/** Lets everything come to an end. `watch` hears of everything that is begun, `check` runs after each round; `forgets`: waits until nothing of what ended is kept in memory. */
export async function rest(world: World, watch: (result: unknown) => void, check: () => void, forgets: boolean): Promise<void> {
  calm(world);
  // Whatever dies around this moment is there again by then.
  await world.pass(1000);
  if (!world.manager.isAlive) world.start();
  let before: string[] = [];
  const goesOn = () =>
    open(world).length > 0 || world.masters.some(({ alive }) => alive) || !world.nodes.every((node) => node.isGone || isUsed(world, node));
  for (let round = 0; round < rounds && (round < fewestRounds || goesOn()); round++) {
    tend(world, watch);
    await world.pass(roundMs);
    check();
    checkCluster(world);
    const now = strays(world);
    if (round > fewestRounds)
      for (const id of now) if (before.includes(id)) world.ledger.violated(`${id} runs, and the resource manager does not know it`);
    before = now;
    // What waits for room that no node has, or for a queue that takes nothing, ends by its user's hand.
    if (round > rounds / 2)
      for (const application of open(world))
        if (world.isAdministered || isAboveShareOfMasters(world, application)) watch(world.killApplication(application));
  }
  checkPromises(world);
  for (const id of world.ledger.submitted) assert.ok(world.cluster.findAny(id), `${id} was accepted and is lost (P2)`);
  const stuck = open(world).map(
    ({ id, state, attempts }) => `${id} is ${state}, its attempt ${currentAttempt({ attempts } as Application)?.state}`,
  );
  const waiting = world.masters.filter(({ alive }) => alive).map((master) => master.waitsFor());
  assert.deepEqual([...stuck, ...waiting], [], 'what waits for ever');
  tend(world, watch);
  await world.pass(roundMs);
  if (forgets) await forgotten(world);
  check();
  checkNodes(world);
}

/**
 * The fair share of its queue, one of many with work on few nodes, is too small for its master, for as long as the others wait too (as in Hadoop:
 * FSLeafQueue.canRunAppAM); nothing but a change of the queues helps it.
 */
const isAboveShareOfMasters = ({ cluster }: World, { id }: Application): boolean =>
  cluster.policy.explain(id).includes('exceeds maximum AM resource allowed');

/** After a while nothing is kept in memory of what ended. */
async function forgotten(world: World): Promise<void> {
  for (const node of world.nodes) node.hush();
  await world.pass(620_000);
  checkEmpty(world);
}

function checkEmpty({ cluster, store, ledger }: World): void {
  const { nodes: _nodes, ...kept } = cluster.sizes();
  const nothing = Object.fromEntries(Object.keys(kept).map((kind) => [kind, 0]));
  assert.deepEqual(kept, nothing, 'what is kept in memory');
  assert.deepEqual(store.liveApplications(), [], 'live applications in the store');
  assert.deepEqual(store.containers(), [], 'containers in the store');
  for (const id of ledger.submitted) assert.ok(store.finished(id), `${id} is not among the ended`);
}

/** Every node is used, and nothing is left on it. */
function checkNodes({ cluster, nodes }: World): void {
  const metrics = cluster.policy.metrics();
  assert.deepEqual([metrics.containersAllocated, metrics.containersReserved, metrics.containersPending], [0, 0, 0]);
  for (const node of cluster.view.nodes()) assert.equal(node.applications.size, 0, `applications of ${node.id}`);
  for (const node of nodes) {
    const known = cluster.view.node(node.id);
    if (node.isGone) continue;
    assert.equal(known?.state, 'RUNNING', `${node.id} is not used`);
    const running = [...node.containers.values()].filter(({ isGone }) => !isGone);
    assert.deepEqual(running, [], `${node.id} runs containers of ended applications`);
  }
}
