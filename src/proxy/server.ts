// The web proxy role: `/proxy/…` on a host of its own (`yarn.web-proxy.address`), so that masters' pages share no origin with the cluster.

import { administrators } from '../auth/administrators.ts';
import { groupMapping } from '../auth/groups.ts';
import { openRoleKey } from '../auth/kerberos/role-key.ts';
import { askManager } from '../client/ask-manager.ts';
import { serverAuthorization } from '../client/server-credentials.ts';
import type { Configuration } from '../config/load.ts';
import { commonSettings } from '../config/settings/common.ts';
import { proxySettings } from '../config/settings/proxy.ts';
import { boundAddress } from '../config/values.ts';
import { schemeOf, serverAddress } from '../config/web-addresses.ts';
import { createAuthenticator } from '../http/authentication.ts';
import { servlet } from '../http/daemon-pages.ts';
import { mountDaemonRoutes } from '../http/daemon-routes.ts';
import type { ProxyOptions } from '../http/forward.ts';
import { createHostNames } from '../http/host-names.ts';
import { instrumentationGate } from '../http/instrumentation.ts';
import { limitsOf } from '../http/limits.ts';
import { mountProxyRoutes } from '../http/mount-proxy.ts';
import { mountOpenApi } from '../http/open-api.ts';
import { profiles } from '../http/profiles.ts';
import { proxyRules, proxySecret } from '../http/proxy-rules.ts';
import { serverTls } from '../http/server-tls.ts';
import { createService } from '../http/service.ts';
import { mountWebPages } from '../http/web-pages.ts';
import { Closer } from '../lib/closer.ts';
import { ownUserName } from '../lib/own-user.ts';
import type { RoleDependencies, RunningRole } from '../lib/role.ts';
import { ReportLookUp } from './reports.ts';

/** Starts the proxy; `addresses.web` is its base URL. Refuses to start where `yarn.web-proxy.address` is not set. */
export async function start(configuration: Configuration, { clock, random, logger }: RoleDependencies): Promise<RunningRole> {
  const common = configuration.values(commonSettings);
  const own = configuration.values(proxySettings);
  if (common.webProxyAddress === undefined) throw new Error('yarn.web-proxy.address is not set so the proxy will not run.');
  const closer = new Closer();
  const scheme = schemeOf(configuration);
  const { url: resourceManagerUrl } = serverAddress(configuration, 'resource-manager');
  const keepsHistory = common.timelineEnabled && common.applicationHistoryEnabled;
  const user = ownUserName();
  const roleKey = await openRoleKey({ role: 'proxy', configuration, clock, logger });
  if (roleKey) closer.add('Kerberos key', () => roleKey.close());
  const reports = new ReportLookUp({
    resourceManagerUrl,
    historyUrl: keepsHistory ? serverAddress(configuration, 'timeline').url : undefined,
    user,
    authorize: serverAuthorization(configuration, { user, clock, random, roleKey }),
    logger,
  });
  closer.add('report look-up', () => reports.close());
  const service = createService({
    name: 'proxy',
    profile: profiles.proxy,
    address: boundAddress(common.webProxyAddress, own.bindHost),
    tls: serverTls(configuration, 'proxy', { clock, logger }),
    authenticator: await createAuthenticator('proxy', configuration, { clock, random, logger, askManager: askManager(configuration) }),
    hosts: createHostNames(configuration),
    limits: limitsOf(configuration),
    logger,
  });
  const options: ProxyOptions = {
    lookUp: (id) => reports.find(id),
    failurePage: (id) => `${resourceManagerUrl}/cluster/failure/${id}`,
    scheme,
    warnStrangers: common.securityAuthentication !== 'simple',
    ...proxyRules(configuration, { clock, secret: proxySecret(configuration, random), ownSite: true }),
  };
  mountProxyRoutes(service, options);
  const isAdministrator = administrators([common.adminAcl], groupMapping(common.staticGroups));
  const gate = instrumentationGate(configuration, isAdministrator);
  mountDaemonRoutes(service, { configuration, daemon: 'WebAppProxyServer', logger, clock, gate });
  mountWebPages(service, { configuration, role: 'proxy', isAdministrator, log: { logger, clock }, gate });
  for (const route of servlet('/', 'Says what this is.', 'facts', () => ({
    kind: 'rendered',
    status: 200,
    body: 'The web proxy of a Heddle cluster: /proxy/<application>/\n',
    contentType: 'text/plain;charset=utf-8',
  })))
    service.route(route);
  mountOpenApi(service, {
    title: 'Heddle web proxy',
    profile: profiles.proxy,
    described: async () => (await import('./described-routes.ts')).describedRoutes,
  });
  const { url } = await service.listen();
  closer.add('web', () => service.close());
  logger.info({ url }, 'the web proxy is ready');
  return { addresses: { web: url }, close: () => closer.close() };
}
