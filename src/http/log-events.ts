// A log as server-sent events: each carries the text and, as its id, the byte after it, so that a client that lost the connection goes
// on by `Last-Event-ID`. The last event is `end`; a stream that ends without it goes on elsewhere, or later.
import { serverEnd } from './open-calls.ts';

/** Whether a caller asks for events. */
export const wantsEvents = (accept: string | undefined): boolean => /(^|[\s,])text\/event-stream\b/i.test(accept ?? '');

/** Where a caller goes on: the byte in `Last-Event-ID`; undefined without one. */
export function lastEventByte(header: string | string[] | undefined): number | undefined {
  const text = String(header ?? '');
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** The events of a log's bytes from byte `start` on. Letters are never cut in two; an empty piece says that the server is still there. */
export async function* logEvents(bytes: AsyncIterable<Buffer>, start: number): AsyncGenerator<string> {
  let position = start;
  let rest: Buffer = Buffer.alloc(0);
  const event = (piece: Buffer): string => {
    position += piece.length;
    return `id: ${position}\ndata: ${JSON.stringify({ text: piece.toString('utf8') })}\n\n`;
  };
  try {
    for await (const chunk of bytes) {
      if (chunk.length === 0) {
        yield ': still here\n\n';
        continue;
      }
      const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const whole = all.length - cutLetterBytes(all);
      rest = Buffer.from(all.subarray(whole));
      if (whole > 0) yield event(all.subarray(0, whole));
    }
  } catch (error) {
    if (error === serverEnd) return;
    throw error;
  }
  if (rest.length > 0) yield event(rest);
  yield `event: end\nid: ${position}\ndata: ${JSON.stringify({ bytes: position })}\n\n`;
}

/** How many bytes at the end begin a UTF-8 letter that goes on in the next piece. */
function cutLetterBytes(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? back : 0;
  }
  return 0;
}

/** Bytes `from` (inclusive) to `to` (exclusive) of a `Range` header with one range; undefined where it asks for none that is understood. */
export function requestedRange(header: string | undefined, bytes: number): { from: number; to: number } | undefined {
  const range = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
  if (!range || (range[1] === '' && range[2] === '')) return undefined;
  if (range[1] === '') return { from: Math.max(0, bytes - Number(range[2])), to: bytes };
  const to = range[2] === '' ? bytes : Math.min(bytes, Number(range[2]) + 1);
  return { from: Math.min(Number(range[1]), bytes), to };
}
