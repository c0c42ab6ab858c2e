// `/prom` (Hadoop's path) and `/metrics` for Prometheus. The library is loaded with the first scrape: most clusters have none.
import { createRequire } from 'node:module';
import type * as Library from 'prom-client';
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
  let writer: (() => Promise<{ body: string; contentType: string }>) | undefined;
  const handle = async () => {
    writer ??= openRegistry(figures);
    const { body, contentType } = await writer();
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

const require = createRequire(import.meta.url);
/** A part of the library. Its entry loads OpenTelemetry's interface, too, which nothing here uses: two thirds of the time of a first scrape. */
const part = <Part>(name: string): Part => require(`prom-client/lib/${name}.js`) as Part;

/** The figures of the process that the library counts, by its files; that of the processor needs OpenTelemetry's interface. */
const processFigures = [
  'processStartTime',
  'osMemoryHeap',
  'processOpenFileDescriptors',
  'processMaxFileDescriptors',
  'eventLoopLag',
  'processResources',
  'processHandles',
  'processRequests',
  'heapSizeAndUsed',
  'heapSpacesSizeAndUsed',
  'version',
  'gc',
] as const;

/** The processor's time of this process since it began, under the library's names. */
function processorSamples(): Sample[] {
  const { user, system } = process.cpuUsage();
  return [
    { name: 'process_cpu_user_seconds_total', help: 'Total user CPU time spent in seconds.', value: user / 1e6 },
    { name: 'process_cpu_system_seconds_total', help: 'Total system CPU time spent in seconds.', value: system / 1e6 },
    { name: 'process_cpu_seconds_total', help: 'Total user and system CPU time spent in seconds.', value: (user + system) / 1e6 },
  ];
}

/** One registry for the life of the server: the figures of the process are watched once. */
function openRegistry({ collect, requests, times = [] }: ServerFigures): () => Promise<{ body: string; contentType: string }> {
  const Registry = part<typeof Library.Registry>('registry');
  const Gauge = part<typeof Library.Gauge>('gauge');
  const Counter = part<typeof Library.Counter>('counter');
  const registry = new Registry();
  for (const name of processFigures)
    part<(registry: Library.Registry, settings: object) => void>(`metrics/${name}`)(registry, { eventLoopMonitoringPrecision: 10 });
  const known = new Map<string, Library.Gauge | Library.Counter>();
  return async () => {
    for (const each of known.values()) each.reset();
    for (const { name, help, value, labels = {} } of [...processorSamples(), ...collect(), ...requests.samples()]) {
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
