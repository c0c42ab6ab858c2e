// The resource manager role. It starts in named pieces, each in a file of `start/`; this is the only place that knows all of them.

import { openRoleKey } from '../auth/kerberos/role-key.ts';
import type { Configuration } from '../config/load.ts';
import { resourceManagerSettings } from '../config/settings/resource-manager.ts';
import { tlsSettings } from '../config/settings/tls.ts';
import { serverAddress } from '../config/web-addresses.ts';
import { ChannelFigures } from '../lib/channel-figures.ts';
import { Closer } from '../lib/closer.ts';
import type { RoleDependencies, RunningRole } from '../lib/role.ts';
import { RpcFigures } from '../lib/rpc-figures.ts';
import { digestOfAttempt } from './http/masters.ts';
import { acceptNodes } from './http/node-channel.ts';
import { accessRulesOf } from './security/access-rules.ts';
import { buildCluster } from './start/build-cluster.ts';
import { buildCommands } from './start/build-commands.ts';
import { buildQueues } from './start/build-queues.ts';
import { buildReservations } from './start/build-reservations.ts';
import { buildScheduler } from './start/build-scheduler.ts';
import { buildSchedules } from './start/build-schedules.ts';
import { buildSecurity } from './start/build-security.ts';
import { buildStaging } from './start/build-staging.ts';
import { buildTraces } from './start/build-traces.ts';
import { buildWebhooks } from './start/build-webhooks.ts';
import { buildService, mount } from './start/mount.ts';
import { openRpc } from './start/open-rpc.ts';
import { openState } from './start/open-state.ts';
import { proveCallers } from './start/prove-callers.ts';
import type { Starting } from './start/starting.ts';
import { WebAddress } from './start/web-address.ts';
import { renderFinished } from './views/finished-fragments.ts';
import { buildParts, buildShown, type Shown } from './views/parts.ts';

/**
 * Starts the resource manager; `addresses.web` is its REST interface. What a start opened is closed in reverse order, also when it fails.
 * @throws ConfigurationError for settings and queues that it does not start with
 */
export async function start(configuration: Configuration, dependencies: RoleDependencies): Promise<RunningRole> {
  const closer = new Closer();
  const { clock, logger, random } = dependencies;
  try {
    const roleKey = await openRoleKey({ role: 'resource-manager', ...dependencies, configuration });
    if (roleKey) closer.add('Kerberos key', () => roleKey.close());
    const starting: Starting = { ...dependencies, configuration, closer, roleKey };
    const address = new WebAddress(serverAddress(configuration, 'resource-manager').url);
    const urls = { webUrl: () => address.url, resolvedUrl: () => address.resolvedUrl };
    const rules = accessRulesOf(configuration, clock);

    // State, scheduler, cluster.
    const state = await openState(starting);
    const { store, startedMs, readiness } = state;
    const scheduler = buildScheduler(starting, store, rules.groupsOf);
    const { policy, types, useMaximumPriority } = scheduler;
    const security = buildSecurity(starting, store, policy, rules);
    const webhooks = buildWebhooks(starting, state.webhooks, security.access);
    const built = buildCluster(starting, state, scheduler, address, {
      render: (ended) => renderFinished(shown, ended),
      isHeardKept: () => !webhooks.hooks.isBehind,
    });
    const { cluster, labels, attributes, tokens, racks, outboxes } = built;
    const shown: Shown = buildShown({ configuration, clock, cluster, policy, types, startedMs, ...urls });

    // What stands beside the cluster.
    const reservations = buildReservations(starting, state, policy, cluster, rules.groupsOf);
    const queues = buildQueues(starting, store, scheduler, () => cluster.scheduleSoon());
    const staging = buildStaging(starting, cluster);
    const schedules = buildSchedules(starting, store);
    await buildTraces(starting, cluster, startedMs);

    // Commands, and the doors to them.
    const nodes = { labels, attributes, racks };
    const beside = { queues, staging, rules, security, webhooks, schedules, reservations: reservations?.system };
    const commands = buildCommands({ configuration, clock, store, cluster, policy, types, useMaximumPriority, ...nodes, ...beside });
    const { access, processUser } = security;
    const read = {
      configuration,
      clock,
      logger,
      cluster,
      policy,
      types,
      store,
      labels,
      outboxes,
      webhooks: webhooks.hooks,
      channel: new ChannelFigures(),
      rpc: new RpcFigures(),
      tokenFigures: security.tokens.figures,
      access,
      hasStaged: (user: string, address: string) => staging.has(user, address),
      processUser,
      startedMs,
      ...urls,
    };
    const service = await buildService(starting, security, rules);
    const parts = buildParts(read, shown);
    const proven = proveCallers(starting, service, security, (attemptId) => digestOfAttempt(attemptId, cluster));
    mount(service, parts, commands, security, attributes, proven, { ...starting, readiness });

    // From here on it works.
    reservations?.follow();
    if (configuration.values(resourceManagerSettings).recoveryEnabled) cluster.recover();
    await staging.begin();
    const { url } = await service.listen();
    closer.add('web', () => service.close());
    address.listensAt(url);
    const rpcNeeds = { parts, commands, attributes, rules, tokens: security.tokens, applicationTokens: tokens, audit: security.audit };
    const rpc = await openRpc(starting, rpcNeeds);
    const { nodeCertificates: asksCertificates } = configuration.values(tlsSettings);
    const needs = { cluster, service, clock, random, logger, audit: security.audit, asksCertificates, racks, figures: read.channel };
    const channel = acceptNodes({ ...needs, ...proven });
    closer.add('node channel', () => channel.close());
    cluster.scheduleSoon();
    schedules.begin(cluster, commands, security);
    parts.usage.begin(logger);
    closer.add('use over time', () => parts.usage.close());
    logger.info({ url }, 'the resource manager is ready');
    return { addresses: { web: address.url, ...rpc }, readiness, close: () => closer.close() };
  } catch (error) {
    return closer.closeAfter(error, logger);
  }
}
