// The client of `/api/v1` for programs, in Node and in browsers: typed by the descriptions of the wire, patient, with lists and events as
// async iterators. It imports nothing of Node's (`browser.ts` is its entry there; a test holds that).
import type { WantedInstances } from '../wire/cluster/command-job.ts';
import type { ApplicationExplanation } from '../wire/cluster/explanation.ts';
import type {
  ClusterEvent,
  EventSlice,
  PlainApplication,
  PlainContainer,
  PlainNode,
  PlainQueue,
  SubmittedApplication,
} from '../wire/cluster/own-answers.ts';
import type { PlainSubmission } from '../wire/cluster/submission.ts';
import type { SubmittedContext } from '../wire/cluster/submitted.ts';
import type { TriedSubmission } from '../wire/cluster/tried-submission.ts';
import { remoteFailure } from './remote-failure.ts';

/** How to call. */
export interface ApiClientOptions {
  /** Base URL of the resource manager, `http://127.0.0.1:8088`; in a page of its own `''`. */
  readonly url: string;
  /** Name sent as `user.name`, where authentication is simple. */
  readonly user?: string;
  /** A bearer token. */
  readonly token?: string;
  /** How long a call is repeated while the server does not answer or has no room, ms; default 60,000. */
  readonly patienceMs?: number;
  /** Default: the global one. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Waits between tries; default: by a timer. */
  readonly pause?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  /** A key that no other submission of the user has; default: random. */
  readonly newKey?: () => string;
}

/** Which applications are listed; the filters of `GET /ws/v1/cluster/apps`. */
export interface ApplicationQuery {
  readonly states?: readonly PlainApplication['state'][];
  readonly user?: string;
  readonly queue?: string;
  /** The whole name. */
  readonly name?: string;
  /** A part of the name or of the id, in any case. */
  readonly find?: string;
  readonly applicationTypes?: readonly string[];
  readonly applicationTags?: readonly string[];
  readonly finalStatus?: PlainApplication['finalStatus'];
  /** `-startedTime`: the newest first, which is usual. */
  readonly sort?: string;
  /** How many are asked for at a time; default 100. */
  readonly pageSize?: number;
}

/** Which events are told; several of one kind: any of them. */
export interface EventQuery {
  readonly applications?: readonly string[];
  readonly users?: readonly string[];
  readonly queues?: readonly string[];
  /** Ids or hosts: what became of these nodes, and of containers there. */
  readonly nodes?: readonly string[];
  readonly kinds?: readonly string[];
  /** `now` (usual), `oldest`, or the id of the event after which to go on. */
  readonly from?: string;
}

/** An event, or that some before the next are forgotten: what they told has to be read anew. */
export type ToldEvent = (ClusterEvent & Readonly<Record<string, unknown>>) | { readonly kind: 'gap' };

/** A submission: what `POST /api/v1/applications` takes. */
export type Submission = Omit<PlainSubmission, 'idempotency-key'>;

interface Sent {
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

const api = '/api/v1';
const part = encodeURIComponent;
const firstPauseMs = 200;
const longestPauseMs = 5000;
const pollMs = 30_000;
/** Between two looks at what cannot be waited for. */
const blindMs = 1000;
/** Statuses of servers that may answer later. */
const passing: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const finalStates: ReadonlySet<PlainApplication['state']> = new Set(['FINISHED', 'FAILED', 'KILLED']);

interface ApplicationsPage {
  readonly applications: readonly PlainApplication[];
  readonly next?: string;
}

const pageQuery = ({ pageSize, ...query }: ApplicationQuery): NonNullable<Sent['query']> => ({
  ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.join() : value])),
  limit: pageSize,
});

const timer = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timeout);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timeout = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });

/** Calls the resource manager. Every method throws RemoteFailure for a refusal, and what `fetch` throws when nobody answered for long. */
export class ApiClient {
  readonly #options: Required<Pick<ApiClientOptions, 'url' | 'patienceMs' | 'fetch' | 'pause' | 'newKey'>> & ApiClientOptions;

  constructor(options: ApiClientOptions) {
    this.#options = {
      patienceMs: 60_000,
      fetch: (url, init) => fetch(url, init),
      pause: timer,
      newKey: () => crypto.randomUUID(),
      ...options,
      url: options.url.endsWith('/') ? options.url.slice(0, -1) : options.url,
    };
  }

  /**
   * Submits once, however often it has to be sent: under `key`, or one of its own. Resolves to the application's id when it is durable, with what it was given otherwise
   * than was asked for; `replayed`: it was taken before under the same key.
   */
  async submit(
    submission: Submission,
    { key = this.#options.newKey(), signal }: { readonly key?: string; readonly signal?: AbortSignal } = {},
  ): Promise<SubmittedApplication & { readonly replayed: boolean }> {
    const headers = { 'idempotency-key': key };
    const answer = await this.#send('POST', `${api}/applications`, { body: submission, headers, signal });
    return { ...((await answer.json()) as SubmittedApplication), replayed: answer.headers.get('idempotency-replayed') === 'true' };
  }

  /** What a submission would come to now: its queue and sizes, where each container would go or why it would wait. Nothing is submitted. */
  async trySubmission(submission: Submission, signal?: AbortSignal): Promise<TriedSubmission> {
    const answer = await this.#send('POST', `${api}/applications`, { query: { dryRun: 'true' }, body: submission, signal });
    return answer.json() as Promise<TriedSubmission>;
  }

  /** One application. */
  async application(id: string, signal?: AbortSignal): Promise<PlainApplication> {
    return (await this.#send('GET', `${api}/applications/${part(id)}`, { signal })).json() as Promise<PlainApplication>;
  }

  /** Why an application waits. */
  async explain(id: string, signal?: AbortSignal): Promise<ApplicationExplanation> {
    const answer = await this.#send('GET', `${api}/applications/${part(id)}/explain`, { signal });
    return answer.json() as Promise<ApplicationExplanation>;
  }

  /** What an application was submitted with, without secrets. */
  async submission(id: string, signal?: AbortSignal): Promise<SubmittedContext> {
    const answer = await this.#send('GET', `${api}/applications/${part(id)}/submission`, { signal });
    return answer.json() as Promise<SubmittedContext>;
  }

  /** An application each time it has changed, beginning with now, until it is over. */
  async *follow(id: string, signal?: AbortSignal): AsyncGenerator<PlainApplication, void> {
    for await (const text of this.#changes(`${api}/applications/${part(id)}`, {}, signal)) {
      const application = JSON.parse(text) as PlainApplication;
      yield application;
      if (finalStates.has(application.state)) return;
    }
  }

  /** A page of applications each time something in it has changed, has come or is gone, beginning with now, for as long as the caller goes on. */
  async *followApplications(query: ApplicationQuery = {}, signal?: AbortSignal): AsyncGenerator<readonly PlainApplication[], void> {
    for await (const text of this.#changes(`${api}/applications`, pageQuery(query), signal))
      yield (JSON.parse(text) as ApplicationsPage).applications;
  }

  /** A container each time it has changed, beginning with now, until it is over. */
  async *followContainer(id: string, signal?: AbortSignal): AsyncGenerator<PlainContainer, void> {
    for await (const text of this.#changes(`${api}/containers/${part(id)}`, {}, signal)) {
      const container = JSON.parse(text) as PlainContainer;
      yield container;
      if (container.finishedTime > 0) return;
    }
  }

  /** A node each time it has changed, beginning with now, for as long as the caller goes on. */
  async *followNode(id: string, signal?: AbortSignal): AsyncGenerator<PlainNode, void> {
    for await (const text of this.#changes(`${api}/nodes/${part(id)}`, {}, signal)) yield JSON.parse(text) as PlainNode;
  }

  /** A queue, with what is below it, each time it has changed, beginning with now, for as long as the caller goes on. */
  async *followQueue(path: string, signal?: AbortSignal): AsyncGenerator<PlainQueue, void> {
    for await (const text of this.#changes(`${api}/queues/${part(path)}`, {}, signal)) yield JSON.parse(text) as PlainQueue;
  }

  /** The text of an answer each time it is another, beginning with now. */
  async *#changes(path: string, query: NonNullable<Sent['query']>, signal: AbortSignal | undefined): AsyncGenerator<string, never> {
    let etag: string | undefined;
    let before: string | undefined;
    for (;;) {
      const known = etag === undefined ? { query } : { query: { ...query, wait: pollMs }, headers: { 'if-none-match': etag } };
      const answer = await this.#send('GET', path, { ...known, signal });
      if (answer.status === 304) continue;
      etag = answer.headers.get('etag') ?? undefined;
      const text = await answer.text();
      if (text !== before) yield text;
      before = text;
      // A page of another origin does not see the tag, and a gateway may take it away: nothing can be waited for then.
      if (etag === undefined) await this.#options.pause(blindMs, signal);
    }
  }

  /** An application once it is over. */
  async ended(id: string, signal?: AbortSignal): Promise<PlainApplication> {
    let last: PlainApplication | undefined;
    for await (const application of this.follow(id, signal)) last = application;
    return last ?? this.application(id, signal);
  }

  /** Changes how many instances a run is to have; resolves with their number once that is durable. */
  async setInstances(id: string, instances: number, signal?: AbortSignal): Promise<number> {
    const body: WantedInstances = { instances };
    const answer = await this.#send('PUT', `${api}/applications/${part(id)}/instances`, { body, signal });
    return ((await answer.json()) as WantedInstances).instances;
  }

  /** Ends an application; resolves when that was heard. */
  async kill(id: string, signal?: AbortSignal): Promise<void> {
    await this.#send('PUT', `/ws/v1/cluster/apps/${part(id)}/state`, { body: { state: 'KILLED' }, signal });
  }

  /** Applications, page after page as far as they are wanted. */
  async *applications(query: ApplicationQuery = {}, signal?: AbortSignal): AsyncGenerator<PlainApplication, void> {
    let cursor: string | undefined;
    do {
      const asked = { query: { ...pageQuery(query), cursor }, signal };
      const answer = await this.#send('GET', `${api}/applications`, asked);
      const page = (await answer.json()) as ApplicationsPage;
      yield* page.applications;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /** Events as they happen, for as long as the caller goes on; a lost connection is taken up where it was. */
  async *events(query: EventQuery = {}, signal?: AbortSignal): AsyncGenerator<ToldEvent, void> {
    const { applications, users, queues, nodes, kinds } = query;
    const filters = {
      application: applications?.join(),
      user: users?.join(),
      queue: queues?.join(),
      node: nodes?.join(),
      kind: kinds?.join(),
    };
    // The first slice says where "now" is.
    let [from, wait] = [query.from ?? 'now', 0];
    while (!signal?.aborted) {
      const answer = await this.#send('GET', `${api}/events`, { query: { ...filters, from, wait }, signal });
      const { events, next, missed } = (await answer.json()) as EventSlice;
      if (missed) yield { kind: 'gap' };
      yield* events;
      [from, wait] = [next, pollMs];
    }
  }

  /** Sends a request that changes nothing more when it comes twice, until it is answered or patience ends. */
  async #send(method: string, path: string, { query = {}, body, headers, signal }: Sent): Promise<Response> {
    const { url: base, user, token, patienceMs, fetch: send, pause } = this.#options;
    const pairs = Object.entries({ ...query, 'user.name': user }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${part(name)}=${part(value)}`],
    );
    const url = `${base}${path}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
    const init: RequestInit = {
      method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    };
    let waitedMs = 0;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const answer = await send(url, init).catch((problem: unknown) => problem);
      if (answer instanceof Response && !passing.has(answer.status)) {
        if (answer.ok || answer.status === 304) return answer;
        throw remoteFailure(answer, await answer.text());
      }
      if (signal?.aborted || waitedMs >= patienceMs) throw answer instanceof Response ? remoteFailure(answer, await answer.text()) : answer;
      const asked = answer instanceof Response ? Number(answer.headers.get('retry-after') ?? 0) * 1000 : 0;
      const restMs = Math.min(Math.max(pauseMs, asked || 0), patienceMs - waitedMs);
      waitedMs += restMs;
      await pause(restMs, signal);
    }
  }
}
