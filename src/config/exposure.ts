// Loopback by default: nothing listens where others can reach it while callers need not prove who they are.
import type { Configuration } from './load.ts';
import { isFilterInstalled, mechanismOf } from './mechanism.ts';
import { commonSettings } from './settings/common.ts';
import { heddleSettings } from './settings/heddle.ts';
import { historySettings } from './settings/history.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';
import { proxySettings } from './settings/proxy.ts';
import { resourceManagerSettings } from './settings/resource-manager.ts';
import { timelineSettings } from './settings/timeline.ts';
import { ConfigurationError } from './table.ts';
import { parseAddress } from './values.ts';

/** Whether a host name or address is this machine's loopback. Other names count as reachable from outside. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || name.endsWith('.localhost') || /^(::ffff:)?127(\.\d{1,3}){3}$/.test(name);
}

/** The address a role listens on, with the key that says so. `host` is the bind host where one is set. */
export interface ListeningAddress {
  readonly key: string;
  readonly host: string;
  readonly port: number;
}

/** The addresses that a role listens on. Unknown roles listen on none. */
export function listeningAddresses(role: string, configuration: Configuration): ListeningAddress[] {
  const common = configuration.values(commonSettings);
  const found: ListeningAddress[] = [];
  const add = (key: string, address: string | undefined, bindHost: string | undefined): void => {
    const parsed = address === undefined ? undefined : parseAddress(address, 0);
    if (parsed) found.push({ key, host: bindHost?.trim() ? bindHost.trim() : parsed.host, port: parsed.port });
  };
  switch (role) {
    case 'resource-manager':
      add(
        commonSettings.resourceManagerWebAddress.key,
        common.resourceManagerWebAddress,
        configuration.values(resourceManagerSettings).bindHost,
      );
      break;
    case 'node-manager': {
      const { webAddress, bindHost } = configuration.values(nodeManagerSettings);
      add(nodeManagerSettings.webAddress.key, webAddress, bindHost);
      break;
    }
    case 'timeline': {
      const { bindHost, readerWebAddress, readerBindHost } = configuration.values(timelineSettings);
      add(commonSettings.timelineWebAddress.key, common.timelineWebAddress, bindHost);
      add(timelineSettings.readerWebAddress.key, readerWebAddress, readerBindHost);
      break;
    }
    case 'history':
      add(commonSettings.historyWebAddress.key, common.historyWebAddress, configuration.values(historySettings).bindHost);
      break;
    case 'proxy':
      add(commonSettings.webProxyAddress.key, common.webProxyAddress, configuration.values(proxySettings).bindHost);
      break;
  }
  return found;
}

/**
 * Refuses what would be less safe here than the settings say: proofs that are asked for in part or not known here, and TLS, which is not spoken yet.
 * @throws ConfigurationError naming the key.
 */
function refuseUnspoken(role: string, configuration: Configuration): void {
  const refuse = (key: string, problem: string, remedy: string) => {
    throw new ConfigurationError(configuration.origin(key)?.source ?? 'defaults', key, problem, remedy);
  };
  const { securityAuthentication, httpAuthenticationType } = commonSettings;
  for (const { key } of [...(isFilterInstalled(configuration) ? [httpAuthenticationType] : []), timelineSettings.httpAuthenticationType]) {
    const type = configuration.get(key)?.trim().toLowerCase() ?? '';
    if (type !== 'simple' && type !== 'kerberos')
      refuse(key, `"${type}" is not spoken here, and callers would be believed whatever name they give`, 'Use kerberos or simple.');
  }
  const isSecure = configuration.values(commonSettings).securityAuthentication === 'kerberos';
  if (isSecure && mechanismOf(configuration, role === 'timeline') !== 'kerberos')
    refuse(
      securityAuthentication.key,
      'it asks for Kerberos, but callers of the web interfaces would be believed whatever name they give',
      `Set ${commonSettings.filterInitializers.key} to org.apache.hadoop.security.AuthenticationFilterInitializer, ${httpAuthenticationType.key} to kerberos, and ${commonSettings.httpKerberosKeytab.key} to the keytab with the keys of HTTP/host.`,
    );
  for (const key of [commonSettings.httpPolicy.key, historySettings.httpPolicy.key]) {
    if (configuration.get(key)?.trim() === 'HTTPS_ONLY')
      refuse(key, 'HTTPS is not spoken yet', 'Use HTTP_ONLY, and a gateway in front that speaks TLS.');
  }
}

/**
 * Refuses addresses beyond loopback where callers need not prove who they are.
 * @throws ConfigurationError naming the address and the ways out.
 */
export function refuseExposure(role: string, configuration: Configuration): void {
  refuseUnspoken(role, configuration);
  const { allowUnauthenticated } = configuration.values(heddleSettings);
  if (allowUnauthenticated || mechanismOf(configuration, role === 'timeline') === 'kerberos') return;
  for (const { key, host } of listeningAddresses(role, configuration)) {
    if (isLoopback(host)) continue;
    throw new ConfigurationError(
      configuration.origin(key)?.source ?? 'defaults',
      key,
      `${host} can be reached by others, and no authentication is configured`,
      `Use a loopback address behind a gateway that checks callers, or accept the risk with ${heddleSettings.allowUnauthenticated.key}=true.`,
    );
  }
}
