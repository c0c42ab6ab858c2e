// A random history of a cluster in virtual time: what may happen, how often, and the calm end in which everything must come to rest.
import { type Random, seededRandom } from '../../src/lib/random.ts';
import type { PolicyKind } from '../../src/scheduler/policy.ts';
import { changeLabels, changeNodes, changeQueues, changeReservations, isUnavailable } from './administration.ts';
import { Weather } from './conditions.ts';
import { CrashPoints } from './crash-points.ts';
import { diskFault, loseForGood, nodeFault, setClock } from './faults.ts';
import { checkCluster } from './invariants.ts';
import { someHabits } from './master-kinds.ts';
import type { NodeHabits } from './node-ports.ts';
import { checkPromises, nodesStay, silenceEnds } from './promises.ts';
import { rest } from './rest.ts';
import { holdTurns, releaseTurns } from './virtual-turns.ts';
import { changeApplication, failAttempt, killApplication, submit, unmanagedMaster } from './workload.ts';
import { World } from './world.ts';

type Action = (world: World) => unknown;

/** How often each happens in a history of the common kind; `always` in every history, `administered` where somebody changes the cluster. */
const actions: readonly (readonly [weight: number, action: Action, when?: 'always' | 'administered'])[] = [
  [20, submit, 'always'],
  [6, changeApplication],
  [4, unmanagedMaster, 'always'],
  [1, killApplication],
  [1, failAttempt],
  [8, nodeFault],
  [2, diskFault],
  [1, loseForGood],
  [1, (world) => world.kill()],
  [4, changeNodes],
  [3, changeQueues, 'administered'],
  [3, changeLabels, 'administered'],
  [4, changeReservations, 'administered'],
  [20, () => undefined, 'always'],
];

/** Each history has its own mind: some things are common in it and others never happen. */
function swarm({ random, isAdministered }: World): () => Action {
  const own = actions
    .filter(([, , when]) => when !== 'administered' || isAdministered)
    .map(([weight, action, when]) => [weight * [when === 'always' ? 1 : 0, 1, 1, 3][random.int(4)]!, action] as const);
  const total = own.reduce((sum, [weight]) => sum + weight, 0);
  return () => {
    let at = random.int(total);
    return own.find(([weight]) => (at -= weight) < 0)![1];
  };
}

const exitCodes = [0, 0, 0, 1, 7, 137, 143, -100, -101, -102, -103, -104, -105, -106, -107, -1000];

/** How long things take on the nodes of a history. */
function someNodeHabits(random: Random): NodeHabits {
  const startMs = [1, 200, 5000][random.int(3)]!;
  const runMs = [10, 3000, 20_000, 200_000][random.int(4)]!;
  const stopMs = [0, 250, 5000][random.int(3)]!;
  const mostEnded = [1, 1000][random.int(2)]!;
  return {
    startMs: () => random.int(startMs),
    runMs: ({ order }) => (order.isMaster ? undefined : { ms: random.int(runMs), exitCode: exitCodes[random.int(exitCodes.length)]! }),
    stopMs: () => random.int(stopMs + 1),
    mostEnded,
  };
}

/** Between two actions, ms: mostly soon, sometimes after what others wait for. */
const pauseMs = ({ random }: World): number => random.int([10, 1000, 1000, 5000, 5000, 40_000][random.int(6)]!);

export interface HistoryOptions {
  /** Actions before the calm end. */
  readonly steps: number;
  readonly trace?: ((line: string) => void) | undefined;
  /** Gets the world before anything happens in it. */
  readonly began?: (world: World) => void;
}

/** What became of a history. */
export interface Played {
  /** By point: how many processes died there. */
  readonly died: ReadonlyMap<string, number>;
  /** How often things happened. */
  readonly seen: ReadonlyMap<string, number>;
}

/** Plays a history and its end, and checks all the way. @throws what broke first */
export async function play(kind: PolicyKind, seed: number, { steps, trace, began }: HistoryOptions): Promise<Played> {
  const isAdministered = seed % 4 === 0;
  const isClockSet = seed % 4 === 2;
  holdTurns();
  const world = new World(kind, seed, {
    isAdministered,
    withReservations: isAdministered,
    conditions: (random) => new Weather(random),
    crashes: (random) => CrashPoints.chosen(random, 5),
    nodeHabits: someNodeHabits,
    masterHabits: (random) => someHabits(random, isAdministered),
    slowestSyncMs: (random) => [1, 5, 5, 500][random.int(4)]!,
    restartMs: (random) => random.int([100, 5000, 45_000][random.int(3)]!),
  });
  const { failures } = world.ledger;
  const stay = nodesStay(world);
  const silence = silenceEnds(world);
  began?.(world);
  if (trace) world.ledger.trace = (line) => trace(`${((world.clock.steadyMs() - 1_700_000_000_000) / 1000).toFixed(3)} ${line}`);
  const check = () => {
    stay(world);
    if (failures.length > 0) throw failures[0];
  };
  const watch = (result: unknown) => {
    if (result instanceof Promise) result.catch((error: unknown) => isUnavailable(error) || failures.push(error));
  };
  try {
    const nodes = 1 + world.random.int(4);
    for (let i = 0; i < nodes; i++) world.addNode(`n${i}:45454`);
    const next = swarm(world);
    // Of its own: the histories in which nobody sets it stay what they are.
    const clockRandom = seededRandom(seed);
    for (let step = 0; step < steps; step++) {
      const action = next();
      if (world.manager.isAlive) {
        world.ledger.trace?.(`- ${action.name}`);
        watch(action(world));
      }
      if (isClockSet && clockRandom.int(8) === 0) setClock(world, clockRandom);
      await world.settle();
      await world.pass(pauseMs(world), check);
      silence(world);
      if (!world.manager.isAlive) continue;
      checkCluster(world);
      checkPromises(world);
    }
    // What is being waited for ends all the same.
    if (isClockSet) world.clock.set(-86_400_000);
    const checkRound = () => {
      silence(world);
      check();
    };
    await rest(world, watch, checkRound, seed % 8 < 2);
    const { died } = world.crashes;
    for (const point of died.keys()) world.ledger.count(`${point.split(' ')[0]} died`);
    return { died, seen: world.ledger.seen };
  } finally {
    world.close();
    await releaseTurns();
  }
}
