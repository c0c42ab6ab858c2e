// The web proxy inside the resource manager (`yarn.web-proxy.address` unset): reports come from the cluster itself.
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { createProxyRoutes } from '../../http/forward.ts';
import type { Route } from '../../http/service.ts';
import { currentAttempt, publicState } from '../applications/application.ts';
import type { Parts } from './parts.ts';

const ended = new Set(['FINISHED', 'FAILED', 'KILLED']);

/** The routes of the proxy. */
export function proxyRoutes(parts: Parts): Route<Buffer>[] {
  const own = parts.configuration.values(resourceManagerSettings);
  return createProxyRoutes({
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
  });
}
