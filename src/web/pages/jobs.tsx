// Batch jobs: on the resource manager what runs, on the history server all that is over.
import { useQuery } from '@tanstack/react-query';
import { frameQuery } from '../api/frame.ts';
import { JobSearch } from '../jobs/job-search.tsx';
import { RunningJobs } from '../jobs/running-jobs.tsx';
import '../jobs/jobs.css';

export default function Jobs() {
  const { data: frame } = useQuery(frameQuery);
  return frame?.role === 'history' ? <JobSearch /> : <RunningJobs />;
}
