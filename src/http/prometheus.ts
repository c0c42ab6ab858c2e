// `/prom` (Hadoop's path) and `/metrics` for Prometheus. The library is loaded with the first scrape: most clusters have none.
import type { Configuration } from '../config/load.ts';
import { text } from './answers.ts';
import type { Route } from './service.ts';

/** One number at the moment of the scrape; names by Prometheus's rules, units at the end. */
export interface Sample {
  readonly name: string;
  readonly help: string;
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}

/**
 * The routes; `collect` is asked at each scrape. Figures of the process itself are added. At its own path Hadoop answers 404 unless
 * `hadoop.prometheus.endpoint.enabled` is set.
 */
export function prometheusRoutes(configuration: Configuration, collect: () => readonly Sample[]): Route<never>[] {
  let writer: Promise<() => Promise<{ body: string; contentType: string }>> | undefined;
  const handle = async () => {
    writer ??= openRegistry(collect);
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
async function openRegistry(collect: () => readonly Sample[]): Promise<() => Promise<{ body: string; contentType: string }>> {
  const { Gauge, Registry, collectDefaultMetrics } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauges = new Map<string, InstanceType<typeof Gauge>>();
  return async () => {
    for (const gauge of gauges.values()) gauge.reset();
    for (const { name, help, value, labels = {} } of collect()) {
      const gauge = gauges.get(name) ?? new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] });
      gauges.set(name, gauge);
      gauge.set(labels, value);
    }
    return { body: await registry.metrics(), contentType: registry.contentType };
  };
}
