// The settings that a job follows, read once.
import { counterLimits } from '../counters/counters.ts';
import type { JobConfiguration } from '../tasks/job-configuration.ts';
import { mostSkippedOf } from '../tasks/skipping/attempt-skipping.ts';
import type { TaskKind } from './job-view.ts';
import type { SkippingRules } from './task-skipping.ts';

const defaultTaskMemoryMiB = 1024;

/** Memory of a map's or reduce's container, MiB; −1 and 0 mean the default. */
function taskMemoryMiB(settings: JobConfiguration, kind: TaskKind): number {
  const asked = settings.integer(kind === 'MAP' ? 'mapreduce.map.memory.mb' : 'mapreduce.reduce.memory.mb', defaultTaskMemoryMiB);
  return asked > 0 ? asked : defaultTaskMemoryMiB;
}

/** Milliseconds; undefined below 0, which Hadoop reads as never. */
const secondsOf = (seconds: number): number | undefined => (seconds < 0 ? undefined : seconds * 1000);

/** When and how much tasks of each kind leave out; undefined: nothing. */
function skippingRules(settings: JobConfiguration): Readonly<Partial<Record<TaskKind, SkippingRules>>> {
  const startAfterFailures = settings.integer('mapreduce.task.skip.start.attempts', 2);
  const rules = (kind: TaskKind) => {
    const most = mostSkippedOf(settings, kind);
    return most > 0 ? { [kind]: { most, startAfterFailures } } : {};
  };
  return { ...rules('MAP'), ...rules('REDUCE') };
}

/** Reads the rules. @throws BadSetting */
export function jobRules(settings: JobConfiguration) {
  const cores = (kind: 'map' | 'reduce') => settings.integer(`mapreduce.${kind}.cpu.vcores`, 1);
  return {
    reduces: Math.max(0, settings.integer('mapreduce.job.reduces', 1)),
    mapAttempts: settings.integer('mapreduce.map.maxattempts', 4),
    reduceAttempts: settings.integer('mapreduce.reduce.maxattempts', 4),
    mapFailuresPercent: settings.integer('mapreduce.map.failures.maxpercent', 0),
    reduceFailuresPercent: settings.integer('mapreduce.reduce.failures.maxpercent', 0),
    counterLimits: counterLimits(settings),
    skipping: skippingRules(settings),
    runningLimits: {
      MAP: settings.integer('mapreduce.job.running.map.limit', 0),
      REDUCE: settings.integer('mapreduce.job.running.reduce.limit', 0),
    } as Readonly<Record<TaskKind, number>>,
    slowStart: settings.number('mapreduce.job.reduce.slowstart.completedmaps', 0.05),
    rampUpLimit: settings.number('yarn.app.mapreduce.am.job.reduce.rampup.limit', 0.5),
    finishWhenReducesDone: settings.boolean('mapreduce.job.finish-when-all-reducers-done', true),
    taskTimeoutMs: settings.integer('mapreduce.task.timeout', 600_000),
    stuckTimeoutMs: settings.integer('mapreduce.task.stuck.timeout-ms', 600_000),
    exitTimeoutMs: settings.integer('mapreduce.task.exit.timeout', 60_000),
    /** Undefined: a reduce goes only where there is no room for a map. */
    unconditionalPreemptMs: secondsOf(settings.integer('mapreduce.job.reducer.unconditional-preempt.delay.sec', 300)),
    fetchFailureReports: settings.integer('mapreduce.reduce.shuffle.max-fetch-failures-notifications', 3),
    fetchFailureShare: settings.number('mapreduce.reduce.shuffle.max-fetch-failures-fraction', 0.5),
    shufflePort: settings.integer('mapreduce.shuffle.port', 13_562),
    minimumAllocationMiB: Math.max(1, settings.integer('yarn.scheduler.minimum-allocation-mb', 1024)),
    memoryMiB: { MAP: taskMemoryMiB(settings, 'MAP'), REDUCE: taskMemoryMiB(settings, 'REDUCE') } as Readonly<Record<TaskKind, number>>,
    vcores: { MAP: cores('map'), REDUCE: cores('reduce') } as Readonly<Record<TaskKind, number>>,
    speculative: {
      MAP: settings.boolean('mapreduce.map.speculative', true),
      REDUCE: settings.boolean('mapreduce.reduce.speculative', true),
    } as Readonly<Record<TaskKind, boolean>>,
    accessLists: settings.boolean('mapreduce.cluster.acls.enabled', false)
      ? { view: settings.text('mapreduce.job.acl-view-job', ' ') || ' ', modify: settings.text('mapreduce.job.acl-modify-job', ' ') || ' ' }
      : undefined,
  };
}
export type JobRules = ReturnType<typeof jobRules>;
