// The first page of each server.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { frameQuery } from '../api/frame.ts';
import { Loading } from '../parts/problem.tsx';

const Overview = lazy(() => import('./overview.tsx'));
const NodeHome = lazy(() => import('./node-home.tsx'));
const ServerHome = lazy(() => import('./server-home.tsx'));

export default function Home() {
  const { data: frame } = useQuery(frameQuery);
  return (
    <Suspense fallback={<Loading />}>
      {frame?.role === 'resource-manager' ? <Overview /> : frame?.role === 'node-manager' ? <NodeHome /> : <ServerHome />}
    </Suspense>
  );
}
