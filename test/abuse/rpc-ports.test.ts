// Random requests to every port of Hadoop RPC and to the shuffle for Hadoop's jobs: recorded frames that were spoiled on their way, messages of
// the right form with awkward content. Each is answered or its connection closed, nothing fails inside, and what is refused changes nothing.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { pino } from 'pino';
import { seededRandom } from '../../src/lib/random.ts';
import { recordedLines, recordedProbes } from '../../src/rpc/test-support/probes.ts';
import { RpcTestClient } from '../../src/rpc/test-support/rpc-client.ts';
import { encodeDelimited, part } from '../../src/wire/rpc/codec.ts';
import { containerIdMessage } from '../../src/wire/rpc/ids.ts';
import type { Decoded } from '../../src/wire/rpc/message.ts';
import { administrationProtocol } from '../../src/wire/rpc/protocols/administration.ts';
import { applicationClientProtocol as clients } from '../../src/wire/rpc/protocols/application-client.ts';
import { applicationHistoryProtocol } from '../../src/wire/rpc/protocols/application-history.ts';
import { applicationMasterProtocol as masters } from '../../src/wire/rpc/protocols/application-master.ts';
import { containerManagementProtocol as nodes } from '../../src/wire/rpc/protocols/container-management.ts';
import type { ProtocolDescription } from '../../src/wire/rpc/protocols/description.ts';
import * as historyAdministration from '../../src/wire/rpc/protocols/history-administration.ts';
import { historyClientProtocol } from '../../src/wire/rpc/protocols/history-client.ts';
import { RequestHeaderProto, RpcRequestHeaderProto } from '../../src/wire/rpc/tables/transport.ts';
import { submitApplication } from '../support/applications.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';
import { until } from '../support/processes.ts';
import { type Known, MessageMaker } from './rpc-messages.ts';

const seed = Number(process.env['HEDDLE_TEST_SEED'] ?? 20_261_122);
/** Requests of each kind to each port. */
const runs = Number(process.env['HEDDLE_TEST_RUNS'] ?? 100);
const longestAnswerMs = 20_000;

/** Whether an exception is one that Hadoop's clients know: all others, and faults of the server, are faults. */
const isTold =
  /^(org\.apache\.hadoop\.(yarn\.exceptions|security|ipc|thirdparty\.protobuf|mapreduce)\.|javax\.security\.sasl\.|java\.io\.(IOException|FileNotFoundException)$)/;
const serverFailed = /The server failed/;

/** A promise that must end: no answer is a fault. */
async function inTime<T>(what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer to ${what}`)), longestAnswerMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

const varint = (number: number): Buffer =>
  number < 128 ? Buffer.of(number) : Buffer.concat([Buffer.of((number & 127) | 128), varint(number >>> 7)]);
const framed = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.of(bytes.length >>> 24, bytes.length >>> 16, bytes.length >>> 8, bytes.length), bytes]);

/** The frame of a call. */
function callFrame(callId: number, protocol: Pick<ProtocolDescription, 'name' | 'version'>, methodName: string, body: Buffer): Buffer {
  const header = encodeDelimited(
    part(RpcRequestHeaderProto, {
      rpcKind: 'RPC_PROTOCOL_BUFFER',
      rpcOp: 'RPC_FINAL_PACKET',
      callId,
      clientId: Buffer.alloc(16, 1),
      retryCount: -1,
    }),
    part(RequestHeaderProto, { methodName, declaringClassProtocolName: protocol.name, clientProtocolVersion: protocol.version }),
  );
  return framed(Buffer.concat([header, varint(body.length), body]));
}

/** A caller of one port, who calls again on another connection where one was closed. */
class Tormentor {
  readonly #connect: () => Promise<RpcTestClient>;
  readonly #maker: MessageMaker;
  readonly #protocols: readonly ProtocolDescription[];
  #client: RpcTestClient | undefined;
  #callId = 0;

  constructor(maker: MessageMaker, protocols: readonly ProtocolDescription[], connect: () => Promise<RpcTestClient>) {
    this.#maker = maker;
    this.#protocols = protocols;
    this.#connect = connect;
  }

  /** One request, sent and answered; what it was answered. */
  async torment(protocol: ProtocolDescription, method: string, body: Buffer): Promise<'answered' | 'refused' | 'closed'> {
    const callId = this.#callId++;
    const whole = callFrame(callId, protocol, method, body);
    const isExact = !this.#maker.chance(0.15);
    const frame = isExact ? whole : this.#misplaced(callId, whole, protocol, method, body);
    const what = `${method} ${frame.toString('base64').slice(0, 4000)}`;
    this.#client ??= await this.#connect();
    const client = this.#client;
    client.send(frame);
    // A call that nobody could take for another tells when the server is done with the frame.
    const last = this.#callId++;
    client.send(callFrame(last, { name: 'nobody', version: 1 }, 'nothing', Buffer.alloc(0)));
    // A frame whose length says too much swallows what comes after it: then the end of the stream ends it.
    const ending = isExact ? undefined : setTimeout(() => client.socket.end(), 50);
    try {
      return await this.#answered(client, what, isExact ? [callId, last] : [last], callId);
    } finally {
      clearTimeout(ending);
      if (client.socket.writableEnded || client.socket.destroyed) this.#client = undefined;
    }
  }

  /** Reads answers until all these calls have theirs; what the one was answered. */
  async #answered(
    client: RpcTestClient,
    what: string,
    calls: readonly number[],
    callId: number,
  ): Promise<'answered' | 'refused' | 'closed'> {
    let outcome: 'answered' | 'refused' | 'closed' = 'closed';
    for (const open = new Set(calls); open.size > 0; ) {
      const reply = await inTime(what, client.reply());
      if (!reply) {
        client[Symbol.dispose]();
        assert.equal(calls.length, 1, `${what}: the connection was closed`);
        return 'closed';
      }
      const { header } = reply;
      open.delete(header.callId);
      if (header.status !== 'SUCCESS') mustBeTold(what, header.exceptionClassName, header.errorMsg);
      if (header.callId === callId) outcome = header.status === 'SUCCESS' ? 'answered' : 'refused';
    }
    return outcome;
  }

  /** Any method of the port with any content. */
  any(): readonly [ProtocolDescription, string, Buffer] {
    const protocol = this.#maker.one(this.#protocols);
    const method = this.#maker.one(Object.keys(protocol.methods));
    const [request] = protocol.methods[method]!;
    return [protocol, method, this.#maker.body(request)];
  }

  end(): void {
    this.#client?.[Symbol.dispose]();
  }

  /** What is wrong in place of the body: the protocol, its version, the method, the frame. */
  #misplaced(callId: number, whole: Buffer, protocol: ProtocolDescription, method: string, body: Buffer): Buffer {
    switch (this.#maker.one([0, 1, 2, 3, 4, 5])) {
      case 0:
        return callFrame(
          callId,
          this.#maker.one([clients, masters, nodes, historyClientProtocol, applicationHistoryProtocol]),
          method,
          body,
        );
      case 1:
        return callFrame(callId, { ...protocol, version: this.#maker.one([0, 2, Number.MAX_SAFE_INTEGER]) }, method, body);
      case 2:
        return callFrame(callId, protocol, this.#maker.one(['', '__proto__', 'constructor', 'submitapplication', `${method} `]), body);
      case 3:
        return callFrame(this.#maker.one([-1, -2, -3, -4, -33, -7, 2 ** 31 - 1]), protocol, method, body);
      case 4:
        return framed(this.#maker.spoiled(whole.subarray(4)));
      default:
        return this.#maker.spoiled(whole);
    }
  }
}

function mustBeTold(what: string, javaClass: string | undefined, message: string | undefined): void {
  assert.match(javaClass ?? '', isTold, what);
  assert.doesNotMatch(message ?? '', serverFailed, what);
}

type Container = Decoded<(typeof masters)['methods']['allocate'][1]>['allocated_containers'][number];

describe(`ports of Hadoop RPC (HEDDLE_TEST_SEED=${seed} HEDDLE_TEST_RUNS=${runs})`, () => {
  let cluster: TestCluster;
  let application: string;
  let masterToken: { readonly identifier: Uint8Array; readonly password: Uint8Array };
  const errors: string[] = [];

  const address = (role: keyof TestCluster['addresses'], name: string): string => {
    const found = cluster.addresses[role][name];
    assert.ok(found, `${role} listens for ${name}`);
    return found;
  };
  const idOf = (text: string) => {
    const [, cluster_timestamp, id] = text.split('_').map(Number);
    return { id: id!, cluster_timestamp: cluster_timestamp! };
  };
  const knownOf = (text: string, containers: readonly Container[] = [], more: Known = {}): Known => {
    const application_id = idOf(text);
    const [host = '', port] = address('nodeManager', 'rpc').split(':');
    return {
      'hadoop.yarn.ApplicationIdProto': [application_id],
      'hadoop.yarn.ApplicationAttemptIdProto': [{ application_id, attemptId: 1 }],
      'hadoop.yarn.ContainerIdProto': containers.map(({ id }) => id as Record<string, unknown>),
      'hadoop.yarn.NodeIdProto': [
        { host, port: Number(port) },
        { host, port: 0 },
      ],
      ...more,
    };
  };
  const unmanaged = (name: string) => submitApplication(cluster.urls.resourceManager, { 'application-name': name, 'unmanaged-AM': true });
  const picture = async (): Promise<object> => {
    const { resourceManager: rm, nodeManager: node } = cluster.urls;
    const read = <T>(url: string) => cluster.get<T>(url);
    const [apps, list, labels, labelled, queues, containers] = await Promise.all([
      read<{ apps: { app: Record<string, unknown>[] } }>(`${rm}/ws/v1/cluster/apps`),
      read<{ nodes: { node: Record<string, unknown>[] } }>(`${rm}/ws/v1/cluster/nodes`),
      read(`${rm}/ws/v1/cluster/get-node-labels`),
      read(`${rm}/ws/v1/cluster/get-node-to-labels`),
      read(`${rm}/ws/v1/cluster/scheduler-conf`),
      read<{ containers: { container?: Record<string, unknown>[] } | null }>(`${node}/ws/v1/node/containers`),
    ]);
    return {
      apps: apps.apps.app
        .filter((app) => app['user'] !== 'eve')
        .map((app) => [app['id'], app['name'], app['queue'], app['priority'], app['timeouts'], app['id'] === application && app['state']])
        .sort((a, b) => String(a[0]).localeCompare(String(b[0]))),
      nodes: list.nodes.node.map((one) => [one['id'], one['state'], one['nodeLabels'], one['nodeAttributes'], one['totalResource']]),
      ...{ labels, labelled, queues },
      // Those that have ended go with their application, in the node's own time.
      containers: (containers.containers?.container ?? []).map((one) => [one['id'], one['state']]).filter(([, state]) => state !== 'DONE'),
    };
  };
  /** Sends requests; those that are refused leave everything as it was, with `powerless` all do. */
  const torment = async (tormentor: Tormentor, count: number, powerless: boolean, mayChange: (method: string) => boolean) => {
    let before = await picture();
    for (let run = 0; run < count; run++) {
      const [protocol, method, body] = tormentor.any();
      const outcome = await tormentor.torment(protocol, method, body);
      if (!mayChange(method)) continue;
      const now = outcome === 'answered' || !powerless ? await picture() : before;
      if (outcome !== 'answered' || powerless) assert.deepEqual(now, before, `${method} ${body.toString('base64')} changed something`);
      before = now;
    }
    tormentor.end();
    assert.deepEqual(errors.splice(0), []);
  };

  before(async () => {
    const write = (line: string) => {
      if ((JSON.parse(line) as { level: number }).level >= pino.levels.values['error']!) errors.push(line);
    };
    cluster = await startCluster({
      logger: pino({ level: 'error' }, { write }),
      settings: {
        ...{ 'yarn.resourcemanager.address': '127.0.0.1:0', 'yarn.resourcemanager.scheduler.address': '127.0.0.1:0' },
        'yarn.resourcemanager.admin.address': '127.0.0.1:0',
        ...{ 'yarn.acl.enable': 'true', 'yarn.admin.acl': 'root', 'yarn.node-labels.enabled': 'true' },
        'yarn.scheduler.configuration.store.class': 'memory',
        'yarn.resourcemanager.reservation-system.enable': 'true',
        ...{ 'yarn.nodemanager.resource.memory-mb': '8192', 'yarn.scheduler.minimum-allocation-mb': '128' },
        'yarn.nodemanager.delete.debug-delay-sec': '0',
      },
    });
    const answer = await fetch(`${cluster.urls.resourceManager}/ws/v1/cluster/scheduler-conf?user.name=root`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        'global-updates': [],
        'update-queue': [
          {
            'queue-name': 'root',
            params: {
              entry: [
                { key: 'acl_submit_applications', value: 'root' },
                { key: 'acl_administer_queue', value: 'root' },
              ],
            },
          },
        ],
      }),
    });
    assert.equal(answer.status, 200, await answer.text());
    application = await unmanaged('of the master');
    masterToken = await until('the token of the master', async () => {
      using owner = RpcTestClient.named(address('resourceManager', 'rpc'), 'root', clients.name);
      return (await owner.call(clients, 'getApplicationReport', { application_id: idOf(application) })).application_report?.am_rm_token;
    });
  });
  after(() => cluster?.[Symbol.asyncDispose]());

  test('recorded connections that were spoiled on their way', async () => {
    const random = seededRandom(seed);
    const maker = new MessageMaker(random, {});
    interface Line {
      readonly connection?: number;
      readonly port: number;
      readonly direction?: string;
      readonly kind: string;
      readonly frame: string;
    }
    const preamble = Buffer.from([0x68, 0x72, 0x70, 0x63, 9, 0, 0]);
    const said = new Map<number, Buffer[]>();
    for (const port of [8030, 8032, 8033])
      said.set(
        port,
        recordedProbes(port).map(({ sent }) => Buffer.from(sent, 'base64')),
      );
    for (const name of ['admin.jsonl', 'command-line.jsonl', 'distributed-shell.jsonl', 'errors.jsonl', 'wordcount.jsonl']) {
      const ofConnection = new Map<number, Buffer[]>();
      for (const line of recordedLines<Line>(name).filter(({ direction, kind }) => direction === '>' && kind !== 'preamble')) {
        const key = line.port * 1000 + (line.connection ?? 0);
        if (!ofConnection.has(key))
          ofConnection.set(key, [line.kind === 'sasl' ? Buffer.from([...preamble.subarray(0, 6), 0xdf]) : preamble]);
        ofConnection.get(key)!.push(framed(Buffer.from(line.frame, 'base64')));
      }
      for (const [key, frames] of ofConnection) {
        const port = Math.floor(key / 1000);
        said.set(port, [...(said.get(port) ?? []), Buffer.concat(frames)]);
      }
    }
    const all = [...said.values()].flat();
    const ports: readonly (readonly [string, readonly Buffer[]])[] = [
      [address('resourceManager', 'rpc'), said.get(8032)!],
      [address('resourceManager', 'rpcMasters'), said.get(8030)!],
      [address('resourceManager', 'rpcAdministration'), said.get(8033)!],
      [address('nodeManager', 'rpc'), said.get(45_454)!],
      [address('history', 'rpc'), all],
      [address('history', 'rpcAdministration'), all],
      [address('timeline', 'rpc'), all],
      [`127.0.0.1:${cluster.shufflePort}`, [...all, ...shuffleRequests]],
    ];
    for (const [port, recorded] of ports)
      for (let run = 0; run < runs; run += 10)
        await Promise.all(
          Array.from({ length: 10 }, () => sendsWhole(port, maker.spoiled(maker.chance(0.9) ? maker.one(recorded) : maker.one(all)))),
        );
    assert.deepEqual(errors.splice(0), []);
  });

  test('a caller without rights changes nothing, whatever it asks', async () => {
    const known = knownOf(application);
    const maker = new MessageMaker(seededRandom(seed + 1), known);
    const to = (role: 'resourceManager' | 'history' | 'timeline', name: string, ...protocols: ProtocolDescription[]) =>
      new Tormentor(maker, protocols, async () => RpcTestClient.named(address(role, name), 'eve', protocols[0]!.name));
    const changes = (method: string) => !/^(get|list)/.test(method) && method !== 'submitApplication';
    await torment(to('resourceManager', 'rpc', clients), 2 * runs, true, changes);
    await torment(to('resourceManager', 'rpcAdministration', administrationProtocol), runs, true, changes);
    await torment(to('history', 'rpc', historyClientProtocol), runs, true, changes);
    await torment(to('history', 'rpcAdministration', ...Object.values(historyAdministration)), runs, true, changes);
    await torment(to('timeline', 'rpc', applicationHistoryProtocol), runs, true, changes);
  });

  test('masters at the resource manager and at their nodes', async () => {
    const named = address('resourceManager', 'rpcMasters');
    const maker = new MessageMaker(seededRandom(seed + 2), knownOf(application));
    const client = await RpcTestClient.proven(named, masterToken, masters.name);
    await client.call(masters, 'registerApplicationMaster', { host: 'h', rpc_port: 1, tracking_url: '' });
    let responseId = 0;
    const beat = async (ask: object = {}) => {
      const answer = await client.call(masters, 'allocate', { response_id: responseId, ...ask });
      responseId = answer.response_id!;
      return answer;
    };
    const wanted = 6;
    let answer = await beat({
      ask: [{ priority: { priority: 1 }, resource_name: '*', capability: { memory: 128, virtual_cores: 1 }, num_containers: wanted }],
    });
    const containers: Container[] = [...answer.allocated_containers];
    const nodeTokens = [...answer.nm_tokens];
    await until('containers', async () => {
      answer = await beat();
      containers.push(...answer.allocated_containers);
      nodeTokens.push(...answer.nm_tokens);
      return containers.length >= wanted;
    });
    const nodeToken = nodeTokens[0]!.token!;
    const node = await RpcTestClient.proven(address('nodeManager', 'rpc'), nodeToken, nodes.name);
    const { failed_requests } = await node.call(nodes, 'startContainers', {
      start_container_request: containers.slice(0, 3).map(({ container_token }) => ({
        container_token: container_token!,
        container_launch_context: { command: ['exec sleep 600'], service_data: [{ key: 'mapreduce_shuffle', value: jobToken }] },
      })),
    });
    assert.deepEqual(failed_requests, []);
    node[Symbol.dispose]();
    await tormentShuffle();
    const tokens = containers.map(({ container_token }) => container_token as Record<string, unknown>);
    const ofContainers = knownOf(application, containers, { 'hadoop.common.TokenProto': tokens });
    const onNode = new MessageMaker(seededRandom(seed + 3), ofContainers);
    const nodeTormentor = new Tormentor(onNode, [nodes], () => RpcTestClient.proven(address('nodeManager', 'rpc'), nodeToken, nodes.name));
    for (let run = 0; run < runs; run++) await nodeTormentor.torment(...nodeTormentor.any());
    nodeTormentor.end();
    assert.deepEqual(errors.splice(0), []);

    client[Symbol.dispose]();
    const tormentor = new Tormentor(maker, [masters], () => RpcTestClient.proven(named, masterToken, masters.name));
    const [request] = masters.methods.allocate;
    const calls = new MessageMaker(seededRandom(seed + 4), ofContainers);
    for (let run = 0; run < 2 * runs; run++) {
      const outcome = await tormentor.torment(
        masters,
        'allocate',
        calls.body(request, { ...calls.value(request), response_id: responseId }),
      );
      // What was refused was not counted; what was answered may have been another number after a fault on its way.
      if (outcome !== 'refused') responseId = await nextNumber();
    }
    for (let run = 0; run < runs / 4; run++) await tormentor.torment(...tormentor.any());
    tormentor.end();
    assert.deepEqual(errors.splice(0), []);

    /** The number that the next call has to have: an answer that is asked for again tells it, or a refusal. */
    async function nextNumber(): Promise<number> {
      using asking = await RpcTestClient.proven(named, masterToken, masters.name);
      const call = asking.begin(masters, 'allocate', request, { response_id: -7 });
      const reply = await inTime('a call out of turn', asking.reply());
      assert.equal(reply?.header.callId, call);
      const expected = /expect responseId to be (-?\d+) /.exec(reply.header.errorMsg ?? '')?.[1];
      assert.ok(expected, `a call out of turn is refused: ${reply.header.exceptionClassName} ${reply.header.errorMsg}`);
      return Number(expected);
    }
  });

  /** Signed requests of a job that is known, for outputs that nobody made. */
  async function tormentShuffle(): Promise<void> {
    const maker = new MessageMaker(seededRandom(seed + 8), {});
    const job = application.replace('application', 'job');
    const map = `${job.replace('job', 'attempt')}_m_000000_0`;
    const maps = [map, '', ',', '..', '../..', '/', '%00', '%', `${map},${map}`, `${map},`.repeat(500), 'a'.repeat(7000)];
    const targets = Array.from({ length: runs }, () => {
      const query = [
        `job=${maker.one([job, job, job, 'job_1_0001', ''])}`,
        `reduce=${maker.one(['0', '0', '-1', '2147483647', 'x', '1e3'])}`,
      ];
      return `${maker.one(['/mapOutput', '/mapOutput', '/', '//'])}?${[...query, `map=${maker.one(maps)}`, 'keepAlive=true'].join('&')}`;
    });
    const statuses = await Promise.all(
      targets.map(async (target) => {
        const hash = createHmac('sha1', jobPassword).update(`${cluster.shufflePort}${target}`).digest('base64');
        const headers = `UrlHash: ${hash}\r\nname: mapreduce\r\nversion: 1.0.0\r\nConnection: close`;
        return sendsWhole(
          `127.0.0.1:${cluster.shufflePort}`,
          Buffer.from(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n\r\n`),
          200,
        );
      }),
    );
    const answers = new Set(statuses.map((bytes) => bytes.toString('latin1', 9, 12)));
    assert.ok(answers.has('404') && answers.has('401') && answers.has('400'), [...answers].join(' '));
  }

  test('an owner and an administrator: what is refused changes nothing', async () => {
    const victims = await Promise.all(['a', 'b'].map((name) => unmanaged(name)));
    const known = victims.map((victim) =>
      knownOf(victim, [{ id: containerIdMessage(`${victim.replace('application', 'container')}_01_000001`) } as Container]),
    );
    for (const [index, one] of known.entries()) {
      const maker = new MessageMaker(seededRandom(seed + 5 + index), one);
      const connectTo = (name: string, protocol: string) => async () =>
        RpcTestClient.named(address('resourceManager', name), 'root', protocol);
      const isAbout = (method: string) => !/^get|^list|^check/.test(method);
      await torment(new Tormentor(maker, [clients], connectTo('rpc', clients.name)), runs, false, isAbout);
      await torment(
        new Tormentor(maker, [administrationProtocol], connectTo('rpcAdministration', administrationProtocol.name)),
        runs,
        false,
        isAbout,
      );
    }
  });

  test('nothing was lost: every port answers a plain call', async () => {
    using client = RpcTestClient.named(address('resourceManager', 'rpc'), 'root', clients.name);
    const { application_report } = await client.call(clients, 'getApplicationReport', { application_id: idOf(application) });
    assert.deepEqual(application_report?.applicationId, idOf(application));
    using history = RpcTestClient.named(address('history', 'rpc'), 'root', historyClientProtocol.name);
    const { job_report } = await history.call(historyClientProtocol, 'getJobReport', { job_id: { app_id: idOf(application), id: 1 } });
    assert.equal(job_report, undefined);
    using told = RpcTestClient.named(address('timeline', 'rpc'), 'root', applicationHistoryProtocol.name);
    const known = await told.call(applicationHistoryProtocol, 'getApplicationReport', { application_id: idOf(application) });
    assert.deepEqual(known.application_report?.applicationId, idOf(application));
    const shuffle = await sendsWhole(`127.0.0.1:${cluster.shufflePort}`, shuffleRequests[0]!, 500);
    assert.match(shuffle.toString('latin1'), /^HTTP\/1\.1 4/);
    assert.deepEqual(errors, []);
  });
});

const jobPassword = Buffer.alloc(20, 5);
/** A token as MapReduce gives it to the shuffle: identifier, password, kind, service, each after its length. */
const jobToken = Buffer.concat([Buffer.of(1, 1, jobPassword.length), jobPassword, Buffer.of(0, 0)]);

/** What reduces of Hadoop's jobs ask for. */
const shuffleRequests = [
  '/mapOutput?job=job_1_0001&reduce=0&map=attempt_1_0001_m_000000_0,attempt_1_0001_m_000001_0',
  '/mapOutput?job=job_1_0001&reduce=0&map=attempt_1_0001_m_000000_0&keepAlive=true',
].map((target) =>
  Buffer.from(
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nUrlHash: BhoCOCLdRVOZxVnQBQrZ5xv7AwE=\r\nname: mapreduce\r\nversion: 1.0.0\r\nConnection: close\r\n\r\n`,
  ),
);

/** Sends bytes and, when there was time for an answer, the end of the stream; what comes back until the server closes the connection, all of it as it should be. */
function sendsWhole(at: string, bytes: Buffer, waitMs = 20): Promise<Buffer> {
  const [host, port] = at.split(':');
  const closed = new Promise<Buffer>((resolve) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), host, () => {
      socket.write(bytes);
      setTimeout(() => socket.end(), waitMs);
    });
    socket.on('data', (chunk: Buffer) => received.push(chunk));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(received)));
  });
  return inTime(`${at} ${bytes.toString('base64').slice(0, 4000)}`, closed).then((answer) => {
    const text = answer.toString('latin1');
    const what = `${at} ${bytes.toString('base64').slice(0, 4000)}`;
    assert.doesNotMatch(text, /^HTTP\/1\.1 5/, what);
    assert.doesNotMatch(text, serverFailed, what);
    return answer;
  });
}
