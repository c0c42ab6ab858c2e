// Who hears of everything that happens to applications: the timeline, where the settings have it.

import { systemAuthorization } from '../../client/server-credentials.ts';
import { SystemMetricsPublisher } from '../../client/system-metrics-publisher.ts';
import { owed, sendEntities, sendSystemWrites } from '../../client/timeline-client.ts';
import { commonSettings } from '../../config/settings/common.ts';
import { heddleSettings } from '../../config/settings/heddle.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { schemeOf, serverAddress } from '../../config/web-addresses.ts';
import { ownUserName } from '../../lib/own-user.ts';
import type { TimelineEntity } from '../../wire/timeline/entity.ts';
import type { SystemWrite } from '../../wire/timeline/v2-entity.ts';
import type { ClusterObserver } from '../cluster/observer.ts';
import { Outbox, type OutboxStore } from '../publishing/outbox.ts';
import { timelinePublisher } from '../publishing/timeline-publisher.ts';
import type { OutboxFigures } from '../views/parts.ts';
import type { Starting } from './starting.ts';
import type { WebAddress } from './web-address.ts';

/** So long what happens to an application is gathered: one that starts and ends at once is told of by one request, after its start. */
const lingerMs = 100;

/** What was built. */
export interface BuiltPublisher {
  /** Hears of everything that the cluster does. */
  readonly observer: ClusterObserver;
  /** What the versions of the timeline are owed. */
  readonly outboxes: readonly OutboxFigures[];
  /** Whether all that the observer heard before this turn is durable. */
  readonly isKept: () => boolean;
}

/** The publisher, which goes on with what an earlier process owed; undefined where nothing is published. */
export function buildPublisher(
  { configuration, clock, random, logger, closer, roleKey }: Starting,
  store: OutboxStore,
  address: WebAddress,
): BuiltPublisher | undefined {
  const common = configuration.values(commonSettings);
  const own = configuration.values(resourceManagerSettings);
  if (!common.timelineEnabled || !common.systemMetricsPublisherEnabled || !own.metricsPublisherEnabled) return undefined;
  const { timelineOutboxMaximumBytes, timelineOutboxMaximumAgeMs } = configuration.values(heddleSettings);
  const user = ownUserName();
  const authorize = systemAuthorization(configuration, { user, clock, random, roleKey });
  const target = { url: serverAddress(configuration, 'timeline').url, user, authorize, logger };
  const outboxTo = <Message>(receiver: string, send: typeof sendEntities, waitMs: number): Outbox<Message> => {
    const outbox = new Outbox<Message>({
      receiver,
      store,
      send: owed(send, target),
      lingerMs: waitMs,
      clock,
      logger,
      maximumCharacters: timelineOutboxMaximumBytes,
      maximumAgeMs: timelineOutboxMaximumAgeMs,
    });
    closer.add(receiver, () => outbox.close());
    return outbox;
  };
  const versions = common.timelineVersions.length > 0 ? common.timelineVersions : [common.timelineVersion];
  const speaks = (version: string): boolean => versions.some((each) => each.startsWith(version));
  // The application history reads version 1, whichever version clients use.
  const isRead = common.applicationHistoryEnabled || speaks('1');
  const version1 = isRead ? outboxTo<TimelineEntity>('timeline', sendEntities, lingerMs) : undefined;
  // Version 2 takes nothing from nodes about applications that it does not know yet.
  const version2 = speaks('2') ? outboxTo<SystemWrite>('timeline version 2', sendSystemWrites, 0) : undefined;
  const publisher = new SystemMetricsPublisher({ version1, version2, containers: own.metricsPublisherContainersEnabled });
  const observer = timelinePublisher({
    publisher,
    clock,
    trackingUrl: (id) => `${address.url}/proxy/${id}/`,
    scheme: schemeOf(configuration),
  });
  const outboxes = [version1, version2].filter((outbox) => outbox !== undefined);
  return { observer, outboxes, isKept: () => !outboxes.some(({ isBehind }) => isBehind) };
}
