// The web service with everything that answers on it.
import { proxyKeyOf } from '../../auth/proxy-user.ts';
import { serverAuthorization } from '../../client/server-credentials.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { securitySettings } from '../../config/settings/security.ts';
import { boundAddress } from '../../config/values.ts';
import { serverAddress } from '../../config/web-addresses.ts';
import { createAuthenticator } from '../../http/authentication.ts';
import { createCrossOrigin } from '../../http/cross-origin.ts';
import { createCrossSiteGuard } from '../../http/cross-site.ts';
import { frameOptionsOf } from '../../http/frame-options.ts';
import { createHostNames } from '../../http/host-names.ts';
import { limitsOf } from '../../http/limits.ts';
import { profiles } from '../../http/profiles.ts';
import { serverTls } from '../../http/server-tls.ts';
import { createService, type Service } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import type { Commands } from '../commands/commands.ts';
import { mountAdministration } from '../http/administration.ts';
import { mountBearerTokens } from '../http/bearer-tokens.ts';
import { mountContainerLogs } from '../http/container-logs.ts';
import { ContainerPlaces } from '../http/container-places.ts';
import { MasterAddresses } from '../http/master-addresses.ts';
import { mountMasters } from '../http/masters.ts';
import { mountNodeAttributes } from '../http/node-attributes.ts';
import { mountQueueWhatIf } from '../http/queue-what-if.ts';
import {
  clusterPath,
  mountApplications,
  mountBeside,
  mountDescription,
  mountFacts,
  mountNodes,
  mountReservations,
  mountTokens,
} from '../http/routes.ts';
import { mountRunInstances } from '../http/run-instances.ts';
import { mountScheduler } from '../http/scheduler-routes.ts';
import { mountSchedules } from '../http/schedules.ts';
import { mountStaging } from '../http/staging.ts';
import { mountUsage } from '../http/usage-relay.ts';
import { mountWebhooks } from '../http/webhooks.ts';
import type { AttributeManager } from '../labels/attribute-manager.ts';
import type { AccessRules } from '../security/access-rules.ts';
import type { Parts } from '../views/parts.ts';
import type { BuiltSecurity } from './build-security.ts';
import type { OpenedState } from './open-state.ts';
import type { ProvenCallers } from './prove-callers.ts';
import type { Starting } from './starting.ts';

/** The service that the doors are mounted on; it does not listen yet. */
export async function buildService(
  { configuration, clock, logger, random }: Starting,
  security: BuiltSecurity,
  rules: AccessRules,
): Promise<Service> {
  const { tokens, registry, audit } = security;
  const { mayImpersonate, claimedGroups } = rules;
  return createService({
    name: 'resource-manager',
    profile: profiles.resourceManager,
    address: boundAddress(serverAddress(configuration, 'resource-manager').address, configuration.values(resourceManagerSettings).bindHost),
    tls: serverTls(configuration, 'resource-manager', { clock, logger }),
    authenticator: await createAuthenticator('resourceManager', configuration, {
      clock,
      random,
      logger,
      mayImpersonate,
      claimedGroups,
      judgeToken: (digest) => registry.judge(digest),
      tokens: {
        tokens,
        anyHolderCancels: false,
        nobody: () => ({ refusal: failure('ILLEGAL_ARGUMENT', { reason: 'Null user' }) }),
        changed: (caller, operation) => audit.changed(caller, { operation, target: 'delegation token' }),
        furtherHeaders: ['hadoop-yarn-auth-delegation-token'],
      },
    }),
    logger,
    hosts: createHostNames(configuration),
    limits: limitsOf(configuration),
    crossOrigin: createCrossOrigin(configuration, 'resourceManager'),
    guard: createCrossSiteGuard(configuration, 'resourceManager'),
    frameOptions: frameOptionsOf(configuration, 'resourceManager'),
    refused: (refusal) => audit.refusedRequest(refusal),
  });
}

/** Mounts every group of routes; each is given what its handlers work with. */
export function mount(
  service: Service,
  parts: Parts,
  commands: Commands,
  { caller, audit, groupsOf, clusterSecret, registry, proxySecret }: BuiltSecurity,
  attributes: AttributeManager,
  { proven, isNode }: ProvenCallers,
  { random, roleKey, readiness }: Pick<Starting, 'random' | 'roleKey'> & Pick<OpenedState, 'readiness'>,
): void {
  const { configuration, cluster, policy, types, startedMs } = parts;
  const masterAddresses = new MasterAddresses();
  const { restSubmissionsEnabled } = configuration.values(resourceManagerSettings);
  mountFacts(service, parts);
  mountApplications(service, { ...parts, caller, commands, submissionsEnabled: restSubmissionsEnabled });
  mountNodes(service, { ...parts, caller, commands });
  mountTokens(service, { caller, commands });
  const { tokenLifetimeMs: usualLifetimeMs } = configuration.values(securitySettings);
  mountBearerTokens(service, { caller, commands, registry, secret: clusterSecret, usualLifetimeMs });
  mountRunInstances(service, { caller, commands });
  mountSchedules(service, { caller, commands });
  mountWebhooks(service, { caller, commands, policy });
  mountReservations(service, { caller, commands, policy, types });
  mountScheduler(service, { ...parts, caller, commands }, clusterPath);
  mountBeside(service, { ...parts, caller, commands, audit, readiness, proxySecret, masterAddresses });
  mountNodeAttributes(service, { caller, commands, cluster, attributes });
  mountDescription(service);
  mountMasters(service, {
    commands,
    masters: cluster,
    types,
    startedMs,
    addresses: masterAddresses,
    proven,
    proxyKey: (applicationId) => proxyKeyOf(proxySecret, applicationId),
  });
  mountAdministration(service, { caller, commands, groupsOf });
  mountQueueWhatIf(service, { caller, commands, view: cluster.view, types });
  const identity = { clock: parts.clock, random, roleKey };
  const places = new ContainerPlaces();
  cluster.observe(places);
  const authorizationOf = (user: string) => serverAuthorization(configuration, { ...identity, user });
  const relays = { cluster, configuration, access: parts.access, places, authorizationOf };
  mountContainerLogs(service, relays);
  mountUsage(service, relays);
  mountStaging(service, { caller, commands, isNode });
}
