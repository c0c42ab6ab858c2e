// One request of a reduce for map outputs of one node.
import { type Agent, request as plainRequest } from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import { isSameSecret } from '../../auth/secrets.ts';
import { decodeShuffleHeader, hashHeader, hashOf, protocolName, protocolVersion, replyHashHeader, type ShuffleHeader } from './protocol.ts';

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

/** Fetches the segments of several maps; `receive` gets each complete one. @throws FetchFailed */
export async function fetchMapOutputs(options: FetchOptions, receive: (header: ShuffleHeader, bytes: Buffer) => void): Promise<void> {
  const { url, jobId, reduce, maps, token, timeoutMs } = options;
  const path = `/mapOutput?job=${jobId}&reduce=${reduce}&map=${maps.join(',')}`;
  const hash = hashOf(token, path);
  const missing = new Set(maps);
  const { hostname, port, pathname, protocol } = new URL(url);
  const { request, agent } = await asker(protocol, options.agent);
  return new Promise((resolve, reject) => {
    const fail = (kind: FetchErrorKind, message: string, cause?: unknown, lost = false) => {
      asking.destroy();
      reject(new FetchFailed(kind, message, { cause, lost }));
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
        if (!isSameSecret(String(response.headers[replyHashHeader] ?? ''), hashOf(token, hash)))
          return fail('IO_ERROR', 'Verification of the hashReply failed');
        let head: Buffer = Buffer.alloc(0);
        let header: ShuffleHeader | undefined;
        let body = Buffer.alloc(0);
        let filled = 0;
        response.on('data', (piece: Buffer) => {
          try {
            let at = 0;
            while (at < piece.length || (header !== undefined && filled === header.partLength)) {
              if (header === undefined) {
                head = head.length === 0 ? piece.subarray(at) : Buffer.concat([head, piece.subarray(at)]);
                const decoded = decodeShuffleHeader(head);
                if (decoded === undefined) {
                  head = Buffer.from(head);
                  return;
                }
                header = decoded.header;
                if (!missing.has(header.mapId))
                  throw new FetchFailed('WRONG_MAP', `Invalid map-output! Received output for ${header.mapId}`);
                if (header.reduce !== reduce) throw new FetchFailed('WRONG_REDUCE', `data for the wrong reduce ${header.reduce}`);
                if (header.partLength < 0 || header.rawLength < 0)
                  throw new FetchFailed('WRONG_LENGTH', `invalid lengths in map output header: ${header.mapId}`);
                piece = head.subarray(decoded.size);
                at = 0;
                head = Buffer.alloc(0);
                body = Buffer.allocUnsafe(header.partLength);
                filled = 0;
              }
              const taken = Math.min(header.partLength - filled, piece.length - at);
              piece.copy(body, filled, at, at + taken);
              filled += taken;
              at += taken;
              if (filled === header.partLength) {
                missing.delete(header.mapId);
                receive(header, body);
                header = undefined;
                filled = 0;
              }
            }
          } catch (error) {
            if (error instanceof FetchFailed) fail(error.kind, error.message, error.cause);
            else fail('IO_ERROR', (error as Error).message, error);
          }
        });
        response.on('error', (error) => fail('IO_ERROR', error.message, error));
        response.on('end', () =>
          missing.size === 0 ? resolve() : fail('WRONG_LENGTH', `${url} ended before the output of ${[...missing][0]}`),
        );
      },
    );
    asking.on('error', (error) => fail('CONNECTION', error.message, error));
    asking.on('timeout', () => fail('CONNECTION', `Read timed out after ${timeoutMs} ms`));
    asking.end();
  });
}
