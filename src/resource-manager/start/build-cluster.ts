// Builds the cluster with what knows its nodes: labels, attributes, racks, the lists of nodes.
import { type ApplicationTokens, applicationTokens } from '../../auth/application-tokens/open-tokens.ts';
import { readDynamicResources } from '../../config/dynamic-resources.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import type { Application } from '../applications/application.ts';
import { Cluster } from '../cluster.ts';
import { AttributeManager } from '../labels/attribute-manager.ts';
import { LabelManager } from '../labels/label-manager.ts';
import { Membership } from '../nodes/membership.ts';
import { Racks } from '../nodes/racks.ts';
import { masterCredentials } from '../security/master-credentials.ts';
import type { Fragments, ResourceManagerStore } from '../store/resource-manager-store.ts';
import type { OutboxFigures } from '../views/parts.ts';
import { buildPublisher } from './build-publisher.ts';
import type { BuiltScheduler } from './build-scheduler.ts';
import { clusterSettings } from './cluster-settings.ts';
import type { OpenedState } from './open-state.ts';
import type { Starting } from './starting.ts';
import type { WebAddress } from './web-address.ts';

/** What was built. */
export interface BuiltCluster {
  readonly cluster: Cluster;
  readonly labels: LabelManager;
  readonly attributes: AttributeManager;
  /** By which masters are known to the resource manager and to nodes, over Hadoop RPC. */
  readonly tokens: ApplicationTokens;
  readonly racks: Racks;
  /** What the timeline is owed. */
  readonly outboxes: readonly OutboxFigures[];
}

/** What the cluster asks for each end. */
export interface EndHooks {
  /** The texts an ended application is stored with. */
  readonly render: (application: Application) => Fragments;
  /** Whether all that webhooks heard before this turn is durable. */
  readonly isHeardKept: () => boolean;
}

/** Builds it. @throws ConfigurationError for a bad dynamic-resources.xml */
export function buildCluster(
  starting: Starting,
  { store, outboxes, startedMs, epoch, containerTokenKey, masterTokenKey }: OpenedState,
  { policy, types }: BuiltScheduler,
  address: WebAddress,
  { render, isHeardKept }: EndHooks,
): BuiltCluster {
  const { configuration, clock, logger, random, closer } = starting;
  const common = configuration.values(commonSettings);
  const own = configuration.values(resourceManagerSettings);
  const labels = new LabelManager({
    enabled: own.nodeLabelsEnabled,
    distributed: own.nodeLabelsConfigurationType === 'distributed',
    store,
    queueUsing: (label) => policy.labels?.queueUsing(label),
    partitionsChanged: (partitions) => {
      policy.labels?.setPartitions(partitions);
      cluster.scheduleSoon();
    },
    nodesChanged: () => {
      cluster.eventFigures.timed('scheduler', 'NODE_LABELS_UPDATE', () => {
        for (const node of cluster.view.nodes()) policy.updateNode(node.id, { label: labels.labelOf(node.id) });
      });
      cluster.scheduleSoon();
    },
  });
  const attributes = new AttributeManager({ store, changed: (hosts) => cluster.attributesChanged((node) => hosts.has(node.host)) });
  policy.labels?.setPartitions(labels.partitions());
  const tokens = applicationTokens(configuration, clock, { containerTokenKey, masterTokenKey });
  const publisher = buildPublisher(starting, outboxes, address);
  const cluster: Cluster = new Cluster({
    clock,
    random,
    logger,
    store,
    policy,
    types,
    settings: clusterSettings(configuration, startedMs, address),
    membership: openMembership(own.nodesIncludePath, own.nodesExcludePath, store),
    labels: {
      labelOf: (nodeId) => labels.labelOf(nodeId),
      reported: (nodeId, told) =>
        void labels
          .reported(nodeId, told)
          .catch((error: unknown) => logger.warn({ err: error, nodeId, told }, 'labels that a node tells of itself were not accepted')),
    },
    attributes,
    containerTokenKey,
    masterCredentials: (attemptId, given) => masterCredentials(tokens.masters, attemptId, given),
    session: random.bytes(16).toString('hex'),
    epoch,
    observers: publisher ? [publisher.observer] : [],
    isToldKept: () => isHeardKept() && (publisher?.isKept() ?? true),
    render,
  });
  closer.add('cluster', () => cluster.close());
  cluster.recoverNodeSizes(readDynamicResources(configuration.confDir, types));
  const racks = new Racks({ script: common.topologyScript, table: common.topologyTable, implementation: common.topologyMapping }, logger);
  return { cluster, labels, attributes, tokens, racks, outboxes: publisher?.outboxes ?? [] };
}

/** Which nodes belong to the cluster: the include and exclude files, and the nodes on their way out, which are stored. */
function openMembership(includePath: string | undefined, excludePath: string | undefined, store: ResourceManagerStore): Membership {
  return new Membership(includePath, excludePath, store.nodeOrders.leavingNodes());
}
