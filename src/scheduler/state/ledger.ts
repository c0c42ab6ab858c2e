// The ledger: every container, reservation and request is entered here once, and the policy hears of each change.

import type { Resource } from '../../model/resource.ts';
import { ContainerTable } from './container-table.ts';
import {
  type HeldContainer,
  type OpenRequest,
  type Reservation,
  type SchedulerApplication,
  SchedulerAttempt,
  type SchedulerNode,
} from './model.ts';
import { NodeTable } from './nodes.ts';
import { takePlace } from './place-counts.ts';

/** What a policy keeps up to date. `sign` is 1 or -1. */
export interface LedgerListener<A extends SchedulerApplication> {
  usedChanged(application: A, partition: number, resource: Resource, sign: 1 | -1, containers: number): void;
  reservedChanged(application: A, partition: number, resource: Resource, sign: 1 | -1): void;
  pendingChanged(application: A, partition: number, resource: Resource, count: number): void;
  /** Room has appeared on a node that is reserved. */
  reservedNodeFreed(node: SchedulerNode): void;
  /** The node may hold what it could not; `unreserved`: it may be kept for another request. */
  roomGrew?(node: SchedulerNode, unreserved: boolean): void;
}

/** Containers, attempts, nodes. Sums of applications and nodes are kept here, sums of queues by the listener. */
export class Ledger<A extends SchedulerApplication> {
  readonly nodes: NodeTable;
  readonly applications = new Map<string, A>();
  readonly attempts = new Map<string, SchedulerAttempt>();
  readonly containers = new ContainerTable();
  /** What all requests together still want. */
  pendingContainers = 0;
  /** Applications with an attempt that have no container, and those that have some. */
  waitingApplications = 0;
  runningApplications = 0;
  reservedContainers = 0;
  readonly #listener: LedgerListener<A>;
  /** Open requests that are bound to where other containers run. */
  readonly #bound = new Set<OpenRequest>();
  #allocations = 0;
  /** A tagged container came or went while a request may have waited for it: visit the requests that wait again. */
  tagsCame = false;

  constructor(types: number, listener: LedgerListener<A>) {
    this.nodes = new NodeTable(types, (applicationId) => this.applications.get(applicationId)?.tags ?? []);
    this.#listener = listener;
  }

  addAttempt(application: A, attemptId: string): SchedulerAttempt {
    const attempt = new SchedulerAttempt(attemptId, application);
    this.#setAttempt(application, attempt);
    this.attempts.set(attemptId, attempt);
    return attempt;
  }

  /** The attempt is over; whether it was its application's current one. */
  removeAttempt(attempt: SchedulerAttempt): boolean {
    this.attempts.delete(attempt.attemptId);
    if (attempt.application.attempt !== attempt) return false;
    this.#setAttempt(attempt.application as A, undefined);
    return true;
  }

  #setAttempt(application: A, attempt: SchedulerAttempt | undefined): void {
    this.#count(application, -1);
    application.attempt = attempt;
    this.#count(application, 1);
  }

  #count({ attempt, heldContainers }: A, sign: 1 | -1): void {
    if (!attempt) return;
    if (heldContainers > 0) this.runningApplications += sign;
    else this.waitingApplications += sign;
  }

  putRequest(attempt: SchedulerAttempt, request: OpenRequest): void {
    const before = attempt.requests.get(request.purpose ?? request.requestId);
    if (before) {
      request.sinceMs = before.sinceMs;
      this.removeRequest(attempt, before);
    }
    if (request.count <= 0) return;
    attempt.requests.put(request);
    if (request.placement) this.#bound.add(request);
    this.#pending(attempt.application as A, request.partition, request.resource, request.count);
  }

  removeRequest(attempt: SchedulerAttempt, request: OpenRequest): void {
    for (const reservation of [...request.reservations]) this.unreserve(reservation);
    attempt.requests.remove(request);
    this.#bound.delete(request);
    this.#pending(attempt.application as A, request.partition, request.resource, -request.count);
    request.count = 0;
  }

  /** Gives a container on the node to the request. */
  allocate(attempt: SchedulerAttempt, request: OpenRequest, node: SchedulerNode, containerId: string): HeldContainer {
    const container = this.#enter(attempt, node, containerId, request.resource, request.priority, request.isMaster, request.tags);
    if (request.isMaster) attempt.masterPlaced = true;
    const before = request.count;
    request.count = request.placeCounts && !takePlace(request, request.placeCounts, node) ? 0 : before - 1;
    if (request.count <= 0) {
      for (const reservation of [...request.reservations]) this.unreserve(reservation);
      attempt.requests.remove(request);
      this.#bound.delete(request);
    }
    // Last, so that the listener finds what is wanted now.
    this.#pending(attempt.application as A, request.partition, request.resource, request.count - before);
    return container;
  }

  /** Brings back a container that was already running. */
  recover(
    attempt: SchedulerAttempt,
    node: SchedulerNode,
    containerId: string,
    resource: Resource,
    priority: number,
    isMaster: boolean,
    tags: readonly string[] = [],
  ): HeldContainer {
    if (isMaster) attempt.masterPlaced = true;
    return this.#enter(attempt, node, containerId, resource, priority, isMaster, tags);
  }

  release(containerId: string): HeldContainer | undefined {
    const container = this.containers.take(containerId);
    if (!container) return undefined;
    container.application.containers.delete(container);
    const { node } = container;
    node.containers.delete(container);
    if (container.tags.length > 0) this.nodes.tags.change(node, container.application.applicationId, container.tags, -1);
    if (container.tags.length > 0 && this.#bound.size > 0) this.tagsCame = true;
    node.release(container.resource);
    if (node.place >= 0) this.nodes.refreshFree(node);
    this.#used(container, -1);
    if (node.reservation) this.#listener.reservedNodeFreed(node);
    else this.#listener.roomGrew?.(node, false);
    return container;
  }

  reserve(attempt: SchedulerAttempt, request: OpenRequest, node: SchedulerNode, containerId: string): Reservation {
    const application = attempt.application as A;
    const reservation: Reservation = { application, request, node, resource: request.resource, partition: node.partition, containerId };
    node.reservation = reservation;
    request.reservations.push(reservation);
    attempt.reservations.add(reservation);
    this.nodes.refresh(node);
    application.reservedContainers++;
    this.reservedContainers++;
    application.counts.add('reserved', node.partition, request.resource, 1);
    this.#listener.reservedChanged(application, node.partition, request.resource, 1);
    return reservation;
  }

  unreserve(reservation: Reservation): void {
    const { node, request, partition, resource } = reservation;
    const application = reservation.application as A;
    const place = request.reservations.indexOf(reservation);
    if (place < 0) return;
    request.reservations.splice(place, 1);
    application.attempt?.reservations.delete(reservation);
    node.reservation = undefined;
    if (node.place >= 0) this.nodes.refresh(node);
    application.reservedContainers--;
    this.reservedContainers--;
    application.counts.add('reserved', partition, resource, -1);
    this.#listener.reservedChanged(application, partition, resource, -1);
    this.#listener.roomGrew?.(node, true);
  }

  /** The node has another size: a reservation there may have room now. */
  resize(node: SchedulerNode, resource: Resource): void {
    this.nodes.resize(node, resource);
    if (node.reservation) this.#listener.reservedNodeFreed(node);
  }

  /** The node's containers are charged to its new partition. */
  relabel(node: SchedulerNode, label: string): void {
    if (node.reservation) this.unreserve(node.reservation);
    this.nodes.relabel(node, label);
    for (const container of node.containers) {
      this.#used(container, -1);
      container.partition = node.partition;
      this.#used(container, 1);
    }
  }

  /** Moves everything the application holds and wants from the old sums to the new: `change` runs between. */
  rebook(application: A, change: () => void): void {
    this.#everything(application, -1);
    change();
    this.#everything(application, 1);
  }

  #everything(application: A, sign: 1 | -1): void {
    for (const container of application.containers)
      this.#listener.usedChanged(application, container.partition, container.resource, sign, sign);
    const attempt = application.attempt;
    if (!attempt) return;
    for (const reservation of attempt.reservations)
      this.#listener.reservedChanged(application, reservation.partition, reservation.resource, sign);
    for (const request of attempt.requests.inOrder())
      this.#listener.pendingChanged(application, request.partition, request.resource, sign * request.count);
  }

  #enter(
    attempt: SchedulerAttempt,
    node: SchedulerNode,
    containerId: string,
    resource: Resource,
    priority: number,
    isMaster: boolean,
    tags: readonly string[],
  ): HeldContainer {
    const container: HeldContainer = {
      containerId,
      application: attempt.application,
      node,
      resource,
      partition: node.partition,
      previousOfApplication: undefined,
      nextOfApplication: undefined,
      previousOnNode: undefined,
      nextOnNode: undefined,
      isMaster,
      tags,
      attemptId: attempt.attemptId,
      priority,
      order: this.#allocations++,
      marked: false,
    };
    this.containers.add(container);
    attempt.application.containers.add(container);
    node.containers.add(container);
    if (tags.length > 0) {
      this.nodes.tags.change(node, attempt.application.applicationId, tags, 1);
      if (this.#bound.size > 0) this.tagsCame = true;
    }
    node.charge(resource);
    this.nodes.refreshFree(node);
    this.#used(container, 1);
    return container;
  }

  #used(container: HeldContainer, sign: 1 | -1): void {
    const application = container.application as A;
    application.counts.add('used', container.partition, container.resource, sign);
    this.#count(application, -1);
    application.heldContainers += sign;
    this.#count(application, 1);
    this.#listener.usedChanged(application, container.partition, container.resource, sign, sign);
  }

  #pending(application: A, partition: number, resource: Resource, count: number): void {
    application.counts.add('pending', partition, resource, count);
    application.pendingContainers += count;
    this.pendingContainers += count;
    this.#listener.pendingChanged(application, partition, resource, count);
  }
}
