// What every answer to a wrong request must be.
import { XMLValidator } from 'fast-xml-parser';
import type { Abuse } from './abuses.ts';
import type { RawAnswer } from './raw-request.ts';

/** Of Node.js; where Jackson says `at [Source: …`, Hadoop repeats it and so do we. */
const stackTrace = /\n\s+at [^[\s]\S* ?\(|node:internal|\.ts:\d+/;

/** What is wrong with the answer, or undefined. */
export function faultOfAnswer(abuse: Abuse, { status, headers, text }: RawAnswer): string | undefined {
  const type = String(headers['content-type'] ?? '');
  if (status === 0) return 'the connection was closed without an answer';
  if (status >= 500) return `${status} ${text.slice(0, 200)}`;
  if (abuse.statuses && !abuse.statuses.includes(status))
    return `${status} where ${abuse.statuses.join(', ')} are right: ${text.slice(0, 150)}`;
  // The page that the proxy's own server sends for masters names no methods.
  if (status === 405 && !headers['allow'] && abuse.strict && !type.startsWith('text/html') && text !== '') return '405 without Allow';
  if (status >= 400 && stackTrace.test(text)) return `a stack trace: ${text.slice(0, 200)}`;
  if (headers['set-cookie']?.toString().includes('a=b')) return 'a header of the caller came back';
  if (abuse.request.method === 'HEAD' || text === '') return abuse.strict && status === 400 && text === '' ? 'an empty 400' : undefined;
  const asked = abuse.request.headers?.['accept'] ?? '';
  if (abuse.strict && status >= 400 && asked.startsWith('application/') && !type.startsWith(asked))
    return `${type} where ${asked} was asked for`;
  // A bare sentence under either label is Hadoop's own habit.
  if (type.startsWith('application/json') && /^[[{]/.test(text)) JSON.parse(text);
  if (type.startsWith('application/xml') && text.startsWith('<') && XMLValidator.validate(text) !== true)
    return `not XML: ${text.slice(0, 200)}`;
  return undefined;
}
