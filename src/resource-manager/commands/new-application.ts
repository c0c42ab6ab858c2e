// Handing out the id that an application is submitted under (ClientRMService.getNewApplication).
import type { Resource } from '../../model/resource.ts';
import type { SchedulingPolicy } from '../../scheduler/policy.ts';

export interface NewApplicationPorts {
  readonly newApplicationId: () => string;
  readonly upcomingApplicationId: () => string;
  readonly policy: Pick<SchedulingPolicy, 'maximumAllocation'>;
}

/** An id that no application has, and the most that one container gets now. Nothing is kept of it. */
export function newApplication({ newApplicationId, policy }: NewApplicationPorts): {
  readonly id: string;
  readonly maximumResource: Resource;
} {
  return { id: newApplicationId(), maximumResource: policy.maximumAllocation() };
}

/** The id that is handed out next, for who only tries what would become of it. */
export const upcomingApplication = ({ upcomingApplicationId }: NewApplicationPorts): string => upcomingApplicationId();
