// Which program a job's settings name.
import type { JobConfiguration } from '../job-configuration.ts';
import { localPath } from '../paths.ts';
import type { Program, ProgramContext } from '../program.ts';
import { compareKeys } from '../record-sort.ts';
import { rangePartitioner, readCutPoints, wantsTotalOrder } from '../total-order.ts';
import { programSetting } from './stream-commands.ts';

/** `heddle.batch.module`: path of the user's module for the program `module`. */
export const moduleSetting = 'heddle.batch.module';
export type ProgramName = 'wordcount' | 'sleep' | 'streaming' | 'module';

/** The program with keys in ranges, where its job wants that. */
const inRanges = (program: Program, settings: JobConfiguration): Program =>
  wantsTotalOrder(settings)
    ? { ...program, partitioner: rangePartitioner(readCutPoints(settings), program.compare ?? compareKeys) }
    : program;

/** Loads the program; only what the job needs is imported. @throws Error for an unknown name */
export async function loadProgram(configuration: JobConfiguration, context: () => ProgramContext): Promise<Program> {
  const name = configuration.text(programSetting, 'streaming');
  switch (name as ProgramName) {
    case 'wordcount':
      return inRanges((await import('./word-count.ts')).wordCount, configuration);
    case 'sleep':
      return (await import('./sleep.ts')).sleepJob;
    case 'streaming':
      return (await import('./streaming.ts')).streaming(configuration, context);
    case 'module':
      return inRanges(
        await (await import('./module.ts')).moduleProgram(localPath(configuration.text(moduleSetting, ''), process.cwd()), configuration),
        configuration,
      );
    default:
      throw new Error(`${programSetting}: unknown program '${name}'`);
  }
}
