// The containers of an application, and those on a node, in the order in which they came: lists through the containers themselves,
// because a cluster holds a million of them, each in two lists.

/** A container in a list of its application. */
interface OfApplication<Self> {
  previousOfApplication: Self | undefined;
  nextOfApplication: Self | undefined;
}

/** A container in a list of its node. */
interface OnNode<Self> {
  previousOnNode: Self | undefined;
  nextOnNode: Self | undefined;
}

/** Ordered by arrival. A container is in at most one list of a kind. */
abstract class ContainerList<Container> {
  protected first: Container | undefined;
  protected last: Container | undefined;
  size = 0;

  abstract add(container: Container): void;
  abstract delete(container: Container): void;
  protected abstract after(container: Container): Container | undefined;

  *[Symbol.iterator](): Generator<Container> {
    for (let at = this.first; at; ) {
      const next = this.after(at);
      yield at;
      at = next;
    }
  }
}

/** Of one application. */
export class ApplicationContainers<Container extends OfApplication<Container>> extends ContainerList<Container> {
  add(container: Container): void {
    container.previousOfApplication = this.last;
    if (this.last) this.last.nextOfApplication = container;
    else this.first = container;
    this.last = container;
    this.size++;
  }

  delete(container: Container): void {
    const { previousOfApplication: previous, nextOfApplication: next } = container;
    if (previous) previous.nextOfApplication = next;
    else this.first = next;
    if (next) next.previousOfApplication = previous;
    else this.last = previous;
    container.previousOfApplication = undefined;
    container.nextOfApplication = undefined;
    this.size--;
  }

  protected after(container: Container): Container | undefined {
    return container.nextOfApplication;
  }
}

/** On one node. */
export class NodeContainers<Container extends OnNode<Container>> extends ContainerList<Container> {
  add(container: Container): void {
    container.previousOnNode = this.last;
    if (this.last) this.last.nextOnNode = container;
    else this.first = container;
    this.last = container;
    this.size++;
  }

  delete(container: Container): void {
    const { previousOnNode: previous, nextOnNode: next } = container;
    if (previous) previous.nextOnNode = next;
    else this.first = next;
    if (next) next.previousOnNode = previous;
    else this.last = previous;
    container.previousOnNode = undefined;
    container.nextOnNode = undefined;
    this.size--;
  }

  protected after(container: Container): Container | undefined {
    return container.nextOnNode;
  }
}
