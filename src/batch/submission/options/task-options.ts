// Options of tasks: their containers, how often they are tried, how they sort, copy and merge.
import { codecClasses } from '../../tasks/input/compression.ts';
import {
  anyInt,
  cluster,
  countFromMinusOne,
  countFromOne,
  countFromTwo,
  countFromZero,
  each,
  fromZero,
  type JobOptions,
  nothing,
  number,
  onlyFor,
  percent,
  refused,
  share,
  size,
  truth,
  variables,
  whole,
  works,
} from './option.ts';

const java = 'no Java runs in tasks';
const both = (name: string) => [`mapreduce.map.${name}`, `mapreduce.reduce.${name}`];
const merged = 'records are merged while a reduce reads them';
/** Up to Java’s largest long, by which jobs say that any number will do. */
const anyCount = [0, 2 ** 63] as const;
const port = [0, 65_535] as const;

/** Options of tasks. */
export const taskOptions: JobOptions = {
  ...each(both('memory.mb'), whole('Memory of its container in MiB; -1 and 0: 1024.', countFromMinusOne)),
  ...each(both('cpu.vcores'), whole('Virtual cores of its container.', countFromZero)),
  ...each(both('resource.'), refused('containers of tasks have memory and virtual cores alone; use memory.mb and cpu.vcores')),
  ...each(both('maxattempts'), whole('How often a task may fail.', countFromZero)),
  ...each(both('failures.maxpercent'), whole('Percentage of tasks that may fail without the job.', percent)),
  ...each(both('speculative'), truth('Whether slow tasks get a second attempt.')),
  ...each(
    ['speculative-cap-running-tasks', 'speculative-cap-total-tasks'].map((name) => `mapreduce.job.speculative.${name}`),
    number('Share of the tasks that run, or of all, which may have a second attempt.', share),
  ),
  'mapreduce.job.speculative.minimum-allowed-tasks': whole('So many may have one, whatever these shares say.', countFromZero),
  ...each(
    ['retry-after-no-speculate', 'retry-after-speculate'].map((name) => `mapreduce.job.speculative.${name}`),
    whole('Time until slow tasks are looked for again, in ms.', fromZero),
  ),
  'mapreduce.job.speculative.speculativecap': nothing('nothing in Hadoop 3.4 reads it'),
  ...each([...both('env'), 'mapred.child.env', 'mapreduce.admin.user.env'], variables('Variables for tasks: `A=b,C=d`.')),
  ...each(both('env.'), works('One variable for tasks, whose name is the end of the key.')),
  ...each(
    [...both('java.opts'), 'mapred.child.java.opts', 'mapreduce.admin.map.child.java.opts', 'mapreduce.admin.reduce.child.java.opts'],
    nothing(java),
  ),
  ...each([...both('ulimit'), 'mapred.child.ulimit', 'mapreduce.admin.user.shell'], nothing('Hadoop’s tasks do not use it either')),
  ...each(both('log.level'), nothing('the log of a task has one level')),
  ...each(both('debug.script'), nothing('Hadoop’s tasks do not run it either')),
  ...each(
    ['mapred.task.maxvmem', 'mapred.task.maxpmem', 'mapred.task.default.maxvmem', 'mapred.task.limit.maxvmem'],
    nothing('the memory of containers limits tasks'),
  ),
  'mapreduce.job.reduce.slowstart.completedmaps': number('Share of maps that must be complete before reduces are asked for.', share),
  'mapreduce.job.finish-when-all-reducers-done': truth('Whether a job ends with its reduces although maps run again.'),
  ...each(
    ['mapreduce.job.running.map.limit', 'mapreduce.job.running.reduce.limit'],
    whole('How many may run at a time; 0 and -1: any number.', countFromMinusOne),
  ),
  'mapreduce.job.maxtaskfailures.per.tracker': whole('Failed attempts on a host after which the job avoids it.', countFromZero),
  'mapreduce.job.reducer.preempt.delay.sec': nothing('a reduce gives way once a map has had no room for three seconds'),
  'mapreduce.job.reducer.unconditional-preempt.delay.sec': whole(
    'Seconds that a map may wait, whatever room there seems to be, before a reduce gives way; below 0: for ever.',
    anyInt,
  ),
  'mapreduce.job.ubertask.enable': truth('Whether small jobs run inside their master.'),
  ...each(
    ['mapreduce.job.ubertask.maxmaps', 'mapreduce.job.ubertask.maxreduces'],
    whole('How many tasks a small job has at most.', countFromZero),
  ),
  'mapreduce.job.ubertask.maxbytes': size('How many bytes of input a small job has at most.', fromZero),
  'mapreduce.map.skip.maxrecords': whole(
    'Records that a map may leave out around one that fails its attempts; 0: such a record fails the map.',
    anyCount,
  ),
  'mapreduce.reduce.skip.maxgroups': whole(
    'Groups of records with one key that a reduce may leave out around such a record; 0: none.',
    anyCount,
  ),
  'mapreduce.task.skip.start.attempts': whole(
    'Failed attempts after which a task tells of each record, and leaves such out.',
    countFromZero,
  ),
  ...each(
    both('skip.proc-count.auto-incr'),
    truth('Whether a record counts as processed when the function has taken it; a command says it itself, by a counter.'),
  ),
  'mapreduce.job.skip.outdir': works('Folder for what is left out; else `_logs/skip` below the output; `none`: it is not kept.'),
  'mapreduce.job.skiprecords': nothing('the engine writes it'),
  'mapreduce.task.timeout': whole('Time without any progress after which an attempt fails, in ms; 0: never.', fromZero),
  'mapreduce.task.stuck.timeout-ms': nothing('a container that never speaks is ended by mapreduce.task.timeout'),
  'mapreduce.task.exit.timeout': whole('Time that the process of an ended attempt may go on, in ms.', countFromZero),
  ...each(
    [
      'mapreduce.task.timeout.check-interval-ms',
      'mapreduce.task.exit.timeout.check-interval-ms',
      'mapreduce.task.ping-for-liveliness-check.enabled',
    ],
    nothing('time is checked every second, and progress alone counts'),
  ),
  ...each(
    [
      'mapreduce.task.progress-report.interval',
      'mapreduce.task.log.progress.delta.threshold',
      'mapreduce.task.log.progress.wait.interval-seconds',
    ],
    nothing('tasks report every second'),
  ),
  'mapreduce.task.max.status.length': nothing('the length of a status is Hadoop’s default'),
  'mapreduce.task.tmp.dir': works('Folder for temporary files of tasks, which `TMPDIR` names; else `./tmp`.'),
  ...each(['mapreduce.task.local.output.class', 'mapreduce.task.uberized'], nothing(java)),
  ...each(
    ['profile', 'profile.maps', 'profile.reduces', 'profile.params', 'profile.map.params', 'profile.reduce.params'].map(
      (name) => `mapreduce.task.${name}`,
    ),
    nothing('there is no Java to profile'),
  ),
  ...each(
    ['mapreduce.task.files.preserve.failedtasks', 'mapreduce.task.files.preserve.filepattern', 'mapreduce.task.debugout.lines'],
    nothing('nodes keep files of ended containers by yarn.nodemanager.delete.debug-delay-sec'),
  ),
  'mapreduce.task.userlog.limit.kb': whole('What is kept of a command’s standard error, in KiB; 0: 64 MiB.', fromZero),
  'mapreduce.task.local-fs.write-limit.bytes': refused('what a task writes to local disks is not limited'),
  'mapreduce.task.spill.files.count.limit': refused('the number of spills is not limited'),
  'mapreduce.task.io.sort.mb': whole(
    'Memory for the output of a map before it goes to disk, in MiB; at most about a third of the container is used, which is what the default takes.',
    [1, 2047],
  ),
  'mapreduce.map.sort.spill.percent': number('Share of it that is filled before.', [0.01, 1]),
  'mapreduce.map.combine.minspills': whole('Spills from which on the last merge combines again.', countFromZero),
  'mapreduce.task.io.sort.factor': whole('Most sorted runs on disk that are merged at a time.', countFromTwo),
  'mapreduce.task.index.cache.limit.bytes': nothing('the index of spills is small'),
  ...each(['mapreduce.task.merge.progress.records', 'mapreduce.task.combine.progress.records'], nothing('progress is told by time')),
  'mapreduce.map.output.compress': truth('Whether what goes from maps to reduces is compressed, on disks and on the way.'),
  'mapreduce.map.output.compress.codec': onlyFor(
    'jobs with mapreduce.map.output.compress=true',
    (_program, _format, settings) => settings.boolean('mapreduce.map.output.compress', false),
    works('By which codec.', codecClasses),
  ),
  ...each(['mapreduce.ifile.readahead', 'mapreduce.ifile.readahead.bytes'], nothing('the operating system reads ahead')),
  'mapreduce.reduce.shuffle.parallelcopies': whole('Outputs of maps that a reduce copies at a time.', countFromOne),
  'mapreduce.reduce.shuffle.read.timeout': whole('Time without a byte after which a copy is given up, in ms.', countFromZero),
  'mapreduce.reduce.shuffle.connect.timeout': nothing('the time of mapreduce.reduce.shuffle.read.timeout counts from the connection on'),
  'mapreduce.reduce.shuffle.input.buffer.percent': number('Share of a reduce’s memory for copies.', share),
  'mapreduce.reduce.shuffle.memory.limit.percent': number(
    'Share of that which one copy may take; larger ones go to disk as they come.',
    share,
  ),
  'mapreduce.reduce.shuffle.merge.percent': number('Share of that which is filled before copies go to disk.', share),
  ...each(
    [
      'mapreduce.reduce.merge.inmem.threshold',
      'mapreduce.reduce.merge.memtomem.enabled',
      'mapreduce.reduce.merge.memtomem.threshold',
      'mapreduce.reduce.input.buffer.percent',
      'mapreduce.reduce.markreset.buffer.percent',
      'mapreduce.reduce.markreset.buffer.size',
      'mapreduce.reduce.memory.totalbytes',
    ],
    nothing(merged),
  ),
  'mapreduce.reduce.shuffle.max-fetch-failures-notifications': whole('Reports of reduces after which a map runs again.', countFromZero),
  'mapreduce.reduce.shuffle.max-fetch-failures-fraction': number('Share of the copying reduces that must have reported it.', share),
  ...each(
    [
      'mapreduce.reduce.shuffle.fetch.retry.enabled',
      'mapreduce.reduce.shuffle.fetch.retry.interval-ms',
      'mapreduce.reduce.shuffle.fetch.retry.timeout-ms',
      'mapreduce.reduce.shuffle.retry-delay.max.ms',
      'mapreduce.reduce.shuffle.max-host-failures',
      'mapreduce.reduce.shuffle.maxfetchfailures',
      'mapreduce.reduce.shuffle.notify.readerror',
    ],
    nothing('copies that fail are tried again until the map has run again'),
  ),
  'mapreduce.shuffle.port': whole('Port of Hadoop’s shuffle, as events of the history name it.', port),
  ...each(['mapreduce.shuffle.', 'mapreduce.reduce.shuffle.indexcache.mb'], cluster('The shuffle of node managers.')),
};
