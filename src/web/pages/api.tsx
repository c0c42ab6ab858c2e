// What this server answers, for people: `/openapi.json` part by part, searchable; each operation with its parameters, bodies, answers,
// examples, and a form that asks for it.

import { useMemo } from 'react';
import { serverAddress } from '../api/base.ts';
import { getJson } from '../api/http.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { byPart, type Document, type Endpoint, endpointsOf, hasWords } from '../format/open-api.ts';
import { OperationDetail } from '../interface/operation.tsx';
import { Empty, PageHead, Panel, Sentence } from '../parts/basics.tsx';
import { FailedPage } from '../parts/failed-page.tsx';
import { Filter } from '../parts/filter.tsx';
import { Loading } from '../parts/problem.tsx';
import './api.css';

export default function Interface() {
  const [search, setSearch] = useSearchState();
  // Pages of masters run no scripts: what a master answers is looked at here, through the proxy.
  const master = /^application_\d{1,20}_\d{1,20}$/.exec(search['master'] ?? '')?.[0];
  const before = master === undefined ? '' : `proxy/${master}/`;
  const { data, error } = useAnswer({
    queryKey: ['interface', before],
    queryFn: ({ signal }) => getJson<Document>(`${before}openapi.json`, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  const endpoints = useMemo(
    () =>
      data
        ? endpointsOf(data).map((endpoint) => (before === '' ? endpoint : { ...endpoint, path: `/${before.slice(0, -1)}${endpoint.path}` }))
        : [],
    [data, before],
  );
  if (error) return <FailedPage title="Interface" error={error} />;
  if (!data) return <Loading />;
  const open = search['operation'];
  const shown = endpoints.filter((endpoint) => hasWords(endpoint, search['search'] ?? '') || endpoint.operation.operationId === open);
  return (
    <>
      <PageHead title="Interface" beside={<span className="quiet">{counted(shown.length, 'operation')}</span>}>
        <a className="button" href={serverAddress(`${before}openapi.json`)}>
          openapi.json
        </a>
      </PageHead>
      <p className="quiet">
        {data.info.title}
        {master !== undefined && ` of ${master}`}. <Sentence text={data.info.description} />
      </p>
      <Filter fields={[{ name: 'search', label: 'Search', isSearch: true }]} values={search} onChange={setSearch} />
      {shown.length === 0 && <Empty>No operation has these words.</Empty>}
      {byPart(shown).map(([part, within]) => (
        <Panel key={part} title={part} aside={<span className="quiet">{counted(within.length, 'operation')}</span>}>
          <ul className="methods">
            {within.map((endpoint) => (
              <Row
                key={endpoint.operation.operationId}
                document={data}
                endpoint={endpoint}
                isOpen={endpoint.operation.operationId === open}
                onToggle={(id) => setSearch({ operation: id })}
              />
            ))}
          </ul>
        </Panel>
      ))}
    </>
  );
}

/** An operation in a line, and in full below it once a reader wants that. */
function Row({
  document,
  endpoint,
  isOpen,
  onToggle,
}: {
  readonly document: Document;
  readonly endpoint: Endpoint;
  readonly isOpen: boolean;
  readonly onToggle: (id: string | undefined) => void;
}) {
  const { method, path, operation } = endpoint;
  return (
    <li>
      <button
        type="button"
        className="operation-head"
        aria-expanded={isOpen}
        onClick={() => onToggle(isOpen ? undefined : operation.operationId)}
      >
        <b className={`method is-${method.toLowerCase()}`}>{method}</b>
        <code>{path}</code>
        <span className="quiet">
          <Sentence text={operation.summary} />
        </span>
      </button>
      {isOpen && <OperationDetail document={document} endpoint={endpoint} />}
    </li>
  );
}
