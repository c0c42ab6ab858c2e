// A batch job: its tasks, when each attempt ran where, counters, settings. What runs is asked of its master, what is over of the history server.

import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { frameQuery, useCaller } from '../api/frame.ts';
import { change } from '../api/http.ts';
import { type Job, type JobSource, jobApplicationQuery, jobQuery, jobSource } from '../api/jobs.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { named } from '../format/names.ts';
import { hasEnded, kindOf } from '../format/states.ts';
import { AttemptHistory } from '../jobs/attempt-history.tsx';
import { AttemptTimeline } from '../jobs/attempt-timeline.tsx';
import { Counters } from '../jobs/counters.tsx';
import { historyPages, managerPages } from '../jobs/history-link.ts';
import { JobSettings } from '../jobs/job-settings.tsx';
import { JobSummary } from '../jobs/job-summary.tsx';
import { Tasks } from '../jobs/tasks.tsx';
import { Copy, PageHead, Status } from '../parts/basics.tsx';
import { Question } from '../parts/dialog.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading } from '../parts/problem.tsx';
import { Tabs } from '../parts/tabs.tsx';
import '../jobs/jobs.css';

const tabs = [
  ['', 'Tasks', Tasks],
  ['timeline', 'Timeline', AttemptTimeline],
  ['events', 'Events', AttemptHistory],
  ['counters', 'Counters', Counters],
  ['settings', 'Settings', JobSettings],
] as const;

export default function JobPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { data: frame } = useQuery(frameQuery);
  const caller = useCaller();
  const manager = managerPages(caller);
  const isElsewhere = frame?.role === 'proxy';
  // The pages of masters lead to the server that they are looked at through; a proxy of its own has no pages of jobs.
  useEffect(() => {
    if (isElsewhere && manager) location.replace(`${manager}/jobs/${encodeURIComponent(id)}${location.search}`);
  }, [isElsewhere, manager, id]);
  if (!frame || isElsewhere) return <Loading />;
  const source = jobSource(frame.role, id);
  return source.isRunning ? <RunningJob key={id} source={source} /> : <KnownJob key={id} source={source} />;
}

/** A job of the resource manager: it waits, it runs, or it is over and the history server has it. */
function RunningJob({ source }: { readonly source: JobSource }) {
  const caller = useCaller();
  const { data: application, error, refetch } = useAnswer(jobApplicationQuery(source.applicationId));
  const [ranHere, setRanHere] = useState(false);
  const isOver = application !== undefined && hasEnded(application.state);
  const history = historyPages(caller);
  const elsewhere = history && `${history}/jobs/${source.id}`;
  // Who comes to a finished job is taken to where it is; who saw it end stays until they have read how.
  useEffect(() => {
    if (application === undefined) return;
    if (!isOver) setRanHere(true);
    else if (!ranHere && elsewhere && application.state === 'FINISHED') location.replace(elsewhere);
  }, [application, isOver, ranHere, elsewhere]);
  if (error)
    return <FailedPage title={source.id} error={error} retry={() => void refetch()} list={{ to: '/jobs', title: 'All batch jobs' }} />;
  if (!application) return <Loading />;
  if (application.state === 'RUNNING') return <KnownJob source={source} />;
  return (
    <>
      <PageHead title={named(application.name, source.id)} beside={<Status state={isOver ? application.finalStatus : application.state} />}>
        <Link className="button" to={`/applications/${source.applicationId}`}>
          Application
        </Link>
      </PageHead>
      {isOver ? (
        <div className="notice">
          <p>
            <strong>The job is over.</strong>{' '}
            {elsewhere ? <a href={elsewhere}>Its tasks, counters and logs are in the job history.</a> : 'The history server has it.'}
          </p>
          {application.diagnostics && <pre>{application.diagnostics}</pre>}
        </div>
      ) : (
        <p className="notice">
          {application.masterContainerId === undefined
            ? 'The job waits for its master to get a container.'
            : 'The master of the job is starting.'}{' '}
          <Link to={`/applications/${source.applicationId}`}>Why it waits</Link> is told by its application. This page goes on by itself.
        </p>
      )}
    </>
  );
}

function KnownJob({ source }: { readonly source: JobSource }) {
  const { data: job, error, refetch } = useAnswer(jobQuery(source));
  const [search, setSearch] = useSearchState();
  if (error && !job)
    return <FailedPage title={source.id} error={error} retry={() => void refetch()} list={{ to: '/jobs', title: 'All batch jobs' }} />;
  if (!job) return <Loading />;
  const [name, , Tab] = tabs.find(([each]) => each === search['tab']) ?? tabs[0];
  return (
    <>
      <JobHead source={source} job={job} />
      <JobSummary source={source} job={job} />
      <Tabs label="Parts of the job" tabs={tabs} shown={name} onChange={(next) => setSearch({ tab: next || undefined })} />
      <Tab source={source} job={job} />
    </>
  );
}

function JobHead({ source, job }: { readonly source: JobSource; readonly job: Job }) {
  const caller = useCaller();
  const [isKilling, setKilling] = useState(false);
  const manager = managerPages(caller);
  const isOpen = kindOf(job.state) === 'running' || kindOf(job.state) === 'waiting';
  return (
    <>
      <PageHead
        title={named(job.name)}
        beside={
          <>
            <Status state={job.state} />
            <span className="id quiet">
              {job.id} <Copy text={job.id} />
            </span>
          </>
        }
      >
        {source.isRunning ? (
          <>
            <Link className="button" to={`/applications/${source.applicationId}`}>
              Application
            </Link>
            <Link className="button" to="/api" search={{ master: source.applicationId } as never}>
              Interface of the master
            </Link>
          </>
        ) : (
          <>
            {manager && (
              <a className="button" href={`${manager}/applications/${source.applicationId}`}>
                Application
              </a>
            )}
            <Link className="button" to="/compare" search={{ a: job.id } as never}>
              Compare with …
            </Link>
          </>
        )}
        {source.isRunning && isOpen && (
          <button type="button" className="danger" onClick={() => setKilling(true)}>
            Kill
          </button>
        )}
      </PageHead>
      {isKilling && (
        <Question
          title="Kill this job?"
          action="Kill the job"
          isDangerous
          onClose={() => setKilling(false)}
          run={async () => {
            await change('PUT', `ws/v1/cluster/apps/${source.applicationId}/state`, { state: 'KILLED' });
            return (
              <>
                <bdi>{named(job.name, job.id)}</bdi> is asked to end.
              </>
            );
          }}
        >
          <p>
            All tasks of <b>{named(job.name, job.id)}</b> end now, and what they have written so far is thrown away. This cannot be undone.
          </p>
        </Question>
      )}
    </>
  );
}
