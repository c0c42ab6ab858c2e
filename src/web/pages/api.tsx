// What this server answers, for people: `/openapi.json` as a list that can be searched.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { serverAddress } from '../api/base.ts';
import { getJson } from '../api/http.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { Empty, PageHead, Panel } from '../parts/basics.tsx';
import { Filter } from '../parts/filter.tsx';
import { Loading, Problem } from '../parts/problem.tsx';
import './api.css';

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly {
    readonly name?: string;
    readonly in?: string;
    readonly required?: boolean;
    readonly description?: string;
    readonly $ref?: string;
  }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, unknown>> };
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
}
interface Described {
  readonly info: { readonly title: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

export default function Interface() {
  const [search, setSearch] = useSearchState();
  const wanted = (search['search'] ?? '').toLowerCase();
  const { data, error } = useQuery({
    queryKey: ['interface'],
    queryFn: ({ signal }) => getJson<Described>('openapi.json', signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  const operations = useMemo(
    () =>
      Object.entries(data?.paths ?? {}).flatMap(([path, described]) =>
        methods.flatMap((method) => (described[method] ? [{ method: method.toUpperCase(), path, operation: described[method] }] : [])),
      ),
    [data],
  );
  const shown = operations.filter(({ method, path, operation }) =>
    `${method} ${path} ${operation.summary ?? ''}`.toLowerCase().includes(wanted),
  );
  if (error) return <Problem error={error} />;
  if (!data) return <Loading />;
  return (
    <>
      <PageHead title="Interface" beside={<span className="quiet">{counted(shown.length, 'operation')}</span>}>
        <a className="button" href={serverAddress('openapi.json')}>
          openapi.json
        </a>
      </PageHead>
      <Filter fields={[{ name: 'search', label: 'Search', isSearch: true }]} values={search} onChange={setSearch} />
      <Panel title={data.info.title}>
        {shown.length === 0 ? (
          <Empty>No operation has these words.</Empty>
        ) : (
          <ul className="methods">
            {shown.map(({ method, path, operation }) => (
              <li key={`${method} ${path}`}>
                <b>{method}</b>
                <code>{path}</code>
                <p>
                  {operation.summary ?? operation.description}
                  <More operation={operation} />
                </p>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}

/** Parameters of the operation's own, what its body may be, and what it answers. */
function More({ operation: { parameters = [], requestBody, responses = {} } }: { readonly operation: Operation }) {
  const own = parameters.filter(({ name, in: place }) => name !== undefined && place === 'query');
  const bodies = Object.keys(requestBody?.content ?? {});
  const statuses = Object.keys(responses);
  return (
    <span className="quiet">
      {own.length > 0 && <> · {own.map(({ name }) => name).join(', ')}</>}
      {bodies.length > 0 && <> · takes {bodies.join(', ')}</>}
      {statuses.length > 0 && <> · {statuses.join(', ')}</>}
    </span>
  );
}
