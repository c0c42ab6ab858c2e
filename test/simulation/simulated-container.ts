// A container on a simulated node, and what the node says of it.
import type { ContainerTokenContent } from '../../src/auth/container-token.ts';
import { exitStatus } from '../../src/model/exit-status.ts';
import type { ContainerReport, ContainerStart, ExecutionType, NodeResource } from '../../src/wire/cluster/container-messages.ts';

/** A container's order as far as a node keeps it. */
export type Order = Pick<ContainerStart, 'containerId' | 'applicationId' | 'attemptId' | 'resource' | 'isMaster'> &
  Partial<Pick<ContainerStart, 'askId' | 'executionType' | 'allocationTags' | 'launch'>> &
  Partial<Pick<ContainerTokenContent, 'nodeMemory'>>;

export interface SimulatedContainer {
  readonly id: string;
  readonly applicationId: string;
  readonly order: Order;
  resource: NodeResource;
  readonly createdMs: number;
  executionType: ExecutionType;
  state: ContainerReport['state'];
  exitCode: number;
  /** A node manager that begins anew knows it. */
  isRecorded: boolean;
  /** Its processes began once. */
  isLaunched: boolean;
  /** Its processes are gone; the node manager may not have seen it yet. */
  isGone: boolean;
}

/** One that was ordered and is nothing yet. */
export const ordered = (order: Order, createdMs: number): SimulatedContainer => ({
  id: order.containerId,
  applicationId: order.applicationId,
  order,
  resource: order.resource,
  createdMs,
  executionType: order.executionType ?? 'GUARANTEED',
  state: 'NEW',
  exitCode: exitStatus.invalid,
  isRecorded: false,
  isLaunched: false,
  isGone: false,
});

const nothing = { memoryMiB: 0, vcores: 0 };

/** Of a container that the node does not know. */
export const completeReport = (containerId: string, exitCode: number): ContainerReport => ({
  containerId,
  state: 'COMPLETE',
  exitCode,
  diagnostics: '',
  resource: nothing,
  priority: 0,
  createdTime: 0,
});

/** As the node tells of it. */
export function reportOf({ id, order, state, exitCode, resource, createdMs, executionType }: SimulatedContainer): ContainerReport {
  return {
    containerId: id,
    ...(order.askId === undefined ? {} : { askId: order.askId }),
    state,
    exitCode,
    diagnostics: '',
    resource,
    priority: 0,
    executionType,
    allocationTags: [...(order.allocationTags ?? [])],
    createdTime: createdMs,
    ...(state === 'NEW' ? {} : { startedTime: createdMs }),
  };
}
