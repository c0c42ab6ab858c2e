// Who tells version 2 of the timeline of this node's containers, where the settings have it.
import { commonSettings } from '../../config/settings/common.ts';
import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { wantsTimelineVersion2 } from '../../config/timeline-versions.ts';
import { serverAddress } from '../../config/web-addresses.ts';
import type { SystemWrite } from '../../wire/timeline/v2-entity.ts';
import type { NodeAddress } from '../address.ts';
import type { NodeTimelinePublisher } from '../publishing/timeline-publisher.ts';
import type { NodeState } from './open-state.ts';
import type { StartOptions } from './start-options.ts';

/** Most messages that are kept for a timeline that takes nothing: some minutes of some hundred containers. */
const maximumKept = 10_000;
/** How long a node that stops waits for the timeline to take the rest. */
const closingMs = 500;

/**
 * The publisher; undefined where version 2 is not offered or nothing is published. What it is made of is loaded only where it is wanted: nodes
 * are many, and their memory counts.
 */
export async function buildPublisher(
  { configuration, settings, dependencies, closer }: StartOptions,
  { provenAgent }: Pick<NodeState, 'provenAgent'>,
  node: NodeAddress,
): Promise<NodeTimelinePublisher | undefined> {
  const { timelineEnabled, systemMetricsPublisherEnabled } = configuration.values(commonSettings);
  if (!timelineEnabled || !systemMetricsPublisherEnabled || !wantsTimelineVersion2(configuration)) return undefined;
  const [{ NodeTimelinePublisher }, { DeliveryQueue }, { sendNodeWrites }] = await Promise.all([
    import('../publishing/timeline-publisher.ts'),
    import('../../client/delivery-queue.ts'),
    import('../publishing/send-writes.ts'),
  ]);
  const { clock, logger } = dependencies;
  const url = () => serverAddress(configuration, 'timeline').url;
  const agent = provenAgent(url, { keepAlive: true, maxSockets: 1 });
  const line = new DeliveryQueue<SystemWrite>({
    name: 'timeline version 2',
    clock,
    logger,
    maximumKept,
    send: (writes) => sendNodeWrites(url(), agent, writes),
  });
  closer.add('publisher', async () => {
    await line.close(closingMs);
    agent.destroy();
  });
  const { metricsPublisherEnabled, metricsPublisherContainersEnabled } = configuration.values(resourceManagerSettings);
  const tellsLives = settings.emitContainerEvents && !(metricsPublisherEnabled && metricsPublisherContainersEnabled);
  return new NodeTimelinePublisher({ line, tellsLives, node });
}
