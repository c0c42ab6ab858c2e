// What holds between resource manager, nodes and masters across a restart of the resource manager, one situation at a time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentAttempt } from '../../src/resource-manager/applications/application.ts';
import { Caller, running } from './calling.ts';
import { checkCluster } from './invariants.ts';
import { finishMaster, registerMaster } from './master-door.ts';
import { nothingToRun, submissionOf } from './submissions.ts';
import { World } from './world.ts';

const begin = (world: World): void => {
  world.kill();
  world.start();
};

test('what was given before a kill is listed to its master and not given again, whoever comes back first', async () => {
  for (const first of ['master', 'node'] as const) {
    const { world, master } = await running();
    await master.ask('a', 2);
    await world.exchange();
    assert.equal(world.cluster.view.containerCount, 3);
    begin(world);
    if (first === 'node') world.nodes[0]!.register();
    const { held } = await master.register();
    assert.deepEqual(
      held.map(({ requestId }) => requestId),
      ['a', 'a'],
      `${first} first`,
    );
    if (first === 'master') world.nodes[0]!.register();
    await world.exchange();
    checkCluster(world);
    world.close();
  }
});

test('an order to start that was lost with the resource manager is told as an end, once, and the request is free again', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await master.ask('a');
  const before = [...world.cluster.view.containers()].find(({ isMaster }) => !isMaster)!;
  node!.link.drop();
  begin(world);
  assert.deepEqual([...node!.containers.keys()], [master.attempt.masterContainerId]);
  const { held } = await master.register();
  assert.deepEqual(
    held.map(({ id }) => id),
    [before.id],
  );
  node!.register();
  await world.exchange();
  const first = await master.call();
  assert.deepEqual(
    first.completed.map(({ containerId, askId, exitCode }) => [containerId, askId, exitCode]),
    [[before.id, 'a', -100]],
  );
  assert.deepEqual((await master.call()).completed, []);
  begin(world);
  assert.deepEqual((await master.register()).over, []);
  assert.deepEqual((await master.register()).held, []);
  world.close();
});

test('ends are told again only where it is not known that they were heard', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await master.ask('a', 2);
  await world.exchange();
  for (const container of node!.containers.values()) if (container.id !== master.attempt.masterContainerId) node!.complete(container, 7);
  node!.speak();
  const told = (await master.call()).completed.map(({ containerId }) => containerId).sort();
  assert.equal(told.length, 2);
  // It has the answer, and the resource manager does not know that.
  begin(world);
  node!.register();
  const { over } = await master.register([told[0]!]);
  assert.deepEqual(
    over.map(({ containerId, exitCode }) => [containerId, exitCode]),
    [[told[1], 7]],
  );
  const again = (await master.call()).completed;
  assert.deepEqual(
    again.map(({ containerId }) => containerId),
    [told[1]],
  );
  await master.call();
  begin(world);
  node!.register();
  assert.deepEqual((await master.register()).over, []);
  assert.deepEqual((await master.call()).completed, []);
  assert.deepEqual(world.store.containers(), []);
  world.close();
});

test('a master that says nothing but the number of its call hears an end again only where the answer did not come', async () => {
  for (const came of [true, false]) {
    for (const first of ['master', 'node'] as const) {
      const { world, master } = await running();
      const [node] = world.nodes;
      await master.ask('a');
      await world.exchange();
      const before = master.responseId;
      for (const container of node!.containers.values()) if (!container.order.isMaster) node!.complete(container, 7);
      node!.speak();
      const [told] = (await master.call()).completed;
      assert.equal(told?.exitCode, 7);
      if (!came) master.responseId = before;
      // The second time its call is made again: whether it was answered is not known.
      for (let restart = 0; restart < 2; restart++) {
        begin(world);
        if (first === 'node') node!.register();
        assert.equal((await master.call()).command, 'resync');
      }
      if (came) assert.deepEqual(world.store.containers(), []);
      const { over, held } = await master.register();
      if (first === 'master') node!.register();
      await world.exchange();
      const heard = [...over, ...(await master.call()).completed].map(({ containerId }) => containerId);
      assert.deepEqual([...new Set(heard)], came ? [] : [told!.containerId], `${first} first`);
      assert.equal(held.length, came || first === 'node' ? 0 : 1);
      checkCluster(world);
      world.close();
    }
  }
});

test('what a master was told in a session before its last one is told again, whatever number it names', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await master.ask('a');
  await world.exchange();
  for (const container of node!.containers.values()) if (!container.order.isMaster) node!.complete(container, 7);
  node!.speak();
  const [told] = (await master.call()).completed;
  // It gave that call up: the answer was heard by nobody.
  await master.register();
  begin(world);
  node!.register();
  master.responseId = 100;
  assert.equal((await master.call()).command, 'resync');
  assert.deepEqual(
    (await master.register()).over.map(({ containerId }) => containerId),
    [told!.containerId],
  );
  world.close();
});

test('an answer that tells an end leaves when that is durable, and the same call again is answered then', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await master.ask('a');
  await world.exchange();
  await master.call();
  for (const container of node!.containers.values()) if (!container.order.isMaster) node!.complete(container, 7);
  node!.speak();
  world.disk.full = true;
  for (let i = 0; i < 2; i++) {
    const refused = assert.rejects(master.call(), { code: 'STORE_DISK_FULL' });
    await world.pass(1500);
    await refused;
  }
  world.disk.full = false;
  const again = master.call();
  await world.pass(1500);
  assert.deepEqual(
    (await again).completed.map(({ exitCode }) => exitCode),
    [7],
  );
  world.close();
});

test('that a master heard an end before a restart is durable before it is told to register again', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await master.ask('a');
  await world.exchange();
  for (const container of node!.containers.values()) if (!container.order.isMaster) node!.complete(container, 7);
  node!.speak();
  await master.call();
  begin(world);
  world.disk.full = true;
  const refused = assert.rejects(master.call(), { code: 'STORE_DISK_FULL' });
  await world.pass(1500);
  await refused;
  assert.equal(world.store.containers().length, 1);
  world.disk.full = false;
  const again = master.call();
  await world.pass(1500);
  assert.equal((await again).command, 'resync');
  node!.register();
  assert.deepEqual((await master.register()).over, []);
  world.close();
});

test('that a master heard an end is durable before its next call is answered', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await master.ask('a');
  await world.exchange();
  for (const container of node!.containers.values()) if (!container.order.isMaster) node!.complete(container, 7);
  node!.speak();
  assert.equal((await master.call()).completed.length, 1);
  world.disk.full = true;
  const refused = assert.rejects(master.call(), { code: 'STORE_DISK_FULL' });
  await world.pass(1500);
  await refused;
  assert.equal(world.store.containers().length, 1);
  world.disk.full = false;
  const again = master.call();
  await world.pass(1500);
  assert.deepEqual((await again).completed, []);
  assert.equal(world.store.containers().length, 0);
  world.close();
});

test('the attempt of a master outside the cluster is durable before the master may register', async () => {
  const world = new World('capacity', 7, { logAggregation: false });
  const id = world.cluster.newApplicationId();
  await world.submit(submissionOf(id, { queue: 'b', unmanaged: true }), 'ada');
  world.disk.full = true;
  await world.exchange();
  const attempt = () => currentAttempt(world.cluster.view.application(id)!);
  assert.notEqual(attempt()?.state, 'LAUNCHED');
  world.disk.full = false;
  await world.pass(1500);
  const { token, state } = attempt()!;
  assert.equal(state, 'LAUNCHED');
  begin(world);
  assert.deepEqual([attempt()?.token, attempt()?.number], [token, 1]);
  world.close();
});

test('containers of a node that does not come back are lost after its expiry, and what runs there afterwards is stopped', async () => {
  const { world, master } = await running(2);
  const [, other] = world.nodes;
  await master.call({
    requests: [
      { askId: 'a', resource: { memoryMiB: 128, vcores: 1 }, count: 1, nodes: ['n1'], relaxLocality: false, launch: nothingToRun },
    ],
  });
  await world.exchange();
  const [id] = [...other!.containers.keys()];
  assert.ok(id);
  begin(world);
  world.nodes[0]!.register();
  await master.register();
  world.clock.advance(31_000);
  assert.deepEqual(
    (await master.call()).completed.map(({ containerId, exitCode }) => [containerId, exitCode]),
    [[id, -100]],
  );
  await master.call();
  other!.register();
  await world.exchange();
  assert.equal(other!.containers.get(id)?.state, 'COMPLETE');
  assert.deepEqual((await master.call()).completed, []);
  checkCluster(world);
  world.close();
});

// P7.
test('an end that its node no longer lists is told as it was, after a restart and after a session that was given up', async () => {
  for (const restarts of [true, false]) {
    const { world, master } = await running();
    const [node] = world.nodes;
    await master.ask('a', 4);
    await world.exchange();
    const own = [...node!.containers.values()].filter(({ order }) => !order.isMaster);
    for (const container of own) node!.run(container);
    await world.exchange();
    await master.call();
    node!.link.drop();
    node!.mostEnded = 1;
    own.forEach((container, i) => void node!.exit(container, 3 + i));
    assert.equal(node!.containers.size, 2, 'its master and the last that ended');
    if (restarts) begin(world);
    node!.register();
    if (restarts) {
      assert.equal((await master.call()).command, 'resync');
      await master.register();
    }
    await world.exchange();
    const told = (await master.call()).completed.map(({ containerId, exitCode }) => [containerId, exitCode]);
    assert.deepEqual(
      told.sort(),
      own.map(({ id }, i) => [id, 3 + i]),
      restarts ? 'restart' : 'session',
    );
    checkCluster(world);
    world.close();
  }
});

test('the release of what nobody knows is answered, once', async () => {
  const { world, master } = await running();
  const unknown = master.attempt.masterContainerId!.replace(/\d$/, '9');
  assert.deepEqual(
    (await master.call({ releases: [unknown] })).completed.map(({ containerId }) => containerId),
    [unknown],
  );
  assert.deepEqual((await master.call()).completed, []);
  world.close();
});

test('the release of a container whose node is away is answered at once, and holds when the node comes back', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await master.ask('a');
  await world.exchange();
  begin(world);
  const { held } = await master.register();
  const id = held[0]!.id;
  assert.deepEqual(
    (await master.call({ releases: [id] })).completed.map(({ containerId }) => containerId),
    [id],
  );
  node!.register();
  await world.exchange();
  assert.equal(node!.containers.get(id)?.state, 'COMPLETE');
  assert.deepEqual((await master.call()).completed, []);
  world.close();
});

test('a node whose connection is gone is given nothing, and a start that cannot be sent is taken back', async () => {
  const { world, master } = await running(2);
  const [node, other] = world.nodes;
  other!.link.setConnected(false);
  await master.ask('a', 4);
  assert.deepEqual([...new Set([...world.cluster.view.containers()].map(({ nodeId }) => nodeId))], [node!.id]);
  other!.link.setConnected(true);
  await master.ask('b', 4);
  assert.ok([...world.cluster.view.containers()].some(({ nodeId }) => nodeId === other!.id));
  checkCluster(world);
  world.close();
});

test('a registration of a node manager that is gone comes late and changes nothing', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  const late = node!.link.introduceLate();
  node!.register();
  late();
  assert.ok(node!.link.isReached);
  await master.ask('a');
  await world.exchange();
  assert.equal(node!.containers.size, 2);
  checkCluster(world);
  world.close();
});

// P9.
test('a master whose order to start never arrived costs no attempt, also when its node is lost or a restart lies between', async () => {
  for (const how of ['node lost', 'restart'] as const) {
    const world = new World('capacity', 7, { logAggregation: false });
    world.addNode('n0:45454');
    const id = world.cluster.newApplicationId();
    await world.submit(submissionOf(id, { queue: 'b', maximumAttempts: 1 }), 'ada');
    await world.settle();
    const [node] = world.nodes;
    if (how === 'restart') {
      node!.link.drop();
      begin(world);
    }
    if (how === 'node lost') {
      node!.link.setConnected(false);
      world.clock.advance(31_000);
    }
    node!.register();
    await world.exchange();
    const application = world.cluster.view.application(id)!;
    assert.deepEqual(
      [application.state, currentAttempt(application)!.state, application.attempts.length],
      ['ACCEPTED', 'LAUNCHED', 2],
      how,
    );
    assert.equal(world.masters.length, 1);
    world.close();
  }
});

test('a drain goes on after a restart until its time is over, and a drained node can be resumed then', async () => {
  const { world, master } = await running();
  const [node] = world.nodes;
  await world.cluster.drainNode(world.cluster.view.node(node!.id)!, 50);
  begin(world);
  assert.equal(world.cluster.view.node(node!.id)?.state, 'DECOMMISSIONED', 'until it registers');
  node!.register();
  await world.exchange();
  assert.equal(node!.isRefused, false);
  assert.equal(world.cluster.view.node(node!.id)?.state, 'DECOMMISSIONING');
  assert.deepEqual((await master.register()).held, []);
  checkCluster(world);
  world.clock.advance(51_000);
  await world.exchange();
  assert.equal(world.cluster.view.node(node!.id)?.state, 'DECOMMISSIONED');
  assert.ok([...node!.containers.values()].every(({ isGone }) => isGone));
  begin(world);
  node!.register();
  assert.equal(node!.link.isReached, false);
  assert.equal(await world.cluster.resumeNode(world.cluster.view.node(node!.id)!), true);
  node!.register();
  assert.equal(world.cluster.view.node(node!.id)?.state, 'RUNNING');
  world.close();
});

test('a drained node is part of the cluster again as soon as it is resumed, whoever was started anew between', async () => {
  for (const restarted of ['nobody', 'manager', 'node'] as const) {
    const { world } = await running();
    const [node] = world.nodes;
    const known = () => world.cluster.view.node(node!.id)!;
    await world.cluster.drainNode(known(), undefined);
    await world.exchange();
    if (restarted === 'manager') {
      begin(world);
      node!.register();
    }
    if (restarted === 'node') node!.register();
    await world.exchange();
    assert.deepEqual([known().state, node!.isRefused], ['DECOMMISSIONED', true]);
    // Nothing but messages: no time passes.
    await world.cluster.resumeNode(known());
    await world.exchange();
    assert.deepEqual([known().state, node!.isRefused], ['RUNNING', false], restarted);
    // It is called back once.
    await world.cluster.resumeNode(known());
    await world.exchange();
    assert.equal(known().state, 'RUNNING');
    world.close();
  }
});

test('no master is told to go before it is durable that its application ends, whatever it says', async () => {
  const { world, master } = await running();
  const silent = new Caller(world, world.cluster.newApplicationId());
  await world.submit(submissionOf(silent.id, { queue: 'b' }), 'ada');
  await world.exchange();
  const caller = { attemptId: silent.attempt.id, token: silent.attempt.token };
  const said = { heardEnds: [], registrationId: undefined };
  const calls = () => [
    master.call(),
    registerMaster(world.manager, caller, said),
    finishMaster(world.manager, caller, 'SUCCEEDED'),
    finishMaster(world.manager, { attemptId: master.attempt.id, token: master.attempt.token }, 'SUCCEEDED'),
  ];
  world.disk.full = true;
  for (const { application } of [master, silent]) await assert.rejects(world.cluster.kill(application, 'enough'));
  // Each waits for the next try, and is told that it failed.
  const waiting = Promise.allSettled(calls());
  world.clock.advance(1000);
  await world.settle();
  for (const answer of await waiting) assert.match(String(answer.status === 'rejected' && answer.reason), /disk is full/);
  begin(world);
  world.disk.full = false;
  await registerMaster(world.manager, caller, said);
  await master.register();
  assert.equal((await master.call()).command, undefined);
  world.disk.full = true;
  for (const { application } of [master, silent]) await assert.rejects(world.cluster.kill(application, 'enough'));
  world.disk.full = false;
  for (let second = 0; second < 3; second++) {
    world.clock.advance(1000);
    await world.settle();
  }
  assert.equal((await master.call()).command, 'shutdown');
  await assert.rejects(registerMaster(world.manager, caller, said), /not expected/);
  world.close();
});

test('a drain that cannot be stored begins nowhere, and says so', async () => {
  const { world } = await running();
  const node = () => world.cluster.view.node('n0:45454')!;
  world.disk.full = true;
  await assert.rejects(world.cluster.drainNode(node(), 50));
  assert.equal(node().state, 'RUNNING');
  world.disk.full = false;
  await world.cluster.drainNode(node(), 50);
  world.disk.full = true;
  await assert.rejects(world.cluster.resumeNode(node()));
  assert.equal(node().state, 'DECOMMISSIONING');
  world.close();
});

test('the size that an administrator gave a node outlives a restart', async () => {
  const { world } = await running();
  await world.cluster.resizeNode(world.cluster.view.node('n0:45454')!, [2048, 3], -1);
  world.kill();
  world.start();
  world.nodes[0]!.register();
  assert.deepEqual(world.cluster.view.node('n0:45454')!.resource, [2048, 3]);
  world.close();
});

test('the next attempt hears nothing of containers that ended with the attempt before, told by one node after a restart', async () => {
  // All ends, or that of the master alone.
  for (const listed of [1000, 1]) {
    const { world, master } = await running();
    const [node] = world.nodes;
    node!.mostEnded = listed;
    await master.ask('a', 2);
    await world.exchange();
    const { masterContainerId } = master.attempt;
    world.kill();
    const own = node!.containers.get(masterContainerId!)!;
    // Then its master began last of all, as far as the node knows.
    if (listed === 1) node!.containers.delete(own.id);
    node!.containers.set(own.id, own);
    for (const container of [...node!.containers.values()]) node!.complete(container, 1);
    assert.equal(node!.containers.size, Math.min(3, listed));
    world.start();
    node!.register();
    await world.settle();
    assert.equal(master.application.attempts.length, 2);
    const { held, over } = await master.register();
    await world.exchange();
    assert.deepEqual([held, over, (await master.call()).completed], [[], [], []], `${listed} listed`);
    assert.deepEqual(world.store.containers(), []);
    world.close();
  }
});

test('after a restart no number and no registration of a former session counts, and the last registration may be repeated', async () => {
  const { world, master } = await running();
  const register = (registrationId: string) =>
    world.cluster.registerMaster(master.application, master.attempt, { host: 'h', rpcPort: 1, trackingUrl: '', registrationId })!;
  const isLate = (registrationId: string) => world.cluster.isSupersededRegistration(master.attempt, registrationId);
  await register('one').durable;
  const { responseId: former, durable } = register('two');
  await durable;
  begin(world);
  world.nodes[0]!.register();
  await world.exchange();
  assert.deepEqual(['one', 'two', 'three'].map(isLate), [true, false, false]);
  const { responseId: repeated } = register('two');
  assert.ok(repeated > former);
  const { responseId: present } = register('three');
  assert.ok(present > repeated);
  assert.deepEqual(['one', 'two', 'three'].map(isLate), [true, true, false]);
  for (master.responseId of [0, former, repeated]) assert.equal((await master.ask('late')).command, 'resync');
  world.close();
});
