// The body of a request as its route wants it.
import { gunzipSync } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { failure } from '../model/errors.ts';
import type { RecordDescription } from '../wire/codec/describe.ts';
import { bodyFormat, readBody, readStrictBody } from '../wire/codec/read.ts';

/** What of a route decides how its body is read. */
export interface BodyRules {
  readonly body?: RecordDescription<never> | 'raw';
  readonly bodyRoots?: readonly string[];
  readonly consumes?: readonly ('json' | 'xml')[];
  readonly bodyLimitBytes?: number;
  readonly strictBody?: boolean;
}

/**
 * Reads the body of a request. A body that is compressed with gzip is unpacked, within the same limit.
 * @throws Failure BODY_TOO_LARGE, BODY_MISSING, UNSUPPORTED_CONTENT_TYPE, BODY_NOT_PARSABLE
 */
export function readCallBody(rules: BodyRules, request: FastifyRequest, defaultLimitBytes: number): unknown {
  const limitBytes = rules.bodyLimitBytes ?? defaultLimitBytes;
  const bytes = unpacked(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0), request.headers['content-encoding'], limitBytes);
  if (bytes.length > limitBytes) throw failure('BODY_TOO_LARGE', { limitBytes });
  if (rules.body === 'raw' || rules.body === undefined) return bytes;
  const consumes = rules.consumes ?? ['json', 'xml'];
  const accepted = consumes.map((type) => `application/${type}`).join(' or ');
  const contentType = request.headers['content-type'];
  const format = bodyFormat(contentType);
  if (!contentType && bytes.length === 0) throw failure('BODY_MISSING', { accepted });
  if (!format || !consumes.includes(format)) throw failure('UNSUPPORTED_CONTENT_TYPE', { contentType: contentType ?? 'none', accepted });
  if (rules.strictBody && format === 'json') return readStrictBody(rules.body, bytes);
  return readBody(rules.body, bytes, format, rules.bodyRoots);
}

function unpacked(bytes: Buffer, encoding: string | undefined, limitBytes: number): Buffer {
  if (encoding === undefined || encoding === 'identity') return bytes;
  if (encoding !== 'gzip') throw failure('BAD_ENCODING', { reason: `content encoding ${encoding} is not understood; use gzip or none` });
  try {
    return gunzipSync(bytes, { maxOutputLength: limitBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw failure('BODY_TOO_LARGE', { limitBytes });
    throw failure('BAD_ENCODING', { reason: 'the body is not gzip' });
  }
}
