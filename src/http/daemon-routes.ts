// What every server has beside its own interface, for those who watch over it: `/conf`, `/jmx`, `/stacks`, `/ready`.
import { hostname } from 'node:os';
import type { Configuration } from '../config/load.ts';
import type { ReadinessSource } from '../lib/role.ts';
import { configurationRoutes, readyRoutes, stackRoutes } from './daemon-pages.ts';
import { jmxRoutes, processBeans } from './jmx.ts';
import type { Service } from './service.ts';

/** Adds the settings in force, the beans of the process, what it waits for, and whether it is ready (without `readiness`: as it answers). */
export function mountDaemonRoutes(service: Service, configuration: Configuration, daemon: string, readiness?: ReadinessSource): void {
  for (const route of [
    ...configurationRoutes(configuration),
    ...jmxRoutes(() => processBeans(daemon, hostname())),
    ...stackRoutes(),
    ...readyRoutes(readiness),
  ])
    service.route(route);
}
