// To which version of the timeline a job tells its events, if it is to (`mapreduce.job.emit-timeline-data`): where version 2 takes them to that
// alone, as Hadoop does (JobHistoryEventHandler.serviceInit).
import { TimelineClient } from '../../client/timeline-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/log.ts';
import type { HistoryEvent } from '../../wire/files/job-history.ts';
import type { StagedJob } from '../submission/staging.ts';
import type { MasterEnvironment } from './master-environment.ts';
import { shownConfiguration } from './shown-configuration.ts';
import { timelinePublisher } from './timeline.ts';
import { timelinePublisherV2 } from './timeline-v2.ts';

/** Tells the timeline of a job. */
export interface JobPublisher {
  /** Takes an event and returns at once. */
  publish(event: HistoryEvent): void;
  /** Gives the rest up to `withinMs` to be sent, then forgets it. */
  close(withinMs: number): Promise<void>;
}

/** The publisher of a job; undefined where it tells nobody. */
export function openJobPublisher(
  { environment, clock, logger }: { readonly environment: MasterEnvironment; readonly clock: Clock; readonly logger: Logger },
  staged: StagedJob,
  settings: StagedJob['settings'],
  id: string,
): JobPublisher | undefined {
  const { timelineUrl, timelineCollectorUrl, user, applicationId, submitTimeMs } = environment;
  if (!settings.boolean('mapreduce.job.emit-timeline-data', false)) return undefined;
  const now = () => clock.now();
  if (timelineCollectorUrl !== undefined) {
    const client = TimelineClient.ofApplication({ url: timelineCollectorUrl, user, clock, logger }, applicationId);
    const job = { id, applicationId, submitTimeMs, configuration: shownConfiguration(staged) };
    return { publish: timelinePublisherV2(client, job, now), close: (withinMs) => client.close(withinMs) };
  }
  if (timelineUrl === undefined) return undefined;
  const client = new TimelineClient({ url: timelineUrl, user, clock, logger });
  return { publish: timelinePublisher(client, { id, submitTimeMs }, now), close: (withinMs) => client.close(withinMs) };
}
