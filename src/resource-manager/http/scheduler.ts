// `/scheduler`, `/scheduler-overview`, `/scheduler/logs`: the queues, what the scheduler is, and Hadoop's switch for its log.

import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { answer, lasting, text } from '../../http/answers.ts';
import type { Service } from '../../http/service.ts';
import { longMaximum, type Resource } from '../../model/resource.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import { type SchedulerOverview, schedulerOverview, schedulerType } from '../../wire/cluster/scheduler.ts';
import type { Commands } from '../commands/commands.ts';
import type { Parts } from '../views/parts.ts';
import { type SchedulerViewContext, schedulerTypeOf } from '../views/scheduler-view.ts';
import type { KnownCaller } from './callers.ts';
import { mounting } from './mounting.ts';

/** Bounds that views of amounts need. */
export function schedulerViewContext({ policy, types }: Parts): SchedulerViewContext {
  const bounds = (amount: Resource) => types.types.map((_, i) => amount[i] ?? longMaximum);
  return {
    types,
    minimumAllocation: types.types.map((_, i) => policy.minimumAllocation()[i] ?? 0),
    maximumAllocation: bounds(policy.configuredMaximum()),
  };
}

function overviewOf(context: Parts): SchedulerOverview {
  const { policy, types, configuration } = context;
  return {
    schedulerType: policy.names.title,
    schedulingResourceType: types.types.map(({ name, units }) => (units === '' ? name : `${name} (unit=${units})`)).join(','),
    minimumAllocation: resourceInfoOf(policy.minimumAllocation(), types),
    maximumAllocation: resourceInfoOf(policy.maximumAllocation(), types),
    applicationPriority: configuration.values(resourceManagerSettings).maximumApplicationPriority,
    schedulerBusy: 0,
    rmDispatcherEventQueueSize: 0,
    schedulerDispatcherEventQueueSize: 0,
  };
}

/** The period of a form body. */
const periodOf = (body: Buffer): string | undefined => new URLSearchParams(body.toString('utf8')).get('time') ?? undefined;

/** What these routes work with. */
export interface SchedulerNeeds extends Parts {
  readonly caller: KnownCaller;
  readonly commands: Pick<Commands, 'writeSchedulerLogs'>;
}

/** Adds the routes of this file, below `base`. */
export function mountSchedulerFacts(service: Service, needs: SchedulerNeeds, base: string): void {
  const { get } = mounting(service, base, needs);
  get('/scheduler', 'The queues with their shares, limits and use.', 'facts', () =>
    lasting(schedulerType, schedulerTypeOf(needs.policy.describe(), schedulerViewContext(needs))),
  );
  get('/scheduler-overview', 'Which scheduler runs, and the bounds of requests.', 'facts', () =>
    answer(200, schedulerOverview, overviewOf(needs)),
  );
  service.route<Buffer>({
    method: 'POST',
    path: `${base}/scheduler/logs`,
    body: 'raw',
    about: 'Accepted for compatibility; Heddle logs by level and name.',
    access: 'admin',
    handle: ({ caller, body }) => {
      needs.commands.writeSchedulerLogs(needs.caller(caller), periodOf(body));
      return text(200, 'Capacity scheduler logs are being created.');
    },
  });
}
