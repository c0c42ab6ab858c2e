// The settings that a job ran with, searched by name and value.

import { useMemo } from 'react';
import { configurationQuery, type Job, type JobSource, type Property } from '../api/jobs.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { Loading, Problem } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';

const columns: readonly Column<Property>[] = [
  { id: 'name', title: 'Setting', sort: (a, b) => a.name.localeCompare(b.name), cell: ({ name }) => <code>{name}</code> },
  {
    id: 'value',
    title: 'Value',
    sort: (a, b) => (a.value ?? '').localeCompare(b.value ?? ''),
    cell: ({ value }) => (value ? <span className="value">{value}</span> : <span className="quiet">empty</span>),
  },
];

export function JobSettings({ source }: { readonly source: JobSource; readonly job: Job }) {
  const { data: properties, error, refetch } = useAnswer(configurationQuery(source));
  const [{ find = '' }, setSearch] = useSearchState();
  const shown = useMemo(() => {
    const wanted = find.toLowerCase();
    return (properties ?? [])
      .filter(({ name, value = '' }) => wanted === '' || name.toLowerCase().includes(wanted) || value.toLowerCase().includes(wanted))
      .toSorted((a, b) => a.name.localeCompare(b.name));
  }, [properties, find]);
  if (error && !properties) return <Problem error={error} retry={() => void refetch()} />;
  if (!properties) return <Loading />;
  return (
    <>
      <search className="filter">
        <input
          type="search"
          aria-label="Name or value"
          placeholder="Name or value"
          value={find}
          maxLength={100}
          onChange={(event) => setSearch({ find: event.target.value || undefined })}
        />
        <span className="quiet" role="status">
          {counted(shown.length, 'setting')}
        </span>
      </search>
      <div className="wraps">
        <Table
          label="Settings"
          columns={columns}
          rows={shown}
          rowKey={({ name }) => name}
          empty="No setting has that in its name or value."
        />
      </div>
    </>
  );
}
