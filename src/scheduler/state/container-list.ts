// The containers of an application, and those on a node, in the order in which they came: lists through the containers themselves,
// because a cluster holds a million of them, each in two lists.

import type { HeldContainer } from './applications.ts';

/** Ordered by arrival. A container is in at most one list of a kind. */
export abstract class ContainerList {
  protected first: HeldContainer | undefined;
  protected last: HeldContainer | undefined;
  size = 0;

  abstract add(container: HeldContainer): void;
  abstract delete(container: HeldContainer): void;
  protected abstract after(container: HeldContainer): HeldContainer | undefined;

  *[Symbol.iterator](): Generator<HeldContainer> {
    for (let at = this.first; at; ) {
      const next = this.after(at);
      yield at;
      at = next;
    }
  }
}

/** Of one application. */
export class ApplicationContainers extends ContainerList {
  add(container: HeldContainer): void {
    container.previousOfApplication = this.last;
    if (this.last) this.last.nextOfApplication = container;
    else this.first = container;
    this.last = container;
    this.size++;
  }

  delete(container: HeldContainer): void {
    const { previousOfApplication: previous, nextOfApplication: next } = container;
    if (previous) previous.nextOfApplication = next;
    else this.first = next;
    if (next) next.previousOfApplication = previous;
    else this.last = previous;
    container.previousOfApplication = undefined;
    container.nextOfApplication = undefined;
    this.size--;
  }

  protected after(container: HeldContainer): HeldContainer | undefined {
    return container.nextOfApplication;
  }
}

/** On one node. */
export class NodeContainers extends ContainerList {
  add(container: HeldContainer): void {
    container.previousOnNode = this.last;
    if (this.last) this.last.nextOnNode = container;
    else this.first = container;
    this.last = container;
    this.size++;
  }

  delete(container: HeldContainer): void {
    const { previousOnNode: previous, nextOnNode: next } = container;
    if (previous) previous.nextOnNode = next;
    else this.first = next;
    if (next) next.previousOnNode = previous;
    else this.last = previous;
    container.previousOnNode = undefined;
    container.nextOnNode = undefined;
    this.size--;
  }

  protected after(container: HeldContainer): HeldContainer | undefined {
    return container.nextOnNode;
  }
}
