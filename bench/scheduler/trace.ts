// One SYNTH trace of Hadoop's SLS with its cluster, for both simulators.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface PeerScheduler {
  trace: unknown;
  /** Containers of the trace, masters included. */
  containers: number;
  nodeMemoryMiB: number;
  nodeVcores: number;
  /** Keys of capacity-scheduler.xml. */
  queues: Record<string, string>;
}

const jobs = 100;
const maps = 40;
const reduces = 10;

/** 100 jobs of 40 and 10 tasks in four queues on 200 nodes; nothing in it is drawn but the queue of each. */
export function syntheticTrace(): PeerScheduler {
  const task = (type: string, priority: number, count: number, timeMs: number, memoryMiB: number, vcores: number) => ({
    type,
    priority,
    count: { val: count },
    time: { val: timeMs },
    max_memory: { val: memoryMiB },
    max_vcores: { val: vcores },
  });
  const names = ['a', 'b', 'c', 'd'];
  const prefix = 'yarn.scheduler.capacity';
  return {
    containers: jobs * (1 + maps + reduces),
    nodeMemoryMiB: 65_536,
    nodeVcores: 32,
    queues: {
      [`${prefix}.root.queues`]: names.join(','),
      [`${prefix}.maximum-am-resource-percent`]: '1',
      [`${prefix}.resource-calculator`]: 'org.apache.hadoop.yarn.util.resource.DominantResourceCalculator',
      ...Object.fromEntries(names.map((name) => [`${prefix}.root.${name}.capacity`, '25'])),
    },
    trace: {
      description: 'bench',
      num_nodes: 200,
      nodes_per_rack: 20,
      num_jobs: jobs,
      rand_seed: 2,
      workloads: names.map((name) => ({
        workload_name: name,
        workload_weight: 1,
        queue_name: `root.${name}`,
        job_classes: [
          {
            class_name: 'jobs',
            user_name: `user-${name}`,
            class_weight: 1,
            type: 'mapreduce',
            deadline_factor: { val: 10 },
            reservation: { val: 0 },
            duration: { val: 20 },
            tasks: [task('map', 20, maps, 4000, 1024, 1), task('reduce', 10, reduces, 3000, 2048, 2)],
          },
        ],
        time_distribution: [
          { time: 1, weight: 100 },
          { time: 20, weight: 0 },
        ],
      })),
    },
  };
}

const xml = (properties: Record<string, string>): string =>
  `<configuration>${Object.entries(properties)
    .map(([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`)
    .join('\n')}</configuration>\n`;

/** The queue file, for both. */
export const queueFile = ({ queues }: PeerScheduler): string => xml(queues);

/** What Hadoop's simulator reads. */
export function writeHadoopConfiguration(folder: string, scheduler: PeerScheduler): void {
  const capacity = 'org.apache.hadoop.yarn.server.resourcemanager.scheduler.capacity.CapacityScheduler';
  const anyPort = Object.fromEntries(
    ['webapp', 'scheduler', 'resource-tracker', 'admin'].map((name) => [`yarn.resourcemanager.${name}.address`, '127.0.0.1:0']),
  );
  const files: Record<string, string> = {
    'core-site.xml': xml({ 'hadoop.security.token.service.use_ip': 'false' }),
    'yarn-site.xml': xml({}),
    'capacity-scheduler.xml': queueFile(scheduler),
    'sls-runner.xml': xml({
      'yarn.sls.runner.pool.size': '50',
      'yarn.sls.nm.memory.mb': String(scheduler.nodeMemoryMiB),
      'yarn.sls.nm.vcores': String(scheduler.nodeVcores),
      'yarn.sls.nm.heartbeat.interval.ms': '1000',
      'yarn.sls.am.heartbeat.interval.ms': '1000',
      'yarn.sls.am.type.mapreduce': 'org.apache.hadoop.yarn.sls.appmaster.MRAMSimulator',
      'yarn.sls.container.memory.mb': '1024',
      'yarn.sls.container.vcores': '1',
      'yarn.sls.metrics.switch': 'false',
      'yarn.resourcemanager.scheduler.class': capacity,
      'yarn.scheduler.minimum-allocation-mb': '512',
      'yarn.webapp.api-service.enable': 'false',
      'yarn.resourcemanager.address': '127.0.0.1:0',
      ...anyPort,
    }),
    'log4j.properties':
      'log4j.rootLogger=ERROR,A\nlog4j.appender.A=org.apache.log4j.ConsoleAppender\nlog4j.appender.A.layout=org.apache.log4j.SimpleLayout\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
}
