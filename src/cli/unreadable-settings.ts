// Settings that servers cannot read when they start or are told to read them again, as far as the settings themselves tell: what `heddle config check` refuses and
// `heddle doctor` finds. Each reading is the one that the servers make.
import { configuredNames } from '../auth/kerberos/configured-names.ts';
import { proxyUsers } from '../auth/proxy-users.ts';
import { serviceAccessOf } from '../auth/service-access.ts';
import { logBucket } from '../client/log-store.ts';
import { webhookTargets } from '../config/allowed-targets.ts';
import { authenticationRules } from '../config/authentication-rules.ts';
import { readDynamicResources } from '../config/dynamic-resources.ts';
import { containerRuntimes, givesGpus, listedGpus, userPattern } from '../config/engine-rules.ts';
import type { Configuration } from '../config/load.ts';
import { furtherAmounts } from '../config/node-amounts.ts';
import { descriptorSources } from '../config/node-descriptors.ts';
import { oidcRules } from '../config/oidc-rules.ts';
import { resourceTypes } from '../config/resource-types.ts';
import { rpcProtections } from '../config/rpc-protection.ts';
import { commonSettings } from '../config/settings/common.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import { timelineSettings } from '../config/settings/timeline.ts';
import { ConfigurationError } from '../config/table.ts';
import { tracesEndpoint } from '../config/traces-endpoint.ts';
import { systemClock } from '../lib/clock.ts';

const proxyUserFamilies = [
  commonSettings.proxyUsers.key,
  resourceManagerSettings.proxyUserPrivileges.key,
  timelineSettings.httpProxyUsers.key,
];
const nobody = () => [];

/** The faults, each once. What a fault hides in the same setting is found when it is mended. */
export async function unreadableSettings(configuration: Configuration): Promise<readonly ConfigurationError[]> {
  const readings: (() => unknown)[] = [
    ...[false, true].map((isTimeline) => () => configuredNames(configuration, isTimeline)),
    ...proxyUserFamilies.map((prefix) => () => proxyUsers(configuration.family(prefix), nobody, prefix)),
    () => serviceAccessOf(configuration, nobody),
    () => authenticationRules(configuration, false).ways.includes('oidc') && oidcRules(configuration),
    () => rpcProtections(configuration),
    () => webhookTargets(configuration),
    () => tracesEndpoint(configuration),
    () => readDynamicResources(configuration.confDir, resourceTypes(configuration)),
    () => furtherAmounts(configuration),
    () => descriptorSources(configuration),
    () => containerRuntimes(configuration),
    () => userPattern(configuration),
    () => givesGpus(configuration) && listedGpus(configuration),
    () => {
      const { remoteLogDirectory: remoteDirectory } = configuration.values(commonSettings);
      return logBucket({ remoteDirectory, property: (key) => configuration.get(key), clock: systemClock });
    },
  ];
  const found = new Map<string, ConfigurationError>();
  for (const read of readings) {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      found.set(error.message, error);
    }
  }
  return [...found.values()];
}
