// What OPTIONS answers: a WADL document of the resource, as Jersey's servers give one, and its methods in `Allow`.
import { failure } from '../model/errors.ts';
import { escapeXml } from '../wire/codec/xml.ts';
import { type Answer, text } from './answers.ts';
import { bestType } from './negotiate.ts';
import type { Route } from './route.ts';

const wadl = 'application/vnd.sun.wadl+xml';
const xml = 'application/xml';
/** Jersey gives its XML under this name, too. */
const misnamed = 'application/vnd.sun.wadl+json';

/** The type that a description has for a caller, or undefined where none of its types is accepted; who asks for another of them has it relabelled. */
export function wadlTypeFor(accept: string | undefined, contentType: string, types: readonly string[] = [wadl, xml]): string | undefined {
  const type = accept === undefined || accept.trim() === '' ? wadl : bestType(accept, types);
  return type && contentType.replace(wadl, type);
}

/** The methods of a resource alone, for who takes no description and for resources that have none. */
export const bareOptions = (status: 200 | 204, allow: string): Answer => text(status, '', 'text/plain;charset=utf-8', { allow });

/** The description of one resource, or its methods alone for who takes no description (Jersey's OPTIONS handler without a body). */
export function describeResource(path: string, allow: string, accept: string | undefined, contentType: string): Answer {
  const type = wadlTypeFor(accept, contentType);
  if (type === undefined) return bareOptions(204, allow);
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
    contentType: type,
    headers: { allow },
  };
}

/** The address of all resources of a server in the form in which Jersey describes them; `contentType` as its profile has it. */
export function wadlRoute(
  service: { readonly routes: readonly { readonly path: string; readonly method: string }[] },
  contentType = wadl,
): Route<never> {
  return {
    method: 'GET',
    path: '/application.wadl',
    produces: 'any',
    gzip: false,
    about: 'All resources, as WADL.',
    access: 'facts',
    handle: ({ headers }) => {
      const type = wadlTypeFor(headers.accept, contentType, [wadl, xml, misnamed]);
      if (type === undefined) throw failure('NOT_ACCEPTABLE', { available: [wadl, xml].join(', ') });
      return { kind: 'rendered', status: 200, body: wadlOf(service.routes), contentType: type };
    },
  };
}

function wadlOf(routes: readonly { readonly path: string; readonly method: string }[]): string {
  const resources = [...Map.groupBy(routes, ({ path }) => path)].map(
    ([path, of]) =>
      `<resource path="${escapeXml(path.replace(/:(\w+)/g, '{$1}'))}">${of.map(({ method }) => `<method name="${method}"/>`).join('')}</resource>`,
  );
  return `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><application xmlns="http://wadl.dev.java.net/2009/02"><resources>${resources.join('')}</resources></application>`;
}
