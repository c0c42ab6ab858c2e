// What must hold between the forms in which records go to and come from the commands of a streaming job, before it begins.
import { inputFormatOf, recordInputOf, sequenceInputs } from '../tasks/input/formats.ts';
import { marksOf } from '../tasks/input/split-reader.ts';
import type { JobConfiguration } from '../tasks/job-configuration.ts';
import { aggregateReducer } from '../tasks/programs/aggregate.ts';
import { keyFieldComparators, keyFieldPartitioners, keyPartsOf } from '../tasks/programs/ordered.ts';
import { commandOf } from '../tasks/programs/stream-commands.ts';
import { streamFormOf } from '../tasks/programs/stream-forms.ts';
import { partitionerClassOf, wantsTotalOrder } from '../tasks/total-order.ts';

/** Why a streaming job could not go well; undefined where it can. @throws BadSetting where marks of records are missing, or options of keys are none */
export function streamFormsTrouble(settings: JobConfiguration): string | undefined {
  if (recordInputOf(settings) === 'marked') marksOf(settings);
  keyPartsOf(settings);
  const read = streamFormOf(settings, 'map.input');
  const isBinary = commandOf(settings, 'map') !== undefined && (read === 'rawbytes' || read === 'typedbytes');
  if (isBinary && sequenceInputs.includes(inputFormatOf(settings)))
    return `stream.map.input=${read}: keys and values of SequenceFileInputFormat are handed on as text; with SequenceFileAsTextInputFormat they are so in any form`;
  const emitted = streamFormOf(settings, 'map.output');
  const reduced = streamFormOf(settings, 'reduce.output');
  const given = `stream.map.output=${emitted}`;
  if (commandOf(settings, 'combine') !== undefined && emitted !== reduced)
    return `stream.reduce.output=${reduced}: what the combiner writes has to be as what the mapper writes (${given})`;
  if (emitted === 'text') return undefined;
  if (commandOf(settings, 'map') === undefined) return `${given}: without a mapper records are passed on as text`;
  if (settings.text('mapred.reducer.class', '') === aggregateReducer) return `${given}: aggregate needs text`;
  if (emitted === 'keyonlytext') return undefined;
  const comparator = settings.text('mapreduce.job.output.key.comparator.class', '');
  if (keyFieldPartitioners.includes(partitionerClassOf(settings)) || keyFieldComparators.includes(comparator))
    return `${given}: keys of this form have no fields to be told apart or sorted by`;
  return wantsTotalOrder(settings) ? `${given}: keys of this form cannot be sampled for TotalOrderPartitioner` : undefined;
}
