// The servlet container's own error answers, in the form that the caller takes (Jetty's ErrorHandler).
import { type Answer, empty, type Headers, htmlAnswer, text } from './answers.ts';
import { containerErrorJson, containerErrorPage, containerErrorText } from './pages.ts';
import type { Call } from './route.ts';

/** What decides the form of the answer. */
export interface RefusedRequest {
  readonly method: string;
  readonly path: string;
  readonly accept: string | undefined;
}

type Form = 'html' | 'json' | 'plain';
const forms: Readonly<Record<string, Form>> = {
  'text/html': 'html',
  'text/*': 'html',
  '*/*': 'html',
  'application/json': 'json',
  'text/json': 'json',
  'text/plain': 'plain',
};
const quality = /;\s*q\s*=\s*(-?[\d.]+)/;

/** A quality below 0 counts for nothing, so that the type stands as if it had none. */
const qualityIn = (range: string): number => {
  const q = Number(quality.exec(range)?.[1] ?? 1);
  return q < 0 ? 1 : q;
};

/** The first type of those asked for, the best before others, that the container knows; no parameters but `q`. Undefined: there is none. */
function typeFor(accept: string | undefined): string | undefined {
  if (accept === undefined) return 'text/html';
  return accept
    .split(',')
    .map((range) => ({ type: range.replace(quality, '').trim(), q: qualityIn(range) }))
    .filter(({ type, q }) => q > 0 && Object.hasOwn(forms, type))
    .sort((a, b) => b.q - a.q)[0]?.type;
}

/** An error answer: for GET, HEAD and POST a page, JSON or text, nothing for other types, and for other methods on YARN's paths (Jetty's ErrorHandler). */
export function containerError(status: number, message: string, { method, path, accept }: RefusedRequest, headers?: Headers): Answer {
  const hasBody = ['GET', 'HEAD', 'POST'].includes(method) || path.startsWith('/api/');
  const type = hasBody ? typeFor(accept) : undefined;
  if (type === undefined) return empty(status, headers);
  const form = forms[type];
  if (form === 'json') return text(status, containerErrorJson(status, message, path), type, headers);
  if (form === 'plain') return text(status, containerErrorText(status, message, path), 'text/plain;charset=iso-8859-1', headers);
  return {
    ...htmlAnswer(status, containerErrorPage(status, message, path), headers),
    contentType: 'text/html;charset=iso-8859-1',
  } as Answer;
}

/** What a servlet answers to a method that it does not have. Hadoop's answer 501 to those that no servlet has, as if the fault were theirs. */
export const methodNotSupported = ({ method, path, headers }: Pick<Call, 'method' | 'path' | 'headers'>): Answer =>
  containerError(405, `HTTP method ${method} is not supported by this URL`, { method, path, accept: headers.accept });
