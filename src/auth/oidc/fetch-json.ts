// Reads JSON of an issuer: bounded in time and size, and never from where an answer leads to.

/** What was answered. */
export interface FetchedJson {
  readonly status: number;
  readonly value: unknown;
}

/** A form that is sent. */
export interface SentForm {
  readonly form: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
}

/** Gives the JSON of an address, or of the answer to a form; rejects where there is none. */
export type FetchJson = (url: string, sent?: SentForm) => Promise<FetchedJson>;

const timeoutMs = 5_000;
const longestBytes = 256 * 1024;

export const fetchJson: FetchJson = async (url, sent) => {
  const answer = await fetch(url, {
    ...(sent && { method: 'POST', body: sent.form }),
    headers: { accept: 'application/json', ...sent?.headers },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of answer.body ?? []) {
    length += (piece as Uint8Array).length;
    if (length > longestBytes) throw new Error(`${url} answered with more than ${longestBytes} bytes`);
    pieces.push(piece as Uint8Array);
  }
  return { status: answer.status, value: JSON.parse(Buffer.concat(pieces).toString('utf8')) };
};
