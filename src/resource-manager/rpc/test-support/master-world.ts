// A cluster in memory with the port of Hadoop's masters before it: calls go over real connections, and nothing else runs.
import { ContainerTokens, MasterTokens, NodeTokens } from '../../../auth/application-tokens/application-tokens.ts';
import type { ClientTokens } from '../../../auth/application-tokens/client-tokens.ts';
import { TokenKeys } from '../../../auth/application-tokens/token-keys.ts';
import { silentLogger } from '../../../lib/log.ts';
import { seededRandom } from '../../../lib/random.ts';
import { RpcPortFigures } from '../../../lib/rpc-figures.ts';
import { listenRpc, type RpcServer } from '../../../rpc/server.ts';
import { RpcTestClient } from '../../../rpc/test-support/rpc-client.ts';
import type { Decoded, Encodable } from '../../../wire/rpc/message.ts';
import { applicationMasterProtocol as protocol } from '../../../wire/rpc/protocols/application-master.ts';
import type { AllocateRequestProto, AllocateResponseProto } from '../../../wire/rpc/tables/master-service.ts';
import { type Application, currentAttempt } from '../../applications/application.ts';
import type { Attempt } from '../../applications/attempt.ts';
import type { Submission } from '../../applications/submission.ts';
import type { ClusterSettings } from '../../cluster/settings.ts';
import { allocate } from '../../commands/allocate.ts';
import { expectedMaster } from '../../commands/calling-master.ts';
import { finish } from '../../commands/finish.ts';
import { register } from '../../commands/register.ts';
import type { Node } from '../../nodes/node.ts';
import { TracedCluster } from '../../test-support/traced-cluster.ts';
import { masterLogin } from '../master-login.ts';
import { masterProtocol } from '../master-protocol.ts';

export type AllocateCall = Encodable<typeof AllocateRequestProto>;
export type AllocateAnswer = Decoded<typeof AllocateResponseProto>;

/** How long a key of tokens has its turn. */
export const rollingMs = 10_000;

/** A cluster whose masters speak Hadoop's protocol. */
export class MasterWorld implements AsyncDisposable {
  readonly world: TracedCluster;
  readonly tokens;
  readonly audited: string[] = [];
  /** Where the door says that the collector is; counts from the next `open`. */
  collectorAddress: string | undefined;
  #server: RpcServer | undefined;

  private constructor(settings: Partial<ClusterSettings>) {
    this.world = new TracedCluster({ placementConstraints: true, ...settings });
    const { clock } = this.world;
    const keys = (kind: string) => new TokenKeys({ root: Buffer.alloc(32, 3), kind, rollingMs, sinceMs: clock.now(), clock });
    this.tokens = {
      masters: new MasterTokens(keys('m')),
      nodes: new NodeTokens(keys('n')),
      containers: new ContainerTokens(keys('c')),
      clients: undefined as ClientTokens | undefined,
    };
  }

  static async start(settings: Partial<ClusterSettings> = {}): Promise<MasterWorld> {
    const made = new MasterWorld(settings);
    await made.open();
    return made;
  }

  /** Opens the port, again as after a restart of the door. */
  async open(): Promise<void> {
    const { world, tokens, audited } = this;
    const { cluster } = world;
    const { policy, types } = cluster;
    const handlesConstraints = cluster.settings.placementConstraints ?? false;
    const masters = {
      register: (...given: Parameters<typeof cluster.registerMaster>) => cluster.registerMaster(...given),
      isSupersededRegistration: () => false,
      ending: (applicationId: string) => cluster.view.ending(applicationId),
      tokenOf: () => '',
      notesOf: () => [],
    };
    const commands = {
      register: (...given: Dropped<typeof register>) => register({ masters, policy, handlesConstraints }, ...given),
      allocate: (...given: Dropped<typeof allocate>) =>
        allocate({ masters: cluster, policy, types, handlesConstraints, mostNotesCharacters: 10 }, ...given),
      finish: (...given: Dropped<typeof finish>) =>
        finish({ masters: { ...masters, unregister: (...last) => cluster.unregisterMaster(...last) } }, ...given),
    };
    const labels = { labelOf: () => '' };
    await this.#server?.close();
    this.#server = await listenRpc({
      address: '127.0.0.1:0',
      figures: new RpcPortFigures('ApplicationMasterProtocol'),
      protocols: async () => [
        masterProtocol({
          parts: { cluster, policy, types, labels },
          commands,
          tokens,
          collectorAddress: this.collectorAddress,
          audit: { refusedRequest: ({ method }) => void audited.push(method) },
        }),
      ],
      authentication: { tokens: masterLogin(tokens.masters, (attemptId) => expectedMaster(cluster, attemptId) !== undefined) },
      random: seededRandom(3),
      logger: silentLogger,
      frameLimitBytes: 2 ** 20,
      callLimit: 10,
      callQueue: { limit: 100, backsOff: false },
      qops: ['auth'],
      connections: { total: 100, perAddress: 100 },
      idleThreshold: 100,
      idleMs: 60_000,
    });
  }

  get address(): string {
    return `${this.#server!.host}:${this.#server!.port}`;
  }

  /** A connection of the attempt's master. */
  connect(attemptId: string): Promise<RpcTestClient> {
    return RpcTestClient.proven(this.address, this.tokens.masters.issue(attemptId), protocol.name);
  }

  /** An application whose master runs on the node and has not registered. */
  async submit(node: Node, more: Partial<Submission> = {}): Promise<TestMaster> {
    const application = await this.world.submit(more);
    const attempt = currentAttempt(application)!;
    if (attempt.masterContainerId) this.world.report(node, attempt.masterContainerId, 'RUNNING');
    return new TestMaster(this.world, application, attempt, await this.connect(attempt.id));
  }

  /** Another application has all that is left of the first node, until it ends. */
  async filled(): Promise<{ end(): Promise<void> }> {
    const { world } = this;
    const node = world.cluster.view.nodes().next().value!;
    const application = await world.submit();
    const attempt = await world.startMaster(application, node);
    const requests = [{ askId: 'all', resource: { memoryMiB: 128, vcores: 1 }, count: 16 }];
    await world.allocate(application, attempt, { requests });
    return {
      async end() {
        await world.cluster.kill(application, 'enough');
        for (const { id } of [...attempt.containers.values()]) world.report(node, id, 'COMPLETE', 0);
        await world.settle();
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.close();
    this.world[Symbol.dispose]();
  }
}

type Dropped<Command> = Command extends (ports: never, ...given: infer Given) => unknown ? Given : never;

/** A master that says what a test lets it say. */
export class TestMaster {
  readonly #world: TracedCluster;
  readonly application: Application;
  readonly attempt: Attempt;
  readonly client: RpcTestClient;
  /** The number of its next call. */
  responseId = 0;

  constructor(world: TracedCluster, application: Application, attempt: Attempt, client: RpcTestClient) {
    this.#world = world;
    this.application = application;
    this.attempt = attempt;
    this.client = client;
  }

  async register() {
    this.responseId = 0;
    return this.client.call(protocol, 'registerApplicationMaster', { host: 'h', rpc_port: 1, tracking_url: 'http://h/' });
  }

  /** The next call, after what it sets off has happened. */
  async beat(call: AllocateCall = {}): Promise<AllocateAnswer> {
    const answer = await this.client.call(protocol, 'allocate', { response_id: this.responseId, ...call });
    this.responseId = answer.response_id!;
    await this.#world.settle();
    return answer;
  }

  async finish(status: 'APP_SUCCEEDED' | 'APP_FAILED' = 'APP_SUCCEEDED') {
    const answer = await this.client.call(protocol, 'finishApplicationMaster', { final_application_status: status, diagnostics: 'done' });
    await this.#world.settle();
    return answer;
  }
}
