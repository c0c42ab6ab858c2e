// What other queues would do to what runs and waits now, before they are taken over.
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { QueueWhatIf } from '../../wire/cluster/queue-what-if.ts';
import { queueWhatIfQuery } from '../api/queues.ts';
import { counted, memory, percent } from '../format/amounts.ts';
import type { QueueChangeBody } from '../format/queue-change.ts';
import { Problem } from './problem.tsx';
import './what-if.css';

type QueueLine = QueueWhatIf['queues'][number];

/** A value before and after; alone where nothing changes it. */
function Change({ before, after }: { readonly before: string | number | undefined; readonly after: string | number | undefined }) {
  if (before === after) return <>{after ?? '–'}</>;
  return (
    <>
      <span className="quiet">{before ?? 'not there'}</span> → <b>{after ?? 'not there'}</b>
    </>
  );
}

const shares = (share: number | undefined): string | undefined => (share === undefined ? undefined : percent(share / 100));
const used = (side: QueueLine['before'], of: 'used' | 'pending'): string | undefined => side && memory(side[of]['memoryMiB'] ?? 0);

/** The answer of the scheduler to a change: a sentence, the queues and the applications that would fare otherwise. */
export function WhatIf({ body }: { readonly body: QueueChangeBody }) {
  const { data: told, error } = useQuery(queueWhatIfQuery(body));
  if (error) return <Problem error={error} />;
  if (!told) return <p className="quiet">The scheduler tries it on what runs and waits now …</p>;
  return (
    <section className="what-if" aria-label="What it would do now">
      <p>
        <b>What it would do now: </b>
        {told.sentence}
      </p>
      {told.queues.length > 0 && <Queues queues={told.queues} more={told.moreQueues} />}
      {told.applications.length > 0 && <Applications applications={told.applications} more={told.moreApplications} />}
    </section>
  );
}

const Queues = ({ queues, more }: { readonly queues: readonly QueueLine[]; readonly more: number }) => (
  <>
    <div className="table-frame">
      <table aria-label="Queues that would be others">
        <thead>
          <tr>
            <th scope="col">Queue</th>
            <th scope="col">Guaranteed</th>
            <th scope="col">At most</th>
            <th scope="col">In use</th>
            <th scope="col">Waits for</th>
          </tr>
        </thead>
        <tbody>
          {queues.map(({ path, partition, before, after }) => (
            <tr key={`${path} ${partition}`}>
              <td>
                {path}
                {partition !== '' && <span className="tag">{partition}</span>}
              </td>
              <td>
                <Change before={shares(before?.guaranteedPercent)} after={shares(after?.guaranteedPercent)} />
              </td>
              <td>
                <Change before={shares(before?.maximumPercent)} after={shares(after?.maximumPercent)} />
              </td>
              <td>
                <Change before={used(before, 'used')} after={used(after, 'used')} />
              </td>
              <td>
                <Change before={used(before, 'pending')} after={used(after, 'pending')} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {more > 0 && <p className="quiet">and {counted(more, 'more queue')}</p>}
  </>
);

type Applications = QueueWhatIf['applications'];

const Applications = ({ applications, more }: { readonly applications: Applications; readonly more: number }) => (
  <>
    <div className="table-frame">
      <table aria-label="Applications that would fare otherwise">
        <thead>
          <tr>
            <th scope="col">Application</th>
            <th scope="col">Queue</th>
            <th scope="col">Containers</th>
            <th scope="col">Waits for</th>
            <th scope="col">Taken back</th>
          </tr>
        </thead>
        <tbody>
          {applications.map(({ id, name, queue, starts, before, after }) => (
            <tr key={id}>
              <td>
                <Link to={`/applications/${id}`}>{name || id}</Link>
                {starts && <span className="tag">would start</span>}
              </td>
              <td>{queue}</td>
              <td>
                <Change before={before.running} after={after.running} />
              </td>
              <td>
                <Change before={before.waiting} after={after.waiting} />
              </td>
              <td>
                <Change before={before.preempted} after={after.preempted} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    {more > 0 && <p className="quiet">and {counted(more, 'more application')}</p>}
  </>
);
