// The first page of each server.
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { frameQuery, type Role } from '../api/frame.ts';
import { Loading } from '../parts/problem.tsx';

const Overview = lazy(() => import('./overview.tsx'));
const NodeHome = lazy(() => import('./node-home.tsx'));
const ServerHome = lazy(() => import('./server-home.tsx'));

/** Servers whose pages begin with what people come for. */
const begins: Readonly<Partial<Record<Role, string>>> = { history: '/jobs', timeline: '/timeline', reader: '/api', collector: '/api' };

export default function Home() {
  const { data: frame } = useQuery(frameQuery);
  const begin = frame && begins[frame.role];
  if (begin !== undefined) return <Navigate to={begin} replace />;
  return (
    <Suspense fallback={<Loading />}>
      {frame?.role === 'resource-manager' ? <Overview /> : frame?.role === 'node-manager' ? <NodeHome /> : <ServerHome />}
    </Suspense>
  );
}
