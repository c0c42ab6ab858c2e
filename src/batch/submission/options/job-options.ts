// Options of a whole job: its name and rights, input, output, counters, and what it tells others.
import { codecClasses } from '../../tasks/input/compression.ts';
import {
  combineInputs,
  keyValueInputs,
  lineInputs,
  readerInput,
  sequenceInputs,
  sequenceTextInputs,
  textInputs,
} from '../../tasks/input/formats.ts';
import type { JobConfiguration } from '../../tasks/job-configuration.ts';
import { lazyOutputs, textOutputs } from '../../tasks/output/formats.ts';
import { keyFieldComparators, keyFieldPartitioners } from '../../tasks/programs/ordered.ts';
import { partitionerClassOf, totalOrderPartitioners, wantsTotalOrder } from '../../tasks/total-order.ts';
import {
  address,
  countFromMinusOne,
  countFromOne,
  countFromZero,
  each,
  fileName,
  fromOne,
  fromZero,
  type JobOptions,
  nothing,
  onlyFor,
  refused,
  size,
  streamingWorks,
  truth,
  whole,
  works,
} from './option.ts';

const classes = 'map, combine and reduce are named on the command line, not by Java classes';
const java = 'no Java runs in tasks';
const textClass = ['org.apache.hadoop.io.Text'];
const choosesByFields = (settings: JobConfiguration): boolean => keyFieldPartitioners.includes(partitionerClassOf(settings));
const ordersByFields = (settings: JobConfiguration): boolean =>
  keyFieldComparators.includes(settings.text('mapreduce.job.output.key.comparator.class', ''));
const committers = 'output is committed by FileOutputCommitter alone';

/** Options of the job itself. */
export const jobOptions: JobOptions = {
  'mapreduce.job.name': works('Name of the job; word count and sleep have their own.'),
  'mapreduce.job.queuename': works('Queue of the job.'),
  'mapreduce.job.priority': works('Priority: VERY_HIGH, HIGH, NORMAL, LOW, VERY_LOW, DEFAULT or a whole number.'),
  'mapreduce.job.tags': works('Tags of the application.'),
  'mapreduce.job.maps': onlyFor(
    'streaming and sleep jobs',
    (program) => program === 'streaming' || program === 'sleep',
    whole('Number of maps that is hinted at (streaming) or wanted (sleep).', countFromZero),
  ),
  'mapreduce.job.reduces': whole('Number of reduces.', countFromZero),
  'mapreduce.job.max.map': whole('Most maps a job may have; -1: any number.', countFromMinusOne),
  'mapreduce.job.node-label-expression': works('Partition in which the job runs.'),
  'mapreduce.job.am.node-label-expression': works('Partition of the master.'),
  'mapreduce.map.node-label-expression': works('Partition of maps.'),
  'mapreduce.reduce.node-label-expression': works('Partition of reduces.'),
  'mapreduce.cluster.acls.enabled': truth('Whether the access lists of jobs count.'),
  'mapreduce.job.acl-view-job': works('Who may see the job.'),
  'mapreduce.job.acl-modify-job': works('Who may change the job.'),
  'mapreduce.cluster.administrators': works('Who may do everything with all jobs.'),
  'mapreduce.job.emit-timeline-data': truth(
    'Whether events, counters and the configuration of the job go to the timeline: to version 2 where it is served, else to version 1.',
  ),
  'mapreduce.job.end-notification.url': address('Address that is called when the job has ended; `$jobId` and `$jobStatus` are replaced.'),
  'mapreduce.job.end-notification.retry.attempts': whole('Repetitions of that call.', countFromZero),
  'mapreduce.job.end-notification.retry.interval': whole('Time between them in ms.', countFromZero),
  'mapreduce.job.end-notification.max.attempts': whole('Most calls.', countFromZero),
  'mapreduce.job.end-notification.max.retry.interval': whole('Longest time between them in ms.', countFromZero),
  'mapreduce.job.end-notification.timeout': whole('Time such a call may take, in ms.', countFromZero),
  ...each(
    ['mapreduce.job.end-notification.custom-notifier-class', 'mapreduce.job.end-notification.proxy'],
    refused('the end of a job is told by a direct call of its URL'),
  ),
  'mapreduce.job.redacted-properties': works('Further settings whose values are not shown.'),
  'mapreduce.job.cache.files': works('Files that every task finds in its folder; behind `#` their name there.'),
  'mapreduce.job.cache.archives': works('Archives that are unpacked there.'),
  ...each(
    ['files', 'archives'].flatMap((kind) =>
      ['filesizes', 'timestamps', 'visibilities'].map((part) => `mapreduce.job.cache.${kind}.${part}`),
    ),
    works('What goes with that list, entry by entry; the command writes it.'),
  ),
  ...each(
    [
      'mapreduce.job.cache.limit.max-resources',
      'mapreduce.job.cache.limit.max-resources-mb',
      'mapreduce.job.cache.limit.max-single-resource-mb',
    ],
    refused('files that a job brings are not counted'),
  ),
  ...each(
    ['workflow.id', 'workflow.name', 'workflow.node.name', 'workflow.tags', 'workflow.adjacency.'].map((name) => `mapreduce.${name}`),
    works('Workflow of the job, as its history shows it.'),
  ),
  'mapreduce.job.complete.cancel.delegation.tokens': truth('Whether tokens are cancelled at the end.'),
  ...each(
    ['mapreduce.job.credentials.binary', 'mapreduce.job.credentials.json'],
    refused('tokens of other services are not handed to tasks'),
  ),
  'mapreduce.job.reservation.id': works('Reservation whose resources the job uses.'),
  ...each(
    ['map', 'combine', 'reduce'].map((side) => `mapreduce.job.${side}.class`),
    refused(classes),
  ),
  ...each(['mapred.mapper.class', 'mapred.reducer.class', 'mapred.combiner.class', 'mapred.map.runner.class'], refused(classes)),
  ...each(
    ['mapreduce.chain.', 'mapreduce.mapper.multithreadedmapper.', 'mapreduce.mapper.regex', 'mapreduce.mapper.regexmapper..group'],
    refused(classes),
  ),
  ...each(['mapreduce.fieldsel.', 'mapreduce.pipes.', 'mapreduce.join.', 'mapreduce.jdbc.'], refused(classes)),
  'mapreduce.aggregate.max.num.unique.values': whole('Most different values that UniqValueCount counts.', fromZero),
  'mapreduce.aggregate.': refused(classes),
  ...each(['mapred.mapper.new-api', 'mapred.reducer.new-api'], nothing('the kind of job decides it')),
  ...each(
    [
      'mapreduce.job.output.key.class',
      'mapreduce.job.output.value.class',
      'mapreduce.map.output.key.class',
      'mapreduce.map.output.value.class',
    ],
    refused('keys and values are text', textClass),
  ),
  ...each(
    ['mapred.input.format.class', 'mapreduce.job.inputformat.class'],
    streamingWorks(
      'How input becomes records.',
      [...textInputs, ...lineInputs, ...combineInputs],
      [...keyValueInputs, ...sequenceInputs, ...sequenceTextInputs, readerInput],
    ),
  ),
  ...each(
    ['mapred.output.format.class', 'mapreduce.job.outputformat.class'],
    works('How output is written: as text; LazyOutputFormat makes files with their first record.', [...textOutputs, ...lazyOutputs]),
  ),
  ...each(
    ['mapred.partitioner.class', 'mapreduce.job.partitioner.class'],
    streamingWorks(
      'Which records go to which reduce.',
      [
        'org.apache.hadoop.mapred.lib.HashPartitioner',
        'org.apache.hadoop.mapreduce.lib.partition.HashPartitioner',
        ...totalOrderPartitioners,
      ],
      keyFieldPartitioners,
    ),
  ),
  'mapreduce.job.output.key.comparator.class': streamingWorks(
    'The order of keys.',
    ['org.apache.hadoop.io.Text$Comparator'],
    keyFieldComparators,
  ),
  'mapreduce.partition.keypartitioner.options': onlyFor(
    'jobs with KeyFieldBasedPartitioner',
    (_program, _format, settings) => choosesByFields(settings),
    works('Parts of keys that choose the reduce: `-k1,2`.'),
  ),
  'mapreduce.partition.keycomparator.options': onlyFor(
    'jobs with KeyFieldBasedComparator',
    (_program, _format, settings) => ordersByFields(settings),
    works('Parts of keys that order them: `-k2,2nr -k1`.'),
  ),
  'num.key.fields.for.partition': onlyFor(
    'jobs with KeyFieldBasedPartitioner',
    (_program, _format, settings) => choosesByFields(settings),
    whole('Fields of keys that choose the reduce.', countFromZero),
  ),
  'mapreduce.map.output.key.field.separator': onlyFor(
    'jobs with KeyFieldBasedPartitioner or KeyFieldBasedComparator',
    (_program, _format, settings) => choosesByFields(settings) || ordersByFields(settings),
    works('What ends a field of a key.'),
  ),
  'mapreduce.job.output.group.comparator.class': refused('values are grouped by equal keys'),
  'mapreduce.job.combiner.group.comparator.class': refused('values are grouped by equal keys'),
  'mapreduce.totalorderpartitioner.path': onlyFor(
    'jobs with TotalOrderPartitioner',
    (_program, _format, settings) => wantsTotalOrder(settings),
    works('Partition file of TotalOrderPartitioner; without it the command samples the input.'),
  ),
  ...each(
    ['mapreduce.totalorderpartitioner.naturalorder', 'mapreduce.totalorderpartitioner.trie.maxdepth'],
    nothing('the range of a key is found in the same way in any order'),
  ),
  'mapreduce.partition.': nothing('only a partitioner or comparator that is not there reads it'),
  'map.sort.class': nothing('the order does not depend on how is sorted'),
  'mapreduce.job.map.output.collector.class': nothing('no Java collects the output of maps'),
  'mapreduce.job.reduce.shuffle.consumer.plugin.class': nothing('no Java copies the output of maps'),
  'mapreduce.job.shuffle.provider.services': nothing('Heddle’s own shuffle serves its jobs'),
  ...each(
    [
      'mapreduce.job.jar',
      'mapreduce.job.jar.unpack.pattern',
      'mapreduce.job.jobjar.visibility',
      'mapreduce.job.classpath.archives',
      'mapreduce.job.classpath.files',
      'mapreduce.job.classloader',
      'mapreduce.job.classloader.system.classes',
      'mapreduce.job.user.classpath.first',
      'mapreduce.job.jvm.numtasks',
      'mapreduce.job.heap.memory-mb.ratio',
      'mapreduce.job.log4j-properties-file',
      'mapreduce.job.process-tree.class',
      'mapreduce.application.classpath',
      'mapreduce.application.framework.path',
      'mapreduce.app-submission.cross-platform',
      'mapreduce.jvm.system-properties-to-log',
      'mapreduce.jvm.add-opens-as-default',
      'mapreduce.job.net.static.resolutions',
    ],
    nothing(java),
  ),
  ...each(
    [
      'mapreduce.job.sharedcache.mode',
      'mapreduce.job.jobjar.sharedcache.uploadpolicy',
      'mapreduce.job.cache.sharedcache.files',
      'mapreduce.job.cache.sharedcache.files.addtoclasspath',
      'mapreduce.job.cache.sharedcache.archives',
      'mapreduce.job.cache.files.sharedcache.uploadpolicies',
      'mapreduce.job.cache.archives.sharedcache.uploadpolicies',
    ],
    nothing('there is no shared cache; nodes keep what they fetched anyway'),
  ),
  'mapreduce.job.cache.symlink.create': nothing('files of a job always lie in the folder of its tasks'),
  ...each(
    [
      'mapreduce.job.counters.max',
      'mapreduce.job.counters.groups.max',
      'mapreduce.job.counters.group.name.max',
      'mapreduce.job.counters.counter.name.max',
    ],
    whole('Most counters and groups of them, and the lengths of their names.', countFromOne),
  ),
  'mapreduce.job.encrypted-intermediate-data': refused('what maps leave on disks is not encrypted', ['false']),
  ...each(
    [
      'mapreduce.job.encrypted-intermediate-data-key-size-bits',
      'mapreduce.job.encrypted-intermediate-data.buffer.kb',
      'mapreduce.shuffle-key-length',
    ],
    nothing('what maps leave on disks is not encrypted'),
  ),
  'mapreduce.job.local-fs.single-disk-limit.bytes': refused('what a task writes to local disks is not limited'),
  ...each(
    ['mapreduce.job.local-fs.single-disk-limit.check.interval-ms', 'mapreduce.job.local-fs.single-disk-limit.check.kill-limit-exceed'],
    nothing('it belongs to a limit that can only be off'),
  ),
  'mapreduce.job.dfs.storage.capacity.kill-limit-exceed': refused('space in HDFS is not watched', ['false']),
  ...each(
    ['mapreduce.job.hdfs-servers', 'mapreduce.job.hdfs-servers.token-renewal.exclude', 'mapreduce.job.send-token-conf'],
    nothing('no tokens of HDFS are fetched'),
  ),
  ...each(
    ['mapreduce.job.token.tracking.ids', 'mapreduce.job.token.tracking.ids.enabled'],
    nothing('uses of tokens are not followed by id'),
  ),
  'mapreduce.job.committer.setup.cleanup.needed': refused('the master makes and clears the folder of the output', ['true']),
  'mapreduce.job.committer.task.cleanup.needed': nothing('what attempts leave is always cleared'),
  'mapreduce.job.max.split.locations': nothing('a split names its file’s hosts as they are'),
  'mapreduce.job.split.metainfo.maxsize': nothing('splits are kept in another file'),
  'mapreduce.job.am-access-disabled': nothing('masters are asked through the web proxy'),
  'mapreduce.job.am.strict-locality': nothing('a master is placed by its partition alone'),
  'mapreduce.job.num-opportunistic-maps-percent': nothing('maps run in guaranteed containers'),
  'mapreduce.job.preemption': nothing('preempted attempts begin again'),
  'mapreduce.job.restart.recover': nothing('masters go on with what an earlier one did (`yarn.app.mapreduce.am.job.recovery.enable`)'),
  'mapreduce.job.speculative.slowtaskthreshold': nothing('Hadoop’s usual estimator does not use it either'),
  'mapreduce.job.speculative.slownodethreshold': nothing('nothing in Hadoop 3.4 reads it'),
  'mapreduce.job.kerberos.jtprinicipal': nothing('nothing in Hadoop 3.4 reads it'),
  'mapreduce.job.splitfile': nothing('nothing in Hadoop 3.4 reads it'),
  'mapreduce.input.fileinputformat.inputdir': works('Input; the command line names it.'),
  'mapreduce.input.fileinputformat.input.dir.recursive': truth('Whether folders below the input are read.'),
  'mapreduce.input.fileinputformat.input.dir.nonrecursive.ignore.subdirs': truth('Whether folders below the input are passed over.'),
  'mapreduce.input.fileinputformat.split.minsize': size('Smallest split in bytes.', fromZero),
  'mapreduce.input.fileinputformat.split.maxsize': onlyFor(
    'modules, word count and CombineTextInputFormat',
    (program, format) => program !== 'streaming' || combineInputs.includes(format),
    size('Largest split in bytes (jobs of modules and word count); what a split of CombineTextInputFormat has.', fromOne),
  ),
  ...each(
    ['mapreduce.input.fileinputformat.split.minsize.per.node', 'mapreduce.input.fileinputformat.split.minsize.per.rack'],
    nothing('all input is on one node, as far as splits know'),
  ),
  'mapreduce.input.fileinputformat.list-status.num-threads': nothing('listing takes no threads'),
  'mapreduce.input.pathFilter.class': refused('input files are chosen by globs alone'),
  'mapreduce.input.linerecordreader.line.maxlength': whole(
    'Lines of as many bytes or more, with what ends them, are passed over.',
    countFromOne,
  ),
  'textinputformat.record.delimiter': works('What ends a record; else line feed, carriage return or both.'),
  'mapreduce.input.lineinputformat.linespermap': onlyFor(
    'jobs with NLineInputFormat',
    (_program, format) => lineInputs.includes(format),
    whole('Lines of a split, of NLineInputFormat.', countFromOne),
  ),
  'mapreduce.input.keyvaluelinerecordreader.key.value.separator': onlyFor(
    'jobs with KeyValueTextInputFormat',
    (_program, format) => keyValueInputs.includes(format) || format === readerInput,
    works('What stands between key and value of input, of KeyValueTextInputFormat.'),
  ),
  'mapreduce.input.multipleinputs.': refused('all input of a job is read in one way'),
  'mapreduce.input.sequencefileinputfilter.': refused('all records of sequence files are read'),
  'mapreduce.job.input.file.': nothing('files have no options of another store'),
  'mapreduce.output.fileoutputformat.outputdir': works('Output; the command line names it.'),
  'mapreduce.output.fileoutputformat.compress': truth('Whether output is compressed.'),
  'mapreduce.output.fileoutputformat.compress.codec': onlyFor(
    'jobs with mapreduce.output.fileoutputformat.compress=true',
    (_program, _format, settings) => settings.boolean('mapreduce.output.fileoutputformat.compress', false),
    works('By which codec.', codecClasses),
  ),
  'mapreduce.output.fileoutputformat.compress.type': nothing('it is for sequence files'),
  'mapreduce.output.textoutputformat.separator': works('What stands between key and value of output.'),
  'mapreduce.output.basename': onlyFor(
    'modules and word count',
    (program) => program !== 'streaming',
    fileName('First part of the names of output files (jobs of modules and word count).'),
  ),
  'mapreduce.output.lazyoutputformat.outputformat': refused('LazyOutputFormat writes text', textOutputs),
  ...each(['mapreduce.multipleoutputs', 'mapreduce.multipleoutputs.'], refused('a task writes one file')),
  'mapreduce.multiple-outputs-close-threads': nothing('a task writes one file'),
  'mapreduce.output.seqbinaryoutputformat.': refused('output is written as lines of text'),
  'mapred.outputformat.numOfTrailingLegs': refused('a task writes one file'),
  'mapreduce.fileoutputcommitter.algorithm.version': works('1: output appears at the end of the job; 2: with each task.', ['1', '2']),
  'mapreduce.fileoutputcommitter.marksuccessfuljobs': truth('Whether `_SUCCESS` is written.'),
  ...each(
    ['cleanup-failures.ignored', 'cleanup.skipped', 'failures.attempts', 'task.cleanup.enabled'].map(
      (name) => `mapreduce.fileoutputcommitter.${name}`,
    ),
    nothing('temporary folders are always cleared, and a failed commit fails the job'),
  ),
  ...each(
    ['mapred.output.committer.class', 'mapreduce.outputcommitter.factory.class', 'mapreduce.outputcommitter.named.classname'],
    refused(committers, [
      'org.apache.hadoop.mapred.FileOutputCommitter',
      'org.apache.hadoop.mapreduce.lib.output.FileOutputCommitterFactory',
    ]),
  ),
  ...each(['mapreduce.outputcommitter.factory.scheme', 'mapreduce.outputcommitter.factory.scheme.'], nothing(committers)),
  ...each(['mapreduce.manifest.committer.', 'mapreduce.job.committer.dynamic.partitioning'], nothing(committers)),
};
