// The files of a running container: its folders, and one file of them. Folder and file stand in the address.
import { useMemo } from 'react';
import type { FileEntry } from '../../wire/node/files.ts';
import { folderQuery } from '../api/container-files.ts';
import { useAnswer } from '../api/use-answer.ts';
import { useSearchState } from '../app/address.ts';
import { bytes } from '../format/amounts.ts';
import { joined, stepsOf } from '../format/file-paths.ts';
import { Ago, Panel } from './basics.tsx';
import { Download, OpenFile } from './container-file.tsx';
import { Loading, Problem } from './problem.tsx';
import { type Column, Table } from './table.tsx';
import './container-files.css';

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
