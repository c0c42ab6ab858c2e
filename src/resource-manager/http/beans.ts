// The beans of the resource manager that monitors read by `/jmx`: cluster, nodes, queues.
import { hostname } from 'node:os';
import { resourceManagerRpc } from '../../config/rpc-ports.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { type Bean, Float, httpBeans, metricsSystemBeans, quantilesOf, rateOf, serverBean, tokenBean } from '../../http/jmx.ts';
import { processBeans } from '../../http/process-beans.ts';
import type { RequestFigures } from '../../http/request-figures.ts';
import { rpcBeans } from '../../http/rpc-samples.ts';
import { isInactiveNode } from '../nodes/node-states.ts';
import type { Delay } from '../views/master-delays.ts';
import type { Parts } from '../views/parts.ts';
import { metricsOf } from './cluster-facts.ts';
import { eventBeans } from './event-beans.ts';
import { queueBeans } from './queue-beans.ts';

const prefix = 'Hadoop:service=ResourceManager,name=';
const host = hostname();

/** A rate of Hadoop's metrics; the average is that of all. */
const delayed = (name: string, { count, totalMs }: Delay) => ({
  [`${name}NumOps`]: count,
  [`${name}AvgTime`]: new Float(count === 0 ? 0 : totalMs / count),
});

function clusterBean(parts: Parts): Bean {
  const metrics = metricsOf(parts);
  const { counts: nodes, usedMemoryMiB } = parts.cluster.view.nodeTotals;
  const [memoryMiB = 0, vcores = 0] = parts.policy.clusterResource();
  const { allocation, launch, registration } = parts.masterDelays;
  return {
    name: `${prefix}ClusterMetrics`,
    modelerType: 'ClusterMetrics',
    attributes: {
      'tag.ClusterMetrics': 'ResourceManager',
      'tag.Context': 'yarn',
      'tag.Hostname': host,
      NumActiveNMs: nodes.RUNNING,
      NumDecommissioningNMs: nodes.DECOMMISSIONING,
      NumDecommissionedNMs: nodes.DECOMMISSIONED,
      NumLostNMs: nodes.LOST,
      NumUnhealthyNMs: nodes.UNHEALTHY,
      NumRebootedNMs: nodes.REBOOTED,
      NumShutdownNMs: nodes.SHUTDOWN,
      ...delayed('AMLaunchDelay', launch),
      ...delayed('AMRegisterDelay', registration),
      ...delayed('AMContainerAllocationDelay', allocation),
      UtilizedMB: usedMemoryMiB,
      UtilizedVirtualCores: metrics.utilizedVirtualCores,
      CapabilityMB: memoryMiB,
      CapabilityVirtualCores: vcores,
      RmEventProcCPUAvg: 0,
      RmEventProcCPUMax: 0,
      ContainerAssignedPerSecond: metrics.containerAssignedPerSecond,
      RmDispatcherEventQueueSize: 0,
      SchedulerDispatcherEventQueueSize: 0,
    },
  };
}

function nodesBean({ cluster, policy }: Parts): Bean {
  const live = [...cluster.view.nodes()]
    .filter(({ state }) => state !== 'NEW' && !isInactiveNode[state])
    .map((node) => {
      const usage = policy.nodeUsage(node.id);
      return {
        HostName: node.host,
        Rack: node.rack,
        State: node.state,
        NodeId: node.id,
        NodeHTTPAddress: node.httpAddress,
        LastHealthUpdate: node.lastHealthUpdateMs,
        HealthReport: node.healthReport,
        NodeManagerVersion: node.version,
        NumContainers: usage?.containers ?? 0,
        UsedMemoryMB: usage?.used[0] ?? 0,
        AvailableMemoryMB: usage?.available[0] ?? 0,
      };
    });
  return {
    name: `${prefix}RMNMInfo`,
    modelerType: 'org.apache.hadoop.yarn.server.resourcemanager.RMNMInfo',
    attributes: { LiveNodeManagers: JSON.stringify(live) },
  };
}

/** CapacitySchedulerMetrics, of the policy that keeps records of what it does. Nodes push what they say: their messages stand for heartbeats, and what is decided is made at once. */
function schedulerBeans({ policy, cluster }: Parts): Bean[] {
  if (!policy.activities) return [];
  const { calls, commits, nodeMessages, messageIntervals } = cluster.schedulingFigures;
  const name = `${policy.names.className}Metrics`;
  return [
    {
      name: `${prefix}${name}`,
      modelerType: name,
      attributes: {
        [`tag.${name}`]: 'ResourceManager',
        'tag.Context': 'yarn',
        'tag.Hostname': host,
        ...rateOf('Allocate', calls),
        ...rateOf('CommitFailure', { count: 0, averageMs: 0 }),
        ...rateOf('CommitSuccess', commits),
        ...rateOf('NodeUpdate', nodeMessages),
        ...quantilesOf('SchedulerNodeHBInterval', 'Time', messageIntervals),
      },
    },
  ];
}

/** OpportunisticSchedulerMetrics, where there can be such containers. */
function opportunisticBeans({ cluster }: Parts): Bean[] {
  if (!cluster.settings.opportunistic) return [];
  const { allocated, everAllocated, everReleased, nodeLocal, rackLocal, offSwitch } = cluster.opportunistic.counts;
  return [
    {
      name: `${prefix}OpportunisticSchedulerMetrics`,
      modelerType: 'OpportunisticSchedulerMetrics',
      attributes: {
        'tag.OpportunisticSchedulerMetrics': 'ResourceManager',
        'tag.Context': 'yarn',
        'tag.Hostname': host,
        AllocatedOContainers: allocated,
        AggregateOContainersAllocated: everAllocated,
        AggregateOContainersReleased: everReleased,
        AggregateNodeLocalOContainersAllocated: nodeLocal,
        AggregateRackLocalOContainersAllocated: rackLocal,
        AggregateOffSwitchOContainersAllocated: offSwitch,
      },
    },
  ];
}

/** Whether it is the active one, and where clients of Hadoop RPC reach it (RMInfo). */
function infoBean({ configuration, rpc }: Parts, isSecure: boolean): Bean {
  const said = configuration.get(resourceManagerRpc.rpc.key) ?? '';
  // Where the port that is said was in use another one is served.
  const served = rpc.ports.find(({ protocol }) => protocol === 'ApplicationClientProtocol')?.port;
  const address = served ? said.replace(/:\d+$/, `:${served}`) : said;
  return {
    name: `${prefix}RMInfo`,
    modelerType: 'org.apache.hadoop.yarn.server.resourcemanager.RMInfo',
    attributes: { State: 'active', HostAndPort: address, SecurityEnabled: isSecure },
  };
}

/** Every bean, as it is now. */
export function beansOf(parts: Parts, figures: RequestFigures): Bean[] {
  const isSecure = parts.configuration.values(commonSettings).securityAuthentication !== 'simple';
  const beans = [
    clusterBean(parts),
    infoBean(parts, isSecure),
    nodesBean(parts),
    ...queueBeans(parts),
    ...schedulerBeans(parts),
    ...opportunisticBeans(parts),
    ...eventBeans(host, parts.cluster.eventFigures, parts.cluster.schedulingFigures),
    ...rpcBeans('ResourceManager', host, parts.rpc),
    tokenBean('ResourceManager', host, parts.tokenFigures),
    ...httpBeans('ResourceManager', host, figures),
    serverBean('ResourceManager', 'org.apache.hadoop.yarn.server.resourcemanager.ResourceManager', isSecure),
    ...processBeans('ResourceManager', host),
  ];
  return [...beans, ...metricsSystemBeans('ResourceManager', host, beans)];
}
