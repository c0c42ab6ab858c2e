// One file of a running container: from its begin, its end, or as it grows.
import { useEffect, useState } from 'react';
import type { FileEntry } from '../../wire/node/files.ts';
import { downloadAddress, readFile, wholeFileBytes } from '../api/container-files.ts';
import { useSearchState } from '../app/address.ts';
import { bytes } from '../format/amounts.ts';
import { isBinary, stepsOf } from '../format/file-paths.ts';
import { useEndInView } from './end-in-view.ts';
import { Loading, Problem } from './problem.tsx';

/** So much of a file is shown. */
const shownBytes = 256 * 1024;
const mostCharacters = 512 * 1024;
/** How long it takes until a file whose following broke off is followed again, ms. */
const againMs = 2000;

/** Leads to a whole file; `entry`: what its folder says of it. */
export function Download({ id, path, entry }: { readonly id: string; readonly path: string; readonly entry?: FileEntry }) {
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

export function OpenFile({ id, path }: { readonly id: string; readonly path: string }) {
  const [search, setSearch] = useSearchState();
  const [part] = parts.find(([name]) => name === search['part']) ?? parts[0];
  const shown = useFile(id, path, part);
  const name = stepsOf(path).at(-1)?.name ?? '';
  const place = useEndInView(shown, part !== 'begin');
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
