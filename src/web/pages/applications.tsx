// All applications: filtered, sorted and paged by the server, with filter and order in the address.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ApplicationCounts } from '../../wire/cluster/own-answers.ts';
import { type ApplicationFilter, type ApplicationPage, applicationCountsQuery, applicationsQuery } from '../api/cluster.ts';
import { getJson, queryText } from '../api/http.ts';
import { useSearchState } from '../app/address.ts';
import { count, counted } from '../format/amounts.ts';
import { Answered, useRows } from '../parts/answered.tsx';
import { ApplicationTable } from '../parts/application-table.tsx';
import { PageHead } from '../parts/basics.tsx';
import { Facet, type FacetValue } from '../parts/facet.tsx';
import { Filter } from '../parts/filter.tsx';
import { KeptFilters } from '../parts/kept-filters.tsx';
import { mostChosen, SelectionBar, useSelection, useSelectionColumn } from '../parts/selection.tsx';

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

/** What else is chosen by, with where its choices are counted. */
const facets = [
  { name: 'user', label: 'User', of: 'users' },
  { name: 'queue', label: 'Queue', of: 'queues' },
  { name: 'applicationTypes', label: 'Type', of: 'types' },
] as const;

/** How many each state choice has, by its word. */
function numbersOf({ states, finalStatuses }: ApplicationCounts): Readonly<Record<string, number>> {
  const sum = (values: ApplicationCounts['states']['values'], names: readonly string[]) =>
    values.reduce((all, { name, count }) => all + (names.includes(name) ? count : 0), 0);
  return Object.fromEntries(
    stateChoices.map(([value, word, of]) => [
      word,
      value === ''
        ? states.values.reduce((all, { count }) => all + count, 0)
        : sum(of === undefined ? states.values : finalStatuses.values, value.split(',')),
    ]),
  );
}

const applicationsOf = ({ applications }: ApplicationPage) => applications;

const NothingYet = () => (
  <>
    Nobody has submitted anything yet. <Link to="/submit">Submit a command</Link> here, or say <code>heddle run -- echo hello</code> in a
    terminal.
  </>
);

const livingStates = ['NEW', 'NEW_SAVING', 'SUBMITTED', 'ACCEPTED', 'RUNNING'] as const;

/** Those that pass a filter and have not ended, as many as are chosen at once, in the order of the list. */
async function livingOf(filter: ApplicationFilter) {
  const asked = filter.states?.split(',');
  const states = livingStates.filter((state) => asked === undefined || asked.includes(state)).join(',');
  const { applications, next } = await getJson<ApplicationPage>(
    `api/v1/applications${queryText({ ...filter, states, limit: mostChosen, fields: 'id,name,user,queue,state' })}`,
  );
  return { found: applications, more: next !== undefined };
}

export default function Applications() {
  const [search, setSearch] = useSearchState();
  const { states, finalStatus, user, queue, applicationTags, find, applicationTypes, sort = usualSort } = search;
  const filter = useMemo(
    () => ({ states, finalStatus, user, queue, applicationTags, find, applicationTypes, sort }),
    [states, finalStatus, user, queue, applicationTags, find, applicationTypes, sort],
  );
  // Of what is searched for by text nobody has counted.
  const isSearched = find !== undefined || applicationTags !== undefined;
  const chosen = useMemo(
    () => ({ states, finalStatus, user, queue, applicationTypes }),
    [states, finalStatus, user, queue, applicationTypes],
  );
  const { data: counts } = useQuery(applicationCountsQuery(chosen));
  const query = useInfiniteQuery(applicationsQuery(filter));
  const { data, hasNextPage } = query;
  const { rows: applications, more } = useRows(query, applicationsOf);
  const [chosenRows, setChosenRows] = useSelection(JSON.stringify({ ...filter, sort: '' }), applications);
  const choice = useSelectionColumn(applications, chosenRows, setChosenRows);
  const isFiltered = [states, finalStatus, user, queue, applicationTags, find, applicationTypes].some((value) => value !== undefined);
  return (
    <>
      <PageHead
        title="Applications"
        beside={
          data && (
            <span className="quiet">
              {hasNextPage
                ? `the first ${counted(applications.length, 'application')}${isSearched || !counts ? '' : ` of ${count(counts.total)}`}; scroll for more`
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
        choices={{ name: 'states', label: 'State', options: stateChoices, counts: isSearched || !counts ? undefined : numbersOf(counts) }}
        facets={{
          names: facets.map(({ name }) => name),
          shown: facets.map(({ name, label, of }) => (
            <Facet
              key={name}
              label={label}
              chosen={search[name]}
              values={counts?.[of].values.map((value): FacetValue => ({ ...value, count: isSearched ? undefined : value.count })) ?? []}
              more={counts?.[of].more ?? 0}
              onChange={(next) => setSearch({ [name]: next })}
            />
          )),
        }}
        fields={[
          { name: 'find', label: 'Name or id', isSearch: true },
          { name: 'applicationTags', label: 'Tag' },
        ]}
        values={search}
        onChange={setSearch}
      />
      <KeptFilters list="applications" names={filterNames} values={search} onChange={setSearch} />
      <SelectionBar chosen={chosenRows} onChange={setChosenRows} findAll={() => livingOf(filter)} />
      <Answered query={query}>
        <ApplicationTable
          label="Applications"
          applications={applications}
          choice={choice}
          sort={sort}
          onSort={(next) => setSearch({ sort: next === usualSort ? undefined : next })}
          onEnd={more}
          empty={isFiltered ? 'No application passes the filter.' : <NothingYet />}
        />
      </Answered>
    </>
  );
}
