// Containers that start anew while they run: with another launch context, with their own, with the former one; files that are brought to
// them meanwhile; and what a next process of the node manager makes of each moment in between.
import assert from 'node:assert/strict';
import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { LaunchContext, LocalResource } from '../../wire/cluster/launch-context.ts';
import { machine, settle, until } from '../test-support/machine.ts';
import { anOrder } from '../test-support/node-fixture.ts';

const order = anOrder(2, 'first');
const id = order.containerId;
const launchOf = (command: string, more: Partial<LaunchContext> = {}): LaunchContext => anOrder(2, command, more).launch;
const file = (resource: string): LocalResource => ({ resource, type: 'FILE', visibility: 'APPLICATION', size: -1, timestamp: 1 });

type Machine = ReturnType<typeof machine>;
type Node = Awaited<ReturnType<Machine['boot']>>;

const containerOf = (node: Node) => node.manager.containers.get(id)!;
const commandOf = (world: Machine) =>
  /exec \/bin\/bash -c "(.*)"/.exec(readFileSync(join(world.work(id), 'launch_container.sh'), 'utf8'))?.[1];
const terminated = ({ signals }: Machine) => signals.filter((signal) => signal.endsWith('SIGTERM')).length;

async function running(launch: Partial<LaunchContext> = {}) {
  const world = machine();
  const node = await world.boot();
  node.manager.start({ ...order, launch: { ...order.launch, ...launch } });
  await until(() => containerOf(node).state === 'RUNNING');
  return { world, node };
}

/** Its process is being ended; it ends. */
async function endForNewStart(world: Machine, exitCode = 143): Promise<void> {
  const before = terminated(world);
  await until(() => terminated(world) > before || world.signals.length > 0);
  world.exit(id, exitCode);
}

describe('a container that is started anew', () => {
  it('ends its process, runs the new command in the same folder and is never told as ended', async () => {
    const { world, node } = await running();
    const container = containerOf(node);
    assert.ok(node.manager.reinitialize(container, launchOf('second'), true));
    assert.ok(!node.manager.reinitialize(container, undefined, false), 'one at a time');
    await endForNewStart(world);
    await until(() => world.starts.length === 2 && container.state === 'RUNNING');
    assert.deepEqual([commandOf(world), node.ends(id), node.registered(id)], ['second', [], 'RUNNING']);
    assert.match(container.diagnostics, /Container will be Re-initialized\.\n\[[^\]]+\]Container killed on request\. Exit code is 143\n$/);
    // The signal that follows the first one is not for the new process.
    node.clock.advance(1000);
    assert.deepEqual(world.signals, [`${id} SIGTERM`]);
    world.exit(id, 0);
    await until(() => node.ends(id).length > 0);
    assert.deepEqual(node.ends(id), [0]);
  });

  it('starts however its process ends then, and runs its own command where no other is given', async () => {
    const { world, node } = await running();
    assert.ok(node.manager.reinitialize(containerOf(node), undefined, false));
    await endForNewStart(world, 0);
    await until(() => world.starts.length === 2);
    assert.equal(commandOf(world), 'first');
  });

  it('goes back to what it ran, by word or when the new command fails, until that is committed', async () => {
    const { world, node } = await running();
    const container = containerOf(node);
    const become = async (what: () => boolean, command: string) => {
      assert.ok(what());
      world.signals.splice(0);
      await endForNewStart(world);
      await until(() => container.state === 'RUNNING');
      assert.equal(commandOf(world), command);
    };
    assert.ok(!node.manager.rollBack(container) && !node.manager.commit(container), 'nothing to go back to');
    await become(() => node.manager.reinitialize(container, launchOf('second'), true), 'second');
    // A restart keeps what can be gone back to.
    await become(() => node.manager.reinitialize(container, undefined, false), 'second');
    await become(() => node.manager.rollBack(container), 'first');
    assert.ok(!node.manager.rollBack(container), 'once');
    await become(() => node.manager.reinitialize(container, launchOf('third'), true), 'third');
    world.exit(id, 7);
    await until(() => commandOf(world) === 'first' && container.state === 'RUNNING');
    assert.match(container.diagnostics, /Container Re-init Auto Rolled-Back\./);
    await become(() => node.manager.reinitialize(container, launchOf('fourth'), true), 'fourth');
    assert.ok(node.manager.commit(container));
    assert.ok(!node.manager.rollBack(container));
    world.exit(id, 7);
    await until(() => node.ends(id).length > 0);
    assert.deepEqual(node.ends(id), [7]);
  });

  it('runs on until what it needs is here, and goes on where that does not come', async () => {
    const { world, node } = await running();
    const container = containerOf(node);
    world.files.isQuick = false;
    assert.ok(node.manager.reinitialize(container, launchOf('second', { localResources: { a: file('a') } }), true));
    await until(() => world.files.asked.length === 1);
    assert.equal(container.state, 'REINITIALIZING');
    world.files.asked[0]!.done.reject(new Error('no such file'));
    await until(() => container.state === 'RUNNING');
    assert.match(container.diagnostics, /Container aborting re-initialization\.\. no such file/);
    assert.deepEqual([world.signals, world.starts.length, container.reinitialization], [[], 1, undefined]);
    world.files.isQuick = true;
    assert.ok(node.manager.reinitialize(container, launchOf('second', { localResources: { a: file('a') } }), true));
    await endForNewStart(world);
    await until(() => commandOf(world) === 'second');
    assert.match(readFileSync(join(world.work(id), 'launch_container.sh'), 'utf8'), /ln -sf -- "\/cache\/a" "a"/);
  });

  it('ends with its process where that ends before its end was asked for', async () => {
    const { world, node } = await running();
    world.files.isQuick = false;
    assert.ok(node.manager.reinitialize(containerOf(node), launchOf('second', { localResources: { a: file('a') } }), true));
    await until(() => world.files.asked.length === 1);
    world.exit(id, 5);
    await until(() => node.ends(id).length > 0);
    world.files.asked[0]!.done.resolve('/cache/a');
    await settle();
    assert.deepEqual([node.ends(id), world.starts.length], [[5], 1]);
  });

  it('is ended when that is asked for, in each moment in between', async () => {
    for (const moment of ['fetching', 'ending', 'starting'] as const) {
      const { world, node } = await running();
      const container = containerOf(node);
      world.files.isQuick = moment !== 'fetching';
      node.manager.reinitialize(container, launchOf('second', { localResources: { a: file('a') } }), true);
      if (moment === 'fetching') await until(() => world.files.asked.length === 1);
      else await until(() => terminated(world) === 1);
      if (moment === 'starting') world.exit(id, 143);
      if (moment === 'starting') await until(() => container.state === 'SCHEDULED');
      node.manager.stop(id, -105, 'not wanted');
      if (world.claimed.has(id)) world.exit(id, 143);
      await until(() => node.ends(id).length > 0);
      assert.deepEqual([moment, node.ends(id)], [moment, [-105]]);
    }
  });
});

describe('a node manager that dies while a container starts anew', () => {
  const wanted = launchOf('second', { localResources: { a: file('a') } });

  it('goes on with the fetching, with the ending, with the start: whichever of them it finds', async () => {
    for (const moment of ['fetching', 'ending', 'ended unseen', 'forgotten', 'started'] as const) {
      const { world, node } = await running();
      world.files.isQuick = moment !== 'fetching';
      node.manager.reinitialize(containerOf(node), wanted, true);
      if (moment === 'fetching') {
        await until(() => world.files.asked.length === 1 && world.disk.containers.get(id)?.reinitialization);
      } else await until(() => terminated(world) === 1);
      const record = world.disk.containers.get(id)!;
      if (moment === 'started') {
        world.exit(id, 143);
        await until(() => world.starts.length === 2);
        await settle();
      }
      world.signals.splice(0);
      if (moment === 'ended unseen') world.claimed.get(id)!.exit = { exitCode: 143 };
      if (moment === 'forgotten') world.claimed.delete(id);
      if (moment !== 'started') world.disk.containers.set(id, record);
      world.files.isQuick = true;
      const next = await world.boot();
      const container = containerOf(next);
      if (moment === 'fetching' || moment === 'ending') {
        await until(() => terminated(world) === 1);
        world.exit(id, 143);
      }
      await until(() => world.starts.length === 2 && container.state === 'RUNNING');
      await settle();
      assert.deepEqual([moment, commandOf(world), next.ends(id)], [moment, 'second', []]);
      assert.equal(container.previousLaunch?.commands[0], 'first', 'it can still go back');
    }
  });
});

describe('files that are brought to a running container', () => {
  it('are linked into its folder, are there after it starts again, and are told by their state', async () => {
    const { world, node } = await running({ retry: { policy: 'RETRY_ON_ALL_ERRORS', maximumRetries: 1 } });
    const container = containerOf(node);
    world.files.isQuick = false;
    node.manager.localize(container, { 'in/a': file('a'), b: file('b') });
    await until(() => world.files.asked.length === 2);
    assert.deepEqual([...container.localizing.keys()], ['in/a', 'b']);
    world.files.asked[0]!.done.resolve('/cache/a');
    world.files.asked[1]!.done.reject(new Error('no such file'));
    await until(() => container.localizing.size === 0);
    assert.equal(readlinkSync(join(world.work(id), 'in/a')), '/cache/a');
    assert.match(container.notLocalized.get('b')!, /^no such file/);
    assert.equal(container.state, 'RUNNING');
    world.files.isQuick = true;
    world.exit(id, 3);
    await until(() => container.state === 'RELAUNCHING');
    await settle();
    node.clock.advance(1000);
    await until(() => world.starts.length === 2);
    assert.match(readFileSync(join(world.work(id), 'launch_container.sh'), 'utf8'), /ln -sf -- "\/cache\/a" "in\/a"/);
  });

  it('are fetched by the next process of the node manager where this one died', async () => {
    const { world, node } = await running();
    world.files.isQuick = false;
    node.manager.localize(containerOf(node), { a: file('a') });
    await until(() => world.disk.containers.get(id)?.localizing);
    node.manager.leaveRunning();
    world.files.isQuick = true;
    const next = await world.boot();
    await until(() => containerOf(next).localizing.size === 0);
    assert.equal(readlinkSync(join(world.work(id), 'a')), '/cache/a');
  });

  it('stay inside its folder', async () => {
    const { node } = await running();
    const container = containerOf(node);
    node.manager.localize(container, { '../a': file('a') });
    await until(() => container.localizing.size === 0);
    assert.match(container.notLocalized.get('../a')!, /IllegalArgumentException/);
  });
});
