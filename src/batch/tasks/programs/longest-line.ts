// How long lines of a job may be, by what is done to them.
import { longestPassedBytes, longestRecordBytes } from '../container-memory.ts';
import type { JobConfiguration } from '../job-configuration.ts';
import type { TaskKind } from '../umbilical.ts';
import { aggregateReducer } from './aggregate.ts';
import { keyPartsOf } from './ordered.ts';
import { programSetting } from './stream-commands.ts';

/** Whether lines go through a job without being made text, numbers or other keys of: for that they are copied more often. */
const passesLines = (configuration: JobConfiguration): boolean =>
  configuration.text(programSetting, 'streaming') === 'streaming' &&
  configuration.text('mapred.reducer.class', '') !== aggregateReducer &&
  keyPartsOf(configuration).order.length === 0;

/** Longest line that a task of this kind takes, bytes. @throws BadSetting */
export const longestLineBytes = (configuration: JobConfiguration, kind: TaskKind): number =>
  passesLines(configuration) ? longestPassedBytes(configuration, kind) : longestRecordBytes(configuration, kind);
