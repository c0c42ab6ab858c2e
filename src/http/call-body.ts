// The body of a request as its route wants it, read when it is known that the route takes it from this caller.
import type { IncomingMessage } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { type Failure, failure } from '../model/errors.ts';
import type { RecordDescription } from '../wire/codec/describe.ts';
import { type BodyFormat, bodyFormat, readBody, readStrictBody } from '../wire/codec/read.ts';
import { charsetOf, decodedText, isCodePage, isUtf8 } from '../wire/codec/text-encoding.ts';
import type { BodyBudget } from './body-budget.ts';
import { announcesBody } from './body-watch.ts';

/** What of a route decides how its body is read. */
export interface BodyRules {
  readonly body?: RecordDescription<never> | 'raw';
  readonly bodyRoots?: readonly string[];
  readonly consumes?: readonly ('json' | 'xml')[];
  readonly bodyLimitBytes?: number;
  readonly strictBody?: boolean;
  readonly anyTypeName?: boolean;
}

/** A body, and its return: what of the budget it holds. */
export interface HeldBody {
  readonly value: unknown;
  readonly heldBytes: number;
}

/**
 * Reads the body of a request. A body that is compressed with gzip is unpacked, within the same limit. What it holds of the budget
 * in the name of `holder` is the caller's to give back, but where it throws.
 * @throws Failure BODY_TOO_LARGE, BODY_MISSING, UNSUPPORTED_CONTENT_TYPE, BODY_NOT_PARSABLE, BODIES_FULL, BODIES_OF_ADDRESS_FULL
 */
export async function readCallBody(
  rules: BodyRules,
  request: IncomingMessage,
  defaultLimitBytes: number,
  budget: BodyBudget,
  holder: string,
): Promise<HeldBody> {
  const limitBytes = rules.bodyLimitBytes ?? defaultLimitBytes;
  const sent = announcesBody(request)
    ? await receive(request, limitBytes, (bytes) => budget.take(holder, bytes))
    : { bytes: empty, taken: 0 };
  let { taken } = sent;
  const release = () => budget.release(holder, taken);
  if (sent.failed !== undefined) {
    release();
    throw sent.failed;
  }
  try {
    const bytes = unpacked(sent.bytes, request.headers['content-encoding'], limitBytes, rules);
    if (bytes.length > limitBytes) throw failure('BODY_TOO_LARGE', { limitBytes });
    const full = bytes === sent.bytes ? undefined : budget.take(holder, bytes.length);
    if (full) throw full;
    if (bytes !== sent.bytes) taken += bytes.length;
    return { value: bodyValue(rules, bytes, request.headers['content-type']), heldBytes: taken };
  } catch (error) {
    release();
    throw error;
  }
}

const empty = Buffer.alloc(0);

interface Received {
  readonly bytes: Buffer;
  /** Bytes that `take` was told of. */
  readonly taken: number;
  readonly failed?: unknown;
}

/** Reads what is sent, up to the limit; never rejects. */
function receive(request: IncomingMessage, limitBytes: number, take: (bytes: number) => Failure | undefined): Promise<Received> {
  const tooLarge = () => failure('BODY_TOO_LARGE', { limitBytes });
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) return Promise.resolve({ bytes: empty, taken: 0, failed: tooLarge() });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let taken = 0;
    const done = (failed?: unknown): void => {
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      if (failed !== undefined) chunks.length = 0;
      resolve({ bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), taken, ...(failed === undefined ? {} : { failed }) });
    };
    const onData = (chunk: Buffer): void => {
      if (taken + chunk.length > limitBytes) return done(tooLarge());
      const full = take(chunk.length);
      if (full) return done(full);
      taken += chunk.length;
      chunks.push(chunk);
    };
    const onEnd = (): void => done();
    const onError = (error: unknown): void => done(failure('BAD_ENCODING', { reason: (error as Error).message }));
    const onClose = (): void => done(failure('BAD_ENCODING', { reason: 'the body ended early' }));
    request.on('data', onData).once('end', onEnd).once('error', onError).once('close', onClose);
  });
}

function bodyValue(rules: BodyRules, bytes: Buffer, contentType: string | undefined): unknown {
  if (rules.body === undefined || (rules.body === 'raw' && (rules.consumes === undefined || bytes.length === 0))) return bytes;
  const consumes = rules.consumes ?? ['json', 'xml'];
  const accepted = consumes.map((type) => `application/${type}`).join(' or ');
  const format = bodyFormat(contentType, rules.anyTypeName);
  if (!contentType && bytes.length === 0) throw failure('BODY_MISSING', { accepted });
  if (!format || !consumes.includes(format)) throw failure('UNSUPPORTED_CONTENT_TYPE', { contentType: contentType ?? 'none', accepted });
  if (rules.body === 'raw') return bytes;
  const known = inUtf8(bytes, format, contentType ?? '');
  if (!known) throw failure('UNSUPPORTED_CONTENT_TYPE', { contentType: contentType ?? 'none', accepted });
  if (rules.strictBody && format === 'json') return readStrictBody(rules.body, known);
  return readBody(rules.body, known, format, rules.bodyRoots);
}

/** A body as its readers want it: JSON in UTF-8, XML as it is, since that says itself how it is written. Undefined where nobody knows the charset. */
function inUtf8(bytes: Buffer, format: BodyFormat, contentType: string): Buffer | undefined {
  const charset = charsetOf(contentType);
  if (isUtf8(charset) || (format === 'xml' && isCodePage(charset))) return bytes;
  const text = decodedText(format === 'json' ? bytes : empty, charset);
  if (text === undefined) return undefined;
  return format === 'json' ? Buffer.from(text) : bytes;
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * What a body says where it is packed. Hadoop reads past `Content-Encoding`, which clients fill with a charset or with what they did not
 * do: what is read by a description, and no gzip, is taken as it came. Bytes that are kept have to be what they say.
 */
function unpacked(bytes: Buffer, header: string | undefined, limitBytes: number, rules: BodyRules): Buffer {
  const encoding = header?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return bytes;
  const isKept = rules.body === 'raw' && rules.consumes === undefined;
  if (encoding !== 'gzip' && encoding !== 'x-gzip') {
    if (isKept) throw failure('BAD_ENCODING', { reason: `content encoding ${header} is not understood; use gzip or none` });
    return bytes;
  }
  if (!isKept && !isGzip(bytes)) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw failure('BODY_TOO_LARGE', { limitBytes });
    throw failure('BAD_ENCODING', { reason: 'the body is not gzip' });
  }
}
