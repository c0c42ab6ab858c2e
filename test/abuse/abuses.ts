// What can be wrong with a request, for any route.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Route } from '../../src/http/service.ts';
import type { WireMember } from '../../src/wire/codec/describe.ts';

import type { RawRequest } from './raw-request.ts';

/** One wrong request. */
export interface Abuse {
  readonly name: string;
  readonly request: RawRequest;
  /** Statuses that are right; without it any below 500. */
  readonly statuses?: readonly number[];
  /** Whether the answer must be in the format asked for, when it is an error. */
  readonly strict?: boolean;
  /** Leniency may take it; what it changes then is right. */
  readonly mayChange?: boolean;
}

export type Ids = Readonly<Record<string, string>>;

const long = 'x'.repeat(10_000);
/** Values no id has. */
export const hostileParts: readonly string[] = [
  'unknown',
  'application_1_0001',
  'application_99999999999999999999_99999999999999999999',
  'application_-1_-1',
  'application_1_0001_',
  'appattempt_1_0001_000001',
  'container_1_0001_01_000001',
  'container_e99999999999_1_0001_01_000001',
  'job_1_1',
  'task_1_1_m_1',
  'attempt_1_1_m_1_0',
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f%2e%2e%2fsecret',
  '..',
  '.',
  '%00',
  'a%00b',
  '%0d%0aset-cookie:%20a=b',
  '%zz',
  '%',
  '%ff%fe',
  '%c0%ae%c0%ae',
  '%F0%9F%92%A3',
  '__proto__',
  'constructor',
  'toString',
  '%27%20OR%201=1--',
  '%3Cscript%3E',
  '-1',
  'NaN',
  '1e999',
  '9223372036854775808',
  long,
];
/** Values that few parameters of a query have. */
export const hostileValues = [
  '',
  '-1',
  '0',
  'NaN',
  '1e999',
  '99999999999999999999',
  '%00',
  '%zz',
  '%ff',
  '..%2f..',
  'a,b,,',
  '%7B%22',
  '__proto__',
  '((((((',
  "'",
  '%5B%5D',
  'x'.repeat(3000),
];

/** Every name of a query that some handler reads. */
export const queryNames = [
  ...['states', 'state', 'queue', 'user', 'limit', 'startedTimeBegin', 'startedTimeEnd', 'finishedTimeBegin', 'finishedTimeEnd'],
  ...[
    'applicationTypes',
    'applicationTags',
    'name',
    'deSelects',
    'finalStatus',
    'finalApplicationStatus',
    'cursor',
    'sort',
    'fields',
    'wait',
  ],
  ...[
    'healthy',
    'labels',
    'nodeId',
    'groupBy',
    'activitiesCount',
    'maxTime',
    'actions',
    'requestPriorities',
    'allocationRequestIds',
    'summarize',
  ],
  ...[
    'reservation-id',
    'start-time',
    'end-time',
    'include-resource-allocations',
    'queue-acl-type',
    'user.name',
    'doAs',
    'op',
    'token',
    'renewer',
  ],
  ...['primaryFilter', 'secondaryFilter', 'windowStart', 'windowEnd', 'fromId', 'fromTs', 'entityId', 'eventType', 'owner', 'delegation'],
  ...[
    'size',
    'format',
    'nm.id',
    'redirected_from_node',
    'manual_redirection',
    'start',
    'end',
    'start.time',
    'end.time',
    'qry',
    'get',
    'log',
    'level',
  ],
  ...[
    'fromid',
    'createdtimestart',
    'createdtimeend',
    'relatesto',
    'isrelatedto',
    'infofilters',
    'conffilters',
    'metricfilters',
    'eventfilters',
  ],
  ...['confstoretrieve', 'metricstoretrieve', 'metricslimit', 'metricstimestart', 'metricstimeend', 'flowrunid', 'flowname', 'userid'],
  ...[
    'daterange',
    'entityidprefix',
    'appid',
    'subappwrite',
    'startedTimeBegin',
    'startedTimeEnd',
    'fileName',
    'fileSize',
    'modificationTime',
  ],
];

const fill = (path: string, ids: Ids, changed?: { index: number; value: string }): string =>
  path
    .split('/')
    .map((part, index) => {
      if (!part.startsWith(':') && part !== '*') return part;
      if (changed?.index === index) return changed.value;
      return encodeURIComponent(ids[part.slice(1)] ?? 'unknown');
    })
    .join('/');

const acceptJson = { accept: 'application/json' };
const allMethods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'];

/** What is wrong with the route of a path, and what it is tried with. */
interface RequestTrial {
  /** All methods that the path has, in the order of its routes: of others the first route is asked, for all of them. */
  readonly methods: ReadonlySet<string>;
  readonly ids: Ids;
  /** Methods that are answered with a page. */
  readonly pagesFor: readonly string[];
  /** Of what is looked at before a route is, each meets some, in turns. */
  readonly turn: number;
}

/** How many routes in a row meet, together, all that is wrong whatever the route is. */
const routesOfRound = 3;

/** Wrong methods, headers, ids and queries of a route. */
export function requestAbuses(route: Route<never>, { methods, ids, pagesFor, turn }: RequestTrial): Abuse[] {
  const good = fill(route.path, ids);
  const isInterface = route.path.startsWith('/ws/') || route.path.startsWith('/api/');
  const abuses: Abuse[] = [];
  const parts = route.path.split('/');
  const open = route.method === 'GET';
  const variable = parts.flatMap((part, index) => (part.startsWith(':') || part === '*' ? [index] : []));
  // Of many parts each meets some of the values, and every value one of them.
  const step = Math.min(variable.length, 3);
  variable.forEach((index, place) => {
    const part = parts[index]!;
    for (const value of hostileParts.filter((_, at) => (at + place) % step === 0))
      for (const accept of value.length < 100 && value.startsWith('a') ? ['application/json', 'application/xml'] : ['application/json'])
        abuses.push({
          name: `${part} is ${value.slice(0, 40)} (${accept})`,
          request: { method: route.method, target: `${fill(route.path, ids, { index, value })}?user.name=root`, headers: { accept } },
        });
  });
  const isFirst = [...methods][0] === route.method;
  for (const method of isFirst ? allMethods : []) {
    if (methods.has(method) || (method === 'HEAD' && methods.has('GET'))) continue;
    abuses.push({
      name: `method ${method}`,
      request: { method, target: `${good}?user.name=root`, headers: acceptJson },
      ...(method === 'OPTIONS' || !isInterface
        ? {}
        : { statuses: [401, 403, 404, 405], strict: method !== 'HEAD' && !pagesFor.includes(method) }),
    });
  }
  if (!open) return abuses;
  const ofRoute: Abuse[] = [
    { name: 'HEAD', request: { method: 'HEAD', target: good, headers: acceptJson } },
    { name: 'Accept of an image', request: { method: 'GET', target: good, headers: { accept: 'image/png' } } },
    { name: 'XML asked for', request: { method: 'GET', target: good, headers: { accept: 'application/xml' } } },
    { name: 'unknown query', request: { method: 'GET', target: `${good}?nobody=knows&&&=&=x&y`, headers: acceptJson } },
    { name: 'bad range', request: { method: 'GET', target: good, headers: { ...acceptJson, range: 'bytes=5-1,x' } } },
  ];
  const ofAll: Abuse[] = [
    { name: 'Accept that is garbage', request: { method: 'GET', target: good, headers: { accept: ';;;,,/;q=x' } } },
    { name: 'a body on GET', request: { method: 'GET', target: good, headers: acceptJson, body: '{"a":' } },
    {
      name: 'no cookie that is ours',
      request: { method: 'GET', target: good, headers: { cookie: 'hadoop.auth="u=root&s=x"; a=%zz; ;=' } },
    },
    { name: 'wrong bearer token', request: { method: 'GET', target: good, headers: { ...acceptJson, authorization: 'Bearer ..' } } },
    { name: 'wrong ticket', request: { method: 'GET', target: good, headers: { ...acceptJson, authorization: 'Negotiate !!!' } } },
    { name: 'wrong origin', request: { method: 'GET', target: good, headers: { ...acceptJson, origin: '://\u00e9' } } },
  ];
  abuses.push(...ofRoute, ...ofAll.filter((_, at) => at % routesOfRound === turn % routesOfRound));
  return abuses;
}

/** Names of a query that every route may read, because they say who calls. */
const credentialNames = ['user.name', 'doAs', 'delegation', 'op', 'token', 'renewer'];
const namesAtOnce = 10;

/**
 * Wrong queries of a route; on routes of GET only, because a query may be all a change needs. `read`: the names that it reads, each of which
 * meets several values alone. What it does not read comes in groups; where nobody says what it reads every name comes alone.
 */
export function queryAbuses(route: Route<never>, ids: Ids, turn: number, read: ReadonlySet<string> | undefined): Abuse[] {
  const good = fill(route.path, ids);
  const one = (pairs: readonly (readonly [string, string])[], index: number): Abuse => ({
    name: pairs.map(([name, value]) => `${name} is ${value.slice(0, 20)}`).join(', '),
    request: {
      method: 'GET',
      target: `${good}?${pairs.map((pair) => pair.join('=')).join('&')}`,
      headers: { accept: (index + turn) % 5 === 0 ? 'application/xml' : 'application/json' },
    },
  });
  const hostileAt = (index: number) => hostileValues[(index + turn) % hostileValues.length]!;
  if (!read) return queryNames.map((name, index) => one([[name, hostileAt(index)]], index));
  const alone = [...new Set([...read, ...credentialNames])];
  const others = queryNames.filter((name) => !alone.includes(name));
  const groups = Array.from({ length: Math.ceil(others.length / namesAtOnce) }, (_, at) =>
    others.slice(at * namesAtOnce, (at + 1) * namesAtOnce),
  );
  return [
    ...alone.flatMap((name, index) => [0, 5, 11].map((step) => one([[name, hostileAt(index + step)]], index + step))),
    ...groups.map((names, at) =>
      one(
        names.map((name, index) => [name, hostileAt(at + index)] as const),
        at,
      ),
    ),
  ];
}

const json = { 'content-type': 'application/json', accept: 'application/json' };
const xml = { 'content-type': 'application/xml', accept: 'application/xml' };
/** Each is ten of the one before, a billion letters in the end. */
const laughter = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "${`&l${index};`.repeat(10)}">`).join('');

/** What nobody reads is refused and changes nothing, whatever the rest of the call would do. */
export const unknownParameter = ({ method, path }: Route<never>, target: string): Abuse => ({
  name: 'a parameter that nobody reads',
  request: { method, target: `${target}?user.name=root&of.nobody=1`, headers: json, body: method === 'GET' ? undefined : '{}' },
  statuses: [400, 401, 403],
  strict: !path.endsWith('/*'),
});

/** Bodies that nobody may take, for a route that reads one. `target` has good ids, so that only the body is wrong. */
export function brokenBodies(route: Route<never>, target: string, sample: unknown): Abuse[] {
  const { method } = route;
  const described = route.body !== undefined && route.body !== 'raw' ? route.body : undefined;
  const whole = JSON.stringify(sample);
  const isOwn = route.path.startsWith('/api/');
  const isInterface = isOwn || route.path.startsWith('/ws/');
  const bad = [400, 401, 403, 404, 405, 413, 415, 422];
  const one = (name: string, headers: Record<string, string>, body: string | Buffer | undefined, statuses = bad): Abuse => ({
    name,
    request: { method, target, headers, body },
    ...(isInterface ? { statuses, strict: true } : {}),
  });
  const abuses = [
    one('broken JSON', json, '{"a": }'),
    one('truncated JSON', json, whole.slice(0, -3)),
    one('JSON twice', json, `${whole}}{`),
    one('JSON that is text', json, 'hello'),
    one('invalid UTF-8', json, Buffer.concat([Buffer.from('{"'), Buffer.from([0xff, 0xfe, 0xc0]), Buffer.from('": ')])),
    one('open brackets', json, '['.repeat(100_000)),
    one('unclosed depth', json, '{"a":'.repeat(100_000)),
    one('a body over the limit', json, blanks((route.bodyLimitBytes ?? 10 * 1024 * 1024) + 1024), [413, 401, 403, 404]),
    one('a gzip bomb', { ...json, 'content-encoding': 'gzip' }, bomb(), [413, 400, 401, 403, 404]),
    one('wrong gzip', { ...json, 'content-encoding': 'gzip' }, 'not gzip'),
    one('truncated gzip', { ...json, 'content-encoding': 'gzip' }, gzipSync(whole).subarray(0, -9)),
    one('unknown encoding', { ...json, 'content-encoding': 'br' }, brotliCompressSync(whole), [400, 415, 401, 403, 404]),
  ];
  if (described === undefined) return abuses;
  abuses.push(
    one('no body', { accept: 'application/json' }, undefined, [400, 411, 415, 401, 403, 404]),
    one('no body, XML asked for', { accept: 'application/xml' }, undefined, [400, 406, 411, 415, 401, 403, 404]),
    one('empty JSON', json, ''),
    one('wrong content type', { ...json, 'content-type': 'text/plain' }, whole, [415, 401]),
    // Of PUT and DELETE on YARN's paths the servlet container says nothing more, as Hadoop's.
    {
      ...one('garbage content type', { ...json, 'content-type': ';;' }, whole, [415, 400, 401]),
      strict: isInterface && (isOwn || method === 'POST'),
    },
    one('not acceptable', { ...json, accept: 'image/png' }, whole, [406, 400, 401, 403]),
    one('null', json, 'null'),
    one('an array', json, '[]'),
  );
  const consumesXml = (route.consumes ?? ['json', 'xml']).includes('xml');
  if (!consumesXml) return abuses;
  const { root } = described;
  abuses.push(
    one('empty XML', xml, ''),
    one('XML that is text', xml, 'hello'),
    one('unclosed XML', xml, `<${root}><a>`),
    one('wrong XML root', xml, '<nobody/>'),
    one('wrong XML namespace', xml, `<${root} xmlns="urn:x"/>`),
    one('two roots', xml, `<${root}/><${root}/>`),
    one('laughing XML', xml, `<!DOCTYPE ${root} [<!ENTITY l0 "l">${laughter}]><${root}><a>&l9;</a></${root}>`),
    one('XML from outside', xml, `<!DOCTYPE ${root} [<!ENTITY x SYSTEM "file:///etc/passwd">]><${root} a="&x;"><a>&x;</a></${root}>`),
    one('XML type from outside', xml, `<!DOCTYPE ${root} SYSTEM "http://127.0.0.1:1/x.dtd" [%x;]><${root}/>`),
    one('deep XML', xml, `<${root}>${'<a>'.repeat(20_000)}`),
    one('NUL in XML', xml, `<${root}>\0</${root}`),
  );
  return abuses;
}

let keptBlanks = Buffer.alloc(0);
/** As many blanks; made once. */
function blanks(length: number): Buffer {
  if (keptBlanks.length < length) keptBlanks = Buffer.alloc(length, 32);
  return keptBlanks.subarray(0, length);
}

let keptBomb: Buffer | undefined;
const bomb = (): Buffer => (keptBomb ??= gzipSync(Buffer.alloc(48 * 1024 * 1024), { level: 9 }));

/** Values that few members of a body have. */
export const wrongValues: readonly unknown[] = [
  null,
  { a: 1 },
  [],
  [[]],
  [null],
  '',
  'NaN',
  '-1',
  -1,
  1e300,
  '99999999999999999999999',
  true,
  'x\u0000y\u0007\ud800',
  '../../etc/passwd',
  '__proto__',
  long,
];

/** The sample with one described member after another replaced by what it cannot be. */
export function wrongMembers(route: Route<never>, targetOf: () => string, sampleOf: () => Record<string, unknown>): Abuse[] {
  if (route.body === undefined || route.body === 'raw') return [];
  const description = route.body as Exclude<typeof route.body, 'raw'>;
  const abuses: Abuse[] = [];
  const wrap = (value: unknown) => (description.wrapped ? { [description.root]: value } : value);
  const add = (name: string, text: string, more: Partial<Abuse> = {}) =>
    abuses.push({ name, request: { method: route.method, target: targetOf(), headers: json, body: text }, mayChange: true, ...more });
  const paths = membersOf(description.wire, [], 3);
  paths.forEach((path, index) => {
    // Every member meets some of the values, every value some members of each kind; together they stay affordable.
    const step = path.length === 1 ? 3 : 8;
    const chosen = wrongValues.filter((_, turn) => (turn + index) % step === 0);
    for (const value of chosen) {
      const name = `${path.join('.')} is ${JSON.stringify(value).slice(0, 30)}`;
      add(name, JSON.stringify(wrap(replaced(sampleOf(), path, value))));
    }
  });
  const sample = JSON.stringify(sampleOf()).slice(1, -1);
  const polluted = `"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},${sample}`;
  add('keys of prototypes', description.wrapped ? `{"${description.root}":{${polluted}}}` : `{${polluted}}`);
  const deep = `"deep":${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  add('a deep unknown member', description.wrapped ? `{"${description.root}":{${sample},${deep}}}` : `{${sample},${deep}}`);
  let texts = 0;
  for (const { name, member } of description.wire.fields ?? []) {
    // A deep value of a text is kept as text: once is enough.
    if (member.kind === 'text' && texts++ > 0) continue;
    const nested = `"${name}":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    add(`${name} is deep`, description.wrapped ? `{"${description.root}":{${sample},${nested}}}` : `{${sample},${nested}}`);
  }
  return abuses;
}

function membersOf(member: WireMember, path: readonly string[], depth: number): string[][] {
  if (depth === 0) return [];
  const fields = member.kind === 'list' ? member.element?.wire.fields : member.fields;
  return (fields ?? []).flatMap(({ name, member: inner }) => [[...path, name], ...membersOf(inner, [...path, name], depth - 1)]);
}

function replaced(sample: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  if (rest.length === 0) return { ...sample, [first]: value };
  const held = sample[first];
  const inner = (Array.isArray(held) ? held[0] : held) as Record<string, unknown> | undefined;
  const changed = replaced(typeof inner === 'object' && inner !== null ? inner : {}, rest, value);
  return { ...sample, [first]: Array.isArray(held) ? [changed] : changed };
}

export { fill };
