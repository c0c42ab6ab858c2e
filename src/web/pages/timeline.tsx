// What was published to the timeline: types, the entities of one, filtered by what the address says.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Entity, entitiesQuery, typesQuery } from '../api/timeline.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { Answered, useRows } from '../parts/answered.tsx';
import { Ago, PageHead } from '../parts/basics.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Filter } from '../parts/filter.tsx';
import { Loading } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import '../timeline/timeline.css';

export default function Timeline() {
  const { data: types, error, refetch } = useAnswer(typesQuery);
  const [search, setSearch] = useSearchState();
  if (error) return <FailedPage title="Timeline" error={error} retry={() => void refetch()} />;
  if (!types) return <Loading />;
  const type = types.find((each) => each === search['type']) ?? types[0];
  return (
    <>
      <PageHead title="Timeline" beside={<span className="quiet">{counted(types.length, 'type')} of entities</span>} />
      {type === undefined ? (
        <p className="empty">Nobody has published anything that you may see.</p>
      ) : (
        <>
          <fieldset className="choices types">
            <legend className="unseen">Type</legend>
            {types.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={each === type}
                onClick={() => setSearch({ type: each, primaryFilter: undefined, secondaryFilter: undefined })}
              >
                {each}
              </button>
            ))}
          </fieldset>
          <Entities key={type} type={type} />
        </>
      )}
    </>
  );
}

const columns: readonly Column<Entity>[] = [
  {
    id: 'entity',
    title: 'Entity',
    cell: ({ entitytype, entity }) => (
      <Link className="id" to="/timeline/entity" search={{ type: entitytype, id: entity } as never}>
        {entity}
      </Link>
    ),
  },
  {
    id: 'event',
    title: 'Last event',
    gives: 'first',
    cell: ({ events = [] }) => events[0]?.eventtype ?? <span className="quiet">none</span>,
  },
  {
    id: 'filters',
    title: 'Filters',
    shortens: true,
    gives: 'soon',
    cell: ({ primaryfilters = {} }) => (
      <span className="name">
        {Object.entries(primaryfilters).flatMap(([name, values]) =>
          values.map((value) => (
            <Link
              key={`${name} ${String(value)}`}
              className="tag"
              to="."
              search={((before: Record<string, string>) => ({ ...before, primaryFilter: filterText(name, value) })) as never}
            >
              {name}: {String(value)}
            </Link>
          )),
        )}
      </span>
    ),
  },
  { id: 'started', title: 'Began', cell: ({ starttime }) => <Ago ms={starttime} none="not known" /> },
];

/** Values are read as JSON first: a text that would be something else is quoted. */
function filterText(name: string, value: unknown): string {
  const text = String(value);
  return `${name}:${typeof value === 'string' && /^(?:[\d.+-].*|true|false|null|["[{].*)$/.test(text) ? JSON.stringify(value) : text}`;
}

const entitiesOf = ({ entities }: { readonly entities: readonly Entity[] }) => entities;

function Entities({ type }: { readonly type: string }) {
  const [search, setSearch] = useSearchState();
  const { primaryFilter, secondaryFilter } = search;
  const filter = useMemo(() => ({ primaryFilter, secondaryFilter }), [primaryFilter, secondaryFilter]);
  const query = useInfiniteQuery(entitiesQuery(type, filter));
  const { data, hasNextPage } = query;
  const { rows: entities, more } = useRows(query, entitiesOf);
  return (
    <>
      <div className="inline">
        <Filter
          fields={[
            { name: 'primaryFilter', label: 'Filter, name:value', isSearch: true },
            { name: 'secondaryFilter', label: 'Info, name:value' },
          ]}
          values={search}
          onChange={setSearch}
        />
        {data && (
          <span className="quiet" role="status">
            {hasNextPage
              ? `the newest ${counted(entities.length, 'entity', 'entities')}; scroll for more`
              : counted(entities.length, 'entity', 'entities')}
          </span>
        )}
      </div>
      <Answered query={query}>
        <Table
          label="Entities"
          columns={columns}
          rows={entities}
          rowKey={({ entity }) => entity}
          onEnd={more}
          empty="No entity of this type passes the filter."
        />
      </Answered>
    </>
  );
}
