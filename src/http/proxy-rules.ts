// What the settings say of the web proxy, wherever it runs.
import { proxyKeyOf, signedProxyUser } from '../auth/proxy-user.ts';
import { readOrCreateSecret } from '../auth/secret-file.ts';
import type { Configuration } from '../config/load.ts';
import { proxySettings } from '../config/settings/proxy.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import type { ProxyOptions } from './forward.ts';
import { ProxyTargets } from './forward-targets.ts';
import { createHostNames, portsInSettings } from './host-names.ts';

/** The secret of the web proxies, made where there is none. */
export const proxySecret = (configuration: Configuration, random: Random): Buffer =>
  readOrCreateSecret(configuration.values(proxySettings).secretFile, random);

/**
 * The part of the proxy's options that the settings say. `ownSite`: its pages share their site with no server of the cluster;
 * `ports`: of servers that listen elsewhere than the settings say.
 */
export function proxyRules(
  configuration: Configuration,
  { clock, secret, ownSite, ports = () => [] }: { clock: Clock; secret: Buffer; ownSite: boolean; ports?: () => Iterable<number> },
): Pick<ProxyOptions, 'httpsOnly' | 'timeoutMs' | 'targets' | 'sign' | 'sandboxed'> {
  const { allowedHosts, sandbox } = configuration.values(proxySettings);
  const { applicationHttpsPolicy, proxyTimeoutEnabled, proxyConnectionTimeoutMs } = configuration.values(resourceManagerSettings);
  const settled = portsInSettings(configuration);
  return {
    httpsOnly: applicationHttpsPolicy === 'STRICT',
    timeoutMs: proxyTimeoutEnabled ? proxyConnectionTimeoutMs : 0,
    targets: new ProxyTargets({ allowedHosts, ownPorts: () => [...settled, ...ports()], ownHosts: createHostNames(configuration) }),
    sign: (applicationId, user) => signedProxyUser(proxyKeyOf(secret, applicationId), applicationId, user, clock.now()),
    sandboxed: sandbox ?? !ownSite,
  };
}
