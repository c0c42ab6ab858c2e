// The web address of a command's master: its state as JSON, by long poll, and the client's word that it has read all logs.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HostNames } from '../../http/own-names.ts';
import { type GateRules, gateRefusal } from '../../http/request-gate.ts';
import type { Clock } from '../../lib/clock.ts';
import { createServer } from '../../lib/plain-http.ts';
import { turnsAreOver } from '../../lib/turn-end.ts';
import type { CommandView } from '../../wire/cluster/command-job.ts';

/** Longest time a request waits for a change. */
const longestWaitMs = 20_000;

/** What a request is for; undefined where that is no address. What begins with a slash names no host, however many follow (RFC 9112, 3.2.1). */
function targetOf({ url = '/' }: IncomingMessage): URL | undefined {
  const address = url.startsWith('/') ? `http://master${url}` : url;
  return URL.canParse(address) ? new URL(address) : undefined;
}

/** Serves the view of a job. */
export class ViewServer {
  readonly #clock: Clock;
  readonly #view: () => CommandView;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #gate: GateRules = { hosts: new HostNames(), allowsOrigin: () => false, takesProxied: true };
  #waiting = new Set<() => void>();
  #drained: () => void = () => {};
  /** Resolves when the client has said that it read everything. */
  readonly drained: Promise<void>;
  /** When a client last asked, by the steady clock; undefined before. */
  lastAskedAt: number | undefined;

  constructor(clock: Clock, view: () => CommandView) {
    this.#clock = clock;
    this.#view = view;
    this.drained = new Promise((resolve) => {
      this.#drained = resolve;
    });
  }

  /** Listens on a free port of `host`; resolves with the port. */
  listen(host: string): Promise<number> {
    this.#gate = { hosts: new HostNames([host]), allowsOrigin: () => false, takesProxied: true };
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Tells waiting clients that something changed. */
  changed(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const wake of waiting) wake();
  }

  /** Answers who waits, and ends all connections. */
  async close(): Promise<void> {
    this.#server.close();
    this.changed();
    await turnsAreOver();
    this.#server.closeAllConnections();
  }

  /** Answers one request; never rejects, whatever is asked. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const send = (status: number, value: unknown): void => {
      const body = JSON.stringify(value);
      response.writeHead(status, {
        'content-type': 'application/json;charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'cache-control': 'no-store',
      });
      response.end(body);
    };
    const refusal = gateRefusal(request, this.#gate);
    if (refusal) return send(refusal.entry.status, { message: refusal.message });
    const url = targetOf(request);
    if (url === undefined) return send(400, { message: 'what is asked for is no address' });
    this.lastAskedAt = this.#clock.steadyMs();
    if (url.pathname === '/drained' && request.method === 'PUT') {
      this.#drained();
      send(200, { drained: true });
    } else if (url.pathname === '/' && (request.method === 'GET' || request.method === 'HEAD')) {
      const version = Number(url.searchParams.get('version') ?? 0);
      if (this.#view().version <= version && !response.destroyed) await this.#nextChange(response);
      this.lastAskedAt = this.#clock.steadyMs();
      if (!response.destroyed) send(200, this.#view());
    } else send(404, { message: `there is nothing at ${url.pathname}` });
  }

  #nextChange(response: ServerResponse): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        timer.cancel();
        response.off('close', done);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = this.#clock.setTimer(longestWaitMs, done);
      response.on('close', done);
      this.#waiting.add(done);
    });
  }
}
