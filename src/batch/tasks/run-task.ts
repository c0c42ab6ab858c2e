// One attempt of a task, from its assignment to its last word to the master.
import type { Clock } from '../../lib/clock.ts';
import { Counters, counterLimits } from '../counters/counters.ts';
import { describeError } from './describe-error.ts';
import { JobConfiguration } from './job-configuration.ts';
import { runMap } from './map-task.ts';
import { OutputCommitter } from './output/committer.ts';
import type { JobCommitter } from './output/job-committer.ts';
import { inputUri, localPath } from './paths.ts';
import type { ProgramContext } from './program.ts';
import { loadProgram } from './programs/index.ts';
import { TaskProgress } from './progress.ts';
import { runReduce } from './reduce-task.ts';
import { readerOf } from './remote/reader.ts';
import { RemoteCommitter } from './remote/remote-committer.ts';
import { isRemote } from './remote/store.ts';
import { AttemptNotWanted, Reporter } from './reporter.ts';
import { AttemptSkipping } from './skipping/attempt-skipping.ts';
import { TaskEnvironment } from './task-environment.ts';
import { taskIdOfAttempt } from './task-ids.ts';
import type { TaskAssignment } from './umbilical.ts';
import type { Umbilical } from './umbilical-client.ts';

export interface RunTaskOptions {
  /** Is told why the attempt failed, with causes and places. */
  readonly onFailed?: (diagnostic: string) => void;
  readonly jobId: string;
  readonly assignment: TaskAssignment;
  readonly umbilical: Umbilical;
  readonly token: Buffer;
  readonly clock: Clock;
  /** The application's folder on a local disk (`LOCAL_DIRS`). */
  readonly localFolder: string;
  /** Its folders on all local disks: what maps left there is read where it lies. */
  readonly localFolders?: readonly string[];
  /** Aborted from outside to end the attempt early. */
  readonly signal?: AbortSignal;
}

const commitPollMs = 100;
const sendingTouchMs = 5000;

/** The committer of a job as its settings want it. */
export function committerOf(configuration: JobConfiguration, generation: number): JobCommitter {
  const folder = configuration.get('mapreduce.output.fileoutputformat.outputdir');
  const markSuccess = configuration.boolean('mapreduce.fileoutputcommitter.marksuccessfuljobs', true);
  if (folder !== undefined && isRemote(folder))
    return new RemoteCommitter({
      address: folder,
      stagingFolder: configuration.text('mapreduce.job.dir', '/'),
      localFolder: configuration.get('mapreduce.cluster.local.dir'),
      generation,
      markSuccess,
      reader: readerOf(configuration),
    });
  return new OutputCommitter({
    outputFolder:
      folder === undefined || folder === ''
        ? undefined
        : localPath(folder, configuration.text('mapreduce.job.working.dir', '/').replace(/^file:/, '')),
    algorithm: configuration.integer('mapreduce.fileoutputcommitter.algorithm.version', 2),
    generation,
    markSuccess,
  });
}

/** A trial of skipping mode found nothing bad: what it did counts for nothing, for it worked on a part of the input alone. */
class TrialPassed extends Error {
  constructor() {
    super('None of the records of this trial failed: one that fails is among the others that are suspected');
  }
}

/** The settings a task sees beside those of its job. */
function taskSettings(options: RunTaskOptions): JobConfiguration {
  const { assignment, jobId, localFolder } = options;
  const { split, attemptId } = assignment;
  const values = new Map(Object.entries(assignment.configuration));
  const own: Record<string, string | undefined> = {
    'mapreduce.job.id': jobId,
    'mapreduce.task.id': taskIdOfAttempt(attemptId),
    'mapreduce.task.attempt.id': attemptId,
    'mapreduce.task.ismap': String(assignment.kind === 'MAP'),
    'mapreduce.task.partition': String(assignment.index),
    'mapreduce.job.application.attempt.id': String(assignment.generation),
    'mapreduce.cluster.local.dir': localFolder,
    ...(assignment.skipping === undefined ? {} : { 'mapreduce.job.skiprecords': 'true' }),
    ...(split === undefined || split.parts !== undefined
      ? {}
      : {
          'mapreduce.map.input.file': inputUri(split.path),
          'mapreduce.map.input.start': String(split.start),
          'mapreduce.map.input.length': String(split.length),
        }),
  };
  for (const [name, value] of Object.entries(own)) if (value !== undefined) values.set(name, value);
  const work = committerOf(new JobConfiguration(values), assignment.generation).workFolder(attemptId);
  if (work !== undefined) values.set('mapreduce.task.output.dir', `file:${work}`);
  return new JobConfiguration(values);
}

/** Runs the attempt and tells the master how it ended; answers whether it succeeded. Throws {@link AttemptNotWanted} and MasterUnreachable. */
export async function runTask(options: RunTaskOptions): Promise<boolean> {
  const { assignment, umbilical } = options;
  const attemptId = assignment.attemptId;
  const { kind } = assignment;
  const configuration = taskSettings(options);
  const progress = new TaskProgress(
    kind === 'MAP' ? 'map' : 'reduce',
    kind === 'REDUCE'
      ? [
          ['copy', 1 / 3],
          ['sort', 1 / 3],
          ['reduce', 1 / 3],
        ]
      : assignment.reduces === 0
        ? [['map', 1]]
        : [
            ['map', 0.667],
            ['sort', 0.333],
          ],
  );
  const unwanted = new AbortController();
  const signal = options.signal === undefined ? unwanted.signal : AbortSignal.any([options.signal, unwanted.signal]);
  const reporter = new Reporter({
    attemptId,
    counters: new Counters(undefined, counterLimits(configuration)),
    kind,
    progress,
    umbilical,
    onUnwanted: () => unwanted.abort(new AttemptNotWanted(`${attemptId} is not wanted any more`)),
  });
  const committer = committerOf(configuration, assignment.generation);
  const task = new TaskEnvironment({ ...options, configuration, reporter, committer, signal });
  reporter.start();
  try {
    reporter.waitsFor = () => 'its program to be loaded';
    const program = await loadProgram(configuration, (): ProgramContext => task.programContext());
    reporter.waitsFor = undefined;
    if (assignment.skipping !== undefined) task.skipping = new AttemptSkipping(assignment.skipping, task, program);
    const work = () => (kind === 'MAP' ? runMap(task, program) : runReduce(task, program));
    await (program.whole?.(signal, work) ?? work());
    signal.throwIfAborted();
    if (task.skipping?.isTrial === true) throw new TrialPassed();
    await task.skipping?.publish();
    if ((kind === 'REDUCE' || assignment.reduces === 0) && committer.needsTaskCommit(attemptId)) await commit(task);
    await reporter.stop();
    const answer = await umbilical.done(reporter.report());
    if (!answer.known) throw new AttemptNotWanted(`${attemptId} is not wanted any more`);
    return true;
  } catch (error) {
    await reporter.stop();
    task.skipping?.discard();
    if (signal.aborted || error instanceof AttemptNotWanted)
      throw new AttemptNotWanted(`${attemptId} is not wanted any more`, { cause: error });
    const trialPassed = error instanceof TrialPassed;
    const diagnostic = trialPassed ? error.message : `Error: ${describeError(error)}`;
    options.onFailed?.(diagnostic);
    await umbilical.failed({ ...reporter.failureReport(), diagnostic, failFast: false, ...(trialPassed ? { trialPassed } : {}) });
    committer.abortTask(attemptId);
    return false;
  }
}

async function commit(task: TaskEnvironment): Promise<void> {
  const { reporter, umbilical, committer } = task;
  await umbilical.commitPending(reporter.report());
  for (;;) {
    const answer = await umbilical.canCommit(reporter.attemptId);
    if (!answer.known) throw new AttemptNotWanted('commit refused');
    if (answer.permitted) break;
    reporter.touch();
    await new Promise((wake) => setTimeout(wake, commitPollMs));
    task.signal.throwIfAborted();
  }
  // Bringing output to a store takes its time; each of its requests has its own limit.
  const sending = setInterval(() => reporter.touch(), sendingTouchMs);
  try {
    await committer.commitTask(reporter.attemptId);
  } finally {
    clearInterval(sending);
  }
}
