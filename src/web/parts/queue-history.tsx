// What was changed of the queues, by whom and when.

import { queueHistoryQuery } from '../api/queues.ts';
import { useAnswer } from '../api/use-answer.ts';
import { counted } from '../format/amounts.ts';
import { type KeyDifference, prefix } from '../format/queue-change.ts';
import { Ago, Empty, Panel } from './basics.tsx';
import { Loading, Problem } from './problem.tsx';
import './queue-history.css';

/** Keys with what they were and are. */
export const Differences = ({ keys }: { readonly keys: readonly KeyDifference[] }) => (
  <ul className="differences">
    {keys.map(({ key, before, after }) => (
      <li key={key}>
        <code>{key.startsWith(prefix) ? key.slice(prefix.length) : key}</code>
        <span className="quiet">{before ?? 'not set'}</span> → <b>{after ?? 'not set'}</b>
      </li>
    ))}
  </ul>
);

/** Changes that touch a queue or one below it; `root`: all. */
export function QueueHistory({ below }: { readonly below: string }) {
  const { data: changes, error } = useAnswer(queueHistoryQuery);
  if (error) return <Problem error={error} />;
  const own = `${prefix}${below}.`;
  const found = (changes ?? [])
    .map((entry) => ({ ...entry, keys: entry.keys.filter(({ key }) => below === 'root' || key.startsWith(own)) }))
    .filter(({ keys }) => keys.length > 0);
  return (
    <Panel title="What was changed">
      {!changes ? (
        <Loading />
      ) : found.length === 0 ? (
        <Empty>Nobody has changed {below === 'root' ? 'the queues' : 'this queue'} while the cluster ran.</Empty>
      ) : (
        <ol className="history">
          {found.slice(0, 20).map(({ version, atMs, user, keys, left }) => (
            <li key={`${version} ${atMs}`}>
              <p>
                <b>{user === '' ? 'a caller without a name' : user}</b> <Ago ms={atMs} /> <span className="quiet">version {version}</span>
              </p>
              <Differences keys={keys.map(({ key, before, after }) => ({ key, before, after }))} />
              {left > 0 && <p className="quiet">and {counted(left, 'more key')}</p>}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}
