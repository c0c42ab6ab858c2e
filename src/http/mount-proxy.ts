// The web proxy as part of a server: of the one that does nothing else, and of the resource manager.
import { createProxyRoutes, type ProxyOptions } from './forward.ts';
import { proxyUpgrades } from './forward-upgrade.ts';
import type { Service } from './service.ts';

/** Adds the pages of applications' masters and their upgraded connections. */
export function mountProxyRoutes(service: Service, options: ProxyOptions): void {
  for (const route of createProxyRoutes(options)) service.route(route);
  service.upgrade({
    path: '/proxy/',
    authentication: 'required',
    access: 'relayed',
    about: "Connections of an application's pages.",
    handle: proxyUpgrades(options),
  });
}
