// What pages ask the resource manager about nodes and labels.
import { queryOptions } from '@tanstack/react-query';
import type { Placement } from '../../wire/cluster/own-answers.ts';
import { type ClusterNode, nodeOf, type ReadNode } from '../format/nodes.ts';
import type { ReadResource } from '../format/queue-tree.ts';
import { getJson } from './http.ts';

export const nodesQuery = queryOptions({
  queryKey: ['nodes', 'all'],
  queryFn: async ({ signal }): Promise<readonly ClusterNode[]> => {
    const { nodes } = await getJson<{ nodes: { node?: readonly ReadNode[] } | null }>('ws/v1/cluster/nodes', signal);
    return (nodes?.node ?? []).map(nodeOf);
  },
});

/** One node by its id. */
export const nodeQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', id],
    queryFn: async ({ signal }): Promise<ClusterNode> =>
      nodeOf((await getJson<{ node: ReadNode }>(`ws/v1/cluster/nodes/${encodeURIComponent(id)}`, signal)).node),
  });

/** A label with what its nodes have; `name` '' is the partition of nodes without one. */
export interface Label {
  readonly name: string;
  readonly isExclusive: boolean;
  readonly nodes: number;
  readonly resource: ReadResource | undefined;
}

interface ReadLabel {
  readonly name: string;
  /** The mapped form writes truths and numbers as texts. */
  readonly exclusivity: boolean | string;
  readonly activeNMs?: number | string;
  readonly partitionInfo?: { readonly resourceAvailable?: ReadResource };
}

const defaultName = '<DEFAULT_PARTITION>';

export const labelsQuery = queryOptions({
  queryKey: ['nodes', 'labels'],
  queryFn: async ({ signal }): Promise<readonly Label[]> => {
    const { nodeLabelInfo = [] } = await getJson<{ nodeLabelInfo?: readonly ReadLabel[] | ReadLabel }>(
      'ws/v1/cluster/get-rm-node-labels',
      signal,
    );
    return [nodeLabelInfo].flat().map(({ name, exclusivity, activeNMs = 0, partitionInfo }) => ({
      name: name === defaultName ? '' : name,
      isExclusive: String(exclusivity) === 'true',
      nodes: Number(activeNMs),
      resource: partitionInfo?.resourceAvailable,
    }));
  },
});

/** Which applications fill which nodes. */
export const placementQuery = queryOptions({
  queryKey: ['nodes', 'placement'],
  queryFn: ({ signal }) => getJson<Placement>('api/v1/placement', signal),
});

/** A container on a node. */
export interface PlacedContainer {
  readonly id: string;
  readonly applicationId: string;
  readonly applicationName: string;
  readonly user: string;
  readonly queue: string;
  readonly state: string;
  readonly isMaster: boolean;
  readonly memoryMiB: number;
  readonly vcores: number;
  readonly createdTime: number;
}

const silenceMs = 5000;

/** What the cluster has on a node; `hidden`: how many containers the caller may not view. */
export const nodeContainersQuery = (id: string) =>
  queryOptions({
    queryKey: ['nodes', id, 'containers'],
    queryFn: ({ signal }) =>
      getJson<{ readonly containers: readonly PlacedContainer[]; readonly hidden: number; readonly connected: boolean }>(
        `api/v1/nodes/${encodeURIComponent(id)}/containers`,
        signal,
      ),
    // No event tells that a connection broke off.
    refetchInterval: silenceMs,
  });
