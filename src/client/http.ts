// A small JSON client for the servers of a cluster: what a command needs, with errors that say which server and why.

import { isUnbelieved, remedyOf } from '../auth/certificate-errors.ts';
import { connectionReason } from '../lib/connection-reason.ts';
import { withoutTrailing } from '../lib/trailing.ts';
import { type AnswerReading, readAnswerJson } from './answer-json.ts';
import { type Authorize, fetchProven, fetchWithin, ProofMissing } from './credentials.ts';
import { RemoteFailure, remoteFailure } from './remote-failure.ts';

/** A server that cannot be reached. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  readonly url: string;
  /** Of the operating system or the client, where there is one. */
  readonly code: string | undefined;

  constructor(url: string, cause: unknown) {
    super(`${new URL(url).origin} does not answer${reasonOf(cause)}`, { cause });
    this.url = url;
    this.code = codeOf(cause);
  }
}

/** How to call. */
export interface HttpClientOptions {
  /** Base URL, `http://127.0.0.1:8088`. */
  readonly url: string;
  /** Name sent as `user.name`. */
  readonly user?: string;
  /** Proves who calls, with headers of each request; absent: the name alone. */
  readonly authorize?: Authorize | undefined;
  /** Whether answers come from servers of the cluster alone, so that the proof goes along where they lead to. */
  readonly leadsWithin?: boolean;
  /** Time for a whole answer; default 30,000. Streams have none. */
  readonly timeoutMs?: number;
  /** Whether whole numbers that would be rounded are bigints in all answers. */
  readonly isExact?: boolean;
  /** Ends all calls, in place of `timeoutMs`. */
  readonly signal?: AbortSignal | undefined;
}

/** Parameters of a query; undefined ones are left out, lists repeat their name. */
export type QueryParameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

const defaultTimeoutMs = 30_000;

const causeOf = (error: unknown): (Error & { readonly code?: unknown }) | undefined => {
  const cause = (error as { cause?: unknown } | undefined)?.cause ?? error;
  return cause instanceof Error ? cause : undefined;
};

/** Errors of the web (calls that are given up) have numbers for codes, which nobody knows. */
function codeOf(error: unknown): string | undefined {
  const code = causeOf(error)?.code;
  return typeof code === 'string' ? code : undefined;
}

function reasonOf(error: unknown): string {
  if ((error as Error | undefined)?.name === 'TimeoutError') return ' in time';
  const [cause, code] = [causeOf(error), codeOf(error)];
  if (cause === undefined || code === undefined) return '';
  if (code.startsWith('ERR_SSL_')) return `: ${remedyOf(code)} (${code})`;
  if (isUnbelieved(code)) return `: its certificate is not believed (${code}); ${remedyOf(code)}`;
  return `: ${connectionReason(cause)}`;
}

/** Calls one server. */
export class HttpClient {
  readonly url: string;
  readonly #user: string | undefined;
  readonly #authorize: Authorize | undefined;
  readonly #leadsWithin: boolean;
  readonly #timeoutMs: number;
  readonly #isExact: boolean;
  readonly #signal: AbortSignal | undefined;

  constructor(options: HttpClientOptions) {
    this.url = withoutTrailing(options.url, '/');
    this.#user = options.user;
    this.#authorize = options.authorize;
    this.#leadsWithin = options.leadsWithin ?? false;
    this.#timeoutMs = options.timeoutMs ?? defaultTimeoutMs;
    this.#isExact = options.isExact ?? false;
    this.#signal = options.signal;
  }

  /** Full URL of a path with a query and the caller's name. */
  address(path: string, query: QueryParameters = {}): string {
    const url = new URL(`${this.url}${path}`);
    if (this.#user !== undefined) url.searchParams.append('user.name', this.#user);
    for (const [name, value] of Object.entries(query)) {
      if (value === undefined) continue;
      for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(item));
    }
    return url.href;
  }

  /** Sends a request and returns the answer as it is, whatever its status. @throws Unreachable */
  async request(
    method: string,
    path: string,
    options: { query?: QueryParameters; body?: unknown; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ): Promise<Response> {
    const url = this.address(path, options.query);
    const headers: Record<string, string> = { accept: 'application/json', ...options.headers };
    if (options.body !== undefined) headers['content-type'] = 'application/json';
    try {
      const sent = {
        method,
        headers,
        signal: options.signal ?? this.#signal ?? AbortSignal.timeout(this.#timeoutMs),
        ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      };
      if (this.#leadsWithin) return await fetchWithin(new URL(url), sent, this.#authorize);
      return await fetchProven(new URL(url), sent, this.#authorize);
    } catch (error) {
      if (error instanceof ProofMissing) throw error;
      throw new Unreachable(url, error);
    }
  }

  /** The JSON value of an answer. @throws Unreachable, RemoteFailure */
  async json<Value>(
    method: string,
    path: string,
    options: { query?: QueryParameters; body?: unknown; signal?: AbortSignal } & AnswerReading = {},
  ): Promise<Value> {
    const answer = await this.request(method, path, options);
    const text = await readText(answer);
    if (!answer.ok) throw remoteFailure(answer, text);
    if (text === '') return undefined as Value;
    try {
      return readAnswerJson(text, { isExact: options.isExact ?? this.#isExact }) as Value;
    } catch {
      throw new RemoteFailure(answer.url, answer.status, `the answer is not JSON; is ${this.url} the right server?`, undefined);
    }
  }

  /** The text of an answer. @throws Unreachable, RemoteFailure */
  async text(path: string, query?: QueryParameters): Promise<string> {
    const answer = await this.request('GET', path, { ...(query ? { query } : {}), headers: { accept: '*/*' } });
    const text = await readText(answer);
    if (!answer.ok) throw remoteFailure(answer, text);
    return text;
  }
}

async function readText(answer: Response): Promise<string> {
  try {
    return await answer.text();
  } catch (error) {
    throw new Unreachable(answer.url, error);
  }
}
