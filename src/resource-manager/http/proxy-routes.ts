// The web proxy inside the resource manager (`yarn.web-proxy.address` unset): reports come from the cluster itself.
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { createProxyRoutes, type ProxyOptions } from '../../http/forward.ts';
import { proxyUpgrades } from '../../http/forward-upgrade.ts';
import type { Service } from '../../http/service.ts';
import { currentAttempt, publicState } from '../applications/application.ts';
import type { Parts } from './parts.ts';

const ended = new Set(['FINISHED', 'FAILED', 'KILLED']);

/** Adds the proxy to the service. */
export function mountProxy(service: Service, parts: Parts): void {
  const options = proxyOptions(parts);
  for (const route of createProxyRoutes(options)) service.route(route);
  service.upgrade({
    path: '/proxy/',
    authentication: 'required',
    access: 'relayed',
    about: "Connections of an application's pages.",
    handle: proxyUpgrades(options),
  });
}

function proxyOptions(parts: Parts): ProxyOptions {
  const own = parts.configuration.values(resourceManagerSettings);
  return {
    lookUp: (id) => {
      const application = parts.cluster.findAny(id);
      if (!application) return undefined;
      const attempt = currentAttempt(application);
      return {
        user: application.user,
        ended: ended.has(publicState(application)),
        originalTrackingUrl: attempt && parts.views.originalTrackingUrl(application, attempt),
        page: `${parts.resolvedUrl()}/cluster/app/${id}`,
      };
    },
    failurePage: (id) => `${parts.resolvedUrl()}/cluster/failure/${id}`,
    scheme: parts.scheme,
    warnStrangers: false,
    httpsOnly: own.applicationHttpsPolicy === 'STRICT',
    timeoutMs: own.proxyTimeoutEnabled ? own.proxyConnectionTimeoutMs : 0,
  };
}
