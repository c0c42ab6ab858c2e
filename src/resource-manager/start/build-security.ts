// Who may do what, who is known, and what proves it: access lists, the audit log, delegation tokens, the cluster's secret.
import { processUser } from '../../auth/administrators.ts';
import { AuditLog } from '../../auth/audit-log.ts';
import { TokenRegistry } from '../../auth/bearer/token-registry.ts';
import { ClusterSecret } from '../../auth/cluster-secret.ts';
import { TokenManager } from '../../auth/delegation/token-manager.ts';
import { configuredNames } from '../../auth/kerberos/configured-names.ts';
import { authenticationRules } from '../../config/authentication-rules.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { proxySecret } from '../../http/proxy-rules.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';
import { type KnownCaller, knownCallers } from '../http/callers.ts';
import { Access } from '../security/access.ts';
import type { AccessRules } from '../security/access-rules.ts';
import { bearerStore } from '../security/bearer-store.ts';
import { tokenStore } from '../security/token-store.ts';
import type { ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { Starting } from './starting.ts';

/** What was built. */
export interface BuiltSecurity {
  readonly access: Access;
  readonly audit: AuditLog;
  /** The caller of a request, once known. */
  readonly caller: KnownCaller;
  readonly groupsOf: AccessRules['groupsOf'];
  readonly tokens: TokenManager;
  /** Bearer tokens. */
  readonly registry: TokenRegistry;
  /** What node managers prove themselves with. */
  readonly clusterSecret: ClusterSecret;
  /** By which the web proxy signs the names of its visitors. */
  readonly proxySecret: Buffer;
  /** The user of this process. */
  readonly processUser: string;
}

/** Builds it; makes the file of the cluster's secret where there is none. */
export function buildSecurity(
  { configuration, clock, logger, random }: Starting,
  store: ResourceManagerStore,
  policy: SchedulingPolicy,
  { groupsOf }: AccessRules,
): BuiltSecurity {
  const { aclEnabled, adminAcl, securityAuthentication, staticUser } = configuration.values(commonSettings);
  const own = configuration.values(resourceManagerSettings);
  const audit = new AuditLog(logger);
  return {
    access: new Access({ aclEnabled, adminAcl, processUser: processUser(), groupsOf, policy, audit }),
    audit,
    groupsOf,
    caller: knownCallers({ security: securityAuthentication !== 'simple', staticUser, groupsOf }),
    tokens: new TokenManager({
      kind: 'RM_DELEGATION_TOKEN',
      mechanism: authenticationRules(configuration, false).mechanism,
      nameOf: configuredNames(configuration, false),
      store: tokenStore(store),
      clock,
      random,
      keyUpdateIntervalMs: own.delegationKeyUpdateIntervalMs,
      renewIntervalMs: own.delegationTokenRenewIntervalMs,
      maximumLifetimeMs: own.delegationTokenMaximumLifetimeMs,
    }),
    registry: new TokenRegistry({
      store: bearerStore(store),
      clock,
      random,
      failed: (error) => logger.warn({ err: error }, 'when a bearer token was used last could not be kept'),
    }),
    clusterSecret: new ClusterSecret(configuration.values(heddleSettings).clusterSecretFile, { clock, random }),
    proxySecret: proxySecret(configuration, random),
    processUser: processUser(),
  };
}
