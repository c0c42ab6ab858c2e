// Settings of the timeline server, its reader and the application history.
import { defineSettings } from '../table.ts';

/** Settings of the timeline service. */
export const timelineSettings = defineSettings({
  bindHost: {
    key: 'yarn.timeline-service.bind-host',
    type: 'string',
    about: 'Host to listen on when it is another than that of the address.',
  },
  address: {
    key: 'yarn.timeline-service.address',
    type: 'address',
    default: '${yarn.timeline-service.hostname}:10200',
    about: "Address of Hadoop's history protocol; not served.",
  },
  csrfEnabled: {
    key: 'yarn.timeline-service.webapp.rest-csrf.enabled',
    type: 'boolean',
    default: false,
    about: 'Asks for a header on requests that change something.',
  },
  csrfHeader: {
    key: 'yarn.timeline-service.webapp.rest-csrf.custom-header',
    type: 'string',
    default: 'X-XSRF-Header',
    about: 'The header asked for.',
  },
  csrfMethodsToIgnore: {
    key: 'yarn.timeline-service.webapp.rest-csrf.methods-to-ignore',
    type: 'list',
    default: 'GET,OPTIONS,HEAD',
    about: 'Methods that need no header.',
  },
  webHttpsAddress: {
    key: 'yarn.timeline-service.webapp.https.address',
    type: 'address',
    default: '${yarn.timeline-service.hostname}:8190',
    about: 'Web address under HTTPS_ONLY.',
  },
  readerWebAddress: {
    key: 'yarn.timeline-service.reader.webapp.address',
    type: 'address',
    default: '127.0.0.1:8198',
    about: 'Web address of the reader of version 2 (Hadoop gives it that of the timeline server).',
  },
  readerBindHost: {
    key: 'yarn.timeline-service.reader.bind-host',
    type: 'string',
    about: 'Host the reader listens on when it is another than that of its address.',
  },
  readerClass: {
    key: 'yarn.timeline-service.reader.class',
    type: 'string',
    default: 'org.apache.hadoop.yarn.server.timelineservice.storage.HBaseTimelineReaderImpl',
    about: "Hadoop's storage of version 2; Heddle keeps its own below --data whatever stands here.",
  },
  writerClass: {
    key: 'yarn.timeline-service.writer.class',
    type: 'string',
    default: 'org.apache.hadoop.yarn.server.timelineservice.storage.HBaseTimelineWriterImpl',
    about: "Hadoop's storage of version 2; Heddle keeps its own.",
  },
  writerFlushIntervalSeconds: {
    key: 'yarn.timeline-service.writer.flush-interval-seconds',
    type: 'integer',
    default: 60,
    about: 'Seconds between flushes of the writer; Heddle writes at once.',
  },
  fileSystemWriterRoot: {
    key: 'yarn.timeline-service.fs-writer.root-dir',
    type: 'path',
    about: "Folder of Hadoop's file storage; Heddle uses --data.",
  },
  collectorBindHost: {
    key: 'yarn.timeline-service.collector.bind-host',
    type: 'string',
    default: '127.0.0.1',
    about: 'Host of the collector of version 2.',
  },
  collectorBindPortRanges: {
    key: 'yarn.timeline-service.collector.bind-port-ranges',
    type: 'string',
    default: '8199',
    about: 'Port of the collector of version 2.',
  },
  collectorLingerPeriodMs: {
    key: 'yarn.timeline-service.app-collector.linger-period.ms',
    type: 'durationMs',
    default: 60_000,
    about: 'Time a collector is kept after its application ended.',
  },
  storeClass: {
    key: 'yarn.timeline-service.store-class',
    type: 'string',
    default: 'org.apache.hadoop.yarn.server.timeline.LeveldbTimelineStore',
    about: "Hadoop's store of version 1; Heddle keeps its own below --data.",
  },
  levelDbPath: {
    key: 'yarn.timeline-service.leveldb-timeline-store.path',
    type: 'path',
    default: '${hadoop.tmp.dir}/yarn/timeline',
    about: 'Folder of that store; Heddle uses --data.',
  },
  levelDbStatePath: {
    key: 'yarn.timeline-service.leveldb-state-store.path',
    type: 'path',
    default: '${hadoop.tmp.dir}/yarn/timeline',
    about: 'Folder of tokens; Heddle uses --data.',
  },
  timeToLiveEnabled: { key: 'yarn.timeline-service.ttl-enable', type: 'boolean', default: true, about: 'Removes old entities.' },
  timeToLiveMs: {
    key: 'yarn.timeline-service.ttl-ms',
    type: 'durationMs',
    default: 604_800_000,
    minimum: 1,
    about: 'Age at which entities are removed.',
  },
  timeToLiveIntervalMs: {
    key: 'yarn.timeline-service.leveldb-timeline-store.ttl-interval-ms',
    type: 'durationMs',
    default: 300_000,
    minimum: 1,
    about: 'Time between removals.',
  },
  crossOriginEnabled: {
    key: 'yarn.timeline-service.http-cross-origin.enabled',
    type: 'boolean',
    default: false,
    about: 'Cross-origin headers of the timeline server.',
  },
  crossOrigin: {
    key: 'yarn.timeline-service.http-cross-origin.',
    type: 'family',
    about: 'Its cross-origin settings, over the common ones: allowed-origins, allowed-methods, allowed-headers, max-age.',
  },
  httpAuthenticationType: {
    key: 'yarn.timeline-service.http-authentication.type',
    type: 'string',
    default: 'simple',
    about: 'Authentication of the timeline server: simple or kerberos.',
  },
  httpAnonymousAllowed: {
    key: 'yarn.timeline-service.http-authentication.simple.anonymous.allowed',
    type: 'boolean',
    default: true,
    about: 'Whether callers without a name are served.',
  },
  httpAuthentication: {
    key: 'yarn.timeline-service.http-authentication.',
    type: 'family',
    about: 'Further settings of its authentication: Kerberos principal and keytab, proxy users.',
  },
  readAuthenticationEnabled: {
    key: 'yarn.timeline-service.read.authentication.enabled',
    type: 'boolean',
    default: false,
    about: 'Checks who reads version 2.',
  },
  readAllowedUsers: {
    key: 'yarn.timeline-service.read.allowed.users',
    type: 'string',
    about: 'Who may read version 2 when it is checked.',
  },
  maximumApplications: {
    key: 'yarn.timeline-service.generic-application-history.max-applications',
    type: 'integer',
    default: 10_000,
    about: 'Applications of a list of the application history.',
  },
  delegationKeyUpdateIntervalMs: {
    key: 'yarn.timeline-service.delegation.key.update-interval',
    type: 'durationMs',
    default: 86_400_000,
    about: 'Age at which the key of tokens is replaced.',
  },
  delegationTokenRenewIntervalMs: {
    key: 'yarn.timeline-service.delegation.token.renew-interval',
    type: 'durationMs',
    default: 86_400_000,
    about: 'Time a token is valid after it was renewed.',
  },
  delegationTokenMaximumLifetimeMs: {
    key: 'yarn.timeline-service.delegation.token.max-lifetime',
    type: 'durationMs',
    default: 604_800_000,
    about: 'Time after which a token cannot be renewed.',
  },
  historyUnchecked: {
    key: 'heddle.timeline.application-history.unchecked',
    type: 'boolean',
    default: false,
    about:
      'Whether, with access lists on, callers without a name see everything in the application history and every user reads all aggregated logs there, as in Hadoop.',
  },
  anyHolderCancelsTokens: {
    key: 'heddle.timeline.delegation-token.any-holder-cancels',
    type: 'boolean',
    default: false,
    about: "Whether whoever holds a token may cancel it, as Hadoop's timeline server lets them; otherwise its owner and its renewer may.",
  },
  principal: { key: 'yarn.timeline-service.principal', type: 'string', about: 'Kerberos principal of the timeline server.' },
  keytab: { key: 'yarn.timeline-service.keytab', type: 'path', about: 'Its key.' },
});
