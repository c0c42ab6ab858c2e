// Files of a running container, of its node.
import { type FolderListing, fileHeaders, mostFileBytes } from '../wire/node/files.ts';
import { HttpClient, type HttpClientOptions } from './http.ts';
import { remoteFailure } from './remote-failure.ts';

/** A part of a file; all of it where nothing is said. */
export interface WantedBytes {
  /** The first byte; below 0 counted from the end. */
  readonly offset?: number;
  /** It goes on as the file grows, until the container has ended. */
  readonly follow?: boolean;
}

/** A path, or its bytes in base64 behind `base64:`, for names that are no UTF-8. */
const pathQuery = (path: string): Record<string, string> =>
  path.startsWith('base64:') ? { pathBase64: path.slice('base64:'.length) } : { path };

/** Looks at the files of one container. All methods throw Unreachable and RemoteFailure. */
export class ContainerFiles {
  readonly #http: HttpClient;
  readonly #base: string;

  /** `server`: the node. */
  constructor(server: HttpClientOptions, containerId: string) {
    this.#http = new HttpClient(server);
    this.#base = `/api/v1/containers/${encodeURIComponent(containerId)}/files`;
  }

  /** What lies in a folder, '' for the container's own. */
  list(path: string): Promise<FolderListing> {
    return this.#http.json<FolderListing>('GET', this.#base, { query: pathQuery(path) });
  }

  /** The bytes of a file, however long it is; followed, for as long as the node lets it be read, again and again. */
  async *read(path: string, { offset = 0, follow = false }: WantedBytes = {}): AsyncGenerator<Uint8Array> {
    for (let from = offset; ; ) {
      const reading = new AbortController();
      const query = { ...pathQuery(path), offset: from, ...(follow && { follow: true }) };
      const answer = await this.#http.request('GET', `${this.#base}/content`, {
        query,
        headers: { accept: 'application/octet-stream, application/json' },
        signal: reading.signal,
      });
      if (!answer.ok) throw remoteFailure(answer, await answer.text());
      let got = 0;
      try {
        for await (const piece of answer.body ?? []) {
          got += (piece as Uint8Array).length;
          yield piece as Uint8Array;
        }
      } finally {
        reading.abort();
      }
      from = Number(answer.headers.get(fileHeaders.start)) + got;
      if (!follow && got < mostFileBytes) return;
    }
  }
}
