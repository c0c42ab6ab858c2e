// What pages ask about the use of containers and nodes over the last minutes: a server of the cluster, or the node itself.
import { queryOptions } from '@tanstack/react-query';
import type { ContainerUsage, NodeUsage } from '../../wire/node/usage.ts';
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
