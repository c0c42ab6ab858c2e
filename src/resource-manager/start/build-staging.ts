// The staging area: files that clients leave for their applications.
import { heddleSettings } from '../../config/settings/heddle.ts';
import { isFinalState } from '../applications/application-states.ts';
import type { Cluster } from '../cluster.ts';
import { StagingArea } from '../staging/staging-area.ts';
import type { Starting } from './starting.ts';

/** Builds it; files of applications that end go with them, or a while later. Begin it before it is used. */
export function buildStaging({ configuration, clock, logger, closer }: Starting, cluster: Cluster): StagingArea {
  const {
    stagingDirectory,
    stagingMaximumFileBytes,
    stagingUserQuotaBytes,
    stagingTotalQuotaBytes,
    stagingUnusedRetentionMs,
    stagingEndedRetentionMs,
  } = configuration.values(heddleSettings);
  const area = new StagingArea({
    folder: stagingDirectory,
    clock,
    logger,
    maximumFileBytes: stagingMaximumFileBytes,
    userQuotaBytes: stagingUserQuotaBytes,
    totalQuotaBytes: stagingTotalQuotaBytes,
    unusedRetentionMs: stagingUnusedRetentionMs,
    endedRetentionMs: stagingEndedRetentionMs,
    applicationOf: (applicationId) => {
      const application = cluster.findAny(applicationId);
      return application && { user: application.user, endedMs: isFinalState[application.state] ? application.finishedMs : undefined };
    },
  });
  closer.add('staging area', () => area.close());
  cluster.observe({
    applicationFinished: ({ id, user, finishedMs }) =>
      void area
        .applicationEnded(user, id, finishedMs)
        .catch((error: unknown) => logger.warn({ err: error, id }, 'staged files could not be removed')),
  });
  return area;
}
