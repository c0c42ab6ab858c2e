// Requests to stores: bounded in time, made again where what failed may pass, and held to what the server says of its answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { isUnbelieved } from '../../../auth/certificate-errors.ts';
import { connectionReason } from '../../../lib/connection-reason.ts';
import { RemoteFailure } from './remote-failure.ts';
import type { Patience, RemoteReader, SeenFile } from './remote-store.ts';

const usualPatience: Patience = { answerMs: 60_000, stallMs: 60_000, attempts: 5, waitMs: 500 };
/** A server that nobody finds, or that refuses connections, is asked only so often: mostly its address is wrong. */
const unreachableAttempts = 3;
/** One that does not answer in time may never do. */
const silentAttempts = 2;
/** No server is waited for longer between two calls, whatever it asks for. */
const longestWaitMs = 30_000;
const longestText = 64 << 20;
/** Too much to do, or a fault that may pass (RFC 9110, 15.6). */
const passing: readonly number[] = [429, 500, 502, 503, 504];
/** What `fetch` would decode: bytes that nobody asked for. */
const decodedByFetch = /^\s*(x-)?(gzip|deflate|br|zstd|compress)\b/i;

export const patienceOf = ({ patience }: Pick<RemoteReader, 'patience'>): Patience => patience ?? usualPatience;

/** Thrown where the connection broke, or nothing came for too long: the same may go well another time. */
export class BrokenOff extends RemoteFailure {}

/** Thrown where a server sends a file from its beginning alone. */
export class NoParts extends RemoteFailure {}

function brokenOff(what: string, error: unknown): RemoteFailure {
  if (error instanceof RemoteFailure) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : (error as Error);
  const code = String((cause as NodeJS.ErrnoException).code);
  const javaClass = code === 'ECONNREFUSED' ? 'java.net.ConnectException' : 'java.io.IOException';
  const message = `${what}: ${cause instanceof Silence ? cause.message : connectionReason(cause) || 'failed'}`;
  return isUnbelieved(code) ? new RemoteFailure(message, javaClass, { cause }) : new BrokenOff(message, javaClass, { cause });
}

/** The server did not answer in time. */
class Silence extends Error {}

/** How often a call is made at most that fails so. */
function attemptsFor(failure: unknown): number {
  if (!(failure instanceof BrokenOff)) return 1;
  if (failure.cause instanceof Silence) return silentAttempts;
  const code = String((failure.cause as NodeJS.ErrnoException | undefined)?.code);
  return /^(ECONNREFUSED|ENOTFOUND|EHOSTUNREACH|ENETUNREACH)$/.test(code) ? unreachableAttempts : Number.POSITIVE_INFINITY;
}

/** How long is waited behind a call of this number, the first being 1. */
const waitMsBehind = ({ waitMs }: Patience, attempt: number): number => Math.min(longestWaitMs, waitMs * 2 ** (attempt - 1));

/** How long a server asks to be left alone (RFC 9110, 10.2.3); undefined: it does not say. */
export function retryAfterMs(response: Response, nowMs: number): number | undefined {
  const said = response.headers.get('retry-after')?.trim();
  if (said === undefined || said === '') return undefined;
  const wait = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - nowMs;
  return Number.isNaN(wait) ? undefined : Math.min(longestWaitMs, Math.max(0, wait));
}

/** Makes a call again that failed in a way that may pass. @throws what it throws at last */
export async function persist<Value>(patience: Patience, call: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= Math.min(patience.attempts, attemptsFor(error)) || signal?.aborted === true) throw error;
    }
    await sleep(waitMsBehind(patience, attempt), undefined, { signal });
  }
}

/**
 * Sends a request and waits for the head of the answer; one that says that it is too much now, or that breaks off, is sent again: it has to do no
 * harm to do so. @throws RemoteFailure where no server answers
 */
export async function answerOf(
  what: string,
  { patience, signal, nowMs }: { readonly patience: Patience; readonly signal: AbortSignal | undefined; readonly nowMs: () => number },
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await persist(patience, () => once(what, patience.answerMs, signal, send), signal);
    if (!passing.includes(response.status) || attempt >= patience.attempts) return response;
    const wait = retryAfterMs(response, nowMs()) ?? waitMsBehind(patience, attempt);
    await response.body?.cancel();
    await sleep(wait, undefined, { signal });
  }
}

async function once(
  what: string,
  answerMs: number,
  signal: AbortSignal | undefined,
  send: (signal: AbortSignal) => Promise<Response>,
): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Silence(`no answer within ${answerMs / 1000} seconds`)), answerMs);
  try {
    return await send(signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]));
  } catch (error) {
    throw brokenOff(what, error);
  } finally {
    clearTimeout(timer);
  }
}

/** The body of an answer, piece by piece. Where the server says how long it is, so much has to come. @throws BrokenOff */
export async function* bodyOf(response: Response, what: string, { stallMs }: Patience): AsyncGenerator<Buffer> {
  const announced =
    response.headers.get('content-encoding') === null ? Number(response.headers.get('content-length') ?? Number.NaN) : Number.NaN;
  let bytes = 0;
  const reader = response.body?.getReader();
  let isStalled = false;
  const timer = setTimeout(() => {
    isStalled = true;
    reader?.cancel().catch(() => {});
  }, stallMs);
  try {
    while (reader !== undefined) {
      timer.refresh();
      const { done, value } = await reader.read();
      if (isStalled) throw new BrokenOff(`${what} broke off after ${bytes} bytes: nothing came for ${stallMs / 1000} seconds`);
      if (done) break;
      bytes += value.length;
      yield Buffer.from(value.buffer, value.byteOffset, value.length);
    }
  } catch (error) {
    throw brokenOff(`${what} broke off after ${bytes} bytes`, error);
  } finally {
    clearTimeout(timer);
    reader?.cancel().catch(() => {});
  }
  if (bytes < announced) throw new BrokenOff(`${what} broke off: ${bytes} of ${announced} bytes came`, 'java.io.EOFException');
}

/** The body of an answer as text. @throws RemoteFailure where it breaks off or is too long */
export async function textOf(response: Response, what: string, patience: Patience): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of bodyOf(response, what, patience)) {
    bytes += piece.length;
    if (bytes > longestText) throw new RemoteFailure(`${what}: the answer is too long`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/**
 * Checks that the answer is what was asked for: the bytes of a file as they lie there, from `start` on, of the version that was seen before.
 * @throws RemoteFailure, NoParts
 */
export function checkPart(response: Response, start: number, what: string, seen: SeenFile): void {
  const header = (name: string) => response.headers.get(name) ?? undefined;
  if (start > 0 && response.status !== 206) throw new NoParts(`${what}: the server does not send parts of it`);
  const range = header('content-range');
  const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(range ?? '') ?? [];
  if (response.status === 206 && Number(from) !== start)
    throw new RemoteFailure(
      `${what}: the server was asked for the bytes from ${start} on, and sent ${range ?? 'others, without their place'}`,
    );
  const encoding = header('content-encoding');
  if (encoding !== undefined && decodedByFetch.test(encoding))
    throw new RemoteFailure(`${what}: the server sends it as ${encoding}, although its bytes were asked for as they are`);
  const version = header('etag') ?? header('last-modified') ?? (total === '*' ? undefined : total);
  if (seen.version !== undefined && version !== seen.version) throw new RemoteFailure(`${what} changed while it was read`);
  seen.version = version;
}
