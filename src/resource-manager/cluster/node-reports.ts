// What nodes say of what runs on them: containers that begin and end, those that only one side knows, and how far logs are gathered.
import type { Clock } from '../../lib/clock.ts';
import { exitStatus } from '../../model/exit-status.ts';
import { applicationIdOfContainer } from '../../model/ids.ts';
import type { ResourceTypes } from '../../model/resource.ts';
import type { ContainerReport } from '../../wire/cluster/container-messages.ts';
import type { LogAggregationStatus, NodeCommand, RegisterMessage } from '../../wire/cluster/node-channel.ts';
import { type Application, currentAttempt } from '../applications/application.ts';
import { isCompletedState } from '../applications/application-states.ts';
import type { Container } from '../applications/container.ts';
import { lostNode } from '../applications/diagnostics.ts';
import type { Node } from '../nodes/node.ts';
import type { ContainerCharges } from './container-charges.ts';
import type { ContainerEnds } from './container-ends.ts';
import type { ContainerLifecycle } from './containers.ts';
import type { Effects } from './effects.ts';
import { type EndedApplications, isWritten } from './ended-applications.ts';
import { type ExpectedContainer, type ExpectedContainers, mayHold } from './expected-containers.ts';
import type { MasterWatch } from './master-watch.ts';
import { nodeResource } from './node-resource.ts';
import type { OpportunisticScheduler } from './opportunistic.ts';
import type { ClusterState } from './state.ts';

/** What is needed. */
export interface NodeReportPorts {
  readonly state: ClusterState;
  readonly effects: Pick<Effects, 'send'>;
  readonly containers: ContainerLifecycle;
  readonly containerEnds: Pick<ContainerEnds, 'ended'>;
  readonly expected: ExpectedContainers;
  readonly charges: Pick<ContainerCharges, 'adopt'>;
  readonly opportunistic: Pick<OpportunisticScheduler, 'began' | 'joined'>;
  readonly watch: Pick<MasterWatch, 'begin'>;
  readonly memory: Pick<EndedApplications, 'keep'>;
  /** An application that ended before and is no longer in memory. */
  readonly stored: (applicationId: string) => Application | undefined;
  readonly types: ResourceTypes;
  readonly clock: Clock;
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
    if (!container) return this.#notRunning(node, report);
    container.told = true;
    // Versions are not kept in the store: the node has the last one that was told.
    container.version = Math.max(container.version, report.version ?? 0);
    if (report.state === 'COMPLETE') return containerEnds.ended(container, report.exitCode, report.diagnostics);
    this.#correct(node, container, report);
    if (report.state === 'RUNNING' && containers.apply(container, 'launched')) {
      container.startedMs = report.startedTime ?? clock.now();
      if (container.executionType === 'OPPORTUNISTIC') opportunistic.began(node.id);
    }
  }

  /** The node missed a change, or its report is from before that. */
  #correct(node: Node, { id: containerId, executionType, resource, version }: Container, report: ContainerReport): void {
    const { effects, types } = this.#ports;
    if (report.executionType !== undefined && report.executionType !== executionType)
      effects.send(node.id, { type: 'updateContainers', containers: [{ containerId, version, executionType }] });
    const size = nodeResource(resource, types);
    if (report.resource.memoryMiB !== size.memoryMiB || report.resource.vcores !== size.vcores)
      effects.send(node.id, { type: 'updateContainers', containers: [{ containerId, version, resource: size }] });
  }

  /** The end of a container of an earlier process that the node was asked for, or something that nobody knows. */
  #notRunning(node: Node, report: ContainerReport): void {
    const { expected } = this.#ports;
    const own = report.state === 'COMPLETE' ? expected.remove(report.containerId) : undefined;
    if (own) expected.ended(own, report);
    else this.#unknown(node, report);
  }

  /** What nobody knows is over for everybody: a node repeats its reports when it registers, and stops what still runs. */
  #unknown(node: Node, report: ContainerReport): void {
    if (report.state !== 'COMPLETE') this.#stopUnknown(node, report.containerId);
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

  /**
   * A node introduced itself with all that it has: what is known of it and not among that is over, what is expected is taken up or over. Of
   * applications with many containers nodes list the latest ends alone: of one that may be among the others the node is asked for the end
   * (docs/protocol.md, P7).
   */
  compare(node: Node, message: RegisterMessage): void {
    const { state, containerEnds, expected } = this.#ports;
    const told = new Set(message.containers.map(({ containerId }) => containerId));
    const applications = new Set(message.applications);
    const mayRemember = ({ isMaster, applicationId }: Container): boolean => !isMaster && applications.has(applicationId);
    for (const container of state.containersOn(node)) {
      if (told.has(container.id) || container.state === 'ALLOCATED') continue;
      if (container.told && mayRemember(container)) {
        this.#askForEnd(node, container.id);
        continue;
      }
      // Its start was lost with the session: nothing of it ever ran.
      containerEnds.ended(container, exitStatus.aborted, lostNode, container.state === 'ACQUIRED' ? 'expire' : 'finished');
    }
    const awaited = expected.take(node.id);
    // Before the ends that are listed: with that of a master nothing more is expected of its attempt.
    for (const [containerId, own] of awaited) {
      if (told.has(containerId) || !mayRemember(own.container)) continue;
      expected.expect(own);
      this.#askForEnd(node, containerId);
    }
    for (const report of message.containers) {
      const own = awaited.get(report.containerId);
      if (!own) this.container(node, report);
      else if (report.state === 'COMPLETE') expected.ended(own, report);
      else this.#adopt(own, node, report);
    }
    for (const [containerId, own] of awaited) if (!told.has(containerId) && !mayRemember(own.container)) expected.ended(own);
  }

  /** The answer to the order to stop what does not run is its end: as it was, or lost. */
  #askForEnd(node: Node, containerId: string): void {
    const stop = { containerId, exitCode: exitStatus.aborted, diagnostics: lostNode };
    this.#send(node, { type: 'stopContainers', containers: [stop] });
  }

  #adopt({ application, container: kept }: ExpectedContainer, node: Node, report: ContainerReport): void {
    const { containers, charges, opportunistic, watch } = this.#ports;
    const attempt = currentAttempt(application);
    // The end of its master, told by the same node, may have ended its attempt.
    if (!attempt || isCompletedState[application.state] || !mayHold(application, attempt, kept)) return this.#unknown(node, report);
    const container = containers.recover(application, attempt, node, kept, report);
    if (container.executionType === 'GUARANTEED') charges.adopt(container);
    else opportunistic.joined();
    if (container.isMaster) watch.begin(application, attempt);
    this.#correct(node, container, report);
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
    if (isWritten(application)) memory.keep(application);
  }
}
