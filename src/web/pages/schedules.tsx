// The caller's schedules, for administrators those of everybody: when each is due, what came of its last run; stopped, resumed, run and removed here, made at the command line.

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schedule } from '../../wire/cluster/schedules.ts';
import { useCaller } from '../api/frame.ts';
import { change } from '../api/http.ts';
import { schedulesKey, schedulesQuery } from '../api/schedules.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { absolute } from '../format/times.ts';
import { Ago, ApplicationLink, PageHead, Status } from '../parts/basics.tsx';
import { Choice } from '../parts/choice.tsx';
import { Question } from '../parts/dialog.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';

/** What may be done to a schedule: the last part of its address, and the words for it. */
const actions = {
  run: { title: 'Run now', text: 'It is submitted once more, now, whatever else of it runs.', done: 'It was submitted.' },
  pause: { title: 'Pause', text: 'Nothing is submitted until it is resumed. What runs goes on.', done: 'It is paused.' },
  resume: { title: 'Resume', text: 'It goes on from now; what was due meanwhile is not made up for.', done: 'It goes on.' },
  remove: { title: 'Remove', text: 'Nothing is submitted any more. What runs goes on.', done: 'It is removed.' },
} as const;
type Action = keyof typeof actions;

const kinds = { submitted: 'good', waiting: 'waiting', skipped: 'stopped', missed: 'bad', refused: 'bad' } as const;

function LastRun({ runs }: Schedule) {
  const run = runs.at(-1);
  if (run === undefined) return <span className="quiet">not yet</span>;
  return (
    <>
      <Status state={run.outcome} word={run.outcome} kind={kinds[run.outcome]} /> <Ago ms={run.decidedMs} />{' '}
      {run.applicationId === undefined ? (
        run.reason && <span className="quiet">{run.reason}</span>
      ) : (
        <ApplicationLink id={run.applicationId} short />
      )}
    </>
  );
}

/** When it runs next, and how long it is until then. */
const NextRun = ({ ms }: { readonly ms: number }) => (
  <>
    {absolute(ms)}{' '}
    <span className="quiet">
      <Ago ms={ms} />
    </span>
  </>
);

const ownerColumn: Column<Schedule> = {
  id: 'user',
  title: 'User',
  brief: ({ user }) => user,
  cell: ({ user }) => user,
  sort: (a, b) => a.user.localeCompare(b.user) || a.name.localeCompare(b.name),
};

export default function Schedules() {
  const caller = useCaller();
  const [search, setSearch] = useSearchState();
  const isOfAll = search['of'] === 'everybody' && caller?.isAdministrator === true;
  const { data: schedules, error, refetch } = useAnswer(schedulesQuery(isOfAll));
  const [asked, setAsked] = useState<{ readonly schedule: Schedule; readonly action: Action }>();
  const client = useQueryClient();
  if (error) return <FailedPage title="Schedules" error={error} retry={() => void refetch()} />;
  if (!schedules) return <Loading />;
  const act = async ({ schedule, action }: { readonly schedule: Schedule; readonly action: Action }) => {
    const path = `api/v1/schedules/${encodeURIComponent(schedule.user)}/${encodeURIComponent(schedule.name)}`;
    await (action === 'remove' ? change('DELETE', path) : change('POST', `${path}/${action}`));
    await client.invalidateQueries({ queryKey: schedulesKey });
    return actions[action].done;
  };
  const titleOf = ({ user, name }: Schedule) => (isOfAll ? `${name} of ${user}` : name);
  const button = (schedule: Schedule, action: Action) => (
    <button
      type="button"
      className="small"
      onClick={() => setAsked({ schedule, action })}
      aria-label={`${actions[action].title}: ${titleOf(schedule)}`}
    >
      {actions[action].title}
    </button>
  );
  const columns: readonly Column<Schedule>[] = [
    { id: 'name', title: 'Name', cell: ({ name }) => <span className="span">{name}</span>, sort: (a, b) => a.name.localeCompare(b.name) },
    ...(isOfAll ? [ownerColumn] : []),
    { id: 'cron', title: 'When', cell: ({ cron, timeZone }) => `${cron} (${timeZone})`, gives: 'soon' },
    {
      id: 'next',
      title: 'Next',
      cell: ({ paused, next: [next] }) =>
        paused ? <Status state="paused" word="paused" kind="stopped" /> : next === undefined ? 'never' : <NextRun ms={next} />,
      sort: (a, b) => (a.next[0] ?? Infinity) - (b.next[0] ?? Infinity),
    },
    { id: 'last', title: 'Last run', cell: (schedule) => <LastRun {...schedule} />, gives: 'first' },
    {
      id: 'actions',
      title: 'Actions',
      cell: (schedule) => (
        <span className="row-actions">
          {button(schedule, 'run')}
          {button(schedule, schedule.paused ? 'resume' : 'pause')}
          {button(schedule, 'remove')}
        </span>
      ),
    },
  ];
  return (
    <>
      <PageHead title="Schedules">
        {caller?.isAdministrator && (
          <Choice
            label="Whose"
            value={isOfAll ? 'everybody' : ''}
            options={[
              ['', 'Mine'],
              ['everybody', 'Everybody\u2019s'],
            ]}
            onChange={(of) => setSearch({ of: of || undefined })}
          />
        )}
      </PageHead>
      <Table
        label="Schedules"
        columns={columns}
        rows={schedules}
        rowKey={({ user, name }) => `${name} ${user}`}
        empty={
          <>
            {isOfAll ? 'Nobody has schedules.' : 'You have no schedules.'}{' '}
            <code>heddle schedule add NAME FILE.yaml --cron &apos;30 2 * * *&apos;</code> makes one.
          </>
        }
      />
      {asked && (
        <Question
          title={
            <>
              {actions[asked.action].title}: <bdi>{titleOf(asked.schedule)}</bdi>
            </>
          }
          action={actions[asked.action].title}
          isDangerous={asked.action === 'remove'}
          onClose={() => setAsked(undefined)}
          run={() => act(asked)}
        >
          <p>{actions[asked.action].text}</p>
        </Question>
      )}
    </>
  );
}
