// Options of masters, of the client, of streaming, and of the cluster's servers.
import { xmlReader } from '../../tasks/input/formats.ts';
import { streamForms } from '../../tasks/programs/stream-forms.ts';
import {
  anyInt,
  cluster,
  commandVariables,
  countFromMinusOne,
  countFromZero,
  each,
  type JobOptions,
  nothing,
  number,
  onlyFor,
  refused,
  rights,
  share,
  truth,
  variables,
  whole,
  works,
} from './option.ts';

const am = 'yarn.app.mapreduce.am.';

/** Options of a job's master and of the command that submits it. */
export const masterOptions: JobOptions = {
  [`${am}resource.mb`]: whole('Memory of the master in MiB.', countFromZero),
  [`${am}resource.cpu-vcores`]: whole('Virtual cores of the master.', countFromZero),
  [`${am}resource.`]: refused('masters have memory and virtual cores alone', undefined),
  'mapreduce.am.max-attempts': whole('How often a master may be started; 0: as often as the cluster allows.', countFromZero),
  [`${am}staging-dir`]: works('Folder for the files of running jobs, which all nodes see.'),
  [`${am}job.recovery.enable`]: truth('Whether a master goes on with what an earlier one did.'),
  [`${am}job.reduce.rampup.limit`]: number('Share of the reduces that may be asked for while maps wait.', share),
  ...each(
    ['env', 'admin.user.env'].map((name) => am + name),
    variables('Variables for the master: `A=b,C=d`.'),
  ),
  [`${am}env.`]: works('One variable for the master, whose name is the end of the key.'),
  ...each(
    ['command-opts', 'admin-command-opts', 'profile', 'profile.params'].map((name) => am + name),
    nothing('no Java runs in masters'),
  ),
  ...each(
    ['log.level', 'container.log.backups', 'container.log.limit.kb'].map((name) => am + name),
    nothing('the log of a master has one level and is kept whole'),
  ),
  ...each(
    [
      'yarn.app.mapreduce.task.container.log.backups',
      'yarn.app.mapreduce.shuffle.log.separate',
      'yarn.app.mapreduce.shuffle.log.limit.kb',
      'yarn.app.mapreduce.shuffle.log.backups',
    ],
    nothing('the log of a task is one file'),
  ),
  ...each(
    [
      'job.task.listener.thread-count',
      'job.client.thread-count',
      'containerlauncher.threadpool-initial-size',
      'containerlauncher.thread-count-limit',
      'scheduler.heartbeat.interval-ms',
      'scheduler.connection.wait.interval-ms',
      'num-progress-splits',
    ].map((name) => am + name),
    nothing('masters have no threads of this kind'),
  ),
  ...each(
    ['job.client.port-range', 'webapp.port-range', 'webapp.https.enabled', 'webapp.https.client.auth'].map((name) => am + name),
    nothing('masters listen on any free port and are reached through the web proxy'),
  ),
  ...each(
    ['job.committer.cancel-timeout', 'job.committer.commit-window', 'hard-kill-timeout-ms'].map((name) => am + name),
    nothing('commits are not cut short'),
  ),
  [`${am}job.node-blacklisting.enable`]: truth('Whether a job avoids hosts on which its attempts fail.'),
  [`${am}job.node-blacklisting.ignore-threshold-node-percent`]: whole(
    'From this percentage of the nodes on none is avoided; -1: however many.',
    [-1, 100],
  ),
  ...each(
    ['job.reduce.preemption.limit', 'preemption.policy'].map((name) => am + name),
    nothing('a reduce gives way as soon as a map has no room'),
  ),
  ...each(
    ['job.speculator.class', 'job.task.estimator.'].map((name) => am + name),
    nothing('slow tasks are found as by Hadoop’s default classes'),
  ),
  [`${am}job.task.estimator.class`]: nothing('slow tasks are found as by Hadoop’s default classes'),
  ...each(
    [
      'history.complete-event-flush-timeout',
      'history.job-complete-unflushed-multiplier',
      'history.max-unflushed-events',
      'history.use-batched-flush.queue-size.threshold',
      'create-intermediate-jh-base-dir',
    ].map((name) => am + name),
    nothing('each event of the history is written at once'),
  ),
  [`${am}staging-dir.erasurecoding.enabled`]: nothing('the folder is no HDFS'),
  ...each(
    [
      'client-am.ipc.max-retries',
      'client-am.ipc.max-retries-on-timeouts',
      'client.max-retries',
      'client.job.max-retries',
      'client.job.retry-interval',
    ].map((name) => `yarn.app.mapreduce.${name}`),
    nothing('commands repeat their calls by themselves'),
  ),
  ...each(
    [
      'mapreduce.client.completion.pollinterval',
      'mapreduce.client.progressmonitor.pollinterval',
      'mapreduce.client.output.filter',
      'mapreduce.client.submit.file.replication',
      'mapreduce.client.libjars.wildcard',
      'mapreduce.client.genericoptionsparser.used',
      'mapreduce.jobclient.',
      'mapreduce.jobcontrol.createdir.ifnotexist',
    ],
    nothing('it is for Hadoop’s own client'),
  ),
  'mapreduce.framework.name': works('Where jobs run: on the cluster.', ['yarn', 'local']),
};

const optionsOfStreaming: JobOptions = {
  ...each(
    ['map', 'combine', 'reduce'].map((side) => `stream.${side}.streamprocessor`),
    nothing('mapper, combiner and reducer are named on the command line'),
  ),
  'stream.map.input.field.separator': works('What stands between key and value towards the mapper.'),
  'stream.map.input.ignoreKey': truth('Whether the mapper gets values alone.'),
  ...each(
    ['stream.map.output.field.separator', 'stream.reduce.output.field.separator'],
    works('What ends a field of a line that a command writes.'),
  ),
  ...each(
    ['stream.num.map.output.key.fields', 'stream.num.reduce.output.key.fields'],
    whole('Fields of such a line that make the key; less than 1 counts as 1.', anyInt),
  ),
  'stream.reduce.input.field.separator': works('What stands between key and value towards the reducer.'),
  'stream.addenvironment': commandVariables('Variables for commands, with blanks between them.'),
  'stream.jobconf.truncate.limit': whole('Characters of a setting that commands find in their environment; -1: all.', countFromMinusOne),
  'stream.non.zero.exit.is.failure': truth('Whether another exit code than 0 fails the attempt.'),
  'stream.stderr.reporter.prefix': works('How a line of standard error begins that reports a counter or status.'),
  ...each(
    ['stream.map.input', 'stream.map.output', 'stream.reduce.input', 'stream.reduce.output'],
    works('In which form records go to a command, or come from it; `-io` sets all four.', streamForms),
  ),
  'stream.io.identifier.resolver.class': refused('the forms of records are those of Hadoop', [
    'org.apache.hadoop.streaming.io.IdentifierResolver',
  ]),
  ...each(
    ['map.input.writer', 'reduce.input.writer', 'map.output.reader', 'reduce.output.reader'].map((name) => `stream.${name}.class`),
    nothing('it follows from the form of the records, as in Hadoop'),
  ),
  'stream.recordreader.class': works('What reads records of StreamInputFormat; without it lines are keys and values.', [xmlReader]),
  ...each(
    ['stream.recordreader.begin', 'stream.recordreader.end'],
    works('The texts at which a record of StreamXmlRecordReader begins and ends.'),
  ),
  'stream.recordreader.slowmatch': refused('marks are texts, not expressions, and CDATA is not looked at', ['false']),
  ...each(
    ['stream.recordreader.maxrec', 'stream.recordreader.lookahead', 'stream.recordreader.statuschars'],
    nothing('it belongs to slowmatch and to texts of the status'),
  ),
  'stream.recordreader.': nothing('StreamXmlRecordReader does not read it'),
  'stream.joindelay.milli': nothing('the end of a command’s output is waited for'),
  'stream.minRecWrittenToEnableSkip_': nothing('a command that stops reading is no failure in itself, its exit code tells'),
  ...each(['stream.tmpdir', 'stream.shipped.hadoopstreaming'], nothing('no jar is packed')),
  'aggregate.max.num.unique.values': nothing('today’s name is mapreduce.aggregate.max.num.unique.values'),
};

/** Options of streaming jobs. */
export const streamingOptions: JobOptions = Object.fromEntries(
  Object.entries(optionsOfStreaming).map(([name, option]) => [
    name,
    onlyFor('streaming jobs', (program) => program === 'streaming', option),
  ]),
);

/** Settings that are not a job's. */
export const clusterOptions: JobOptions = {
  'mapreduce.jobhistory.jhist.format': works('Format of the history file: binary or json.', ['binary', 'json']),
  ...each(
    ['intermediate-done-dir', 'webapp.address', 'webapp.https.address'].map((name) => `mapreduce.jobhistory.${name}`),
    works('The history server, as a master and a server see it.'),
  ),
  'mapreduce.jobhistory.intermediate-user-done-dir.permissions': rights(
    'Rights of a user’s folder for the history of jobs that ended; owner and group have all.',
  ),
  'mapreduce.jobhistory.jobname.limit': whole('Most characters of a job’s name in the name of its history file.', countFromZero),
  'mapreduce.jobhistory.http.policy': works('Whether the history server is asked by http or https.', ['HTTP_ONLY', 'HTTPS_ONLY']),
  'mapreduce.jobhistory.': cluster('The history server.'),
  'mapreduce.cluster.local.dir': cluster('Node managers use yarn.nodemanager.local-dirs.'),
  ...each(
    [
      'mapreduce.cluster.delegation.key.update-interval',
      'mapreduce.cluster.delegation.token.max-lifetime',
      'mapreduce.cluster.delegation.token.renew-interval',
      'mapreduce.cluster.mapmemory.mb',
      'mapreduce.cluster.reducememory.mb',
      'mapreduce.cluster.permissions.supergroup',
      'mapreduce.cluster.temp.dir',
      'mapreduce.jobtracker.',
      'mapreduce.tasktracker.',
      'mapreduce.local.',
      'mapreduce.minicluster.control-resource-monitoring',
      'mapreduce.webapp.ui-actions.enabled',
      'mapred.queue.',
      'mapred.queue.names',
    ],
    cluster('Servers of Hadoop; nothing of a job.'),
  ),
  ...each(
    [
      'id',
      'dir',
      'user.name',
      'working.dir',
      'submithostname',
      'submithostaddress',
      'application.attempt.id',
      'local.dir',
      'cache.local.files',
      'cache.local.archives',
      'jobTokenFile',
    ].map((name) => `mapreduce.job.${name}`),
    nothing('the engine writes it'),
  ),
  ...each(
    ['id', 'attempt.id', 'ismap', 'partition', 'output.dir'].map((name) => `mapreduce.task.${name}`),
    nothing('the engine writes it'),
  ),
  ...each(
    [
      'mapreduce.map.input.file',
      'mapreduce.map.input.start',
      'mapreduce.map.input.length',
      'mapreduce.input.fileinputformat.numinputfiles',
    ],
    nothing('the engine writes it'),
  ),
};
