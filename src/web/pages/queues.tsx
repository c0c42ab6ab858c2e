// All queues as a tree of bars: who has what, who is promised what, who waits.

import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useCaller } from '../api/frame.ts';
import { queuesQuery } from '../api/queues.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { amountOf, count, counted, percent, shareOf, typeWord } from '../format/amounts.ts';
import { type Queue, type QueueTree, queuesOf, queueText, shareIn } from '../format/queue-tree.ts';
import { PageHead } from '../parts/basics.tsx';
import { Choice } from '../parts/choice.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Filter } from '../parts/filter.tsx';
import { Loading } from '../parts/problem.tsx';
import { QueueBar, QueueLegend } from '../parts/queue-bar.tsx';
import { QueueState } from '../parts/queue-state.tsx';
import './queues.css';

export default function Queues() {
  const { data: tree, error, refetch } = useAnswer(queuesQuery);
  if (error) return <FailedPage title="Queues" error={error} retry={() => void refetch()} />;
  if (!tree) return <Loading />;
  return <Tree tree={tree} />;
}

/** What of the tree the address asks for: which partition, which type of resource. */
export function usePart(tree: QueueTree | undefined) {
  const [search, setSearch] = useSearchState();
  const partition = tree?.partitions.find((name) => name === search['partition']) ?? '';
  const type = tree?.types.find((name) => name === search['type']) ?? tree?.types[0] ?? 'memory-mb';
  return { search, setSearch, partition, type };
}

function Tree({ tree }: { readonly tree: QueueTree }) {
  const caller = useCaller();
  const { search, setSearch, partition, type } = usePart(tree);
  const closed = useMemo(() => new Set((search['closed'] ?? '').split(',').filter((path) => path !== '')), [search]);
  const wanted = (search['name'] ?? '').toLowerCase();
  const all = queuesOf(tree.root);
  const shown = all.filter(({ path }) =>
    wanted === '' ? ![...closed].some((above) => path.startsWith(`${above}.`)) : path.toLowerCase().includes(wanted),
  );
  const inPartition = shown.filter((queue) => partition === '' || (shareIn(queue, partition)?.maximum[type] ?? 0) > 0);
  const hasStates = tree.root.state !== undefined;
  const total = shareIn(tree.root, partition)?.guaranteed[type] ?? 0;
  const toggle = (path: string) => {
    const next = closed.has(path) ? [...closed].filter((each) => each !== path) : [...closed, path];
    setSearch({ closed: next.join(',') || undefined });
  };
  return (
    <>
      <PageHead
        title="Queues"
        beside={
          <span className="quiet">
            {counted(all.length, 'queue')}, {tree.scheduler}
          </span>
        }
      >
        {caller?.isAdministrator && (
          <Link className="button" to="/queues/try">
            Try a queue file
          </Link>
        )}
      </PageHead>
      <div className="inline">
        <Filter fields={[{ name: 'name', label: 'Find a queue', isSearch: true }]} values={search} onChange={setSearch} />
        <PartChoice tree={tree} />
      </div>
      <QueueLegend promise={tree.promise} />
      {inPartition.length === 0 ? (
        <p className="empty">No queue passes the filter.</p>
      ) : (
        <div className="table-frame">
          <table aria-label="Queues">
            <thead>
              <tr>
                <th scope="col">Queue</th>
                <th scope="col" className="bar-column">
                  Share of {partition === '' ? '' : `${partition}: `}
                  {amountOf(type, total)}
                </th>
                <th scope="col" className="number">
                  Used
                </th>
                <th scope="col" className="number gives-first">
                  {tree.promise}
                </th>
                <th scope="col" className="number gives-soon">
                  At most
                </th>
                <th scope="col" className="number gives-soon">
                  Asked for
                </th>
                <th scope="col" className="number gives-soon">
                  Applications
                </th>
                {hasStates && (
                  <th scope="col" className="gives-late">
                    State
                  </th>
                )}
              </tr>
            </thead>
            <tbody>
              {inPartition.map((queue) => (
                <Row
                  key={queue.path}
                  {...{ queue, partition, type, total }}
                  isClosed={closed.has(queue.path)}
                  isFound={wanted !== ''}
                  onToggle={() => toggle(queue.path)}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

/** Which partition and which type of resource are shown. */
export function PartChoice({ tree }: { readonly tree: QueueTree }) {
  const { setSearch, partition, type } = usePart(tree);
  return (
    <>
      {tree.partitions.length > 1 && (
        <Choice
          label="Partition"
          value={partition}
          options={tree.partitions.map((name) => [name, name === '' ? 'without label' : name])}
          onChange={(next) => setSearch({ partition: next || undefined })}
        />
      )}
      {tree.types.length > 1 && (
        <Choice
          label="Resource"
          value={type}
          options={tree.types.map((name) => [name, typeWord(name)])}
          onChange={(next) => setSearch({ type: next === tree.types[0] ? undefined : next })}
        />
      )}
    </>
  );
}

interface RowProps {
  readonly queue: Queue;
  readonly partition: string;
  readonly type: string;
  readonly total: number;
  readonly isClosed: boolean;
  readonly isFound: boolean;
  readonly onToggle: () => void;
}

function Row({ queue, partition, type, total, isClosed, isFound, onToggle }: RowProps) {
  const share = shareIn(queue, partition);
  const value = (amounts: Readonly<Record<string, number>> | undefined) => amounts?.[type] ?? 0;
  const used = value(share?.used);
  return (
    <tr>
      <td>
        <span className="queue-name" style={{ paddingLeft: isFound ? 0 : `${queue.depth * 1.1}rem` }}>
          {queue.children.length > 0 && !isFound ? (
            <button type="button" className="fold" aria-expanded={!isClosed} aria-label={`Queues below ${queue.path}`} onClick={onToggle}>
              {isClosed ? '▸' : '▾'}
            </button>
          ) : (
            <span className="fold" />
          )}
          <Link to={`/queues/${encodeURIComponent(queue.path)}`} title={queue.path}>
            {isFound ? queueText(queue.path) : queue.name}
          </Link>
          {queue.state !== undefined && queue.state !== 'RUNNING' && <QueueState state={queue.state} />}
        </span>
      </td>
      <td className="bar-column">{share && <QueueBar share={share} type={type} all={total} name={queue.path} />}</td>
      <td className="number" title={`${percent(shareOf(used, value(share?.guaranteed)))} of what it is guaranteed`}>
        {amountOf(type, used)}
      </td>
      <td className="number gives-first">{amountOf(type, value(share?.guaranteed))}</td>
      <td className="number gives-soon">{amountOf(type, value(share?.maximum))}</td>
      <td className="number gives-soon">
        {value(share?.pending) === 0 ? <span className="quiet">–</span> : amountOf(type, value(share?.pending))}
      </td>
      <td className="number gives-soon">
        {queue.active + queue.pending === 0 ? (
          <span className="quiet">–</span>
        ) : (
          <>
            {count(queue.active)}
            {queue.pending > 0 && <span className="is-waiting"> + {count(queue.pending)} waiting</span>}
          </>
        )}
      </td>
      {queue.state !== undefined && (
        <td className="gives-late">
          <QueueState state={queue.state} />
        </td>
      )}
    </tr>
  );
}
