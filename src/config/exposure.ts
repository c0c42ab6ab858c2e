// Loopback by default: nothing listens where others can reach it while callers need not prove who they are.
import { watchBoundSockets } from '../lib/bound-sockets.ts';
import type { Logger } from '../lib/log.ts';
import { isLoopbackAddress } from '../lib/loopback.ts';
import { acceptedAddresses, boundSocketRule, exposed, isAccepted } from './accepted-addresses.ts';
import { authenticationRules } from './authentication-rules.ts';
import { shuffleAddress } from './auxiliary-classes.ts';
import type { Configuration } from './load.ts';
import { isFilterInstalled, mechanismOf } from './mechanism.ts';
import { resourceManagerRpc } from './rpc-ports.ts';
import { settingFault } from './setting-fault.ts';
import { commonSettings } from './settings/common.ts';
import { historySettings } from './settings/history.ts';
import { nodeManagerSettings } from './settings/node-manager.ts';
import { proxySettings } from './settings/proxy.ts';
import { resourceManagerSettings } from './settings/resource-manager.ts';
import { rpcSettings } from './settings/rpc.ts';
import { timelineSettings } from './settings/timeline.ts';
import { wantsTimelineVersion2 } from './timeline-versions.ts';
import { parseAddress } from './values.ts';
import { serverAddress, type WebServerName } from './web-addresses.ts';

/** Whether a host name or address is this machine's loopback. Other names count as reachable from outside: where they lead is not looked at. */
export const isLoopback = (host: string): boolean => host.toLowerCase() === 'localhost' || isLoopbackAddress(host);

/** The address a role listens on, with the key that says so. `host` is the bind host where one is set. */
export interface ListeningAddress {
  readonly key: string;
  readonly host: string;
  readonly port: number;
  /** Each request proves who asks, whatever the settings say: nobody else is served there. */
  readonly isSigned?: boolean;
}

/** The addresses that a role listens on. Unknown roles listen on none. */
export function listeningAddresses(role: string, configuration: Configuration): ListeningAddress[] {
  const found: ListeningAddress[] = [];
  const add = (key: string, address: string, bindHost: string | undefined): void => {
    const parsed = parseAddress(address, 0);
    if (parsed) found.push({ key, host: bindHost?.trim() ? bindHost.trim() : parsed.host, port: parsed.port });
  };
  const serve = (server: WebServerName, bindHost: string | undefined): void => {
    const { key, address } = serverAddress(configuration, server);
    add(key, address, bindHost);
  };
  switch (role) {
    case 'resource-manager':
      serve('resource-manager', configuration.values(resourceManagerSettings).bindHost);
      if (configuration.values(rpcSettings).enabled) {
        const { bindHost } = configuration.values(resourceManagerSettings);
        for (const { key } of Object.values(resourceManagerRpc)) add(key, configuration.get(key) ?? '', bindHost);
      }
      break;
    case 'node-manager': {
      const { bindHost, address } = configuration.values(nodeManagerSettings);
      serve('node-manager', bindHost);
      if (configuration.values(rpcSettings).enabled) add(nodeManagerSettings.address.key, address, bindHost);
      // The masters of batch jobs listen on the host that names the node, on any port.
      add(nodeManagerSettings.address.key, address.replace(/:\d+$/, ':0'), undefined);
      const shuffle = shuffleAddress(configuration);
      if (shuffle) found.push({ key: shuffle.key, host: shuffle.host, port: shuffle.port, isSigned: true });
      break;
    }
    case 'timeline': {
      const { bindHost, readerBindHost, collectorBindHost, collectorBindPortRanges } = configuration.values(timelineSettings);
      serve('timeline', bindHost);
      if (configuration.values(rpcSettings).enabled && configuration.values(commonSettings).applicationHistoryEnabled)
        add(timelineSettings.address.key, configuration.get(timelineSettings.address.key) ?? '', bindHost);
      serve('reader', readerBindHost);
      if (wantsTimelineVersion2(configuration))
        add(timelineSettings.collectorBindHost.key, `collector:${/^\d+/.exec(collectorBindPortRanges)?.[0] ?? '0'}`, collectorBindHost);
      break;
    }
    case 'history':
      serve('history', configuration.values(historySettings).bindHost);
      if (configuration.values(rpcSettings).enabled) {
        const { address, adminAddress, bindHost } = configuration.values(historySettings);
        add(historySettings.address.key, address, bindHost);
        add(historySettings.adminAddress.key, adminAddress, bindHost);
      }
      break;
    case 'proxy':
      serve('proxy', configuration.values(proxySettings).bindHost);
      break;
  }
  return found;
}

/**
 * Refuses what would be less safe here than the settings say: proofs that are asked for in part or not known here.
 * @throws ConfigurationError naming the key.
 */
function refuseUnspoken(role: string, configuration: Configuration): void {
  const refuse = (key: string, problem: string, remedy: string) => {
    throw settingFault(configuration, key, problem, remedy);
  };
  const { securityAuthentication, httpAuthenticationType } = commonSettings;
  for (const { key } of [...(isFilterInstalled(configuration) ? [httpAuthenticationType] : []), timelineSettings.httpAuthenticationType]) {
    const type = configuration.get(key)?.trim().toLowerCase() ?? '';
    if (type !== 'simple' && type !== 'kerberos')
      refuse(key, `"${type}" is not spoken here, and callers would be believed whatever name they give`, 'Use kerberos or simple.');
  }
  // Rules of classes that are not loaded would not count: more could be allowed than they allow.
  for (const { key, default: own } of [commonSettings.authorizationProvider, commonSettings.impersonationProvider]) {
    const named = configuration.get(key)?.trim() ?? own;
    if (named !== own && named !== '')
      refuse(
        key,
        `${named} is not loaded here, and what it forbids would be allowed`,
        'Write its rules as access lists (docs/operate/security.md), and take the setting away.',
      );
  }
  const isSecure = configuration.values(commonSettings).securityAuthentication === 'kerberos';
  if (isSecure && mechanismOf(configuration, role === 'timeline') !== 'kerberos')
    refuse(
      securityAuthentication.key,
      'it asks for Kerberos, but callers of the web interfaces would be believed whatever name they give',
      `Set ${commonSettings.filterInitializers.key} to org.apache.hadoop.security.AuthenticationFilterInitializer, ${httpAuthenticationType.key} to kerberos, and ${commonSettings.httpKerberosKeytab.key} to the keytab with the keys of HTTP/host.`,
    );
}

/**
 * Refuses addresses beyond loopback where callers need not prove who they are.
 * @throws ConfigurationError naming the address and the ways out.
 */
export function refuseExposure(role: string, configuration: Configuration): void {
  refuseUnspoken(role, configuration);
  const accepted = acceptedAddresses(configuration);
  if (callersProve(role, configuration)) return;
  for (const { key, host, port } of listeningAddresses(role, configuration))
    if (!isLoopback(host) && !isAccepted(accepted, host, port)) throw exposed(configuration, key, host, host);
}

/** The addresses of the role that others can reach although callers there prove nothing: what was accepted. */
export const acceptedExposure = (role: string, configuration: Configuration): ListeningAddress[] =>
  callersProve(role, configuration)
    ? []
    : listeningAddresses(role, configuration).filter(({ host, isSigned }) => !isLoopback(host) && !isSigned);

/** Whether callers of the role's servers have to prove who they are. */
export const callersProve = (role: string, configuration: Configuration): boolean =>
  !authenticationRules(configuration, role === 'timeline').believesNames;

/** A watch over the sockets that a role binds. */
export interface SocketGuard {
  /** Rejects with the first that was refused; never resolves. */
  readonly refused: Promise<never>;
  /** Ends the watch. */
  stop(): void;
}

/**
 * Closes every socket that this thread binds from now on where others reach it, unless that is accepted or callers prove who they are: settings
 * can lead to other addresses than they seem to.
 */
export async function guardSockets(role: string, configuration: Configuration, logger: Logger): Promise<SocketGuard> {
  const { promise: refused, reject: refuse } = Promise.withResolvers<never>();
  refused.catch(() => undefined);
  if (callersProve(role, configuration)) return { refused, stop: () => undefined };
  const rule = await boundSocketRule(configuration);
  const stop = watchBoundSockets((address, server) => {
    const problem = rule(address);
    if (problem === undefined) return;
    // Who waits for it to listen hears that it does; a connection cannot come before.
    server.prependOnceListener('listening', () => server.close());
    logger.fatal({ address: address.address, port: address.port }, problem.message);
    refuse(problem);
  });
  return { refused, stop };
}
