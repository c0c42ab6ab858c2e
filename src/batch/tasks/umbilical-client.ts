// A task's line to its master.
import { Agent, request } from 'node:http';
import type {
  CommitAnswer,
  EventsAnswer,
  EventsRequest,
  FailureReport,
  StatusAnswer,
  StatusReport,
  TaskAssignment,
  TaskRequest,
} from './umbilical.ts';

/** Thrown when the master cannot be reached after all tries. */
export class MasterUnreachable extends Error {
  override readonly name = 'MasterUnreachable';
}

/** The master understood the call and refuses it: repeating it would not help. */
class Refused extends Error {}

/** What a task may say to its master. */
export interface Umbilical {
  task(ask: TaskRequest): Promise<TaskAssignment>;
  status(report: StatusReport): Promise<StatusAnswer>;
  commitPending(report: StatusReport): Promise<StatusAnswer>;
  canCommit(attemptId: string): Promise<CommitAnswer>;
  done(report: StatusReport): Promise<StatusAnswer>;
  failed(report: FailureReport): Promise<StatusAnswer>;
  events(ask: EventsRequest): Promise<EventsAnswer>;
}

/** How often a call is tried, and how long it waits after its first failure; each further wait is twice as long. */
const patience = { attempts: 6, firstWaitMs: 200 };
export type Patience = typeof patience;
const requestTimeoutMs = 90_000;
const maximumAnswerBytes = 64 << 20;

/**
 * Calls the master at `address` (`host:port`); each call is tried several times, and all calls may be repeated without harm. A call that the
 * master understands and refuses (4xx) is not repeated.
 * Calls reject with {@link MasterUnreachable}.
 */
export function connectUmbilical(
  address: string,
  token: string,
  { attempts, firstWaitMs }: Patience = patience,
): Umbilical & { close(): void } {
  let closed = false;
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const [host, port] = [address.slice(0, address.lastIndexOf(':')), Number(address.slice(address.lastIndexOf(':') + 1))];

  const once = <Answer>(call: string, body: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asking = request(
        {
          agent,
          host,
          port,
          method: 'POST',
          path: `/umbilical/v1/${call}`,
          timeout: requestTimeoutMs,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
        },
        (response) => {
          const pieces: Buffer[] = [];
          let size = 0;
          response.on('data', (piece: Buffer) => {
            size += piece.length;
            if (size > maximumAnswerBytes) asking.destroy(new Error('answer of the master is too large'));
            pieces.push(piece);
          });
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(pieces).toString();
            const status = response.statusCode ?? 0;
            if (status !== 200) {
              const message = `the master answered ${status} to ${call}: ${text.slice(0, 500)}`;
              reject(status >= 400 && status < 500 ? new Refused(message) : new Error(message));
            } else
              try {
                resolve(JSON.parse(text) as Answer);
              } catch (error) {
                reject(error);
              }
          });
        },
      );
      asking.on('error', reject);
      asking.on('timeout', () => asking.destroy(new Error(`the master did not answer to ${call} in time`)));
      asking.end(body);
    });

  const ask = async <Answer>(call: string, message: object): Promise<Answer> => {
    const body = JSON.stringify(message);
    for (let attempt = 1; ; attempt++) {
      try {
        return await once<Answer>(call, body);
      } catch (error) {
        if (attempt >= attempts || error instanceof Refused || closed)
          throw new MasterUnreachable(`Cannot reach the application master at ${address}: ${(error as Error).message}`, { cause: error });
        await new Promise((wake) => setTimeout(wake, firstWaitMs * 2 ** (attempt - 1)));
      }
    }
  };

  return {
    task: (message) => ask('task', message),
    status: (message) => ask('status', message),
    commitPending: (message) => ask('commit-pending', message),
    canCommit: (attemptId) => ask('can-commit', { attemptId }),
    done: (message) => ask('done', message),
    failed: (message) => ask('failed', message),
    events: (message) => ask('events', message),
    close: () => {
      closed = true;
      agent.destroy();
    },
  };
}
