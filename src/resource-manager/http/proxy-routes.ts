// The web proxy inside the resource manager (`yarn.web-proxy.address` unset): reports come from the cluster itself.
import { parseAddress } from '../../config/values.ts';
import type { ProxyOptions } from '../../http/forward.ts';
import { mountProxyRoutes } from '../../http/mount-proxy.ts';
import { proxyRules } from '../../http/proxy-rules.ts';
import type { Service } from '../../http/service.ts';
import { isFinalApplicationState } from '../../model/application-states.ts';
import { currentAttempt, publicState } from '../applications/application.ts';
import type { Attempt } from '../applications/attempt.ts';
import type { Parts } from '../views/parts.ts';
import type { MasterAddresses } from './master-addresses.ts';

/** What the proxy knows besides the cluster. */
export interface ProxyNeeds {
  /** By which it signs the names of visitors. */
  readonly proxySecret: Buffer;
  readonly masterAddresses: Pick<MasterAddresses, 'of'>;
}

/** Adds the proxy to the service. */
export function mountProxy(service: Service, parts: Parts & ProxyNeeds): void {
  mountProxyRoutes(service, proxyOptions(parts));
}

function proxyOptions(parts: Parts & ProxyNeeds): ProxyOptions {
  const { configuration, clock, proxySecret: secret, masterAddresses } = parts;
  return {
    lookUp: (id) => {
      const application = parts.cluster.findAny(id);
      if (!application) return undefined;
      const attempt = currentAttempt(application);
      return {
        user: application.user,
        queue: application.queue,
        ended: isFinalApplicationState(publicState(application)),
        originalTrackingUrl: attempt && parts.views.originalTrackingUrl(application, attempt),
        page: `${parts.resolvedUrl()}/cluster/app/${id}`,
        ...placeOf(attempt, masterAddresses),
      };
    },
    failurePage: (id) => `${parts.resolvedUrl()}/cluster/failure/${id}`,
    ownUrls: () => [parts.resolvedUrl(), parts.webUrl()],
    scheme: parts.scheme,
    warnStrangers: false,
    ...proxyRules(configuration, { clock, secret, ownSite: false, ports: () => [Number(new URL(parts.webUrl()).port)] }),
  };
}

/** Where a master runs: on its node, or where it calls from. */
function placeOf(attempt: Readonly<Attempt> | undefined, addresses: ProxyNeeds['masterAddresses']) {
  const { masterNodeId, masterNodeHttpAddress } = attempt ?? {};
  const node = [masterNodeId, masterNodeHttpAddress].flatMap((address) => parseAddress(address ?? '', 0) ?? []);
  const called = attempt && masterNodeId === undefined ? addresses.of(attempt) : undefined;
  return { hosts: [...node.map(({ host }) => host), ...(called === undefined ? [] : [called])], nodePorts: node.map(({ port }) => port) };
}
