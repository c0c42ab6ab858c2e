// What OPTIONS answers: a WADL document of the resource, as Jersey's servers give one, and its methods in `Allow`.
import { escapeXml } from '../wire/codec/xml.ts';
import type { Answer } from './answers.ts';

/** The type of a description: who asks for `application/xml` has it relabelled, as in Hadoop. */
export const wadlTypeFor = (accept: string | undefined, contentType: string): string =>
  accept?.includes('application/xml') && !accept.includes('*/*') ? contentType.replace('vnd.sun.wadl+xml', 'xml') : contentType;

/** The description of one resource. */
export function describeResource(path: string, allow: string, accept: string | undefined, contentType: string): Answer {
  const template = path.replace(/:(\w+)/g, '{$1}');
  const methods = allow
    .split(',')
    .filter((method) => method !== 'OPTIONS' && method !== 'HEAD')
    .map((method) => `<method name="${method}"/>`)
    .join('');
  const body = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><application xmlns="http://wadl.dev.java.net/2009/02"><resources><resource path="${escapeXml(template)}">${methods}</resource></resources></application>`;
  return {
    kind: 'rendered',
    status: 200,
    body,
    contentType: wadlTypeFor(accept, contentType),
    headers: { allow },
  };
}
