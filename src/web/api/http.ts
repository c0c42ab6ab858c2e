// Requests to this server. Whatever goes wrong is one kind of error with words for people.
import { serverTimeAsked } from '../app/clock.ts';
import { serverAddress } from './base.ts';
import { noteAnswer, noteUnknownCaller } from './presence.ts';

/** An answer that is not what was asked for. `status` 0: there was no answer. */
export class ApiFailure extends Error {
  readonly status: number;
  /** Name of the error, as programs know it. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'ApiFailure';
    this.status = status;
    this.code = code;
  }
}

interface ErrorDocument {
  readonly RemoteException?: { readonly exception?: string; readonly message?: string };
  readonly exception?: string;
  readonly message?: string;
}

async function failureOf(response: Response): Promise<ApiFailure> {
  const text = await response.text().catch(() => '');
  try {
    const document = JSON.parse(text) as ErrorDocument;
    const told = document.RemoteException ?? document;
    // Hadoop's classes say nothing to people.
    const message = told.message?.replace(/^(?:[a-z]+\.)+\w*(?:Exception|Error): /, '');
    return new ApiFailure(response.status, told.exception ?? '', message ?? response.statusText);
  } catch {
    // A page for people: of a proxy whose server is away, mostly.
    const words = /^\s*(?:<|$)/.test(text)
      ? `The server answered ${`${response.status} ${response.statusText}`.trim()}.`
      : text.slice(0, 500);
    return new ApiFailure(response.status, '', words);
  }
}

/** The header that changes carry where the cross-site filter is on; the frame says its name. */
let crossSiteHeader = 'X-XSRF-Header';
export const setCrossSiteHeader = (name: string): void => void (crossSiteHeader = name);

/** What a request is made of besides its path. */
export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly accept?: string;
  /** `bytes=0-99`: a part of the answer. */
  readonly range?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request; @throws ApiFailure for every status above 299, and where nobody answers */
export async function request(
  path: string,
  { method = 'GET', body, accept = 'application/json', range, signal }: Asked = {},
): Promise<Response> {
  const headers: Record<string, string> = { accept, ...(range !== undefined && { range }) };
  if (method !== 'GET') {
    headers['x-requested-by'] = 'heddle';
    headers[crossSiteHeader] = 'heddle';
  }
  if (body !== undefined) headers['content-type'] = 'application/json';
  let response: Response;
  const answeredAt = serverTimeAsked();
  try {
    response = await fetch(serverAddress(path), {
      method,
      headers,
      credentials: 'same-origin',
      // The proxy leads to the history of a job that has ended meanwhile: to another server, which this page may not ask.
      redirect: path.startsWith('proxy/') ? 'manual' : 'follow',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    noteAnswer('nobody');
    throw new ApiFailure(0, 'Unreachable', 'The server does not answer. It may be restarting, or the network is down.');
  }
  noteAnswer('server');
  answeredAt(response.headers.get('date'));
  if (response.type === 'opaqueredirect') throw new ApiFailure(0, 'Moved', 'What ran here has ended; what is kept of it is elsewhere.');
  if (response.status === 401 && !path.startsWith('ui/caller.json')) noteUnknownCaller();
  if (!response.ok) throw await failureOf(response);
  return response;
}

/** YARN's interface writes a float that is no number bare, as Jersey 1 does, which JSON does not have; it is read as 0. */
const textOrBare = /"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)/g;

/** A JSON answer. @throws ApiFailure */
export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const text = await (await request(path, { signal })).text();
  try {
    return JSON.parse(text) as T;
  } catch {
    return JSON.parse(text.replace(textOrBare, (found) => (found.startsWith('"') ? found : '0'))) as T;
  }
}

/** Changes something; the answer, where it is JSON. @throws ApiFailure */
export async function change<T = unknown>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<T | undefined> {
  const text = await (await request(path, { method, body })).text();
  try {
    return text === '' ? undefined : (JSON.parse(text) as T);
  } catch {
    return undefined;
  }
}

/** A query string of what is not empty, with its question mark. */
export function queryText(values: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}
