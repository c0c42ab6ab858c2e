// Flows that version 2 of the timeline was told of: pieces of work that run again and again, by the days on which they ran.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { flowsQuery, foundOf, infoNumber, infoText, type Told } from '../api/flows.ts';
import { ApiFailure } from '../api/http.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { daysOf, rangeOf } from '../format/days.ts';
import { Answered, useRows } from '../parts/answered.tsx';
import { PageHead } from '../parts/basics.tsx';
import { Filter } from '../parts/filter.tsx';
import { type Column, Table } from '../parts/table.tsx';

const columns: readonly Column<Told>[] = [
  {
    id: 'flow',
    title: 'Flow',
    cell: (flow) => {
      const [user, name] = [infoText(flow, 'SYSTEM_INFO_USER'), infoText(flow, 'SYSTEM_INFO_FLOW_NAME')];
      return (
        <Link to="/flows/runs" search={{ user, flow: name } as never}>
          {name}
        </Link>
      );
    },
  },
  { id: 'user', title: 'User', cell: (flow) => infoText(flow, 'SYSTEM_INFO_USER') },
  {
    id: 'day',
    title: 'Day',
    cell: (flow) => <span className="span">{new Date(infoNumber(flow, 'SYSTEM_INFO_DATE')).toISOString().slice(0, 10)}</span>,
  },
  { id: 'runs', title: 'Runs', isNumber: true, cell: ({ flowruns = [] }) => flowruns.length },
];

export default function Flows() {
  const [search, setSearch] = useSearchState();
  const query = useInfiniteQuery(flowsQuery(search['daterange']));
  const { data, hasNextPage, error } = query;
  const { rows: flows, more } = useRows(query, foundOf);
  const isServed = !(error instanceof ApiFailure && error.status === 404);
  return (
    <>
      <PageHead title="Flows" />
      {isServed ? (
        <>
          <div className="inline">
            <Filter
              fields={[
                { name: 'from', label: 'From the day', isDay: true },
                { name: 'to', label: 'To the day', isDay: true },
              ]}
              values={daysOf(search['daterange'])}
              onChange={(change) => setSearch({ daterange: rangeOf({ ...daysOf(search['daterange']), ...change }) })}
            />
            {data && (
              <span className="quiet" role="status">
                {hasNextPage
                  ? `the newest ${counted(flows.length, 'day of a flow', 'days of flows')}; scroll for more`
                  : counted(flows.length, 'day of a flow', 'days of flows')}
              </span>
            )}
          </div>
          <Answered query={query}>
            <Table
              label="Flows"
              columns={columns}
              rows={flows}
              rowKey={({ id }) => id}
              onEnd={more}
              empty="No flow ran in these days."
              leads
            />
          </Answered>
        </>
      ) : (
        <p className="empty">
          This server keeps no flows: they are told to version 2 of the timeline, which yarn.timeline-service.versions names where it is
          wanted.
        </p>
      )}
    </>
  );
}
