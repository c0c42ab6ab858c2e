// What happens to containers: given by the scheduler, started on a node, ended. Synchronous, as all changes of the cluster.

import { type ExitStatus, exitStatus } from '../../model/exit-status.ts';
import { applicationIdOfContainer, parseContainerId } from '../../model/ids.ts';
import type { Decision } from '../../scheduler/policy.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import type { NodeCommand } from '../../wire/cluster/node-channel.ts';
import { type Application, type Container, currentAttempt } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import { type ContainerEvent, isEndedContainer, nextContainerState } from '../applications/container-states.ts';
import { lostNode, preempted, unused } from '../applications/diagnostics.ts';
import type { Cluster } from '../cluster.ts';
import { nodeResource, resourceOf } from './node-resource.ts';

/** The lives of containers; created and called by the cluster only. */
export class ContainerLife {
  readonly #cluster: Cluster;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  #apply(container: Container, event: ContainerEvent): boolean {
    const next = nextContainerState(container.state, event);
    if (next === undefined) return false;
    container.state = next;
    return true;
  }

  /** Commits a container that the scheduler gave. */
  allocated(decision: Extract<Decision, { kind: 'allocate' }>): void {
    const { applications, nodes, clock, masters } = this.#cluster;
    const application = applications.get(decision.applicationId);
    const attempt = application && currentAttempt(application);
    const node = nodes.get(decision.nodeId);
    if (!application || !attempt || attempt.id !== decision.attemptId || !node) {
      this.#cluster.policy.containerEnded(decision.containerId);
      return;
    }
    if (this.#cluster.opportunistic.promoted(application, attempt, decision)) return;
    if (this.#cluster.resizes.grown(application, attempt, decision)) return;
    const container: Container = {
      id: decision.containerId,
      applicationId: application.id,
      attemptId: attempt.id,
      nodeId: node.id,
      nodeHttpAddress: node.httpAddress,
      resource: decision.resource,
      priority: decision.priority,
      isMaster: decision.isMaster,
      requestId: decision.requestId,
      allocationRequestId: decision.allocationRequestId,
      allocationTags: decision.allocationTags,
      executionType: decision.executionType ?? 'GUARANTEED',
      state: 'NEW',
      told: false,
      createdMs: clock.now(),
      startedMs: 0,
      finishedMs: 0,
      exitCode: exitStatus.invalid,
      diagnostics: '',
    };
    this.#add(application, container);
    this.#apply(container, 'start');
    if (container.isMaster) this.#cluster.attempts.masterAllocated(application, attempt, container);
    else masters.allocated(application, attempt, container);
    this.#cluster.tell.containerCreated(application, container);
  }

  #add(application: Application, container: Container): void {
    const attempt = application.attempts.find(({ id }) => id === container.attemptId) ?? currentAttempt(application)!;
    attempt.containers.set(container.id, container);
    this.#cluster.live.set(container.id, container);
    const node = this.#cluster.nodes.get(container.nodeId);
    node?.containers.add(container.id);
    if (node) this.#cluster.places.add(node, application.id);
    application.version++;
  }

  /** Sends a container's start to its node. */
  start(application: Application, container: Container, launch: LaunchContext): void {
    const node = this.#cluster.nodes.get(container.nodeId);
    if (!node?.send) return this.ended(container, exitStatus.aborted, lostNode, 'expire');
    this.#apply(container, 'acquired');
    this.#gathersLogs(application, node.id);
    node.send({ type: 'startContainers', containers: [{ ...this.#cluster.attempts.startOrder(application, container), launch }] });
  }

  /** The master took a container without a launch context: it starts it itself on the node. */
  acquired(application: Application, container: Container): void {
    if (this.#apply(container, 'acquired')) this.#gathersLogs(application, container.nodeId);
  }

  #gathersLogs(application: Application, nodeId: string): void {
    if (application.logAggregationEnabled && !application.logAggregation.has(nodeId))
      application.logAggregation.set(nodeId, { status: 'NOT_START', diagnostics: '' });
  }

  /** What a node says of a container. */
  reported(nodeId: string, report: ContainerReport): void {
    const container = this.#cluster.live.get(report.containerId);
    if (!container) {
      // What this process gave it has ended already: a node repeats its reports when it registers.
      const own = parseContainerId(report.containerId).epoch === this.#cluster.epoch;
      if (report.state === 'COMPLETE') {
        if (!own) this.#cluster.masters.completedUnknown(nodeId, report);
      } else this.#stopStranger(nodeId, report.containerId);
      return;
    }
    container.told = true;
    if (report.state === 'COMPLETE') return this.ended(container, report.exitCode, report.diagnostics);
    // The node missed a change, or this is a report from before it.
    const { executionType } = container;
    if (report.executionType !== undefined && report.executionType !== executionType)
      this.#send(nodeId, { type: 'updateContainers', containers: [{ containerId: container.id, executionType }] });
    const resource = nodeResource(container.resource, this.#cluster.types);
    if (report.resource.memoryMiB !== resource.memoryMiB || report.resource.vcores !== resource.vcores)
      this.#send(nodeId, { type: 'updateContainers', containers: [{ containerId: container.id, resource }] });
    if (report.state === 'RUNNING' && this.#apply(container, 'launched')) {
      container.startedMs = report.startedTime ?? this.#cluster.clock.now();
      const node = container.executionType === 'OPPORTUNISTIC' ? this.#cluster.nodes.get(nodeId) : undefined;
      if (node) this.#cluster.opportunistic.began(node);
    }
  }

  #stopStranger(nodeId: string, containerId: string): void {
    this.#send(nodeId, {
      type: 'stopContainers',
      containers: [
        { containerId, exitCode: exitStatus.killedByResourceManager, diagnostics: 'Container is not known to the resource manager.' },
      ],
    });
    // A token may have been used after the end of its application.
    const applicationId = applicationIdOfContainer(containerId);
    const application = this.#cluster.applications.get(applicationId);
    if (!application || (isCompletedState[application.state] && application.finishedMs > 0))
      this.#send(nodeId, { type: 'finishApplications', applicationIds: [applicationId] });
  }

  #send(nodeId: string, command: NodeCommand): void {
    this.#cluster.nodes.get(nodeId)?.send?.(command);
  }

  /** A running container that a node tells of after a restart of this resource manager. */
  recovered(application: Application, nodeId: string, report: ContainerReport): void {
    const attempt = currentAttempt(application);
    const node = this.#cluster.nodes.get(nodeId);
    if (!attempt || !node) return;
    const isMaster = attempt.masterContainerId === report.containerId;
    const container: Container = {
      id: report.containerId,
      applicationId: application.id,
      attemptId: attempt.id,
      nodeId,
      nodeHttpAddress: node.httpAddress,
      resource: resourceOf(report.resource, this.#cluster.types),
      priority: report.priority,
      isMaster,
      requestId: report.askId ?? '',
      allocationRequestId: -1,
      allocationTags: report.allocationTags ?? [],
      executionType: report.executionType ?? 'GUARANTEED',
      state: 'NEW',
      told: true,
      createdMs: report.createdTime,
      startedMs: report.startedTime ?? report.createdTime,
      finishedMs: 0,
      exitCode: exitStatus.invalid,
      diagnostics: '',
    };
    this.#apply(container, 'recovered');
    this.#add(application, container);
    this.#gathersLogs(application, nodeId);
    if (container.executionType === 'GUARANTEED') this.#cluster.policy.recoverContainer({ ...container, containerId: container.id });
    else this.#cluster.opportunistic.counts.allocated++;
    if (isMaster) this.#cluster.attempts.watch(application, attempt);
  }

  /** Ends a container on the scheduler's or the cluster's wish: its node is told to stop it, its room is free at once. */
  kill(container: Container, exitCode: ExitStatus, diagnostics: string): void {
    if (isEndedContainer(container.state)) return;
    this.#send(container.nodeId, { type: 'stopContainers', containers: [{ containerId: container.id, exitCode, diagnostics }] });
    this.ended(container, exitCode, diagnostics, 'kill');
  }

  preempt(containerId: string): void {
    const container = this.#cluster.live.get(this.#cluster.opportunistic.chargedTo(containerId));
    if (!container) return;
    const application = this.#cluster.applications.get(container.applicationId);
    if (application) {
      const sums = application.resourceSeconds;
      const lifeMs = Math.max(0, this.#cluster.clock.now() - container.createdMs);
      container.resource.forEach((amount, i) => {
        sums.preempted[i] = (sums.preempted[i] ?? 0) + amount * lifeMs;
        sums.preemptedResource[i] = (sums.preemptedResource[i] ?? 0) + amount;
      });
      if (container.isMaster) sums.preemptedMasters++;
      else sums.preemptedOthers++;
    }
    this.kill(container, exitStatus.preempted, preempted);
  }

  /** Takes back what was given long ago and never started (ContainerAllocationExpirer). */
  expireUnused(): void {
    const { clock, settings, live } = this.#cluster;
    const beforeMs = clock.now() - settings.containerExpiryMs;
    for (const container of live.values()) {
      if (container.told || container.createdMs > beforeMs || isEndedContainer(container.state)) continue;
      this.#send(container.nodeId, {
        type: 'stopContainers',
        containers: [{ containerId: container.id, exitCode: exitStatus.aborted, diagnostics: unused }],
      });
      this.ended(container, exitStatus.aborted, unused, 'expire');
    }
  }

  /** Every container of an application. */
  killAll(application: Application, exitCode: ExitStatus, diagnostics: string): void {
    for (const attempt of application.attempts)
      for (const container of [...attempt.containers.values()]) this.kill(container, exitCode, diagnostics);
  }

  /** A container is over, whoever says so; its room is free and its master is told. */
  ended(container: Container, exitCode: number, diagnostics: string, event: ContainerEvent = 'finished'): void {
    if (!this.#apply(container, event) && !this.#apply(container, 'kill')) return;
    const { applications, live, nodes, opportunistic, clock, masters, tell } = this.#cluster;
    container.exitCode = exitCode;
    container.diagnostics = diagnostics;
    container.finishedMs = clock.now();
    live.delete(container.id);
    nodes.get(container.nodeId)?.containers.delete(container.id);
    opportunistic.release(container);
    this.#cluster.resizes.forget(container);
    this.#cluster.scheduleSoon();
    this.#cluster.removal.drained(container.nodeId);
    const application = applications.get(container.applicationId);
    if (!application) return;
    const lifeMs = Math.max(0, container.finishedMs - container.createdMs);
    container.resource.forEach((amount, i) => {
      application.resourceSeconds.used[i] = (application.resourceSeconds.used[i] ?? 0) + amount * lifeMs;
    });
    application.version++;
    if (parseContainerId(container.id).epoch !== this.#cluster.epoch) masters.heardEnd(application.id, container.id);
    const attempt = application.attempts.find(({ containers }) => containers.delete(container.id));
    tell.containerFinished(application, container);
    if (!attempt) return;
    if (container.isMaster && attempt.masterContainerId === container.id)
      this.#cluster.attempts.masterContainerEnded(application, attempt, exitCode, diagnostics, container.state !== 'EXPIRED');
    else masters.completed(attempt.id, container);
  }
}
