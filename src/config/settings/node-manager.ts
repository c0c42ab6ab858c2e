// Settings of the node manager.
import { defineSettings } from '../table.ts';
import { nodeDescriptorSettings } from './node-descriptors.ts';
import { nodeHealthSettings } from './node-health.ts';
import { nodeLocalizationSettings } from './node-localization.ts';
import { nodeLogSettings } from './node-logs.ts';

/** Settings of the node manager. */
export const nodeManagerSettings = defineSettings({
  hostname: { key: 'yarn.nodemanager.hostname', type: 'string', default: '127.0.0.1', about: 'Host of the node.' },
  bindHost: { key: 'yarn.nodemanager.bind-host', type: 'string', about: 'Host to listen on when it is another than that of the address.' },
  address: {
    key: 'yarn.nodemanager.address',
    type: 'address',
    default: '${yarn.nodemanager.hostname}:45454',
    about:
      "Host and port that name the node; masters that speak Hadoop RPC find it there (Hadoop's default port is any free one). With port 0, or where nobody set it and its port is in use, a free port is taken, the same at each start.",
  },
  containerThreads: {
    key: 'yarn.nodemanager.container-manager.thread-count',
    type: 'integer',
    default: 20,
    minimum: 1,
    about: 'Threads that serve masters in Hadoop; how many of their calls may be under way goes by it (ipc.server.handler.queue.size).',
  },
  webAddress: {
    key: 'yarn.nodemanager.webapp.address',
    type: 'address',
    default: '${yarn.nodemanager.hostname}:8042',
    about: 'Web address of the node.',
  },
  webHttpsAddress: {
    key: 'yarn.nodemanager.webapp.https.address',
    type: 'address',
    default: '${yarn.nodemanager.hostname}:8044',
    about: 'Web address under HTTPS_ONLY.',
  },
  localizerAddress: {
    key: 'yarn.nodemanager.localizer.address',
    type: 'address',
    default: '${yarn.nodemanager.hostname}:8040',
    about: "Address of Hadoop's localizer; not served.",
  },
  localDirectories: {
    key: 'yarn.nodemanager.local-dirs',
    type: 'paths',
    default: '${heddle.data}/node-manager/local',
    about: 'Folders for localized files and working directories of containers.',
  },
  logDirectories: {
    key: 'yarn.nodemanager.log-dirs',
    type: 'paths',
    default: '${heddle.data}/node-manager/logs',
    about: 'Folders for logs of containers.',
  },
  memoryMiB: {
    key: 'yarn.nodemanager.resource.memory-mb',
    type: 'integer',
    default: -1,
    about:
      'Memory for containers in MiB; -1: 8192, or what the machine has where detection is on. Without a folder of settings: four fifths of the machine.',
  },
  vcores: {
    key: 'yarn.nodemanager.resource.cpu-vcores',
    type: 'integer',
    default: -1,
    about:
      'Virtual cores for containers; -1: 8, or what the machine has where detection is on. Without a folder of settings: its processors, at least 8.',
  },
  resources: { key: 'yarn.nodemanager.resource-type.', type: 'family', about: 'Amounts of further resource types.' },
  detectHardware: {
    key: 'yarn.nodemanager.resource.detect-hardware-capabilities',
    type: 'boolean',
    default: false,
    about: 'Takes memory and cores from the machine.',
  },
  systemReservedMemoryMiB: {
    key: 'yarn.nodemanager.resource.system-reserved-memory-mb',
    type: 'integer',
    default: -1,
    about: 'Memory in MiB left to the system when it is detected.',
  },
  physicalCpuLimitPercent: {
    key: 'yarn.nodemanager.resource.percentage-physical-cpu-limit',
    type: 'integer',
    default: 100,
    minimum: 1,
    maximum: 100,
    about: 'Part of the processors that all containers may use.',
  },
  countLogicalProcessors: {
    key: 'yarn.nodemanager.resource.count-logical-processors-as-cores',
    type: 'boolean',
    default: false,
    about: 'Counts logical processors instead of cores when they are detected.',
  },
  pcoresVcoresMultiplier: {
    key: 'yarn.nodemanager.resource.pcores-vcores-multiplier',
    type: 'number',
    default: 1,
    about: 'Virtual cores of a core when cores are detected.',
  },
  physicalMemoryCheckEnabled: {
    key: 'yarn.nodemanager.pmem-check-enabled',
    type: 'boolean',
    default: true,
    about: 'Kills containers above their physical memory.',
  },
  virtualMemoryCheckEnabled: {
    key: 'yarn.nodemanager.vmem-check-enabled',
    type: 'boolean',
    default: false,
    about: 'Kills containers above their virtual memory; Hadoop checks, Heddle by default does not.',
  },
  virtualMemoryRatio: {
    key: 'yarn.nodemanager.vmem-pmem-ratio',
    type: 'number',
    default: 2.1,
    about: 'Virtual memory allowed for each physical.',
  },
  containerMonitorIntervalMs: {
    key: 'yarn.nodemanager.container-monitor.interval-ms',
    type: 'durationMs',
    default: '${yarn.nodemanager.resource-monitor.interval-ms}',
    minimum: 1,
    about: 'Time between looks at the use of containers.',
  },
  emitContainerEvents: {
    key: 'yarn.nodemanager.emit-container-events',
    type: 'boolean',
    default: true,
    about: 'Nodes tell version 2 of the timeline when containers begin and end, where the resource manager does not tell of containers.',
  },
  resourceMonitorIntervalMs: {
    key: 'yarn.nodemanager.resource-monitor.interval-ms',
    type: 'durationMs',
    default: 3000,
    minimum: 1,
    about: 'Default of the interval for containers; the use of the node itself is told each second.',
  },
  resourceCalculatorClass: {
    key: 'yarn.nodemanager.container-monitor.resource-calculator.class',
    type: 'string',
    about: "Class that measures; Heddle reads the system's own counters.",
    inert: 'the counters of the system are read',
  },
  memoryEnforced: {
    key: 'yarn.nodemanager.resource.memory.enforced',
    type: 'boolean',
    default: true,
    about: 'Enforces limits by control groups where they are used.',
  },
  executorClass: {
    key: 'yarn.nodemanager.container-executor.class',
    type: 'string',
    default: 'org.apache.hadoop.yarn.server.nodemanager.DefaultContainerExecutor',
    about: 'LinuxContainerExecutor lets containers run as other users where the node manager is root (heddle.node-manager.switch-users).',
  },
  sleepBeforeKillMs: {
    key: 'yarn.nodemanager.sleep-delay-before-sigkill.ms',
    type: 'durationMs',
    default: 250,
    minimum: 0,
    about: 'Time between the signals TERM and KILL.',
  },
  retryMinimumIntervalMs: {
    key: 'yarn.nodemanager.container-retry-minimum-interval-ms',
    type: 'durationMs',
    default: 1000,
    minimum: 0,
    about: 'Shortest time between the end of a container that is started again on its node and its next start.',
  },
  processKillWaitMs: {
    key: 'yarn.nodemanager.process-kill-wait.ms',
    type: 'durationMs',
    default: 5000,
    about: 'Time to wait for a process to end after KILL.',
    inert: 'the end of a process is waited for as long as it takes',
  },
  deleteDebugDelaySeconds: {
    key: 'yarn.nodemanager.delete.debug-delay-sec',
    type: 'integer',
    default: 0,
    about: 'Seconds that folders of finished applications are kept; -1: for ever.',
  },
  deleteThreads: {
    key: 'yarn.nodemanager.delete.thread-count',
    type: 'integer',
    default: 4,
    minimum: 1,
    about: 'Deletions at a time.',
    inert: 'folders go as their containers end',
  },
  environmentWhitelist: {
    key: 'yarn.nodemanager.env-whitelist',
    type: 'list',
    default:
      'JAVA_HOME,HADOOP_COMMON_HOME,HADOOP_HDFS_HOME,HADOOP_CONF_DIR,CLASSPATH_PREPEND_DISTCACHE,HADOOP_YARN_HOME,HADOOP_HOME,PATH,LANG,TZ',
    about: 'Variables that containers inherit from the node.',
  },
  administratorEnvironment: {
    key: 'yarn.nodemanager.admin-env',
    type: 'string',
    default: 'MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX',
    about: 'Variables added to every container: NAME=value,….',
  },
  administratorEnvironmentVariables: {
    key: 'yarn.nodemanager.admin-env.',
    type: 'family',
    about: 'Variables added to every container, one a key.',
  },
  userHomeDirectory: {
    key: 'yarn.nodemanager.user-home-dir',
    type: 'string',
    default: '/home/',
    about: 'The variable HOME of containers.',
  },
  auxiliaryServices: {
    key: 'yarn.nodemanager.aux-services',
    type: 'list',
    default: 'mapreduce_shuffle',
    about: 'Services that run beside the containers for applications; Hadoop has none by default.',
  },
  auxiliaryServiceSettings: {
    key: 'yarn.nodemanager.aux-services.',
    type: 'family',
    about:
      'NAME.class: the Java class that a name stands for; org.apache.hadoop.mapred.ShuffleHandler is the built-in shuffle. Other keys change nothing.',
  },
  auxiliaryManifestEnabled: {
    key: 'yarn.nodemanager.aux-services.manifest.enabled',
    type: 'boolean',
    default: false,
    about: 'Auxiliary services by a manifest.',
  },
  auxiliaryManifest: {
    key: 'yarn.nodemanager.aux-services.manifest',
    type: 'path',
    about: 'File of the manifest; neither it nor its folder may be writable by others.',
  },
  auxiliaryManifestReloadMs: {
    key: 'yarn.nodemanager.aux-services.manifest.reload-ms',
    type: 'durationMs',
    default: 0,
    minimum: 0,
    about: 'Time between looks at the manifest; 0: never.',
  },
  recoveryEnabled: {
    key: 'yarn.nodemanager.recovery.enabled',
    type: 'boolean',
    default: true,
    about: 'Keeps containers running over a restart of the node; Hadoop leaves it off.',
  },
  recoveryDirectory: {
    key: 'yarn.nodemanager.recovery.dir',
    type: 'path',
    default: '${heddle.data}/node-manager/recovery',
    about: 'Folder of what survives a restart.',
  },
  recoverySupervised: {
    key: 'yarn.nodemanager.recovery.supervised',
    type: 'boolean',
    default: false,
    about:
      'Leaves containers running when the node is stopped in order, for the next start to adopt; those of a killed node are always adopted.',
  },
  crossOriginEnabled: {
    key: 'yarn.nodemanager.webapp.cross-origin.enabled',
    type: 'boolean',
    default: false,
    about: 'Cross-origin headers of the node.',
  },
  csrfEnabled: {
    key: 'yarn.nodemanager.webapp.rest-csrf.enabled',
    type: 'boolean',
    default: false,
    about: 'Asks for a header on requests that change something.',
  },
  csrfHeader: {
    key: 'yarn.nodemanager.webapp.rest-csrf.custom-header',
    type: 'string',
    default: 'X-XSRF-Header',
    about: 'The header asked for.',
  },
  csrfMethodsToIgnore: {
    key: 'yarn.nodemanager.webapp.rest-csrf.methods-to-ignore',
    type: 'list',
    default: 'GET,OPTIONS,HEAD',
    about: 'Methods that need no header.',
  },
  frameOptions: {
    key: 'yarn.nodemanager.webapp.xfs-filter.xframe-options',
    type: 'string',
    default: 'SAMEORIGIN',
    about: 'Value of X-Frame-Options.',
  },
  opportunisticQueueLength: {
    key: 'yarn.nodemanager.opportunistic-containers-max-queue-length',
    type: 'integer',
    default: 0,
    minimum: 0,
    about: 'Opportunistic containers that may wait for room on the node; 0: it takes none.',
  },
  principal: {
    key: 'yarn.nodemanager.principal',
    type: 'string',
    about: 'Kerberos principal of the node; _HOST stands for the name of its machine.',
  },
  keytab: {
    key: 'yarn.nodemanager.keytab',
    type: 'path',
    about: 'File with its key. The node logs in with it and shows a ticket to what asks for one before the resource manager.',
  },
  spnegoPrincipal: { key: 'yarn.nodemanager.webapp.spnego-principal', type: 'string', about: 'Kerberos principal of its web interface.' },
  spnegoKeytab: { key: 'yarn.nodemanager.webapp.spnego-keytab-file', type: 'path', about: 'The key of that principal.' },
  ...nodeLocalizationSettings,
  ...nodeHealthSettings,
  ...nodeLogSettings,
  ...nodeDescriptorSettings,
});
