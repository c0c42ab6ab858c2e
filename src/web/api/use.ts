// What pages ask about the use of containers and nodes over the last minutes: a server of the cluster, or the node itself.
import { queryOptions } from '@tanstack/react-query';
import type { ContainersUsage, ContainerUsage, NodeUsage } from '../../wire/node/usage.ts';
import { getJson } from './http.ts';

/** Nodes look every few seconds, whatever events say. */
const refetchInterval = 5000;

/** Of a container; both servers know it by the same address. */
export const containerUseQuery = (id: string) =>
  queryOptions({
    queryKey: ['use', 'container', id],
    queryFn: ({ signal }) => getJson<ContainerUsage>(`api/v1/containers/${encodeURIComponent(id)}/usage`, signal),
    refetchInterval: ({ state }) => (state.data?.running === false ? false : refetchInterval),
  });

/** Of a node of the cluster. */
export const nodeUseQuery = (id: string) =>
  queryOptions({
    queryKey: ['use', 'node', id],
    queryFn: ({ signal }) => getJson<NodeUsage>(`api/v1/nodes/${encodeURIComponent(id)}/usage`, signal),
    refetchInterval,
  });

/** Of the node whose own pages these are. */
export const ownUseQuery = queryOptions({
  queryKey: ['use', 'node'],
  queryFn: ({ signal }) => getJson<NodeUsage>('api/v1/usage', signal),
  refetchInterval,
});

/** What is drawn in the rows of tables changes less. */
const briefInterval = 10_000;

/** Of many containers, in brief, by their ids. `path`: whose. */
export const containersUseQuery = (path: string) =>
  queryOptions({
    queryKey: ['use', 'containers', path],
    queryFn: async ({ signal }) => {
      const { containers, left } = await getJson<ContainersUsage>(path, signal);
      return { of: new Map(containers.map((each) => [each.containerId, each])), left };
    },
    refetchInterval: briefInterval,
  });
export type BriefUse = ContainersUsage['containers'][number];

export const applicationUseQuery = (id: string) => containersUseQuery(`api/v1/applications/${encodeURIComponent(id)}/usage`);
export const nodeContainersUseQuery = (id: string) => containersUseQuery(`api/v1/nodes/${encodeURIComponent(id)}/usage/containers`);
/** Of the node whose own pages these are. */
export const ownContainersUseQuery = containersUseQuery('api/v1/usage/containers');
