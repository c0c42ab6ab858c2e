// Passes on what a node, or the history server, says to who may see it here, logs and use: as that caller, with a proof of this server's own.
import { type Authorize, fetchWithin } from '../../client/credentials.ts';
import { type Answer, stream } from '../../http/answers.ts';
import { throwAtServerEnd } from '../../http/open-calls.ts';
import { readFlag } from '../../http/query-flag.ts';
import { requestIdHeader } from '../../http/request-ids.ts';
import type { Call } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';

/** Answers that are passed on at once: logs that are followed stay open. */
const mostRelays = 256;
let relays = 0;
const passedOn = ['content-range', 'accept-ranges'];

const outOfReach = { logs: 'LOG_OUT_OF_REACH', use: 'USAGE_OUT_OF_REACH' } as const;

/**
 * The answer of `address`, with the range and `follow` of the call. What the other server refuses is refused here in its words.
 * @throws Failure OVERLOADED, LOG_OUT_OF_REACH, USAGE_OUT_OF_REACH
 */
export async function relayedAnswer(
  call: Call<never>,
  address: URL,
  authorizationOf: (user: string) => Authorize | undefined,
  what: keyof typeof outOfReach,
): Promise<Answer> {
  if (relays >= mostRelays) throw failure('OVERLOADED', { what: `Passing on ${what}`, seconds: 1 });
  if (call.params['filename'] !== undefined && readFlag(call.query, 'follow')) address.searchParams.set('follow', 'true');
  const { range } = call.headers;
  relays++;
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) relays--;
    isOpen = false;
  };
  let answer: Response;
  try {
    answer = await askAs(call, address, authorizationOf, { headers: range === undefined ? {} : { range }, signal: call.signal });
  } catch (error) {
    await close();
    throwAtServerEnd(call.signal);
    throw failure(outOfReach[what], { address: address.host, reason: (error as Error).message });
  }
  const kept = passedOn.flatMap((name) => (answer.headers.has(name) ? [[name, answer.headers.get(name)!] as const] : []));
  const body = answer.body ?? [];
  const type = /^application\/json\b/.test(answer.headers.get('content-type') ?? '')
    ? 'application/json;charset=utf-8'
    : 'text/plain;charset=utf-8';
  return stream(
    answer.status,
    type,
    piecesOf(body as AsyncIterable<Uint8Array>),
    { ...Object.fromEntries(kept), 'x-accel-buffering': 'no' },
    async () => {
      await close();
      await answer.body?.cancel().catch(() => undefined);
    },
  );
}

/** Asks another server of the cluster in the name of the caller. */
export function askAs(
  { user, caller: { requestId } }: Call<never>,
  address: URL,
  authorizationOf: (user: string) => Authorize | undefined,
  { headers = {}, signal }: { readonly headers?: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<Response> {
  const authorize = user === undefined ? undefined : authorizationOf(user);
  if (!authorize && user !== undefined) address.searchParams.set('user.name', user);
  const sent = { accept: '*/*', ...headers, ...(requestId !== undefined && { [requestIdHeader]: requestId }) };
  return fetchWithin(address, { headers: sent, signal }, authorize ?? (() => ({})));
}

/** A reader that leaves ends the request; that is no failure. */
async function* piecesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    for await (const piece of body) yield Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error;
  }
}
