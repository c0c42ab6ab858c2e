// What one master was told of its containers, and whether it was told right: each has one end, told once for certain; whatever it holds is
// listed when it registers again.
import { exitStatus } from '../../src/model/exit-status.ts';
import { attemptIdOfContainer } from '../../src/model/ids.ts';
import type { TakenRequest } from '../../src/resource-manager/cluster/masters.ts';
import type { ExecutionType } from '../../src/wire/cluster/container-messages.ts';
import type { AllocateResponse } from '../../src/wire/cluster/master-protocol.ts';
import type { Ledger } from './ledger.ts';
import type { Registered } from './master-door.ts';

export class MasterAccount {
  /** Containers that it has, by node. */
  readonly held = new Map<string, string>();
  /** By ask: containers that it was given. */
  readonly givenFor = new Map<string, Set<string>>();
  /** Ends that the last answer told: not acknowledged yet. */
  #lastEnds: string[] = [];
  /** Containers that it gave back although nobody had given them: their ends are to come. */
  readonly unheardOf = new Set<string>();
  readonly #heard = new Set<string>();
  readonly #ledger: Ledger;
  readonly #told;
  readonly #attemptId: string;

  constructor(ledger: Ledger, applicationId: string, attemptId: string) {
    this.#ledger = ledger;
    this.#attemptId = attemptId;
    this.#told = ledger.told(applicationId);
  }

  /** What it says it heard when it registers again. */
  get heardEnds(): readonly string[] {
    return this.#lastEnds;
  }

  given(askId: string): number {
    return this.givenFor.get(askId)?.size ?? 0;
  }

  /** How many ends its application's masters have acknowledged by now. */
  get acknowledged(): number {
    return this.#told.acknowledged;
  }

  /**
   * It registered; `containers`: everything whose end it has not heard. `before`: the ends that were acknowledged when the answer was made, which
   * may come so late that there is another master by then. Returns those that are news to it.
   */
  registered({ containers }: Registered, before: number): string[] {
    this.#acknowledge();
    // What it wished for and was not told of is forgotten; whether it came before that nobody knows.
    for (const [id, { wishes }] of this.#told.sizes)
      if (wishes > 0) this.#told.sizes.set(id, { executionType: undefined, memoryMiB: undefined, wishes: 0 });
    const listed = new Set(containers.map(({ containerId }) => containerId));
    for (const id of this.held.keys())
      if (!listed.has(id)) this.#violated(`holds ${id}, heard of no end, and registering does not list it (P4)`);
    const news: string[] = [];
    for (const { containerId, askId, nodeId } of containers) {
      if (this.#wasAcknowledged(containerId, before)) this.#violated(`registering lists ${containerId}, whose end it acknowledged (P6)`);
      if (!this.held.has(containerId)) news.push(containerId);
      this.#take(containerId, askId, nodeId);
    }
    return news;
  }

  /** A call was answered with news. `before`: as when it registered. */
  answered({ allocations, completed, updated = [], updateErrors = [] }: AllocateResponse, before: number): void {
    this.#acknowledge();
    for (const { containerId, askId, nodeId, executionType, resource } of allocations) {
      this.#ledger.count(executionType === 'OPPORTUNISTIC' ? 'opportunistic' : 'given');
      this.#told.sizes.set(containerId, { executionType, memoryMiB: resource.memoryMiB, wishes: 0 });
      if (this.givenFor.get(askId)?.has(containerId)) this.#violated(`was given ${containerId} twice (P4)`);
      this.#take(containerId, askId, nodeId);
    }
    for (const { containerId, executionType, resource } of updated) this.#changed(containerId, executionType, resource.memoryMiB);
    for (const { containerId } of updateErrors) this.#wished(containerId, -1);
    for (const { containerId, exitCode } of completed) {
      this.#ledger.count(exitCode === exitStatus.killedByMaster ? 'released' : 'ended');
      if (this.#wasAcknowledged(containerId, before))
        this.#violated(`is told again that ${containerId} ended, which was acknowledged (P6)`);
      else if (this.#heard.has(containerId)) this.#violated(`is told twice that ${containerId} ended (P6)`);
      this.#heard.add(containerId);
      if (!this.#told.ended.has(containerId)) this.#told.ended.set(containerId, { acknowledgement: undefined });
      this.#lastEnds.push(containerId);
      this.held.delete(containerId);
      this.unheardOf.delete(containerId);
    }
  }

  /** It asks for changes: what these containers are is not certain before each wish was answered. What is so already is not answered. */
  wishes(updates: NonNullable<TakenRequest['updates']>): void {
    for (const { containerId, updateType } of updates) {
      const before = this.#told.sizes.get(containerId);
      const type = before?.wishes === 0 ? before.executionType : undefined;
      const isSo = type === 'GUARANTEED' ? 'PROMOTE_EXECUTION_TYPE' : type && 'DEMOTE_EXECUTION_TYPE';
      if (updateType !== isSo) this.#wished(containerId, 1);
    }
  }

  /** Whether a change of the container was asked for and not answered. */
  isWishing(containerId: string): boolean {
    return (this.#told.sizes.get(containerId)?.wishes ?? 0) > 0;
  }

  #wished(containerId: string, more: number): void {
    const before = this.#told.sizes.get(containerId);
    if (before) this.#told.sizes.set(containerId, { ...before, wishes: before.wishes + more });
  }

  #changed(containerId: string, executionType: ExecutionType, memoryMiB: number): void {
    const before = this.#told.sizes.get(containerId);
    if (!before) return;
    this.#told.sizes.set(containerId, { executionType, memoryMiB, wishes: before.wishes - 1 });
    if (before.executionType !== undefined && before.executionType !== executionType)
      this.#ledger.count(executionType === 'GUARANTEED' ? 'promoted' : 'demoted');
    if (before.memoryMiB !== undefined && before.memoryMiB !== memoryMiB)
      this.#ledger.count(before.memoryMiB < memoryMiB ? 'grown' : 'shrunk');
  }

  #take(containerId: string, askId: string, nodeId: string): void {
    if (this.#told.ended.has(containerId)) return;
    this.#told.given.set(containerId, this.#attemptId);
    this.held.set(containerId, nodeId);
    let given = this.givenFor.get(askId);
    if (!given) this.givenFor.set(askId, (given = new Set()));
    given.add(containerId);
    // Those of an attempt before it may have been for a request of the same name.
    const own = [...given].filter((id) => attemptIdOfContainer(id) === this.#attemptId);
    const most = this.#ledger.wanted(this.#attemptId, askId);
    if (most !== undefined && own.length > most) this.#violated(`is given ${own} for ${askId}, for which it wanted ${most} (P4)`);
  }

  /** What the answer before said has been acknowledged. */
  #acknowledge(): void {
    for (const id of this.#lastEnds) this.#told.ended.get(id)!.acknowledgement ??= ++this.#told.acknowledged;
    this.#lastEnds = [];
  }

  /** Whether the end of the container was acknowledged as one of the first `before`. */
  #wasAcknowledged(containerId: string, before: number): boolean {
    const acknowledgement = this.#told.ended.get(containerId)?.acknowledgement;
    return acknowledgement !== undefined && acknowledgement <= before;
  }

  #violated(what: string): void {
    this.#ledger.violated(`${this.#attemptId} ${what}`);
  }
}
