// One request of a reduce for map outputs of one node.
import type { Agent, IncomingMessage } from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import { isSameSecret } from '../../auth/secrets.ts';
import { request as plainRequest } from '../../lib/plain-http.ts';
import {
  decodeShuffleHeader,
  hashHeader,
  hashOf,
  mapOutputPath,
  protocolName,
  protocolVersion,
  replyHashHeader,
  type ShuffleHeader,
} from './protocol.ts';

/** Kinds of failed fetches, named as the counters of `Shuffle Errors`. */
export type FetchErrorKind = 'BAD_ID' | 'CONNECTION' | 'IO_ERROR' | 'WRONG_LENGTH' | 'WRONG_MAP' | 'WRONG_REDUCE';

/** A fetch that failed; the maps not yet received are to be asked for again. */
export class FetchFailed extends Error {
  override readonly name = 'FetchFailed';
  readonly kind: FetchErrorKind;
  /** The node answered, but does not have the output: asking again will not help. */
  readonly lost: boolean;
  constructor(kind: FetchErrorKind, message: string, options: { cause?: unknown; lost?: boolean } = {}) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.lost = options.lost ?? false;
  }
}

export interface FetchOptions {
  /** For `http:`; connections of `https:` are kept by this module. */
  readonly agent: Agent;
  /** Address of the service: `http://host:port/…` or `https://…`. */
  readonly url: string;
  readonly jobId: string;
  readonly reduce: number;
  readonly maps: readonly string[];
  readonly token: Buffer;
  readonly timeoutMs: number;
}

const mostSecureSockets = 5;
let secureAgent: SecureAgent | undefined;

/** What asks an address, and over which connections: TLS is loaded where it is spoken. */
async function asker(protocol: string, agent: Agent): Promise<{ request: typeof plainRequest; agent: Agent }> {
  if (protocol !== 'https:') return { request: plainRequest, agent };
  const https = await import('node:https');
  secureAgent ??= new https.Agent({ keepAlive: true, maxSockets: mostSecureSockets });
  return { request: https.request, agent: secureAgent };
}

/** Takes the bytes of one output as they come. */
export interface OutputReceiver {
  /** Takes the next bytes; they are valid during the call. */
  write(bytes: Buffer): void;
  /** All have come. @throws Error where they are not what was sent: they are to be fetched again */
  end(): void;
  /** The rest does not come. */
  drop(): void;
}
/** Begins an output; while it is waited for, the node sends no more than the buffers between take. */
export type BeginOutput = (header: ShuffleHeader) => OutputReceiver | Promise<OutputReceiver>;

/** Fetches the segments of several maps, one after the other. @throws FetchFailed */
export async function fetchMapOutputs(options: FetchOptions, begin: BeginOutput): Promise<void> {
  const missing = new Set(options.maps);
  const response = await ask(options);
  const parser = new ReplyParser(options.reduce, missing, begin);
  try {
    for await (const piece of response.stream as AsyncIterable<Buffer>) await parser.push(piece);
  } catch (error) {
    parser.drop();
    if (error instanceof FetchFailed) throw error;
    const cause = response.failure() ?? (error as Error);
    throw cause instanceof FetchFailed ? cause : new FetchFailed('IO_ERROR', cause.message, { cause });
  }
  parser.drop();
  if (missing.size > 0) throw new FetchFailed('WRONG_LENGTH', `${options.url} ended before the output of ${[...missing][0]}`);
}

/** Sends the request; gives the body of an answer that proves to know the job's token, and why reading it broke, if it did. */
async function ask({
  agent: plainAgent,
  url,
  jobId,
  reduce,
  maps,
  token,
  timeoutMs,
}: FetchOptions): Promise<{ stream: IncomingMessage; failure: () => Error | undefined }> {
  const path = `${mapOutputPath}?job=${jobId}&reduce=${reduce}&map=${maps.join(',')}`;
  const hash = hashOf(token, path);
  const { hostname, port, pathname, protocol } = new URL(url);
  const { request, agent } = await asker(protocol, plainAgent);
  return new Promise((resolve, reject) => {
    let failure: Error | undefined;
    const fail = (kind: FetchErrorKind, message: string, cause?: unknown, lost = false) => {
      failure ??= new FetchFailed(kind, message, { cause, lost });
      asking.destroy();
      reject(failure);
    };
    const asking = request(
      {
        agent,
        host: hostname.replace(/^\[|\]$/g, ''),
        port,
        path: `${pathname.replace(/\/$/, '')}${path}`,
        timeout: timeoutMs,
        headers: { [hashHeader]: hash, name: protocolName, version: protocolVersion },
      },
      (response) => {
        const status = response.statusCode ?? 0;
        if (status !== 200) {
          response.resume();
          return fail('IO_ERROR', `Got invalid response code ${status} from ${url}`, undefined, status === 404 || status === 401);
        }
        const reply = response.headers[replyHashHeader];
        if (typeof reply !== 'string' || !isSameSecret(reply, hashOf(token, hash)))
          return fail('IO_ERROR', 'Verification of the hashReply failed');
        resolve({ stream: response, failure: () => failure });
      },
    );
    asking.on('error', (error) => fail('CONNECTION', error.message, error));
    asking.on('timeout', () => fail('CONNECTION', `Read timed out after ${timeoutMs} ms`));
    asking.end();
  });
}

/** Cuts the bytes of a reply into the outputs they hold. */
class ReplyParser {
  readonly #reduce: number;
  readonly #missing: Set<string>;
  readonly #begin: BeginOutput;
  #head: Buffer = Buffer.alloc(0);
  #current: { readonly receiver: OutputReceiver; readonly mapId: string; left: number } | undefined;

  constructor(reduce: number, missing: Set<string>, begin: BeginOutput) {
    this.#reduce = reduce;
    this.#missing = missing;
    this.#begin = begin;
  }

  /** @throws FetchFailed */
  async push(piece: Buffer): Promise<void> {
    let rest = piece;
    for (;;) {
      const current = this.#current;
      if (current === undefined) {
        if (rest.length === 0) return;
        this.#head = this.#head.length === 0 ? rest : Buffer.concat([this.#head, rest]);
        const decoded = decodeShuffleHeader(this.#head);
        if (decoded === undefined) {
          this.#head = Buffer.from(this.#head);
          return;
        }
        rest = this.#head.subarray(decoded.size);
        this.#head = Buffer.alloc(0);
        await this.#start(decoded.header);
      } else {
        const taken = rest.subarray(0, current.left);
        if (taken.length > 0) current.receiver.write(taken);
        current.left -= taken.length;
        if (current.left > 0) return;
        current.receiver.end();
        this.#missing.delete(current.mapId);
        this.#current = undefined;
        rest = rest.subarray(taken.length);
      }
    }
  }

  async #start(header: ShuffleHeader): Promise<void> {
    const { mapId, reduce, partLength, rawLength } = header;
    if (!this.#missing.has(mapId)) throw new FetchFailed('WRONG_MAP', `Invalid map-output! Received output for ${mapId}`);
    if (reduce !== this.#reduce) throw new FetchFailed('WRONG_REDUCE', `data for the wrong reduce ${reduce}`);
    if (partLength < 0 || rawLength < 0) throw new FetchFailed('WRONG_LENGTH', `invalid lengths in map output header: ${mapId}`);
    this.#current = { receiver: await this.#begin(header), mapId, left: partLength };
  }

  /** Gives up an output that is not complete. */
  drop(): void {
    this.#current?.receiver.drop();
    this.#current = undefined;
  }
}
