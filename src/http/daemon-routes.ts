// What every server has beside its own interface, for those who watch over it: `/conf`, `/jmx`, `/stacks`.
import { hostname } from 'node:os';
import type { Configuration } from '../config/load.ts';
import { configurationRoutes, stackRoutes } from './daemon-pages.ts';
import { jmxRoutes, processBeans } from './jmx.ts';
import type { Service } from './service.ts';

/** Adds the settings in force, the beans of the process and what it waits for. */
export function mountDaemonRoutes(service: Service, configuration: Configuration, daemon: string): void {
  for (const route of [...configurationRoutes(configuration), ...jmxRoutes(() => processBeans(daemon, hostname())), ...stackRoutes()])
    service.route(route);
}
