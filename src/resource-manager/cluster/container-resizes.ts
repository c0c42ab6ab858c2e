// Containers that become larger or smaller on their master's wish. What becomes smaller is at once; what grows is asked of the scheduler
// as a request for the difference on its node (ContainerUpdateContext), and keeps what it has until that is given. An increase makes nothing
// smaller; a decrease names the whole size, which may be larger in part.
import type { Clock } from '../../lib/clock.ts';
import type { Resource, ResourceTypes } from '../../model/resource.ts';
import type { InternalPurpose } from '../../scheduler/entries.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Application } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import { isEndedContainer } from '../applications/container-states.ts';
import type { ContainerChanges } from './container-changes.ts';
import type { ContainerCharges } from './container-charges.ts';
import type { Allocation } from './containers.ts';
import type { Effects } from './effects.ts';
import { nodeResource } from './node-resource.ts';

/** Why a change is refused (ContainerUpdateError of Hadoop's RMServerUtils). */
export type ResizeRefusal = 'INVALID_CONTAINER_ID' | 'RESOURCE_OUTSIDE_ALLOWED_RANGE';

/** As what a change of size is asked for, and told once it is done. */
export type ResizeType = 'INCREASE_RESOURCE' | 'DECREASE_RESOURCE';

/** What waits for the scheduler: by whose request, and which size it will be. */
interface Growth {
  readonly attemptId: string;
  readonly type: ResizeType;
  readonly more: Resource;
  readonly wanted: Resource;
}

/** What is needed. */
export interface ResizePorts {
  readonly effects: Pick<Effects, 'wakeScheduler'>;
  readonly policy: Pick<SchedulingPolicy, 'configuredMaximum' | 'normalize' | 'updateRequests'>;
  readonly charges: Pick<ContainerCharges, 'giveBack' | 'resize'>;
  readonly changes: Pick<ContainerChanges, 'changed' | 'same'>;
  /** The partition of a node. */
  readonly labelOf: (nodeId: string) => string;
  readonly types: ResourceTypes;
  readonly clock: Clock;
}

const growthOf = (containerId: string): InternalPurpose => ({ kind: 'growth', containerId });

/** Changes of the sizes of containers. */
export class ContainerResizes {
  readonly #ports: ResizePorts;
  /** By container. */
  readonly #growing = new Map<string, Growth>();

  constructor(ports: ResizePorts) {
    this.#ports = ports;
  }

  /** Takes a change of size; a later one for the same container replaces it. */
  request(application: Application, attempt: Attempt, containerId: string, asked: Resource, type: ResizeType): ResizeRefusal | undefined {
    const { policy, effects, labelOf } = this.#ports;
    const container = attempt.containers.get(containerId);
    if (!container || isEndedContainer(container.state) || container.executionType !== 'GUARANTEED') return 'INVALID_CONTAINER_ID';
    const maximum = policy.configuredMaximum();
    if (asked.some((amount, index) => amount > (maximum[index] ?? Number.POSITIVE_INFINITY))) return 'RESOURCE_OUTSIDE_ALLOWED_RANGE';
    this.forget(container);
    const size = policy.normalize(asked, application.queue);
    const wanted = type === 'DECREASE_RESOURCE' ? size : size.map((amount, index) => Math.max(amount, container.resource[index] ?? 0));
    const more = wanted.map((amount, index) => Math.max(0, amount - (container.resource[index] ?? 0)));
    if (more.every((amount) => amount === 0)) {
      this.#carryOut(application, attempt, container, wanted, type);
      return undefined;
    }
    this.#growing.set(containerId, { attemptId: attempt.id, type, more, wanted });
    const { nodeId, priority } = container;
    const purpose = growthOf(containerId);
    const where = { nodes: [nodeId], relaxLocality: false, labelExpression: labelOf(nodeId) };
    policy.updateRequests(attempt.id, [{ requestId: '', purpose, priority, resource: more, exact: true, count: 1, ...where }], []);
    effects.wakeScheduler();
    return undefined;
  }

  /** The scheduler gave the room of a growth. */
  given(application: Application, attempt: Attempt, containerId: string, allocation: Allocation): void {
    const growth = this.#growing.get(containerId);
    this.#ports.charges.giveBack(allocation.containerId);
    if (growth?.attemptId !== attempt.id) return;
    this.#growing.delete(containerId);
    const container = attempt.containers.get(containerId);
    // Room for less, where no node is large enough (any more), is none.
    if (container && growth.more.every((amount, index) => amount === (allocation.resource[index] ?? 0)))
      this.#carryOut(application, attempt, container, growth.wanted, growth.type);
  }

  /** Nothing is wanted of the container any more. */
  forget({ id }: Container): void {
    const growth = this.#growing.get(id);
    if (!growth) return;
    this.#growing.delete(id);
    this.#ports.policy.updateRequests(growth.attemptId, [], [growthOf(id)]);
  }

  /** The attempt asks for nothing any more; the scheduler is told of that apart. */
  forgetAll(attemptId: string): void {
    for (const [containerId, growth] of this.#growing) if (growth.attemptId === attemptId) this.#growing.delete(containerId);
  }

  #carryOut(application: Application, attempt: Attempt, container: Container, wanted: Resource, type: ResizeType): void {
    const { types, clock, effects, charges, changes } = this.#ports;
    if (wanted.every((amount, index) => amount === (container.resource[index] ?? 0))) {
      changes.same(attempt.id, container, type);
      return;
    }
    charges.resize(container, wanted);
    // Its end charges its last size for the whole time that it ran.
    const lifeMs = Math.max(0, clock.now() - container.createdMs);
    const sums = application.resourceSeconds.used;
    wanted.forEach((amount, index) => {
      sums[index] = (sums[index] ?? 0) + ((container.resource[index] ?? 0) - amount) * lifeMs;
    });
    container.resource = wanted;
    application.version++;
    changes.changed(application, attempt.id, container, type, { resource: nodeResource(wanted, types) });
    effects.wakeScheduler();
  }
}
