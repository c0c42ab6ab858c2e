// What happens to single containers: given by the scheduler, started on a node, taken over after a restart, ended. What follows from an
// end is in container-ends.ts.
import type { Clock } from '../../lib/clock.ts';
import { type ExitStatus, exitOutcome, exitStatus } from '../../model/exit-status.ts';
import { formatContainerId, parseAttemptId } from '../../model/ids.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { Decision } from '../../scheduler/policy.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import type { LaunchContext } from '../../wire/cluster/launch-context.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Container } from '../applications/container.ts';
import { type ContainerEvent, nextContainerState } from '../applications/container-states.ts';
import type { Node } from '../nodes/node.ts';
import type { FoundAttempt } from './cluster-view.ts';
import type { Effects } from './effects.ts';
import type { EventFigures } from './event-figures.ts';
import { nodeResource, resourceOf } from './node-resource.ts';
import type { ClusterState } from './state.ts';

/** A container that the scheduler, or what serves opportunistic requests beside it, gave to an attempt. */
export type Allocation = Extract<Decision, { kind: 'allocate' }>;

/** What containers are made with. */
export interface ContainerPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'send'>;
  readonly clock: Clock;
  readonly types: ResourceTypes;
  /** Number of restarts before this one, part of container ids. */
  readonly epoch: number;
  readonly events: Pick<EventFigures, 'add'>;
}

/** The lifecycle of containers. */
export class ContainerLifecycle {
  readonly #ports: ContainerPorts;

  constructor(ports: ContainerPorts) {
    this.#ports = ports;
  }

  /** Takes an event through the table; false where the state does not take it. */
  apply(container: Container, event: ContainerEvent): boolean {
    const next = nextContainerState(container.state, event);
    if (next === undefined) return false;
    container.state = next;
    return true;
  }

  /** The next container id of an attempt. */
  nextId(attemptId: string): string {
    const found = this.#ports.state.attempt(attemptId);
    const number = found ? ++found.attempt.lastContainerNumber : 1;
    return formatContainerId({ ...parseAttemptId(attemptId), number, epoch: this.#ports.epoch });
  }

  /** Enters what was given. */
  create(application: Application, attempt: Attempt, node: Node, allocation: Allocation): Container {
    const container: Container = {
      id: allocation.containerId,
      applicationId: application.id,
      attemptId: attempt.id,
      nodeId: node.id,
      nodeHttpAddress: node.httpAddress,
      nodeMemory: node.memory,
      resource: allocation.resource,
      priority: allocation.priority,
      isMaster: allocation.isMaster,
      requestId: allocation.requestId,
      allocationRequestId: allocation.allocationRequestId,
      allocationTags: allocation.allocationTags,
      executionType: allocation.executionType ?? 'GUARANTEED',
      version: 0,
      state: 'NEW',
      kept: false,
      counted: false,
      told: false,
      createdMs: this.#ports.clock.now(),
      givenMs: this.#ports.clock.steadyMs(),
      startedMs: 0,
      finishedMs: 0,
      exitCode: exitStatus.invalid,
      diagnostics: '',
    };
    this.apply(container, 'start');
    this.#enter(application, attempt, container);
    return container;
  }

  #enter(application: Application, attempt: Attempt, container: Container): void {
    this.#ports.state.addContainer(attempt, container);
    application.version++;
  }

  /** Sends a container's start to its node; false where the node has no connection: then nothing happens, and it never starts (P10). */
  start(application: Application, container: Container, launch: LaunchContext): boolean {
    const order = { ...this.startOrder(application, container), launch };
    if (!this.#ports.state.node(container.nodeId)?.connected) return false;
    if (!this.#ports.effects.send(container.nodeId, { type: 'startContainers', containers: [order] })) return false;
    this.acquired(application, container);
    return true;
  }

  /** Its start was sent, or its master took it without a launch context and starts it itself on the node. */
  acquired(application: Application, container: Container): void {
    if (!this.apply(container, 'acquired')) return;
    this.#ports.events.add('application', 'APP_RUNNING_ON_NODE');
    gathersLogs(application, container.nodeId);
  }

  /** What a node is told to start for a container, apart from the launch context. */
  startOrder(application: Application, container: Container) {
    const attempt = application.attempts.find(({ id }) => id === container.attemptId) ?? currentAttempt(application)!;
    const { submission } = application;
    return {
      containerId: container.id,
      askId: container.requestId,
      applicationId: application.id,
      attemptId: attempt.id,
      user: application.user,
      resource: nodeResource(container.resource, this.#ports.types),
      priority: container.priority,
      queue: application.queue,
      isMaster: container.isMaster,
      executionType: container.executionType,
      ...(container.allocationTags.length > 0 ? { allocationTags: container.allocationTags } : {}),
      applicationAcls: { VIEW_APP: submission.viewAcl, MODIFY_APP: submission.modifyAcl },
      logAggregation: submission.logAggregation,
      submitTimeMs: application.submittedMs,
      maxAttempts: application.maximumAttempts,
    };
  }

  /**
   * A container of an earlier process that its node says is there: as it was kept, but for what it has become on the node. Of which size and type
   * it is, the node may not have heard; only of a master's that is not kept beside its attempt.
   */
  recover(application: Application, attempt: Attempt, node: Node, kept: Container, report: ContainerReport): Container {
    const container: Container = {
      ...kept,
      attemptId: attempt.id,
      nodeHttpAddress: node.httpAddress,
      resource: kept.isMaster ? resourceOf(report.resource, this.#ports.types) : kept.resource,
      allocationTags: report.allocationTags ?? kept.allocationTags,
      told: true,
      createdMs: report.createdTime,
      startedMs: report.startedTime ?? report.createdTime,
    };
    this.apply(container, 'recovered');
    this.#enter(application, attempt, container);
    gathersLogs(application, node.id);
    return container;
  }

  /** Lets the node stop a container. */
  sendStop(nodeId: string, containerId: string, exitCode: ExitStatus, diagnostics: string): void {
    this.#ports.effects.send(nodeId, { type: 'stopContainers', containers: [{ containerId, exitCode, diagnostics }] });
  }

  /**
   * Ends a container and takes it out of the state; its use is counted. False where it had ended already, else the attempt that held it
   * (undefined: its application is forgotten).
   */
  end(
    container: Container,
    exitCode: number,
    diagnostics: string,
    event: ContainerEvent,
  ): { readonly holder: FoundAttempt | undefined } | false {
    if (!this.apply(container, event) && !this.apply(container, 'kill')) return false;
    container.exitCode = exitCode;
    container.diagnostics = diagnostics;
    container.finishedMs = this.#ports.clock.now();
    const holder = this.#ports.state.removeContainer(container);
    if (holder) countEnd(holder.application, container);
    return { holder };
  }

  /** Counts what preemption takes from an application with this container. */
  countPreemption({ resourceSeconds }: Application, container: Container): void {
    const lifeMs = Math.max(0, this.#ports.clock.now() - container.createdMs);
    container.resource.forEach((amount, i) => {
      resourceSeconds.preempted[i] = (resourceSeconds.preempted[i] ?? 0) + amount * lifeMs;
      resourceSeconds.preemptedResource[i] = (resourceSeconds.preemptedResource[i] ?? 0) + amount;
    });
    if (container.isMaster) resourceSeconds.preemptedMasters++;
    else resourceSeconds.preemptedOthers++;
  }
}

/** Counts the use and the end of a container that ended, unless an earlier process did. It is durable with the next write of the application, or of its ends. */
export function countEnd(application: Application, container: Container): void {
  if (container.counted) return;
  const lifeMs = Math.max(0, container.finishedMs - container.createdMs);
  const { used } = application.resourceSeconds;
  container.resource.forEach((amount, i) => {
    used[i] = (used[i] ?? 0) + amount * lifeMs;
  });
  const { endedContainers } = application;
  if (endedContainers) endedContainers[countOf[exitOutcome(container.exitCode)]]++;
  application.uncountedEnds.add(container.id);
  application.version++;
}

const countOf = { SUCCEEDED: 'succeeded', FAILED: 'failed', STOPPED: 'stopped' } as const;

function gathersLogs(application: Application, nodeId: string): void {
  if (application.logAggregationEnabled && !application.logAggregation.has(nodeId))
    application.logAggregation.set(nodeId, { status: 'NOT_START', diagnostics: '' });
}
