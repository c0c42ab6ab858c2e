// The first page of each server.
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { overviewQueries } from '../api/cluster.ts';
import { frameQuery, type Role } from '../api/frame.ts';
import { queryClient } from '../api/query-client.ts';
import { later } from '../app/later.tsx';

const Overview = later(() => {
  // They come while the script does.
  for (const query of Object.values(overviewQueries)) void queryClient.prefetchQuery<unknown>(query as never);
  return import('./overview.tsx');
});
const NodeHome = later(() => import('./node-home.tsx'));
const ServerHome = later(() => import('./server-home.tsx'));

/** Servers whose pages begin with what people come for. */
const begins: Readonly<Partial<Record<Role, string>>> = { history: '/jobs', timeline: '/timeline', reader: '/api', collector: '/api' };

export default function Home() {
  const { data: frame } = useQuery(frameQuery);
  const begin = frame && begins[frame.role];
  if (begin !== undefined) return <Navigate to={begin} replace />;
  if (frame?.role === 'resource-manager') return <Overview />;
  return frame?.role === 'node-manager' ? <NodeHome /> : <ServerHome />;
}
