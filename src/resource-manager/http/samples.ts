// The numbers that the resource manager gives to Prometheus: those of `/ws/v1/cluster/metrics`, under names of their own.
import { channelSamples } from '../../http/channel-samples.ts';
import { rpcSamples } from '../../http/rpc-samples.ts';
import type { Sample } from '../../http/sample.ts';
import { userHoldings } from '../../scheduler/explain/user-holdings.ts';
import type { Parts } from '../views/parts.ts';
import { metricsOf } from './cluster-facts.ts';
import { queueSamples } from './queue-samples.ts';

const bytesPerMiB = 1024 * 1024;

/** Everything at this moment. */
export function samplesOf(parts: Parts): Sample[] {
  const metrics = metricsOf(parts);
  const one = (name: string, help: string, value: number | bigint | undefined, labels?: Record<string, string>): Sample => ({
    name: `heddle_${name}`,
    help,
    value: Number(value ?? 0),
    labels,
  });
  const applications = {
    submitted: metrics.appsSubmitted,
    pending: metrics.appsPending,
    running: metrics.appsRunning,
    completed: metrics.appsCompleted,
    failed: metrics.appsFailed,
    killed: metrics.appsKilled,
  };
  const memory = {
    available: metrics.availableMB,
    allocated: metrics.allocatedMB,
    reserved: metrics.reservedMB,
    pending: metrics.pendingMB,
  };
  const vcores = {
    available: metrics.availableVirtualCores,
    allocated: metrics.allocatedVirtualCores,
    reserved: metrics.reservedVirtualCores,
    pending: metrics.pendingVirtualCores,
  };
  const containers = { allocated: metrics.containersAllocated, pending: metrics.containersPending, reserved: metrics.containersReserved };
  const { placements, preemptions } = parts.cluster.schedulingFigures;
  const hooks = parts.webhooks.list().map(({ figures }) => figures);
  const isFailing = ({ failingSinceMs }: (typeof hooks)[number]): boolean => failingSinceMs !== undefined;
  const sum = (figure: 'delivered' | 'failures' | 'waiting' | 'deadLetters' | 'dropped'): number =>
    hooks.reduce((all, figures) => all + figures[figure], 0);
  return [
    ...Object.entries(applications).map(([state, value]) =>
      one('applications', 'Applications since the first start, and now pending or running.', value, { state }),
    ),
    ...Object.entries(memory).map(([kind, value]) =>
      one('memory_bytes', 'Memory of the default partition.', Number(value ?? 0) * bytesPerMiB, { kind }),
    ),
    ...Object.entries(vcores).map(([kind, value]) => one('vcores', 'Virtual cores of the default partition.', value, { kind })),
    ...Object.entries(containers).map(([kind, value]) => one('containers', 'Containers.', value, { kind })),
    ...Object.entries(parts.cluster.view.nodeTotals.counts).map(([state, value]) =>
      one('nodes', 'Nodes by state.', value, { state: state.toLowerCase() }),
    ),
    ...parts.outboxes.flatMap(({ receiver, size, givenUp }) => [
      one('timeline_owed_messages', 'Messages that the timeline has not taken yet.', size, { receiver }),
      one('timeline_given_up_messages_total', 'Messages given up: refused, too old, or more than may be kept.', givenUp, { receiver }),
    ]),
    one('webhooks', 'Webhooks, by whether their receivers take what they are sent.', hooks.filter((each) => !isFailing(each)).length, {
      state: 'well',
    }),
    one('webhooks', 'Webhooks, by whether their receivers take what they are sent.', hooks.filter(isFailing).length, { state: 'failing' }),
    one('webhook_deliveries_total', 'Events that receivers of webhooks took.', sum('delivered')),
    one('webhook_failures_total', 'Tries of deliveries to webhooks that failed.', sum('failures')),
    one('webhook_waiting_events', 'Events that webhooks are owed.', sum('waiting')),
    one('webhook_dead_letters', 'Events that were given up for webhooks, and can be sent again.', sum('deadLetters')),
    one('webhook_dropped_events_total', 'Events that were given up for webhooks, and pushed out by later ones.', sum('dropped')),
    one('placements_per_second', 'Containers placed in the last second.', metrics.containerAssignedPerSecond),
    one('scheduler_placements_total', 'Containers that the scheduler placed.', placements),
    one('scheduler_preemptions_total', 'Containers that the scheduler took back for others.', preemptions),
    ...channelSamples(parts.channel),
    ...rpcSamples(parts.rpc),
    ...queueSamples(parts.policy.describe(), () => userHoldings(parts.policy.account.ledger.applications.values())),
    one('start_time_seconds', 'When this resource manager started.', parts.startedMs / 1000),
  ];
}
