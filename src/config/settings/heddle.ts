// Settings that Hadoop does not have.
import { defineSettings } from '../table.ts';

/** Settings of Heddle's own. */
export const heddleSettings = defineSettings({
  logLevel: {
    key: 'heddle.log.level',
    type: 'string',
    default: 'info',
    oneOf: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    about: 'Least severity that is logged.',
    reloadable: false,
  },
  logFormat: {
    key: 'heddle.log.format',
    type: 'string',
    default: 'auto',
    oneOf: ['auto', 'json', 'text'],
    about: 'How lines of the log are written; auto: text where standard error is a terminal, else JSON.',
    reloadable: false,
  },
  logMaximumBytes: {
    key: 'heddle.log.maximum-size',
    type: 'bytes',
    default: '32m',
    minimum: 4096,
    about: 'Length from which on the log file of `heddle up --detach` is begun anew.',
    reloadable: false,
  },
  logFiles: {
    key: 'heddle.log.files',
    type: 'integer',
    default: 5,
    minimum: 0,
    maximum: 1000,
    about: 'How many older log files of `heddle up --detach` are kept, `.1` the youngest.',
    reloadable: false,
  },
  allowUnauthenticated: {
    key: 'heddle.security.allow-unauthenticated',
    type: 'list',
    default: '',
    about:
      'Addresses (host or host:port, as servers listen on them) that others may reach although callers need not prove who they are: whoever reaches one can run programs on the nodes.',
  },
  trustedLocalUsers: {
    key: 'heddle.security.trusted-local-users',
    type: 'list',
    default: '',
    about:
      "Unix users, by name or number, whose connections over loopback are served although callers need not prove who they are, besides root and Heddle's own user; * for all, as --open says.",
  },
  clusterSecretFile: {
    key: 'heddle.cluster.secret-file',
    type: 'path',
    default: '${heddle.data}/secrets/cluster',
    about:
      'File with the secret by which nodes prove to the resource manager that they belong to it; made at the first start, the same on every machine.',
  },
  refusedExitMs: {
    key: 'heddle.node-manager.exit-when-refused-after',
    type: 'durationMs',
    default: '1m',
    minimum: 0,
    about:
      'How long `heddle start node-manager` waits while what answers as resource manager cannot prove itself or does not believe the node; then it exits with 1. 0: it waits for ever.',
  },
  logAggregationMaximumBytes: {
    key: 'heddle.node-manager.log-aggregation.maximum-size',
    type: 'bytes',
    default: '50g',
    minimum: 1_000_000,
    about:
      "Most that a node gathers at a time of an application's logs; of what is more, the beginnings are left out. Holes in files do not count.",
  },
  secretsInEnvironment: {
    key: 'heddle.node-manager.secrets-in-environment',
    type: 'boolean',
    default: false,
    about:
      "Whether secrets of containers, such as a master's token, stand in their environment (HEDDLE_ATTEMPT_TOKEN), too, and not in files alone (HEDDLE_ATTEMPT_TOKEN_FILE): for masters that know no files.",
  },
  shellEnabled: {
    key: 'heddle.node-manager.shell.enabled',
    type: 'boolean',
    default: true,
    about:
      'Whether owners of applications, and administrators where access lists are on, may open shells in running containers (heddle container exec, yarn container -shell).',
  },
  shellMaximum: {
    key: 'heddle.node-manager.shell.maximum',
    type: 'integer',
    default: 32,
    minimum: 1,
    maximum: 1000,
    about: 'Most shells that are open on a node at a time.',
  },
  shellMaximumPerUser: {
    key: 'heddle.node-manager.shell.maximum-per-user',
    type: 'integer',
    default: 16,
    minimum: 1,
    maximum: 1000,
    about: 'Most shells that one user has open on a node at a time, so that the others find room.',
  },
  shellMaximumPerContainer: {
    key: 'heddle.node-manager.shell.maximum-per-container',
    type: 'integer',
    default: 4,
    minimum: 1,
    maximum: 1000,
    about: 'Most shells that are open in a container at a time.',
  },
  shellIdleMs: {
    key: 'heddle.node-manager.shell.idle-timeout',
    type: 'durationMs',
    default: '1h',
    minimum: 1000,
    about: 'How long a shell stays open through which no byte goes in either direction.',
  },
  retentionMs: {
    key: 'heddle.applications.retention',
    type: 'durationMs',
    default: '30d',
    minimum: 0,
    about: 'How long finished applications are kept and listed.',
  },
  retentionCount: {
    key: 'heddle.applications.retention-count',
    type: 'integer',
    default: 1_000_000,
    minimum: 1,
    about: 'Most finished applications that are kept.',
  },
  timelineOutboxMaximumBytes: {
    key: 'heddle.timeline.outbox.maximum-size',
    type: 'bytes',
    default: '256m',
    minimum: 1_000_000,
    about: 'Most that the resource manager keeps for a timeline that takes nothing; beyond it the oldest is given up and counted.',
  },
  timelineOutboxMaximumAgeMs: {
    key: 'heddle.timeline.outbox.maximum-age',
    type: 'durationMs',
    default: '7d',
    minimum: 1000,
    about: 'How long the resource manager keeps what the timeline did not take; what is older is given up and counted.',
  },
  webhookAllowedHosts: {
    key: 'heddle.webhooks.allowed-hosts',
    type: 'list',
    default: '',
    about:
      'Hosts (`name`, `name:port`, `address`) and networks (`10.0.0.0/8`) that webhooks may go to although they are not public; others of this machine and of networks that are not public are refused.',
  },
  tracesEndpoint: {
    key: 'heddle.traces.endpoint',
    type: 'string',
    default: '',
    about:
      'Where the resource manager sends traces of applications (OTLP over HTTP, the whole address: `http://127.0.0.1:4318/v1/traces`); empty: nowhere. Needs the libraries of OpenTelemetry beside Heddle.',
    reloadable: false,
  },
  roles: {
    key: 'heddle.roles',
    type: 'list',
    default: 'timeline,resource-manager,node-manager,history',
    about: 'Roles that `heddle up` starts; `proxy` is added where yarn.web-proxy.address is set.',
  },
  stagingDirectory: {
    key: 'heddle.staging.directory',
    type: 'path',
    default: '${heddle.data}/resource-manager/staging',
    about: 'Folder of the resource manager for files that clients leave for their applications.',
  },
  stagingMaximumFileBytes: {
    key: 'heddle.staging.maximum-file-bytes',
    type: 'bytes',
    default: '4g',
    minimum: 1,
    about: 'Longest file that a client may leave.',
  },
  stagingUserQuotaBytes: {
    key: 'heddle.staging.user-quota',
    type: 'bytes',
    default: '20g',
    minimum: 1,
    about: 'Bytes of all files that one user may leave.',
  },
  stagingTotalQuotaBytes: {
    key: 'heddle.staging.total-quota',
    type: 'bytes',
    default: '100g',
    minimum: 1,
    about: 'Bytes of all files that all users together may leave: names that nobody proves do not add to it.',
  },
  stagingUnusedRetentionMs: {
    key: 'heddle.staging.unused-retention',
    type: 'durationMs',
    default: '1h',
    minimum: 1000,
    about: 'How long files stay whose application is not submitted.',
  },
  stagingEndedRetentionMs: {
    key: 'heddle.staging.ended-retention',
    type: 'durationMs',
    default: '1d',
    minimum: 0,
    about:
      'How long files of an application that has ended stay, so that it can be submitted again: at most 8 MiB of each, 64 MiB of 50 of each user, 1 GiB of 1,000 in all, the newest, and only while there is room; what is more goes at the end. 0: all goes then.',
  },
});
