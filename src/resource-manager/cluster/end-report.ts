// The end of a container as its master is told of it.
import type { ResourceTypes } from '../../model/resource.ts';
import type { CompletedContainer } from '../../wire/cluster/master-protocol.ts';
import type { Container } from '../applications/container.ts';
import { nodeResource } from './node-resource.ts';

/** The report of an ended container; times that nobody knows are left out. */
export function endReport(container: Container, types: ResourceTypes): CompletedContainer {
  const { startedMs, finishedMs } = container;
  return {
    containerId: container.id,
    askId: container.requestId,
    nodeId: container.nodeId,
    nodeHttpAddress: container.nodeHttpAddress,
    state: 'COMPLETE',
    exitCode: container.exitCode,
    diagnostics: container.diagnostics,
    createdTime: container.createdMs,
    ...(startedMs > 0 ? { startedTime: startedMs } : {}),
    ...(finishedMs > 0 ? { finishedTime: finishedMs } : {}),
    priority: container.priority,
    resource: nodeResource(container.resource, types),
  };
}
