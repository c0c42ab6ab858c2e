// One HTTP request over kept connections, with what Node.js has: masters and servers start with this file, and a client library costs
// each of them a megabyte of code to load.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { Agent as PlainAgent, request as plainRequest } from '../lib/plain-http.ts';

/** How to ask. */
export interface RequestOptions {
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Time until the headers of the answer are there; 0 or absent: no limit. */
  readonly headersTimeout?: number | undefined;
  /** Time without a further byte of the answer; 0 or absent: no limit. */
  readonly bodyTimeout?: number | undefined;
  /** Most bytes that are read of the answer at once; a longer one is broken off. Absent: no limit. */
  readonly mostBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Makes the connections, of `http:` alone; absent: those that this module keeps. */
  readonly agent?: PlainAgent | undefined;
}

/** An answer whose headers have arrived. */
export interface RequestAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: { text(): Promise<string>; json(): Promise<unknown>; bytes(): Promise<Buffer>; readonly stream: IncomingMessage };
}

const agentOptions = { keepAlive: true, keepAliveMsecs: 30_000, maxFreeSockets: 8, scheduling: 'lifo' } as const;
let plainAgent: PlainAgent | undefined;
let secureAgent: SecureAgent | undefined;

/** Sends a request. Rejects when the server cannot be reached, is too slow, or the signal fires. The body of the answer has to be read. */
export function request(url: string | URL, options: RequestOptions = {}): Promise<RequestAnswer> {
  const target = typeof url === 'string' ? new URL(url) : url;
  const { method = 'GET', headers, body, headersTimeout = 0, bodyTimeout = 0, mostBytes, signal } = options;
  const isSecure = target.protocol === 'https:';
  return new Promise((resolve, reject) => {
    const own = options.agent;
    const agent = own ?? (isSecure ? (secureAgent ??= new SecureAgent(agentOptions)) : (plainAgent ??= new PlainAgent(agentOptions)));
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sent = (isSecure ? secureRequest : plainRequest)(target, {
      method,
      headers: { ...headers, ...length },
      agent,
      ...(signal ? { signal } : {}),
    });
    const late =
      headersTimeout > 0 ? setTimeout(() => sent.destroy(new Error(`no answer in ${headersTimeout} ms`)), headersTimeout) : undefined;
    sent.on('error', (error) => {
      clearTimeout(late);
      reject(error);
    });
    sent.on('response', (answer) => {
      clearTimeout(late);
      if (bodyTimeout > 0) sent.setTimeout(bodyTimeout, () => answer.destroy(new Error(`nothing more in ${bodyTimeout} ms`)));
      const bytes = () => readAll(answer, mostBytes);
      const text = async () => (await bytes()).toString('utf8');
      resolve({
        statusCode: answer.statusCode ?? 0,
        headers: answer.headers,
        body: { bytes, text, json: async () => JSON.parse(await text()), stream: answer },
      });
    });
    sent.end(body);
  });
}

function readAll(answer: IncomingMessage, mostBytes = Number.POSITIVE_INFINITY): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let size = 0;
    answer.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > mostBytes) answer.destroy(new Error(`the answer is longer than ${mostBytes} bytes`));
      else pieces.push(piece);
    });
    answer.on('end', () => resolve(Buffer.concat(pieces)));
    answer.on('error', reject);
    answer.on('close', () => reject(new Error('the answer broke off')));
  });
}
