// Containers that become larger or smaller on their master's wish. What becomes smaller is at once; what grows is asked of the scheduler
// as a request for the difference on its node (ContainerUpdateContext), and keeps what it has until that is given.
import type { Resource } from '../../model/resource.ts';
import type { InternalPurpose } from '../../scheduler/policy.ts';
import type { Application, Attempt, Container } from '../applications/application.ts';
import { isEndedContainer } from '../applications/container-states.ts';
import type { Cluster } from '../cluster.ts';
import { nodeResource } from './node-resource.ts';

/** Why a change is refused (ContainerUpdateError of Hadoop's RMServerUtils). */
export type ResizeRefusal = 'INVALID_CONTAINER_ID' | 'RESOURCE_OUTSIDE_ALLOWED_RANGE';

/** What waits for the scheduler: by whose ask, and which size it will be. */
interface Growth {
  readonly attemptId: string;
  readonly more: Resource;
  readonly wanted: Resource;
}

const growthOf = (containerId: string): InternalPurpose => ({ kind: 'growth', containerId });

/** The sizes of containers; created and called by the cluster only. */
export class ContainerResizes {
  readonly #cluster: Cluster;
  /** By container. */
  readonly #growing = new Map<string, Growth>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Takes a wish; a later one for the same container replaces it. */
  request(application: Application, attempt: Attempt, containerId: string, asked: Resource): ResizeRefusal | undefined {
    const { policy, labels } = this.#cluster;
    const container = attempt.containers.get(containerId);
    if (!container || isEndedContainer(container.state) || container.executionType !== 'GUARANTEED') return 'INVALID_CONTAINER_ID';
    const maximum = policy.configuredMaximum();
    if (asked.some((amount, index) => amount > (maximum[index] ?? Number.POSITIVE_INFINITY))) return 'RESOURCE_OUTSIDE_ALLOWED_RANGE';
    this.forget(container);
    const wanted = policy.normalize(asked, application.queue);
    const more = wanted.map((amount, index) => Math.max(0, amount - (container.resource[index] ?? 0)));
    if (more.every((amount) => amount === 0)) {
      this.#carryOut(application, attempt, container, wanted);
      return undefined;
    }
    this.#growing.set(containerId, { attemptId: attempt.id, more, wanted });
    const { nodeId, priority } = container;
    const labelExpression = labels.labelOf(nodeId);
    policy.updateRequests(
      attempt.id,
      [
        {
          requestId: '',
          purpose: growthOf(containerId),
          priority,
          resource: more,
          exact: true,
          count: 1,
          nodes: [nodeId],
          relaxLocality: false,
          labelExpression,
        },
      ],
      [],
    );
    this.#cluster.scheduleSoon();
    return undefined;
  }

  /** Whether what the scheduler gave is the room of a growth; then that is carried out. */
  grown(
    application: Application,
    attempt: Attempt,
    decision: { readonly purpose?: InternalPurpose | undefined; readonly containerId: string; readonly resource: Resource },
  ): boolean {
    if (decision.purpose?.kind !== 'growth') return false;
    const { containerId } = decision.purpose;
    const growth = this.#growing.get(containerId);
    this.#cluster.policy.containerEnded(decision.containerId);
    if (growth?.attemptId !== attempt.id) return true;
    this.#growing.delete(containerId);
    const container = attempt.containers.get(containerId);
    // Room for less, where no node is large enough (any more), is none.
    if (container && growth.more.every((amount, index) => amount === (decision.resource[index] ?? 0)))
      this.#carryOut(application, attempt, container, growth.wanted);
    return true;
  }

  /** Nothing is wanted of the container any more. */
  forget({ id }: Container): void {
    const growth = this.#growing.get(id);
    if (!growth) return;
    this.#growing.delete(id);
    this.#cluster.policy.updateRequests(growth.attemptId, [], [growthOf(id)]);
  }

  /** The attempt asks for nothing any more. */
  forgetAll(attemptId: string): void {
    for (const [containerId, growth] of this.#growing) if (growth.attemptId === attemptId) this.#growing.delete(containerId);
  }

  #carryOut(application: Application, attempt: Attempt, container: Container, wanted: Resource): void {
    const { policy, types, clock, nodes, masters } = this.#cluster;
    if (wanted.some((amount, index) => amount !== (container.resource[index] ?? 0))) {
      const charged = container.chargedAs ?? container.id;
      policy.containerEnded(charged);
      policy.recoverContainer({ ...container, containerId: charged, resource: wanted });
      // Its end charges its last size for its whole life.
      const lifeMs = Math.max(0, clock.now() - container.createdMs);
      const sums = application.resourceSeconds.used;
      wanted.forEach((amount, index) => {
        sums[index] = (sums[index] ?? 0) + ((container.resource[index] ?? 0) - amount) * lifeMs;
      });
      container.resource = wanted;
      application.version++;
      nodes
        .get(container.nodeId)
        ?.send?.({ type: 'updateContainers', containers: [{ containerId: container.id, resource: nodeResource(wanted, types) }] });
      this.#cluster.scheduleSoon();
    }
    masters.updated(attempt.id, container);
  }
}
