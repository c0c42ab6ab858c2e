// `/scheduler`, `/scheduler-overview`, `/scheduler/logs`: the queues, what the scheduler is, and Hadoop's switch for its log.

import { resourceManagerSettings } from '../../config/settings/resource-manager.ts';
import { answer, ok, text } from '../../http/answers.ts';
import type { Route } from '../../http/service.ts';
import { failure } from '../../model/errors.ts';
import { longMaximum, type Resource } from '../../model/resource.ts';
import { resourceInfoOf } from '../../wire/cluster/resource.ts';
import { type SchedulerOverview, schedulerOverview, schedulerType } from '../../wire/cluster/scheduler.ts';
import type { Parts } from './parts.ts';
import { type SchedulerViewContext, schedulerTypeOf } from './scheduler-view.ts';

/** Bounds that views of amounts need. */
export function schedulerViewContext({ policy, types }: Parts): SchedulerViewContext {
  const bounds = (amount: Resource) => types.types.map((_, i) => amount[i] ?? longMaximum);
  return {
    types,
    minimumAllocation: types.types.map((_, i) => policy.minimumAllocation()[i] ?? 0),
    maximumAllocation: bounds(policy.configuredMaximum()),
    currentMaximum: policy.maximumAllocation(),
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

/** The period of a form body; Java's parser decides what a number is. */
function periodOf(body: unknown): number {
  const form = new URLSearchParams(Buffer.isBuffer(body) ? body.toString('utf8') : '');
  const time = form.get('time');
  if (time === null) throw failure('SCHEDULER_LOG_PERIOD_MISSING');
  if (!/^[+-]?\d{1,10}$/.test(time)) throw failure('BAD_NUMBER', { value: time });
  return Number(time);
}

/** The routes of this file, below `base`. */
export function schedulerRoutes(context: Parts, base: string): Route<never>[] {
  return [
    {
      method: 'GET',
      path: `${base}/scheduler`,
      about: 'The queues with their shares, limits and use.',
      handle: () => ok(schedulerType, schedulerTypeOf(context.policy.describe(), schedulerViewContext(context))),
    },
    {
      method: 'GET',
      path: `${base}/scheduler-overview`,
      about: 'Which scheduler runs, and the bounds of requests.',
      handle: () => answer(200, schedulerOverview, overviewOf(context)),
    },
    {
      method: 'POST',
      path: `${base}/scheduler/logs`,
      body: 'raw',
      about: 'Accepted for compatibility; Heddle logs by level and name.',
      handle: ({ caller, body }) => {
        context.access.administrator(context.caller(caller), 'write scheduler logs');
        if (periodOf(body) <= 0) throw failure('SCHEDULER_LOG_PERIOD_TOO_SMALL');
        return text(200, 'Capacity scheduler logs are being created.');
      },
    } as Route<never>,
  ];
}
