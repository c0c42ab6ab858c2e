// One application: where it stands and why, its life, containers, logs, events, and what can be done about it.

import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import type { ApplicationExplanation } from '../../wire/cluster/explanation.ts';
import type { ApplicationLife, PlainApplication } from '../../wire/cluster/own-answers.ts';
import { applicationQuery, explanationQuery, lifeQuery, reportQuery } from '../api/application.ts';
import { pagesPath } from '../api/base.ts';
import type { Read } from '../api/cluster.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { count, counted, memory, memoryHours, percent, vcoreHours, vcores } from '../format/amounts.ts';
import { containerLabel } from '../format/instance.ts';
import { jobOfApplication } from '../format/jobs.ts';
import { named } from '../format/names.ts';
import { hasEnded } from '../format/states.ts';
import { absolute } from '../format/times.ts';
import { type ApplicationAction, ApplicationActions } from '../parts/application-actions.tsx';
import { Ago, Amount, ApplicationStatus, Copy, Facts, PageHead, Panel, Span } from '../parts/basics.tsx';
import { ContainerBar, ContainerCounts } from '../parts/container-counts.tsx';
import { AskedSignal } from '../parts/container-signal.tsx';
import { ContainerTable } from '../parts/container-table.tsx';
import { EventHistory } from '../parts/event-history.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Life } from '../parts/life.tsx';
import { LogView } from '../parts/log-view.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { Submitted } from '../parts/submitted.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { ContainerUse } from '../parts/use.tsx';

const tabs = [
  ['', 'Overview'],
  ['containers', 'Containers'],
  ['logs', 'Logs'],
  ['events', 'Events'],
  ['submitted', 'Submitted'],
] as const;

export default function ApplicationPage() {
  const { id = '' } = useParams({ strict: false }) as { readonly id?: string };
  const [search, setSearch] = useSearchState();
  const { data: application, error, refetch } = useAnswer(applicationQuery(id));
  const [action, setAction] = useState<ApplicationAction>();
  if (error)
    return <FailedPage title={id} error={error} retry={() => void refetch()} list={{ to: '/applications', title: 'All applications' }} />;
  if (!application) return <Loading />;
  const [tab] = tabs.find(([name]) => name === search['tab']) ?? tabs[0];
  const isOver = hasEnded(application.state);
  return (
    <>
      <PageHead
        title={named(application.name, id)}
        beside={
          <ApplicationStatus
            state={application.state}
            finalStatus={application.finalStatus}
            hasMaster={application.masterContainerId !== undefined}
          />
        }
      >
        {application.type === 'MAPREDUCE' && (
          <Link className="button" to={`/jobs/${jobOfApplication(id)}`}>
            Batch job
          </Link>
        )}
        {application.type === 'HEDDLE-RUN' && isOver && (
          <Link className={hasFailed(application) ? 'button primary' : 'button'} to={`/submit?again=${id}`}>
            Submit again
          </Link>
        )}
        {!isOver && (
          <>
            {/* What the master of a run tells stands on this page; its own address is for programs. */}
            {application.trackingUrl && application.state === 'RUNNING' && application.type !== 'HEDDLE-RUN' && (
              <a className="button" href={`${pagesPath}/../proxy/${id}/`}>
                Its own page
              </a>
            )}
            {application.type === 'HEDDLE-RUN' && (
              <button type="button" onClick={() => setAction('instances')}>
                Instances
              </button>
            )}
            <button type="button" onClick={() => setAction('move')}>
              Move
            </button>
            <button type="button" onClick={() => setAction('priority')}>
              Priority
            </button>
            <button type="button" onClick={() => setAction('lifetime')}>
              Lifetime
            </button>
            <button type="button" className="danger" onClick={() => setAction('kill')}>
              Kill
            </button>
          </>
        )}
      </PageHead>
      <p className="quiet">
        <span className="id">{id}</span> <Copy text={id} />
      </p>
      <Why application={application} />
      <Tabs
        label="Parts of the application"
        tabs={tabs}
        shown={tab}
        onChange={(name) => setSearch({ tab: name || undefined, container: undefined, signal: undefined })}
      />
      {tab === 'containers' ? (
        <Containers id={id} />
      ) : tab === 'logs' ? (
        <Logs application={application} />
      ) : tab === 'events' ? (
        <EventHistory id={id} />
      ) : tab === 'submitted' ? (
        <Submitted id={id} />
      ) : (
        <About application={application} />
      )}
      {action && <ApplicationActions action={action} application={application} onClose={() => setAction(undefined)} />}
    </>
  );
}

const hasFailed = ({ state, finalStatus }: PlainApplication): boolean => state === 'FAILED' || finalStatus === 'FAILED';

/** What it has otherwise than was asked for. */
function Otherwise({ id }: { readonly id: string }) {
  const { data } = useQuery(explanationQuery(id));
  return (data?.adjusted ?? []).map(({ sentence }) => (
    <p key={sentence} className="quiet">
      {sentence}
    </p>
  ));
}

type Request = NonNullable<Read<ApplicationExplanation>['requests']>[number];

/** Requests of one size that wait for the same stand there once. */
function alike(requests: readonly Request[]): readonly Request[] {
  const found = new Map<string, Request>();
  for (const request of requests) {
    const key = JSON.stringify([request.resource, request.reasons?.[0]?.sentence]);
    const before = found.get(key);
    found.set(key, before ? { ...before, count: before.count + request.count } : request);
  }
  return [...found.values()];
}

/** Why it waits, or how it ended. */
function Why({ application }: { readonly application: PlainApplication }) {
  const { data } = useQuery(explanationQuery(application.id));
  if (!data) return null;
  const failed = hasFailed(application);
  // What the sentence says already is not said again.
  const requests = alike((data.requests ?? []).filter(({ reasons }) => !data.sentence.includes(reasons?.[0]?.sentence ?? ''))).slice(0, 5);
  if (!data.waiting && !failed && requests.length === 0) return null;
  return (
    <section className={failed ? 'notice bad' : 'notice'} aria-label={data.waiting ? 'Why it waits' : 'How it stands'}>
      <p>
        <strong>{failed && application.diagnostics.trim() !== '' ? 'It failed.' : data.sentence}</strong> {data.remedy}
        {data.waiting && data.sinceMs !== undefined && (
          <span className="quiet">
            {' '}
            Since <Ago ms={data.sinceMs} />.
          </span>
        )}
      </p>
      {requests.map((request) => (
        <p key={request.askId}>
          {counted(request.count ?? 0, 'container')} of{' '}
          {Object.entries((request.resource ?? {}) as Readonly<Record<string, number>>)
            .map(([name, value]) => (name === 'memoryMiB' ? memory(value) : name === 'vcores' ? vcores(value) : `${value} ${name}`))
            .join(', ')}
          : {request.reasons?.[0]?.sentence} <span className="quiet">{request.reasons?.[0]?.remedy}</span>
        </p>
      ))}
      {failed && application.diagnostics && <Told text={application.diagnostics.trim()} />}
    </section>
  );
}

function About({ application }: { readonly application: PlainApplication }) {
  const { id } = application;
  const { data: report } = useQuery(reportQuery(id));
  const { data: life, error } = useAnswer(lifeQuery(id));
  const expiry = report?.timeouts?.timeout?.[0]?.expiryTime;
  return (
    <>
      <Panel
        title="Life"
        aside={
          life && (
            <span className="quiet">
              {counted(life.attempts.length, 'attempt')}, {counted(life.containers.length, 'container')} shown
            </span>
          )
        }
      >
        <ContainerBar application={application} />
        {error ? <Problem error={error} /> : life ? <Life life={life} /> : <Loading />}
      </Panel>
      {life && <Use containers={life.containers} />}
      <div className="grid">
        <Panel title="What it is">
          <Facts
            rows={[
              // The title of the page shows its first lines.
              ...(application.name.length > 80 ? ([['Name', <bdi key="name">{application.name}</bdi>]] as const) : []),
              [
                'User',
                <Link key="user" to={`/applications?user=${encodeURIComponent(application.user)}`}>
                  {application.user}
                </Link>,
              ],
              [
                'Queue',
                <Link key="queue" to={`/queues/${encodeURIComponent(application.queue)}`}>
                  {application.queue}
                </Link>,
              ],
              ['Type', application.type],
              ['Priority', <Amount key="priority" value={application.priority} show={count} unknown="default" />],
              ['Tags', application.tags.length === 0 ? <span className="quiet">none</span> : application.tags.join(', ')],
              ['Attempts', count(application.attempts)],
              [
                'Lives at most until',
                !expiry || expiry === 'UNLIMITED' ? (
                  <span className="quiet">no limit</span>
                ) : (
                  absolute(Date.parse(expiry.replace(/\+0000$/, 'Z')))
                ),
              ],
              ['Master', application.masterNodeId ?? <span className="quiet">not placed yet</span>],
            ]}
          />
          <Otherwise id={application.id} />
        </Panel>
        <Panel title="How far it is">
          <Facts
            rows={[
              ['Submitted', <Ago key="submitted" ms={application.startedTime} />],
              ['Master started', <Ago key="launched" ms={application.launchedTime} />],
              [
                application.finishedTime ? 'Took' : 'So far',
                <Span key="took" from={application.startedTime} to={application.finishedTime} />,
              ],
              [
                'Progress',
                application.state === 'RUNNING' && application.progress === 0 ? (
                  <span className="quiet">its master tells none</span>
                ) : (
                  percent(application.progress)
                ),
              ],
              ['Containers', <ContainerCounts key="containers" application={application} />],
              ['Memory now', <Amount key="memory" value={application.allocatedMemoryMiB} show={memory} unknown="none" />],
              [
                'Memory over its life',
                <Amount
                  key="memory-life"
                  value={report?.memorySeconds === undefined ? -1 : Number(report.memorySeconds)}
                  show={memoryHours}
                />,
              ],
              [
                'Cores over its life',
                <Amount key="cores-life" value={report?.vcoreSeconds === undefined ? -1 : Number(report.vcoreSeconds)} show={vcoreHours} />,
              ],
            ]}
          />
        </Panel>
      </div>
      {application.diagnostics.trim() !== '' && !hasFailed(application) && (
        <Panel title="Diagnostics">
          <Told text={application.diagnostics.trim()} />
        </Panel>
      )}
    </>
  );
}

/** What one of its containers really uses, the master's first. */
function Use({ containers }: { readonly containers: ApplicationLife['containers'] }) {
  const [search, setSearch] = useSearchState();
  const running = containers.filter(({ finishedTime, startedTime }) => finishedTime === 0 && startedTime > 0);
  const shown = running.find(({ id }) => id === search['use']) ?? running.find(({ isMaster }) => isMaster) ?? running[0];
  if (!shown) return null;
  return (
    <ContainerUse
      key={shown.id}
      id={shown.id}
      beside={
        <select aria-label="Container" value={shown.id} onChange={({ target }) => setSearch({ use: target.value })}>
          {running.map((container) => (
            <option key={container.id} value={container.id}>
              {containerLabel(container)} ({container.id.split('_').slice(-2).join('_')})
            </option>
          ))}
        </select>
      }
    />
  );
}

function Containers({ id }: { readonly id: string }) {
  const { data, error } = useAnswer(lifeQuery(id));
  const [search, setSearch] = useSearchState();
  const ask = useCallback((signal: string | undefined) => setSearch({ signal }), [setSearch]);
  if (error) return <Problem error={error} />;
  if (!data) return <Loading />;
  return (
    <>
      <ContainerTable applicationId={id} containers={data.containers} onSignal={ask} />
      <AskedSignal life={data} wanted={search['signal']} onClose={() => ask(undefined)} />
      <p className="quiet">
        Those that ended are known for an hour{data.more && '; of many, the latest are shown'}. The application history has all of them.
      </p>
    </>
  );
}

function Logs({ application }: { readonly application: PlainApplication }) {
  const { data: life, error } = useAnswer(lifeQuery(application.id));
  const known = (life?.containers ?? []).map(({ id, isMaster, instance, tryNumber }) => ({ id, isMaster, instance, tryNumber }));
  // Masters are known for as long as their attempts are.
  const masters = (life?.attempts ?? []).flatMap(({ masterContainerId: id }) =>
    id !== undefined && !known.some((each) => each.id === id) ? [{ id, isMaster: true }] : [],
  );
  if (error) return <Problem error={error} />;
  if (!life) return <Loading />;
  return <LogView containers={[...known, ...masters].sort((a, b) => (a.id < b.id ? -1 : 1))} />;
}

/** Text of programs, which scrolls where it is long. */
const Told = ({ text }: { readonly text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
  <pre className="told" tabIndex={0}>
    {text}
  </pre>
);
