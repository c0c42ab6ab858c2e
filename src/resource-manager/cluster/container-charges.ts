// The room of containers in the scheduler: under which id it counts each, and how that changes.
import type { Resource } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import type { Container } from '../applications/container.ts';

/** What of the scheduler is needed. */
export type ContainerRoom = Pick<SchedulingPolicy, 'containerEnded' | 'recoverContainer'>;

/** Opportunistic containers have no room in the scheduler; a promoted one has it under the id of the container given for that. */
export class ContainerCharges {
  readonly #room: ContainerRoom;
  /** Containers by the id under which the scheduler counts them since they were promoted. */
  readonly #promoted = new Map<string, string>();

  constructor(room: ContainerRoom) {
    this.#room = room;
  }

  /** The container that the scheduler counts under an id. */
  chargedTo(chargeId: string): string {
    return this.#promoted.get(chargeId) ?? chargeId;
  }

  /** The scheduler counts a container that runs since before this process. */
  adopt(container: Container): void {
    this.#room.recoverContainer({ ...container, containerId: container.id });
  }

  /** Room that the scheduler gave and that is not used. */
  giveBack(chargeId: string): void {
    this.#room.containerEnded(chargeId);
  }

  /** A container that became guaranteed takes the room that was given for it. */
  take(container: Container, chargeId: string): void {
    container.chargedAs = chargeId;
    this.#promoted.set(chargeId, container.id);
  }

  /** A guaranteed container needs no room any more: it ended, or became opportunistic. */
  release(container: Container): void {
    const chargeId = container.chargedAs ?? container.id;
    this.#promoted.delete(chargeId);
    container.chargedAs = undefined;
    this.#room.containerEnded(chargeId);
  }

  /** A guaranteed container is of another size. */
  resize(container: Container, resource: Resource): void {
    const chargeId = container.chargedAs ?? container.id;
    this.#room.containerEnded(chargeId);
    this.#room.recoverContainer({ ...container, containerId: chargeId, resource });
  }
}
