// What goes wrong in a history at any moment; each fault is over after a while.
import type { Random } from '../../src/lib/random.ts';
import type { Disk } from './disk.ts';
import type { SimulatedNode } from './simulated-node.ts';
import { killApplication, pick } from './workload.ts';
import type { World } from './world.ts';

/** Short or long, ms. */
const aWhileMs = ({ random }: World): number => 100 + random.int([2000, 2000, 20_000, 60_000][random.int(4)]!);

function restartNode(world: World, node: SimulatedNode): void {
  world.clock.setTimer(aWhileMs(world), () => node.start());
}

/** Something happens to a node, its node manager or its connection. */
export function nodeFault(world: World): void {
  const { random, clock } = world;
  const node = pick(world, world.nodes)!;
  switch (random.int(8)) {
    case 0:
    case 1:
      node.link.part();
      clock.setTimer(aWhileMs(world), () => node.link.mend());
      return;
    case 2:
      return node.link.breakConnection();
    case 3:
      return node.link.giveUp();
    case 4:
      node.kill();
      return restartNode(world, node);
    case 5:
      node.lose(random.int(2) === 0);
      // Now and then one never comes back; another is there.
      if (random.int(6) === 0 && world.nodes.filter(({ isGone }) => !isGone).length > 1) node.isGone = true;
      return restartNode(world, node);
    case 6:
      if (random.int(3) > 0) return;
      node.leave();
      return restartNode(world, node);
    default:
      node.health(random.int(2) === 0);
  }
}

/** The clock of the machines is set, forwards or back, by up to a day. */
export function setClock({ clock, ledger }: World, random: Random): void {
  const byMs = (random.int(2) === 0 ? 1 : -1) * random.int([5000, 100_000, 3_600_000, 86_400_000][random.int(4)]!);
  ledger.trace?.(`- the clock is set by ${byMs} ms`);
  clock.set(byMs);
}

/** A machine that runs what masters elsewhere wait for never comes back, and the resource manager dies with it. */
export function loseForGood(world: World): void {
  const isWaitedFor = ({ containers }: SimulatedNode) =>
    [...containers.values()].some(
      ({ order, isGone }) =>
        !order.isMaster &&
        !isGone &&
        world.masters.some(
          ({ attemptId, alive, containerId }) => alive && attemptId === order.attemptId && !containers.has(containerId ?? ''),
        ),
    );
  const others = world.nodes.filter(({ isGone }) => !isGone);
  const node = pick(world, others.filter(isWaitedFor));
  if (!node || others.length < 2) return;
  node.lose(true);
  node.isGone = true;
  world.kill();
}

/** The disk of the resource manager is full, slow, fails now and then, or once. */
export function diskFault(world: World): void {
  const { random, clock, disk } = world;
  if (random.int(2) === 0) {
    // Whatever could not be written may be about what ends before it is tried again.
    const ends = () => {
      const kill = killApplication(world);
      if (kill instanceof Promise) kill.catch(() => undefined);
    };
    disk.failOnce(random.int(2) === 0 ? 'before' : 'after', () => clock.setTimer(random.int(1000), () => world.manager.isAlive && ends()));
    return;
  }
  const restores: readonly ((disk: Disk) => void)[] = [
    (one) => {
      one.full = false;
    },
    (one) => {
      one.failing = 0;
    },
    (one) => {
      one.slowestMs = 5;
    },
  ];
  const kind = random.int(3);
  if (kind === 0) disk.full = true;
  else if (kind === 1) disk.failing = 2 + random.int(10);
  else disk.slowestMs = 3000;
  clock.setTimer(Math.min(20_000, aWhileMs(world)), () => restores[kind]!(disk));
}
