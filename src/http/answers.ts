// What a handler gives back. The service turns it into bytes in the caller's format.

import type { Failure } from '../model/errors.ts';
import type { RecordDescription } from '../wire/codec/describe.ts';
import type { Html } from './html.ts';

/** Header names in lower case. */
export type Headers = Readonly<Record<string, string | string[]>>;

/** Pieces of a body that is produced while it is sent. */
export type Pieces = AsyncIterable<string | Buffer> | Iterable<string | Buffer>;

/** The failure that an answer tells of, where its handler wrote it itself: refusals are audited by it. */
interface Told {
  readonly failure?: Failure;
}

/** An answer. `contentType` undefined: the negotiated one. */
export type Answer = (
  | {
      readonly kind: 'record';
      readonly status: number;
      readonly record: RecordDescription<never>;
      readonly value: unknown;
      readonly headers?: Headers;
      /** Its text is kept for the next one that says the same (`kept-texts.ts`): for values that nobody changes. */
      readonly isKept?: boolean;
      /** Its text is made while it is sent, where a list in it is long (`record-pieces.ts`): for values that nobody changes. */
      readonly isSliced?: boolean;
    }
  | { readonly kind: 'rendered'; readonly status: number; readonly body: string; readonly contentType?: string; readonly headers?: Headers }
  | {
      readonly kind: 'bytes';
      readonly status: number;
      /** One piece, or pieces each of which may become another as soon as it is sent and the next is asked for. */
      readonly body: Buffer<ArrayBuffer> | AsyncIterable<Buffer<ArrayBuffer>>;
      readonly contentType?: undefined;
      readonly headers?: Headers;
      /** Called once the one piece is sent; not where it was cut short. */
      readonly sent?: () => void;
    }
  | {
      readonly kind: 'pieces';
      readonly status: number;
      readonly body: Pieces;
      readonly contentType?: string;
      readonly headers?: Headers;
      readonly close?: () => Promise<void>;
      /** Each piece is asked for when the one before has left; the connection is ended when this fires. */
      readonly cut?: AbortSignal;
    }
  | { readonly kind: 'empty'; readonly status: number; readonly headers?: Headers }
) &
  Told;

/** 200 with a described object. */
export const ok = <T>(record: RecordDescription<T>, value: T, headers?: Headers): Answer => answer(200, record, value, headers);
/** The same, asked for again and again while it says the same; nobody changes the value afterwards. */
export const lasting = <T>(record: RecordDescription<T>, value: T): Answer => ({ ...answer(200, record, value), isKept: true });
/** 200 with a described object whose lists may be long: others are served while its text is made. Nobody changes the value afterwards. */
export const sliced = <T>(record: RecordDescription<T>, value: T): Answer => ({ ...answer(200, record, value), isSliced: true });
/** Any status with a described object. */
export const answer = <T>(
  status: number,
  record: RecordDescription<T>,
  value: T,
  headers?: Headers,
): Extract<Answer, { kind: 'record' }> => ({
  kind: 'record',
  status,
  record: record as unknown as RecordDescription<never>,
  value,
  headers,
});
/** Bare text; without a content type it is labelled with the negotiated one, as Hadoop's text entities are. */
export const text = (status: number, body: string, contentType?: string, headers?: Headers): Answer => ({
  kind: 'rendered',
  status,
  body,
  contentType,
  headers,
});
/** Text that is already JSON or XML in the negotiated format. */
export const rendered = (body: string, status = 200, headers?: Headers): Answer => ({ kind: 'rendered', status, body, headers });
/** The same in UTF-8. */
export const renderedBytes = (body: Extract<Answer, { kind: 'bytes' }>['body'], sent?: () => void): Answer => ({
  kind: 'bytes',
  status: 200,
  body,
  ...(sent ? { sent } : {}),
});
/** JSON outside YARN's own paths: a plain value. */
export const json = (value: unknown, status = 200, headers?: Headers): Answer => ({
  kind: 'rendered',
  status,
  body: JSON.stringify(value),
  contentType: 'application/json;charset=utf-8',
  headers,
});
/** An HTML page. */
export const htmlAnswer = (status: number, body: Html, headers?: Headers): Answer => ({
  kind: 'rendered',
  status,
  body: body.text,
  contentType: 'text/html;charset=utf-8',
  headers,
});
/** No body. */
export const empty = (status: number, headers?: Headers): Answer => ({ kind: 'empty', status, headers });
/**
 * A body sent piece by piece, with back-pressure. `close` is called once nothing more is read, also where nothing was read at all
 * (HEAD, a client that left): a generator that never began cannot let go of what it holds.
 */
export const stream = (
  status: number,
  contentType: string | undefined,
  body: Pieces,
  headers?: Headers,
  close?: () => Promise<void>,
): Answer => ({
  kind: 'pieces',
  status,
  body,
  contentType,
  headers,
  close,
});
/** A redirect; the body is the small page that Hadoop's servers send, unless given. */
export const redirect = (status: number, url: string, body?: { text: string; contentType: string }, headers?: Headers): Answer => ({
  kind: 'rendered',
  status,
  body: body?.text ?? '',
  contentType: body?.contentType ?? 'text/html;charset=utf-8',
  headers: { ...headers, location: url },
});
