// One application as version 2 of the timeline was told of it, and its entities by their types.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { entityTypesQuery, foundOf, infoText, type Told, toldApplicationQuery, toldEntitiesQuery } from '../api/flows.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { Answered, useRows } from '../parts/answered.tsx';
import { Ago, Copy, PageHead, Panel } from '../parts/basics.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Loading } from '../parts/problem.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { ToldParts } from '../timeline/told.tsx';
import '../timeline/timeline.css';

export default function FlowApplication() {
  const [{ id = '' }] = useSearchState();
  const { data: application, error, refetch } = useAnswer(toldApplicationQuery(id));
  if (error && !application)
    return <FailedPage title={id} error={error} retry={() => void refetch()} list={{ to: '/flows', title: 'All flows' }} />;
  if (!application) return <Loading />;
  return (
    <>
      <PageHead title={infoText(application, 'YARN_APPLICATION_NAME') || id} beside={<Copy text={id} />}>
        <Link className="button" to={`/history/${id}`}>
          Application history
        </Link>
      </PageHead>
      <Entities application={id} />
      <ToldParts told={application} />
    </>
  );
}

const columns: readonly Column<Told>[] = [
  {
    id: 'entity',
    title: 'Entity',
    cell: (entity) => (
      <Link className="id" to="/flows/entity" search={{ uid: infoText(entity, 'UID') } as never}>
        {entity.id}
      </Link>
    ),
  },
  {
    id: 'event',
    title: 'Last event',
    gives: 'first',
    cell: ({ events = [] }) => events.toSorted((a, b) => b.timestamp - a.timestamp)[0]?.id ?? <span className="quiet">none</span>,
  },
  { id: 'created', title: 'Began', cell: ({ createdtime = 0 }) => <Ago ms={createdtime} none="not known" /> },
];

function Entities({ application }: { readonly application: string }) {
  const [search, setSearch] = useSearchState();
  const { data: types = [] } = useQuery(entityTypesQuery(application));
  const type = types.find((each) => each === search['type']) ?? types[0];
  return (
    <Panel title="Entities" aside={<span className="quiet">{counted(types.length, 'type')}</span>}>
      {type === undefined ? (
        <p className="empty">Nothing was published within this application.</p>
      ) : (
        <>
          <fieldset className="choices types">
            <legend className="unseen">Type</legend>
            {types.map((each) => (
              <button key={each} type="button" aria-pressed={each === type} onClick={() => setSearch({ type: each })}>
                {each}
              </button>
            ))}
          </fieldset>
          <EntitiesOfType key={type} application={application} type={type} />
        </>
      )}
    </Panel>
  );
}

function EntitiesOfType({ application, type }: { readonly application: string; readonly type: string }) {
  const query = useInfiniteQuery(toldEntitiesQuery(application, type));
  const { rows, more } = useRows(query, foundOf);
  return (
    <Answered query={query}>
      <Table
        label="Entities"
        columns={columns}
        rows={rows}
        rowKey={(entity) => infoText(entity, 'UID')}
        onEnd={more}
        empty="There is no entity of this type."
      />
    </Answered>
  );
}
