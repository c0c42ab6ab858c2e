// Gathered logs of an attempt's container: which files there are, the end of one, the whole for who wants it.

import { queryOptions } from '@tanstack/react-query';
import { useState } from 'react';
import { serverAddress } from '../api/base.ts';
import { ApiFailure, getJson, request } from '../api/http.ts';
import { useAnswer } from '../api/use-answer.ts';
import { bytes } from '../format/amounts.ts';
import { Loading, Problem } from '../parts/problem.tsx';

interface LogFiles {
  readonly files: readonly { readonly name: string; readonly bytes: number }[];
}
/** How much of the end of a file is shown. */
const tailBytes = 16 * 1024;

const path = (containerId: string, file?: string) =>
  `api/v1/containers/${containerId}/logs${file === undefined ? '' : `/${encodeURIComponent(file)}`}`;

const filesQuery = (containerId: string) =>
  queryOptions({
    queryKey: ['logs', containerId],
    queryFn: ({ signal }) => getJson<LogFiles>(path(containerId), signal),
    // Logs are gathered some time after the end.
    refetchInterval: ({ state }) => (state.data ? false : 5000),
    retry: false,
  });

const tailQuery = (containerId: string, file: string, size: number) =>
  queryOptions({
    queryKey: ['logs', containerId, file],
    queryFn: async ({ signal }) => {
      const from = Math.max(0, size - tailBytes);
      const answer = await request(path(containerId, file), { accept: 'text/plain', signal, ...(from > 0 && { range: `bytes=${from}-` }) });
      const text = await answer.text();
      // The first line may have been cut.
      return from > 0 ? text.slice(text.indexOf('\n') + 1) : text;
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });

/** Where a failure is most likely told, then where programs write. */
const wanted = ['stderr', 'stdout', 'syslog'];
const best = (files: LogFiles['files']) =>
  wanted.map((name) => files.find((file) => file.name === name && file.bytes > 0)).find((file) => file !== undefined) ??
  files.find((file) => file.bytes > 0);

/** The end of a container's log, with a choice of its files. */
export function LogTail({ containerId, isWhole = false }: { readonly containerId: string; readonly isWhole?: boolean }) {
  const { data, error } = useAnswer(filesQuery(containerId));
  const [chosen, setChosen] = useState<string>();
  if (error instanceof ApiFailure && error.status === 404)
    return (
      <p className="quiet">No logs of {containerId} were gathered: its node keeps them until they are, where log aggregation is on.</p>
    );
  if (error) return <Problem error={error} />;
  if (!data) return <Loading what="Looking for logs" />;
  const file = data.files.find(({ name }) => name === chosen) ?? best(data.files);
  if (!file) return <p className="quiet">The attempt wrote no logs.</p>;
  return (
    <div className="log-tail">
      <div className="inline">
        <fieldset className="choices">
          <legend className="unseen">Log file</legend>
          {data.files.map(({ name, bytes: size }) => (
            <button key={name} type="button" className="small" aria-pressed={name === file.name} onClick={() => setChosen(name)}>
              {name} <span className="quiet">{bytes(size)}</span>
            </button>
          ))}
        </fieldset>
        <a href={serverAddress(path(containerId, file.name))}>Whole file</a>
      </div>
      <Tail containerId={containerId} file={file.name} size={file.bytes} isWhole={isWhole} />
    </div>
  );
}

function Tail({
  containerId,
  file,
  size,
  isWhole,
}: {
  readonly containerId: string;
  readonly file: string;
  readonly size: number;
  readonly isWhole: boolean;
}) {
  const { data, error } = useAnswer(tailQuery(containerId, file, size));
  if (error) return <Problem error={error} />;
  if (data === undefined) return <Loading />;
  const lines = data.trimEnd().split('\n');
  const shown = isWhole ? lines : lines.slice(-12);
  const isCut = shown.length < lines.length || size > tailBytes;
  return (
    <>
      {isCut && (
        <p className="quiet">
          The last {shown.length} lines of {bytes(size)}:
        </p>
      )}
      <pre
        className="log"
        role="log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
        tabIndex={0}
        aria-label={`${file} of ${containerId}`}
      >
        {shown.join('\n') || 'nothing'}
      </pre>
    </>
  );
}
