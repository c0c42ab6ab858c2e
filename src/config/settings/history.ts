// Settings of the history server.
import { defineSettings } from '../table.ts';

/** Settings of the history server. */
export const historySettings = defineSettings({
  address: {
    key: 'mapreduce.jobhistory.address',
    type: 'address',
    default: '127.0.0.1:10020',
    about: "Address of Hadoop's history protocol.",
  },
  adminAddress: {
    key: 'mapreduce.jobhistory.admin.address',
    type: 'address',
    default: '127.0.0.1:10033',
    about: 'Address of `mapred hsadmin`.',
  },
  adminAcl: {
    key: 'mapreduce.jobhistory.admin.acl',
    type: 'string',
    default: '*',
    about: 'Who may have settings of the history server read again (`mapred hsadmin`).',
  },
  bindHost: {
    key: 'mapreduce.jobhistory.bind-host',
    type: 'string',
    about: 'Host to listen on when it is another than that of the address.',
  },
  webHttpsAddress: {
    key: 'mapreduce.jobhistory.webapp.https.address',
    type: 'address',
    default: '127.0.0.1:19890',
    about: 'Web address under HTTPS_ONLY.',
  },
  httpPolicy: {
    key: 'mapreduce.jobhistory.http.policy',
    type: 'string',
    default: 'HTTP_ONLY',
    oneOf: ['HTTP_ONLY', 'HTTPS_ONLY'],
    about: 'Whether the history server speaks HTTP or HTTPS.',
  },
  intermediateDirectory: {
    key: 'mapreduce.jobhistory.intermediate-done-dir',
    type: 'path',
    default: '${yarn.app.mapreduce.am.staging-dir}/history/done_intermediate',
    about: 'Folder in which masters leave their history files.',
  },
  doneDirectory: {
    key: 'mapreduce.jobhistory.done-dir',
    type: 'path',
    default: '${yarn.app.mapreduce.am.staging-dir}/history/done',
    about: 'Folder of history files.',
  },
  intermediatePermissions: {
    key: 'mapreduce.jobhistory.intermediate-user-done-dir.permissions',
    type: 'string',
    default: '770',
    about: "Permissions of a user's folder there, octal.",
  },
  alwaysScanUserDirectory: {
    key: 'mapreduce.jobhistory.always-scan-user-dir',
    type: 'boolean',
    default: false,
    about: 'Scans folders whose time did not change.',
  },
  jobListCacheSize: {
    key: 'mapreduce.jobhistory.joblist.cache.size',
    type: 'integer',
    default: 20_000,
    minimum: 1,
    about: 'Jobs that lists show.',
  },
  loadedJobsCacheSize: {
    key: 'mapreduce.jobhistory.loadedjobs.cache.size',
    type: 'integer',
    default: 5,
    minimum: 1,
    about: 'Jobs kept in memory with all their tasks.',
  },
  loadedTasksCacheSize: {
    key: 'mapreduce.jobhistory.loadedtasks.cache.size',
    type: 'integer',
    minimum: 1,
    about: 'Tasks kept in memory, instead of a number of jobs.',
  },
  loadedJobMaximumTasks: {
    key: 'mapreduce.jobhistory.loadedjob.tasks.max',
    type: 'integer',
    default: -1,
    minimum: -1,
    about: 'Jobs with more tasks are not loaded; -1: no limit.',
  },
  maximumHistoryBytes: {
    key: 'heddle.history.maximum-loaded-size',
    type: 'bytes',
    default: '512m',
    minimum: 1_048_576,
    about: 'Longest history file that is read; files of jobs that are loaded at the same time have no more bytes together.',
  },
  dateStringCacheSize: {
    key: 'mapreduce.jobhistory.datestring.cache.size',
    type: 'integer',
    default: 200_000,
    minimum: 1,
    about: 'Entries of the index of days.',
  },
  moveIntervalMs: {
    key: 'mapreduce.jobhistory.move.interval-ms',
    type: 'durationMs',
    default: 180_000,
    minimum: 1,
    about: 'Time between looks at the intermediate folder.',
  },
  moveThreads: { key: 'mapreduce.jobhistory.move.thread-count', type: 'integer', default: 3, minimum: 1, about: 'Moves at a time.' },
  cleanerEnabled: { key: 'mapreduce.jobhistory.cleaner.enable', type: 'boolean', default: true, about: 'Removes old jobs.' },
  cleanerIntervalMs: {
    key: 'mapreduce.jobhistory.cleaner.interval-ms',
    type: 'durationMs',
    default: 86_400_000,
    minimum: 1,
    about: 'Time between removals.',
  },
  maximumAgeMs: {
    key: 'mapreduce.jobhistory.max-age-ms',
    type: 'durationMs',
    default: 604_800_000,
    minimum: 1,
    about: 'Age at which jobs are removed.',
  },
  aclsEnabled: { key: 'mapreduce.cluster.acls.enabled', type: 'boolean', default: false, about: 'Checks of who may view and change jobs.' },
  administrators: {
    key: 'mapreduce.cluster.administrators',
    type: 'string',
    default: ' ',
    about: 'Administrators of jobs: users, a blank, groups.',
  },
  logsChecked: {
    key: 'heddle.history.logs.checked',
    type: 'boolean',
    about:
      "Whether the history server's log endpoints show logs only to their owner, administrators and the users that VIEW_APP names; where it is not set they do with yarn.acl.enable (Hadoop: false). They do anyway with mapreduce.cluster.acls.enabled.",
  },
  crossOriginEnabled: {
    key: 'mapreduce.jobhistory.webapp.cross-origin.enabled',
    type: 'boolean',
    default: false,
    about: 'Cross-origin headers of the history server.',
  },
  csrfEnabled: {
    key: 'mapreduce.jobhistory.webapp.rest-csrf.enabled',
    type: 'boolean',
    default: false,
    about: 'Asks for a header on requests that change something.',
  },
  csrfHeader: {
    key: 'mapreduce.jobhistory.webapp.rest-csrf.custom-header',
    type: 'string',
    default: 'X-XSRF-Header',
    about: 'The header asked for.',
  },
  csrfMethodsToIgnore: {
    key: 'mapreduce.jobhistory.webapp.rest-csrf.methods-to-ignore',
    type: 'list',
    default: 'GET,OPTIONS,HEAD',
    about: 'Methods that need no header.',
  },
  frameOptions: {
    key: 'mapreduce.jobhistory.webapp.xfs-filter.xframe-options',
    type: 'string',
    default: 'SAMEORIGIN',
    about: 'Value of X-Frame-Options.',
  },
  principal: {
    key: 'mapreduce.jobhistory.principal',
    type: 'string',
    default: 'jhs/_HOST@REALM.TLD',
    about:
      'Kerberos principal of the history server, which callers of Hadoop RPC have tickets for; _HOST stands for the host of its address.',
  },
  keytab: {
    key: 'mapreduce.jobhistory.keytab',
    type: 'path',
    default: '/etc/security/keytab/jhs.service.keytab',
    about:
      'File with its key. The server logs in with it and shows a ticket to servers that ask for one. Where callers have to come with tickets and this is not set, the ports of Hadoop RPC are not served.',
  },
  spnegoPrincipal: {
    key: 'mapreduce.jobhistory.webapp.spnego-principal',
    type: 'string',
    about: 'Kerberos principal of its web interface.',
  },
  spnegoKeytab: {
    key: 'mapreduce.jobhistory.webapp.spnego-keytab-file',
    type: 'path',
    about: 'The key of that principal.',
  },
});
