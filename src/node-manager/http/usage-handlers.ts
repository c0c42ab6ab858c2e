// What containers and the node used over the last minutes.
import { cpus, totalmem } from 'node:os';
import { type Answer, json } from '../../http/answers.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import type { ContainersUsage, ContainerUsage, NodeUsage } from '../../wire/node/usage.ts';
import type { UsageRecord } from '../containers/usage-record.ts';
import { keptContainerId } from './container-ids.ts';
import { mayViewContainer, type NodeContents } from './node-handlers.ts';

const bytesPerMiB = 1024 * 1024;
/** Containers that one answer tells of. */
const mostContainers = 500;

/** `GET /api/v1/containers/{containerid}/usage`: of a container that runs, or ended while its application goes on. */
export function showContainerUsage(contents: NodeContents, record: UsageRecord, call: Call): Answer {
  const id = keptContainerId(call.params['containerid'] ?? '');
  const container = contents.manager.containers.get(id);
  if (!container) throw failure('NODE_CONTAINER_NOT_FOUND', { id });
  const { resource, applicationId } = container.order;
  if (!mayViewContainer(contents, call, container))
    throw failure('NODE_USAGE_FORBIDDEN', { user: call.user ?? '', application: applicationId });
  return json({
    containerId: id,
    running: !container.ended,
    memoryMiB: resource.memoryMiB,
    vcores: resource.vcores,
    samples: record.ofContainer(id),
  } satisfies ContainerUsage);
}

/** `GET /api/v1/usage/containers`, `GET /api/v1/applications/{appid}/usage`: containers that run here and that the caller may view. */
export function showContainersUsage(contents: NodeContents, record: UsageRecord, call: Call): Answer {
  const applicationId = call.params['appid'];
  const visible = [...contents.manager.containers.values()].filter(
    (container) =>
      container.state === 'RUNNING' &&
      (applicationId === undefined || container.order.applicationId === applicationId) &&
      mayViewContainer(contents, call, container),
  );
  const containers = visible.slice(0, mostContainers).map(({ id, order: { resource } }) => ({
    ...{ containerId: id, memoryMiB: resource.memoryMiB, vcores: resource.vcores },
    ...record.briefOf(id),
  }));
  return json({ containers, left: visible.length - containers.length } satisfies ContainersUsage);
}

/** `GET /api/v1/usage`. */
export function showNodeUsage({ address }: NodeContents, record: UsageRecord): Answer {
  return json({
    nodeId: address.nodeId,
    memoryMiB: Math.round(totalmem() / bytesPerMiB),
    cores: cpus().length,
    samples: record.ofNode(),
  } satisfies NodeUsage);
}
