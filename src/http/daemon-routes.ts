// What every server has beside its own interface, for those who watch over it: `/conf`, `/jmx`, `/logLevel`, `/stacks`, `/ready`, `/metrics`, and
// what the container below it answers.
import { hostname } from 'node:os';
import { AuditLog } from '../auth/audit-log.ts';
import type { TokenFigures } from '../auth/delegation/token-figures.ts';
import type { Configuration } from '../config/load.ts';
import type { Clock } from '../lib/clock.ts';
import type { Histogram } from '../lib/histogram.ts';
import type { Logger } from '../lib/log.ts';
import type { ReadinessSource } from '../lib/role.ts';
import type { RpcFigures } from '../lib/rpc-figures.ts';
import { beanSamples } from './bean-samples.ts';
import { containerRoutes } from './container-pages.ts';
import { configurationRoutes, readyRoutes, stackRoutes } from './daemon-pages.ts';
import { behind, type InstrumentationGate } from './instrumentation.ts';
import { type Bean, httpBeans, jmxRoutes, metricsSystemBeans, tokenBean } from './jmx.ts';
import { logLevelRoutes } from './log-level.ts';
import { processBeans } from './process-beans.ts';
import { prometheusRoutes } from './prometheus.ts';
import { rpcBeans, rpcSamples } from './rpc-samples.ts';
import type { Sample } from './sample.ts';
import type { Service } from './service.ts';
import { wadlRoute } from './wadl.ts';

/** What they are made of. */
export interface DaemonRouteOptions {
  readonly configuration: Configuration;
  /** The name of the server in its beans. */
  readonly daemon: string;
  /** Beans of its own, besides those of the process. */
  readonly beans?: () => readonly Bean[];
  /** What its ports of Hadoop RPC served. */
  readonly rpc?: RpcFigures;
  /** What was done to its delegation tokens. */
  readonly tokens?: TokenFigures;
  /** Figures for Prometheus that no bean has. */
  readonly samples?: () => readonly Sample[];
  /** Whose level `/logLevel` changes. */
  readonly logger: Logger;
  readonly clock: Clock;
  /** Passes who may look into the server. */
  readonly gate: InstrumentationGate;
  /** Without: the server is ready as soon as it answers. */
  readonly readiness?: ReadinessSource;
  /** Times that it counts besides those of requests. */
  readonly times?: readonly Histogram[];
}

/**
 * Adds the settings in force, the beans of the process, the level of its log, what it waits for, whether it is ready, its figures for
 * Prometheus, and the container's pages.
 */
export function mountDaemonRoutes(service: Service, options: DaemonRouteOptions): void {
  const { configuration, daemon, beans, rpc, tokens, samples, logger, clock, gate, readiness, times = [] } = options;
  const audit = new AuditLog(logger);
  const own = (): Bean[] => [
    ...(beans?.() ?? []),
    ...(rpc ? rpcBeans(daemon, hostname(), rpc) : []),
    ...(tokens ? [tokenBean(daemon, hostname(), tokens)] : []),
  ];
  const all = (): Bean[] => {
    const beans = [...own(), ...httpBeans(daemon, hostname(), service.figures), ...processBeans(daemon, hostname())];
    return [...beans, ...metricsSystemBeans(daemon, hostname(), beans)];
  };
  const inside = [
    ...configurationRoutes(configuration),
    ...jmxRoutes(all),
    ...logLevelRoutes({
      ...{ logger, clock },
      mayChange: gate,
      changed: ({ caller }, change) => audit.changed(caller, { operation: 'change the log level', target: change }),
    }),
    ...stackRoutes(),
  ];
  const collect = () => [...beanSamples(own()), ...(rpc ? rpcSamples(rpc) : []), ...(samples?.() ?? [])];
  const metrics = prometheusRoutes(configuration, { collect, requests: service.figures, times });
  for (const route of [...behind(gate, inside), ...readyRoutes(readiness), ...metrics, ...containerRoutes(gate), wadlRoute(service)])
    service.route(route);
}
