// Logs of containers: the end of a file, more of it on demand, followed while it grows, searched.

import { useEffect, useMemo, useRef, useState } from 'react';
import { logFilesQuery } from '../api/application.ts';
import { serverAddress } from '../api/base.ts';
import { ApiFailure, request } from '../api/http.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { bytes, counted } from '../format/amounts.ts';
import { instanceText } from '../format/instance.ts';
import { Empty } from './basics.tsx';
import { Loading, Problem } from './problem.tsx';
import './log-view.css';

/** How much of the end of a file is read at first, and how much text is kept of one that grows. */
const endBytes = 128 * 1024;
const mostCharacters = 2_000_000;

/** A container that has logs. */
export interface LoggedContainer {
  readonly id: string;
  readonly isMaster: boolean;
  /** Of a run: which instance, and which try of it. */
  readonly instance?: number | undefined;
  readonly tryNumber?: number | undefined;
}

const preferred = ['stdout', 'stderr', 'syslog'];

/** Chooses container and file by the address; the first that is not a master is what people look for. */
export function LogView({ containers }: { readonly containers: readonly LoggedContainer[] }) {
  const [search, setSearch] = useSearchState();
  const container =
    containers.find(({ id }) => id === search['container']) ?? containers.find(({ isMaster }) => !isMaster) ?? containers[0];
  if (!container) return <Empty>It had no container yet: there are no logs.</Empty>;
  return (
    <div className="logs">
      <div className="filter">
        <label>
          Container{' '}
          <select value={container.id} onChange={(event) => setSearch({ container: event.target.value, file: undefined })}>
            {containers.map((each) => (
              <option key={each.id} value={each.id}>
                {each.id.split('_').slice(-2).join('_')}
                {each.isMaster ? ' (master)' : each.instance === undefined ? '' : ` (${instanceText({ ...each })})`}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Files containerId={container.id} />
    </div>
  );
}

function Files({ containerId }: { readonly containerId: string }) {
  const [search, setSearch] = useSearchState();
  const { data, error, refetch } = useAnswer(logFilesQuery(containerId));
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return <Loading />;
  const files = data.files.toSorted((a, b) => rank(a.name) - rank(b.name) || (a.name < b.name ? -1 : 1));
  const file =
    files.find(({ name }) => name === search['file']) ?? files.find((each) => each.bytes > 0 && preferred.includes(each.name)) ?? files[0];
  if (!file) return <Empty>The container has written no file yet.</Empty>;
  return (
    <>
      <fieldset className="choices">
        <legend className="unseen">File</legend>
        {files.map(({ name, bytes: length }) => (
          <button key={name} type="button" aria-pressed={name === file.name} onClick={() => setSearch({ file: name })}>
            {name} <small>{bytes(length)}</small>
          </button>
        ))}
      </fieldset>
      <LogText
        key={`${containerId}/${file.name}`}
        containerId={containerId}
        name={file.name}
        length={file.bytes}
        isRunning={data.running}
      />
    </>
  );
}

const rank = (name: string): number => (preferred.includes(name) ? preferred.indexOf(name) : preferred.length);

interface TextProps {
  readonly containerId: string;
  readonly name: string;
  readonly length: number;
  readonly isRunning: boolean;
}

/** How soon a log that broke off is taken up again, ms. */
const resumeMs = 1000;
/** Whether somebody may answer later: no refusal of the thing itself. */
const mayAnswerLater = (problem: unknown): boolean => !(problem instanceof ApiFailure) || problem.status === 0 || problem.status >= 500;

/** The text from a byte on; while it is followed, for as long as the container writes, also where the connection breaks. */
function useLogText({ containerId, name, length, isRunning }: TextProps, from: number, isFollowed: boolean) {
  const [text, setText] = useState('');
  const [error, setError] = useState<unknown>();
  const begun = useRef(length);
  useEffect(() => {
    const leaving = new AbortController();
    const path = `api/v1/logs/${encodeURIComponent(containerId)}/${encodeURIComponent(name)}${isFollowed && isRunning ? '?follow=true' : ''}`;
    let position = from;
    // Of all pieces: a letter may begin before the connection breaks and end after.
    const decoder = new TextDecoder();
    const read = async () => {
      const range = position > 0 ? `bytes=${position}-` : undefined;
      const answer = await request(path, { accept: 'text/plain', signal: leaving.signal, range });
      setError(undefined);
      const reader = answer.body?.getReader();
      for (;;) {
        const piece = await reader?.read();
        if (!piece || piece.done) return;
        position += piece.value.length;
        const letters = decoder.decode(piece.value, { stream: true });
        setText((before) => (before + letters).slice(-mostCharacters));
      }
    };
    let resuming: ReturnType<typeof setTimeout> | undefined;
    const begin = () =>
      read().catch((problem: unknown) => {
        if (leaving.signal.aborted || (problem instanceof ApiFailure && problem.status === 416)) return;
        setError(problem);
        if (isFollowed && isRunning && mayAnswerLater(problem)) resuming = setTimeout(() => void begin(), resumeMs);
      });
    setText('');
    setError(undefined);
    if (begun.current > 0 || isRunning) void begin();
    return () => {
      clearTimeout(resuming);
      leaving.abort();
    };
  }, [containerId, name, from, isFollowed, isRunning]);
  return { text, error };
}

function LogText(props: TextProps) {
  const { containerId, name, length, isRunning } = props;
  const [from, setFrom] = useState(Math.max(0, length - endBytes));
  const [isFollowed, setFollowed] = useState(true);
  const [wanted, setWanted] = useState('');
  const { text, error } = useLogText(props, from, isFollowed);
  const box = useRef<HTMLPreElement>(null);
  const lines = useMemo(() => text.split('\n'), [text]);
  const shown = useMemo(
    () => (wanted === '' ? lines : lines.filter((line) => line.toLowerCase().includes(wanted.toLowerCase()))),
    [lines, wanted],
  );
  useEffect(() => {
    const element = box.current;
    if (element && isFollowed && shown.length > 0) element.scrollTop = element.scrollHeight;
  }, [shown, isFollowed]);
  return (
    <>
      <div className="filter">
        <input
          type="search"
          aria-label="Search in the log"
          placeholder="Search in the log"
          value={wanted}
          maxLength={200}
          onChange={(event) => setWanted(event.target.value)}
        />
        {wanted !== '' && <span className="quiet">{counted(shown.length, 'line')}</span>}
        <label>
          <input type="checkbox" checked={isFollowed} onChange={(event) => setFollowed(event.target.checked)} />{' '}
          {isRunning ? 'follow' : 'stay at the end'}
        </label>
        {from > 0 && (
          <button type="button" onClick={() => setFrom(0)}>
            Show all {bytes(length)}
          </button>
        )}
        <a
          className="button"
          href={serverAddress(`api/v1/logs/${encodeURIComponent(containerId)}/${encodeURIComponent(name)}`)}
          download={`${containerId}-${name}.txt`}
        >
          Download
        </a>
      </div>
      {error !== undefined && <Problem error={error} />}
      {from > 0 && <p className="quiet">The last {bytes(endBytes)} are shown.</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <pre className="log" ref={box} tabIndex={0} role="log" aria-label={`${name} of ${containerId}`}>
        {shown.length === 1 && shown[0] === '' ? (isRunning ? 'Nothing is written yet.' : 'The file is empty.') : shown.join('\n')}
      </pre>
    </>
  );
}
