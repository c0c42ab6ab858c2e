// One application that was: its outcome, its attempts and their containers.

import { Link, useParams } from '@tanstack/react-router';
import { exitMeaning, exitOutcome } from '../../model/exit-status.ts';
import { useCaller } from '../api/frame.ts';
import { type PastContainer, pastApplicationQuery, pastAttemptsQuery } from '../api/timeline.ts';
import { useAnswer } from '../api/use-answer.ts';
import { count, counted, memory, memoryHours, vcoreHours } from '../format/amounts.ts';
import { jobOfApplication } from '../format/jobs.ts';
import { named } from '../format/names.ts';
import { outcomeOf } from '../format/states.ts';
import { historyPages, managerPages } from '../jobs/history-link.ts';
import { Ago, Amount, Copy, Facts, PageHead, Panel, Span, Status } from '../parts/basics.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';

/** What the history writes where it knows nothing. */
const known = (text: string | undefined): string | undefined => (text === undefined || text === '' || text === 'N/A' ? undefined : text);

export default function PastApplicationPage() {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { data: application, error, refetch } = useAnswer(pastApplicationQuery(id));
  const { data: attempts, error: attemptsError } = useAnswer(pastAttemptsQuery(id, application));
  const caller = useCaller();
  if (error && !application)
    return <FailedPage title={id} error={error} retry={() => void refetch()} list={{ to: '/history', title: 'All applications' }} />;
  if (!application) return <Loading />;
  const [manager, history] = [managerPages(caller), historyPages(caller)];
  const diagnostics = known(application.diagnosticsInfo.trim());
  const lastId = attempts
    ?.map(({ attempt }) => attempt.appAttemptId)
    .sort()
    .at(-1);
  return (
    <>
      <PageHead
        title={named(application.name)}
        beside={
          <>
            <Status state={outcomeOf(application.appState, application.finalAppStatus)} />
            <span className="id quiet">
              {id} <Copy text={id} />
            </span>
          </>
        }
      >
        {application.type === 'MAPREDUCE' && history && (
          <a className="button" href={`${history}/jobs/${jobOfApplication(id)}`}>
            Batch job
          </a>
        )}
        {manager && (
          <a className="button" href={`${manager}/applications/${id}`}>
            On the resource manager
          </a>
        )}
        <Link className="button" to="/timeline/entity" search={{ type: 'YARN_APPLICATION', id } as never}>
          What was published
        </Link>
      </PageHead>
      {diagnostics && <pre className="log short">{diagnostics}</pre>}
      <Facts
        rows={[
          [
            'User',
            <Link key="user" to="/history" search={{ user: application.user } as never}>
              {application.user}
            </Link>,
          ],
          [
            'Queue',
            <Link key="queue" to="/history" search={{ queue: application.queue } as never}>
              {application.queue}
            </Link>,
          ],
          ['Type', application.type],
          ['Priority', <Amount key="priority" value={application.priority} show={count} unknown="not told" />],
          ['Started', <Ago key="started" ms={application.startedTime} />],
          ['Took', <Span key="took" from={application.startedTime} to={application.finishedTime} />],
          [
            'Tags',
            known(application.applicationTags) ?? (
              <span key="tags" className="quiet">
                none
              </span>
            ),
          ],
          [
            'Used',
            known(application.aggregateResourceAllocation && usedText(application.aggregateResourceAllocation)) ?? (
              <span key="used" className="quiet">
                not told
              </span>
            ),
          ],
        ]}
      />
      {attemptsError && <Problem error={attemptsError} />}
      {attempts?.length === 0 && <p className="empty">No attempt was made.</p>}
      {attempts?.map(({ attempt, containers }) => (
        <Panel
          key={attempt.appAttemptId}
          title={`Attempt ${Number(attempt.appAttemptId.split('_').at(-1))}`}
          aside={
            <span className="inline">
              <Status state={attemptOutcome(attempt.appAttemptState, attempt.appAttemptId === lastId, application.finalAppStatus)} />
              <span className="quiet">{counted(containers.length, 'container')}</span>
            </span>
          }
        >
          {known(attempt.diagnosticsInfo?.trim()) && <pre className="log short">{attempt.diagnosticsInfo.trim()}</pre>}
          <Table
            label={`Containers of attempt ${Number(attempt.appAttemptId.split('_').at(-1))}`}
            columns={containerColumns}
            rows={containers}
            rowKey={({ containerId }) => containerId}
            empty="None of its containers is known."
          />
        </Panel>
      ))}
    </>
  );
}

/** How it ended, where that is known: what is complete may have failed. */
const stateOf = ({ containerState = '', containerExitStatus, finishedTime = 0 }: PastContainer): string =>
  containerExitStatus === undefined || finishedTime <= 0 ? containerState : exitOutcome(containerExitStatus);

/** Of the last attempt, where it is finished, the application tells how. */
const attemptOutcome = (state: string, isLast: boolean, finalStatus: string): string => (isLast ? outcomeOf(state, finalStatus) : state);

/** `3018 MB-seconds, 10 vcore-seconds` as the resource manager's page has it. */
function usedText(told: string): string {
  const [, mebibytes, processors] = /^(\d+) MB-seconds, (\d+) vcore-seconds$/.exec(told) ?? [];
  return mebibytes === undefined ? told : `${memoryHours(Number(mebibytes))}, ${vcoreHours(Number(processors))}`;
}

const containerColumns: readonly Column<PastContainer>[] = [
  {
    id: 'id',
    title: 'Container',
    cell: ({ containerId }) => (
      <Link className="id" to="/timeline/entity" search={{ type: 'YARN_CONTAINER', id: containerId } as never} title={containerId}>
        {containerId.split('_').slice(-2).join('_')}
      </Link>
    ),
  },
  { id: 'state', title: 'State', cell: (container) => <Status state={stateOf(container)} /> },
  {
    id: 'exit',
    title: 'Ended',
    cell: ({ containerExitStatus, finishedTime = 0 }) =>
      containerExitStatus === undefined || finishedTime <= 0 ? <span className="quiet">not yet</span> : exitMeaning(containerExitStatus),
  },
  {
    id: 'node',
    title: 'Node',
    gives: 'soon',
    cell: ({ assignedNodeId }) => known(assignedNodeId) ?? <span className="quiet">not known</span>,
  },
  {
    id: 'memory',
    title: 'Memory',
    isNumber: true,
    gives: 'soon',
    cell: ({ allocatedMB = -1 }) => <Amount value={allocatedMB} show={memory} unknown="not known" />,
  },
  {
    id: 'vcores',
    title: 'Cores',
    isNumber: true,
    gives: 'late',
    cell: ({ allocatedVCores = -1 }) => <Amount value={allocatedVCores} show={count} unknown="not known" />,
  },
  {
    id: 'took',
    title: 'Took',
    isNumber: true,
    gives: 'first',
    cell: ({ startedTime = 0, finishedTime = 0 }) => <Span from={startedTime} to={finishedTime} />,
  },
  {
    id: 'diagnostics',
    title: 'Said',
    shortens: true,
    gives: 'late',
    cell: ({ diagnosticsInfo = '' }) =>
      diagnosticsInfo.trim() === '' ? (
        <span className="quiet">nothing</span>
      ) : (
        <span className="name" title={diagnosticsInfo}>
          {diagnosticsInfo}
        </span>
      ),
  },
];
