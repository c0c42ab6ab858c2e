// The caller's schedules, for administrators those of everybody: when each is due, what came of its last run; stopped, resumed, run and removed here, made with the form of submissions.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Schedule } from '../../wire/cluster/schedules.ts';
import { useCaller } from '../api/frame.ts';
import { scheduleAddress, schedulesQuery } from '../api/schedules.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { absolute } from '../format/times.ts';
import { Ago, ApplicationLink, PageHead, Status } from '../parts/basics.tsx';
import { Choice } from '../parts/choice.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading } from '../parts/problem.tsx';
import { Outcome, type ScheduleAction, ScheduleQuestion, scheduleActions } from '../parts/schedule-actions.tsx';
import { type Column, Table } from '../parts/table.tsx';

function LastRun({ runs }: Schedule) {
  const run = runs.at(-1);
  if (run === undefined) return <span className="quiet">not yet</span>;
  return (
    <>
      <Outcome outcome={run.outcome} /> <Ago ms={run.decidedMs} />{' '}
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
  const [asked, setAsked] = useState<{ readonly schedule: Schedule; readonly action: ScheduleAction }>();
  const isEmpty = !isOfAll && schedules?.length === 0;
  const { data: everybodys } = useQuery({ ...schedulesQuery(true), enabled: isEmpty && caller?.isAdministrator === true });
  if (error) return <FailedPage title="Schedules" error={error} retry={() => void refetch()} />;
  if (!schedules) return <Loading />;
  const titleOf = ({ user, name }: Schedule) => (isOfAll ? `${name} of ${user}` : name);
  const button = (schedule: Schedule, action: ScheduleAction) => (
    <button
      type="button"
      className="small"
      onClick={() => setAsked({ schedule, action })}
      aria-label={`${scheduleActions[action].title}: ${titleOf(schedule)}`}
    >
      {scheduleActions[action].title}
    </button>
  );
  const columns: readonly Column<Schedule>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: (schedule) => <Link to={scheduleAddress(schedule)}>{schedule.name}</Link>,
      sort: (a, b) => a.name.localeCompare(b.name),
    },
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
        <Link className="button primary" to="/submit?when=again">
          Make a schedule
        </Link>
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
        leads
        empty={
          <>
            {isOfAll ? 'Nobody has schedules.' : 'You have no schedules.'}{' '}
            {(everybodys?.length ?? 0) > 0 && (
              <>
                There {everybodys?.length === 1 ? 'is' : 'are'} <Link to="/schedules?of=everybody">{everybodys?.length} of others</Link>.{' '}
              </>
            )}
            <Link to="/submit?when=again">Make one</Link> here, or say{' '}
            <code>heddle schedule add NAME FILE.yaml --cron &apos;30 2 * * *&apos;</code> in a terminal.
          </>
        }
      />
      {asked && <ScheduleQuestion {...asked} title={titleOf(asked.schedule)} onClose={() => setAsked(undefined)} />}
    </>
  );
}
