// The master's side of the umbilical, the calls of its tasks: JSON over HTTP, authorised by the job's token. Its port is the one the resource manager shows as RPC port.

import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AuditLog } from '../../auth/audit-log.ts';
import { jobKey, provenPath } from '../../auth/connection-key.ts';
import { bearerToken, isSameSecret } from '../../auth/secrets.ts';
import { ProvenConnections, wantsProven } from '../../http/proven-connections.ts';
import { auditUnproven } from '../../http/unproven-connections.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import { faultOf, type JsonShape } from '../../lib/json-shape.ts';
import { parseJson } from '../../lib/json-text.ts';
import type { Logger } from '../../lib/log.ts';
import { createServer } from '../../lib/plain-http.ts';
import {
  type CommitAnswer,
  commitRequest,
  type EventsAnswer,
  type EventsRequest,
  eventsRequest,
  failureReport,
  type StatusAnswer,
  statusReport,
  type TaskAssignment,
  taskRequest,
} from '../tasks/umbilical.ts';
import { auditUnprovenTask } from '../unproven-tasks.ts';
import { InvalidEvent } from './attempt.ts';
import type { Job } from './job.ts';

const maximumBodyBytes = 8 << 20;
const taskWaitMs = 30_000;
const eventsWaitLimitMs = 30_000;
const eventsPerAnswer = 10_000;
const prefix = '/umbilical/v1/';

/** The answer to a container that gets no task. */
type NothingToDo = Readonly<Record<string, never>>;

interface Waiter {
  readonly retry: () => boolean;
  readonly timer: Timer;
}

type Answer = StatusAnswer | CommitAnswer | EventsAnswer | Partial<TaskAssignment>;

/** A call of a task: what it sends, and what it is answered. */
interface Call {
  readonly shape: JsonShape<unknown>;
  readonly answer: (body: never) => Answer | Promise<Answer>;
}
const call = <Body>(shape: JsonShape<Body>, answer: (body: Body) => Answer | Promise<Answer>): Call => ({ shape, answer });

/** A body that cannot be read or is not what its call describes. */
class BadBody extends Error {}

/** Serves `/umbilical/v1/…`. `changed` is called after every change of the job, so that waiting calls are answered. */
export class UmbilicalServer {
  readonly #job: Job;
  readonly #token: string;
  readonly #logger: Logger;
  readonly #audit: AuditLog;
  readonly #clock: Clock;
  readonly #calls: Readonly<Record<string, Call>>;
  readonly #server: Server;
  readonly #proven: ProvenConnections;
  readonly #wantsContainer: (containerId: string) => boolean;
  #waiters: Waiter[] = [];

  constructor(options: { job: Job; token: Buffer; clock: Clock; logger: Logger; wantsContainer: (containerId: string) => boolean }) {
    this.#job = options.job;
    this.#token = options.token.toString('base64url');
    this.#logger = options.logger;
    this.#audit = new AuditLog(options.logger);
    this.#clock = options.clock;
    this.#calls = this.#describeCalls();
    this.#wantsContainer = options.wantsContainer;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.#logger.warn({ error }, 'a call of a task failed');
        if (!response.headersSent) response.writeHead(error instanceof BadBody ? 400 : 500, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ message: (error as Error).message }));
      });
    });
    this.#server.keepAliveTimeout = 60_000;
    const { identity: job, key } = jobKey(this.#token);
    const keyOf = (identity: string) => (identity === job ? key : undefined);
    const refused = auditUnproven(this.#audit, this.#clock);
    this.#proven = new ProvenConnections({ server: this.#server, keyOf, logger: this.#logger, refused });
    this.#server.on('upgrade', (request, socket, head) =>
      wantsProven(request) && request.url === provenPath ? this.#proven.handle(request, socket, head) : socket.destroy(),
    );
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
    for (const { timer } of this.#waiters) timer.cancel();
    this.#proven.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** Something changed: calls that wait are checked again. */
  changed(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) {
      if (waiter.retry()) waiter.timer.cancel();
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
        timer: this.#clock.setTimer(waitMs, () => {
          this.#waiters = this.#waiters.filter((one) => one !== waiter);
          resolve(otherwise());
        }),
      };
      this.#waiters.push(waiter);
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    // Tasks of an earlier version send the token itself.
    const isKnown = this.#proven.identityOf(request) !== undefined || isSameSecret(bearerToken(request.headers) ?? '', this.#token);
    if (!isKnown) {
      const reason = 'wrong or missing job token';
      auditUnprovenTask(this.#audit, request, { path: prefix, reason });
      return reply(401, { message: reason });
    }
    const called = request.url?.startsWith(prefix) ? request.url.slice(prefix.length) : '';
    if (request.method !== 'POST' || !Object.hasOwn(this.#calls, called)) return reply(404, { message: 'unknown call' });
    const { shape, answer } = this.#calls[called]!;
    const body = await readJson(request);
    const fault = faultOf(shape, body);
    if (fault !== undefined) throw new BadBody(`${called}: ${fault}`);
    try {
      reply(200, await answer(body as never));
    } catch (error) {
      if (error instanceof InvalidEvent) this.#job.internalError(error);
      throw error;
    }
  }

  #describeCalls(): Readonly<Record<string, Call>> {
    const job = this.#job;
    return {
      task: call(taskRequest, ({ containerId }) =>
        this.#eventually<TaskAssignment | NothingToDo>(
          () => job.attempts.assignment(containerId) ?? (job.ended || !this.#wantsContainer(containerId) ? {} : undefined),
          taskWaitMs,
          () => ({}),
        ),
      ),
      status: call(statusReport, (report) => ({ known: job.attempts.status(report) })),
      'commit-pending': call(statusReport, (report) => ({ known: job.attempts.commitPending(report) })),
      'can-commit': call(commitRequest, ({ attemptId }) => {
        const permitted = job.attempts.mayCommit(attemptId);
        return { known: permitted !== undefined, permitted: permitted ?? false };
      }),
      done: call(statusReport, (report) => ({ known: job.attempts.done(report) })),
      failed: call(failureReport, (report) => ({ known: job.attempts.failed(report) })),
      events: call(eventsRequest, (request) => this.#events(request)),
    };
  }

  #events({ attemptId, from, waitMs }: EventsRequest): Promise<EventsAnswer> {
    const wanted = () => this.#job.attempt(attemptId)?.state === 'RUNNING';
    const now = (): EventsAnswer => ({ known: wanted(), events: this.#job.attempts.mapEvents.slice(from, from + eventsPerAnswer) });
    return this.#eventually(
      () => (!wanted() || this.#job.attempts.mapEvents.length > from ? now() : undefined),
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
    if (size > maximumBodyBytes) throw new BadBody(`the body is larger than ${maximumBodyBytes} bytes`);
    pieces.push(piece);
  }
  try {
    return parseJson(Buffer.concat(pieces).toString());
  } catch {
    throw new BadBody('the body is no JSON');
  }
}
