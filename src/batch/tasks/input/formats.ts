// How input files become records, by the names of Hadoop's classes.
import type { JobConfiguration } from '../job-configuration.ts';

const both = (name: string) => [`org.apache.hadoop.mapred.${name}`, `org.apache.hadoop.mapreduce.lib.input.${name}`];

/** Each line is a value, its position the key. */
export const textInputs: readonly string[] = both('TextInputFormat');
/** Each line has a key and a value. */
export const keyValueInputs: readonly string[] = both('KeyValueTextInputFormat');
/** As text, in splits of so many lines. */
export const lineInputs: readonly string[] = [
  'org.apache.hadoop.mapred.lib.NLineInputFormat',
  'org.apache.hadoop.mapreduce.lib.input.NLineInputFormat',
];

/** As text, in splits of several files. */
export const combineInputs: readonly string[] = [
  'org.apache.hadoop.mapred.lib.CombineTextInputFormat',
  'org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat',
];
/** Sequence files, whose keys and values are what their Java classes are. */
export const sequenceInputs: readonly string[] = both('SequenceFileInputFormat');
/** The same, with what toString says of keys and values. */
export const sequenceTextInputs: readonly string[] = both('SequenceFileAsTextInputFormat');
/** As a record reader of hadoop-streaming reads it (`-inputreader`). */
export const readerInput = 'org.apache.hadoop.streaming.StreamInputFormat';
/** Such a reader: what lies between two marks is a record. */
export const xmlReader = 'org.apache.hadoop.streaming.StreamXmlRecordReader';

/** The input format of a job. */
export function inputFormatOf(settings: JobConfiguration): string {
  return settings.get('mapred.input.format.class') || settings.get('mapreduce.job.inputformat.class') || textInputs[0]!;
}

/** Whether input are sequence files. */
export const readsSequences = (format: string): boolean => sequenceInputs.includes(format) || sequenceTextInputs.includes(format);

/** How input becomes keys and values: lines by their positions, lines by a separator, records between marks, or those of sequence files. */
export type RecordInput = 'positions' | 'pairs' | 'marked' | 'sequence';

/** The kind of records that a job's settings ask for. */
export function recordInputOf(settings: JobConfiguration): RecordInput {
  const format = inputFormatOf(settings);
  if (keyValueInputs.includes(format)) return 'pairs';
  if (readsSequences(format)) return 'sequence';
  if (format !== readerInput) return 'positions';
  return settings.text('stream.recordreader.class', '') === xmlReader ? 'marked' : 'pairs';
}
