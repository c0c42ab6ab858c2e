// All routes about queues and scheduling.

import type { Service } from '../../http/service.ts';
import type { ResourceManagerContext } from '../context.ts';
import { activityRoutes } from './activities.ts';
import { partsOf } from './parts.ts';
import { queueRoutes } from './queues.ts';
import { schedulerRoutes } from './scheduler.ts';
import { schedulerConfRoutes } from './scheduler-conf.ts';

/** Adds them to the service, below `base` (`/ws/v1/cluster`). */
export function mountScheduler(service: Service, context: ResourceManagerContext, base: string): void {
  const parts = partsOf(context);
  const routes = [
    ...schedulerRoutes(parts, base),
    ...activityRoutes(parts, base),
    ...schedulerConfRoutes(parts, context.queues, base),
    ...queueRoutes(parts, base),
  ];
  for (const route of routes) service.route(route);
}
