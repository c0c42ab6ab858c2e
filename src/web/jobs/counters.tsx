// The counters of a job in their groups: of all tasks, of maps, of reduces; searched by name.

import { type Counter, countersQuery, type Job, type JobSource } from '../api/jobs.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { bytes, count } from '../format/amounts.ts';
import { counterWord, groupWord } from '../format/jobs.ts';
import { duration } from '../format/times.ts';
import { Panel } from '../parts/basics.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';

/** A counter's number with its unit, as far as its name tells one. */
export function counterAmount(name: string, value: number): string {
  if (/BYTES/.test(name) && !/RECORDS/.test(name)) return bytes(value);
  // Products with memory are in no unit that people count in.
  if (/MILLIS|_MS$/.test(name) && !/^MB_/.test(name)) return duration(value);
  return count(value);
}

const Value = ({ name, value }: { readonly name: string; readonly value: number | undefined }) =>
  value === undefined || value === 0 ? <span className="quiet">0</span> : <span title={count(value)}>{counterAmount(name, value)}</span>;

const columns: readonly Column<Counter>[] = [
  {
    id: 'name',
    title: 'Counter',
    sort: (a, b) => a.name.localeCompare(b.name),
    cell: ({ name }) => <span title={name}>{counterWord(name)}</span>,
  },
  {
    id: 'map',
    title: 'Maps',
    isNumber: true,
    gives: 'first',
    sort: (a, b) => (a.map ?? 0) - (b.map ?? 0),
    cell: ({ name, map }) => <Value name={name} value={map} />,
  },
  {
    id: 'reduce',
    title: 'Reduces',
    isNumber: true,
    gives: 'first',
    sort: (a, b) => (a.reduce ?? 0) - (b.reduce ?? 0),
    cell: ({ name, reduce }) => <Value name={name} value={reduce} />,
  },
  {
    id: 'total',
    title: 'Total',
    isNumber: true,
    sort: (a, b) => a.total - b.total,
    cell: ({ name, total }) => <Value name={name} value={total} />,
  },
];

export function Counters({ source }: { readonly source: JobSource; readonly job: Job }) {
  const { data: groups, error, refetch } = useAnswer(countersQuery(source));
  const [{ find = '' }, setSearch] = useSearchState();
  if (error && !groups) return <Problem error={error} retry={() => void refetch()} />;
  if (!groups) return <Loading />;
  const wanted = find.toLowerCase();
  const shown = groups
    .map(({ name, counters }) => ({
      name,
      counters: counters.filter(
        (each) => wanted === '' || `${each.name} ${counterWord(each.name)} ${groupWord(name)}`.toLowerCase().includes(wanted),
      ),
    }))
    .filter(({ counters }) => counters.length > 0);
  return (
    <>
      <search className="filter">
        <input
          type="search"
          aria-label="Counter or group"
          placeholder="Counter or group"
          value={find}
          maxLength={100}
          onChange={(event) => setSearch({ find: event.target.value || undefined })}
        />
      </search>
      {shown.length === 0 && <p className="empty">{groups.length === 0 ? 'Nothing was counted yet.' : 'No counter has such a name.'}</p>}
      <div className="counters">
        {shown.map(({ name, counters }) => (
          <Panel key={name} title={groupWord(name)} aside={<span className="id quiet">{name}</span>}>
            <Table label={groupWord(name)} columns={columns} rows={counters} rowKey={(each) => each.name} empty="None." />
          </Panel>
        ))}
      </div>
    </>
  );
}
