// Connections to a server that proves that it knows a key, and hears the same of this side: nothing else is sent before, and nothing that it
// could use elsewhere.
import type { ClientRequestArgs, IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { isUnbelieved, remedyOf } from '../auth/certificate-errors.ts';
import { type ConnectionKey, provenContext, provenPath, provenProtocol, purposeHeader } from '../auth/connection-key.ts';
import type { TlsIdentity } from '../auth/tls-files.ts';
import { Agent, request as plainRequest } from '../lib/plain-http.ts';
import { printable } from '../lib/printable.ts';
import { asksForTicket } from './credentials.ts';

/** Thrown where what answers does not know the key, does not know ours, or is no such server at all. */
export class Unproven extends Error {
  override readonly name = 'Unproven';
}

/** How to connect. */
export interface ProvenAgentOptions {
  /** Base URL of the server, `http://host:port` or `https://host:port`; asked at each connection. */
  readonly url: () => string;
  /** The keys to choose from, the best first; asked at each connection. */
  readonly keys: () => readonly ConnectionKey[];
  /** What is said of a server that knows none of them. */
  readonly unknown: string;
  /** What it is for (`purposeHeader`). */
  readonly purpose?: string;
  /** Certificate and key that are shown to a server that asks for them, asked at each connection. */
  readonly certificate?: () => TlsIdentity['options'] | undefined;
  /** A SPNEGO token, base64, for what stands before the server and asks for a ticket of this side; absent: there is none. */
  readonly ticketFor?: ((host: string) => Promise<string>) | undefined;
  readonly keepAlive?: boolean;
  readonly maxSockets?: number;
}

const handshakeTimeoutMs = 10_000;
let context: SecureContext | undefined;

/**
 * An agent for `http.request` and WebSockets whose connections are proven, whatever host a request names. Requests fail with {@link Unproven}
 * where the server and this side could not prove themselves to each other.
 */
export class ProvenAgent extends Agent {
  readonly #options: ProvenAgentOptions;

  constructor(options: ProvenAgentOptions) {
    super({ keepAlive: options.keepAlive ?? false, maxSockets: options.maxSockets ?? Number.POSITIVE_INFINITY });
    this.#options = options;
  }

  override createConnection(_options: ClientRequestArgs, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    const told = callback as (error: Error | null, stream?: Duplex) => void;
    void connectProven(this.#options).then((socket) => told(null, socket), told);
  }
}

/** Connects. @throws Unproven, or the network's error */
async function connectProven({ url, keys, unknown, purpose, certificate, ticketFor }: ProvenAgentOptions): Promise<TLSSocket> {
  const target = new URL(provenPath, url());
  const raw = await upgrade(target, { purpose, certificate: certificate?.(), ticketFor });
  return new Promise((resolve, reject) => {
    context ??= createSecureContext(provenContext);
    const known = keys();
    const socket = connectTls({
      socket: raw,
      secureContext: context,
      // The key is the proof; there is no certificate.
      checkServerIdentity: () => undefined,
      pskCallback: (hint) => {
        const names = hint?.split(',') ?? [];
        const chosen = known.length === 1 ? known[0] : known.find(({ identity }) => names.includes(identity));
        return chosen ? { psk: chosen.key, identity: chosen.identity } : null;
      },
    });
    const late = setTimeout(() => socket.destroy(new Error(`no proof in ${handshakeTimeoutMs} ms`)), handshakeTimeoutMs);
    const failed = (error: NodeJS.ErrnoException) => {
      clearTimeout(late);
      reject(error.code?.startsWith('ERR_SSL') ? new Unproven(unknown, { cause: error }) : error);
    };
    socket.once('error', failed);
    socket.once('close', () => failed(new Error('the connection was closed before it was proven')));
    socket.once('secureConnect', () => {
      clearTimeout(late);
      socket.off('error', failed);
      resolve(socket);
    });
  });
}

/** What is wrong with who answers, or the network's error. */
function problemOf({ origin }: URL, error: NodeJS.ErrnoException): Error {
  const code = error.code ?? '';
  if (code.startsWith('HPE_')) return new Unproven(`what answers at ${origin} does not speak HTTP`, { cause: error });
  if (code.startsWith('ERR_SSL_')) return new Unproven(`what answers at ${origin}: ${remedyOf(code)} (${code})`, { cause: error });
  if (isUnbelieved(code))
    return new Unproven(`the certificate of what answers at ${origin} is not believed (${code}); ${remedyOf(code)}`, { cause: error });
  return error;
}

const longestReason = 1000;

/** The beginning of a refusal, as it may stand in a log. */
async function beginningOf(answer: IncomingMessage): Promise<string> {
  let text = '';
  const late = setTimeout(() => answer.destroy(), handshakeTimeoutMs);
  try {
    for await (const piece of answer.setEncoding('utf8')) {
      text += piece;
      if (text.length > longestReason) break;
    }
  } catch {
    // What came counts.
  } finally {
    clearTimeout(late);
  }
  return printable(text.slice(0, longestReason));
}

interface Upgrade {
  readonly purpose: string | undefined;
  readonly certificate: TlsIdentity['options'] | undefined;
  readonly ticketFor: ProvenAgentOptions['ticketFor'];
  /** A ticket that was asked for. */
  readonly ticket?: string;
}

/** Asks for the upgrade. @throws Unproven where what answers does not know it, or the network's error */
async function upgrade(target: URL, options: Upgrade): Promise<Duplex> {
  const { purpose, certificate = {}, ticketFor, ticket } = options;
  const request = target.protocol === 'https:' ? (await import('node:https')).request : plainRequest;
  return new Promise((resolve, reject) => {
    const headers = {
      connection: 'Upgrade',
      upgrade: provenProtocol,
      ...(purpose === undefined ? {} : { [purposeHeader]: purpose }),
      ...(ticket === undefined ? {} : { authorization: `Negotiate ${ticket}` }),
    };
    const asking = request(target, { ...certificate, headers, agent: false, timeout: handshakeTimeoutMs });
    asking.on('timeout', () => asking.destroy(new Error(`no answer in ${handshakeTimeoutMs} ms`)));
    asking.on('error', (error: NodeJS.ErrnoException) => reject(problemOf(target, error)));
    asking.on('response', (answer) => {
      const { statusCode } = answer;
      if (statusCode !== 401) {
        answer.destroy();
        return reject(new Unproven(`what answers at ${target.origin} proves nothing (HTTP ${statusCode})`));
      }
      if (ticketFor && ticket === undefined && asksForTicket(answer.headers['www-authenticate'])) {
        answer.destroy();
        const again = ticketFor(target.hostname).then((given) => upgrade(target, { ...options, ticket: given }));
        void again.then(resolve, reject);
        return;
      }
      void beginningOf(answer).then((text) => {
        reject(new Unproven(`what answers at ${target.origin} does not believe this side (HTTP 401): ${text || 'it does not say why'}`));
      });
    });
    asking.on('upgrade', (answer, socket, head) => {
      socket.setTimeout(0);
      if (answer.headers.upgrade?.toLowerCase() === provenProtocol && head.length === 0) return resolve(socket);
      socket.destroy();
      reject(new Unproven(`what answers at ${target.origin} proves nothing`));
    });
    asking.end();
  });
}
