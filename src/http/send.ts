// An answer as bytes on the connection: content type, the headers every server sends, gzip, back-pressure.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, gzipSync } from 'node:zlib';
import type { Logger } from '../lib/log.ts';
import type { Answer, Headers, Pieces } from './answers.ts';
import { type KeptTexts, type WrittenText, written, writtenText } from './kept-texts.ts';
import type { Format } from './negotiate.ts';
import { serverEnd } from './open-calls.ts';
import { recordPieces } from './record-pieces.ts';
import { isBrowser } from './request-gate.ts';
import { requestIdHeader } from './request-ids.ts';
import { endWithTurn } from './turn-end.ts';

/** What sending needs besides the answer. */
export interface Sending {
  readonly request: IncomingMessage;
  /** See `request-ids.ts`. */
  readonly requestId: string;
  readonly response: ServerResponse;
  readonly format: Format;
  readonly gzip: boolean;
  /** Value of X-Frame-Options, empty for none. */
  readonly frameOptions: string;
  /** What pages have besides. */
  readonly pageHeaders: Headers;
  readonly extra: Headers | undefined;
  readonly texts: KeptTexts;
  /** Its connection takes no more requests. */
  readonly isLast: boolean;
  readonly logger: Logger;
}

/** The content types of described objects, blank included, as Hadoop 3.4 sends them. */
export const contentTypes: Readonly<Record<Format, string>> = {
  json: 'application/json;charset=utf-8',
  xml: 'application/xml; charset=utf-8',
};
const gzipAtOnceBytes = 256 * 1024;

/** Sends an answer; never throws. */
export function sendAnswer(answer: Answer, sending: Sending): void {
  const { request, response } = sending;
  if (response.headersSent || response.destroyed) {
    // Who left before the answer was made leaves behind what it holds: a file that nobody closes ends the process when it is collected.
    if (answer.kind === 'pieces') void letGo(answer, sending);
    return;
  }
  const headers: Record<string, string | string[] | number> = {
    'x-content-type-options': 'nosniff',
    'x-xss-protection': '1; mode=block',
    'cache-control': 'no-cache',
    pragma: 'no-cache',
  };
  if (sending.frameOptions !== '') headers['x-frame-options'] = sending.frameOptions;
  if (sending.gzip) headers['vary'] = 'Accept-Encoding';
  if (answer.headers) Object.assign(headers, answer.headers);
  if (sending.extra) Object.assign(headers, sending.extra);
  headers[requestIdHeader] = sending.requestId;
  // Who wanted to speak something else is answered once: what comes behind such a request on its connection may go unread.
  if (sending.isLast || request.headers.upgrade !== undefined) headers['connection'] = 'close';
  if (headers['set-cookie'] !== undefined && isBrowser(request)) headers['set-cookie'] = withSameSite(headers['set-cookie']);
  const encodings = String(request.headers['accept-encoding'] ?? '');
  let zip = sending.gzip && /\bgzip\b/i.test(encodings) && headers['content-encoding'] === undefined;
  try {
    if (answer.kind === 'empty') {
      headers['content-length'] = 0;
      response.writeHead(answer.status, headers).end();
      return;
    }
    const contentType =
      answer.kind === 'record' || answer.kind === 'bytes'
        ? contentTypes[sending.format]
        : (answer.contentType ?? contentTypes[sending.format]);
    if (contentType !== '') headers['content-type'] = contentType;
    // Hadoop compresses what its interfaces answer for whoever names gzip, be it to refuse it; pages follow what was said.
    if (zip && contentType.startsWith('text/html') && /\bgzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)/i.test(encodings)) zip = false;
    if (contentType.startsWith('text/html') && headers['content-security-policy'] === undefined)
      Object.assign(headers, sending.pageHeaders);
    if (answer.kind === 'pieces') {
      void (answer.cut ? sendPieces(answer, sending, headers, false, inTurnUntil(answer.cut)) : sendPieces(answer, sending, headers, zip));
      return;
    }
    if (answer.kind === 'bytes') {
      void sendBytes(answer, sending, headers, zip);
      return;
    }
    const slices =
      answer.kind === 'record' && answer.isSliced ? recordPieces(answer.record, answer.value as never, sending.format) : undefined;
    if (slices) {
      void sendPieces({ status: answer.status, body: slices }, sending, headers, zip);
      return;
    }
    const { text, isShortAscii } = answer.kind === 'record' ? textOf(answer, sending) : written(answer.body);
    if (!zip && isShortAscii && request.method !== 'HEAD') {
      // One write for headers and body.
      headers['content-length'] = text.length;
      response.writeHead(answer.status, headers);
      endWithTurn(response, text);
      return;
    }
    let body = Buffer.from(text, 'utf8');
    if (zip && body.length > gzipAtOnceBytes) {
      void sendPieces({ status: answer.status, body: [body] }, sending, headers, true);
      return;
    }
    if (zip) {
      body = gzipSync(body, { level: 1 });
      headers['content-encoding'] = 'gzip';
    }
    headers['content-length'] = request.method === 'HEAD' ? 0 : body.length;
    response.writeHead(answer.status, headers);
    if (request.method === 'HEAD') response.end();
    else endWithTurn(response, body);
  } catch (error) {
    sending.logger.error({ err: error, request: sending.requestId }, 'an answer could not be written');
    if (!response.headersSent) response.writeHead(500).end();
    else response.destroy();
  }
}

const textOf = ({ record, value, isKept }: Extract<Answer, { kind: 'record' }>, { format, texts }: Sending): WrittenText =>
  isKept ? texts.textOf(record, value as never, format) : writtenText(record, value as never, format);

/** Sends bytes that may become others as soon as they are sent. */
async function sendBytes(
  { status, body, sent }: Extract<Answer, { kind: 'bytes' }>,
  sending: Sending,
  headers: Record<string, string | string[] | number>,
  zip: boolean,
): Promise<void> {
  const { request, response } = sending;
  if (!Buffer.isBuffer(body))
    return zip
      ? sendPieces({ status, body: copies(body) }, sending, headers, true)
      : sendPieces({ status, body }, sending, headers, false, inTurn);
  // What is made smaller is another piece of bytes.
  if (zip) return sendPieces({ status, body: [Buffer.from(body)] }, sending, headers, true);
  headers['content-length'] = request.method === 'HEAD' ? 0 : body.length;
  response.writeHead(status, headers);
  if (request.method === 'HEAD') response.end();
  else endWithTurn(response, body, sent);
}

async function* copies(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece);
}

/** Sends each piece before the next is asked for. A client that left needs no more. */
async function inTurn(pieces: Pieces, response: ServerResponse): Promise<void> {
  for await (const piece of pieces) {
    const isSent = await new Promise<boolean>((resolve) => response.write(piece, (error) => resolve(!error)));
    if (!isSent) return void response.destroy();
  }
  response.end();
}

/** The same until a signal fires: a reader that does not read is told nothing more. */
const inTurnUntil =
  (cut: AbortSignal) =>
  (pieces: Pieces, response: ServerResponse): Promise<void> => {
    cut.addEventListener('abort', () => response.destroy(), { once: true });
    return inTurn(pieces, response);
  };

const piped = (pieces: Pieces, response: ServerResponse): Promise<void> => pipeline(Readable.from(pieces, { objectMode: true }), response);

/** Cookies as browsers are to keep them: what another site makes them send goes without, but for links. Programs get Hadoop's own form. */
function withSameSite(cookies: string | number | string[]): string | string[] {
  const lax = (cookie: string) => (/;\s*samesite=/i.test(cookie) ? cookie : `${cookie}; SameSite=Lax`);
  return Array.isArray(cookies) ? cookies.map(lax) : lax(String(cookies));
}

async function sendPieces(
  answer: { status: number; body: Pieces; close?: (() => Promise<void>) | undefined },
  sending: Sending,
  headers: Record<string, string | string[] | number>,
  zip: boolean,
  send = piped,
): Promise<void> {
  const { request, response, logger, requestId } = sending;
  if (zip) headers['content-encoding'] = 'gzip';
  try {
    response.writeHead(answer.status, headers);
    if (request.method === 'HEAD') {
      response.end();
      return;
    }
    if (zip) await pipeline(Readable.from(answer.body, { objectMode: true }), createGzip({ level: 1 }), response);
    else await send(answer.body, response);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_STREAM_PREMATURE_CLOSE' && error !== serverEnd)
      logger.warn({ err: error, request: requestId }, 'an answer was cut short');
    response.destroy();
  } finally {
    await letGo(answer, sending);
  }
}

/** Closes what an answer in pieces holds, such as an open file; never throws. */
const letGo = async ({ close }: Pick<Extract<Answer, { kind: 'pieces' }>, 'close'>, { logger }: Pick<Sending, 'logger'>): Promise<void> =>
  close?.().catch((error: unknown) => logger.warn({ err: error }, 'what an answer held could not be let go'));
