// What nodes say of what runs on them: containers that begin and end, those that only one side knows, and how far logs are gathered.
import type { Clock } from '../../lib/clock.ts';
import { exitStatus } from '../../model/exit-status.ts';
import { applicationIdOfContainer, parseContainerId } from '../../model/ids.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import type { LogAggregationStatus, NodeCommand, RegisterMessage } from '../../wire/cluster/node-channel.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import { isEndedAttempt } from '../applications/attempt-states.ts';
import type { Container } from '../applications/container.ts';
import { lostNode } from '../applications/diagnostics.ts';
import type { Node } from '../nodes/node.ts';
import type { ContainerCharges } from './container-charges.ts';
import type { ContainerEnds } from './container-ends.ts';
import type { ContainerLifecycle } from './containers.ts';
import type { Effects } from './effects.ts';
import type { EndedApplications } from './ended-applications.ts';
import type { Ends } from './ends.ts';
import type { MasterSessions } from './master-sessions.ts';
import type { MasterWatch } from './master-watch.ts';
import { nodeResource } from './node-resource.ts';
import type { OpportunisticScheduler } from './opportunistic.ts';
import type { ClusterState } from './state.ts';
import type { FoundAttempt } from './view.ts';

/** What is needed. */
export interface NodeReportPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'send'>;
  readonly containers: ContainerLifecycle;
  readonly containerEnds: Pick<ContainerEnds, 'ended'>;
  readonly ends: Pick<Ends, 'masterEnded'>;
  readonly sessions: Pick<MasterSessions, 'heardEnd' | 'tellEnd'>;
  readonly charges: Pick<ContainerCharges, 'adopt'>;
  readonly opportunistic: Pick<OpportunisticScheduler, 'began' | 'joined'>;
  readonly watch: Pick<MasterWatch, 'begin'>;
  readonly memory: Pick<EndedApplications, 'keep'>;
  /** An application that ended before and is no longer in memory. */
  readonly stored: (applicationId: string) => Application | undefined;
  readonly types: ResourceTypes;
  readonly clock: Clock;
  /** Containers with another epoch were given by an earlier process. */
  readonly epoch: number;
}

/** Takes reports of nodes. */
export class NodeReports {
  readonly #ports: NodeReportPorts;

  constructor(ports: NodeReportPorts) {
    this.#ports = ports;
  }

  /** What a node says of a container. */
  container(node: Node, report: ContainerReport): void {
    const { state, containers, containerEnds, opportunistic, clock } = this.#ports;
    const container = state.container(report.containerId);
    if (!container) return this.#unknown(node, report);
    container.told = true;
    if (report.state === 'COMPLETE') return containerEnds.ended(container, report.exitCode, report.diagnostics);
    this.#correct(node, container, report);
    if (report.state === 'RUNNING' && containers.apply(container, 'launched')) {
      container.startedMs = report.startedTime ?? clock.now();
      if (container.executionType === 'OPPORTUNISTIC') opportunistic.began(node.id);
    }
  }

  /** The node missed a change, or its report is from before that. */
  #correct(node: Node, { id: containerId, executionType, resource }: Container, report: ContainerReport): void {
    const { effects, types } = this.#ports;
    if (report.executionType !== undefined && report.executionType !== executionType)
      effects.send(node.id, { type: 'updateContainers', containers: [{ containerId, executionType }] });
    const size = nodeResource(resource, types);
    if (report.resource.memoryMiB !== size.memoryMiB || report.resource.vcores !== size.vcores)
      effects.send(node.id, { type: 'updateContainers', containers: [{ containerId, resource: size }] });
  }

  /** What this process gave has ended already: a node repeats its reports when it registers. */
  #unknown(node: Node, report: ContainerReport): void {
    if (report.state !== 'COMPLETE') this.#stopUnknown(node, report.containerId);
    else if (parseContainerId(report.containerId).epoch !== this.#ports.epoch) this.#endedUnseen(node, report);
  }

  #stopUnknown(node: Node, containerId: string): void {
    const { state } = this.#ports;
    const stop = {
      containerId,
      exitCode: exitStatus.killedByResourceManager,
      diagnostics: 'Container is not known to the resource manager.',
    };
    this.#send(node, { type: 'stopContainers', containers: [stop] });
    // A token may have been used after the end of its application.
    const applicationId = applicationIdOfContainer(containerId);
    const application = state.application(applicationId);
    if (!application || (isCompletedState[application.state] && application.finishedMs > 0))
      this.#send(node, { type: 'finishApplications', applicationIds: [applicationId] });
  }

  #send(node: Node, command: NodeCommand): void {
    this.#ports.effects.send(node.id, command);
  }

  /** A container ended that this process never knew (it ended while no resource manager ran): its master hears of it. */
  #endedUnseen(node: Node, report: ContainerReport): void {
    const { state, ends, sessions } = this.#ports;
    const application = state.application(applicationIdOfContainer(report.containerId));
    const attempt = application && currentAttempt(application);
    if (!application || !attempt) return;
    if (!sessions.heardEnd(application.id, report.containerId)) return;
    if (attempt.masterContainerId === report.containerId) ends.masterEnded(application, attempt, report.exitCode, report.diagnostics, true);
    else sessions.tellEnd(attempt.id, { ...report, state: 'COMPLETE', nodeId: node.id, nodeHttpAddress: node.httpAddress });
  }

  /** A node introduced itself: what runs and this process does not know is adopted, what it knows and does not run has ended. */
  compare(node: Node, message: RegisterMessage, isFirst: boolean): void {
    const { state, containerEnds, ends } = this.#ports;
    const told = new Set(message.containers.map(({ containerId }) => containerId));
    for (const container of state.containersOn(node)) {
      if (told.has(container.id) || container.state === 'ALLOCATED') continue;
      // Its start was lost with the session: nothing of it ever ran.
      containerEnds.ended(container, exitStatus.aborted, lostNode, container.state === 'ACQUIRED' ? 'expire' : 'finished');
    }
    for (const report of message.containers) {
      const application = isFirst && report.state !== 'COMPLETE' ? this.#adopter(report.containerId) : undefined;
      if (application) this.#adopt(application, node, report);
      else this.container(node, report);
    }
    if (!isFirst) return;
    for (const { application, attempt } of this.#mastersOn(node)) {
      const { masterContainerId } = attempt;
      if (masterContainerId && !state.container(masterContainerId) && !told.has(masterContainerId))
        ends.masterEnded(application, attempt, exitStatus.aborted, lostNode, true);
    }
  }

  /** The application that a running container of an earlier process belongs to, as that process left it. */
  #adopter(containerId: string): Application | undefined {
    const { state } = this.#ports;
    const application = state.application(applicationIdOfContainer(containerId));
    const attempt = application && currentAttempt(application);
    if (!application || !attempt || isCompletedState[application.state] || state.container(containerId)) return undefined;
    const { epoch, attempt: number } = parseContainerId(containerId);
    if (epoch === this.#ports.epoch) return undefined;
    const isKept =
      application.submission.keepContainers && application.attempts.every(({ masterContainerId }) => masterContainerId !== containerId);
    return number === attempt.number || isKept ? application : undefined;
  }

  #adopt(application: Application, node: Node, report: ContainerReport): void {
    const { containers, charges, opportunistic, watch } = this.#ports;
    const attempt = currentAttempt(application);
    if (!attempt) return;
    const container = containers.recover(application, attempt, node, report);
    if (container.executionType === 'GUARANTEED') charges.adopt(container);
    else opportunistic.joined();
    if (container.isMaster) watch.begin(application, attempt);
  }

  /** Attempts whose master runs on the node, as far as is known. */
  #mastersOn(node: Node): FoundAttempt[] {
    const found: FoundAttempt[] = [];
    for (const application of this.#ports.state.applications()) {
      const attempt = currentAttempt(application);
      if (attempt && attempt.masterNodeId === node.id && !isEndedAttempt[attempt.state] && attempt.state !== 'ALLOCATED_SAVING')
        found.push({ application, attempt });
    }
    return found;
  }

  /** How far a node is with the logs of an application, which may have ended long ago. */
  logAggregation(node: Node, applicationId: string, status: LogAggregationStatus, diagnostics: string): void {
    const { state, memory, stored } = this.#ports;
    const known = state.application(applicationId);
    const application = known ?? stored(applicationId);
    if (!application) return;
    const told = application.logAggregation.get(node.id);
    if (told?.status === status && told.diagnostics === diagnostics) return;
    if (!known) state.addApplication(application);
    application.logAggregation.set(node.id, { status, diagnostics });
    application.version++;
    if (application.finishedMs > 0 && application.state !== 'FINAL_SAVING' && application.state !== 'FINISHING') memory.keep(application);
  }
}
