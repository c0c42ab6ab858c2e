// One schedule: what it runs, when it is due, what came of the last occurrences, and what can be done about it.
import { useQueries } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { ScheduleDetail, ScheduledSubmission } from '../../wire/cluster/schedules.ts';
import { applicationQuery } from '../api/application.ts';
import { useCaller } from '../api/frame.ts';
import { scheduleAddress, scheduleQuery } from '../api/schedules.ts';
import { useAnswer } from '../api/use-answer.ts';
import { count, memory, vcores } from '../format/amounts.ts';
import { commandText, retriesText } from '../format/submission.ts';
import { Ago, ApplicationLink, ApplicationStatus, Facts, PageHead, Panel, Span, Status } from '../parts/basics.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading } from '../parts/problem.tsx';
import { Outcome, type ScheduleAction, ScheduleQuestion, scheduleActions } from '../parts/schedule-actions.tsx';
import { Moments, missedWords, overlapWords } from '../parts/schedule-fields.tsx';
import { type Column, Table } from '../parts/table.tsx';

type Run = ScheduleDetail['runs'][number];
type Found = { readonly state: string; readonly finalStatus: string; readonly startedTime?: number; readonly finishedTime?: number };

export default function SchedulePage() {
  const { user = '', schedule: name = '' } = useParams({ strict: false }) as { readonly user?: string; readonly schedule?: string };
  const navigate = useNavigate();
  const caller = useCaller();
  const { data: schedule, error, refetch } = useAnswer(scheduleQuery(user, name));
  const [action, setAction] = useState<ScheduleAction>();
  if (error)
    return <FailedPage title={name} error={error} retry={() => void refetch()} list={{ to: '/schedules', title: 'All schedules' }} />;
  if (!schedule) return <Loading />;
  const { cron, timeZone, overlap, missed, paused, next, runs, submits } = schedule;
  const button = (each: ScheduleAction, className = '') => (
    <button type="button" className={className} onClick={() => setAction(each)}>
      {scheduleActions[each].title}
    </button>
  );
  return (
    <>
      <PageHead title={name} beside={paused && <Status state="paused" word="paused" kind="stopped" />}>
        {button('run', 'primary')}
        {button(paused ? 'resume' : 'pause')}
        {caller?.user === user && (
          <Link className="button" to={`${scheduleAddress(schedule)}/change`}>
            Change
          </Link>
        )}
        {button('remove', 'danger')}
      </PageHead>
      <p className="quiet">of {user}</p>
      <div className="grid">
        <Panel title="When">
          <Facts
            rows={[
              ['Cron expression', <code key="cron">{cron}</code>],
              ['Time zone', timeZone],
              ['If the run before is not over', overlapWords[overlap]],
              ['If the cluster was away', missedWords[missed]],
              ['Made', <Ago key="made" ms={schedule.createdMs} />],
            ]}
          />
          {paused ? (
            <p>It is paused: nothing is submitted until it is resumed.</p>
          ) : next.length === 0 ? (
            <p>It is never due.</p>
          ) : (
            <Moments times={next} timeZone={timeZone} />
          )}
        </Panel>
        <What submits={submits} />
      </div>
      <Panel title="Last runs">
        <Runs runs={runs} />
      </Panel>
      {action && (
        <ScheduleQuestion
          schedule={schedule}
          action={action}
          title={name}
          onClose={() => setAction(undefined)}
          {...(action === 'remove' && { onDone: () => void navigate({ to: '/schedules' }) })}
        />
      )}
    </>
  );
}

const none = (words: string) => <span className="quiet">{words}</span>;

/** What it submits, without secrets. */
function What({ submits }: { readonly submits: ScheduledSubmission | undefined }) {
  const { run, launch } = submits?.work ?? {};
  if (!submits || (!run && !launch))
    return (
      <Panel title="What it runs">
        <p className="quiet">It cannot be read any more: look at what was submitted by its last run.</p>
      </Panel>
    );
  const command = run?.command ? commandText(run.command) : (launch?.commands ?? []).join('\n');
  const { environment = {}, files = [], secrets = [] } = run ?? launch ?? {};
  const variables = [...Object.keys(environment), ...(submits.work?.hiddenVariables ?? [])];
  const listed = (names: readonly string[]) => (names.length === 0 ? none('none') : names.join(', '));
  return (
    <Panel title="What it runs">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <pre className="told" tabIndex={0}>
        {command}
      </pre>
      <Facts
        rows={[
          ['Name', submits.name ?? none('that of the schedule')],
          ['Queue', submits.queue ?? none('by the mapping rules')],
          ...(run
            ? ([
                ['Instances', count(run.instances)],
                ['Size of each', `${memory(run.memoryMiB)}, ${vcores(run.vcores)}`],
                ['Tries again', retriesText(run.retries)],
              ] as const)
            : []),
          ['Variables', listed(variables)],
          ['Files', listed(files.map((file) => file.name))],
          ['Secrets', listed(secrets)],
          ['Tags', listed(submits.tags)],
        ]}
      />
    </Panel>
  );
}

/** The newest of so many are asked for how they ended. */
const mostAsked = 20;

function Runs({ runs }: { readonly runs: readonly Run[] }) {
  const newest = runs.toReversed().slice(0, mostAsked);
  const ids = newest.flatMap(({ applicationId }) => (applicationId === undefined ? [] : [applicationId]));
  const found = useQueries({ queries: ids.map((id) => ({ ...applicationQuery(id), retry: false })) });
  const byId = new Map(ids.map((id, index) => [id, found[index]?.data as Found | undefined]));
  const columns: readonly Column<Run>[] = [
    { id: 'due', title: 'Due', cell: ({ dueMs }) => <Ago ms={dueMs} /> },
    { id: 'outcome', title: 'What came of it', cell: ({ outcome }) => <Outcome outcome={outcome} /> },
    {
      id: 'application',
      title: 'Application',
      cell: ({ applicationId, reason }) =>
        applicationId === undefined ? none(reason ?? 'none') : <ApplicationLink id={applicationId} short />,
    },
    {
      id: 'state',
      title: 'State',
      cell: ({ applicationId = '' }) => {
        const one = byId.get(applicationId);
        return one ? (
          <ApplicationStatus state={one.state} finalStatus={one.finalStatus} hasMaster />
        ) : (
          none(applicationId === '' ? 'none' : 'not known')
        );
      },
    },
    {
      id: 'took',
      title: 'Took',
      gives: 'first',
      cell: ({ applicationId = '' }) => {
        const one = byId.get(applicationId);
        return one ? <Span from={one.startedTime} to={one.finishedTime} /> : none('none');
      },
    },
  ];
  return (
    <Table
      leads
      label="Last runs"
      columns={columns}
      rows={newest}
      rowKey={({ dueMs, decidedMs, applicationId = '' }) => `${dueMs} ${decidedMs} ${applicationId}`}
      empty={
        <>
          It was not due yet. <Link to="/schedules">All schedules</Link>
        </>
      }
    />
  );
}
