// Changes queues: a queue's own settings, and the shares of those below it, which have to fit together. The scheduler judges the change and
// the page shows what it comes to before anything is applied.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { ApiFailure } from '../api/http.ts';
import { changeQueues, queueSettingsQuery, queuesQuery, validateQueues } from '../api/queues.ts';
import { useAnswer } from '../api/use-answer.ts';
import {
  changeBody,
  differences,
  isEmpty,
  type KeyDifference,
  keysOf,
  type Properties,
  type QueueChangeBody,
  sumOfShares,
} from '../format/queue-change.ts';
import { findQueue, type Queue } from '../format/queue-tree.ts';
import { Empty, PageHead, Panel } from '../parts/basics.tsx';
import { note } from '../parts/dialog.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { Differences } from '../parts/queue-history.tsx';
import { WhatIf } from '../parts/what-if.tsx';
import './queue-edit.css';

export default function QueueEdit() {
  const { queue: path = '' } = useParams({ strict: false }) as { queue?: string };
  const { data: tree } = useQuery(queuesQuery);
  const { data: properties, error } = useAnswer(queueSettingsQuery);
  const queue = tree && findQueue(tree, path);
  if (error)
    return (
      <>
        <PageHead title={`Change ${path}`} />
        {!isElsewhere(error) && <Problem error={error} />}
        <p>
          Queues are changed here where <code>yarn.scheduler.configuration.store.class</code> keeps them (<code>memory</code>,{' '}
          <code>leveldb</code> or <code>zk</code>). With <code>file</code>, <Link to="/queues/try">try the changed queue file</Link> first,
          then let it be read again: <code>heddle queue refresh</code>.
        </p>
      </>
    );
  if (!properties || !tree) return <Loading />;
  if (!queue) return <Empty>There is no queue {path}.</Empty>;
  return <Editor key={path} queue={queue} properties={properties} />;
}

/** Whether the server only says that its queues stand in a file. */
const isElsewhere = (error: unknown): boolean => error instanceof ApiFailure && error.status === 400;

/** Settings of a queue that people change, each with what it means. */
const ownFields: readonly (readonly [key: string, label: string, about: string, isOfLeaf?: boolean])[] = [
  ['state', 'State', 'RUNNING, or STOPPED: it takes nothing new and drains'],
  ['user-limit-factor', 'One user may use', 'a multiple of its guarantee: 1 is all of it, 2 twice as much', true],
  ['minimum-user-limit-percent', 'Each user is sure of', 'percent of it, when many want it', true],
  ['maximum-applications', 'Applications it takes', 'that run or wait', true],
  ['max-parallel-apps', 'Applications at once', 'the others wait'],
  ['maximum-am-resource-percent', 'Share for masters', '0 to 1', true],
  ['ordering-policy', 'Order', 'fifo, fair, … of applications; priority-utilization, … of queues'],
  ['priority', 'Priority', 'among queues: higher is served first'],
  ['acl_submit_applications', 'May submit', 'users, a space, groups; * is everybody'],
  ['acl_administer_queue', 'May administer', 'users, a space, groups; * is everybody'],
];
const shareKeys = ['capacity', 'maximum-capacity'] as const;

type Draft = Readonly<Record<string, Readonly<Record<string, string>>>>;

function Editor({ queue, properties }: { readonly queue: Queue; readonly properties: Properties }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>({});
  const [added, setAdded] = useState<readonly string[]>([]);
  const [removed, setRemoved] = useState<readonly string[]>([]);
  const [checked, setChecked] = useState<readonly KeyDifference[]>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const body = changeBody(properties, draft, added, removed);
  const value = (path: string, key: string) => draft[path]?.[key] ?? keysOf(properties, path)[key] ?? '';
  const touch = () => {
    setChecked(undefined);
    setError(undefined);
  };
  const set = (path: string, key: string, text: string) => {
    setDraft((before) => ({ ...before, [path]: { ...before[path], [key]: text } }));
    touch();
  };
  const judge = async (event: FormEvent) => {
    event.preventDefault();
    await attempt(async () => setChecked(differences(properties, await validateQueues(body))));
  };
  const attempt = async (run: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await run();
    } catch (problem) {
      setChecked(undefined);
      setError(problem);
    }
    setBusy(false);
  };
  const apply = (wanted: QueueChangeBody) =>
    attempt(async () => {
      await changeQueues(wanted);
      await client.invalidateQueries({ queryKey: ['queues'] });
      note('The queues are changed.');
      await navigate({ to: `/queues/${encodeURIComponent(queue.path)}` });
    });
  return (
    <form className="edit" onSubmit={(event) => void judge(event)}>
      <PageHead title={`Change ${queue.path}`}>
        <Link className="button" to={`/queues/${encodeURIComponent(queue.path)}`}>
          Back
        </Link>
      </PageHead>
      {queue.path !== 'root' && <OwnFields queue={queue} value={value} set={set} />}
      <Shares
        {...{ queue, added, removed, value, set }}
        onAdd={(path) => {
          setAdded([...added, path]);
          set(path, 'capacity', '0');
        }}
        onRemove={(path) => {
          if (added.includes(path)) setAdded(added.filter((each) => each !== path));
          else setRemoved(removed.includes(path) ? removed.filter((each) => each !== path) : [...removed, path]);
          touch();
        }}
      />
      <Panel title="What it comes to">
        {error !== undefined ? (
          <Problem error={error} />
        ) : checked === undefined ? (
          <p className="quiet">
            {isEmpty(body) ? 'Nothing is changed yet.' : 'Let the scheduler check the change: nothing is applied by that.'}
          </p>
        ) : (
          <>
            <p>The scheduler takes this change. These keys will be others:</p>
            <Differences keys={checked} />
            <WhatIf body={body} />
          </>
        )}
        <div className="actions">
          <button type="submit" disabled={isBusy || isEmpty(body)} className={checked === undefined ? 'primary' : ''}>
            Check
          </button>
          <button type="button" className="primary" disabled={isBusy || checked === undefined} onClick={() => void apply(body)}>
            Apply
          </button>
        </div>
      </Panel>
    </form>
  );
}

interface FieldProps {
  readonly queue: Queue;
  readonly value: (path: string, key: string) => string;
  readonly set: (path: string, key: string, text: string) => void;
}

const OwnFields = ({ queue, value, set }: FieldProps) => (
  <Panel title="Its own settings" aside={<span className="quiet">what is empty is as usual</span>}>
    <div className="fields">
      {ownFields
        .filter(([, , , isOfLeaf]) => queue.isLeaf || !isOfLeaf)
        .map(([key, label, about]) => (
          <label key={key} htmlFor={`own-${key}`}>
            {label}
            {key === 'state' ? (
              <select id={`own-${key}`} value={value(queue.path, key)} onChange={({ target }) => set(queue.path, key, target.value)}>
                <option value="">as the queue above</option>
                <option value="RUNNING">RUNNING</option>
                <option value="STOPPED">STOPPED</option>
              </select>
            ) : (
              <input
                id={`own-${key}`}
                value={value(queue.path, key)}
                maxLength={400}
                onChange={({ target }) => set(queue.path, key, target.value)}
              />
            )}
            <span>{about}</span>
          </label>
        ))}
    </div>
  </Panel>
);

interface SharesProps extends FieldProps {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly onAdd: (path: string) => void;
  readonly onRemove: (path: string) => void;
}

/** Shares of the queues below it; of a leaf those of its siblings, which have to make room. */
function Shares({ queue, added, removed, value, set, onAdd, onRemove }: SharesProps) {
  const [name, setName] = useState('');
  const parent = queue.isLeaf && queue.path !== 'root' ? queue.path.slice(0, queue.path.lastIndexOf('.')) : queue.path;
  const { data: tree } = useQuery(queuesQuery);
  const children = (tree && findQueue(tree, parent)?.children.map(({ path }) => path)) ?? [];
  const paths = [...children, ...added];
  const staying = paths.filter((path) => !removed.includes(path));
  const sum = sumOfShares(staying.map((path) => value(path, 'capacity')));
  const isWrong = sum !== undefined && sum !== 100 && sum !== 0;
  const canAdd = /^[\w-]{1,100}$/.test(name) && !paths.includes(`${parent}.${name}`);
  return (
    <Panel
      title={`Shares below ${parent}`}
      aside={
        sum === undefined ? (
          <span className="quiet">weights or amounts</span>
        ) : (
          <span className={isWrong ? 'is-warning' : 'is-good'}>
            {sum} % of 100 %
            {isWrong
              ? `: ${sum > 100 ? `${Number((sum - 100).toFixed(4))} % too much` : `${Number((100 - sum).toFixed(4))} % are left`}`
              : ''}
          </span>
        )
      }
    >
      <div className="table-frame">
        <table aria-label="Shares">
          <thead>
            <tr>
              <th scope="col">Queue</th>
              <th scope="col">Share</th>
              <th scope="col">At most</th>
              <th scope="col">
                <span className="unseen">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {paths.map((path) => (
              <tr key={path} className={removed.includes(path) ? 'gone' : ''}>
                <td>
                  {path.slice(parent.length + 1)}
                  {added.includes(path) && <span className="tag">new</span>}
                </td>
                {shareKeys.map((key) => (
                  <td key={key}>
                    <input
                      aria-label={`${key === 'capacity' ? 'Share' : 'At most'} of ${path}`}
                      className="share"
                      value={value(path, key)}
                      placeholder={key === 'capacity' ? '0' : '100'}
                      maxLength={200}
                      disabled={removed.includes(path)}
                      onChange={({ target }) => set(path, key, target.value)}
                    />
                  </td>
                ))}
                <td className="number">
                  <button
                    type="button"
                    className="small ghost"
                    onClick={() => onRemove(path)}
                    aria-label={`${removed.includes(path) ? 'Keep' : 'Remove'} ${path}`}
                  >
                    {removed.includes(path) ? 'Keep' : 'Remove'}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="inline add">
        <input
          aria-label="Name of a new queue"
          placeholder="new queue"
          value={name}
          maxLength={100}
          onChange={({ target }) => setName(target.value.trim())}
        />
        <button
          type="button"
          disabled={!canAdd}
          onClick={() => {
            onAdd(`${parent}.${name}`);
            setName('');
          }}
        >
          Add
        </button>
        <span className="quiet">
          Shares are percent (40), weights (3w) or amounts ([memory=8192,vcores=4]). A queue that goes has to be stopped and empty.
        </span>
      </div>
    </Panel>
  );
}
