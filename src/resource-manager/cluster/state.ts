// Everything the cluster knows in memory: applications, attempts, containers, nodes, and the indices between them. The maps are private;
// each method keeps all indices that it concerns consistent, and throws where what must hold does not.
import { Tally } from '../../lib/tally.ts';
import type { Resource } from '../../model/resource.ts';
import { type Application, publicState } from '../applications/application.ts';
import type { ApplicationState } from '../applications/application-states.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import { isEndedContainer } from '../applications/container-states.ts';
import { SubmissionRoom } from '../applications/submission-room.ts';
import { ApplicationPlaces } from '../nodes/application-places.ts';
import type { Node } from '../nodes/node.ts';
import type { NodeState } from '../nodes/node-states.ts';
import { NodeTotals } from '../nodes/node-totals.ts';
import { ApplicationIndex } from './application-index.ts';
import type { ClusterSizes, ClusterView, FoundAttempt } from './cluster-view.ts';

/** A rule of the state that every change must keep; a broken one is a fault of the product. */
export class StateBroken extends Error {}

const must = (holds: boolean, what: string, id: string): void => {
  if (!holds) throw new StateBroken(`${id} ${what}`);
};

/** The state of the cluster. Only its lifecycles change it; everything else gets it as a `ClusterView`. */
export class ClusterState implements Omit<ClusterView, 'waitingText' | 'expected' | 'changes'> {
  readonly #applications = new Map<string, Application>();
  readonly #index = new ApplicationIndex((id) => this.#applications.get(id));
  readonly #attempts = new Map<string, FoundAttempt>();
  readonly #containers = new Map<string, Container>();
  readonly #nodes = new Map<string, Node>();
  /** Each host once for each node on it. */
  readonly #hosts = new Tally<string>();
  readonly #nodeTotals = new NodeTotals();
  readonly #places = new ApplicationPlaces();
  readonly #waiting = new Set<Application>();
  readonly submissionRoom = new SubmissionRoom();
  readonly #submissions = new Map<string, Promise<void>>();
  readonly #endings = new Map<string, Promise<void>>();
  readonly #lastContacts = new Map<string, number>();
  readonly #nodeSizes = new Map<string, Resource>();

  // ---- applications

  application(id: string): Application | undefined {
    return this.#applications.get(id);
  }

  applications(): IteratorObject<Application, undefined> {
    return this.#applications.values();
  }

  /** The applications by what lists ask for. */
  get applicationsBy(): ApplicationIndex {
    return this.#index;
  }

  get applicationCount(): number {
    return this.#applications.size;
  }

  /** Takes an application and its attempts in; none of them has containers yet. */
  addApplication(application: Application): void {
    must(!this.#applications.has(application.id), 'is known already', application.id);
    this.#applications.set(application.id, application);
    this.#index.add(application);
    this.submissionRoom.add(application);
    for (const attempt of application.attempts) {
      must(attempt.containers.size === 0, 'has containers before it is known', attempt.id);
      this.#attempts.set(attempt.id, { application, attempt });
    }
  }

  /** Forgets an application with all that is kept for it; it holds nothing any more. */
  removeApplication(application: Application): void {
    must(this.#applications.get(application.id) === application, 'is not known', application.id);
    must(!this.#waiting.has(application), 'is forgotten while its master waits', application.id);
    for (const { id, containers } of application.attempts) {
      must(containers.size === 0, 'is forgotten with containers', id);
      this.#attempts.delete(id);
      this.#lastContacts.delete(id);
    }
    this.#index.remove(application);
    this.submissionRoom.remove(application);
    this.#applications.delete(application.id);
    this.#submissions.delete(application.id);
    this.#endings.delete(application.id);
  }

  /** The application goes into a state; clients are shown the one before until an end is durable. */
  enterState(application: Application, state: ApplicationState): void {
    if (state === 'FINAL_SAVING' || state === 'KILLING') application.stateBefore = publicState(application);
    application.state = state;
    this.#index.update(application);
  }

  setQueue(application: Application, queue: string): void {
    application.queue = queue;
    this.#index.update(application);
  }

  setFinished(application: Application, atMs: number): void {
    application.finishedMs = atMs;
    this.#index.update(application);
  }

  isWaiting(application: Application): boolean {
    return this.#waiting.has(application);
  }

  /** Whether the application's master waits for a container. */
  setWaiting(application: Application, waits: boolean): void {
    if (!waits) {
      this.#waiting.delete(application);
      return;
    }
    must(this.#applications.get(application.id) === application, 'waits and is not known', application.id);
    this.#waiting.add(application);
  }

  submission(applicationId: string): Promise<void> | undefined {
    return this.#submissions.get(applicationId);
  }

  /** The first write of a submission is under way; undefined: it no longer is. */
  setSubmission(applicationId: string, durable: Promise<void> | undefined): void {
    if (durable) this.#submissions.set(applicationId, durable);
    else this.#submissions.delete(applicationId);
  }

  /** Resolves when the end of the application is durable, rejects when this try to write it fails; undefined where none is being written. */
  ending(applicationId: string): Promise<void> | undefined {
    return this.#endings.get(applicationId);
  }

  /** The end of an application is being written; undefined: it no longer is. */
  setEnding(applicationId: string, durable: Promise<void> | undefined): void {
    if (durable) this.#endings.set(applicationId, durable);
    else this.#endings.delete(applicationId);
  }

  // ---- attempts

  attempt(id: string): FoundAttempt | undefined {
    return this.#attempts.get(id);
  }

  /** Adds the next attempt of an application. */
  addAttempt(application: Application, attempt: Attempt): void {
    must(this.#applications.get(application.id) === application, 'has an attempt and is not known', application.id);
    must(!this.#attempts.has(attempt.id), 'is known already', attempt.id);
    must(attempt.containers.size === 0, 'is new and has containers', attempt.id);
    application.attempts.push(attempt);
    this.#attempts.set(attempt.id, { application, attempt });
  }

  /** Takes the last attempt of an application away again, of which nothing ever ran. */
  removeLastAttempt(application: Application): void {
    const attempt = application.attempts.pop();
    if (!attempt) return;
    must(attempt.containers.size === 0, 'is taken away with containers', attempt.id);
    this.#attempts.delete(attempt.id);
    this.#lastContacts.delete(attempt.id);
  }

  /** When the attempt's master was last heard of, by `Clock.steadyMs`; undefined: nothing is expected of it. */
  lastContactMs(attemptId: string): number | undefined {
    return this.#lastContacts.get(attemptId);
  }

  setLastContact(attemptId: string, atMs: number | undefined): void {
    if (atMs === undefined) this.#lastContacts.delete(attemptId);
    else this.#lastContacts.set(attemptId, atMs);
  }

  // ---- containers

  container(id: string): Container | undefined {
    return this.#containers.get(id);
  }

  containers(): IteratorObject<Container, undefined> {
    return this.#containers.values();
  }

  get containerCount(): number {
    return this.#containers.size;
  }

  /** Adds a live container to its attempt, to its node, and its application to the places on the node. */
  addContainer(attempt: Attempt, container: Container): void {
    const { id } = container;
    const node = this.#nodes.get(container.nodeId);
    must(!this.#containers.has(id), 'is live already', id);
    if (!node) throw new StateBroken(`${id} is on ${container.nodeId}, which is not known`);
    must(this.#attempts.get(attempt.id)?.attempt === attempt, 'has a container and is not known', attempt.id);
    attempt.containers.set(id, container);
    this.#containers.set(id, container);
    node.containers.add(id);
    this.#places.add(node, container.applicationId);
  }

  /** Takes an ended container out of all indices; the attempt that held it. The places of its application stay until that ends. */
  removeContainer(container: Container): FoundAttempt | undefined {
    const { id } = container;
    must(isEndedContainer(container.state), 'is removed while it is live', id);
    must(this.#containers.delete(id), 'is not live', id);
    this.#nodes.get(container.nodeId)?.containers.delete(id);
    const given = this.#attempts.get(container.attemptId);
    if (given?.attempt.containers.delete(id)) return given;
    // Kept containers are held by a later attempt than the one that they were given to.
    for (const attempt of given?.application.attempts ?? []) if (attempt.containers.delete(id)) return this.#attempts.get(attempt.id);
    return undefined;
  }

  /** The later attempt holds what the one before held. */
  passContainers(before: Attempt, attempt: Attempt): void {
    for (const container of before.containers.values()) attempt.containers.set(container.id, container);
    before.containers.clear();
  }

  // ---- nodes

  node(id: string): Node | undefined {
    return this.#nodes.get(id);
  }

  nodes(): IteratorObject<Node, undefined> {
    return this.#nodes.values();
  }

  get nodeCount(): number {
    return this.#nodes.size;
  }

  /** How many hosts the nodes are on. */
  get hostCount(): number {
    return this.#hosts.size;
  }

  addNode(node: Node): void {
    must(!this.#nodes.has(node.id), 'is known already', node.id);
    must(node.containers.size === 0 && node.applications.size === 0, 'is new and holds something', node.id);
    this.#nodes.set(node.id, node);
    this.#hosts.add(node.host);
    this.#nodeTotals.add(node);
  }

  /** Forgets a node that left. */
  removeNode(node: Node): void {
    must(this.#nodes.get(node.id) === node, 'is not known', node.id);
    must(node.containers.size === 0 && node.applications.size === 0, 'is forgotten and holds something', node.id);
    this.#nodes.delete(node.id);
    this.#hosts.remove(node.host);
    this.#nodeTotals.remove(node);
  }

  /** How many nodes are in each state, and what they use. */
  get nodeTotals(): NodeTotals {
    return this.#nodeTotals;
  }

  /** The node goes into a state. */
  enterNodeState(node: Node, state: NodeState): void {
    this.#changeNode(node, () => {
      node.state = state;
    });
  }

  /** The node said what it uses. */
  setNodeUsage(node: Node, usage: Node['usage']): void {
    this.#changeNode(node, () => {
      node.usage = usage;
    });
  }

  #changeNode(node: Node, change: () => void): void {
    const counts = this.#nodes.get(node.id) === node;
    if (counts) this.#nodeTotals.remove(node);
    change();
    if (counts) this.#nodeTotals.add(node);
  }

  /** The live containers of a node, as they are now. */
  containersOn(node: Node): Container[] {
    const found: Container[] = [];
    for (const id of node.containers) {
      const container = this.#containers.get(id);
      if (container) found.push(container);
      else must(false, `is listed on ${node.id} and is not live`, id);
    }
    return found;
  }

  /** The application has something on the node, a container or logs. */
  place(node: Node, applicationId: string): void {
    this.#places.add(node, applicationId);
  }

  /** The node left with the places of all applications on it. */
  leavePlaces(node: Node): void {
    this.#places.leave(node);
  }

  /** Takes the application away from all its nodes; these are answered. */
  takePlaces(applicationId: string): ReadonlySet<Node> {
    return this.#places.take(applicationId);
  }

  /** The size that an administrator gave a node; undefined: what it says itself counts. */
  nodeSize(nodeId: string): Resource | undefined {
    return this.#nodeSizes.get(nodeId);
  }

  setNodeSize(nodeId: string, resource: Resource | undefined): void {
    if (resource) this.#nodeSizes.set(nodeId, resource);
    else this.#nodeSizes.delete(nodeId);
  }

  /** How much of each kind is kept here. */
  sizes(): Omit<ClusterSizes, 'earlyReports' | 'sessions' | 'toldBefore' | 'expected'> {
    return {
      applications: this.#applications.size,
      attempts: this.#attempts.size,
      containers: this.#containers.size,
      nodes: this.#nodes.size,
      waiting: this.#waiting.size,
      submissions: this.#submissions.size,
      endings: this.#endings.size,
      placed: this.#places.size,
      lastContacts: this.#lastContacts.size,
    };
  }
}
