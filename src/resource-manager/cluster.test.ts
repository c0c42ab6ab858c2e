import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../lib/clock.ts';
import { silentLogger } from '../lib/log.ts';
import { seededRandom } from '../lib/random.ts';
import { parseConstraint } from '../model/placement-constraint.ts';
import { ResourceTypes } from '../model/resource.ts';
import { presetSettings } from '../scheduler/conformance/presets.ts';
import { createPolicy } from '../scheduler/create-policy.ts';
import { openDatabase } from '../storage/sqlite.ts';
import type { ContainerReport } from '../wire/cluster/container-messages.ts';
import type { NodeCommand, RegisterMessage } from '../wire/cluster/node-channel.ts';
import { currentAttempt, diagnosticsOf, finalStatus, publicState } from './applications/application.ts';
import type { Submission } from './applications/submission.ts';
import type { ClusterSettings } from './cluster/settings.ts';
import { Cluster } from './cluster.ts';
import { Membership } from './nodes/membership.ts';
import { ResourceManagerStore } from './store/resource-manager-store.ts';
import { aSubmission } from './test-support/builders.ts';

const types = new ResourceTypes();
const none = { physicalMemoryMiB: 0, virtualMemoryMiB: 0, cpuCores: 0 };

function build(store: ResourceManagerStore, clock: ManualClock, epoch = 0, more: Partial<ClusterSettings> = {}) {
  const policy = createPolicy({
    kind: 'capacity',
    properties: new Map([
      ['yarn.scheduler.capacity.root.queues', 'default'],
      ['yarn.scheduler.capacity.root.default.capacity', '100'],
      ['yarn.scheduler.capacity.maximum-am-resource-percent', '1'],
    ]),
    types,
    clock,
    settings: {
      ...presetSettings,
      aclEnabled: false,
      nodeLabelsEnabled: false,
      fair: { ...presetSettings.fair, waitTimeBeforeKillMs: 0 },
    },
  });
  return new Cluster({
    clock,
    random: seededRandom(1),
    logger: silentLogger,
    store,
    policy,
    types,
    settings: {
      clusterTimestamp: 1000,
      maximumAttempts: 2,
      masterExpiryMs: 60_000,
      nodeExpiryMs: 30_000,
      untrackedNodeRemovalMs: 60_000,
      containerExpiryMs: 600_000,
      logAggregationEnabled: false,
      logTimeoutMs: 600_000,
      masterBlacklistThreshold: 0.8,
      webUrl: () => 'http://rm:8088',
      masterUrl: () => 'http://rm:8088',
      timelineUrl: () => undefined,
      applicationPage: (id) => `http://rm:8088/cluster/app/${id}`,
      retentionMs: 86_400_000,
      retentionCount: 1000,
      masterEnvironment: {},
      ...more,
    },
    membership: new Membership(undefined, undefined),
    labels: { labelOf: () => '' },
    containerTokenKey: Buffer.alloc(32),
    masterCredentials: (_attemptId, given) => given,
    session: 's',
    epoch,
    observers: [],
  });
}

/** A node that keeps what it is told. */
function joinNode(cluster: Cluster, containers: ContainerReport[] = [], nodeId = 'n1:45454', more: Partial<RegisterMessage> = {}) {
  const commands: NodeCommand[] = [];
  const message: RegisterMessage = {
    type: 'register',
    nodeId,
    httpAddress: 'n1:8042',
    rack: '/default-rack',
    resource: { memoryMiB: 4096, vcores: 8 },
    version: '1',
    physicalMemoryMiB: 8192,
    physicalCores: 8,
    containers,
    applications: [],
    health: { healthy: true, report: '', time: 1 },
    ...more,
  };
  const node = cluster.registerNode(message, (command) => commands.push(command))!;
  const started = () => commands.flatMap((command) => (command.type === 'startContainers' ? [...command.containers] : []));
  const report = (containerId: string, state: ContainerReport['state'], exitCode = -1000, diagnostics = ''): ContainerReport => ({
    containerId,
    state,
    exitCode,
    diagnostics,
    resource: { memoryMiB: 128, vcores: 1 },
    priority: 0,
    createdTime: cluster.clock.now(),
  });
  return {
    node,
    commands,
    started,
    runs: (id: string) => cluster.takeNodeMessage(node, { type: 'containers', reports: [report(id, 'RUNNING')] }),
    ends: (id: string, exitCode: number, diagnostics = '') =>
      cluster.takeNodeMessage(node, { type: 'containers', reports: [report(id, 'COMPLETE', exitCode, diagnostics)] }),
    report,
  };
}

const submission = (applicationId: string, more: Partial<Submission> = {}): Submission =>
  aSubmission({
    applicationId,
    name: 'test',
    resource: [128, 1],
    launch: { commands: ['true'], environment: {}, localResources: {}, serviceData: {} },
    applicationLabelExpression: '',
    masterLabelExpression: '',
    ...more,
  });

const turn = () => new Promise<void>((done) => setImmediate(() => setImmediate(() => setImmediate(done))));
async function settle() {
  for (let i = 0; i < 5; i++) await turn();
}

async function running(more: Partial<Submission> = {}) {
  const clock = new ManualClock();
  const database = openDatabase(':memory:', { logger: silentLogger });
  const store = new ResourceManagerStore(database);
  const cluster = build(store, clock);
  const node = joinNode(cluster);
  const id = cluster.newApplicationId();
  await cluster.submit({ submission: submission(id, more), user: 'ada', queue: 'default', mapped: false });
  await settle();
  const application = cluster.view.application(id)!;
  return { clock, database, store, cluster, node, id, application, attempt: () => currentAttempt(application)! };
}

test('an application runs from submission to the exit of its master', async () => {
  const { cluster, node, application, attempt, clock } = await running();
  assert.equal(application.state, 'ACCEPTED');
  assert.equal(attempt().state, 'LAUNCHED');
  assert.equal(diagnosticsOf(application), 'AM container is launched, waiting for AM container to Register with RM');
  const [start] = node.started();
  assert.equal(start!.containerId, attempt().masterContainerId);
  assert.equal(start!.launch.secretEnvironment!['HEDDLE_ATTEMPT_TOKEN'], attempt().token);
  node.runs(start!.containerId);
  await cluster.registerMaster(application, attempt(), { host: 'h', rpcPort: 1, trackingUrl: 'http://h:2/' })?.durable;
  assert.equal(publicState(application), 'RUNNING');
  clock.advance(2000);
  const asked = cluster.allocate(
    application,
    attempt(),
    { responseId: 0, requests: [{ askId: 'a', resource: { memoryMiB: 256, vcores: 1 }, count: 2 }] },
    5000,
    new AbortController().signal,
  );
  await settle();
  const answer = await asked;
  assert.equal(answer.allocations.length, 2);
  const repeated = await cluster.allocate(application, attempt(), { responseId: 0 }, 0, new AbortController().signal);
  assert.deepEqual(repeated, answer);
  node.ends(answer.allocations[0]!.containerId, 0);
  const next = await cluster.allocate(
    application,
    attempt(),
    { responseId: 1, releases: [answer.allocations[1]!.containerId] },
    0,
    new AbortController().signal,
  );
  assert.deepEqual(
    next.completed.map(({ exitCode }) => exitCode),
    [0, -105],
  );
  const finished = cluster.unregisterMaster(application, attempt(), {
    finalStatus: 'SUCCEEDED',
    diagnostics: 'well',
    trackingUrl: 'http://history/',
  });
  await finished;
  assert.equal(application.state, 'FINISHING');
  node.ends(start!.containerId, 0);
  await settle();
  assert.equal(application.state, 'FINISHED');
  assert.equal(finalStatus(application), 'SUCCEEDED');
  assert.deepEqual(application.endedContainers, { succeeded: 2, failed: 0, stopped: 1 });
  assert.equal(cluster.view.containerCount, 0);
  assert.equal(cluster.policy.metrics().containersAllocated, 0);
  cluster.close();
});

test('a master that dies is tried again, then the application fails with its reason', async () => {
  const { cluster, store, node, application, attempt } = await running();
  node.ends(attempt().masterContainerId!, 7, 'bad. ');
  await settle();
  assert.equal(application.attempts.length, 2);
  assert.equal(application.attempts[0]!.state, 'FAILED');
  assert.equal(attempt().state, 'LAUNCHED');
  node.ends(attempt().masterContainerId!, 7, 'bad. ');
  await settle();
  assert.equal(application.state, 'FAILED');
  assert.match(
    application.diagnostics,
    /^Application application_1000_0001 failed 2 times due to AM Container for appattempt_1000_0001_000002 exited with {2}exitCode: 7\nFailing this attempt.Diagnostics: bad. For more/,
  );
  assert.equal(store.finished(application.id)!.state, 'FAILED');
  assert.deepEqual(application.endedContainers, { succeeded: 0, failed: 2, stopped: 0 });
  cluster.close();
});

test('the next attempt of a master avoids the node on which one died, unless its submission says otherwise', async () => {
  const avoided = async (more: Partial<Submission>): Promise<boolean> => {
    const { cluster, node, application, attempt } = await running(more);
    const other = joinNode(cluster, [], 'n2:45454');
    const first = attempt().masterNodeId!;
    (first === 'n1:45454' ? node : other).ends(attempt().masterContainerId!, 7);
    await settle();
    assert.ok(attempt().masterNodeId !== first || more.masterBlacklisting !== undefined);
    cluster.close();
    return cluster.avoidedNodes(application).includes(first);
  };
  const said: Submission['masterBlacklisting'][] = [undefined, { enabled: false }, { enabled: true, threshold: 0.4 }, { enabled: true }];
  const found = await Promise.all(said.map((masterBlacklisting) => avoided({ masterBlacklisting })));
  assert.deepEqual(found, [true, false, false, true]);
});

test('a master goes where its submission says', async () => {
  const { cluster, attempt } = await running({ masterPlaces: { nodes: ['n2'], racks: [], relaxed: false } });
  assert.equal(attempt().state, 'SCHEDULED');
  joinNode(cluster, [], 'n2:45454');
  await settle();
  assert.equal(attempt().masterNodeId, 'n2:45454');
  cluster.close();
});

test('a kill is durable and frees everything', async () => {
  const { cluster, node, application, attempt } = await running();
  const master = attempt().masterContainerId!;
  assert.equal(await cluster.killByUser(application, 'ada', 'enough'), 'begun');
  await settle();
  assert.equal(application.state, 'KILLED');
  assert.equal(application.diagnostics, `Application ${application.id} was killed by user ada with diagnostic message: enough`);
  assert.ok(node.commands.some((command) => command.type === 'stopContainers' && command.containers[0]!.containerId === master));
  assert.equal(await cluster.killByUser(application, 'ada', undefined), 'done');
  assert.equal(attempt().state, 'KILLED');
  cluster.close();
});

test('after a restart running masters are adopted, and the end of what ended meanwhile is heard', async () => {
  const { cluster, clock, store, application, attempt, node } = await running();
  await cluster.registerMaster(application, attempt(), { host: 'h', rpcPort: 1, trackingUrl: '' })?.durable;
  const second = cluster.newApplicationId();
  await cluster.submit({ submission: submission(second, { maximumAttempts: 1 }), user: 'ada', queue: 'default', mapped: false });
  await settle();
  const lost = currentAttempt(cluster.view.application(second)!)!.masterContainerId!;
  const waiting = cluster.newApplicationId();
  await cluster.submit({ submission: submission(waiting, { resource: [8192, 1] }), user: 'ada', queue: 'default', mapped: false });
  await settle();
  cluster.close();

  const again = build(store, clock, 1);
  again.recover();
  joinNode(again, [node.report(attempt().masterContainerId!, 'RUNNING'), node.report(lost, 'COMPLETE', 3, '')]);
  await settle();
  const recovered = again.view.application(application.id)!;
  assert.equal(recovered.state, 'RUNNING');
  assert.equal(again.view.containerCount, 1);
  assert.equal(again.policy.metrics().containersAllocated, 1);
  assert.equal(publicState(again.view.application(second)!), 'FAILED');
  assert.equal(publicState(again.view.application(waiting)!), 'ACCEPTED');
  const resync = await again.allocate(recovered, currentAttempt(recovered)!, { responseId: 9 }, 0, new AbortController().signal);
  assert.equal(resync.command, 'resync');
  again.close();
});

test('a silent master expires, a lost node takes its containers along', async () => {
  const { cluster, clock, application, attempt, node } = await running({ maximumAttempts: 1 });
  node.runs(attempt().masterContainerId!);
  cluster.nodeConnected(node.node, false);
  clock.advance(31_000);
  await settle();
  assert.equal(node.node.state, 'LOST');
  assert.equal(application.attempts[0]!.state, 'FAILED');
  assert.match(application.diagnostics, /exitCode: -100/);
  cluster.close();
  const silent = await running({ maximumAttempts: 1 });
  silent.clock.advance(61_000);
  await settle();
  assert.match(silent.application.diagnostics, /ApplicationMaster for attempt appattempt_1000_0001_000001 timed out/);
  assert.equal(attempt().number, 1);
  silent.cluster.close();
});

test('usage of a node and of its containers is taken over', async () => {
  const { cluster, node } = await running();
  cluster.takeNodeMessage(node.node, { type: 'usage', node: { ...none, physicalMemoryMiB: 5 }, containers: none, runningContainers: 1 });
  assert.equal(node.node.usage.node.physicalMemoryMiB, 5);
  cluster.close();
});

test('a draining node leaves when the applications on it have ended, not before', async () => {
  const { cluster, application, node } = await running({ maximumAttempts: 1 });
  cluster.decommissionNode(node.node, 60);
  assert.equal(node.node.state, 'DECOMMISSIONING');
  const other = joinNode(cluster, [], 'n2:45454');
  void cluster.kill(application, 'enough');
  await settle();
  for (const id of node.node.containers) node.ends(id, -106);
  await settle();
  assert.equal(node.node.state, 'DECOMMISSIONED');
  assert.equal(other.node.state, 'RUNNING');
  assert.deepEqual(node.commands.at(-1)?.type, 'refuse');
  cluster.close();
});

test('a draining node is given its time, may register again, and can be put back to work', async () => {
  const { cluster, clock, node } = await running();
  await cluster.drainNode(node.node, 60);
  assert.equal(
    joinNode(
      cluster,
      [...node.node.containers].map((id) => node.report(id, 'RUNNING')),
    ).node,
    node.node,
  );
  assert.equal(node.node.state, 'DECOMMISSIONING');
  await cluster.resumeNode(node.node);
  assert.equal(node.node.state, 'RUNNING');
  await cluster.drainNode(node.node, 60);
  clock.advance(50_000);
  assert.equal(node.node.state, 'DECOMMISSIONING');
  clock.advance(11_000);
  assert.equal(node.node.state, 'DECOMMISSIONED');
  assert.equal(node.node.containers.size, 0);
  assert.equal(joinNode(cluster).node, undefined);
  await cluster.resumeNode(node.node);
  assert.equal(joinNode(cluster).node.state, 'RUNNING');
  cluster.close();
});

test('opportunistic containers are given outside of queues, to nodes that let few wait, and can be promoted', async () => {
  const clock = new ManualClock();
  const database = openDatabase(':memory:', { logger: silentLogger });
  const cluster = build(new ResourceManagerStore(database), clock, 0, { opportunistic: true });
  const queueing = { opportunisticQueueLength: 2 };
  const first = joinNode(cluster, [], 'n1:1', queueing);
  const second = joinNode(cluster, [], 'n2:1', queueing);
  joinNode(cluster, [], 'n3:1');
  const id = cluster.newApplicationId();
  await cluster.submit({ submission: submission(id), user: 'ada', queue: 'default', mapped: false });
  await settle();
  const application = cluster.view.application(id)!;
  const attempt = currentAttempt(application)!;
  const masterNode = [first, second].find(({ started }) => started().length > 0) ?? first;
  masterNode.runs(attempt.masterContainerId!);
  await cluster.registerMaster(application, attempt, { host: 'h', rpcPort: 1, trackingUrl: '' })?.durable;
  let responseId = 0;
  const call = async (request: Partial<Parameters<Cluster['allocate']>[2]>, waitMs = 0) => {
    const answered = cluster.allocate(application, attempt, { responseId, ...request }, waitMs, new AbortController().signal);
    await settle();
    const answer = await answered;
    responseId = answer.responseId;
    return answer;
  };
  const before = cluster.policy.usage(id)!.allocated[0];
  const launch = { commands: ['true'], environment: {}, localResources: {}, serviceData: {} };
  const request = { askId: 'o', resource: { memoryMiB: 1024, vcores: 1 }, count: 7, executionType: 'OPPORTUNISTIC' as const, launch };
  const { allocations } = await call({ requests: [request] }, 1000);
  assert.deepEqual(allocations.map(({ nodeId }) => nodeId).sort(), ['n1:1', 'n1:1', 'n2:1', 'n2:1']);
  assert.ok(allocations.every(({ executionType }) => executionType === 'OPPORTUNISTIC'));
  assert.equal(cluster.policy.usage(id)!.allocated[0], before);
  assert.equal(cluster.policy.nodeUsage('n1:1')!.containers + cluster.policy.nodeUsage('n2:1')!.containers <= 1, true);

  // One begins: its node lets another wait.
  const one = allocations.find(({ nodeId }) => nodeId === 'n1:1')!;
  first.runs(one.containerId);
  const more = await call({}, 1000);
  assert.deepEqual(
    more.allocations.map(({ nodeId }) => nodeId),
    ['n1:1'],
  );

  const { updated } = await call({ updates: [{ containerId: one.containerId, updateType: 'PROMOTE_EXECUTION_TYPE' }] }, 1000);
  assert.deepEqual(
    updated?.map(({ containerId, executionType }) => [containerId, executionType]),
    [[one.containerId, 'GUARANTEED']],
  );
  assert.equal(cluster.policy.usage(id)!.allocated[0], before! + 1024);
  assert.deepEqual(first.commands.at(-1), {
    type: 'updateContainers',
    containers: [{ containerId: one.containerId, version: 1, executionType: 'GUARANTEED' }],
  });
  first.ends(one.containerId, 0);
  assert.equal(cluster.policy.usage(id)!.allocated[0], before);
  assert.equal(cluster.opportunistic.counts.allocated, 4);

  first.ends(more.allocations[0]!.containerId, -108, 'killed');
  const last = await call({ cancels: ['o'] });
  assert.deepEqual(
    last.completed.map(({ exitCode }) => exitCode),
    [0, -108],
  );
  await cluster.kill(application, 'enough');
  assert.deepEqual([cluster.opportunistic.counts.allocated, cluster.policy.metrics().containersAllocated], [0, 0]);
  cluster.close();
});

test('where opportunistic containers are off, asks for them get guaranteed ones', async () => {
  const { cluster, application, attempt, node } = await running();
  node.runs(attempt().masterContainerId!);
  await cluster.registerMaster(application, attempt(), { host: 'h', rpcPort: 1, trackingUrl: '' })?.durable;
  const answered = cluster.allocate(
    application,
    attempt(),
    { responseId: 0, requests: [{ askId: 'o', resource: { memoryMiB: 256, vcores: 1 }, count: 1, executionType: 'OPPORTUNISTIC' }] },
    1000,
    new AbortController().signal,
  );
  await settle();
  assert.deepEqual(
    (await answered).allocations.map(({ executionType }) => executionType),
    ['GUARANTEED'],
  );
  cluster.close();
});

test('a large load is placed in slices, with turns for others in between', async () => {
  const { cluster, node, application, attempt } = await running();
  node.runs(attempt().masterContainerId!);
  await cluster.registerMaster(application, attempt(), { host: 'h', rpcPort: 1, trackingUrl: '' })?.durable;
  for (let i = 0; i < 320; i++) joinNode(cluster, [], `m${i}:45454`);
  await settle();
  const before = cluster.view.containerCount;
  const requests = [{ askId: 'many', resource: { memoryMiB: 128, vcores: 1 }, count: 2500 }];
  const answer = cluster.allocate(application, attempt(), { responseId: 0, requests }, 0, new AbortController().signal);
  const placedByTurn: number[] = [];
  for (let placed = before; placed < before + 2500; ) {
    await new Promise<void>((done) => setImmediate(done));
    placedByTurn.push(cluster.view.containerCount - placed);
    placed = cluster.view.containerCount;
    assert.ok(placedByTurn.length < 100, `after ${placedByTurn.length} turns ${placed - before} of 2500 are placed`);
  }
  assert.ok(Math.max(...placedByTurn) <= 550, `placed in one turn: ${Math.max(...placedByTurn)}`);
  assert.ok(placedByTurn.length >= 5);
  await answer;
  cluster.close();
});

test('sizes of nodes from a file count from their registration on and when they are read again', async () => {
  const { cluster, node } = await running();
  const size = (memoryMiB: number) => ({ amounts: new Map([[0, memoryMiB]]), overcommitTimeoutMs: -1 });
  assert.deepEqual(
    await cluster.useDynamicResources(
      new Map([
        ['n1:45454', size(2048)],
        ['n9:1', size(1024)],
      ]),
    ),
    ['n1:45454'],
  );
  assert.deepEqual(cluster.policy.clusterResource(), [2048, 8]);
  assert.deepEqual(node.commands.at(-1), { type: 'updateResource', resource: { memoryMiB: 2048, vcores: 8 } });
  const late = joinNode(cluster, [], 'n9:1');
  assert.deepEqual(late.node.resource, [1024, 8]);
  assert.deepEqual(late.commands.at(-1), { type: 'updateResource', resource: { memoryMiB: 1024, vcores: 8 } });
  cluster.close();
});

test('containers shrink at once, grow when there is room, and never beyond what may be given', async () => {
  const { cluster, node, application, attempt } = await running();
  node.runs(attempt().masterContainerId!);
  await cluster.registerMaster(application, attempt(), { host: 'h', rpcPort: 1, trackingUrl: '' })?.durable;
  let responseId = 0;
  const call = async (request: Partial<Parameters<Cluster['allocate']>[2]>, waitMs = 0) => {
    const answered = cluster.allocate(application, attempt(), { responseId, ...request }, waitMs, new AbortController().signal);
    await settle();
    const answer = await answered;
    responseId = answer.responseId;
    return answer;
  };
  const launch = { commands: ['true'], environment: {}, localResources: {}, serviceData: {} };
  const size = (memoryMiB: number) => ({ memoryMiB, vcores: 1 });
  const { allocations } = await call({ requests: [{ askId: 'a', resource: size(1024), count: 2, launch }] }, 1000);
  const [one = '', two = ''] = allocations.map(({ containerId }) => containerId);
  for (const id of [one, two]) node.runs(id);
  const used = () => [cluster.policy.nodeUsage(node.node.id)!.used[0], cluster.policy.usage(application.id)!.allocated[0]];
  assert.deepEqual(used(), [2176, 2176]);

  const resize = (containerId: string, memoryMiB: number) => ({
    containerId,
    updateType: 'INCREASE_RESOURCE' as const,
    resource: size(memoryMiB),
  });
  const { updated } = await call({ updates: [{ ...resize(one, 512), updateType: 'DECREASE_RESOURCE' }] }, 1000);
  assert.deepEqual(
    updated?.map(({ containerId, resource }) => [containerId, resource]),
    [[one, { memoryMiB: 512, vcores: 1 }]],
  );
  assert.deepEqual(used(), [1664, 1664]);
  assert.deepEqual(node.commands.at(-1), {
    type: 'updateContainers',
    containers: [{ containerId: one, version: 1, resource: { memoryMiB: 512, vcores: 1 } }],
  });

  // 4096 in all: this one has to wait for the other's room.
  assert.equal((await call({ updates: [resize(one, 3072)] })).updated, undefined);
  assert.deepEqual(used(), [1664, 1664]);
  node.ends(two, 0);
  await settle();
  assert.equal((await call({}, 1000)).updated?.[0]?.resource.memoryMiB, 3072);
  assert.deepEqual(used(), [3200, 3200]);

  // A node that missed the change is told again.
  const before = node.commands.length;
  node.runs(one);
  assert.deepEqual(
    node.commands.slice(before).map((command) => command.type === 'updateContainers' && command.containers[0]?.resource?.memoryMiB),
    [3072],
  );

  const refused = await call({ updates: [resize(one, 100_000), resize('container_1_0001_01_000099', 1024)] }, 1000);
  assert.deepEqual(
    refused.updateErrors?.map(({ reason }) => reason),
    ['RESOURCE_OUTSIDE_ALLOWED_RANGE', 'INVALID_CONTAINER_ID'],
  );
  node.ends(one, 0);
  assert.deepEqual(used(), [128, 128]);
  cluster.close();
});

test('under the placement processor an ask that finds no place is rejected after some answers', async () => {
  const clock = new ManualClock();
  const database = openDatabase(':memory:', { logger: silentLogger });
  const cluster = build(new ResourceManagerStore(database), clock, 0, { placementConstraints: true, placementTries: 2 });
  const node = joinNode(cluster);
  const id = cluster.newApplicationId();
  await cluster.submit({ submission: submission(id), user: 'ada', queue: 'default', mapped: false });
  await settle();
  const application = cluster.view.application(id)!;
  const attempt = currentAttempt(application)!;
  node.runs(attempt.masterContainerId!);
  await cluster.registerMaster(application, attempt, { host: 'h', rpcPort: 1, trackingUrl: '' })?.durable;
  const request = {
    resource: { memoryMiB: 128, vcores: 1 },
    count: 2,
    allocationTags: ['x'],
  };
  const near = { ...request, askId: 'near', placementConstraint: parseConstraint('in,node,absent') };
  const apart = { ...request, askId: 'apart', placementConstraint: parseConstraint('notin,node,absent') };
  const rejected: unknown[] = [];
  for (let responseId = 0; responseId < 4; responseId++) {
    const requests = responseId === 0 ? [near, apart, { ...request, askId: 'plain', allocationTags: [], count: 100 }] : [];
    const answer = await cluster.allocate(application, attempt, { responseId, requests }, 0, new AbortController().signal);
    rejected.push(answer.rejected);
    await settle();
  }
  assert.deepEqual(rejected, [undefined, undefined, [{ askId: 'near', count: 2, reason: 'COULD_NOT_PLACE_ON_NODE' }], undefined]);
  assert.deepEqual(
    cluster.policy
      .usage(id)!
      .requests()
      .map(({ requestId }) => requestId)
      .toArray(),
    ['plain'],
  );
  cluster.close();
});
