// Containers that change their type on their master's wish: a guaranteed one becomes opportunistic at once; an opportunistic one becomes
// guaranteed when the scheduler has room for it on its node (ContainerUpdateContext).
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container, ExecutionType } from '../applications/container.ts';
import type { ContainerChanges } from './container-changes.ts';
import type { ContainerCharges } from './container-charges.ts';
import type { Allocation } from './containers.ts';
import type { Effects } from './effects.ts';
import type { OpportunisticScheduler } from './opportunistic.ts';

/** What is needed. */
export interface PromotionPorts {
  readonly effects: Pick<Effects, 'wakeScheduler'>;
  readonly policy: Pick<SchedulingPolicy, 'updateRequests'>;
  readonly charges: ContainerCharges;
  readonly opportunistic: Pick<OpportunisticScheduler, 'joined' | 'promoted'>;
  readonly changes: Pick<ContainerChanges, 'changed'>;
}

/** Promotions and demotions. */
export class Promotions {
  readonly #ports: PromotionPorts;
  /** Attempts by the container that is to be promoted once the scheduler has room for it. */
  readonly #waiting = new Map<string, string>();

  constructor(ports: PromotionPorts) {
    this.#ports = ports;
  }

  /** An opportunistic container is to become guaranteed. */
  promote(attempt: Attempt, { id: containerId, priority, resource, nodeId, allocationTags }: Container): void {
    const { policy, effects } = this.#ports;
    this.#waiting.set(containerId, attempt.id);
    const purpose = { kind: 'promotion', containerId } as const;
    const where = { nodes: [nodeId], relaxLocality: false };
    policy.updateRequests(attempt.id, [{ requestId: '', purpose, priority, resource, count: 1, ...where, allocationTags }], []);
    effects.wakeScheduler();
  }

  /** A guaranteed container becomes opportunistic: its room is free. */
  demote(application: Application, attempt: Attempt, container: Container): void {
    this.#ports.charges.release(container);
    this.#ports.opportunistic.joined();
    this.#change(application, attempt, container, 'OPPORTUNISTIC');
  }

  /** The scheduler gave the room of a promotion. */
  given(application: Application, attempt: Attempt, containerId: string, allocation: Allocation): void {
    const { charges, opportunistic } = this.#ports;
    const isWanted = this.#waiting.get(containerId) === attempt.id;
    if (isWanted) this.#waiting.delete(containerId);
    const container = isWanted ? attempt.containers.get(containerId) : undefined;
    // Room for less than it has, where no node is large enough (any more), is none.
    const fits = container?.resource.every((amount, i) => amount === (allocation.resource[i] ?? 0));
    if (!container || container.executionType === 'GUARANTEED' || !fits) {
      charges.giveBack(allocation.containerId);
      return;
    }
    charges.take(container, allocation.containerId);
    opportunistic.promoted(container);
    this.#change(application, attempt, container, 'GUARANTEED');
  }

  #change(application: Application, attempt: Attempt, container: Container, executionType: ExecutionType): void {
    const { effects, changes } = this.#ports;
    container.executionType = executionType;
    application.version++;
    const updateType = executionType === 'GUARANTEED' ? 'PROMOTE_EXECUTION_TYPE' : 'DEMOTE_EXECUTION_TYPE';
    changes.changed(application, attempt.id, container, updateType, { executionType });
    effects.wakeScheduler();
  }

  /** The container waits to be promoted no longer. */
  forget({ id: containerId }: Container): void {
    const attemptId = this.#waiting.get(containerId);
    if (attemptId === undefined) return;
    this.#waiting.delete(containerId);
    this.#ports.policy.updateRequests(attemptId, [], [{ kind: 'promotion', containerId }]);
  }

  /** The attempt asks for nothing any more; the scheduler is told of that apart. */
  forgetAll(attemptId: string): void {
    for (const [containerId, promoter] of this.#waiting) if (promoter === attemptId) this.#waiting.delete(containerId);
  }
}
