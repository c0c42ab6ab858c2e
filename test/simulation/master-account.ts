// What one master was told of its containers, and whether it was told right: each has one end, told once for certain; whatever it holds is
// listed when it registers again.
import { exitStatus } from '../../src/model/exit-status.ts';
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
  /** What each was when it was last told of. */
  readonly #sizes = new Map<string, { readonly executionType: ExecutionType; readonly memoryMiB: number }>();
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

  /** It registered; `containers`: everything whose end it has not heard. Returns those that are news to it. */
  registered({ containers }: Registered): string[] {
    this.#acknowledge();
    const listed = new Set(containers.map(({ containerId }) => containerId));
    for (const id of this.held.keys())
      if (!listed.has(id)) this.#violated(`holds ${id}, heard of no end, and registering does not list it (P4)`);
    const news: string[] = [];
    for (const { containerId, askId, nodeId } of containers) {
      if (this.#told.ended.get(containerId)?.isAcknowledged)
        this.#violated(`registering lists ${containerId}, whose end it acknowledged (P6)`);
      if (!this.held.has(containerId)) news.push(containerId);
      this.#take(containerId, askId, nodeId);
    }
    return news;
  }

  /** A call was answered with news. */
  answered({ allocations, completed, updated = [] }: AllocateResponse): void {
    this.#acknowledge();
    for (const { containerId, askId, nodeId, executionType, resource } of allocations) {
      this.#ledger.count(executionType === 'OPPORTUNISTIC' ? 'opportunistic' : 'given');
      this.#sizes.set(containerId, { executionType, memoryMiB: resource.memoryMiB });
      if (this.givenFor.get(askId)?.has(containerId)) this.#violated(`was given ${containerId} twice (P4)`);
      this.#take(containerId, askId, nodeId);
    }
    for (const { containerId, executionType, resource } of updated) this.#changed(containerId, executionType, resource.memoryMiB);
    for (const { containerId, exitCode } of completed) {
      this.#ledger.count(exitCode === exitStatus.killedByMaster ? 'released' : 'ended');
      const before = this.#told.ended.get(containerId);
      if (before?.isAcknowledged) this.#violated(`is told again that ${containerId} ended, which was acknowledged (P6)`);
      else if (this.#heard.has(containerId)) this.#violated(`is told twice that ${containerId} ended (P6)`);
      this.#heard.add(containerId);
      if (!before) this.#told.ended.set(containerId, { isAcknowledged: false });
      this.#lastEnds.push(containerId);
      this.held.delete(containerId);
      this.unheardOf.delete(containerId);
    }
  }

  #changed(containerId: string, executionType: ExecutionType, memoryMiB: number): void {
    const before = this.#sizes.get(containerId);
    this.#sizes.set(containerId, { executionType, memoryMiB });
    if (!before) return;
    if (before.executionType !== executionType) this.#ledger.count(executionType === 'GUARANTEED' ? 'promoted' : 'demoted');
    if (before.memoryMiB !== memoryMiB) this.#ledger.count(before.memoryMiB < memoryMiB ? 'grown' : 'shrunk');
  }

  #take(containerId: string, askId: string, nodeId: string): void {
    if (this.#told.ended.has(containerId)) return;
    this.#told.given.set(containerId, this.#attemptId);
    this.held.set(containerId, nodeId);
    let given = this.givenFor.get(askId);
    if (!given) this.givenFor.set(askId, (given = new Set()));
    given.add(containerId);
  }

  /** What the answer before said has been acknowledged. */
  #acknowledge(): void {
    for (const id of this.#lastEnds) this.#told.ended.get(id)!.isAcknowledged = true;
    this.#lastEnds = [];
  }

  #violated(what: string): void {
    this.#ledger.violated(`${this.#attemptId} ${what}`);
  }
}
