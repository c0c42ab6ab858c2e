// The kinds of jobs a user can ask for, as settings.
import { randomInt } from 'node:crypto';
import { JobConfiguration } from '../tasks/job-configuration.ts';
import { aggregateReducer } from '../tasks/programs/aggregate.ts';
import { moduleSetting } from '../tasks/programs/index.ts';
import { programSetting } from '../tasks/programs/stream-commands.ts';
import { classOfDatum, dataOfForm, type StreamForm, streamFormOf } from '../tasks/programs/stream-forms.ts';
import { mapredDefaults } from './mapred-defaults.ts';
import { todaysName } from './options/check.ts';
import type { SourcedSetting } from './submission.ts';

/** What a user asked for. */
export type ProgramRequest =
  | { readonly program: 'wordcount'; readonly input: string; readonly output: string }
  | {
      readonly program: 'streaming';
      readonly input: string;
      readonly output: string;
      readonly mapper: string;
      readonly reducer: string;
      readonly combiner?: string | undefined;
    }
  | { readonly program: 'module'; readonly module: string; readonly input: string; readonly output: string }
  | { readonly program: 'sleep'; readonly maps: number; readonly reduces: number; readonly mapMs: number; readonly reduceMs: number };

/** The kinds, for people. */
export const programNames: Readonly<Record<ProgramRequest['program'], string>> = {
  wordcount: 'word count',
  streaming: 'streaming',
  module: 'module',
  sleep: 'sleep',
};

const textClass = 'org.apache.hadoop.io.Text';
const intClass = 'org.apache.hadoop.io.IntWritable';
const urlEncode = (text: string) =>
  encodeURIComponent(text)
    .replaceAll('%20', '+')
    .replace(/[!'()~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

/** What the reducer of a streaming job is: none, the built-in `aggregate`, a command, or records as they come. */
function reducerSettings(reducer: string): Record<string, string> {
  if (reducer.toUpperCase() === 'NONE') return { 'mapreduce.job.reduces': '0' };
  if (reducer === '') return { 'mapred.reducer.class': 'org.apache.hadoop.mapred.lib.IdentityReducer' };
  if (reducer.toLowerCase() === 'aggregate')
    return { 'mapred.reducer.class': aggregateReducer, 'mapred.combiner.class': aggregateReducer.replace('Reducer', 'Combiner') };
  return { 'stream.reduce.streamprocessor': urlEncode(reducer), 'mapred.reducer.class': 'org.apache.hadoop.streaming.PipeReducer' };
}

const formClasses: Readonly<Record<StreamForm, string>> = {
  text: 'Text',
  rawbytes: 'RawBytes',
  typedbytes: 'TypedBytes',
  keyonlytext: 'KeyOnlyText',
};

/** Hadoop's classes for the forms in which records go to commands and come from them. */
function formSettings(own: JobConfiguration, hasMapper: boolean, hasReduces: boolean): Record<string, string> {
  const [emitted, reduced] = [streamFormOf(own, 'map.output'), streamFormOf(own, 'reduce.output')];
  const written = dataOfForm[hasReduces ? reduced : emitted];
  const { key, value } = dataOfForm[emitted];
  const io = 'org.apache.hadoop.streaming.io';
  return {
    'stream.map.input.writer.class': `${io}.${formClasses[streamFormOf(own, 'map.input')]}InputWriter`,
    'stream.map.output.reader.class': `${io}.${formClasses[emitted]}OutputReader`,
    'stream.reduce.input.writer.class': `${io}.${formClasses[streamFormOf(own, 'reduce.input')]}InputWriter`,
    'stream.reduce.output.reader.class': `${io}.${formClasses[reduced]}OutputReader`,
    ...(hasMapper ? { 'mapreduce.map.output.key.class': classOfDatum[key], 'mapreduce.map.output.value.class': classOfDatum[value] } : {}),
    'mapreduce.job.output.key.class': classOfDatum[written.key],
    'mapreduce.job.output.value.class': classOfDatum[written.value],
  };
}

/** Settings that a program makes whatever the user says. */
function fixedSettings(request: ProgramRequest, own: JobConfiguration): Record<string, string> {
  const newInterface = { 'mapred.mapper.new-api': 'true', 'mapred.reducer.new-api': 'true' };
  switch (request.program) {
    case 'wordcount':
      return {
        ...newInterface,
        'mapreduce.job.name': 'word count',
        'mapreduce.job.map.class': 'org.apache.hadoop.examples.WordCount$TokenizerMapper',
        'mapreduce.job.combine.class': 'org.apache.hadoop.examples.WordCount$IntSumReducer',
        'mapreduce.job.reduce.class': 'org.apache.hadoop.examples.WordCount$IntSumReducer',
        'mapreduce.job.output.key.class': textClass,
        'mapreduce.job.output.value.class': intClass,
      };
    case 'sleep':
      return {
        ...newInterface,
        'mapreduce.job.name': 'Sleep job',
        'mapreduce.job.maps': String(request.maps),
        'mapreduce.job.reduces': String(request.reduces),
        'mapreduce.sleepjob.map.sleep.time': String(request.mapMs),
        'mapreduce.sleepjob.reduce.sleep.time': String(request.reduceMs),
        'mapreduce.sleepjob.map.sleep.count': '1',
        'mapreduce.sleepjob.reduce.sleep.count': '1',
        'mapreduce.job.map.class': 'org.apache.hadoop.mapreduce.SleepJob$SleepMapper',
        'mapreduce.job.reduce.class': 'org.apache.hadoop.mapreduce.SleepJob$SleepReducer',
        'mapreduce.map.output.key.class': intClass,
        'mapreduce.map.output.value.class': 'org.apache.hadoop.io.NullWritable',
        'mapreduce.output.fileoutputformat.outputdir': '',
      };
    case 'streaming':
      return {
        ...(request.mapper === '' ? {} : { 'stream.map.streamprocessor': urlEncode(request.mapper) }),
        ...reducerSettings(request.reducer),
        ...(request.combiner === undefined ? {} : { 'stream.combine.streamprocessor': urlEncode(request.combiner) }),
        'mapred.mapper.class': 'org.apache.hadoop.streaming.PipeMapper',
        'mapred.map.runner.class': 'org.apache.hadoop.streaming.PipeMapRunner',
        'mapred.mapper.new-api': 'false',
        'mapred.reducer.new-api': 'false',
        ...formSettings(
          own,
          request.mapper !== '',
          request.reducer.toUpperCase() !== 'NONE' && own.integer('mapreduce.job.reduces', 1) > 0,
        ),
        'stream.addenvironment': ['HADOOP_ROOT_LOGGER=', own.text('stream.addenvironment', '')].join(' ').trim(),
      };
    case 'module':
      return {
        ...newInterface,
        [moduleSetting]: request.module,
        'mapreduce.job.output.key.class': textClass,
        'mapreduce.job.output.value.class': textClass,
      };
  }
}

/** Everything a job is submitted with: the cluster's settings, then the user's, then the program's own. */
export function jobSettings(request: ProgramRequest, cluster: readonly SourcedSetting[], own: readonly SourcedSetting[]): SourcedSetting[] {
  const named = own.some(({ name, value }) => todaysName(name) === 'mapreduce.job.name' && value !== '');
  const automaticName =
    request.program === 'module' ? (request.module.split('/').at(-1) ?? 'module') : `streamjob${randomInt(2 ** 47)}.jar`;
  const byProgram: Record<string, string> = {
    'mapreduce.job.name': automaticName,
    [programSetting]: request.program,
    ...('input' in request
      ? { 'mapreduce.input.fileinputformat.inputdir': request.input, 'mapreduce.output.fileoutputformat.outputdir': request.output }
      : {}),
    ...fixedSettings(request, new JobConfiguration(own.map(({ name, value }) => [todaysName(name), value] as const))),
  };
  const defaults = Object.entries(mapredDefaults).map(([name, value]) => ({ name, value, source: 'mapred-default.xml' }));
  return [
    ...defaults,
    ...cluster,
    ...own,
    // Hadoop's examples have the name of their program whatever was said; a name that somebody gives is to find the job again.
    ...Object.entries(byProgram)
      .filter(([name]) => !(named && name === 'mapreduce.job.name'))
      .map(([name, value]) => ({ name, value, source: 'programmatically' })),
  ];
}
