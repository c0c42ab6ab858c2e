// Which containers may start now (ContainerScheduler of Hadoop's node manager). Guaranteed ones have their room by the resource
// manager's word; opportunistic ones take what is left, wait for it in a queue, and are ended when a guaranteed one needs theirs.
import { exitStatus } from '../../model/exit-status.ts';
import type { ExecutionType, NodeResource } from '../../wire/cluster/container-messages.ts';
import type { OpportunisticFigures } from '../../wire/cluster/node-channel.ts';
import type { Container } from './container.ts';

/** What admission works with. */
export interface AdmissionOptions {
  /** What the node has now. */
  readonly capacity: () => NodeResource;
  /** Opportunistic containers that may wait; 0: none may even start. */
  readonly maximumQueueLength: number;
  readonly kill: (container: Container, exitCode: number, diagnostics: string) => void;
  /** A container waits: the resource manager is to know that its order was taken. */
  readonly queued: (container: Container) => void;
}

interface Waiting {
  readonly container: Container;
  readonly settle: (admitted: boolean) => void;
}

const isOpportunistic = ({ executionType }: Container): boolean => executionType === 'OPPORTUNISTIC';

/** Decides when containers start, and which opportunistic ones end for them. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** Started and not ended, in the order of their start. */
  readonly #running = new Set<Container>();
  readonly #guaranteed: Waiting[] = [];
  readonly #opportunistic: Waiting[] = [];

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** Resolves with true when the container may start, with false when it is not wanted any more. */
  admit(container: Container): Promise<boolean> {
    if (container.killed) return Promise.resolve(false);
    const isGuaranteed = !isOpportunistic(container);
    if (isGuaranteed && (this.#options.maximumQueueLength <= 0 || this.#fits(container) || !this.#anyOpportunistic())) {
      this.#running.add(container);
      return Promise.resolve(true);
    }
    if (!isGuaranteed && this.#guaranteed.length === 0 && this.#opportunistic.length === 0 && this.#mayBegin(container)) {
      this.#running.add(container);
      return Promise.resolve(true);
    }
    if (!isGuaranteed && this.#opportunistic.length >= this.#options.maximumQueueLength) {
      this.#options.kill(container, exitStatus.killedByContainerScheduler, 'Opportunistic container queue is full.');
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      const settle = (admitted: boolean): void => {
        container.ending.signal.removeEventListener('abort', ended);
        resolve(admitted);
      };
      const ended = (): void => {
        this.#leaveQueue(container);
        settle(false);
        this.#pump();
      };
      container.ending.signal.addEventListener('abort', ended, { once: true });
      (isGuaranteed ? this.#guaranteed : this.#opportunistic).push({ container, settle });
      this.#options.queued(container);
      if (isGuaranteed) this.#reclaim();
    });
  }

  /** A container that an earlier process of the node manager started. */
  adopt(container: Container): void {
    this.#running.add(container);
  }

  /** Nothing of the container runs any more. */
  release(container: Container): void {
    if (this.#running.delete(container)) this.#pump();
  }

  /** The container is of another type from now on: a waiting one changes its queue. */
  change(container: Container, executionType: ExecutionType): void {
    if (container.executionType === executionType) return;
    const waiting = this.#leaveQueue(container);
    container.executionType = executionType;
    if (waiting) {
      (isOpportunistic(container) ? this.#opportunistic : this.#guaranteed).push(waiting);
      if (!isOpportunistic(container)) this.#reclaim();
    }
    this.#pump();
  }

  /** The node offers more or less. */
  resized(): void {
    this.#pump();
  }

  get figures(): OpportunisticFigures {
    let running = 0;
    let memoryMiB = 0;
    let vcores = 0;
    for (const container of this.#running) {
      if (!isOpportunistic(container)) continue;
      running++;
      memoryMiB += container.order.resource.memoryMiB;
      vcores += container.order.resource.vcores;
    }
    return {
      running,
      memoryMiB,
      vcores,
      queued: this.#opportunistic.length,
      waiting: this.#opportunistic.length + this.#guaranteed.length,
    };
  }

  #anyOpportunistic(): boolean {
    for (const container of this.#running) if (isOpportunistic(container)) return true;
    return false;
  }

  /** Opportunistic containers begin only where some may wait. */
  #mayBegin(container: Container): boolean {
    return this.#options.maximumQueueLength > 0 && this.#fits(container);
  }

  /** What is missing of each type for the container beside those that run, the dying ones left out. */
  #missing(container: Container, dying: boolean): Map<string, number> {
    const missing = new Map<string, number>();
    for (const [type, amount] of Object.entries(container.order.resource)) {
      let used = amount;
      for (const other of this.#running) if (dying || !other.killed) used += other.order.resource[type] ?? 0;
      const lack = used - (this.#options.capacity()[type] ?? 0);
      if (amount > 0 && lack > 0) missing.set(type, lack);
    }
    return missing;
  }

  #fits(container: Container): boolean {
    return this.#missing(container, true).size === 0;
  }

  /** Ends the youngest opportunistic containers until all waiting guaranteed ones will have room. */
  #reclaim(): void {
    const missing = new Map<string, number>();
    for (const { container } of this.#guaranteed)
      for (const [type, amount] of Object.entries(container.order.resource)) missing.set(type, (missing.get(type) ?? 0) + amount);
    for (const [type, wanted] of missing) {
      let used = wanted;
      for (const other of this.#running) if (!other.killed) used += other.order.resource[type] ?? 0;
      missing.set(type, used - (this.#options.capacity()[type] ?? 0));
    }
    for (const victim of [...this.#running].reverse()) {
      if (![...missing.values()].some((lack) => lack > 0)) return;
      if (!isOpportunistic(victim) || victim.killed) continue;
      for (const [type, amount] of Object.entries(victim.order.resource)) missing.set(type, (missing.get(type) ?? 0) - amount);
      this.#options.kill(victim, exitStatus.killedByContainerScheduler, 'Container Killed to make room for Guaranteed Container.');
    }
  }

  /** Starts the containers that may start: guaranteed ones first; none waits for its own kind. */
  #pump(): void {
    while (this.#guaranteed[0] && (this.#fits(this.#guaranteed[0].container) || !this.#anyOpportunistic())) this.#begin(this.#guaranteed);
    if (this.#guaranteed.length > 0) return;
    while (this.#opportunistic[0] && this.#mayBegin(this.#opportunistic[0].container)) this.#begin(this.#opportunistic);
  }

  #begin(queue: Waiting[]): void {
    const { container, settle } = queue.shift()!;
    this.#running.add(container);
    settle(true);
  }

  #leaveQueue(container: Container): Waiting | undefined {
    for (const queue of [this.#guaranteed, this.#opportunistic]) {
      const place = queue.findIndex((waiting) => waiting.container === container);
      if (place >= 0) return queue.splice(place, 1)[0];
    }
    return undefined;
  }
}
