// The command line in a thread, and a server that answers as a cluster would.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';

/** What a command printed and its exit code. */
export interface CommandResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs commands in one thread. Dispose of it when done. */
export class CommandLine implements AsyncDisposable {
  readonly #worker: Worker;
  #out = '';
  #err = '';

  /** `environment` is all that the commands see of variables. */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#worker = new Worker(new URL('./command-worker.ts', import.meta.url), { stdout: true, stderr: true, env: { ...environment } });
    this.#worker.stdout.on('data', (chunk: Buffer) => (this.#out += chunk.toString()));
    this.#worker.stderr.on('data', (chunk: Buffer) => (this.#err += chunk.toString()));
  }

  /** Runs one command to its end; commands run one after the other. */
  async run(...args: string[]): Promise<CommandResult> {
    this.#out = '';
    this.#err = '';
    const code = await new Promise<number>((done, fail) => {
      this.#worker.once('error', fail);
      this.#worker.once('message', (said: number) => {
        this.#worker.off('error', fail);
        done(said);
      });
      this.#worker.postMessage(args);
    });
    await new Promise((turn) => setImmediate(turn));
    return { code, out: this.#out, err: this.#err };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}

/** Commands of ada's for the cluster at `url`, who has no home and no data folder; `more`: further variables, or others. */
export const commandsAt = (url: string, more: Readonly<Record<string, string>> = {}): CommandLine =>
  new CommandLine({ HEDDLE_CLUSTER: url, HADOOP_USER_NAME: 'ada', HOME: '/nowhere', HEDDLE_DATA: '/nowhere/data', ...more });

/** One answer: a status and a value that becomes JSON, or text as it is. */
export type StubAnswer = { readonly status?: number; readonly json?: unknown; readonly text?: string } | undefined;
/** What was asked. */
export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
}

/** A server whose answers a test writes; undefined is a 404 in Hadoop's form. */
export class StubServer implements AsyncDisposable {
  readonly requests: StubRequest[] = [];
  readonly #server: Server;
  answer: (request: StubRequest) => StubAnswer | 'broken off';

  constructor(answer: (request: StubRequest) => StubAnswer | 'broken off') {
    this.answer = answer;
    this.#server = createServer((request, response) => {
      void bodyOf(request).then((body) => {
        const url = new URL(request.url ?? '', 'http://stub');
        const asked = { method: request.method ?? '', path: url.pathname, query: url.searchParams, body };
        this.requests.push(asked);
        const answered = this.answer(asked);
        if (answered === 'broken off') return request.socket.destroy();
        const given = answered ?? {
          status: 404,
          json: { RemoteException: { exception: 'NotFoundException', message: 'java.lang.Exception: it is not there' } },
        };
        response.writeHead(given.status ?? 200, { 'content-type': given.text === undefined ? 'application/json' : 'text/plain' });
        response.end(given.text ?? JSON.stringify(given.json ?? {}));
      });
    });
  }

  /** Listens on a free port of loopback and gives the base URL. */
  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString();
}
