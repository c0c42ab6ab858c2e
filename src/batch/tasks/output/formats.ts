// How records become output files, by the names of Hadoop's classes.

/** Each record is a line of text. */
export const textOutputs: readonly string[] = [
  'org.apache.hadoop.mapred.TextOutputFormat',
  'org.apache.hadoop.mapreduce.lib.output.TextOutputFormat',
];
/** As text; a task that writes no record makes no file. */
export const lazyOutputs: readonly string[] = [
  'org.apache.hadoop.mapred.lib.LazyOutputFormat',
  'org.apache.hadoop.mapreduce.lib.output.LazyOutputFormat',
];
