// The log of a server: its last lines, those that come, and how much it writes.
import type { ServerLog, ServerLogLine } from '../wire/cluster/server-log.ts';
import type { HttpClient } from './http.ts';
import { remoteFailure } from './remote-failure.ts';

/** Which lines are wanted; undefined members leave nothing out. */
export interface WantedLines {
  /** This level and above. */
  readonly level?: string | undefined;
  /** With this in them, in any case. */
  readonly text?: string | undefined;
  /** About the request of this id. */
  readonly request?: string | undefined;
  /** So many at most, the latest. */
  readonly limit?: number | undefined;
}

/** What a stream tells: how much is written, lines, or up to which number all were told. */
export type LogNews = Pick<ServerLog, 'writtenFrom'> | { readonly lines: readonly ServerLogLine[]; readonly upTo: number };

/** Looks at the log of one server. All methods throw Unreachable and RemoteFailure. */
export class ServerLogClient {
  readonly #http: HttpClient;

  constructor(http: HttpClient) {
    this.#http = http;
  }

  /** The last lines, and from which level on lines are written. */
  lines(wanted: WantedLines = {}): Promise<ServerLog> {
    return this.#http.json<ServerLog>('GET', '/api/v1/server-log', { query: { ...wanted } });
  }

  /** Lines beyond a number as they are written, for as long as the server lets one stream last. */
  async *follow(wanted: WantedLines, after: number, signal: AbortSignal): AsyncGenerator<LogNews> {
    const answer = await this.#http.request('GET', '/api/v1/server-log', {
      query: { ...wanted, after },
      headers: { accept: 'text/event-stream' },
      signal,
    });
    if (!answer.ok) throw remoteFailure(answer, await answer.text());
    const decoder = new TextDecoder();
    let rest = '';
    for await (const piece of answer.body ?? []) {
      const blocks = (rest + decoder.decode(piece as Uint8Array, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield* newsOf(block);
    }
  }

  /** Has it write from another level on: until it is started anew, or for `forSeconds`. */
  async changeLevel(level: string, forSeconds?: number): Promise<void> {
    const query = { level, for: forSeconds === undefined ? undefined : `${forSeconds}s` };
    const answer = await this.#http.request('POST', '/logLevel', { query });
    const text = await answer.text();
    if (!answer.ok) throw remoteFailure(answer, text);
  }
}

function* newsOf(block: string): Generator<LogNews> {
  const [id, event, data] = ['id', 'event', 'data'].map((name) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]);
  if (event === 'begin' && data !== undefined) yield JSON.parse(data) as Pick<ServerLog, 'writtenFrom'>;
  else if (id !== undefined) yield { lines: data === undefined ? [] : [JSON.parse(data) as ServerLogLine], upTo: Number(id) };
}
