// The end of a master: the finished job goes to the history server, the application to the resource manager, then the user's callback is made.

import { dirname } from 'node:path';
import type { MasterClient } from '../../client/master-client.ts';
import type { Logger } from '../../lib/log.ts';
import { writeJobConfiguration } from '../../wire/files/job-configuration.ts';
import type { HistoryWriter } from '../../wire/files/job-history.ts';
import { publishJob } from '../../wire/files/job-publication.ts';
import { jobCounterGroup } from '../counters/names.ts';
import type { StagedJob } from '../submission/staging.ts';
import { describeError } from '../tasks/describe-error.ts';
import { localPath } from '../tasks/paths.ts';
import type { Job } from './job.ts';
import type { TaskKind } from './job-view.ts';
import type { MasterEnvironment } from './master-environment.ts';
import { shownConfiguration } from './shown-configuration.ts';

export interface FinishOptions {
  readonly job: Job;
  readonly staged: StagedJob;
  readonly environment: MasterEnvironment;
  readonly client: MasterClient;
  /** It is closed before it is handed over. */
  readonly history: Pick<HistoryWriter, 'path' | 'close'>;
  readonly logger: Logger;
  /** Called once the resource manager knows the end, and the outside may see it. */
  readonly unregistered: () => void;
}

const finalStatuses = { SUCCEEDED: 'SUCCEEDED', FAILED: 'FAILED', KILLED: 'KILLED', ERROR: 'FAILED' } as const;

/** Host and port of the history server's pages as others reach them (MRWebAppUtil): a loopback or wildcard address becomes this node's name. */
export function historyServerAddress(setting: string, host: string): string {
  const at = setting.lastIndexOf(':');
  const named = setting.slice(0, at).replace(/^\[|\]$/g, '');
  const local =
    named === '' || named === '0.0.0.0' || named === '::' || named === '::1' || named === 'localhost' || named.startsWith('127.');
  return `${local ? host : setting.slice(0, at)}:${setting.slice(at + 1)}`;
}

/** Publishes, unregisters and notifies; answers the final status. */
export async function finishJob(options: FinishOptions): Promise<string> {
  const { job, staged, environment, client, logger } = options;
  const lost = await lossOfHistory(options);
  const state = job.finalState as keyof typeof finalStatuses;
  const finalStatus = finalStatuses[state];
  const isSecure = staged.settings.text('mapreduce.jobhistory.http.policy', 'HTTP_ONLY') === 'HTTPS_ONLY';
  const setting = isSecure
    ? staged.settings.text('mapreduce.jobhistory.webapp.https.address', '0.0.0.0:19890')
    : staged.settings.text('mapreduce.jobhistory.webapp.address', '0.0.0.0:19888');
  const web = historyServerAddress(setting, environment.host);
  let unregistered = true;
  try {
    await client.finish({
      finalStatus,
      diagnostics: [...job.diagnostics, ...lost]
        .map((text) => `${text}\n`)
        .join('')
        .slice(0, 1_000_000),
      trackingUrl: `${isSecure ? 'https' : 'http'}://${web}/jobhistory/job/${job.id}`,
    });
    job.unregistered = true;
    options.unregistered();
  } catch (error) {
    unregistered = false;
    logger.error({ error }, 'the resource manager did not take the end of the job');
  }
  await notify(options, unregistered ? finalStatus : 'FAILED');
  return finalStatus;
}

/** Hands the history over; answers a sentence for the user where that cannot be: the job itself is what it is. */
async function lossOfHistory(options: FinishOptions): Promise<string[]> {
  const { history, logger } = options;
  try {
    await history.close();
    await publish(options);
    return [];
  } catch (error) {
    logger.error({ error }, 'the history server will not see this job');
    return [`The history of this job could not be kept: ${describeError(error)}`];
  }
}

async function publish({ job, staged, history }: FinishOptions): Promise<void> {
  const { settings } = staged;
  const { finishedMaps, finishedReduces, ...unsuccessful } = job.taskEnds;
  const firstLaunch = (kind: TaskKind) =>
    job
      .ofKind(kind)
      .flatMap((task) => task.attempts.map((attempt) => attempt.startTimeMs))
      .filter((ms) => ms > 0)
      .reduce((first, ms) => Math.min(first, ms), Number.POSITIVE_INFINITY);
  const orZero = (value: number) => (Number.isFinite(value) ? value : 0);
  const slotSeconds = (kind: string) => Math.floor(job.jobCounters.get(jobCounterGroup, `SLOTS_MILLIS_${kind}`) / 1000);
  await publishJob({
    intermediateFolder: localPath(
      settings.text('mapreduce.jobhistory.intermediate-done-dir', `${dirname(dirname(dirname(staged.folder)))}/history/done_intermediate`),
    ),
    index: {
      jobId: job.id,
      submitTime: job.submitTimeMs,
      user: job.user,
      jobName: job.name,
      finishTime: job.finishTimeMs,
      maps: finishedMaps,
      reduces: finishedReduces,
      status: job.finalState,
      queue: job.queue,
      startTime: job.startTimeMs,
    },
    historyPath: history.path,
    configurationXml: writeJobConfiguration(shownConfiguration(staged)),
    summary: {
      jobId: job.id,
      submitTime: job.submitTimeMs,
      launchTime: job.startTimeMs,
      firstMapTaskLaunchTime: orZero(firstLaunch('MAP')),
      firstReduceTaskLaunchTime: orZero(firstLaunch('REDUCE')),
      finishTime: job.finishTimeMs,
      resourcesPerMap: job.rules.memoryMiB.MAP,
      resourcesPerReduce: job.rules.memoryMiB.REDUCE,
      succeededMaps: finishedMaps,
      succeededReduces: finishedReduces,
      ...unsuccessful,
      user: job.user,
      queue: job.queue,
      status: job.finalState,
      mapSlotSeconds: slotSeconds('MAPS'),
      reduceSlotSeconds: slotSeconds('REDUCES'),
      jobName: job.name,
    },
    jobNameLimit: settings.integer('mapreduce.jobhistory.jobname.limit', 50),
    folderMode: Number.parseInt(settings.text('mapreduce.jobhistory.intermediate-user-done-dir.permissions', '770'), 8) | 0o770,
  });
}

/** `mapreduce.job.end-notification.*`: a GET that must answer 200 (JobEndNotifier). */
async function notify({ job, staged, logger }: FinishOptions, status: string): Promise<void> {
  const { settings } = staged;
  const template = settings.get('mapreduce.job.end-notification.url');
  if (template === undefined || template === '') return;
  const url = template.replaceAll('$jobId', job.id).replaceAll('$jobStatus', status);
  const tries = Math.min(
    settings.integer('mapreduce.job.end-notification.retry.attempts', 0) + 1,
    settings.integer('mapreduce.job.end-notification.max.attempts', 1),
  );
  const waitMs = Math.min(
    settings.integer('mapreduce.job.end-notification.retry.interval', 1000),
    settings.integer('mapreduce.job.end-notification.max.retry.interval', 5000),
  );
  const timeoutMs = Math.max(1, settings.integer('mapreduce.job.end-notification.timeout', 5000));
  for (let attempt = 1; attempt <= tries; attempt++) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
      if (answer.status === 200) return;
      logger.warn({ status: answer.status }, 'the notification of the job’s end was not taken');
    } catch (error) {
      logger.warn({ error }, 'the notification of the job’s end failed');
    }
    if (attempt < tries) await new Promise((wake) => setTimeout(wake, waitMs));
  }
}
