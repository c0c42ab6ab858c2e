// Figures of beans for Prometheus, named as Hadoop's own sink names them (PrometheusMetricsSink.prometheusName).
import { type Bean, Float } from './jmx.ts';
import type { Sample } from './sample.ts';

/** `NodeManagerMetrics`, `ContainersLaunched` → `node_manager_metrics_containers_launched`. */
export const sampleName = (bean: string, attribute: string): string =>
  [bean, attribute]
    .flatMap((name) => name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z\d]+|\d+/g) ?? [])
    .join('_')
    .toLowerCase();

/** The numbers among the attributes of beans; texts are left out. */
export function beanSamples(beans: readonly Bean[]): Sample[] {
  return beans.flatMap(({ name, attributes }) => {
    const bean = /(?:^|[,:])name=([^,]+)/.exec(name)?.[1] ?? name;
    return Object.entries(attributes).flatMap(([attribute, shown]) => {
      const value = shown instanceof Float ? shown.value : shown;
      if (typeof value !== 'number' || !Number.isFinite(value)) return [];
      return [{ name: sampleName(bean, attribute), help: `${attribute} of ${bean}.`, value }];
    });
  });
}
