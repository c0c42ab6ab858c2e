// One queue: what it has in each partition, whose work that is, why its work waits, how it is set.

import { Link, useParams } from '@tanstack/react-router';
import { fewApplicationsQuery } from '../api/cluster.ts';
import { useCaller } from '../api/frame.ts';
import { queuesQuery, queueWaitsQuery } from '../api/queues.ts';
import { useAnswer } from '../api/use-answer.ts';
import { amountOf, count, counted, percent, shareOf, typeWord } from '../format/amounts.ts';
import { findQueue, type Queue, type QueueTree, type QueueUser, shareIn, wayTo } from '../format/queue-tree.ts';
import { ApplicationTable } from '../parts/application-table.tsx';
import { ApplicationLink, Empty, Facts, Meter, PageHead, Panel } from '../parts/basics.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { QueueBar, QueueLegend } from '../parts/queue-bar.tsx';
import { QueueHistory } from '../parts/queue-history.tsx';
import { QueueState } from '../parts/queue-state.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { usePart } from './queues.tsx';
import './queue.css';

export default function QueuePage() {
  const { queue: path = '' } = useParams({ strict: false }) as { queue?: string };
  const { data: tree, error, refetch } = useAnswer(queuesQuery);
  if (error) return <FailedPage title={path} error={error} retry={() => void refetch()} />;
  if (!tree) return <Loading />;
  const queue = findQueue(tree, path);
  if (!queue)
    return (
      <>
        <PageHead title={path} />
        <p className="empty">
          There is no such queue: it was removed, or is spelled otherwise. <Link to="/queues">All queues</Link>
        </p>
      </>
    );
  return <One tree={tree} queue={queue} />;
}

function One({ tree, queue }: { readonly tree: QueueTree; readonly queue: Queue }) {
  const isAdministrator = useCaller()?.isAdministrator === true;
  const applications = `/applications?queue=${encodeURIComponent(queue.path)}`;
  return (
    <>
      <PageHead title={<Way tree={tree} queue={queue} />} beside={<QueueState state={queue.state} />}>
        {isAdministrator && tree.isEditable && (
          <Link className="button" to={`/queues/${encodeURIComponent(queue.path)}/edit`}>
            Change
          </Link>
        )}
      </PageHead>
      <Shares tree={tree} queue={queue} />
      {queue.isLeaf && <Waits queue={queue} />}
      {queue.isLeaf && queue.users.length > 0 && <Users tree={tree} queue={queue} />}
      {queue.isLeaf ? (
        <Panel title="Applications" aside={<Link to={applications}>All of this queue</Link>}>
          <Applications queue={queue} />
        </Panel>
      ) : (
        <Children tree={tree} queue={queue} />
      )}
      <Panel title="How it is set">
        <Facts rows={[['As configured', shareIn(queue, '')?.configured ?? 'no share of nodes without a label'], ...queue.facts]} />
      </Panel>
      {isAdministrator && tree.isEditable && <QueueHistory below={queue.path} />}
    </>
  );
}

/** The path, each queue above leads there. */
function Way({ tree, queue }: { readonly tree: QueueTree; readonly queue: Queue }) {
  const way = wayTo(tree, queue.path);
  return way.map((each, index) => (
    <span key={each.path}>
      {index > 0 && <span className="quiet">.</span>}
      {each === queue ? each.name : <Link to={`/queues/${encodeURIComponent(each.path)}`}>{each.name}</Link>}
    </span>
  ));
}

function Shares({ tree, queue }: { readonly tree: QueueTree; readonly queue: Queue }) {
  const rows = queue.shares.flatMap((share) =>
    tree.types
      .map((type) => ({ share, type, all: shareIn(tree.root, share.partition)?.guaranteed[type] ?? 0 }))
      .filter(({ all }) => all > 0),
  );
  const isEmpty = tree.root.shares.every(({ guaranteed }) => Object.values(guaranteed).every((amount) => amount === 0));
  const isLabelled = tree.partitions.length > 1;
  const columns: readonly Column<(typeof rows)[number]>[] = [
    ...(isLabelled
      ? [
          {
            id: 'partition',
            title: 'Nodes',
            cell: ({ share }: (typeof rows)[number]) => (share.partition === '' ? 'without label' : share.partition),
          },
        ]
      : []),
    { id: 'type', title: 'Of', cell: ({ type }) => typeWord(type) },
    { id: 'bar', title: 'Share of all there is', cell: ({ share, type, all }) => <QueueBar {...{ share, type, all }} name={queue.path} /> },
    { id: 'used', title: 'Used', isNumber: true, cell: ({ share, type }) => amountOf(type, share.used[type] ?? 0) },
    {
      id: 'guaranteed',
      title: tree.promise,
      isNumber: true,
      gives: 'first',
      cell: ({ share, type }) => amountOf(type, share.guaranteed[type] ?? 0),
    },
    {
      id: 'maximum',
      title: 'At most',
      isNumber: true,
      gives: 'first',
      cell: ({ share, type }) => amountOf(type, share.maximum[type] ?? 0),
    },
    {
      id: 'pending',
      title: 'Asked for',
      isNumber: true,
      gives: 'soon',
      cell: ({ share, type }) =>
        (share.pending[type] ?? 0) === 0 ? <span className="quiet">–</span> : amountOf(type, share.pending[type]!),
    },
    {
      id: 'masters',
      title: 'Masters hold',
      isNumber: true,
      gives: 'late',
      cell: ({ share, type }) =>
        share.mastersLimit === undefined || (type !== 'memory-mb' && share.mastersLimit[type] === 0) ? (
          <span className="quiet">–</span>
        ) : (
          `${amountOf(type, share.mastersUsed?.[type] ?? 0)} of ${amountOf(type, share.mastersLimit[type] ?? 0)}`
        ),
    },
  ];
  return (
    <Panel
      title="What it has"
      aside={
        <span className="quiet">
          {counted(queue.containers, 'container')}
          {queue.pendingContainers > 0 && `, ${count(queue.pendingContainers)} more asked for`}
        </span>
      }
    >
      <QueueLegend promise={tree.promise} />
      <Table
        label="Shares"
        columns={columns}
        rows={rows}
        rowKey={({ share, type }) => `${share.partition} ${type}`}
        empty={isEmpty ? 'The cluster has no nodes in service: there is nothing to have a share of.' : 'It has no share of anything.'}
      />
    </Panel>
  );
}

function Waits({ queue }: { readonly queue: Queue }) {
  const { data: waits, error } = useAnswer(queueWaitsQuery(queue.path));
  if (error) return <Problem error={error} />;
  return (
    <Panel title="Why its work waits">
      {waits === undefined ? (
        <Loading />
      ) : waits.length === 0 ? (
        <Empty>Nothing waits.</Empty>
      ) : (
        <ul className="waits">
          {waits.map((wait) => (
            <li key={wait.rule}>
              <p>
                <b>{counted(wait.applications.length, 'application')}</b> {wait.applications.length === 1 ? 'waits' : 'wait'} because{' '}
                {wait.sentence}
              </p>
              <p className="quiet">{wait.remedy}</p>
              <p className="names">
                {wait.applications.map(({ id, name }) => (
                  <span key={id}>
                    <bdi>{name}</bdi> <ApplicationLink id={id} short />
                  </span>
                ))}
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Users({ tree, queue }: { readonly tree: QueueTree; readonly queue: Queue }) {
  const { type } = usePart(tree);
  const columns: readonly Column<QueueUser>[] = [
    {
      id: 'name',
      title: 'User',
      cell: ({ name }) => <Link to={`/applications?user=${encodeURIComponent(name)}`}>{name}</Link>,
      sort: (a, b) => a.name.localeCompare(b.name),
    },
    {
      id: 'share',
      title: 'Of its limit',
      cell: ({ name, used, limit }) => <Meter share={shareOf(used[type] ?? 0, limit[type] ?? 0)} label={`${name} uses`} />,
    },
    {
      id: 'used',
      title: 'Used',
      isNumber: true,
      cell: ({ used }) => amountOf(type, used[type] ?? 0),
      sort: (a, b) => (a.used[type] ?? 0) - (b.used[type] ?? 0),
    },
    { id: 'limit', title: 'Limit', isNumber: true, gives: 'first', cell: ({ limit }) => amountOf(type, limit[type] ?? 0) },
    {
      id: 'percent',
      title: 'Of it',
      isNumber: true,
      gives: 'first',
      cell: ({ used, limit }) => percent(shareOf(used[type] ?? 0, limit[type] ?? 0)),
    },
    { id: 'active', title: 'Run', isNumber: true, gives: 'first', cell: ({ active }) => count(active) },
    { id: 'pending', title: 'Wait', isNumber: true, gives: 'first', cell: ({ pending }) => count(pending) },
  ];
  return (
    <Panel title="Users" aside={<span className="quiet">{typeWord(type)}</span>}>
      <Table label="Users" columns={columns} rows={queue.users} rowKey={({ name }) => name} empty="Nobody has work here." sort="-used" />
    </Panel>
  );
}

function Applications({ queue }: { readonly queue: Queue }) {
  const filter = { queue: queue.path, states: 'NEW,NEW_SAVING,SUBMITTED,ACCEPTED,RUNNING', sort: '-startedTime' };
  const { data, error } = useAnswer(fewApplicationsQuery(filter, 20));
  if (error) return <Problem error={error} />;
  return data ? (
    <ApplicationTable label="Applications of the queue" applications={data.applications} empty="Nothing runs or waits here." />
  ) : (
    <Loading />
  );
}

function Children({ tree, queue }: { readonly tree: QueueTree; readonly queue: Queue }) {
  const { type, partition } = usePart(tree);
  const all = shareIn(tree.root, partition)?.guaranteed[type] ?? 0;
  const columns: readonly Column<Queue>[] = [
    { id: 'name', title: 'Queue', cell: ({ path, name }) => <Link to={`/queues/${encodeURIComponent(path)}`}>{name}</Link> },
    {
      id: 'bar',
      title: `Share of ${amountOf(type, all)}`,
      cell: (child) => {
        const share = shareIn(child, partition);
        return share && <QueueBar share={share} type={type} all={all} name={child.path} />;
      },
    },
    { id: 'used', title: 'Used', isNumber: true, cell: (child) => amountOf(type, shareIn(child, partition)?.used[type] ?? 0) },
    { id: 'configured', title: 'As configured', gives: 'soon', cell: (child) => shareIn(child, partition)?.configured ?? 'no share' },
    { id: 'state', title: 'State', gives: 'first', cell: ({ state }) => <QueueState state={state} /> },
  ];
  return (
    <Panel title="Queues below it">
      <Table label="Queues below it" columns={columns} rows={queue.children} rowKey={({ path }) => path} empty="There are none yet." />
    </Panel>
  );
}
