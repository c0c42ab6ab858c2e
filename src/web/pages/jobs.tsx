// Batch jobs: on the resource manager what runs, on the history server all that is over.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { frameQuery } from '../api/frame.ts';
import { Loading } from '../parts/problem.tsx';
import '../jobs/jobs.css';

const RunningJobs = lazy(() => import('../jobs/running-jobs.tsx'));
const JobSearch = lazy(() => import('../jobs/job-search.tsx'));

export default function Jobs() {
  const { data: frame } = useQuery(frameQuery);
  return <Suspense fallback={<Loading />}>{frame?.role === 'history' ? <JobSearch /> : <RunningJobs />}</Suspense>;
}
