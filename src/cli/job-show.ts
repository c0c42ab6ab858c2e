// `heddle job show [--wait | --follow]`: how far a job is, and how it ended.
import type { Command } from 'commander';
import { applicationIdOfJob } from '../batch/tasks/task-ids.ts';
import { isFinalApplicationState } from '../model/application-states.ts';
import { knownMeanMs } from '../model/job-means.ts';
import { watchJob } from './batch-follow.ts';
import { connect } from './connection.ts';
import { setExitCode } from './exit-code.ts';
import { CommandFailure } from './failure.ts';
import { doneOf, remainingMs } from './job-pace.ts';
import { JobPages, jobPart } from './job-pages.ts';
import { type ClusterFlags, withClusterOptions } from './options.ts';
import { formatDuration, formatTime, printFacts, printJson, printText } from './output.ts';

type Fields = Readonly<Record<string, string | number | undefined>>;
interface ShowFlags extends ClusterFlags {
  readonly wait?: boolean;
  readonly follow?: boolean;
}

/** Registers `heddle job show` below `heddle job`. */
export function addJobShow(job: Command): void {
  withClusterOptions(job.command('show').argument('<job>', 'its id'))
    .description('show a job: how far it is, its tasks and why any failed')
    .option('--wait', 'once it is over; the exit code is then 1 where it did not succeed')
    .option('-f, --follow', 'how far it is until it is over, then as --wait does; with --json a line for each change')
    .action(show);
}

/** Tells how far a job that is not over is, until it is. With `--json` each change of what its master says is a line. */
async function follow(pages: JobPages, flags: ShowFlags): Promise<void> {
  const app = await pages.application();
  if (app === undefined || isFinalApplicationState(app.state)) return;
  let last = '';
  await watchJob(connect(flags), {
    applicationId: applicationIdOfJob(pages.jobId),
    jobId: pages.jobId,
    told: !flags.json,
    onProgress: (job) => {
      // Times go on in each answer; they are no change.
      const { elapsedTime, ...told } = job;
      const line = JSON.stringify(told);
      if (flags.json && line !== last) printText(`${line}\n`);
      last = line;
    },
  });
}

async function show(id: string, flags: ShowFlags): Promise<void> {
  const pages = new JobPages(connect(flags), jobPart(id).jobId);
  if (flags.wait && flags.follow) throw new CommandFailure('--follow waits for the end as --wait does', 'Leave one of them away.', 2);
  if (flags.follow) await follow(pages, flags);
  if (flags.wait) await pages.end();
  const { job } = await pages.get<{ job: Fields }>('');
  if ((flags.wait || flags.follow) && job['state'] !== 'SUCCEEDED') setExitCode(1);
  if (flags.json) return flags.follow ? printText(`${JSON.stringify(job)}\n`) : printJson(job);
  const of = (kind: 'map' | 'reduce') => {
    const total = job[`${kind}sTotal`];
    const name = kind === 'map' ? 'Map' : 'Reduce';
    // The history counts those of a job that was ended as completed, whatever became of them.
    const succeeded = ['FAILED', 'KILLED', 'ERROR'].includes(String(job['state'])) ? job[`successful${name}Attempts`] : undefined;
    const parts = [`${Math.min(Number(succeeded ?? job[`${kind}sCompleted`]), Number(total))} of ${total}`];
    for (const state of ['Running', 'Pending'] as const)
      if (job[`${kind}s${state}`]) parts.push(`${job[`${kind}s${state}`]} ${state.toLowerCase()}`);
    for (const state of ['failed', 'killed'] as const) {
      const attempts = job[`${state}${name}Attempts`];
      if (attempts) parts.push(`${attempts} attempt${attempts === 1 ? '' : 's'} ${state}`);
    }
    const progress = job[`${kind}Progress`];
    return total === 0 ? undefined : `${parts.join(', ')}${progress === undefined ? '' : ` (${Math.floor(Number(progress))}%)`}`;
  };
  const [submitted, started, finish] = ['submitTime', 'startTime', 'finishTime'].map((name) => Number(job[name] ?? 0)) as [
    number,
    number,
    number,
  ];
  // The history says −1 of a job that ended before it began.
  const begun = started > 0 ? started : submitted;
  printFacts([
    ['job', job['id']],
    ['name', job['name']],
    ['user', job['user']],
    ['queue', job['queue']],
    ['state', job['state']],
    ['maps', of('map')],
    ['reduces', of('reduce')],
    ['started', formatTime(started)],
    ['finished', finish > 0 ? formatTime(finish) : undefined],
    ['time', formatDuration(finish > 0 ? finish - begun : Number(job['elapsedTime'] ?? 0))],
    ['remaining', remainingOf(job)],
    ['mean map', averageOf(job, 'avgMapTime')],
    ['mean shuffle', averageOf(job, 'avgShuffleTime')],
    ['mean merge', averageOf(job, 'avgMergeTime')],
    ['mean reduce', averageOf(job, 'avgReduceTime')],
    ['diagnostics', String(job['diagnostics'] ?? '').trim()],
  ]);
}

/** About how long a running job takes yet. */
function remainingOf(job: Fields): string | undefined {
  if (job['state'] !== 'RUNNING') return undefined;
  const of = (name: string) => Number(job[name] ?? 0);
  const done = doneOf({
    ...{ mapProgress: of('mapProgress'), reduceProgress: of('reduceProgress') },
    ...{ mapsTotal: of('mapsTotal'), reducesTotal: of('reducesTotal') },
  });
  const rest = remainingMs(done, of('elapsedTime'));
  return rest === undefined ? undefined : `about ${formatDuration(rest)}`;
}

/** What an answer says of a mean; nothing where there is none. */
function averageOf(job: Fields, name: string): string | undefined {
  const [startTime, finishTime] = [Number(job['startTime'] ?? 0), Number(job['finishTime'] ?? 0)];
  const meanMs = knownMeanMs(Number(job[name] ?? 0), { startTime, finishTime });
  return meanMs ? formatDuration(meanMs) : undefined;
}
