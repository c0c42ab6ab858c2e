// What every server has beside its own interface, for those who watch over it: `/conf`, `/jmx`, `/stacks`, `/ready`, `/metrics`.
import { hostname } from 'node:os';
import type { Configuration } from '../config/load.ts';
import type { ReadinessSource } from '../lib/role.ts';
import { beanSamples } from './bean-samples.ts';
import { configurationRoutes, readyRoutes, stackRoutes } from './daemon-pages.ts';
import { behind, type InstrumentationGate } from './instrumentation.ts';
import { type Bean, jmxRoutes, processBeans } from './jmx.ts';
import { prometheusRoutes } from './prometheus.ts';
import type { Service } from './service.ts';

/** What they are made of. */
export interface DaemonRouteOptions {
  readonly configuration: Configuration;
  /** The name of the server in its beans. */
  readonly daemon: string;
  /** Beans of its own, besides those of the process. */
  readonly beans?: () => readonly Bean[];
  /** Passes who may look into the server. */
  readonly gate: InstrumentationGate;
  /** Without: the server is ready as soon as it answers. */
  readonly readiness?: ReadinessSource;
}

/** Adds the settings in force, the beans of the process, what it waits for, whether it is ready, and its figures for Prometheus. */
export function mountDaemonRoutes(service: Service, { configuration, daemon, beans, gate, readiness }: DaemonRouteOptions): void {
  const inside = [
    ...configurationRoutes(configuration),
    ...jmxRoutes(() => [...(beans?.() ?? []), ...processBeans(daemon, hostname())]),
    ...stackRoutes(),
  ];
  const metrics = prometheusRoutes(configuration, () => beanSamples(beans?.() ?? []));
  for (const route of [...behind(gate, inside), ...readyRoutes(readiness), ...metrics]) service.route(route);
}
