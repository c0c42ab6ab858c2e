// The order in which applications came.

import { parseApplicationId } from '../../model/ids.ts';

/** Applications order by start time and number inside their id; ids of another form by arrival. */
export function arrivalOrder(applicationId: string, arrival: number): number {
  try {
    const { clusterTimestamp, sequence } = parseApplicationId(applicationId);
    return (clusterTimestamp % 1e9) * 1e6 + sequence;
  } catch {
    return arrival;
  }
}
