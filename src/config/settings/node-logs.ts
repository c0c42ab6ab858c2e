// Settings of the logs and diagnostics of containers on a node, and of how they are gathered.
import { defineSettings } from '../table.ts';

/** Part of the table of the node manager. */
export const nodeLogSettings = defineSettings({
  logRetainSeconds: {
    key: 'yarn.nodemanager.log.retain-seconds',
    type: 'integer',
    default: 10_800,
    minimum: 0,
    about: 'Seconds that logs are kept where they are not aggregated.',
  },
  logAggregationPolicy: {
    key: 'yarn.nodemanager.log-aggregation.policy.class',
    type: 'string',
    default: 'org.apache.hadoop.yarn.server.nodemanager.containermanager.logaggregation.AllContainerLogAggregationPolicy',
    about: 'Which logs are aggregated.',
  },
  logAggregationCompression: {
    key: 'yarn.nodemanager.log-aggregation.compression-type',
    type: 'string',
    default: 'none',
    about: 'Compression of aggregated logs.',
    inert: 'logs are written as they are; those that Hadoop compressed with gz are read',
  },
  logAggregationRollIntervalSeconds: {
    key: 'yarn.nodemanager.log-aggregation.roll-monitoring-interval-seconds',
    type: 'integer',
    default: -1,
    minimum: -1,
    about: 'Seconds between uploads of running applications; -1: at the end only.',
  },
  logAggregationRollMinimumSeconds: {
    key: 'yarn.nodemanager.log-aggregation.roll-monitoring-interval-seconds.min',
    type: 'integer',
    default: 3600,
    minimum: 1,
    about: 'Least seconds between such uploads; a shorter interval becomes this one.',
  },
  logAggregationFilesPerApplication: {
    key: 'yarn.nodemanager.log-aggregation.num-log-files-per-app',
    type: 'integer',
    default: 30,
    minimum: 1,
    about: 'Aggregated files of this node that a running application keeps; the oldest go.',
  },
  logAggregationRetryForMs: {
    key: 'heddle.node-manager.log-aggregation.retry-for',
    type: 'durationMs',
    default: 604_800_000,
    minimum: 0,
    about: 'How long it is tried again to gather logs where that failed; they stay readable on the node meanwhile.',
  },
  logAggregationPolicyParameters: {
    key: 'yarn.nodemanager.log-aggregation.policy.parameters',
    type: 'string',
    default: '',
    about: 'Parameters of that policy, such as SR:0.2,MIN:20 for the sampling one.',
  },
  logMonitorEnabled: {
    key: 'yarn.nodemanager.container-log-monitor.enable',
    type: 'boolean',
    default: false,
    about: 'Ends containers that write too much into their log folders.',
  },
  logMonitorIntervalMs: {
    key: 'yarn.nodemanager.container-log-monitor.interval-ms',
    type: 'durationMs',
    default: 60_000,
    minimum: 1,
    about: 'Time between looks at the sizes of logs.',
  },
  logMonitorFolderLimitBytes: {
    key: 'yarn.nodemanager.container-log-monitor.dir-size-limit-bytes',
    type: 'bytes',
    default: 1_000_000_000,
    minimum: 0,
    about: 'Bytes that a container may have in one log folder.',
  },
  logMonitorTotalLimitBytes: {
    key: 'yarn.nodemanager.container-log-monitor.total-size-limit-bytes',
    type: 'bytes',
    default: 10_000_000_000,
    minimum: 0,
    about: 'Bytes that a container may have in all log folders.',
  },
  diagnosticsMaximumBytes: {
    key: 'yarn.nodemanager.container-diagnostics-maximum-size',
    type: 'bytes',
    default: 10_000,
    minimum: 0,
    about: 'Length of the diagnostics of a container.',
  },
  containerStderrTailBytes: {
    key: 'yarn.nodemanager.container.stderr.tail.bytes',
    type: 'bytes',
    default: 4096,
    minimum: 0,
    about: 'Bytes of the standard error of a failed container in its diagnostics.',
  },
  containerStderrPattern: {
    key: 'yarn.nodemanager.container.stderr.pattern',
    type: 'string',
    default: '{*stderr*,*STDERR*}',
    about: 'Name of the file of standard error.',
  },
});
