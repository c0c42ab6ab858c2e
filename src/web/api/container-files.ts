// Files of a running container: what lies in a folder, and what is in a file. Each answer is a command in the container, so none is asked for twice.
import { queryOptions } from '@tanstack/react-query';
import type { FolderListing, fileHeaders } from '../../wire/node/files.ts';
import { pathParameter } from '../format/file-paths.ts';
import { serverAddress } from './base.ts';
import { getJson, queryText, request } from './http.ts';

const startHeader: (typeof fileHeaders)['start'] = 'heddle-file-start';
const bytesHeader: (typeof fileHeaders)['bytes'] = 'heddle-file-bytes';
/** Longest file that one answer has whole, as the server has it. */
export const wholeFileBytes = 1024 ** 3;

const base = (id: string): string => `api/v1/containers/${encodeURIComponent(id)}/files`;

/** What lies in a folder, as it was when the page asked. */
export const folderQuery = (id: string, path: string) =>
  queryOptions({
    queryKey: ['container-files', id, path],
    queryFn: ({ signal }) => getJson<FolderListing>(`${base(id)}${queryText(pathParameter(path))}`, signal),
    refetchInterval: false,
    refetchOnWindowFocus: false,
    staleTime: 30_000,
  });

/** Where a file is downloaded from. */
export const downloadAddress = (id: string, path: string): string => serverAddress(`${base(id)}/content${queryText(pathParameter(path))}`);

/** What is read of a file. */
export interface WantedPart {
  readonly offset: number;
  readonly length: number;
  readonly follow: boolean;
}

/**
 * Reads a file piece by piece until it ends, or for as long as it is followed. Resolves with the byte after the last one.
 * @throws ApiFailure
 */
export async function readFile(
  id: string,
  path: string,
  { offset, length, follow }: WantedPart,
  {
    signal,
    took,
    begins,
  }: { readonly signal: AbortSignal; readonly took: (bytes: Uint8Array) => void; readonly begins: (start: number, bytes: number) => void },
): Promise<number> {
  const query = queryText({ ...pathParameter(path), offset, length, ...(follow && { follow: 'true' }) });
  const answer = await request(`${base(id)}/content${query}`, { accept: 'application/octet-stream', signal });
  let at = Number(answer.headers.get(startHeader));
  begins(at, Number(answer.headers.get(bytesHeader)));
  const reader = answer.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done || !value) return at;
    at += value.length;
    took(value);
  }
}
