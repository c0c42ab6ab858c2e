// Containers that become larger or smaller on their master's wish. A smaller one is at once; a larger one when its node and its queue have
// the room, until then it waits and keeps what it has.
import type { Resource } from '../../model/resource.ts';
import type { Application, Attempt, Container } from '../applications/application.ts';
import { isEndedContainer } from '../applications/container-states.ts';
import type { Cluster } from '../cluster.ts';
import { nodeResource } from './node-resource.ts';

/** Why a change is refused (ContainerUpdateError of Hadoop's RMServerUtils). */
export type ResizeRefusal = 'INVALID_CONTAINER_ID' | 'RESOURCE_OUTSIDE_ALLOWED_RANGE';

/** How often what waits is looked at again: a heartbeat of nodes in Hadoop. */
const retryMs = 1000;

/** The sizes of containers; created and called by the cluster only. */
export class ContainerResizes {
  readonly #cluster: Cluster;
  /** By node: containers that wait to grow. */
  readonly #waiting = new Map<string, Map<string, Resource>>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** Takes a wish; a later one for the same container replaces it. */
  ask(application: Application, attempt: Attempt, containerId: string, asked: Resource): ResizeRefusal | undefined {
    const { policy } = this.#cluster;
    const container = attempt.containers.get(containerId);
    if (!container || isEndedContainer(container.state) || container.executionType !== 'GUARANTEED') return 'INVALID_CONTAINER_ID';
    const maximum = policy.configuredMaximum();
    if (asked.some((amount, index) => amount > (maximum[index] ?? Number.POSITIVE_INFINITY))) return 'RESOURCE_OUTSIDE_ALLOWED_RANGE';
    this.forget(container);
    const wanted = policy.normalize(asked, application.queue);
    if (this.#fits(application, container, wanted)) this.#carryOut(application, attempt, container, wanted);
    else {
      const waiting = this.#waiting.get(container.nodeId);
      if (waiting) waiting.set(containerId, wanted);
      else this.#waiting.set(container.nodeId, new Map([[containerId, wanted]]));
      this.#watch();
    }
    return undefined;
  }

  /** Room appears in many ways (a larger node, another queue, an end on another node): while somebody waits it is looked for. */
  #watch(): void {
    const { timers } = this.#cluster;
    if (timers.has('growing containers')) return;
    timers.set('growing containers', retryMs, () => {
      for (const nodeId of [...this.#waiting.keys()]) this.roomAppeared(nodeId);
      if (this.#waiting.size > 0) this.#watch();
    });
  }

  /** A container of the node ended: others may grow. */
  roomAppeared(nodeId: string): void {
    const waiting = this.#waiting.get(nodeId);
    if (!waiting) return;
    for (const [containerId, wanted] of [...waiting]) {
      const container = this.#cluster.live.get(containerId);
      const application = container && this.#cluster.applications.get(container.applicationId);
      const attempt = application?.attempts.find(({ containers }) => containers.has(containerId));
      if (!container || !application || !attempt) waiting.delete(containerId);
      else if (this.#fits(application, container, wanted)) {
        this.forget(container);
        this.#carryOut(application, attempt, container, wanted);
      }
    }
    if (waiting.size === 0) this.#waiting.delete(nodeId);
  }

  /** Nothing is wanted of the container any more. */
  forget({ id, nodeId }: Container): void {
    const waiting = this.#waiting.get(nodeId);
    if (waiting?.delete(id) && waiting.size === 0) this.#waiting.delete(nodeId);
  }

  #fits(application: Application, container: Container, wanted: Resource): boolean {
    const { policy } = this.#cluster;
    const available = policy.nodeUsage(container.nodeId)?.available ?? [];
    const headroom = policy.usage(application.id)?.headroom ?? [];
    return wanted.every((amount, index) => {
      const more = amount - (container.resource[index] ?? 0);
      return more <= 0 || (more <= (available[index] ?? 0) && more <= (headroom[index] ?? 0));
    });
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
