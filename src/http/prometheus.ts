// `/prom` (Hadoop's path) and `/metrics` for Prometheus. The library is loaded with the first scrape: most clusters have none.

import type { Configuration } from '../config/load.ts';
import type { Histogram } from '../lib/histogram.ts';
import { text } from './answers.ts';
import type { RequestFigures } from './request-figures.ts';
import type { Route } from './route.ts';
import type { Sample } from './sample.ts';

/** What a server has to tell. */
export interface ServerFigures {
  /** Asked at each scrape. */
  readonly collect: () => readonly Sample[];
  /** Of the service that answers. */
  readonly requests: RequestFigures;
  /** Other times that it counts. */
  readonly times?: readonly Histogram[];
}

/**
 * The routes. Figures of the process itself are added. At its own path Hadoop answers 404 unless
 * `hadoop.prometheus.endpoint.enabled` is set.
 */
export function prometheusRoutes(configuration: Configuration, figures: ServerFigures): Route<never>[] {
  let writer: Promise<() => Promise<{ body: string; contentType: string }>> | undefined;
  const handle = async () => {
    writer ??= openRegistry(figures);
    const { body, contentType } = await (await writer)();
    return text(200, body, contentType);
  };
  const paths = configuration.get('hadoop.prometheus.endpoint.enabled') === 'true' ? ['/prom', '/metrics'] : ['/metrics'];
  return paths.map((path) => ({
    method: 'GET',
    path,
    about: 'Numbers for Prometheus.',
    access: 'facts',
    produces: 'any',
    handle,
  }));
}

/** One registry for the life of the server: the figures of the process are watched once. */
async function openRegistry({
  collect,
  requests,
  times = [],
}: ServerFigures): Promise<() => Promise<{ body: string; contentType: string }>> {
  const { Counter, Gauge, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const known = new Map<string, InstanceType<typeof Gauge> | InstanceType<typeof Counter>>();
  return async () => {
    for (const each of known.values()) each.reset();
    for (const { name, help, value, labels = {} } of [...collect(), ...requests.samples()]) {
      const options = { name, help, labelNames: Object.keys(labels), registers: [registry] };
      // By Prometheus's rules what only grows ends with _total.
      const each = known.get(name) ?? (name.endsWith('_total') ? new Counter(options) : new Gauge(options));
      known.set(name, each);
      if (each instanceof Gauge) each.set(labels, value);
      else each.inc(labels, value);
    }
    const histograms = [requests.times, ...times].map((histogram) => histogram.text()).join('');
    return { body: `${await registry.metrics()}${histograms}`, contentType: registry.contentType };
  };
}
