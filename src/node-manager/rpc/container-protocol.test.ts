// ContainerManagementProtocol over real connections, with containers that run: who may log in, what is refused and in which words, and
// what a master can do with its containers.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type TokensOfNodes, tokensOfNodes } from '../../auth/application-tokens/open-tokens.ts';
import type { ContainerTokenContent } from '../../auth/container-token.ts';
import { loadConfiguration } from '../../config/load.ts';
import { systemClock } from '../../lib/clock.ts';
import { RefusedCall, RpcTestClient } from '../../rpc/test-support/rpc-client.ts';
import type { ContainerStart } from '../../wire/cluster/container-messages.ts';
import { containerIdMessage } from '../../wire/rpc/ids.ts';
import type { Encodable } from '../../wire/rpc/message.ts';
import { containerManagementProtocol as protocol } from '../../wire/rpc/protocols/container-management.ts';
import type { ContainerLaunchContextProto } from '../../wire/rpc/tables/containers.ts';
import type { AuxiliaryService } from '../auxiliary/service.ts';
import { anOrder, type NodeFixture, startNode } from '../test-support/node-fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'container-protocol-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Keys as the stand-in for the resource manager tells them. */
const tokens: TokensOfNodes = tokensOfNodes(loadConfiguration({ dataDir: folder, set: {} }), systemClock, Buffer.alloc(32, 7));
const facts = { resourceManagerStartedMs: 1, createdMs: 1, version: 0 };
const shuffle: AuxiliaryService = {
  name: 'mapreduce_shuffle',
  start: () => Promise.resolve(),
  metadata: () => Buffer.from([0, 0, 0x34, 0xfa]),
};

const settings = {
  'heddle.rpc.enabled': 'true',
  'yarn.nodemanager.address': '127.0.0.1:0',
  'yarn.nodemanager.aux-services': 'mapreduce_shuffle',
  'yarn.nodemanager.sleep-delay-before-sigkill.ms': '5000',
};

interface Fixture extends AsyncDisposable {
  readonly node: NodeFixture;
  readonly address: string;
  /** Logged in as the master of an application's attempt. */
  master(attemptId?: string): Promise<RpcTestClient>;
  /** The token of an order's container. */
  token(order: ContainerStart, more?: Partial<ContainerTokenContent>, version?: number): ReturnType<TokensOfNodes['containers']['issue']>;
}

async function aNode(more: Record<string, string> = {}): Promise<Fixture> {
  const node = await startNode({ ...settings, ...more }, { auxiliaryServices: [shuffle] });
  await node.resourceManager.until(() => node.resourceManager.heard.some(({ type }) => type === 'register'));
  const nodeId = () => node.resourceManager.registrations().at(-1)!.nodeId;
  return {
    node,
    get address() {
      return nodeId();
    },
    master: (attemptId = anOrder(1, '').attemptId) =>
      RpcTestClient.proven(nodeId(), tokens.nodes.issue({ attemptId, nodeId: nodeId(), user: 'ada' }), protocol.name),
    token({ launch: _launch, ...content }, { ...others } = {}, version = 0) {
      const whole = { ...content, nodeId: nodeId(), expiresMs: Number.MAX_SAFE_INTEGER, ...others };
      return tokens.containers.issue(whole, { ...facts, version });
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}

type Launch = Encodable<typeof ContainerLaunchContextProto>;
const running = (command: string, more: Launch = {}): Launch => ({ command: [command], ...more });
const start = (client: RpcTestClient, token: ReturnType<Fixture['token']>, launch: Launch) =>
  client.call(protocol, 'startContainers', { start_container_request: [{ container_token: token, container_launch_context: launch }] });
const status = async (client: RpcTestClient, order: ContainerStart) =>
  (await client.call(protocol, 'getContainerStatuses', { container_id: [containerIdMessage(order.containerId)] })).status[0];
const refusedBy = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof RefusedCall) return error.message;
    throw error;
  }
  return 'not refused';
};

describe('a master at its node', () => {
  it('logs in by its token for this node and by nothing else', async () => {
    await using own = await aNode();
    const attemptId = anOrder(1, '').attemptId;
    using named = RpcTestClient.named(own.address, 'ada', protocol.name);
    assert.equal((await named.reply())?.header.errorMsg, 'SIMPLE authentication is not enabled.  Available:[TOKEN]');
    const login = (token: Parameters<typeof RpcTestClient.proven>[1]) => refusedBy(RpcTestClient.proven(own.address, token, protocol.name));
    const elsewhere = tokens.nodes.issue({ attemptId, nodeId: 'elsewhere:1', user: 'ada' });
    assert.match(await login(elsewhere), /InvalidToken: Given NMToken for application : appattempt_\S+ is not valid for current node/);
    const good = tokens.nodes.issue({ attemptId, nodeId: own.address, user: 'ada' });
    assert.match(await login({ ...good, password: Buffer.alloc(20) }), /SaslException|AccessControlException|InvalidToken/);
    assert.match(await login({ identifier: Buffer.from('x'), password: good.password }), /InvalidToken/);
    using master = await own.master();
    assert.deepEqual(await master.call(protocol, 'stopContainers', {}), { succeeded_requests: [], failed_requests: [] });
  });

  it('is asked to come again while the node is not registered', async () => {
    const node = await startNode({ 'heddle.rpc.enabled': 'true', 'yarn.nodemanager.address': '127.0.0.1:0' });
    await using _node = node;
    await node.resourceManager.until(() => node.resourceManager.registrations().length > 0);
    const { nodeId } = node.resourceManager.registrations()[0]!;
    node.resourceManager.answersRegistrations = false;
    await node.restart();
    assert.equal(node.resourceManager.registrations().at(-1)!.nodeId, nodeId, 'the port of before');
    const token = tokens.nodes.issue({ attemptId: anOrder(1, '').attemptId, nodeId, user: 'ada' });
    assert.match(await refusedBy(RpcTestClient.proven(nodeId, token, protocol.name)), /NMNotYetReadyException/);
    node.resourceManager.answerRegistration(node.resourceManager.registrations().at(-1)!);
  });

  it('starts containers, sees and ends them; what is refused of some does not stop the others', async () => {
    await using own = await aNode();
    using master = await own.master();
    const [one, two] = [own.node.order(''), own.node.order('')];
    const answer = await master.call(protocol, 'startContainers', {
      start_container_request: [
        { container_token: own.token(one), container_launch_context: running('exit 7') },
        { container_token: own.token(two), container_launch_context: running('exec sleep 600') },
        { container_token: own.token(two), container_launch_context: running('exit 1') },
      ],
    });
    assert.deepEqual(answer.services_meta_data, [{ key: 'mapreduce_shuffle', value: Buffer.from([0, 0, 0x34, 0xfa]) }]);
    assert.deepEqual(
      answer.failed_requests.map(({ exception }) => [exception?.class_name, exception?.message]),
      [
        [
          'org.apache.hadoop.yarn.exceptions.YarnException',
          `Unauthorized request to start container.\n Attempt to relaunch the same container with id ${two.containerId}.`,
        ],
      ],
    );
    assert.equal(answer.succeeded_requests.length, 2);
    await own.node.resourceManager.complete(one.containerId);
    const ended = await status(master, one);
    assert.deepEqual([ended?.state, ended?.exit_status, ended?.container_sub_state], ['C_COMPLETE', 7, 'CSS_DONE']);
    await own.node.resourceManager.running(two.containerId);
    const { state, container_sub_state, exit_status, executionType, capability } = (await status(master, two))!;
    assert.deepEqual([state, container_sub_state, exit_status, executionType], ['C_RUNNING', 'CSS_RUNNING', -1000, 'GUARANTEED']);
    assert.deepEqual([capability?.memory, capability?.virtual_cores, capability?.resource_value_map.length], [128, 1, 2]);
    const places = (await status(master, two))!.container_attributes;
    assert.deepEqual(ended?.container_attributes, places, 'where it was reached');
    assert.deepEqual(
      places.map(({ key }) => key),
      ['IPS', 'HOST'],
    );
    assert.match(places[0]!.value!, /^\d+\.\d+\.\d+\.\d+$/);
    assert.equal(places[1]!.value, hostname());
    const unknown = { ...containerIdMessage(two.containerId), id: 99n };
    const stopped = await master.call(protocol, 'stopContainers', { container_id: [unknown, containerIdMessage(two.containerId)] });
    assert.match(
      stopped.failed_requests[0]?.exception?.message ?? '',
      /^Container container_\S+_000099 is not handled by this NodeManager$/,
    );
    assert.equal(stopped.succeeded_requests.length, 1);
    assert.equal((await own.node.resourceManager.complete(two.containerId)).exitCode, -105);
  });

  it('starts nothing by tokens that are too old, of other applications, of another resource manager, or of nobody', async () => {
    await using own = await aNode();
    using master = await own.master();
    const order = own.node.order('');
    const failureOf = async (token: ReturnType<Fixture['token']>, launch = running('true')) => {
      const { failed_requests: [failed] = [] } = await start(master, token, launch);
      return `${failed?.exception?.class_name}: ${failed?.exception?.message}`;
    };
    assert.match(
      await failureOf(own.token(order, { expiresMs: 1 })),
      /YarnException: Unauthorized request to start container\.\nThis token is expired\. current time is \d+ found 1\nNote: System times/,
    );
    assert.match(
      await failureOf(own.token(order, { nodeMemory: '0123456789abcdef' })),
      /InvalidContainerException: Container \S+ was given before this node lost what it remembered: it is over, and is not started again\./,
    );
    const other = { containerId: 'container_1700000000000_0002_01_000002', applicationId: 'application_1700000000000_0002' };
    assert.match(
      await failureOf(own.token({ ...order, ...other })),
      /\nNMToken for application attempt : appattempt_1700000000000_0001_000001 was used for starting container with container token issued for application attempt : appattempt_1700000000000_0002_000001$/,
    );
    const { launch: _launch, ...content } = order;
    const former = tokens.containers.issue(
      { ...content, nodeId: own.address, expiresMs: Number.MAX_SAFE_INTEGER },
      { ...facts, resourceManagerStartedMs: 2 },
    );
    assert.match(await failureOf(former), /InvalidContainerException: \nContainer \S+ rejected as it is allocated by a previous RM$/);
    assert.match(
      await failureOf(own.token(order), running('true', { service_data: [{ key: 'none', value: Buffer.of() }] })),
      /InvalidAuxServiceException: The auxService:none does not exist$/,
    );
    const forged = { ...own.token(order), password: Buffer.alloc(20) };
    assert.match(await refusedBy(start(master, forged, running('true'))), /InvalidToken: Invalid container token used for starting/);
    const away = own.token(order, { nodeId: 'elsewhere:1' });
    assert.match(await refusedBy(start(master, away, running('true'))), /InvalidToken/);
    assert.deepEqual(own.node.resourceManager.reports(order.containerId), []);
  });

  it('touches no container of another application', async () => {
    await using own = await aNode();
    using master = await own.master();
    using stranger = await own.master('appattempt_1700000000000_0002_000001');
    const order = own.node.order('');
    await start(master, own.token(order), running('exec sleep 600'));
    await own.node.resourceManager.running(order.containerId);
    const container_id = [containerIdMessage(order.containerId)];
    for (const [method, text] of [
      ['stopContainers', /attempted to stop non-application container : container_/],
      ['getContainerStatuses', /attempted to get status for non-application container : container_/],
      ['getLocalizationStatuses', /attempted to get status for non-application container : container_/],
    ] as const)
      assert.match((await stranger.call(protocol, method, { container_id })).failed_requests[0]?.exception?.message ?? '', text);
    const [id] = container_id;
    for (const call of [
      () => stranger.call(protocol, 'restartContainer', id!),
      () => stranger.call(protocol, 'rollbackLastReInitialization', id!),
      () => stranger.call(protocol, 'commitLastReInitialization', id!),
      () => stranger.call(protocol, 'reInitializeContainer', { container_id: id, container_launch_context: running('true') }),
      () => stranger.call(protocol, 'localize', { container_id: id, local_resources: [] }),
      () => stranger.call(protocol, 'signalToContainer', { container_id: id!, command: 'FORCEFUL_SHUTDOWN' }),
    ])
      assert.match(await refusedBy(call()), /ApplicationMaster not authorized to perform \[\w+\] on Container \[container_/);
    assert.equal((await status(master, order))?.state, 'C_RUNNING');
  });

  it('gives a container another size by a newer token, once', async () => {
    await using own = await aNode();
    using master = await own.master();
    const order = own.node.order('');
    await start(master, own.token(order), running('exec sleep 600'));
    await own.node.resourceManager.running(order.containerId);
    const larger = own.token(order, { resource: { memoryMiB: 256, vcores: 1 } }, 1);
    const update = () => master.call(protocol, 'updateContainer', { update_container_token: [larger] });
    assert.equal((await update()).succeeded_requests.length, 1);
    assert.equal((await status(master, order))?.capability?.memory, 256);
    assert.match(
      (await update()).failed_requests[0]?.exception?.message ?? '',
      /^Container \S+ has update version \[1\] >= requested version \[1\]$/,
    );
    // What the resource manager has changed since is not changed back by a token from before.
    const resource = { memoryMiB: 64, vcores: 1 };
    own.node.resourceManager.send({ type: 'updateContainers', containers: [{ containerId: order.containerId, resource, version: 3 }] });
    while ((await status(master, order))?.capability?.memory !== 64);
    const stale = own.token(order, { resource: { memoryMiB: 512, vcores: 1 } }, 2);
    const refused = await master.call(protocol, 'updateContainer', { update_container_token: [stale] });
    assert.match(refused.failed_requests[0]?.exception?.message ?? '', /update version \[3\] >= requested version \[2\]$/);
    const same = own.token(order, { resource }, 3);
    assert.equal((await master.call(protocol, 'updateContainer', { update_container_token: [same] })).succeeded_requests.length, 1);
    const old = await master.call(protocol, 'increaseContainersResource', { increase_containers: [larger] });
    assert.equal(old.failed_requests.length, 1);
    // One that came too late changes nothing.
    const late = own.token(order, { resource: { memoryMiB: 1024, vcores: 1 }, expiresMs: 1 }, 4);
    for (const asked of [
      () => master.call(protocol, 'updateContainer', { update_container_token: [late] }),
      () => master.call(protocol, 'increaseContainersResource', { increase_containers: [late] }),
    ])
      assert.match((await asked()).failed_requests[0]?.exception?.message ?? '', /This token is expired\. current time is \d+ found 1\n/);
    assert.equal((await status(master, order))?.capability?.memory, 64);
  });
});

describe('a running container', () => {
  it('is restarted, given another program, brought back, kept, signalled', async () => {
    await using own = await aNode();
    using master = await own.master();
    const order = own.node.order('');
    const id = containerIdMessage(order.containerId);
    const log = join(folder, 'runs');
    const program = (name: string) => running(`echo ${name} >> ${log}; exec sleep 600`);
    const runs = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').join(' ') : '');
    const until = async (wanted: string) => {
      for (;;) {
        const now = await status(master, order);
        if (runs() === wanted && now?.container_sub_state === 'CSS_RUNNING') return;
        assert.equal(now?.state, 'C_RUNNING');
      }
    };
    await start(master, own.token(order), program('one'));
    await until('one');
    await master.call(protocol, 'restartContainer', id);
    await until('one one');
    assert.match(await refusedBy(master.call(protocol, 'rollbackLastReInitialization', id)), /YarnException: Nothing to rollback to !!/);
    assert.match(await refusedBy(master.call(protocol, 'commitLastReInitialization', id)), /YarnException: Nothing to Commit !!/);
    const become = (name: string) =>
      master.call(protocol, 'reInitializeContainer', {
        container_id: id,
        container_launch_context: program(name),
        auto_commit: false,
      });
    await become('two');
    await until('one one two');
    await master.call(protocol, 'rollbackLastReInitialization', id);
    await until('one one two one');
    await become('three');
    await until('one one two one three');
    await master.call(protocol, 'commitLastReInitialization', id);
    assert.match(await refusedBy(master.call(protocol, 'rollbackLastReInitialization', id)), /Nothing to rollback/);
    const gone = { ...id, id: 999n };
    assert.deepEqual(await master.call(protocol, 'signalToContainer', { container_id: gone, command: 'FORCEFUL_SHUTDOWN' }), {});
    await master.call(protocol, 'signalToContainer', { container_id: id, command: 'GRACEFUL_SHUTDOWN' });
    assert.equal((await own.node.resourceManager.complete(order.containerId)).exitCode, 143);
    assert.match(
      await refusedBy(master.call(protocol, 'restartContainer', id)),
      /Cannot perform RE_INIT on \[container_\S+\]\. Current state is \[\w+, isReInitializing=false\]\. Container Execution Type is \[GUARANTEED\]\./,
    );
  });

  it('is brought files, which its master can follow', async () => {
    await using own = await aNode();
    using master = await own.master();
    const order = own.node.order('');
    const id = containerIdMessage(order.containerId);
    const source = join(folder, 'brought.txt');
    writeFileSync(source, 'content');
    const timestamp = Math.floor(statSync(source).mtimeMs);
    const file = (path: string) => ({
      resource: { scheme: 'file', port: -1, file: path },
      size: -1,
      timestamp,
      type: 'FILE' as const,
      visibility: 'APPLICATION' as const,
    });
    await start(
      master,
      own.token(order),
      running('while [ ! -e in/brought ]; do sleep 0.1; done; exit \\$(wc -c < in/brought)', {
        localResources: [{ key: 'first', value: file(source) }],
      }),
    );
    await own.node.resourceManager.running(order.containerId);
    const statuses = async () => {
      const answer = await master.call(protocol, 'getLocalizationStatuses', { container_id: [id] });
      return answer.cntn_localization_statuses[0]?.localization_statuses ?? [];
    };
    await master.call(protocol, 'localize', { container_id: id, local_resources: [{ key: 'gone', value: file(`${source}.gone`) }] });
    while ((await statuses()).some(({ localization_state }) => localization_state === 'L_PENDING'));
    assert.deepEqual(
      (await statuses()).map(({ resource_key, localization_state }) => [resource_key, localization_state]),
      [
        ['first', 'L_COMPLETED'],
        ['gone', 'L_FAILED'],
      ],
    );
    assert.match((await statuses())[1]?.diagnostics ?? '', /FileNotFoundException/);
    await master.call(protocol, 'localize', { container_id: id, local_resources: [{ key: 'in/brought', value: file(source) }] });
    assert.equal((await own.node.resourceManager.complete(order.containerId)).exitCode, 7);
  });

  it('of another user is brought files with the rights of that user', { skip: process.getuid?.() !== 0 }, async () => {
    const room = realpathSync(mkdtempSync(join(tmpdir(), 'users-')));
    chmodSync(room, 0o711);
    await using own = await aNode({
      'yarn.nodemanager.container-executor.class': 'org.apache.hadoop.yarn.server.nodemanager.LinuxContainerExecutor',
      'yarn.nodemanager.local-dirs': join(room, 'local'),
      'yarn.nodemanager.log-dirs': join(room, 'logs'),
    });
    using master = await own.master();
    const order = own.node.order('');
    const id = containerIdMessage(order.containerId);
    const file = (name: string, mode: number) => {
      const path = join(room, name);
      writeFileSync(path, 'content', { mode });
      return {
        key: name,
        value: {
          resource: { scheme: 'file', port: -1, file: path },
          size: -1,
          timestamp: Math.floor(statSync(path).mtimeMs),
          type: 'FILE' as const,
          visibility: 'PRIVATE' as const,
        },
      };
    };
    const command =
      'while [ ! -e in/open ]; do sleep 0.1; done; [ \\$(stat -c %U -L in/open) = nobody ] && exec cat in/open > <LOG_DIR>/stdout';
    await start(master, own.token(order), running(command));
    await own.node.resourceManager.running(order.containerId);
    const local_resources = [
      { ...file('open', 0o644), key: 'in/open' },
      { ...file('closed', 0o600), key: 'closed' },
    ];
    await master.call(protocol, 'localize', { container_id: id, local_resources });
    assert.equal((await own.node.resourceManager.complete(order.containerId)).exitCode, 0);
    const answer = await master.call(protocol, 'getLocalizationStatuses', { container_id: [id] });
    assert.match(answer.cntn_localization_statuses[0]?.localization_statuses[1]?.diagnostics ?? '', /Permission denied/);
    rmSync(room, { recursive: true, force: true });
  });
});
