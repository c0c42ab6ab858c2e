// A container on its node: how it is, and what it writes. The end of a log follows what is written.

import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { otherServer } from '../api/base.ts';
import { useCaller } from '../api/frame.ts';
import { containerLogsQuery, logTextQuery, ownContainersQuery, shownBytes } from '../api/node-server.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { later } from '../app/later.tsx';
import { bytes, memory, vcores } from '../format/amounts.ts';
import { Empty, Facts, PageHead, Panel, Status } from '../parts/basics.tsx';
import { ContainerFiles } from '../parts/container-files.tsx';
import { useEndInView } from '../parts/end-in-view.ts';
import { Loading, Problem } from '../parts/problem.tsx';
import { ContainerUse } from '../parts/use.tsx';
import './node-container.css';

const Shell = later(() => import('../parts/shell.tsx'));

/** `container_[e1_]1700000000000_0001_01_000001` is one of `application_1700000000000_0001`. */
const applicationOf = (id: string): string => id.replace(/^container_(?:e\d{1,9}_)?(\d{1,20}_\d{1,20})_.*$/, 'application_$1');
/** What people look for first. */
const usual = ['stderr', 'stdout', 'syslog', 'prelaunch.err'];

export default function NodeContainerPage() {
  const { container: id = '' } = useParams({ strict: false }) as { container?: string };
  const [search, setSearch] = useSearchState();
  const { data: containers } = useQuery(ownContainersQuery);
  const { data: logs, error } = useAnswer(containerLogsQuery(id));
  const manager = useCaller()?.servers['resource-manager'];
  const application = manager && `${otherServer(manager)}/ui/applications/${applicationOf(id)}`;
  const container = containers?.find((each) => each.id === id);
  // What a shell wrote stays when the container has ended.
  const [hasRun, setHasRun] = useState(false);
  if (container?.state === 'RUNNING' && !hasRun) setHasRun(true);
  const written = logs?.filter((each) => each.bytes > 0);
  const file = search['file'] ?? usual.find((name) => written?.some((each) => each.name === name)) ?? written?.[0]?.name ?? logs?.[0]?.name;
  return (
    <>
      <PageHead
        title={id}
        beside={container ? <Status state={container.state} /> : containers && <span className="quiet">not running any more</span>}
      >
        {application !== undefined && (
          <a className="button" href={application}>
            Its application
          </a>
        )}
        {application !== undefined && container?.state === 'RUNNING' && (
          <a className="button" href={`${application}?tab=containers&signal=${id}`}>
            Stop …
          </a>
        )}
      </PageHead>
      {container && (
        <Panel title="What it is">
          <Facts
            rows={[
              ['User', container.user],
              ['Size', `${memory(container.totalMemoryNeededMB)}, ${vcores(container.totalVCoresNeeded)}`],
              ['Type', container.executionType.toLowerCase()],
              ...(container.diagnostics === '' ? [] : [['Says', container.diagnostics] as const]),
            ]}
          />
        </Panel>
      )}
      {container && <ContainerUse id={id} />}
      {hasRun && <Shell key={id} containerId={id} />}
      {container?.state === 'RUNNING' ? (
        <ContainerFiles key={`files of ${id}`} containerId={id} />
      ) : (
        containers && <p className="quiet">Its folder was there while it ran, and is gone with it. What it wrote to its logs stays:</p>
      )}
      {error ? (
        <Problem error={error} />
      ) : logs === undefined ? (
        <Loading />
      ) : logs.length === 0 || file === undefined ? (
        <Empty>It has written no log.</Empty>
      ) : (
        <Panel
          title="Logs"
          aside={
            <select aria-label="Log" value={file} onChange={({ target }) => setSearch({ file: target.value })}>
              {logs.map(({ name, bytes: size }) => (
                <option key={name} value={name}>
                  {name} ({bytes(size)})
                </option>
              ))}
            </select>
          }
        >
          <Log key={file} id={id} file={file} size={logs.find(({ name }) => name === file)?.bytes ?? 0} />
        </Panel>
      )}
    </>
  );
}

function Log({ id, file, size }: { readonly id: string; readonly file: string; readonly size: number }) {
  const { data: text, error } = useAnswer(logTextQuery(id, file));
  const place = useEndInView(text);
  if (error) return <Problem error={error} />;
  if (text === undefined) return <Loading />;
  return (
    <>
      {size > shownBytes && (
        <p className="quiet">
          The last {bytes(shownBytes)} of {bytes(size)}.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <section className="node-log" ref={place} tabIndex={0} aria-label={`Log ${file}`}>
        <pre>{text === '' ? 'nothing yet' : text}</pre>
      </section>
    </>
  );
}
