// All routes about queues and scheduling.
import type { Service } from '../../http/service.ts';
import { activityRoutes } from './activities.ts';
import { type QueueNeeds, queueRoutes } from './queues.ts';
import { mountSchedulerFacts, type SchedulerNeeds } from './scheduler.ts';
import { mountSchedulerConf, type SchedulerConfNeeds } from './scheduler-conf.ts';

/** Adds them to the service, below `base` (`/ws/v1/cluster`). */
export function mountScheduler(service: Service, needs: SchedulerNeeds & SchedulerConfNeeds & QueueNeeds, base: string): void {
  mountSchedulerFacts(service, needs, base);
  for (const route of activityRoutes(needs, base)) service.route(route);
  mountSchedulerConf(service, needs, base);
  for (const route of queueRoutes(needs, base)) service.route(route);
}
