// Adds routes whose handlers are functions of what they work with and of the call.

import type { RouteAccess } from '../../auth/route-access.ts';
import type { Answer } from '../../http/answers.ts';
import type { Call, Method, Route, Service } from '../../http/service.ts';
import type { RecordDescription } from '../../wire/codec/describe.ts';

/** A handler: what it works with, then the call. */
export type Handler<Needs, Body = never> = (needs: Needs, call: Call<Body>) => Answer | Promise<Answer>;

/** Adds routes below one path. */
export interface Mounting<Needs> {
  get(path: string, about: string, access: RouteAccess, handle: Handler<Needs>): void;
  /** A method whose body, if it has one, is not read. */
  change(method: Method, path: string, about: string, access: RouteAccess, handle: Handler<Needs>): void;
  /** A method with a body; `bodyRoots`: roots that the same reader of XML knows, for its error text. */
  send<Body>(
    method: Method,
    path: string,
    about: string,
    access: RouteAccess,
    body: RecordDescription<Body>,
    handle: Handler<Needs, Body>,
    bodyRoots?: readonly string[],
    more?: Pick<Route, 'anyTypeName'>,
  ): void;
}

/** Adds routes below `base` to a service; every handler gets `needs`. */
export function mounting<Needs>(service: Service, base: string, needs: Needs): Mounting<Needs> {
  const change: Mounting<Needs>['change'] = (method, path, about, access, handle) =>
    service.route<never>({ method, path: base + path, about, access, handle: (call) => handle(needs, call) });
  return {
    get: (path, about, access, handle) => change('GET', path, about, access, handle),
    change,
    send: (method, path, about, access, body, handle, bodyRoots, more) =>
      service.route({ method, path: base + path, about, access, body, bodyRoots, ...more, handle: (call) => handle(needs, call) }),
  };
}
