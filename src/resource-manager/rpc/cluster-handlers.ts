// Methods of ApplicationClientProtocol about the cluster: its figures, nodes, queues, labels, attributes, types of resources.

import { nodeIdMessage } from '../../wire/rpc/ids.ts';
import type { NodeAttribute } from '../nodes/node.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import { attributesByHost } from '../views/host-attributes.ts';
import { applicationReport } from './application-reports.ts';
import type { ClientHandlers, ClientNeeds } from './client-handlers.ts';
import { notEnabled } from './failures.ts';
import { attributeMessage, nodeReport } from './node-reports.ts';
import { queueAcls, queueInfo } from './queue-reports.ts';
import { reportTokens } from './report-tokens.ts';

type Names =
  | 'getClusterMetrics'
  | 'getClusterNodes'
  | 'getQueueInfo'
  | 'getQueueUserAcls'
  | 'getNodeToLabels'
  | 'getLabelsToNodes'
  | 'getClusterNodeLabels'
  | 'getResourceProfiles'
  | 'getResourceProfile'
  | 'getResourceTypeInfo'
  | 'getClusterNodeAttributes'
  | 'getAttributesToNodes'
  | 'getNodesToAttributes';

/** Profiles of resources are not there, as in a Hadoop that does not turn them on. */
const noProfiles = () =>
  notEnabled(
    'Resource profile is not enabled, please enable resource profile feature before using its functions. (by setting yarn.resourcemanager.resource-profiles.enabled to true)',
  );

/** Handlers of these methods. */
export const clusterHandlers = (needs: ClientNeeds): ClientHandlers<Names> => ({ ...facts(needs), ...labels(needs), ...attributes(needs) });

type Facts =
  | 'getClusterMetrics'
  | 'getClusterNodes'
  | 'getQueueInfo'
  | 'getQueueUserAcls'
  | 'getResourceProfiles'
  | 'getResourceProfile'
  | 'getResourceTypeInfo';

function facts({ parts, known, applicationTokens }: ClientNeeds): ClientHandlers<Facts> {
  const { cluster, policy, types, counters, access } = parts;
  return {
    getClusterMetrics: () => {
      const nodes = cluster.view.nodeTotals.counts;
      return {
        cluster_metrics: {
          num_node_managers: cluster.view.nodeCount - nodes.NEW,
          num_decommissioned_nms: nodes.DECOMMISSIONED,
          num_active_nms: nodes.RUNNING,
          num_lost_nms: nodes.LOST,
          num_unhealthy_nms: nodes.UNHEALTHY,
          num_rebooted_nms: nodes.REBOOTED,
          num_decommissioning_nms: nodes.DECOMMISSIONING,
          num_shutdown_nms: nodes.SHUTDOWN,
        },
      };
    },
    getClusterNodes: ({ request: { nodeStates } }) => {
      const states = new Set<string>(nodeStates);
      const shown = [...cluster.view.nodes()].filter(({ state }) =>
        states.size === 0 ? !isInactiveNode[state] && state !== 'NEW' : states.has(`NS_${state}`) && state !== 'NEW',
      );
      return { nodeReports: shown.map((node) => nodeReport(parts, node)) };
    },
    getQueueInfo: ({ request, caller }) => {
      const found = policy.resolveQueue(request.queueName ?? '');
      if (typeof found !== 'object') return {};
      const question = { path: found.queue, withChildren: request.includeChildQueues ?? false, recursive: request.recursive ?? false };
      const info = queueInfo(policy.describe(), question, { types, countsOf: (path) => counters.ofQueue(path) });
      if (!info || !request.includeApplications) return info ? { queueInfo: info } : {};
      const live = policy.applicationsOf(found.queue).flatMap((id) => cluster.view.application(id) ?? []);
      const shown = live.filter((application) => access.mayView(application, caller.user));
      const user = caller.user && known(caller).user;
      const reports = shown.map((application) =>
        applicationReport(parts.views, application, true, reportTokens(applicationTokens, application, { user, isVisible: true })),
      );
      return { queueInfo: { ...info, applications: reports } };
    },
    getQueueUserAcls: ({ caller }) => {
      const { user } = known(caller);
      return { queueUserAcls: queueAcls(policy.describe(), (path, acl) => access.mayUseQueue(path, user, acl)) };
    },
    getResourceProfiles: () => {
      throw noProfiles();
    },
    getResourceProfile: () => {
      throw noProfiles();
    },
    getResourceTypeInfo: () => ({
      resource_type_info: types.types.map(({ name, units }) => ({ name, units, type: 'COUNTABLE' as const })),
    }),
  };
}

function labels({ parts }: ClientNeeds): ClientHandlers<'getNodeToLabels' | 'getLabelsToNodes' | 'getClusterNodeLabels'> {
  const placements = () => parts.labels.placements([...parts.cluster.view.nodes()].map(({ id }) => id));
  return {
    getNodeToLabels: () => ({
      nodeToLabels: [...placements()].map(([node, label]) => ({ nodeId: nodeIdMessage(node), nodeLabels: [label] })),
    }),
    getLabelsToNodes: ({ request: { nodeLabels: asked } }) => {
      const names = new Set(asked);
      const wanted = [...Map.groupBy(placements(), ([, label]) => label)].filter(
        ([label]) => label !== '' && (names.size === 0 || names.has(label)),
      );
      return { labelsToNodes: wanted.map(([nodeLabels, nodes]) => ({ nodeLabels, nodeId: nodes.map(([node]) => nodeIdMessage(node)) })) };
    },
    getClusterNodeLabels: () => {
      const all = parts.labels.labels();
      return {
        deprecatedNodeLabels: all.map(({ name }) => name),
        nodeLabels: all.map(({ name, exclusive }) => ({ name, isExclusive: exclusive })),
      };
    },
  };
}

function attributes({
  parts,
  attributes: given,
}: ClientNeeds): ClientHandlers<'getClusterNodeAttributes' | 'getAttributesToNodes' | 'getNodesToAttributes'> {
  const byHost = () => attributesByHost({ cluster: parts.cluster, attributes: given });
  const keyOf = ({ prefix, name }: Pick<NodeAttribute, 'prefix' | 'name'>) => ({ attributePrefix: prefix, attributeName: name });
  const idOf = ({ attributePrefix, attributeName }: { readonly attributePrefix: string; readonly attributeName: string }) =>
    `${attributePrefix}/${attributeName}`;
  return {
    getClusterNodeAttributes: () => {
      const found = new Map([...byHost().values()].flat().map((attribute) => [idOf(keyOf(attribute)), attribute]));
      return {
        nodeAttributes: [...found.values()].map((attribute) => ({ attributeKey: keyOf(attribute), attributeType: 'STRING' as const })),
      };
    },
    getAttributesToNodes: ({ request }) => {
      const wanted = new Set(request.nodeAttributes.map(idOf));
      const found = new Map<
        string,
        { nodeAttribute: ReturnType<typeof keyOf>; nodeValueMap: { hostname: string; attributeValue: string }[] }
      >();
      for (const [hostname, ofHost] of byHost())
        for (const attribute of ofHost) {
          const id = idOf(keyOf(attribute));
          if (wanted.size > 0 && !wanted.has(id)) continue;
          const entry = found.get(id) ?? { nodeAttribute: keyOf(attribute), nodeValueMap: [] };
          entry.nodeValueMap.push({ hostname, attributeValue: attribute.value });
          found.set(id, entry);
        }
      return { attributesToNodes: [...found.values()] };
    },
    getNodesToAttributes: ({ request }) => {
      const hostnames = new Set(request.hostnames);
      return {
        nodesToAttributes: [...byHost()]
          .filter(([host]) => hostnames.size === 0 || hostnames.has(host))
          .map(([node, ofHost]) => ({ node, nodeAttributes: ofHost.map(attributeMessage) })),
      };
    },
  };
}
