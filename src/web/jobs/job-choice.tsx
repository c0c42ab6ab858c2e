// One of the two jobs of a comparison: what it is, or a search for it that begins with jobs of the other's name.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { historyQuery, jobQuery, jobSource } from '../api/jobs.ts';
import { useAnswer } from '../api/use-answer.ts';
import { named } from '../format/names.ts';
import { Ago, Panel, Span, Status } from '../parts/basics.tsx';
import { Filter } from '../parts/filter.tsx';
import { Loading, Problem } from '../parts/problem.tsx';

export interface JobChoiceProps {
  readonly label: string;
  /** Ids; '' for none. */
  readonly chosen: string;
  readonly like: string;
  readonly onChoose: (id: string | undefined) => void;
}

const mostShown = 12;

export const JobChoice = (props: JobChoiceProps) => (props.chosen === '' ? <Search {...props} /> : <Chosen {...props} />);

function Chosen({ label, chosen, onChoose }: JobChoiceProps) {
  const { data: job, error } = useAnswer(jobQuery(jobSource('history', chosen)));
  return (
    <Panel
      title={label}
      aside={
        <button type="button" className="small" onClick={() => onChoose(undefined)}>
          Choose another
        </button>
      }
    >
      {error ? (
        <Problem error={error} />
      ) : !job ? (
        <Loading />
      ) : (
        <p className="inline">
          <Link to={`/jobs/${job.id}`}>
            <b>{named(job.name)}</b>
          </Link>
          <Status state={job.state} />
          <span className="id quiet">{job.id}</span>
          <span className="quiet">
            {job.user}, <Ago ms={Math.max(0, job.finishTime)} none="not known when" />
          </span>
        </p>
      )}
    </Panel>
  );
}

function Search({ label, like, onChoose }: JobChoiceProps) {
  const { data: other } = useQuery({ ...jobQuery(jobSource('history', like)), enabled: like !== '' });
  const [written, setWritten] = useState<string>();
  const name = written ?? other?.name ?? '';
  const { data, error } = useInfiniteQuery({ ...historyQuery({ name: name || undefined }), enabled: like === '' || other !== undefined });
  const found = data?.pages[0]?.jobs.filter(({ id }) => id !== like) ?? [];
  return (
    <Panel title={label}>
      <Filter
        fields={[{ name: 'name', label: `${label}: name or id`, isSearch: true }]}
        values={name === '' ? {} : { name }}
        onChange={({ name: next }) => setWritten(next ?? '')}
      />
      {error && <Problem error={error} />}
      {data && found.length === 0 && <p className="empty">No other job has such a name.</p>}
      <ul className="choice-list">
        {found.slice(0, mostShown).map(({ id, name: own, state, startTime = 0, finishTime = 0 }) => (
          <li key={id}>
            <button type="button" className="ghost" onClick={() => onChoose(id)}>
              {own || 'without a name'} <span className="id quiet">{id.replace(/^job_/, '')}</span>
            </button>
            <Status state={state} />
            <span className="quiet">
              <Ago ms={finishTime} none="" />
              {startTime > 0 && (
                <>
                  , took <Span from={startTime} to={finishTime} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
