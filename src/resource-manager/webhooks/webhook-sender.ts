// One delivery of a webhook: a signed POST to addresses that were checked, without redirects, within a time.
import { createHmac } from 'node:crypto';
import { request as securedRequest } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import type { Clock } from '../../lib/clock.ts';
import { request as plainRequest } from '../../lib/plain-http.ts';
import { TargetRefused, type WebhookTargets } from './webhook-targets.ts';

/** What is sent. */
export interface Message {
  readonly url: string;
  readonly secret: string;
  /** The kind of the event. */
  readonly kind: string;
  /** The same for all tries of one delivery. */
  readonly delivery: string;
  /** JSON. */
  readonly body: string;
}

/** What became of a try: `refused` says that this event will never be taken, `failed` that it may be later. */
export type Outcome = { readonly kind: 'taken' } | { readonly kind: 'refused' | 'failed'; readonly reason: string };

/** How long a receiver has to answer, from the look-up of its name on, ms. */
export const answerMs = 10_000;
/** Answers that speak of the one event and not of the receiver. */
const aboutEvent = new Set([400, 409, 413, 415, 422]);

/** The value of `X-Heddle-Signature`: whoever knows the secret sees that the body is ours, and when it was sent. */
export function signatureOf(secret: string, body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

/** Tries once; never rejects. The signal gives up. */
export async function sendWebhook(message: Message, targets: WebhookTargets, clock: Clock, closing: AbortSignal): Promise<Outcome> {
  const late = new AbortController();
  const timer = clock.setTimer(answerMs, () => late.abort());
  const signal = AbortSignal.any([late.signal, closing]);
  try {
    const url = new URL(message.url);
    const addresses = await unlessAborted(targets.addressesOf(url), signal);
    const status = await unlessAborted(post(url, message, addresses, clock, signal), signal);
    if (status >= 200 && status < 300) return { kind: 'taken' };
    return { kind: aboutEvent.has(status) ? 'refused' : 'failed', reason: `the answer was ${status}` };
  } catch (error) {
    if (late.signal.aborted) return { kind: 'failed', reason: `no answer in ${answerMs / 1000} s` };
    return { kind: 'failed', reason: reasonOf(error) };
  } finally {
    timer.cancel();
  }
}

/** In few words: what a receiver says is not repeated. */
function reasonOf(error: unknown): string {
  if (error instanceof TargetRefused) return error.message;
  const { code, message } = error as { code?: unknown; message?: string };
  return typeof code === 'string' ? code : (message ?? 'it failed').slice(0, 200);
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(new Error('given up'));
  signal.addEventListener('abort', abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Resolves to the status once the head of the answer is there; its body is not read. */
function post(url: URL, message: Message, addresses: readonly string[], clock: Clock, signal: AbortSignal): Promise<number> {
  const { secret, kind, delivery, body } = message;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const sent = (url.protocol === 'https:' ? securedRequest : plainRequest)(url, {
    method: 'POST',
    agent: false,
    signal,
    lookup: checkedOnly(addresses),
    ...(url.protocol === 'https:' ? { rejectUnauthorized: true } : {}),
    headers: {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'heddle-webhook',
      'x-heddle-event': kind,
      'x-heddle-delivery': delivery,
      'x-heddle-signature': signatureOf(secret, body, clock.now()),
    },
  });
  sent.on('response', (response) => {
    resolve(response.statusCode ?? 0);
    sent.destroy();
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

/** A look-up that gives what was checked, whatever the name says a moment later. */
const checkedOnly =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, { all }, answer) => {
    const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
    const [first] = found;
    if (!first) answer(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
    else if (all) answer(null, found);
    else answer(null, first.address, first.family);
  };
