// Names, display names and order of the counters that Hadoop's framework itself keeps (FileSystemCounter, JobCounter, TaskCounter and their resource bundles).

export const fileSystemCounterGroup = 'org.apache.hadoop.mapreduce.FileSystemCounter';
export const jobCounterGroup = 'org.apache.hadoop.mapreduce.JobCounter';
export const taskCounterGroup = 'org.apache.hadoop.mapreduce.TaskCounter';
export const fileInputCounterGroup = 'org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter';
export const fileOutputCounterGroup = 'org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter';
export const shuffleErrorGroup = 'Shuffle Errors';

export const groupDisplayNames: Readonly<Record<string, string>> = {
  [fileSystemCounterGroup]: 'File System Counters',
  [jobCounterGroup]: 'Job Counters ',
  [taskCounterGroup]: 'Map-Reduce Framework',
  [fileInputCounterGroup]: 'File Input Format Counters ',
  [fileOutputCounterGroup]: 'File Output Format Counters ',
  [shuffleErrorGroup]: 'Shuffle Errors',
};

/** Groups of older releases, read as today's. */
export const legacyGroups: Readonly<Record<string, string>> = {
  'org.apache.hadoop.mapred.Task$Counter': taskCounterGroup,
  'org.apache.hadoop.mapred.JobInProgress$Counter': jobCounterGroup,
  FileSystemCounters: fileSystemCounterGroup,
};

/** Keys of FileSystemCounter in enum order; a counter's name is `<SCHEME>_<KEY>`. */
export const fileSystemKeys: Readonly<Record<string, string>> = {
  BYTES_READ: 'Number of bytes read',
  BYTES_WRITTEN: 'Number of bytes written',
  READ_OPS: 'Number of read operations',
  LARGE_READ_OPS: 'Number of large read operations',
  WRITE_OPS: 'Number of write operations',
  BYTES_READ_EC: 'Number of bytes read erasure-coded',
};

/** JobCounter in enum order with its display names. */
export const jobCounterNames: Readonly<Record<string, string>> = {
  NUM_FAILED_MAPS: 'Failed map tasks',
  NUM_FAILED_REDUCES: 'Failed reduce tasks',
  NUM_KILLED_MAPS: 'Killed map tasks',
  NUM_KILLED_REDUCES: 'Killed reduce tasks',
  TOTAL_LAUNCHED_MAPS: 'Launched map tasks',
  TOTAL_LAUNCHED_REDUCES: 'Launched reduce tasks',
  OTHER_LOCAL_MAPS: 'Other local map tasks',
  DATA_LOCAL_MAPS: 'Data-local map tasks',
  RACK_LOCAL_MAPS: 'Rack-local map tasks',
  SLOTS_MILLIS_MAPS: 'Total time spent by all maps in occupied slots (ms)',
  SLOTS_MILLIS_REDUCES: 'Total time spent by all reduces in occupied slots (ms)',
  FALLOW_SLOTS_MILLIS_MAPS: 'Total time spent by all maps waiting after reserving slots (ms)',
  FALLOW_SLOTS_MILLIS_REDUCES: 'Total time spent by all reduces waiting after reserving slots (ms)',
  TOTAL_LAUNCHED_UBERTASKS: 'TOTAL_LAUNCHED_UBERTASKS',
  NUM_UBER_SUBMAPS: 'NUM_UBER_SUBMAPS',
  NUM_UBER_SUBREDUCES: 'NUM_UBER_SUBREDUCES',
  NUM_FAILED_UBERTASKS: 'NUM_FAILED_UBERTASKS',
  TASKS_REQ_PREEMPT: 'Tasks that have been asked to preempt',
  CHECKPOINTS: 'Number of checkpoints reported',
  CHECKPOINT_BYTES: 'Total amount of bytes in checkpoints',
  CHECKPOINT_TIME: 'Total time spent checkpointing (ms)',
  MILLIS_MAPS: 'Total time spent by all map tasks (ms)',
  MILLIS_REDUCES: 'Total time spent by all reduce tasks (ms)',
  VCORES_MILLIS_MAPS: 'Total vcore-milliseconds taken by all map tasks',
  VCORES_MILLIS_REDUCES: 'Total vcore-milliseconds taken by all reduce tasks',
  MB_MILLIS_MAPS: 'Total megabyte-milliseconds taken by all map tasks',
  MB_MILLIS_REDUCES: 'Total megabyte-milliseconds taken by all reduce tasks',
};

/** TaskCounter in enum order with its display names. */
export const taskCounterNames: Readonly<Record<string, string>> = {
  MAP_INPUT_RECORDS: 'Map input records',
  MAP_OUTPUT_RECORDS: 'Map output records',
  MAP_SKIPPED_RECORDS: 'Map skipped records',
  MAP_OUTPUT_BYTES: 'Map output bytes',
  MAP_OUTPUT_MATERIALIZED_BYTES: 'Map output materialized bytes',
  SPLIT_RAW_BYTES: 'Input split bytes',
  COMBINE_INPUT_RECORDS: 'Combine input records',
  COMBINE_OUTPUT_RECORDS: 'Combine output records',
  REDUCE_INPUT_GROUPS: 'Reduce input groups',
  REDUCE_SHUFFLE_BYTES: 'Reduce shuffle bytes',
  REDUCE_INPUT_RECORDS: 'Reduce input records',
  REDUCE_OUTPUT_RECORDS: 'Reduce output records',
  REDUCE_SKIPPED_GROUPS: 'Reduce skipped groups',
  REDUCE_SKIPPED_RECORDS: 'Reduce skipped records',
  SPILLED_RECORDS: 'Spilled Records',
  SHUFFLED_MAPS: 'Shuffled Maps ',
  FAILED_SHUFFLE: 'Failed Shuffles',
  MERGED_MAP_OUTPUTS: 'Merged Map outputs',
  GC_TIME_MILLIS: 'GC time elapsed (ms)',
  CPU_MILLISECONDS: 'CPU time spent (ms)',
  PHYSICAL_MEMORY_BYTES: 'Physical memory (bytes) snapshot',
  VIRTUAL_MEMORY_BYTES: 'Virtual memory (bytes) snapshot',
  COMMITTED_HEAP_BYTES: 'Total committed heap usage (bytes)',
  MAP_PHYSICAL_MEMORY_BYTES_MAX: 'Peak Map Physical memory (bytes)',
  MAP_VIRTUAL_MEMORY_BYTES_MAX: 'Peak Map Virtual memory (bytes)',
  REDUCE_PHYSICAL_MEMORY_BYTES_MAX: 'Peak Reduce Physical memory (bytes)',
  REDUCE_VIRTUAL_MEMORY_BYTES_MAX: 'Peak Reduce Virtual memory (bytes)',
};

/** The six counters of `Shuffle Errors`, all present (0) in every reduce task. */
export const shuffleErrorNames = ['BAD_ID', 'CONNECTION', 'IO_ERROR', 'WRONG_LENGTH', 'WRONG_MAP', 'WRONG_REDUCE'] as const;

const otherDisplayNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [jobCounterGroup]: jobCounterNames,
  [taskCounterGroup]: taskCounterNames,
  [fileInputCounterGroup]: { BYTES_READ: 'Bytes Read' },
  [fileOutputCounterGroup]: { BYTES_WRITTEN: 'Bytes Written' },
};

/** Splits `FILE_BYTES_READ` into scheme and key; undefined when it ends in no known key. */
export function fileSystemCounterParts(name: string): { scheme: string; key: string } | undefined {
  for (const key of Object.keys(fileSystemKeys).sort((a, b) => b.length - a.length)) {
    if (name.endsWith(`_${key}`)) return { scheme: name.slice(0, -key.length - 1), key };
  }
  return undefined;
}

/** A group's display name: the framework's, else the group's own name. */
export function groupDisplayName(group: string): string {
  return Object.hasOwn(groupDisplayNames, group) ? groupDisplayNames[group]! : group;
}

/** A counter's display name: the framework's, else the counter's own name. */
export function counterDisplayName(group: string, name: string): string {
  if (group === fileSystemCounterGroup) {
    const parts = fileSystemCounterParts(name);
    return parts === undefined ? name : `${parts.scheme}: ${fileSystemKeys[parts.key]}`;
  }
  const names = Object.hasOwn(otherDisplayNames, group) ? otherDisplayNames[group]! : {};
  return Object.hasOwn(names, name) ? names[name]! : name;
}
