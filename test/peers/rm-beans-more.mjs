// The beans of the resource manager while applications wait, run and have ended: queues, partitions, nodes, ports.
import { clear, command, ended, get, kill, launched, masks, RM, sleeping, submit, waiting } from '../kit-apps.mjs';

const queues = ['root', 'root.default', 'root.research', 'root.research.models', 'root.research.reports', 'root.operations'];
const queueName = (path) =>
  path
    .split('.')
    .map((part, n) => `q${n}=${part}`)
    .join(',');
/** Attributes that are times, or follow from how the moment fell. */
const moments = /AvgTime$|Time(Max|Mean|StdDev|Total)$|Seconds|^(tag\.Hostname|running_|Utilized|RmEventProcCPU)/;

export default {
  name: 'rm-beans-more',
  cluster: 'capacity',
  fresh: true,
  about: 'beans of the resource manager: queues, partitions, cluster, ports, and what a query may look like',
  async run(c) {
    masks(c);
    await clear(c);
    const beans = (id, name, options = {}) =>
      c.record(id, 'rm', 'GET', `/jmx?qry=Hadoop:service=ResourceManager,name=${encodeURIComponent(name)}`, {
        user: 'root',
        pick: ({ beans: found }) =>
          found.map((bean) =>
            Object.fromEntries(
              Object.entries(bean)
                .filter(([key]) => !moments.test(key))
                .sort(),
            ),
          ),
        ...options,
      });
    const partition = (id, name) =>
      Promise.all(
        queues.map((queue) => beans(`${id}.${queue}.partition.${name}`, `PartitionQueueMetrics,partition=${name},${queueName(queue)}`)),
      ).then(() => beans(`${id}.partition.${name}`, `PartitionQueueMetrics,partition=${name}`));
    const look = async (id) => {
      // Hadoop tells beans that are up to ten seconds old.
      await c.sleep(11_000);
      for (const queue of queues) {
        await beans(`${id}.${queue}`, `QueueMetrics,${queueName(queue)}`);
        await beans(`${id}.${queue}.ada`, `QueueMetrics,${queueName(queue)},user=ada`);
      }
      await partition(id, '');
      await beans(`${id}.cluster`, 'ClusterMetrics');
    };
    await look('start');
    const fails = await submit(c, 'fails', { ...command('exit 3'), queue: 'default' });
    await ended(c, fails);
    const again = await submit(c, 'again', { ...command('exit 4', 2), queue: 'default' });
    await ended(c, again);
    const killed = await submit(c, 'killed', { ...sleeping(900, 256), queue: 'default' });
    await launched(c, killed);
    await kill(c, killed);
    await look('ended');
    const runs = await submit(c, 'runs', { ...sleeping(900, 512), queue: 'default' }, 'ada');
    await launched(c, runs);
    const waits = await submit(c, 'waits', { ...sleeping(900, 7168), queue: 'models' }, 'ada');
    await waiting(c, waits);
    const more = await submit(c, 'more', { ...sleeping(900, 2048), queue: 'reports' });
    await waiting(c, more);
    await look('runs');
    const unmanaged = await submit(c, 'unmanaged', { 'unmanaged-AM': true, queue: 'default' });
    await launched(c, unmanaged);
    await look('unmanaged');
    await kill(c, runs, more, waits, unmanaged);
    await clear(c);
    await look('killed');
    const nodes = (await get(c, '/nodes?states=RUNNING')).nodes.node.map(({ id }) => id);
    await c.http('rm', 'POST', `${RM}/add-node-labels`, { user: 'root', body: { nodeLabelInfo: [{ name: 'gpu', exclusivity: true }] } });
    await c.http('rm', 'POST', `${RM}/nodes/${nodes[0]}/replace-labels?labels=gpu`, { user: 'root' });
    await look('label');
    await partition('label', 'gpu');
    const labelled = await submit(
      c,
      'labelled',
      { ...sleeping(900, 512), queue: 'models', 'am-container-node-label-expression': 'gpu' },
      'ada',
    );
    await launched(c, labelled);
    await submit(c, 'unlabelled', { ...sleeping(900, 512), queue: 'reports' }, 'ada');
    await look('labelled');
    await partition('labelled', 'gpu');
    await clear(c);
    await c.http('rm', 'POST', `${RM}/nodes/${nodes[0]}/replace-labels`, { user: 'root' });
    await look('unlabelled');
    await partition('unlabelled', 'gpu');
    // Which events are counted; how many, goes by heartbeats.
    for (const kind of ['rmapp.RMApp', 'rmapp.attempt.RMAppAttempt', 'rmnode.RMNode', 'NodesListManager', 'scheduler.event.Scheduler'])
      await beans(`events.${kind}`, `GenericEventTypeMetrics for org.apache.hadoop.yarn.server.resourcemanager.${kind}EventType`, {
        pick: ({ beans: found }) => found.map((bean) => Object.entries(bean).map(([key, value]) => [key, typeof value])),
      });
    for (const name of [
      'RMNMInfo',
      'RMInfo',
      'CapacitySchedulerMetrics',
      'UgiMetrics',
      'HttpServer2-8088',
      'JvmMetrics',
      'RpcActivityForPort8032',
      'RpcDetailedActivityForPort8032',
      'RpcActivityForPort8030',
      'RpcActivityForPort8031',
      'RpcActivityForPort8033',
      'DelegationTokenSecretManagerMetrics',
      'MetricsSystem,sub=Stats',
    ])
      await beans(`bean.${name}`, name, {
        pick: ({ beans: found }) =>
          found.map((bean) => Object.entries(bean).map(([key, value]) => [key, key === 'modelerType' ? value : typeof value])),
      });
    for (const [n, query] of [
      'qry=Hadoop:service=ResourceManager,name=Cluster*',
      'qry=Hadoop:name=ClusterMetrics,service=ResourceManager',
      'qry=Hadoop:service=ResourceManager,name=ClusterMetric?',
      'qry=*:service=ResourceManager,name=ClusterMetrics',
      'qry=Hadoop:service=*,name=RMNMInfo',
      'qry=Hadoop:*,name=RMNMInfo',
      'qry=Hadoop:name=RMNMInfo,*',
      'qry=Hadoop:*&qry=java.lang:type=Memory',
      'qry=Hadoop:service=ResourceManager',
      'qry=Hadoop:service=ResourceManager,',
      'qry=Hadoop:=x',
      'qry=Hadoop:service=',
      'qry=:*',
      'qry=Hadoop',
      'qry=Hadoop:',
      'qry=Hadoop:service=ResourceManager,name=%22ClusterMetrics%22',
      'qry=hadoop:service=ResourceManager,name=ClusterMetrics',
      'QRY=Hadoop:service=ResourceManager,name=RMNMInfo&get=x',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::NumActiveNMs&qry=x',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::numActiveNMs',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics',
      'get=Hadoop:service=ResourceManager,name=*::NumActiveNMs',
      'get=Hadoop:service=ResourceManager,name=Cluster::NumActiveNMs',
      'get=::NumActiveNMs',
      'get=a::b::c',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::tag.Context',
      'get=java.lang:type=Memory::Verbose',
      'get=java.lang:type=OperatingSystem::AvailableProcessors',
      'get=Hadoop:service=ResourceManager,name=ClusterMetrics::NumActiveNMs&callback=f',
      'qry=Hadoop:service=ResourceManager,name=ClusterMetrics&description=true',
    ].entries())
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'TRACE'])
        if (method === 'GET' || n % 8 === 1)
          await c.record(`query.${n}.${method}`, 'rm', method, `/jmx?${query}`, {
            user: 'root',
            cut: 20_000,
            pick: ({ beans: found, ...rest }) => ({
              names: found?.map((bean) => [bean.name, bean.result, bean.message, Object.keys(bean).length]),
              ...rest,
            }),
          });
  },
};
