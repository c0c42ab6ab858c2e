// A cluster in memory whose effects are written down one by one, and can be held back.
import { ManualClock } from '../../lib/clock.ts';
import { silentLogger } from '../../lib/log.ts';
import { seededRandom } from '../../lib/random.ts';
import { exitStatus } from '../../model/exit-status.ts';
import { ResourceTypes } from '../../model/resource.ts';
import { presetSettings } from '../../scheduler/conformance/presets.ts';
import { createPolicy } from '../../scheduler/create-policy.ts';
import { openDatabase } from '../../storage/sqlite.ts';
import { onSmallDisk } from '../../storage/test-support/small-disk.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import type { NodeCommand } from '../../wire/cluster/node-channel.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Submission } from '../applications/submission.ts';
import type { Effect } from '../cluster/effects.ts';
import type { TakenRequest } from '../cluster/masters.ts';
import type { ClusterSettings } from '../cluster/settings.ts';
import { Cluster } from '../cluster.ts';
import { Membership } from '../nodes/membership.ts';
import type { Node } from '../nodes/node.ts';
import { ResourceManagerStore } from '../store/resource-manager-store.ts';
import { aSubmission, timestampMs } from './builders.ts';

const queues = new Map([
  ['yarn.scheduler.capacity.root.queues', 'default,stopped'],
  ['yarn.scheduler.capacity.root.default.capacity', '100'],
  ['yarn.scheduler.capacity.root.stopped.capacity', '0'],
  ['yarn.scheduler.capacity.root.stopped.state', 'STOPPED'],
  ['yarn.scheduler.capacity.maximum-am-resource-percent', '1'],
]);

/** An effect in a few words; undefined for the scheduler's being woken, which follows nearly everything. */
function wordsOf(effect: Effect): string | undefined {
  switch (effect.kind) {
    case 'persist':
      return `write ${effect.write.kind}${effect.write.kind === 'end' ? ` ${effect.write.target}` : ''}`;
    case 'send':
      return `send ${effect.command.type}`;
    case 'publish':
      return effect.publication.about === 'applicationStateChanged' ? effect.publication.change.to : effect.publication.about;
    case 'wake':
      return undefined;
  }
}

/** One capacity scheduler with the queues `default` and `stopped`, two attempts for each application, and what a test adds. */
export class TracedCluster {
  readonly clock = new ManualClock(timestampMs);
  readonly #database = onSmallDisk(openDatabase(':memory:', { logger: silentLogger }));
  readonly store = new ResourceManagerStore(this.#database.database);
  /** Where the store is: while it is full, nothing can be written. */
  readonly disk = this.#database.disk;
  readonly cluster: Cluster;
  /** What was carried out since it was last asked for. */
  #trace: string[] = [];
  /** Effects of the kind are held back. */
  #held: { readonly kind: Effect['kind']; readonly waiting: (() => void)[] } | undefined;

  constructor(settings: Partial<ClusterSettings> = {}) {
    const { clock, store } = this;
    const types = new ResourceTypes();
    this.cluster = new Cluster({
      clock,
      random: seededRandom(1),
      logger: silentLogger,
      store,
      policy: createPolicy({
        kind: 'capacity',
        properties: queues,
        types,
        clock,
        settings: { ...presetSettings, aclEnabled: false, nodeLabelsEnabled: false },
      }),
      types,
      settings: {
        clusterTimestamp: timestampMs,
        maximumAttempts: 2,
        masterExpiryMs: 60_000,
        nodeExpiryMs: 30_000,
        untrackedNodeRemovalMs: 60_000,
        containerExpiryMs: 600_000,
        logAggregationEnabled: false,
        logTimeoutMs: 600_000,
        opportunistic: true,
        webUrl: () => 'http://rm:8088',
        masterUrl: () => 'http://rm:8088',
        timelineUrl: () => undefined,
        applicationPage: (id) => `http://rm:8088/cluster/app/${id}`,
        retentionMs: 86_400_000,
        retentionCount: 1000,
        masterEnvironment: {},
        ...settings,
      },
      membership: new Membership(undefined, undefined),
      labels: { labelOf: () => '' },
      containerTokenKey: Buffer.alloc(32),
      masterCredentials: (_attemptId, given) => given,
      session: 's',
      epoch: 0,
      observers: [],
      aroundEffect: (effect, carryOut) => {
        const perform = (): void => {
          const words = wordsOf(effect);
          if (words !== undefined && words !== 'write trim') this.#trace.push(words);
          carryOut();
        };
        if (this.#held?.kind === effect.kind) this.#held.waiting.push(perform);
        else perform();
      },
    });
  }

  /** What was carried out since the last call. */
  trace(): string[] {
    const trace = this.#trace;
    this.#trace = [];
    return trace;
  }

  /** Holds back effects of a kind; the returned function carries them out. */
  hold(kind: Effect['kind']): () => void {
    const waiting: (() => void)[] = [];
    this.#held = { kind, waiting };
    return () => {
      this.#held = undefined;
      for (const perform of waiting) perform();
    };
  }

  /** Lets writes be answered and the scheduler work. */
  async settle(): Promise<void> {
    for (let i = 0; i < 10; i++) {
      // What nobody waits for is written, too.
      this.#database.database.hurry();
      await new Promise<void>((done) => setImmediate(done));
    }
  }

  /** A node of 4 GiB that keeps what it is told. */
  addNode(
    id = 'n1:45454',
    containers: readonly ContainerReport[] = [],
    session = 0,
  ): { readonly node: Node; readonly commands: NodeCommand[] } {
    const { node, commands } = this.introduce(id, containers, session);
    if (!node) throw new Error(`${id} was refused`);
    return { node, commands };
  }

  /** A node as `addNode` has it says in a session of its channel that it is there; `node` undefined: it is refused. */
  introduce(
    id: string,
    containers: readonly ContainerReport[],
    session: number,
    healthy = true,
  ): { readonly node: Node | undefined; readonly commands: NodeCommand[] } {
    const commands: NodeCommand[] = [];
    const node = this.cluster.registerNode(
      {
        type: 'register',
        nodeId: id,
        httpAddress: `${id.split(':')[0]}:8042`,
        rack: '/default-rack',
        resource: { memoryMiB: 4096, vcores: 8 },
        version: '3.4.2',
        physicalMemoryMiB: 8192,
        physicalCores: 8,
        opportunisticQueueLength: 2,
        containers: [...containers],
        applications: [],
        health: { healthy, report: '', time: 1 },
      },
      (command) => commands.push(command),
      '/default-rack',
      session,
    );
    return { node, commands };
  }

  /** Says for the node that a container is in a state. */
  report(node: Node, containerId: string, state: ContainerReport['state'], exitCode: number = exitStatus.invalid, version?: number): void {
    const report: ContainerReport = {
      containerId,
      state,
      exitCode,
      diagnostics: '',
      resource: { memoryMiB: 1024, vcores: 1 },
      priority: 0,
      ...(version === undefined ? {} : { version }),
      createdTime: this.clock.now(),
    };
    this.cluster.takeNodeMessage(node, { type: 'containers', reports: [report] });
  }

  /** Submits an application; where there is room, its master is started. */
  async submit(more: Partial<Submission> = {}, queue = 'default'): Promise<Application> {
    const applicationId = this.cluster.newApplicationId();
    const submission = aSubmission({ applicationId, ...more });
    await this.cluster.submit({ submission, user: 'ann', queue, mapped: false });
    await this.settle();
    const application = this.cluster.view.application(applicationId);
    if (!application) throw new Error(`${applicationId} is not there`);
    return application;
  }

  /** The master of an application runs on the node and has registered. */
  async startMaster(application: Application, node: Node): Promise<Attempt> {
    const attempt = currentAttempt(application);
    if (!attempt) throw new Error(`${application.id} has no attempt`);
    if (attempt.masterContainerId) this.report(node, attempt.masterContainerId, 'RUNNING');
    this.cluster.registerMaster(application, attempt, { host: 'h', rpcPort: 1, trackingUrl: 'http://h/' });
    await this.settle();
    return attempt;
  }

  /** One call of a master; the answer comes at once. */
  async allocate(application: Application, attempt: Attempt, request: Omit<TakenRequest, 'responseId'> = {}) {
    const call = { responseId: attempt.responseId, ...request };
    const answer = await this.cluster.allocate(application, attempt, call, 0, new AbortController().signal);
    await this.settle();
    return answer;
  }

  [Symbol.dispose](): void {
    this.cluster.close();
    this.store.close();
  }
}
