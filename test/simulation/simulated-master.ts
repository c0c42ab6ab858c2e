// An application master without a process: it registers, asks, releases, repeats itself, finishes or dies as the history says.
import assert from 'node:assert/strict';
import type { Random } from '../../src/lib/random.ts';
import { exitStatus } from '../../src/model/exit-status.ts';
import { type PlacementConstraint, parseConstraint } from '../../src/model/placement-constraint.ts';
import type { Application } from '../../src/resource-manager/applications/application.ts';
import type { Attempt } from '../../src/resource-manager/applications/attempt.ts';
import type { TakenRequest } from '../../src/resource-manager/cluster/masters.ts';
import type { Cluster } from '../../src/resource-manager/cluster.ts';
import type { ExecutionType } from '../../src/wire/cluster/container-messages.ts';
import type { AllocateResponse, Allocation } from '../../src/wire/cluster/master-protocol.ts';

const updateTypes = ['PROMOTE_EXECUTION_TYPE', 'DEMOTE_EXECUTION_TYPE', 'INCREASE_RESOURCE', 'DECREASE_RESOURCE'] as const;

/** What masters got of what they asked for: a history in which they get nothing proves nothing. */
export interface Served {
  given: number;
  opportunistic: number;
  released: number;
  ended: number;
  grown: number;
  shrunk: number;
  promoted: number;
  demoted: number;
}

export const servedNothing = (): Served => ({
  given: 0,
  opportunistic: 0,
  released: 0,
  ended: 0,
  grown: 0,
  shrunk: 0,
  promoted: 0,
  demoted: 0,
});

export class SimulatedMaster {
  readonly attemptId: string;
  readonly applicationId: string;
  readonly token: string;
  /** Undefined for one that was not launched. */
  readonly containerId: string | undefined;
  state: 'new' | 'registered' | 'finished' | 'dead' = 'new';
  busy = false;
  #connections = 0;
  /** By ask: the label that it names. */
  readonly labels = new Map<string, string | undefined>();
  /** Containers it was given, by node. */
  readonly held = new Map<string, string>();
  /** Given without a launch context: to be started by itself. */
  readonly toStart: Pick<Allocation, 'containerId' | 'nodeId' | 'executionType'>[] = [];
  #responseId = 0;
  #lost: TakenRequest | undefined;
  #given = new Set<string>();
  /** What the last answer said to be over. */
  #heardEnds = new Set<string>();
  #over = new Set<string>();
  #requests = 0;
  readonly #served: Served;
  /** What each container was when it was last told of. */
  readonly #known = new Map<string, { readonly memoryMiB: number; readonly executionType: ExecutionType }>();

  constructor(applicationId: string, attemptId: string, token: string, containerId: string | undefined, served: Served) {
    this.#served = served;
    this.applicationId = applicationId;
    this.attemptId = attemptId;
    this.token = token;
    this.containerId = containerId;
  }

  get alive(): boolean {
    return this.state === 'new' || this.state === 'registered';
  }

  /** The resource manager is gone: no answer comes to what was asked. */
  cut(): void {
    this.#connections++;
    this.busy = false;
  }

  #find(cluster: Cluster) {
    const found = cluster.view.attempt(this.attemptId);
    if (found && found.attempt.token === this.token) return found;
    this.state = 'dead';
    return undefined;
  }

  async register(cluster: Cluster): Promise<void> {
    const found = this.#find(cluster);
    if (!found) return;
    const at = { host: 'h', rpcPort: 1, trackingUrl: 'http://h/', heardEnds: [...this.#heardEnds] };
    const registered = cluster.registerMaster(found.application, found.attempt, at);
    if (!registered) {
      this.state = 'dead';
      return;
    }

    this.#responseId = 0;
    this.#lost = undefined;
    this.#given = new Set();
    this.busy = true;
    const connection = this.#connections;
    try {
      await registered.durable;
    } finally {
      if (connection === this.#connections) this.busy = false;
    }
    if (connection !== this.#connections) return;
    if (!this.alive) return;
    this.state = 'registered';
    // The answer lists what it holds already.
    for (const { id, nodeId } of registered.held) this.held.set(id, nodeId);
    for (const { containerId, nodeId } of registered.over) this.held.set(containerId, nodeId);
  }

  /** Asks for something; the answer may be lost, then the same is asked again. */
  async allocate(cluster: Cluster, random: Random, waitMs: number): Promise<void> {
    const found = this.#find(cluster);
    if (!found) return;
    const request =
      this.#lost ?? this.#request(random, (expression) => cluster.policy.checkLabels(found.application.queue, expression) === undefined);
    const loses = random.int(8) === 0;
    await this.#call(cluster, found, request, waitMs, loses);
  }

  /** Asks for nothing new and hears what there is; registers again where it has to. */
  async listen(cluster: Cluster): Promise<void> {
    if (this.state === 'new') await this.register(cluster);
    const found = this.#find(cluster);
    if (found && this.state === 'registered') await this.#call(cluster, found, this.#lost ?? { responseId: this.#responseId }, 0, false);
  }

  async #call(
    cluster: Cluster,
    found: { application: Application; attempt: Attempt },
    request: TakenRequest,
    waitMs: number,
    loses: boolean,
  ): Promise<void> {
    this.#lost = undefined;
    this.busy = true;
    const connection = this.#connections;
    const answer = await cluster.allocate(found.application, found.attempt, request, waitMs, new AbortController().signal);
    if (connection !== this.#connections) return;
    this.busy = false;
    if (!this.alive) return;
    if (loses && answer.command === undefined) this.#lost = request;
    else this.#take(request, answer);
  }

  #request(random: Random, mayUse: (label: string) => boolean): TakenRequest {
    const requests = [];
    for (let i = random.int(3); i > 0; i--) {
      const launch = random.int(3) > 0 ? { commands: ['task'], environment: {}, localResources: {}, serviceData: {} } : undefined;
      const nodes = random.int(4) === 0 ? [`n${random.int(4)}`] : [];
      const label = ['', '', '', 'x', 'y'][random.int(5)]!;
      const requestId = `ask${random.int(2) === 0 ? random.int(3) : ++this.#requests}`;
      const labelled = label !== '' && nodes.length === 0 && mayUse(label);
      this.labels.set(requestId, labelled ? label : undefined);
      requests.push({
        askId: requestId,
        priority: 1 + random.int(3),
        resource: { memoryMiB: 128 * (1 + random.int(16)), vcores: 1 + random.int(2) },
        count: random.int(random.int(4) === 0 ? 12 : 4),
        nodes,
        racks: random.int(8) === 0 ? [`/r${random.int(2)}`] : [],
        ...(labelled ? { labelExpression: label } : {}),
        relaxLocality: nodes.length === 0 || random.int(2) === 0,
        ...(launch ? { launch } : {}),
        ...this.#place(random),
      });
    }
    const held = [...this.held.keys()];
    const releases = held.filter(() => random.int(6) === 0);
    const updates = held
      .filter(() => random.int(8) === 0)
      .map((containerId) => ({
        containerId,
        updateType: updateTypes[random.int(updateTypes.length)]!,
        resource: { memoryMiB: 128 * (1 + random.int(20)), vcores: 1 + random.int(3) },
      }));
    const notes = random.int(8) === 0 ? [`note ${this.#requests}`] : [];
    const cancels = random.int(5) === 0 ? ['ask0', 'ask1', 'ask2'] : [];
    return { responseId: this.#responseId, progress: random.next(), requests, releases, cancels, updates, notes };
  }

  /** Some asks are opportunistic, some have tags and are bound to where others stand. */
  #place(random: Random): { executionType?: 'OPPORTUNISTIC'; allocationTags?: string[]; placementConstraint?: PlacementConstraint } {
    const kind = random.int(6);
    if (kind === 0) return { executionType: 'OPPORTUNISTIC' };
    if (kind > 1) return {};
    const tag = `tag${random.int(2)}`;
    const texts = [`notin,node,${tag}`, `cardinality,node,all/${tag},0,2`, `in,rack,${tag}`, `and(notin,node,tag0:notin,node,all/tag1)`];
    return { allocationTags: [tag], placementConstraint: parseConstraint(texts[random.int(texts.length)]!) };
  }

  #take(request: TakenRequest, answer: AllocateResponse): void {
    if (answer.command === 'shutdown') {
      this.state = 'dead';
      return;
    }
    if (answer.command === 'resync') {
      this.state = 'new';
      return;
    }
    assert.equal(answer.responseId, request.responseId + 1, `${this.attemptId}: answers count up`);
    this.#responseId = answer.responseId;
    for (const { containerId, nodeId, askId: requestId, executionType, resource } of answer.allocations) {
      this.#served[executionType === 'OPPORTUNISTIC' ? 'opportunistic' : 'given']++;
      this.#known.set(containerId, { memoryMiB: resource.memoryMiB, executionType });
      assert.ok(!this.#given.has(containerId), `${containerId} was given twice`);
      this.#given.add(containerId);
      this.held.set(containerId, nodeId);
      const asked = request.requests?.find((one) => one.askId === requestId);
      if (asked && !asked.launch) this.toStart.push({ containerId, nodeId, executionType });
    }
    for (const { containerId, executionType, resource } of answer.updated ?? []) {
      const before = this.#known.get(containerId);
      if (before && before.executionType !== executionType) this.#served[executionType === 'GUARANTEED' ? 'promoted' : 'demoted']++;
      if (before && before.memoryMiB !== resource.memoryMiB) this.#served[before.memoryMiB < resource.memoryMiB ? 'grown' : 'shrunk']++;
      this.#known.set(containerId, { memoryMiB: resource.memoryMiB, executionType });
    }
    this.#heardEnds = new Set(answer.completed.map(({ containerId }) => containerId));
    for (const { containerId, exitCode } of answer.completed) {
      this.#served[exitCode === exitStatus.killedByMaster ? 'released' : 'ended']++;
      assert.ok(!this.#over.has(containerId), `${containerId} ended twice`);
      this.#over.add(containerId);
      this.held.delete(containerId);
    }
  }

  /** Resolves to whether the end was acknowledged. */
  async finish(cluster: Cluster, finalStatus: 'SUCCEEDED' | 'FAILED' | 'KILLED' | 'ENDED' | 'UNDEFINED'): Promise<boolean> {
    const found = this.#find(cluster);
    if (!found) return false;
    const stored = cluster.unregisterMaster(found.application, found.attempt, {
      finalStatus,
      diagnostics: 'bye',
      trackingUrl: undefined,
    });
    if (!stored) return false;
    this.state = 'finished';
    await stored;
    return true;
  }
}
