// The runs of a flow, and the applications of the one that the address names.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { foundOf, infoNumber, infoText, runApplicationsQuery, runsQuery, type Told } from '../api/flows.ts';
import { useSearchState } from '../app/address.ts';
import { counted } from '../format/amounts.ts';
import { Answered, useRows } from '../parts/answered.tsx';
import { Ago, Facts, PageHead, Panel, Span, Status } from '../parts/basics.tsx';
import { type Column, Table } from '../parts/table.tsx';

const runOf = (run: Told) => infoText(run, 'SYSTEM_INFO_FLOW_RUN_ID');

const runColumns: readonly Column<Told>[] = [
  {
    id: 'run',
    title: 'Run',
    cell: (run) => (
      <Link className="id" to="." search={((before: Record<string, string>) => ({ ...before, run: runOf(run) })) as never}>
        {runOf(run)}
      </Link>
    ),
  },
  {
    id: 'version',
    title: 'Version',
    gives: 'soon',
    cell: (run) => infoText(run, 'SYSTEM_INFO_FLOW_VERSION') || <span className="quiet">not told</span>,
  },
  { id: 'began', title: 'Began', cell: ({ createdtime = 0 }) => <Ago ms={createdtime} none="not known" /> },
  {
    id: 'took',
    title: 'Took',
    cell: (run) => {
      const end = infoNumber(run, 'SYSTEM_INFO_FLOW_RUN_END_TIME');
      return end > 0 ? <Span from={run.createdtime ?? 0} to={end} /> : <span className="quiet">has not ended</span>;
    },
  },
];

export default function FlowRuns() {
  const [{ user = '', flow = '', run: named }] = useSearchState();
  const query = useInfiniteQuery(runsQuery(user, flow));
  const { rows: runs, more } = useRows(query, foundOf);
  const run = named ?? (runs[0] && runOf(runs[0]));
  return (
    <>
      <PageHead title={flow} beside={<Link to="/flows">All flows</Link>} />
      <Facts rows={[['User', user]]} />
      <Panel
        title="Runs"
        aside={
          query.data && (
            <span className="quiet">
              {counted(runs.length, 'run')}
              {query.hasNextPage && ' and more'}
            </span>
          )
        }
      >
        <Answered query={query}>
          <Table
            label="Runs"
            columns={runColumns}
            rows={runs}
            rowKey={runOf}
            onEnd={more}
            empty="This flow has not run, or its runs are no longer kept."
          />
        </Answered>
      </Panel>
      {run !== undefined && <Applications key={run} user={user} flow={flow} run={run} />}
    </>
  );
}

const applicationColumns: readonly Column<Told>[] = [
  {
    id: 'application',
    title: 'Application',
    cell: ({ id }) => (
      <Link className="id" to="/flows/application" search={{ id } as never}>
        {id}
      </Link>
    ),
  },
  { id: 'name', title: 'Name', gives: 'soon', cell: (app) => infoText(app, 'YARN_APPLICATION_NAME') },
  {
    id: 'state',
    title: 'State',
    cell: (app) => {
      const [state, outcome] = [infoText(app, 'YARN_APPLICATION_STATE'), infoText(app, 'YARN_APPLICATION_FINAL_STATUS')];
      return state === '' ? (
        <span className="quiet">not told</span>
      ) : (
        <Status state={state === 'FINISHED' && outcome !== '' ? outcome : state} />
      );
    },
  },
  { id: 'began', title: 'Began', cell: ({ createdtime = 0 }) => <Ago ms={createdtime} none="not known" /> },
];

function Applications({ user, flow, run }: { readonly user: string; readonly flow: string; readonly run: string }) {
  const query = useInfiniteQuery(runApplicationsQuery(user, flow, run));
  const { rows, more } = useRows(query, foundOf);
  return (
    <Panel title={`Applications of run ${run}`}>
      <Answered query={query}>
        <Table
          label="Applications"
          columns={applicationColumns}
          rows={rows}
          rowKey={({ id }) => id}
          onEnd={more}
          empty="No application of this run is known."
        />
      </Answered>
    </Panel>
  );
}
