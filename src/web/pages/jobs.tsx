// Batch jobs: on the resource manager what runs, on the history server all that is over.
import { useQuery } from '@tanstack/react-query';
import { frameQuery } from '../api/frame.ts';
import { later } from '../app/later.tsx';
import '../jobs/jobs.css';

const RunningJobs = later(() => import('../jobs/running-jobs.tsx'));
const JobSearch = later(() => import('../jobs/job-search.tsx'));

export default function Jobs() {
  const { data: frame } = useQuery(frameQuery);
  return frame?.role === 'history' ? <JobSearch /> : <RunningJobs />;
}
