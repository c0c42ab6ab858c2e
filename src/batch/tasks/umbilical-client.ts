// A task's side of the umbilical: the calls that it makes to its master.
import { jobKey } from '../../auth/connection-key.ts';
import { ProvenAgent } from '../../client/proven-agent.ts';
import { type Checked, checked, isObject, type JsonShape } from '../../lib/json-shape.ts';
import { request } from '../../lib/plain-http.ts';
import {
  type CommitAnswer,
  commitAnswer,
  type EventsAnswer,
  type EventsRequest,
  eventsAnswer,
  type FailureReport,
  type StatusAnswer,
  type StatusReport,
  statusAnswer,
  type TaskAssignment,
  type TaskRequest,
  taskAssignment,
} from './umbilical.ts';

/** Thrown when the master cannot be reached after all tries. */
export class MasterUnreachable extends Error {
  override readonly name = 'MasterUnreachable';
}

/** The master understood the call and refuses it: repeating it would not help. */
class Refused extends Error {}

/** What a task may say to its master. */
export interface Umbilical {
  /** Undefined: the master has nothing for this container. */
  task(ask: TaskRequest): Promise<TaskAssignment | undefined>;
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

/** How an answer is read. */
type Reader<Answer> = (answer: unknown) => Checked<Answer>;
const as =
  <Answer>(described: JsonShape<Answer>): Reader<Answer> =>
  (answer) =>
    checked(described, answer);
const readTask: Reader<TaskAssignment | undefined> = (answer) =>
  isObject(answer) && Object.keys(answer).length === 0 ? { value: undefined } : checked(taskAssignment, answer);

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
  const key = jobKey(token);
  const agent = new ProvenAgent({
    url: () => `http://${address}`,
    keys: () => [key],
    unknown: 'it does not know the token of this job, or has another one',
    keepAlive: true,
    maxSockets: 4,
  });
  const [host, port] = [address.slice(0, address.lastIndexOf(':')), Number(address.slice(address.lastIndexOf(':') + 1))];

  const once = <Answer>(call: string, body: string, read: Reader<Answer>): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const asking = request(
        {
          agent,
          host,
          port,
          method: 'POST',
          path: `/umbilical/v1/${call}`,
          timeout: requestTimeoutMs,
          headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
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
                const { value, fault } = read(JSON.parse(text));
                if (fault === undefined) resolve(value);
                else reject(new Error(`the answer of the master to ${call} cannot be read: ${fault}`));
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

  const ask = async <Answer>(call: string, message: object, read: Reader<Answer>): Promise<Answer> => {
    const body = JSON.stringify(message);
    for (let attempt = 1; ; attempt++) {
      try {
        return await once(call, body, read);
      } catch (error) {
        if (attempt >= attempts || error instanceof Refused || closed)
          throw new MasterUnreachable(`Cannot reach the application master at ${address}: ${(error as Error).message}`, { cause: error });
        await new Promise((wake) => setTimeout(wake, firstWaitMs * 2 ** (attempt - 1)));
      }
    }
  };

  return {
    task: (message) => ask('task', message, readTask),
    status: (message) => ask('status', message, as(statusAnswer)),
    commitPending: (message) => ask('commit-pending', message, as(statusAnswer)),
    canCommit: (attemptId) => ask('can-commit', { attemptId }, as(commitAnswer)),
    done: (message) => ask('done', message, as(statusAnswer)),
    failed: (message) => ask('failed', message, as(statusAnswer)),
    events: (message) => ask('events', message, as(eventsAnswer)),
    close: () => {
      closed = true;
      agent.destroy();
    },
  };
}
