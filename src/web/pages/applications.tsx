// All applications: filtered, sorted and paged by the server, with filter and order in the address.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type ApplicationPage, applicationsQuery } from '../api/cluster.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { Answered, useRows } from '../parts/answered.tsx';
import { ApplicationTable } from '../parts/application-table.tsx';
import { PageHead } from '../parts/basics.tsx';
import { Filter } from '../parts/filter.tsx';
import { KeptFilters } from '../parts/kept-filters.tsx';

/** States that people ask for, with the word for each. How one ended is its final status: one whose master says that it failed is FINISHED. */
const stateChoices = [
  ['', 'all'],
  ['RUNNING', 'running'],
  ['NEW,NEW_SAVING,SUBMITTED,ACCEPTED', 'waiting'],
  ['FINISHED,FAILED,KILLED', 'ended'],
  ['SUCCEEDED', 'succeeded', 'finalStatus'],
  ['FAILED', 'failed', 'finalStatus'],
  ['KILLED', 'killed', 'finalStatus'],
] as const;
const usualSort = '-startedTime';
const filterNames = ['states', 'finalStatus', 'user', 'queue', 'applicationTags', 'find', 'applicationTypes'];

const applicationsOf = ({ applications }: ApplicationPage) => applications;

const NothingYet = () => (
  <>
    Nobody has submitted anything yet. <Link to="/submit">Submit a command</Link> here, or say <code>heddle run -- echo hello</code> in a
    terminal.
  </>
);

export default function Applications() {
  const [search, setSearch] = useSearchState();
  const { states, finalStatus, user, queue, applicationTags, find, applicationTypes, sort = usualSort } = search;
  const filter = useMemo(
    () => ({ states, finalStatus, user, queue, applicationTags, find, applicationTypes, sort }),
    [states, finalStatus, user, queue, applicationTags, find, applicationTypes, sort],
  );
  const query = useInfiniteQuery(applicationsQuery(filter));
  const { data, hasNextPage } = query;
  const { rows: applications, more } = useRows(query, applicationsOf);
  const isFiltered = [states, finalStatus, user, queue, applicationTags, find, applicationTypes].some((value) => value !== undefined);
  return (
    <>
      <PageHead
        title="Applications"
        beside={
          data && (
            <span className="quiet">
              {hasNextPage
                ? `the first ${counted(applications.length, 'application')}; scroll for more`
                : counted(applications.length, 'application')}
            </span>
          )
        }
      >
        <Link className="button primary" to="/submit">
          Submit
        </Link>
      </PageHead>
      <Filter
        choices={{ name: 'states', label: 'State', options: stateChoices }}
        fields={[
          { name: 'find', label: 'Name or id', isSearch: true },
          { name: 'user', label: 'User' },
          { name: 'queue', label: 'Queue' },
          { name: 'applicationTags', label: 'Tag' },
        ]}
        values={search}
        onChange={setSearch}
      />
      <KeptFilters list="applications" names={filterNames} values={search} onChange={setSearch} />
      <Answered query={query}>
        <ApplicationTable
          label="Applications"
          applications={applications}
          sort={sort}
          onSort={(next) => setSearch({ sort: next === usualSort ? undefined : next })}
          onEnd={more}
          empty={isFiltered ? 'No application passes the filter.' : <NothingYet />}
        />
      </Answered>
    </>
  );
}
