// The master's ear for its tasks: JSON over HTTP, authorised by the job's token. Its port is the one the resource manager shows as RPC port.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bearerToken, isSameSecret } from '../../auth/secrets.ts';
import type { Logger } from '../../lib/log.ts';
import type {
  CommitAnswer,
  EventsAnswer,
  EventsRequest,
  FailureReport,
  StatusAnswer,
  StatusReport,
  TaskAssignment,
  TaskRequest,
} from '../tasks/umbilical.ts';
import { InvalidEvent } from './attempt.ts';
import type { Job } from './job.ts';

const maximumBodyBytes = 8 << 20;
const taskWaitMs = 30_000;
const eventsWaitLimitMs = 30_000;
const eventsPerAnswer = 10_000;

interface Waiter {
  readonly retry: () => boolean;
  readonly timer: NodeJS.Timeout;
}

/** Serves `/umbilical/v1/…`. `changed` is called after every change of the job, so that waiting calls are answered. */
export class UmbilicalServer {
  readonly #job: Job;
  readonly #token: string;
  readonly #logger: Logger;
  readonly #server: Server;
  readonly #wantsContainer: (containerId: string) => boolean;
  #waiters: Waiter[] = [];

  constructor(options: { job: Job; token: Buffer; logger: Logger; wantsContainer: (containerId: string) => boolean }) {
    this.#job = options.job;
    this.#token = options.token.toString('base64url');
    this.#logger = options.logger;
    this.#wantsContainer = options.wantsContainer;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.#logger.warn({ error }, 'a call of a task failed');
        if (!response.headersSent) response.writeHead(400, { 'content-type': 'text/plain' });
        response.end((error as Error).message);
      });
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  /** Listens on any free port of `host`; answers the port. */
  async listen(host: string): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, host, resolve);
    });
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    for (const { timer } of this.#waiters) clearTimeout(timer);
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Something changed: whoever waits looks again. */
  changed(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) {
      if (waiter.retry()) clearTimeout(waiter.timer);
      else this.#waiters.push(waiter);
    }
  }

  /** The first answer that `ask` gives, at the latest after `waitMs` that of `otherwise`. */
  #eventually<Answer>(ask: () => Answer | undefined, waitMs: number, otherwise: () => Answer): Promise<Answer> {
    return new Promise((resolve) => {
      const retry = () => {
        const answer = ask();
        if (answer !== undefined) resolve(answer);
        return answer !== undefined;
      };
      if (retry()) return;
      const waiter: Waiter = {
        retry,
        timer: setTimeout(() => {
          this.#waiters = this.#waiters.filter((one) => one !== waiter);
          resolve(otherwise());
        }, waitMs),
      };
      this.#waiters.push(waiter);
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (!isSameSecret(bearerToken(request.headers) ?? '', this.#token)) return reply(401, { message: 'wrong or missing job token' });
    if (request.method !== 'POST' || !request.url?.startsWith('/umbilical/v1/')) return reply(404, { message: 'unknown call' });
    const body = (await readJson(request)) as Record<string, unknown>;
    const answer = await this.#call(request.url.slice('/umbilical/v1/'.length), body).catch((error: unknown) => {
      if (error instanceof InvalidEvent) this.#job.internalError(error);
      throw error;
    });
    if (answer === undefined) reply(404, { message: 'unknown call' });
    else reply(200, answer);
  }

  async #call(name: string, body: unknown): Promise<StatusAnswer | CommitAnswer | EventsAnswer | Partial<TaskAssignment> | undefined> {
    const job = this.#job;
    switch (name) {
      case 'task': {
        const { containerId } = body as TaskRequest;
        return this.#eventually<Partial<TaskAssignment>>(
          () => job.assignment(containerId) ?? (job.ended || !this.#wantsContainer(containerId) ? {} : undefined),
          taskWaitMs,
          () => ({}),
        );
      }
      case 'status':
        return { known: job.status(body as StatusReport) };
      case 'commit-pending':
        return { known: job.commitPending(body as StatusReport) };
      case 'can-commit': {
        const permitted = job.mayCommit((body as { attemptId: string }).attemptId);
        return { known: permitted !== undefined, permitted: permitted ?? false };
      }
      case 'done':
        return { known: job.done(body as StatusReport) };
      case 'failed':
        return { known: job.failed(body as FailureReport) };
      case 'events':
        return this.#events(body as EventsRequest);
      case 'kill':
        job.killJob(String((body as { diagnostic: unknown }).diagnostic).slice(0, 1000));
        return { known: true };
      default:
        return undefined;
    }
  }

  #events({ attemptId, from, waitMs }: EventsRequest): Promise<EventsAnswer> {
    const wanted = () => this.#job.attempt(attemptId)?.state === 'RUNNING';
    const now = (): EventsAnswer => ({ known: wanted(), events: this.#job.mapEvents.slice(from, from + eventsPerAnswer) });
    return this.#eventually(
      () => (!wanted() || this.#job.mapEvents.length > from ? now() : undefined),
      Math.min(waitMs, eventsWaitLimitMs),
      now,
    );
  }
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maximumBodyBytes) throw new Error('body is too large');
    pieces.push(piece);
  }
  return JSON.parse(Buffer.concat(pieces).toString());
}
