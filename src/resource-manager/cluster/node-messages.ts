// What a registered node says, and which part of the cluster it concerns.
import type { Clock } from '../../lib/clock.ts';
import type { NodeMessage, RegisterMessage } from '../../wire/cluster/node-channel.ts';
import { type Node, noOpportunistic } from '../nodes/node.ts';
import type { NodeRegistration } from './node-registration.ts';
import type { NodeReports } from './node-reports.ts';
import type { NodeLifecycle } from './nodes.ts';
import type { SchedulingFigures } from './scheduling-figures.ts';
import type { ClusterState } from './state.ts';

/** A message of a node that has registered. */
export type RegisteredNodeMessage = Exclude<NodeMessage, RegisterMessage>;

/** What is needed. */
export interface NodeMessagePorts {
  readonly state: Pick<ClusterState, 'setNodeUsage'>;
  readonly nodes: Pick<NodeLifecycle, 'heard' | 'health' | 'attributesChanged' | 'leave'>;
  readonly reports: Pick<NodeReports, 'container' | 'logAggregation'>;
  readonly registration: Pick<NodeRegistration, 'takeDescriptors'>;
  readonly clock: Pick<Clock, 'steadyMs'>;
  readonly figures: Pick<SchedulingFigures, 'nodeMessages' | 'messageIntervals' | 'timed'>;
}

/** Takes the messages of nodes. */
export class NodeMessages {
  readonly #ports: NodeMessagePorts;

  constructor(ports: NodeMessagePorts) {
    this.#ports = ports;
  }

  /** Any message shows that the node is there. */
  take(node: Node, message: RegisteredNodeMessage): void {
    const { nodes, clock, figures } = this.#ports;
    figures.messageIntervals.add(clock.steadyMs() - node.lastSeenMs);
    nodes.heard(node);
    figures.timed(figures.nodeMessages, () => this.#take(node, message));
  }

  #take(node: Node, message: RegisteredNodeMessage): void {
    const { state, nodes, reports, registration } = this.#ports;
    switch (message.type) {
      case 'containers':
        for (const report of message.reports) reports.container(node, report);
        return;
      case 'usage':
        state.setNodeUsage(node, { node: message.node, containers: message.containers });
        node.opportunistic = message.opportunistic ?? noOpportunistic;
        return;
      case 'health':
        return nodes.health(node, message.healthy, message.report, message.time);
      case 'descriptors':
        registration.takeDescriptors(node, message);
        return nodes.attributesChanged((other) => other === node);
      case 'logAggregation':
        return reports.logAggregation(node, message.applicationId, message.status, message.diagnostics);
      case 'signalled':
        return;
      case 'shutdown':
        return nodes.leave(node, 'shutdown');
    }
  }
}
