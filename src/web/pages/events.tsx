// What happened in the cluster within the last hour, the latest first: live, by kind, user and queue.
import { useQuery } from '@tanstack/react-query';
import { clusterEventsQuery, mostEvents } from '../api/cluster-events.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { Answered } from '../parts/answered.tsx';
import { PageHead } from '../parts/basics.tsx';
import { EventTable } from '../parts/event-list.tsx';
import { Filter } from '../parts/filter.tsx';
import { KeptFilters } from '../parts/kept-filters.tsx';

const kinds = [
  ['', 'all'],
  ['application', 'applications'],
  ['attempt,container', 'containers'],
  ['node', 'nodes'],
] as const;

const filterNames = ['kind', 'user', 'queue', 'node'];

export default function Events() {
  const [search, setSearch] = useSearchState();
  const { kind, user, queue, node } = search;
  const query = useQuery(clusterEventsQuery({ kind, user, queue, node }));
  const events = query.data?.events ?? [];
  return (
    <>
      <PageHead
        title="Events"
        beside={
          query.data && (
            <span className="quiet">
              {events.length === mostEvents ? `the newest ${counted(mostEvents, 'event')}` : counted(events.length, 'event')} of the last
              hour
            </span>
          )
        }
      />
      <Filter
        choices={{ name: 'kind', label: 'Kind', options: kinds }}
        fields={[
          { name: 'user', label: 'User' },
          { name: 'queue', label: 'Queue' },
          { name: 'node', label: 'Node' },
        ]}
        values={search}
        onChange={setSearch}
      />
      <KeptFilters list="events" names={filterNames} values={search} onChange={setSearch} />
      <Answered query={query}>
        <EventTable events={events} empty="Nothing of this kind happened within the last hour." />
      </Answered>
    </>
  );
}
