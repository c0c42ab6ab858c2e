// `/jmx` as Hadoop's JMXJsonServlet writes it: beans by a query on their names, or one attribute of a bean.
import type { TokenFigures } from '../auth/delegation/token-figures.ts';
import type { DurationFigure } from '../lib/duration-figure.ts';
import { matchesGlob } from '../lib/glob.ts';
import type { RecentDurations } from '../lib/recent-durations.ts';
import { doubleText, floatText } from '../wire/codec/numbers.ts';
import { type Answer, text } from './answers.ts';
import { servlet } from './daemon-pages.ts';
import type { RequestFigures } from './request-figures.ts';
import type { Route } from './service.ts';

/** A bean: its name and attributes in order. Numbers written as floats say so with `float`. */
export interface Bean {
  /** `Hadoop:service=ResourceManager,name=ClusterMetrics`. */
  readonly name: string;
  readonly modelerType: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Hadoop's, who lets every page read. Here pages of other origins read what the cross-origin settings allow: a page says whose it is. */
const toPrograms = { 'access-control-allow-methods': 'GET', 'access-control-allow-origin': '*' };
const contentType = 'application/json; charset=utf8';

/** A number that Java would print as a double, or as a float. */
export class Float {
  readonly value: number;
  readonly kind: 'double' | 'float';

  constructor(value: number, kind: 'double' | 'float' = 'double') {
    this.value = value;
    this.kind = kind;
  }
}

/** A rate of Hadoop's metrics; the average is that of all since the start. */
export const rateOf = (name: string, { count, averageMs }: Pick<DurationFigure, 'count' | 'averageMs'>): Record<string, unknown> => ({
  [`${name}NumOps`]: count,
  [`${name}AvgTime`]: new Float(averageMs),
});

/** Quantiles of Hadoop's metrics, of the last ten seconds; `of` is how they name what is measured: `Latency`. */
export const quantilesOf = (name: string, of: string, recent: RecentDurations): Record<string, unknown> => ({
  [`${name}NumOps`]: recent.count,
  ...Object.fromEntries(
    [50, 75, 90, 95, 99].map((percent) => [`${name}${percent}thPercentile${of}`, Math.round(recent.percentile(percent))]),
  ),
});

/** Jackson's default pretty printing: blanks around colons, two blanks a level. */
function pretty(value: unknown, indent = ''): string {
  const inner = `${indent}  `;
  if (value instanceof Float) return (value.kind === 'float' ? floatText : doubleText)(value.value);
  if (Array.isArray(value)) return value.length === 0 ? '[ ]' : `[ ${value.map((item) => pretty(item, indent)).join(', ')} ]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, item]) => item !== undefined);
    if (members.length === 0) return '{ }';
    return `{\n${members.map(([name, item]) => `${inner}${JSON.stringify(name)} : ${pretty(item, inner)}`).join(',\n')}\n${indent}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

interface ParsedName {
  readonly domain: string;
  readonly properties: ReadonlyMap<string, string>;
  readonly more: boolean;
}

/** A bean name or pattern; undefined where it is malformed. */
function parseName(name: string): ParsedName | undefined {
  const at = name.indexOf(':');
  if (at < 0) return undefined;
  const properties = new Map<string, string>();
  let more = false;
  for (const part of name.slice(at + 1).split(',')) {
    if (part === '*') {
      more = true;
      continue;
    }
    const equals = part.indexOf('=');
    if (equals <= 0) return undefined;
    properties.set(part.slice(0, equals), part.slice(equals + 1));
  }
  return { domain: name.slice(0, at), properties, more };
}

function matcher(query: string): ((name: string) => boolean) | undefined {
  if (query === '*:*' || query === '*' || query === '') return () => true;
  const wanted = parseName(query);
  if (!wanted) return undefined;
  return (name) => {
    const own = parseName(name);
    if (!own || !matchesGlob(wanted.domain, own.domain)) return false;
    if (!wanted.more && wanted.properties.size !== own.properties.size) return false;
    return [...wanted.properties].every(([key, value]) => {
      const has = own.properties.get(key);
      return has !== undefined && matchesGlob(value, has);
    });
  };
}

/** The answer to one request; `isOfPage`: a page of a browser sent it. */
export function answerBeans(beans: readonly Bean[], query: string | undefined, get: string | undefined, isOfPage = false): Answer {
  const headers = isOfPage ? {} : toPrograms;
  const reply = (value: unknown) => text(200, pretty(value), contentType, headers);
  if (get !== undefined) {
    const [name = '', attribute, ...rest] = get.split('::');
    if (!attribute || rest.length > 0) return reply({ result: 'ERROR', message: 'query format is not as expected.' });
    const isMeant = matcher(name);
    if (!isMeant) return reply({});
    const found: unknown[] = [];
    for (const { name, modelerType, attributes } of beans.filter((bean) => isMeant(bean.name))) {
      const has = Object.hasOwn(attributes, attribute);
      const said = has
        ? { [attribute]: attributes[attribute] }
        : { result: 'ERROR', message: `No attribute with name ${attribute} was found.` };
      found.push({ name, modelerType, ...said });
      // Hadoop stops at the first bean that does not have it.
      if (!has) break;
    }
    return reply({ beans: found });
  }
  const matches = matcher(query ?? '*:*');
  if (!matches) return reply({});
  return reply({
    beans: beans.filter(({ name }) => matches(name)).map(({ name, modelerType, attributes }) => ({ name, modelerType, ...attributes })),
  });
}

/** The routes of `/jmx`; `beans` is asked at each request. */
export function jmxRoutes(beans: () => readonly Bean[]): Route<never>[] {
  return servlet('/jmx', 'Metrics as beans, for monitors.', 'admin', ({ query, headers }) =>
    answerBeans(beans(), query.first('qry') || undefined, query.first('get'), headers.origin !== undefined),
  );
}

/** The bean of a server itself (`ResourceManager`, `NodeManager`), by Java's name of its class. */
export const serverBean = (service: string, javaClass: string, isSecure: boolean): Bean => ({
  name: `Hadoop:service=${service},name=${service}`,
  modelerType: javaClass,
  attributes: { SecurityEnabled: isSecure },
});

/** HttpServer2-8088 and so on: what a server answered. Nothing is dispatched here besides requests, and nothing expires; bytes are those of whole answers with their heads. */
export function httpBeans(service: string, host: string, figures: RequestFigures): Bean[] {
  const { port, active, mostActive, durations, countedMs } = figures;
  if (port === 0) return [];
  const all = ([1, 2, 3, 4, 5] as const).map((hundred) => figures.answersOf(hundred));
  const requests = all.reduce((sum, count) => sum + count, active);
  const times = (of: string) => ({
    [`${of}TimeMax`]: Math.round(durations.longestMs),
    [`${of}TimeMean`]: new Float(durations.meanMs),
    [`${of}TimeStdDev`]: new Float(durations.deviationMs),
    [`${of}TimeTotal`]: Math.round(durations.totalMs),
  });
  return [
    {
      name: `Hadoop:service=${service},name=HttpServer2-${port}`,
      modelerType: `HttpServer2-${port}`,
      attributes: {
        'tag.Context': 'http',
        'tag.Hostname': host,
        Dispatched: requests,
        AsyncDispatches: 0,
        AsyncRequests: 0,
        AsyncRequestsWaiting: 0,
        AsyncRequestsWaitingMax: 0,
        DispatchedActive: active,
        DispatchedActiveMax: mostActive,
        ...times('Dispatched'),
        RequestsActive: active,
        RequestsActiveMax: mostActive,
        ...times('Request'),
        ...Object.fromEntries(all.map((count, index) => [`Responses${index + 1}xx`, count])),
        ResponsesBytesTotal: figures.bytes.sent,
        StatsOnMs: Math.round(countedMs),
        Expires: 0,
        Requests: requests,
      },
    },
  ];
}

/** DelegationTokenSecretManagerMetrics, of a server that issues delegation tokens. */
export const tokenBean = (service: string, host: string, { times, failures }: TokenFigures): Bean => ({
  name: `Hadoop:service=${service},name=DelegationTokenSecretManagerMetrics`,
  modelerType: 'DelegationTokenSecretManagerMetrics',
  attributes: {
    'tag.Context': 'token',
    'tag.Hostname': host,
    ...rateOf('RemoveToken', times.remove),
    ...rateOf('StoreToken', times.store),
    TokenFailure: failures,
    ...rateOf('UpdateToken', times.update),
  },
});

/** The beans of Hadoop's metrics themselves: how many sources there are. Nothing is sent to sinks here, and nothing is controlled by beans. */
export function metricsSystemBeans(service: string, host: string, others: readonly Bean[]): Bean[] {
  const sources = others.filter(({ attributes }) => 'tag.Context' in attributes).length + 1;
  const nothing = { count: 0, averageMs: 0 };
  return [
    {
      name: `Hadoop:service=${service},name=MetricsSystem,sub=Stats`,
      modelerType: 'MetricsSystem,sub=Stats',
      attributes: {
        'tag.Context': 'metricssystem',
        'tag.Hostname': host,
        NumActiveSources: sources,
        NumAllSources: sources,
        NumActiveSinks: 0,
        NumAllSinks: 0,
        DroppedPubAll: 0,
        ...rateOf('Publish', nothing),
        ...rateOf('Snapshot', nothing),
      },
    },
    {
      name: `Hadoop:service=${service},name=MetricsSystem,sub=Control`,
      modelerType: 'org.apache.hadoop.metrics2.impl.MetricsSystemImpl',
      attributes: {},
    },
  ];
}
