// What may be told, thrown away and started while the node's disk has no room, and what a next process makes of it.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ContainerStart } from '../../wire/cluster/container-messages.ts';
import { machine, settle, until } from '../test-support/machine.ts';
import { anOrder } from '../test-support/node-fixture.ts';

const order: ContainerStart = anOrder(2, 'true');
const id = order.containerId;
const another = anOrder(3, 'true');

describe('a node whose disk has no room', () => {
  it('starts nothing whose start it cannot record, and goes on by itself', async () => {
    const { disk, starts, boot } = machine();
    const node = await boot();
    disk.full = true;
    node.manager.start(order);
    await until(() => node.store.trouble);
    await settle();
    assert.deepEqual([starts, node.registered(id)], [[], 'NEW']);
    disk.full = false;
    node.clock.advance(1000);
    await until(() => starts.length === 1);
    assert.equal(node.store.trouble, undefined);
  });

  it('tells at once the end of what it could not record', async () => {
    const { disk, starts, boot } = machine();
    const node = await boot();
    disk.full = true;
    node.manager.start(order);
    await until(() => node.store.trouble);
    node.manager.stop(id, -105, 'not wanted');
    await until(() => node.ends(id).length > 0);
    const next = await boot();
    assert.deepEqual([starts, node.ends(id), next.manager.reports()], [[], [-105], []]);
  });

  it('tells the end of what ran at once, keeps what the engine remembers, and does not run it again', async () => {
    const { disk, starts, claimed, exit, boot } = machine();
    const node = await boot();
    node.manager.start(order);
    await until(() => disk.containers.get(id)?.startedTime);
    disk.full = true;
    exit(id, 3);
    await until(() => node.ends(id).length > 0);
    await settle();
    assert.equal(claimed.has(id), true);
    disk.full = false;
    const next = await boot();
    await until(() => next.ends(id).length > 0);
    await until(() => !claimed.has(id));
    assert.deepEqual([starts, next.ends(id)], [[id], [3]]);
    const last = await boot();
    assert.deepEqual([starts, last.registered(id)], [[id], 'COMPLETE']);
  });

  it('cleans up what ended once there is room', async () => {
    const { disk, claimed, exit, boot } = machine();
    const node = await boot();
    node.manager.start(order);
    await until(() => disk.containers.get(id)?.startedTime);
    disk.full = true;
    exit(id, 3);
    await until(() => node.store.trouble);
    disk.full = false;
    node.clock.advance(1000);
    await until(() => !claimed.has(id));
    assert.equal(disk.containers.get(id)?.complete, true);
  });

  it('tells the end of what never ran only when it is durable: the next process would run it', async () => {
    const { disk, failing, boot } = machine();
    const node = await boot();
    failing.add(id);
    node.manager.start(order);
    await until(() => disk.containers.has(id));
    disk.full = true;
    await until(() => node.store.trouble);
    await settle();
    assert.deepEqual([node.ends(id), node.registered(id)], [[], 'NEW']);
    disk.full = false;
    node.clock.advance(1000);
    await until(() => node.ends(id).length > 0);
    assert.equal(disk.containers.get(id)?.complete, true);
    assert.equal(node.registered(id), 'COMPLETE');
  });

  it('stops though what ended there cannot be recorded', async () => {
    const { disk, starts, exit, boot } = machine();
    const node = await boot();
    node.manager.start(order);
    await until(() => starts.length === 1);
    await settle();
    disk.full = true;
    const stopped = node.manager.stopAll('the node stops');
    exit(id, 143);
    await until(() => node.store.trouble);
    await settle();
    node.clock.advance(100);
    await stopped;
  });
});

describe('a container that has ended', () => {
  it('is not started again by a second order; its end is told again', async () => {
    const { starts, exit, boot } = machine();
    const node = await boot();
    node.manager.start(order);
    await until(() => starts.length === 1);
    node.manager.start(order);
    exit(id, 4);
    await until(() => node.manager.containers.get(id)?.state === 'DONE');
    node.manager.start(order);
    assert.deepEqual([starts, node.ends(id)], [[id], [4, 4]]);
  });

  it('is not started again when only its end is remembered, nor after its end was told though nobody knew it', async () => {
    const { starts, past, boot } = machine();
    const node = await boot();
    node.manager.start(another);
    await until(() => starts.length === 1);
    node.manager.stop(id, -106, 'not known');
    await until(() => node.ends(id).length > 0);
    assert.equal(past.get(id), -106);
    const next = await boot();
    next.manager.start(order);
    assert.deepEqual([starts, next.ends(id), next.registered(id)], [[another.containerId], [-106], undefined]);
  });

  it('leaves its end behind when the oldest of its application are forgotten', async () => {
    const { past, starts, boot } = machine();
    const node = await boot();
    for (let number = 2; number < 1010; number++) {
      const each = anOrder(number, 'true');
      node.manager.start(each);
      node.manager.stop(each.containerId, -105, 'not wanted');
    }
    await until(() => past.size > 0);
    const [[forgotten, exitCode] = ['', 0]] = past;
    node.manager.start({ ...order, containerId: forgotten });
    await settle();
    assert.deepEqual([exitCode, starts, node.ends(forgotten)], [-105, [], [-105, -105]]);
    // A resource manager that was started anew asks for it by an order to stop it.
    node.manager.stop(forgotten, -100, 'lost');
    await settle();
    assert.deepEqual([past.get(forgotten), node.ends(forgotten)], [-105, [-105, -105, -105]]);
  });

  it('is not started again after its application is over and gone from the node, by this process and the next', async () => {
    const { starts, exit, disk, boot } = machine();
    const node = await boot();
    node.manager.start(order);
    await until(() => starts.length === 1);
    exit(id, 0);
    await until(() => node.registered(id) === 'COMPLETE');
    node.manager.finishApplication(order.applicationId);
    await until(() => disk.applications.size === 0 && node.manager.applications.size === 0);
    for (const process of [node, await boot()]) {
      process.manager.start(order);
      await settle();
      assert.deepEqual([starts, process.registered(id), process.manager.applications.size], [[id], undefined, 0]);
      assert.equal(process.ends(id).at(-1), -1000);
    }
  });

  it('ended as lost with its node where the machine was started anew while it ran, and as it was to where it was stopped before', async () => {
    const { disk, starts, claimed, boot } = machine();
    const node = await boot();
    for (const each of [order, another]) node.manager.start(each);
    await until(() => starts.length === 2 && disk.containers.get(another.containerId)?.startedTime);
    node.manager.stop(another.containerId, -105, 'not wanted');
    await until(() => disk.containers.get(another.containerId)?.killed);
    for (const each of claimed.values()) each.exit = { exitCode: 154, machineLost: true };
    const next = await boot();
    await until(() => next.ends(id).length > 0 && next.ends(another.containerId).length > 0);
    assert.deepEqual([next.ends(id), next.ends(another.containerId)], [[-100], [-105]]);
    assert.match(next.told.find(({ containerId, state }) => containerId === id && state === 'COMPLETE')!.diagnostics, /started anew/);
  });

  it('is asked for of the engine before that may forget that the machine was started anew, as is what no record knows', async () => {
    const { disk, claimed, recoveries, boot } = machine();
    const node = await boot();
    node.manager.start(order);
    await until(() => disk.containers.get(id)?.startedTime);
    claimed.set(another.containerId, { ...Promise.withResolvers(), exit: { exitCode: 1 } });
    recoveries.length = 0;
    await boot();
    assert.deepEqual([recoveries.at(-1), recoveries.slice(0, -1).sort()], ['all', [id, another.containerId].sort()]);
  });

  it('ended as lost where it ran and the engine remembers nothing of it', async () => {
    const { disk, starts, claimed, boot } = machine();
    const node = await boot();
    node.manager.start(order);
    await until(() => disk.containers.get(id)?.startedTime);
    claimed.clear();
    const next = await boot();
    await until(() => next.ends(id).length > 0);
    assert.deepEqual([starts, next.ends(id)], [[id], [154]]);
  });
});

describe('what a container found at its start', () => {
  it('is written before its folder goes, however soon it ends', async () => {
    const { exit, claimed, logs, work, boot } = machine({ debug: true });
    const node = await boot();
    node.manager.start(order);
    await until(() => claimed.has(id));
    exit(id, 0);
    await until(() => node.manager.containers.get(id)?.state === 'DONE');
    const text = readFileSync(join(logs(id), 'directory.info'), 'utf8');
    for (const file of ['launch_container.sh', 'container_tokens']) assert.match(text, new RegExp(` ${file}\n[^]* \\./${file}\n`));
    assert.match(readFileSync(join(logs(id), 'launch_container.sh'), 'utf8'), /bash -c "true"/);
    assert.equal(existsSync(work(id)), false);
  });

  it('is written of one that could not be started, too', async () => {
    const { failing, logs, boot } = machine({ debug: true });
    const node = await boot();
    failing.add(id);
    node.manager.start(order);
    await until(() => node.manager.containers.get(id)?.state === 'DONE');
    assert.deepEqual(readdirSync(logs(id)).sort(), ['directory.info', 'launch_container.sh']);
  });
});
