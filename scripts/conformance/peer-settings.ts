import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What `clusters.json` says about one cluster: scheduler, its file, and the settings laid over the defaults. */
export interface ClusterDescription {
  scheduler: 'capacity' | 'fair' | 'fifo';
  file?: string;
  store?: string;
  plain?: boolean;
  daemons?: string;
  nodes?: number;
  core?: Record<string, string>;
  mapred?: Record<string, string>;
  yarn?: Record<string, string>;
}

/** The folders a cluster of one scenario lives in. */
export interface ClusterHome {
  home: string;
  confDir: string;
  dataDir: string;
}

const schedulerClass = {
  capacity: 'capacity.CapacityScheduler',
  fair: 'fair.FairScheduler',
  fifo: 'fifo.FifoScheduler',
} as const;

function coreSite(data: string): Record<string, string> {
  return {
    'fs.defaultFS': 'file:///',
    'hadoop.tmp.dir': `${data}/tmp`,
    'hadoop.http.staticuser.user': 'dr.who',
    'hadoop.proxyuser.root.hosts': '*',
    'hadoop.proxyuser.root.groups': '*',
  };
}

function mapredSite(data: string, lib: string): Record<string, string> {
  return {
    'mapreduce.framework.name': 'yarn',
    'mapreduce.application.classpath': `${lib}/*`,
    'mapreduce.jobhistory.address': '127.0.0.1:10020',
    'mapreduce.jobhistory.webapp.address': '127.0.0.1:19888',
    'mapreduce.jobhistory.done-dir': `file://${data}/history/done`,
    'mapreduce.jobhistory.intermediate-done-dir': `file://${data}/history/tmp`,
    'yarn.app.mapreduce.am.staging-dir': `${data}/staging`,
    'yarn.app.mapreduce.am.command-opts': '-Xmx512m',
    'mapreduce.map.java.opts': '-Xmx256m',
    'mapreduce.reduce.java.opts': '-Xmx256m',
    'yarn.app.mapreduce.am.resource.mb': '1024',
    'mapreduce.map.memory.mb': '512',
    'mapreduce.reduce.memory.mb': '512',
    'mapreduce.job.emit-timeline-data': 'true',
  };
}

function yarnSite(data: string, lib: string, cluster: ClusterDescription): Record<string, string> {
  return {
    'yarn.resourcemanager.hostname': '127.0.0.1',
    'yarn.resourcemanager.scheduler.class': `org.apache.hadoop.yarn.server.resourcemanager.scheduler.${schedulerClass[cluster.scheduler]}`,
    'yarn.nodemanager.hostname': 'localhost',
    'yarn.nodemanager.address': 'localhost:45454',
    'yarn.nodemanager.localizer.address': 'localhost:8040',
    'yarn.nodemanager.webapp.address': 'localhost:8042',
    'yarn.nodemanager.local-dirs': `${data}/local`,
    'yarn.nodemanager.log-dirs': `${data}/logs`,
    'yarn.nodemanager.resource.memory-mb': '8192',
    'yarn.nodemanager.resource.cpu-vcores': '8',
    'yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage': '99.5',
    'yarn.nodemanager.vmem-check-enabled': 'false',
    'yarn.nodemanager.delete.debug-delay-sec': '0',
    'yarn.nodemanager.aux-services': 'mapreduce_shuffle,timeline_collector',
    'yarn.nodemanager.aux-services.timeline_collector.class':
      'org.apache.hadoop.yarn.server.timelineservice.collector.PerNodeTimelineCollectorsAuxService',
    'yarn.nodemanager.remote-app-log-dir': `${data}/aggregated`,
    'yarn.log-aggregation-enable': 'true',
    'yarn.log.server.url': 'http://127.0.0.1:19888/jobhistory/logs',
    'yarn.scheduler.minimum-allocation-mb': '128',
    'yarn.acl.enable': 'true',
    'yarn.admin.acl': 'root admin',
    'yarn.webapp.api-service.enable': 'false',
    'yarn.resourcemanager.node-labels.provider': '',
    'yarn.node-labels.enabled': 'true',
    'yarn.node-labels.fs-store.root-dir': `file://${data}/labels`,
    'yarn.node-attribute.fs-store.root-dir': `file://${data}/attributes`,
    'yarn.resourcemanager.placement-constraints.handler': 'scheduler',
    'yarn.timeline-service.enabled': 'true',
    'yarn.timeline-service.versions': '1.0f,2.0f',
    'yarn.timeline-service.hostname': '127.0.0.1',
    'yarn.timeline-service.generic-application-history.enabled': 'true',
    'yarn.timeline-service.leveldb-timeline-store.path': `${data}/timeline`,
    'yarn.timeline-service.leveldb-state-store.path': `${data}/timeline`,
    'yarn.timeline-service.store-class': 'org.apache.hadoop.yarn.server.timeline.LeveldbTimelineStore',
    'yarn.timeline-service.http-cross-origin.enabled': 'true',
    'yarn.timeline-service.reader.webapp.address': '127.0.0.1:8198',
    'yarn.timeline-service.reader.class': 'org.apache.hadoop.yarn.server.timelineservice.storage.FileSystemTimelineReaderImpl',
    'yarn.timeline-service.writer.class': 'org.apache.hadoop.yarn.server.timelineservice.storage.FileSystemTimelineWriterImpl',
    'yarn.timeline-service.fs-writer.root-dir': `${data}/timeline2`,
    'yarn.timeline-service.collector.bind-host': '127.0.0.1',
    'yarn.timeline-service.collector.bind-port-ranges': '8199',
    'yarn.system-metrics-publisher.enabled': 'true',
    'yarn.resourcemanager.system-metrics-publisher.enabled': 'true',
    'yarn.rm.system-metrics-publisher.emit-container-events': 'true',
    'yarn.resourcemanager.recovery.enabled': 'true',
    'yarn.resourcemanager.store.class': 'org.apache.hadoop.yarn.server.resourcemanager.recovery.LeveldbRMStateStore',
    'yarn.resourcemanager.leveldb-state-store.path': `${data}/rmstore`,
    'yarn.resourcemanager.reservation-system.enable': 'true',
    'yarn.scheduler.configuration.store.class': cluster.store ?? 'memory',
    'yarn.cluster.max-application-priority': '10',
    'yarn.application.classpath': `${lib}/*`,
  };
}

/**
 * Where Heddle refuses callers of Hadoop's recordings by default although Hadoop lets them in: with these settings it lets them in too,
 * so that the recordings judge what comes behind.
 */
const letIn = {
  core: { 'hadoop.security.instrumentation.requires.admin': 'false' },
  mapred: { 'heddle.history.logs.checked': 'false' },
  yarn: { 'heddle.node-manager.unnamed-callers.unchecked': 'true' },
};

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Writes one of Hadoop's settings files. */
export function writeSite(path: string, properties: Record<string, string>): void {
  const lines = Object.entries(properties).map(
    ([name, value]) => `  <property><name>${escapeXml(name)}</name><value>${escapeXml(value)}</value></property>\n`,
  );
  writeFileSync(path, `<configuration>\n${lines.join('')}</configuration>\n`);
}

/**
 * Writes the settings that real Hadoop had on a cluster (`peer.sh configure` with the overlays of `cluster.mjs`) into
 * `HOME/conf`; every path points below `home`.
 */
export function writeClusterSettings(options: {
  home: string;
  shared: string;
  cluster: ClusterDescription;
  common: Record<string, string>;
}): ClusterHome {
  const { home, shared, cluster, common } = options;
  const confDir = join(home, 'conf');
  const dataDir = join(home, 'data');
  const lib = join(home, 'lib');
  mkdirSync(confDir, { recursive: true });
  mkdirSync(dataDir, { recursive: true });
  const place = (settings: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.entries(settings).map(([key, value]) => [
        key,
        value.replaceAll('{home}', home).replaceAll('{kdc}', process.env['KDC_HOME'] ?? join(home, 'kdc')),
      ]),
    );
  writeSite(join(confDir, 'core-site.xml'), { ...coreSite(dataDir), ...letIn.core, ...place(cluster.core) });
  writeSite(join(confDir, 'mapred-site.xml'), { ...mapredSite(dataDir, lib), ...letIn.mapred, ...place(cluster.mapred) });
  writeSite(join(confDir, 'yarn-site.xml'), {
    ...yarnSite(dataDir, lib, cluster),
    ...letIn.yarn,
    ...(cluster.plain ? {} : place(common)),
    ...place(cluster.yarn),
  });
  const fileFor = (scheduler: 'capacity' | 'fair', sample: string) =>
    join(shared, 'peer', (cluster.scheduler === 'fair') === (scheduler === 'fair') && cluster.file ? cluster.file : sample);
  copyFileSync(fileFor('capacity', 'capacity-scheduler.xml'), join(confDir, 'capacity-scheduler.xml'));
  copyFileSync(fileFor('fair', 'fair-scheduler.xml'), join(confDir, 'fair-scheduler.xml'));
  return { home, confDir, dataDir };
}

/**
 * Writes the settings of a further node manager N (see `peer/node.sh`): its own ports and folders, and `extra` settings.
 * Returns its configuration folder.
 */
export function writeNodeSettings(home: string, node: number, extra: Record<string, string>): string {
  const confDir = join(home, `conf${node}`);
  mkdirSync(confDir, { recursive: true });
  for (const file of ['core-site.xml', 'mapred-site.xml', 'capacity-scheduler.xml', 'fair-scheduler.xml'])
    copyFileSync(join(home, 'conf', file), join(confDir, file));
  const data = join(home, 'data');
  const overlay = Object.entries(extra)
    .map(([name, value]) => `  <property><name>${escapeXml(name)}</name><value>${escapeXml(value)}</value></property>\n`)
    .join('');
  const text = readFileSync(join(home, 'conf/yarn-site.xml'), 'utf8')
    .replace('localhost:45454', `localhost:${45454 + node}`)
    .replace('localhost:8040', `localhost:${8140 + node}`)
    .replace('localhost:8042', `localhost:${8142 + node}`)
    .replace(`${data}/local<`, `${data}/local${node}<`)
    .replace(`${data}/logs<`, `${data}/logs${node}<`)
    .replace('</configuration>', `${overlay}</configuration>`);
  writeFileSync(join(confDir, 'yarn-site.xml'), text);
  const mapred = readFileSync(join(confDir, 'mapred-site.xml'), 'utf8');
  const port = `  <property><name>mapreduce.shuffle.port</name><value>${13562 + node}</value></property>\n`;
  writeFileSync(join(confDir, 'mapred-site.xml'), mapred.replace('</configuration>', `${port}</configuration>`));
  return confDir;
}
