// The files of a running container: its folders, and a file from its begin, its end, or as it grows. Folder and file stand in the address.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { FileEntry } from '../../wire/node/files.ts';
import { downloadAddress, folderQuery, readFile, wholeFileBytes } from '../api/container-files.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { bytes } from '../format/amounts.ts';
import { isBinary, joined, stepsOf } from '../format/file-paths.ts';
import { Ago, Panel } from './basics.tsx';
import { Loading, Problem } from './problem.tsx';
import { type Column, Table } from './table.tsx';
import './container-files.css';

/** So much of a file is shown. */
const shownBytes = 256 * 1024;
const mostCharacters = 512 * 1024;
/** How long it takes until a file whose following broke off is followed again, ms. */
const againMs = 2000;

const words: Readonly<Record<FileEntry['kind'], string>> = {
  file: 'file',
  folder: 'folder',
  link: 'link',
  pipe: 'pipe',
  socket: 'socket',
  device: 'device',
  other: 'something else',
};

export function ContainerFiles({ containerId }: { readonly containerId: string }) {
  const [search, setSearch] = useSearchState();
  const { folder, open } = search;
  if (folder === undefined)
    return (
      <Panel
        title="Files"
        aside={
          <button type="button" className="small" onClick={() => setSearch({ folder: '.' })}>
            Look into its folder
          </button>
        }
      >
        <p className="quiet">What lies in the folder that it works in, for those who may open a shell in it.</p>
      </Panel>
    );
  return (
    <Panel
      title="Files"
      aside={
        <button type="button" className="small" onClick={() => setSearch({ folder: undefined, open: undefined })}>
          Close
        </button>
      }
    >
      <Folder id={containerId} path={folder === '.' ? '' : folder} />
      {open !== undefined && <OpenFile key={open} id={containerId} path={open} />}
    </Panel>
  );
}

function Folder({ id, path }: { readonly id: string; readonly path: string }) {
  const [, setSearch] = useSearchState();
  const { data, error, refetch } = useAnswer(folderQuery(id, path));
  const columns = useMemo(() => columnsOf(id, path, setSearch), [id, path, setSearch]);
  const steps = stepsOf(path);
  return (
    <>
      <nav className="file-steps" aria-label="Folder">
        {[{ name: 'its folder', path: '.' }, ...steps].map((step, index) => (
          <span key={step.path}>
            {index > 0 && ' / '}
            {index === steps.length ? (
              <strong aria-current="page">
                <bdi>{step.name}</bdi>
              </strong>
            ) : (
              <button type="button" className="link" onClick={() => setSearch({ folder: step.path, open: undefined })}>
                <bdi>{step.name}</bdi>
              </button>
            )}
          </span>
        ))}{' '}
        <button type="button" className="small" onClick={() => void refetch()}>
          Look again
        </button>
      </nav>
      {error ? (
        <Problem error={error} retry={() => void refetch()} />
      ) : !data ? (
        <Loading what="Looking into the container" />
      ) : (
        <Table
          label="Files"
          columns={columns}
          rows={data.entries as readonly FileEntry[]}
          rowKey={({ name, nameBase64 }) => nameBase64 ?? name}
          empty="Nothing lies in it."
        />
      )}
      {data?.more && <p className="quiet">There is more: the first 10,000 are shown.</p>}
    </>
  );
}

const leadsInto = ({ kind, leadsToKind }: FileEntry): FileEntry['kind'] => (kind === 'link' ? (leadsToKind ?? 'other') : kind);

type Change = (change: Readonly<Record<string, string | undefined>>) => void;

const by =
  (value: (entry: FileEntry) => number | string) =>
  (a: FileEntry, b: FileEntry): number =>
    value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0;

const columnsOf = (id: string, folder: string, setSearch: Change): readonly Column<FileEntry>[] => [
  {
    id: 'name',
    title: 'Name',
    sort: by(({ name }) => name),
    shortens: true,
    cell: (entry) => {
      const [path, kind] = [joined(folder, entry), leadsInto(entry)];
      const shown = (
        <bdi>
          {entry.name}
          {kind === 'folder' && '/'}
        </bdi>
      );
      return (
        <span className="name" title={entry.leadsTo === undefined ? entry.name : `${entry.name} → ${entry.leadsTo}`}>
          {kind === 'folder' || kind === 'file' ? (
            <button
              type="button"
              className="link"
              onClick={() => setSearch(kind === 'folder' ? { folder: path, open: undefined } : { open: path })}
            >
              {shown}
            </button>
          ) : (
            shown
          )}
        </span>
      );
    },
  },
  {
    id: 'kind',
    title: 'Kind',
    sort: by(leadsInto),
    gives: 'first',
    cell: ({ kind, leadsToKind }) => (kind === 'link' ? `link to ${leadsToKind ? `a ${words[leadsToKind]}` : 'nothing'}` : words[kind]),
  },
  {
    id: 'bytes',
    title: 'Size',
    sort: by((entry) => entry.bytes),
    isNumber: true,
    cell: (entry) => (entry.kind === 'file' ? bytes(entry.bytes) : ''),
  },
  {
    id: 'changed',
    title: 'Changed',
    sort: by(({ modifiedTime }) => modifiedTime),
    gives: 'first',
    cell: ({ modifiedTime }) => <Ago ms={modifiedTime} />,
  },
  {
    id: 'download',
    title: 'Download',
    hidesTitle: true,
    cell: (entry) => leadsInto(entry) === 'file' && <Download id={id} path={joined(folder, entry)} entry={entry} />,
  },
];

function Download({ id, path, entry }: { readonly id: string; readonly path: string; readonly entry?: FileEntry }) {
  if ((entry?.bytes ?? 0) > wholeFileBytes) return <span className="quiet">heddle container files --out</span>;
  return (
    <a href={downloadAddress(id, path)} download={stepsOf(path).at(-1)?.name} aria-label={`Download ${stepsOf(path).at(-1)?.name}`}>
      download
    </a>
  );
}

const parts = [
  ['end', 'The end'],
  ['follow', 'The end, as it grows'],
  ['begin', 'The beginning'],
] as const;

/** What was read of a file, as far as it is kept. */
interface Shown {
  readonly text: string;
  readonly start: number;
  readonly bytes: number;
  readonly isBinary: boolean;
  readonly isOver: boolean;
  readonly error?: unknown;
}

/** Reads the file again whenever another part is wanted. */
function useFile(id: string, path: string, part: string): Shown | undefined {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    const over = new AbortController();
    const decoder = new TextDecoder();
    let state: Shown = { text: '', start: 0, bytes: 0, isBinary: false, isOver: false };
    let isFirst = true;
    const show = (change: Partial<Shown>) => {
      if (over.signal.aborted) return;
      state = { ...state, ...change };
      setShown(state);
    };
    const read = (offset: number): Promise<number> =>
      readFile(
        id,
        path,
        { offset, length: part === 'follow' ? wholeFileBytes : shownBytes, follow: part === 'follow' },
        {
          signal: over.signal,
          begins: (start, bytes) => show(isFirst ? { start, bytes } : { bytes }),
          took: (piece) => {
            const binary = isFirst && isBinary(piece);
            isFirst = false;
            if (binary || state.isBinary) return show({ isBinary: true });
            show({ text: (state.text + decoder.decode(piece, { stream: true })).slice(-mostCharacters) });
          },
        },
      );
    const run = async () => {
      let offset = part === 'begin' ? 0 : -shownBytes;
      do {
        offset = await read(offset);
        show({ isOver: true });
        if (part === 'follow') await new Promise((resolve) => setTimeout(resolve, againMs));
      } while (part === 'follow' && !over.signal.aborted && !state.isBinary);
    };
    setShown(undefined);
    run().catch((error: unknown) => show({ error, isOver: true }));
    return () => over.abort();
  }, [id, path, part]);
  return shown;
}

function OpenFile({ id, path }: { readonly id: string; readonly path: string }) {
  const [search, setSearch] = useSearchState();
  const [part] = parts.find(([name]) => name === search['part']) ?? parts[0];
  const shown = useFile(id, path, part);
  const name = stepsOf(path).at(-1)?.name ?? '';
  const place = useRef<HTMLElement>(null);
  const isAtEnd = part !== 'begin';
  useEffect(() => {
    const element = place.current;
    if (!element || shown === undefined || !isAtEnd) return;
    // Who reads further up stays there.
    if (element.scrollHeight - element.scrollTop - element.clientHeight < 200 || element.scrollTop === 0)
      element.scrollTop = element.scrollHeight;
  }, [shown, isAtEnd]);
  return (
    <section className="open-file" aria-label={`File ${name}`}>
      <div className="head">
        <strong className="name" title={name}>
          <bdi>{name}</bdi>
        </strong>
        <select aria-label="Part" value={part} onChange={({ target }) => setSearch({ part: target.value })}>
          {parts.map(([each, title]) => (
            <option key={each} value={each}>
              {title}
            </option>
          ))}
        </select>
        <Download id={id} path={path} />
        <button type="button" className="small" onClick={() => setSearch({ open: undefined, part: undefined })}>
          Close file
        </button>
      </div>
      {shown?.error ? (
        <Problem error={shown.error} />
      ) : !shown ? (
        <Loading what="Reading" />
      ) : shown.isBinary ? (
        <p>It is binary, {bytes(shown.bytes)}: download it to look at it.</p>
      ) : (
        <>
          <p className="quiet" role="status">
            {partInWords(shown, part)}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
          <section className="node-log" ref={place} tabIndex={0} aria-label={`What ${name} holds`}>
            <pre>{shown.text === '' && shown.isOver ? 'It is empty.' : shown.text}</pre>
          </section>
        </>
      )}
    </section>
  );
}

function partInWords({ start, bytes: whole }: Shown, part: string): string {
  if (part === 'follow') return 'What is written to it comes here.';
  if (whole <= shownBytes) return `All of it, ${bytes(whole)}.`;
  return start > 0 ? `The last ${bytes(shownBytes)} of ${bytes(whole)}.` : `The first ${bytes(shownBytes)} of ${bytes(whole)}.`;
}
