// What administrators do in a history: queues, labels, sizes and lists of nodes change while everything runs.
import { Failure } from '../../src/model/errors.ts';
import type { Node } from '../../src/resource-manager/nodes/node.ts';
import { isInactiveNode } from '../../src/resource-manager/nodes/node-states.ts';
import { ChangeRefused, type ConfigurationChange } from '../../src/scheduler/capacity/settings/mutation.ts';
import { ConfigurationRefused } from '../../src/scheduler/policy.ts';
import { fairAllocations } from './scheduler-options.ts';
import type { World } from './world.ts';

const pick = <T>(world: World, from: readonly T[]): T => from[world.random.int(from.length)]!;
const nothing: ConfigurationChange = { remove: [], add: [], update: [], global: [] };
type Parameters = readonly (readonly [string, string | undefined])[];
const update = (...queues: readonly (readonly [queue: string, parameters: Parameters])[]): ConfigurationChange => ({
  ...nothing,
  update: queues.map(([queue, parameters]) => ({ queue, parameters })),
});

/** Changes of the capacity queues; some are refused, most of the time or in some states. */
const changes: readonly ((world: World) => ConfigurationChange)[] = [
  (world) => {
    const part = 10 + 10 * world.random.int(7);
    return update(['root.a', [['capacity', String(part)]]], ['root.b', [['capacity', String(80 - part)]]]);
  },
  (world) =>
    update([pick(world, ['root.a.a1', 'root.a.a2', 'root.b']), [['maximum-capacity', pick(world, ['100', '80', '60', undefined])]]]),
  (world) => update([pick(world, ['root.a', 'root.a.a1', 'root.b']), [['state', pick(world, ['STOPPED', 'RUNNING', 'RUNNING'])]]]),
  (world) => update([pick(world, ['root.a.a1', 'root.a.a2', 'root.b']), [['ordering-policy', pick(world, ['fair', 'fifo'])]]]),
  (world) => update([pick(world, ['root.a.a1', 'root.b']), [['user-limit-factor', pick(world, ['0.3', '1', '4', '-1'])]]]),
  (world) => update([pick(world, ['root.a.a1', 'root.b']), [['maximum-am-resource-percent', pick(world, ['0.1', '0.6', '1'])]]]),
  (world) => update([pick(world, ['root.a', 'root.b']), [['disable_preemption', pick(world, ['true', 'false'])]]]),
  (world) => update([pick(world, ['root.a.a2', 'root.b']), [['max-parallel-apps', pick(world, ['1', '2', undefined])]]]),
  (world) => update(['root.b', [['maximum-applications', pick(world, ['1', '3', undefined])]]]),
  (world) => update([pick(world, ['root.a.a1', 'root.b']), [['default-node-label-expression', pick(world, ['y', undefined])]]]),
  (world) => {
    const part = String(10 * world.random.int(11));
    const rest = String(100 - Number(part));
    return update(
      ['root.a.a1', [['accessible-node-labels.x.capacity', part]]],
      ['root.a.a2', [['accessible-node-labels.x.capacity', rest]]],
    );
  },
  () => ({
    ...nothing,
    add: [
      {
        queue: 'root.a.a3',
        parameters: [
          ['capacity', '0'],
          ['maximum-capacity', '100'],
        ],
      },
    ],
  }),
  () => update(['root.a.a3', [['state', 'STOPPED']]]),
  () => ({ ...nothing, remove: ['root.a.a3'] }),
  (world) => ({
    ...update([
      'root.a',
      [
        ['capacity', '100'],
        ['accessible-node-labels.y.capacity', '100'],
      ],
    ]),
    remove: [pick(world, ['root.b', 'root.a'])],
  }),
  (world) => ({ ...nothing, global: [['yarn.scheduler.capacity.resource-calculator', pick(world, calculators)]] }),
  (world) => ({ ...nothing, global: [['yarn.scheduler.capacity.node-locality-delay', pick(world, ['-1', '0', '5'])]] }),
];
const calculators = [
  'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
  'org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator',
];

/** A refusal, or the answer to a change that could not be stored. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ConfigurationRefused ||
  error instanceof ChangeRefused ||
  (error instanceof Failure && (error.entry.status < 500 || error.code === 'UNAVAILABLE'));

/** The answer to what cannot be stored now. */
export const isUnavailable = (error: unknown): boolean => error instanceof Failure && error.entry.status === 503;

/** Does what an administrator asks for; a refusal is an answer. */
async function attempted(request: () => Promise<unknown>): Promise<void> {
  try {
    await request();
  } catch (error) {
    if (!isRefusal(error)) throw error;
  }
}

/** The queues are other ones from now on. */
export function changeQueues(world: World): unknown {
  const { policy } = world.cluster;
  if (policy.queueEditing) return attempted(() => edited(world));
  if (!policy.reload) return undefined;
  return attempted(async () => {
    policy.reload?.({ properties: new Map(), allocations: pick(world, fairAllocations) });
    world.cluster.scheduleSoon();
  });
}

async function edited(world: World): Promise<void> {
  const { manager, random, ledger } = world;
  const { queueConfiguration } = manager;
  const isFormatted = random.int(20) === 0;
  // It begins anew.
  if (isFormatted) ledger.queueVersion = 0;
  // What is asked for at the same time may count or not.
  const ends = ledger.latest.begin(ledger, 'queues');
  let isAlone = false;
  try {
    await (isFormatted ? queueConfiguration.format() : queueConfiguration.change(pick(world, changes)(world)));
  } finally {
    isAlone = ends();
  }
  if (isAlone && manager.isAlive) ledger.queueVersion = queueConfiguration.version;
}

/** Labels come, go, and move from node to node. */
export function changeLabels(world: World): unknown {
  const { random, nodes } = world;
  switch (random.int(7)) {
    case 0:
      return attempted(() => addLabel(world, 'x'));
    case 1:
      return attempted(() => addLabel(world, 'y'));
    case 2:
      // No queue names z: it goes. The others are refused while a queue names them.
      return attempted(() => removeLabel(world, pick(world, ['x', 'y', 'z', 'z'])));
    case 3:
      if (random.int(2) === 0) soon(world, () => removeLabel(world, 'z'));
      return attempted(() => addLabel(world, 'z'));
    default: {
      const node = pick(world, nodes).id;
      const label = pick(world, ['x', 'y', undefined]);
      return attempted(() => labelNode(world, node, label));
    }
  }
}

/** All nodes share y. */
const addLabel = (world: World, name: string): Promise<void> =>
  said(world, world.ledger.labels, name, true, world.manager.labels.add([{ name, exclusive: name !== 'y' }]));

/** Takes the label off its nodes too: what is said of them at the same time may count or not. No node is ever labelled z. */
async function removeLabel(world: World, name: string): Promise<void> {
  const { manager, nodes, ledger } = world;
  const labelled = name === 'z' ? [] : nodes;
  const ends = labelled.map(({ id }) => ledger.latest.begin(ledger.nodeLabels, id));
  for (const { id } of labelled) ledger.nodeLabels.delete(id);
  try {
    await said(world, ledger.labels, name, false, manager.labels.remove([name]));
  } finally {
    for (const end of ends) end();
  }
}

/** Adds the label where it is not there: few histories would label a node otherwise. */
async function labelNode(world: World, nodeId: string, label: string | undefined): Promise<void> {
  const { labels } = world.manager;
  if (label !== undefined && !labels.label(label)) await addLabel(world, label);
  await said(world, world.ledger.nodeLabels, nodeId, label ?? '', labels.replace(new Map([[nodeId, label === undefined ? [] : [label]]])));
}

/** Another thing is asked for a little later, of whatever resource manager runs then. */
function soon(world: World, ask: () => Promise<unknown> | undefined): void {
  world.clock.setTimer(world.random.int(5000), () => {
    if (!world.manager.isAlive) return;
    attempted(async () => ask()).catch((error: unknown) => isUnavailable(error) || world.ledger.failures.push(error));
  });
}

function deleteReservation(world: World, id: string, user: string): Promise<void> {
  const { reservations } = world.manager;
  return reservations ? said(world, world.ledger.reservations, id, 0, reservations.delete(id, user)) : Promise.resolve();
}

function resumeAgain(world: World, nodeId: string): Promise<void> | undefined {
  const node = world.cluster.view.node(nodeId);
  return node && resume(world, node);
}

/** A user wants resources at a later time, or no longer. */
export function changeReservations(world: World): unknown {
  const { random, clock } = world;
  const { reservations } = world.manager;
  if (!reservations) return undefined;
  const user = pick(world, ['ada', 'ben']);
  const [plan] = world.cluster.policy.reservable?.list() ?? [];
  const arrivalMs = clock.now() + random.int(10_000);
  const durationMs = 1000 * (1 + random.int(60));
  const wanted = {
    arrivalMs,
    deadlineMs: arrivalMs + durationMs * (3 + random.int(6)),
    interpreter: pick(world, ['ANY', 'ALL', 'ORDER', 'ORDER_NO_GAP'] as const),
    requests: Array.from({ length: 1 + random.int(2) }, () => ({
      capability: [128 * (1 + random.int(3)), 1],
      containers: 2 * (1 + random.int(3)),
      concurrency: 1 + random.int(2),
      durationMs,
    })),
    name: undefined,
    recurrence: pick(world, ['0', '0', '600000']),
  };
  const known = world.knownReservations;
  switch (random.int(5)) {
    case 0:
      return attempted(() => deleteReservation(world, pick(world, known), user));
    case 1:
      return attempted(() => reservations.update(pick(world, known), wanted, user));
    default:
      return attempted(() => {
        const id = reservations.newId();
        known.push(id);
        if (random.int(2) === 0) soon(world, () => deleteReservation(world, id, user));
        return said(world, world.ledger.reservations, id, arrivalMs, reservations.submit(id, plan?.name, user, wanted));
      });
  }
}

/** Carries out what is said of a node; while it is under way both what held and what shall hold may be so. */
async function said<T>(world: World, what: Map<string, T | undefined>, nodeId: string, value: T, order: Promise<unknown>): Promise<void> {
  const { manager } = world;
  const before = what.get(nodeId);
  what.delete(nodeId);
  const ends = world.ledger.latest.begin(what, nodeId);
  try {
    await order;
  } catch (error) {
    // What was refused changed nothing, but where it was written all the same.
    if (ends() && manager.isAlive && world.disk.uncertain === 0 && before !== undefined) what.set(nodeId, before);
    throw error;
  }
  if (ends() && manager.isAlive) what.set(nodeId, value);
  else what.delete(nodeId);
}

export const resume = (world: World, node: Node): Promise<void> =>
  said(world, world.ledger.drained, node.id, false, world.cluster.resumeNode(node));

export const resize = (world: World, { id }: Node, memoryMiB: number, overcommitTimeoutMs: number | undefined): Promise<void> =>
  said(
    world,
    world.ledger.sizes,
    id,
    memoryMiB,
    world.cluster.resizeNode(world.cluster.view.node(id)!, [memoryMiB, 8], overcommitTimeoutMs),
  );

/** Nodes are drained, taken back, and get other sizes. */
export function changeNodes(world: World): unknown {
  const { cluster, random, ledger } = world;
  const known = cluster.view.node(pick(world, world.nodes).id);
  if (!known) return undefined;
  switch (random.int(6)) {
    case 0: {
      // It leaves when its time is over, and is given nothing from now on.
      const drained = cluster.drainNode(known, pick(world, [undefined, 0, 5, 60, -1]));
      if (random.int(2) === 0) soon(world, () => resumeAgain(world, known.id));
      return attempted(() => said(world, ledger.drained, known.id, true, drained));
    }
    case 1:
    case 2:
      return attempted(() => resume(world, known));
    case 3:
      return attempted(() => cluster.refreshMembership(pick(world, [undefined, 10])));
    case 4: {
      if (isInactiveNode[known.state]) return undefined;
      const memoryMiB = 1024 * (1 + random.int(6));
      // The file says it of this node alone, and goes before what administrators said of it.
      world.dynamicSizes = new Map([[known.id, { amounts: new Map([[0, memoryMiB]]), overcommitTimeoutMs: pick(world, [-1, 0, 3000]) }]]);
      const others = world.nodes.filter(({ id }) => id !== known.id);
      for (const { id } of world.nodes) ledger.sizes.delete(id);
      // It is an order about those that it says nothing of, too: what a file said of them before holds no more.
      const end = others.map(({ id }) => ledger.latest.begin(ledger.sizes, id));
      return attempted(async () => {
        try {
          await said(world, ledger.sizes, known.id, memoryMiB, cluster.useDynamicResources(world.dynamicSizes));
        } finally {
          for (const ends of end) ends();
        }
      });
    }
    default:
      if (isInactiveNode[known.state]) return undefined;
      return attempted(() => resize(world, known, 1024 * (1 + random.int(5)), pick(world, [undefined, 0, 5000, -1])));
  }
}
