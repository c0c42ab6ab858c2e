// Masters of Hadoop over real connections: what they are answered, what is refused, what is told once.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exitStatus } from '../../model/exit-status.ts';
import { RpcTestClient } from '../../rpc/test-support/rpc-client.ts';
import { encode } from '../../wire/rpc/codec.ts';
import { containerIdText } from '../../wire/rpc/ids.ts';
import { applicationMasterProtocol as protocol } from '../../wire/rpc/protocols/application-master.ts';
import { AllocateResponseProto } from '../../wire/rpc/tables/master-service.ts';
import { currentAttempt } from '../applications/application.ts';
import { type Asked, asked, capability, everything, refusal, running } from './test-support/master-calls.ts';
import { type AllocateCall, MasterWorld, rollingMs } from './test-support/master-world.ts';

describe('the login of a master', () => {
  it('takes the token of an attempt that is there, and nothing else', async () => {
    await using masters = await MasterWorld.start();
    using named = RpcTestClient.named(masters.address, 'root', protocol.name);
    const refused = await named.reply();
    assert.deepEqual(
      [refused?.header.status, refused?.header.exceptionClassName, refused?.header.errorMsg],
      ['FATAL', 'org.apache.hadoop.security.AccessControlException', 'SIMPLE authentication is not enabled.  Available:[TOKEN]'],
    );
    const unknown = 'appattempt_1_0099_000001';
    assert.equal(
      await refusal(masters.connect(unknown)),
      `org.apache.hadoop.security.token.SecretManager$InvalidToken: ${unknown} not found in AMRMTokenSecretManager.`,
    );
    const { node } = masters.world.addNode();
    const master = await masters.submit(node);
    const { identifier } = masters.tokens.masters.issue(master.attempt.id);
    const forged = RpcTestClient.proven(masters.address, { identifier, password: Buffer.alloc(20) }, protocol.name);
    assert.match(await refusal(forged), /^javax\.security\.sasl\.SaslException: DIGEST-MD5/);
    await master.register();
    master.client[Symbol.dispose]();
    await masters.world.cluster.kill(master.application, 'enough');
    assert.match(await refusal(masters.connect(master.attempt.id)), /not found in AMRMTokenSecretManager/);
  });
});

describe('the order of calls', () => {
  it('is that of register, allocate and finish', async () => {
    await using masters = await MasterWorld.start();
    const { node } = masters.world.addNode();
    const master = await masters.submit(node);
    using _client = master.client;
    assert.equal(
      await refusal(master.beat()),
      'ApplicationMasterNotRegisteredException: AM is not registered for known application attempt: ATTEMPT or RM had restarted after AM registered. AM should re-register.',
    );
    assert.equal(
      await refusal(master.finish()),
      'ApplicationMasterNotRegisteredException: Application Master is trying to unregister before registering for: APP',
    );
    const registered = await master.register();
    assert.deepEqual(
      [
        registered.queue,
        registered.maximumCapability?.memory,
        registered.scheduler_resource_types,
        registered.resource_types.map(({ name }) => name),
      ],
      ['root.default', 4096, ['MEMORY'], ['memory-mb', 'vcores']],
    );
    assert.equal(
      await refusal(master.client.call(protocol, 'registerApplicationMaster', {})),
      'InvalidApplicationMasterRequestException: Application Master is already registered : APP',
    );
    assert.equal((await master.beat()).response_id, 1);
    assert.equal((await master.finish('APP_FAILED')).isUnregistered, true);
    assert.deepEqual([master.attempt.finalStatus, master.attempt.diagnostics], ['FAILED', 'done']);
    assert.equal((await master.finish('APP_FAILED')).isUnregistered, true);
    // Until its container has ended it may go on saying that it is there.
    const { response_id: number, allocated_containers: given } = await master.client.call(protocol, 'allocate', {
      response_id: 1,
      ask: [asked(1)],
    });
    assert.deepEqual([number, given], [2, []]);
    assert.equal(
      await refusal(master.register()),
      'InvalidApplicationMasterRequestException: Application Master is already registered : APP',
    );
    masters.world.report(node, master.attempt.masterContainerId!, 'COMPLETE', 0);
    assert.match(await refusal(master.beat()), /^ApplicationAttemptNotFoundException: /);
    assert.match(await refusal(master.register()), /^ApplicationAttemptNotFoundException: /);
  });

  it('numbers calls: the same again is answered with the same bytes, others are refused', async () => {
    await using world = await running();
    const { master } = world;
    await master.beat();
    const second = await master.beat({ ask: [asked(2)] });
    assert.deepEqual([second.response_id, second.allocated_containers.length, second.nm_tokens.length], [2, 2, 1]);
    const again = await master.client.call(protocol, 'allocate', { response_id: 1, ask: [asked(7)] });
    assert.deepEqual(encode(AllocateResponseProto, again), encode(AllocateResponseProto, second));
    for (const responseId of [0, 5, -1])
      assert.equal(
        await refusal(master.client.call(protocol, 'allocate', { response_id: responseId })),
        `InvalidApplicationMasterRequestException: Invalid responseId in AllocateRequest from application attempt: ATTEMPT expect responseId to be 2 but get ${responseId}`,
      );
    const third = await master.beat();
    assert.deepEqual([third.response_id, third.allocated_containers, third.nm_tokens], [3, [], []]);
  });
});

describe('what is asked too much', () => {
  it('numbers calls from 0 again after the largest number', async () => {
    await using masters = await MasterWorld.start();
    const { node } = masters.world.addNode();
    const master = await masters.submit(node);
    using _client = master.client;
    await master.register();
    master.attempt.responseId = 2 ** 31 - 2;
    master.responseId = 2 ** 31 - 2;
    await master.beat();
    assert.equal(master.responseId, 2 ** 31 - 1);
    const first = await master.beat();
    assert.equal(master.responseId, 0);
    master.responseId = 2 ** 31 - 1;
    assert.deepEqual(await master.beat(), first, 'the same again');
    await master.beat();
    assert.equal(master.responseId, 1);
    master.responseId = 2 ** 31 - 1;
    await assert.rejects(master.beat(), /expect responseId to be 1 but get 2147483647/);
  });

  it('is refused in the words of Hadoop, and nothing of the call is taken', async () => {
    await using world = await running();
    const { master, masters } = world;
    const releases = (cluster_timestamp: number) => [
      { app_attempt_id: { application_id: { id: 1, cluster_timestamp }, attemptId: 1 }, id: 1n },
    ];
    const size = 'Invalid resource request! Cannot allocate containers as requested resource is';
    const refused: readonly (readonly [call: AllocateCall, words: string])[] = [
      [
        { ask: [asked(1, { capability: capability(1 << 20) })] },
        `InvalidResourceRequestException: ${size} greater than maximum allowed allocation. Requested resource type=[memory-mb], Requested resource=<memory:1048576, vCores:1>, maximum allowed allocation=<memory:4096, vCores:4>, please note that maximum allowed allocation is calculated by scheduler based on maximum resource of registered NodeManagers, which might be less than configured maximum allocation=<memory:8192, vCores:4>`,
      ],
      [
        { ask: [asked(1, { capability: capability(-5) })] },
        `InvalidResourceRequestException: ${size} less than 0! Requested resource type=[memory-mb], Requested resource=<memory:-5, vCores:1>`,
      ],
      [
        { ask: [asked(1, { node_label_expression: 'nolabel' })] },
        'InvalidLabelResourceRequestException: Invalid resource request, node label not enabled but request contains label expression',
      ],
      [
        { ask: [asked(1, { resource_name: 'n1', node_label_expression: 'x' })] },
        'InvalidLabelResourceRequestException: Invalid resource request, queue=default specified node label expression in a resource request has resource name = n1',
      ],
      [
        { ask: [asked(1, { resource_name: undefined })] },
        'InvalidResourceRequestException: Invalid resource request! It has no resource name.',
      ],
      [{ ask: [asked(1, { capability: undefined })] }, 'InvalidResourceRequestException: Invalid resource request! It has no capability.'],
      [{ blacklist_request: { blacklist_additions: ['*'] } }, 'InvalidResourceBlacklistRequestException: Cannot add * to the blacklist!'],
      [
        { release: releases(1) },
        'InvalidContainerReleaseException: Cannot release container : container_1_0001_01_000001 not belonging to this application attempt : ATTEMPT',
      ],
    ];
    // A good ask beside it is not taken either.
    for (const [call, words] of refused)
      assert.equal(await refusal(master.beat({ ...call, ask: [asked(3), ...(call.ask ?? [])], progress: 0.9 })), words);
    const { policy } = masters.world.cluster;
    assert.deepEqual([policy.usage(master.application.id)?.pendingContainers, master.attempt.progress], [0, 0]);
    const taken = await master.beat({ ask: [asked(1, { capability: capability(100) })], progress: 7.5 });
    assert.equal(taken.response_id, 1);
    assert.deepEqual([taken.allocated_containers.map(({ resource }) => resource?.memory), master.attempt.progress], [[128], 1]);
    await master.beat();
    assert.equal(master.attempt.progress, 0);
  });
});

const host = (resource_name: string, num_containers: number, more: Partial<Asked> = {}) =>
  asked(num_containers, { resource_name, ...more });
describe('asks', () => {
  it('are for so many in all: what is on the way counts, and a number said again is not added', async () => {
    await using world = await running();
    const { master, masters } = world;
    const elsewhere = await masters.filled();
    const first = await master.beat({ ask: [asked(3)] });
    assert.deepEqual([first.allocated_containers, first.enhanced_headroom], [[], { total_pending_count: 3, total_active_cores: 8 }]);
    await elsewhere.end();
    // Given, and not told of yet: the same number again asks for nothing more.
    const second = await master.beat({ ask: [asked(3)] });
    assert.equal(second.allocated_containers.length, 3);
    // What it was told of it takes away; an ask of fewer withdraws.
    assert.equal((await master.beat()).allocated_containers.length, 0);
    assert.equal((await everything(master, { ask: [asked(0)] })).length, 0);
  });

  it('are answered with what is given for them at once, and for what was given back', async () => {
    await using world = await running();
    const { master } = world;
    const first = await master.beat({ ask: [asked(7)] });
    assert.deepEqual([first.allocated_containers.length, first.limit?.memory], [6, 0]);
    const release = first.allocated_containers.slice(0, 2).map(({ id }) => id!);
    assert.equal((await master.beat({ release })).allocated_containers.length, 1);
  });

  it('are answered soon where what is given for them cannot be told yet, which the next answer does', async () => {
    await using world = await running();
    const { master, masters } = world;
    const written = masters.world.hold('persist');
    const answering = master.beat({ ask: [asked(2)] });
    while (masters.world.cluster.view.attempt(master.attempt.id)!.attempt.containers.size < 3) await masters.world.settle();
    masters.world.clock.advance(1000);
    assert.deepEqual((await answering).allocated_containers, []);
    written();
    await masters.world.settle();
    assert.equal((await master.beat()).allocated_containers.length, 2);
  });

  it('keep apart by priority, size, type and number, and containers say which they answer', async () => {
    await using world = await running();
    const given = await everything(world.master, {
      ask: [
        asked(1, { priority: { priority: 5 } }),
        asked(1, { allocation_request_id: 71 }),
        asked(1, { allocation_request_id: 72 }),
        asked(1, { capability: capability(1024) }),
        asked(1, { execution_type_request: { execution_type: 'OPPORTUNISTIC', enforce_execution_type: true }, allocation_request_id: 90 }),
      ],
    });
    assert.deepEqual(
      given
        .map((one) => [one.priority?.priority, one.allocation_request_id, one.resource?.memory, one.execution_type])
        .sort((a, b) => Number(a[0]) - Number(b[0]) || Number(a[1]) - Number(b[1])),
      [
        [1, -1, 1024, 'GUARANTEED'],
        [1, 71, 512, 'GUARANTEED'],
        [1, 72, 512, 'GUARANTEED'],
        [1, 90, 512, 'OPPORTUNISTIC'],
        [5, -1, 512, 'GUARANTEED'],
      ],
    );
  });

  it('of hosts are served there: as many as are wanted at each, and nowhere else where locality is not relaxed', async () => {
    await using world = await running();
    const { master, masters } = world;
    for (const name of ['n2', 'n3']) masters.world.addNode(`${name}:45454`);
    const strict = { relax_locality: false };
    const places = (priority: number, counts: Record<string, number>, all: number, relax: Partial<Asked>) => [
      ...Object.entries(counts).map(([name, count]) => host(name, count, { priority: { priority } })),
      host('/default-rack', all, { priority: { priority }, ...relax }),
      asked(all, { priority: { priority }, ...relax }),
    ];
    const two = await everything(master, { ask: places(1, { n2: 1, n3: 1 }, 2, strict) });
    assert.deepEqual(two.map(({ nodeId }) => nodeId?.host).sort(), ['n2', 'n3']);
    // One container that may stand on either.
    assert.equal((await everything(master, { ask: places(2, { n2: 1, n3: 1 }, 1, strict) })).length, 1);
    // A host that is not there: waited for without end, or for a while.
    assert.equal((await everything(master, { ask: places(3, { nowhere: 1 }, 1, strict) })).length, 0);
    assert.equal((await everything(master, { ask: places(4, { nowhere: 1 }, 1, {}) })).length, 1);
  });

  it('avoid places of the blacklist until it is taken back', async () => {
    await using world = await running();
    const { master } = world;
    const avoid = { blacklist_request: { blacklist_additions: ['n1'] } };
    assert.deepEqual(await everything(master, { ask: [asked(1)], ...avoid }), []);
    assert.equal((await everything(master, { blacklist_request: { blacklist_removals: ['n1'] } })).length, 1);
  });
});

describe('what masters hear', () => {
  it('of containers: their ends once, those that they gave back as aborted, and nothing of what they never had', async () => {
    await using world = await running();
    const { master, masters } = world;
    const [first, second] = await everything(master, { ask: [asked(2)] });
    const [text] = [...master.attempt.containers.values()].filter(({ isMaster }) => !isMaster);
    const node = masters.world.cluster.view.node('n1:45454')!;
    masters.world.report(node, text!.id, 'COMPLETE', 7);
    const never = { ...second!.id!, id: 99n };
    const told = await master.beat({ release: [second!.id!, never] });
    assert.deepEqual(
      told.completed_container_statuses.map(({ container_id, exit_status, state }) => [container_id?.id, exit_status, state]),
      [
        [first!.id?.id, 7, 'C_COMPLETE'],
        [second!.id?.id, exitStatus.aborted, 'C_COMPLETE'],
      ],
    );
    assert.deepEqual(
      told.completed_container_statuses.map(({ capability: size, container_sub_state }) => [size?.memory, container_sub_state]),
      [
        [512, 'CSS_DONE'],
        [undefined, undefined],
      ],
      'of an end without the node there is nothing more to tell',
    );
    assert.deepEqual((await master.beat({ release: [never] })).completed_container_statuses, []);
  });

  it('of containers that they want changed: the version counts, errors name what was asked', async () => {
    await using world = await running();
    const { master } = world;
    const [given] = await everything(master, { ask: [asked(1)] });
    const update = (container_version: number, memory: number) => ({
      container_version,
      container_id: given!.id!,
      update_type: 'INCREASE_RESOURCE' as const,
      capability: capability(memory),
    });
    const wrong = await master.beat({ update_requests: [update(3, 2048)] });
    assert.deepEqual(
      wrong.update_errors.map(({ reason, update_request, current_container_version: version }) => [
        reason,
        update_request?.container_version,
        version,
      ]),
      [['INCORRECT_CONTAINER_VERSION_ERROR', 3, 0]],
    );
    const foreign = { ...update(0, 2048), container_id: { ...given!.id!, id: 77n } };
    const twice = await master.beat({
      update_requests: [
        foreign,
        update(0, 2048),
        { ...update(0, 4096), update_type: 'DEMOTE_EXECUTION_TYPE', execution_type: 'OPPORTUNISTIC' },
      ],
    });
    assert.deepEqual(
      twice.update_errors.map(({ reason, update_request, current_container_version: version }) => [
        reason,
        update_request?.update_type,
        version,
      ]),
      [
        ['INVALID_CONTAINER_ID', 'INCREASE_RESOURCE', -1],
        ['UPDATE_OUTSTANDING_ERROR', 'DEMOTE_EXECUTION_TYPE', 1],
      ],
      'one change of a container at a time',
    );
    const grown = [...twice.updated_containers, ...(await master.beat()).updated_containers];
    assert.deepEqual(
      grown.map(({ update_type, container }) => [update_type, container.resource?.memory, container.version, container.id]),
      [['INCREASE_RESOURCE', 2048, 1, given!.id]],
    );
    const token = grown[0]!.container.container_token!;
    const read = world.masters.tokens.containers.read(token.identifier, token.password);
    assert.deepEqual([read?.version, read?.content.resource.memoryMiB], [1, 2048]);
    const large = await master.beat({ update_requests: [update(1, 1 << 20)] });
    assert.deepEqual(
      large.update_errors.map(({ reason }) => reason),
      ['RESOURCE_OUTSIDE_ALLOWED_RANGE'],
    );
  });

  it('of changes of size as they were asked for: an increase makes nothing smaller, a decrease names the whole size', async () => {
    await using world = await running();
    const { master } = world;
    const [given] = await everything(master, { ask: [asked(1)] });
    const told = async (update_type: 'INCREASE_RESOURCE' | 'DECREASE_RESOURCE', memory: number) => {
      const { version } = master.attempt.containers.get(containerIdText(given!.id))!;
      const update = { container_version: version, container_id: given!.id!, update_type, capability: capability(memory) };
      const answers = [await master.beat({ update_requests: [update] }), await master.beat()];
      assert.deepEqual(answers[0]!.update_errors, []);
      return answers.flatMap(({ updated_containers }) =>
        updated_containers.map(({ update_type: type, container }) => [type, container.resource?.memory, container.version]),
      );
    };
    assert.deepEqual(await told('INCREASE_RESOURCE', 256), [], 'smaller');
    assert.deepEqual(await told('INCREASE_RESOURCE', 512), [], 'as large as it is');
    assert.deepEqual(await told('DECREASE_RESOURCE', 1024), [['DECREASE_RESOURCE', 1024, 1]]);
    assert.deepEqual(await told('DECREASE_RESOURCE', 256), [['DECREASE_RESOURCE', 256, 2]]);
    assert.deepEqual(await told('INCREASE_RESOURCE', 512), [['INCREASE_RESOURCE', 512, 3]]);
  });

  it('of nodes: tokens once while a key has its turn, and which came and went', async () => {
    await using world = await running();
    const { master, masters } = world;
    const tokensFor = async (call: AllocateCall) => {
      const { nm_tokens: tokens } = await master.beat(call);
      return tokens.map(({ nodeId }) => `${nodeId?.host}:${nodeId?.port}`);
    };
    assert.deepEqual(await tokensFor({ ask: [asked(1)] }), ['n1:45454']);
    assert.deepEqual(await tokensFor({ ask: [asked(1)] }), []);
    masters.world.clock.advance(rollingMs);
    assert.deepEqual(await tokensFor({ ask: [asked(1)] }), ['n1:45454']);
    const { node } = masters.world.addNode('n2:45454');
    const came = await master.beat();
    assert.deepEqual(
      [came.num_cluster_nodes, came.updated_nodes.map(({ nodeId, node_update_type }) => [nodeId?.host, node_update_type])],
      [2, [['n2', 'NODE_USABLE']]],
    );
    assert.deepEqual((await master.beat()).updated_nodes, []);
    await masters.world.cluster.drainNode(node, undefined);
    const went = await master.beat();
    assert.deepEqual(
      [went.num_cluster_nodes, went.updated_nodes.map(({ nodeId, node_update_type }) => [nodeId?.host, node_update_type])],
      [1, [['n2', 'NODE_UNUSABLE']]],
    );
  });

  it('of their own token: another one, once, when its key has had its turn', async () => {
    await using world = await running();
    const { master, masters } = world;
    assert.equal((await master.beat()).am_rm_token, undefined);
    masters.world.clock.advance(rollingMs);
    const { am_rm_token: token } = await master.beat();
    assert.equal(token?.kind, 'YARN_AM_RM_TOKEN');
    using again = await RpcTestClient.proven(masters.address, token!, protocol.name);
    assert.equal((await again.call(protocol, 'allocate', { response_id: master.responseId })).am_rm_token, undefined);
  });

  it('once of containers that may be taken back, with how much it is', async () => {
    await using world = await running();
    const { master, masters } = world;
    const [given] = await everything(master, { ask: [asked(1, { capability: capability(1024) })] });
    const texts = [...master.attempt.containers.keys()].filter((id) => id !== master.attempt.masterContainerId);
    Object.assign(masters.world.cluster.policy, { preempting: () => texts });
    const { preempt } = await master.beat();
    assert.equal(preempt?.strictContract, undefined);
    assert.deepEqual(
      [preempt?.contract?.container.map(({ id }) => id), preempt?.contract?.resource.map(({ resource }) => resource?.num_containers)],
      [[given!.id], [8]],
    );
    assert.equal((await master.beat()).preempt, undefined);
  });

  it('with each answer: what is left, priority and size of the cluster', async () => {
    await using world = await running();
    const { limit, application_priority, num_cluster_nodes, enhanced_headroom } = await world.master.beat();
    assert.equal(limit?.memory, 3072);
    assert.deepEqual([application_priority, num_cluster_nodes], [{ priority: world.master.application.priority }, 1]);
    assert.deepEqual(enhanced_headroom, { total_pending_count: undefined, total_active_cores: 8 });
  });

  it('where version 2 of the timeline takes what they tell, where it is served', async () => {
    await using masters = await MasterWorld.start();
    const { node } = masters.world.addNode();
    const told = async () => {
      const master = await masters.submit(node);
      using _client = master.client;
      await master.register();
      return (await master.beat()).collector_info;
    };
    assert.equal(await told(), undefined);
    masters.collectorAddress = 'timeline:8199';
    await masters.open();
    assert.deepEqual(await told(), { collector_addr: 'timeline:8199', collector_token: undefined });
  });

  it('nothing of progress that is no number', async () => {
    await using world = await running();
    const { master } = world;
    for (const [said, kept] of [
      [0.25, 0.25],
      [Number.NaN, 0],
      [0.5, 0.5],
      [-1, 0],
      [7.5, 1],
    ]) {
      await master.beat({ progress: said!, tracking_url: `http://h/${said}` });
      assert.deepEqual([master.attempt.progress, master.attempt.originalTrackingUrl], [kept, `http://h/${said}`]);
    }
  });
});

describe('attempts', () => {
  it('that keep containers are told of them, with tokens for their nodes', async () => {
    await using world = await running({}, { keepContainers: true });
    const { master, masters } = world;
    const [kept] = await everything(master, { ask: [asked(1, { allocation_request_id: 4 })] });
    const { node } = masters.world.addNode('n9:45454');
    const own = master.attempt.masterContainerId!;
    masters.world.report(masters.world.cluster.view.node('n1:45454')!, own, 'COMPLETE', 1);
    await masters.world.settle();
    const next = currentAttempt(master.application)!;
    masters.world.report(node, next.masterContainerId!, 'RUNNING');
    using client = await masters.connect(next.id);
    const told = await client.call(protocol, 'registerApplicationMaster', { host: 'h' });
    assert.deepEqual(
      [
        told.containers_from_previous_attempts.map(({ id, allocation_request_id }) => [id, allocation_request_id]),
        told.nm_tokens_from_previous_attempts.length,
      ],
      [[[kept!.id, 4]], 1],
    );
    assert.match(await refusal(masters.connect(master.attempt.id)), /not found in AMRMTokenSecretManager/);
  });

  it('go on after the door lost what it kept: they register again and ask for everything anew', async () => {
    await using world = await running();
    const { master, masters } = world;
    await master.beat({ ask: [asked(1)] });
    await masters.open();
    using client = await masters.connect(master.attempt.id);
    assert.match(await refusal(client.call(protocol, 'allocate', { response_id: 1 })), /^ApplicationMasterNotRegisteredException: /);
    await client.call(protocol, 'registerApplicationMaster', { host: 'h' });
    const first = await client.call(protocol, 'allocate', { response_id: 0, ask: [asked(1)] });
    await masters.world.settle();
    const second = await client.call(protocol, 'allocate', { response_id: 1 });
    assert.equal([...first.allocated_containers, ...second.allocated_containers].length, 1);
  });
});
